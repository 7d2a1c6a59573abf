//! The module's variables.

use naga::{AddressSpace, GlobalVariable, Handle};

use super::checks::Tracking;
use super::error::{LowerError, Result};
use super::kernel::Lowering;
use super::plan::Home;
use super::pointer::{Pointer, Root};
use super::shape::Rule;
use crate::ir::Space;

/// The alignment of workgroup variables in bytes, which keeps aligned vectors within one cache line.
const WORKGROUP_ALIGNMENT: u32 = 16;

/// The limit in bytes on a kernel's workgroup memory.
const MAX_WORKGROUP: u32 = 1 << 30;

impl Lowering<'_> {
    /// Assigns memory or registers to every variable of the module, and initialises private variables.
    pub(super) fn place_globals(&mut self) -> Result<()> {
        let module = self.module;
        for (handle, variable) in module.global_variables.iter() {
            let pointer =
                self.place_global(handle, variable).map_err(|e| e.at(module.global_variables.get_span(handle)))?;
            self.globals.push(pointer);
        }
        Ok(())
    }

    fn place_global(&mut self, handle: Handle<GlobalVariable>, variable: &GlobalVariable) -> Result<Option<Pointer>> {
        let space = match variable.space {
            AddressSpace::Uniform | AddressSpace::Storage { .. } => {
                let Some(at) = &variable.binding else {
                    return Err(LowerError::invalid("a buffer without a binding"));
                };
                let slot = self
                    .program
                    .bindings
                    .iter()
                    .position(|info| (info.resource.group, info.resource.binding) == (at.group, at.binding));
                match slot {
                    Some(slot) => Space::Binding(slot as u32),
                    // A variable without a slot is an error only if the kernel uses the variable.
                    None => return Ok(None),
                }
            }
            AddressSpace::Immediate => Space::Immediate,
            AddressSpace::WorkGroup => Space::Workgroup,
            AddressSpace::Private => {
                let shape = self.types.of(variable.ty)?;
                let init = match variable.init {
                    Some(init) => self.constant(init)?,
                    None => self.zero_of(shape)?,
                };
                let home = self.plans.globals.get(handle.index()).copied().unwrap_or(Home::Memory(Space::Private));
                let mut pointer = self.declare(shape, home, &init)?;
                if self.checked && variable.init.is_none() {
                    let span = self.module.global_variables.get_span(handle);
                    self.must_be_written(&mut pointer, variable.name.as_deref(), span);
                } else if self.checked {
                    pointer.tracking = Some(Tracking::of(variable.name.as_deref()));
                }
                return Ok(Some(pointer));
            }
            AddressSpace::Handle => return Err(LowerError::unsupported("a texture or sampler")),
            _ => return Err(LowerError::unsupported("a variable in this address space")),
        };
        let shape = self.types.of(variable.ty)?;
        let offset = if space == Space::Workgroup { self.place_in_workgroup(shape)? } else { 0 };
        let mut pointer = Pointer::new(Root::Memory(space), offset, shape);
        if self.checked || self.observed {
            let written = |slot: u32| {
                self.program
                    .bindings
                    .get(slot as usize)
                    .is_some_and(|info| info.access == anywarp_backend::Access::Write)
            };
            let races = match space {
                Space::Binding(slot) => written(slot),
                _ => space == Space::Workgroup,
            };
            let tracking = Tracking::of(variable.name.as_deref());
            pointer.tracking = Some(Tracking { races, starts_unwritten: space == Space::Workgroup, ..tracking });
        }
        Ok(Some(pointer))
    }

    fn place_in_workgroup(&mut self, shape: super::shape::Shape) -> Result<u32> {
        let bytes = self.types.size(shape, Rule::Workgroup);
        let end = &mut self.b.function_mut().workgroup_bytes;
        let offset = end.next_multiple_of(WORKGROUP_ALIGNMENT);
        match offset.checked_add(bytes) {
            Some(total) if total <= MAX_WORKGROUP => {
                *end = total;
                Ok(offset)
            }
            _ => Err(LowerError::new(format!("the kernel's workgroup variables have more than {MAX_WORKGROUP} bytes"))),
        }
    }
}
