//! The end of a launch: the last checks, then the command.

use std::any::Any;
use std::sync::Arc;

use anywarp_backend::{Access, BackendError, BindingClass, Bound, Grid, Region};
use smallvec::SmallVec;

use super::bind::BoundBuffer;
use super::checks::{Partial, Placed, Runs, check_binding, check_pairs};
use super::handle::Kernel;
use super::launch::Launch;
use super::variants::Seen;
use crate::buffer::Slice;
use crate::buffer::span::byte_range;
use crate::error::LaunchError;
use crate::submit::{Refusal, Submission, Usage, Usages};

/// The logical grid, which the kernel sees. It can differ from the physical grid, which the device runs.
#[derive(Clone, Copy)]
pub(super) enum Logical<'a> {
    /// The logical grid equals the physical grid.
    Same,
    /// A grid above the device's limit on workgroups, which the device runs as a folded grid.
    Folded([u32; 3]),
    /// A grid that the host does not know, in device memory: three words, and one word of padding.
    OnDevice(&'a Slice<'a, u32>),
}

impl Launch<'_> {
    /// Checks all arguments, then appends the command to the destination.
    pub(super) fn commit(
        &mut self,
        grid: Grid,
        logical: Logical<'_>,
        indirect: Option<&Slice<'_, u32>>,
    ) -> Result<Submission, LaunchError> {
        self.check_missing()?;
        let Self { kernel, bound, values, destination, timed, partial, .. } = self;
        let (kernel, inner, device) = (&*kernel, &kernel.inner, &kernel.device);
        let program = &inner.plain.program;
        let placed = place(kernel, bound, Runs::Something, *partial)?;
        if let (Some(slice), Grid::Indirect { offset, .. }) = (indirect, grid) {
            check_indirect(kernel, slice, offset, &placed)?;
        }
        let base = match logical {
            Logical::Same => &inner.plain,
            Logical::Folded(_) | Logical::OnDevice(_) => inner.folded(device.caps())?,
        };
        let seen = || {
            let mut by_slot = placed.iter();
            let bytes = |at: &Placed<'_>| at.bytes.end - at.bytes.start;
            let bytes =
                bound.iter().map(|bound| bound.as_ref().and_then(|_| by_slot.next()).map_or(0, bytes)).collect();
            let groups = if let Grid::Groups(groups) = grid { Some(groups) } else { None };
            let logical = if let Logical::Folded(logical) = logical { Some(logical) } else { None };
            Seen { groups, logical, bytes, values }
        };
        let compiled = match logical {
            // Variants are compiled for known grids only.
            Logical::OnDevice(_) => Arc::clone(base),
            _ => inner.for_launch(base, seen, device.caps()),
        };
        let failed = |error| device_error(kernel, error);
        let printed = compiled.sites.as_ref().map(|_| inner.shared.debug.region()).transpose().map_err(failed)?;

        // For the folded variant, the logical grid is appended to the values of the kernel's own uniforms.
        let own = inner.values.immediate.start;
        let (values, immediates) = values.split_at(own as usize);
        let with_grid: SmallVec<[u8; 128]>;
        let values = match logical {
            Logical::Same | Logical::OnDevice(_) => values,
            Logical::Folded([x, y, z]) => {
                with_grid = values.iter().chain(bytemuck::bytes_of(&[x, y, z, 0])).copied().collect();
                &with_grid
            }
        };
        let mut by_slot = placed.iter();
        let own_bounds = bound.iter().enumerate().filter_map(|(slot, buffer)| match buffer {
            Some(_) => by_slot.next().map(|at| Bound::Memory {
                region: Region { memory: at.core.memory, offset: at.bytes.start, bytes: at.bytes.end - at.bytes.start },
                access: at.access,
            }),
            None => inner.values.uniform(slot).map(Bound::Inline),
        });
        // The debug memory and the logical grid follow the kernel's own bindings in the order in which the passes added
        // them.
        let bounds = own_bounds.chain(printed.map(|region| Bound::Memory { region, access: Access::Write })).chain(
            match logical {
                Logical::Same => None,
                Logical::Folded(_) => Some(Bound::Inline(own..own + 16)),
                Logical::OnDevice(grid) => Some(Bound::Memory { region: region_of(grid), access: Access::Read }),
            },
        );

        let mut usages: Usages<'_, _> = placed
            .iter()
            .map(|at| match at.access {
                Access::Write => Usage::write(at.core, at.bytes.clone()),
                Access::Read => Usage::read(at.core),
            })
            .collect();
        usages.extend(indirect.map(|slice| Usage::read(slice.core)));
        let refused = |refusal| refused(kernel, &placed, refusal);
        let id = compiled.id;
        let kept: Arc<dyn Any + Send + Sync> = compiled;
        let mut encoder = std::mem::take(destination).encoder(device).map_err(refused)?;
        if *timed {
            encoder.timed().map_err(failed)?;
        }
        encoder
            .command(&usages, Some(&kept), |commands| {
                commands.dispatch(id, &program.name, grid, bounds, values, immediates);
            })
            .map_err(refused)?;
        encoder.launched(*timed).map_err(failed)
    }

    /// The launch of an empty grid: checked as any other, except that the arguments may be empty, too. No command is
    /// recorded.
    pub(super) fn commit_nothing(&mut self) -> Result<Submission, LaunchError> {
        self.check_missing()?;
        let Self { kernel, bound, destination, partial, .. } = self;
        let placed = place(kernel, bound, Runs::Nothing, *partial)?;
        let nothing = destination.nothing(&kernel.device);
        nothing.map_err(|refusal| refused(kernel, &placed, refusal))
    }

    /// Returns an error if a binding has no buffer, or a field no value.
    fn check_missing(&mut self) -> Result<(), LaunchError> {
        let program = &self.kernel.inner.plain.program;
        let unbound = program
            .bindings
            .iter()
            .zip(&self.bound)
            .filter(|(info, buffer)| buffer.is_none() && info.class != BindingClass::Uniform)
            .map(|(info, _)| format!("{}: {}", info.name, info.layout.name));
        let mut missing: Vec<String> = unbound.collect();
        let bound = &self.bound;
        missing.extend(self.kernel.inner.values.missing(&mut self.covered, |slot| bound[slot].is_some()));
        if missing.is_empty() { Ok(()) } else { Err(LaunchError::Missing { kernel: self.name(), missing }) }
    }
}

/// Checks each binding that has a buffer, then all pairs of bindings.
fn place<'a>(
    kernel: &'a Kernel,
    bound: &[Option<BoundBuffer<'a>>],
    runs: Runs,
    partial: Partial,
) -> Result<SmallVec<[Placed<'a>; 8]>, LaunchError> {
    let mut placed: SmallVec<[Placed<'_>; 8]> = SmallVec::new();
    for (slot, (info, buffer)) in kernel.inner.plain.program.bindings.iter().zip(bound).enumerate() {
        let Some(buffer) = buffer else { continue };
        let bytes = check_binding(kernel, slot, info, buffer, runs, partial)?;
        let (class, access) = (info.class, info.access);
        placed.push(Placed { name: &info.name, core: buffer.core, bytes, class, access });
    }
    check_pairs(kernel.name(), kernel.device.caps(), &placed)?;
    Ok(placed)
}

/// The bytes of a slice, which must be within its buffer.
fn region_of(slice: &Slice<'_, u32>) -> Region {
    let bytes = slice.range.get().map_or(0..0, |range| byte_range::<u32>(&range));
    slice.core.region(&bytes)
}

/// Refuses an indirect grid in a buffer that the kernel writes.
fn check_indirect(
    kernel: &Kernel,
    slice: &Slice<'_, u32>,
    offset: u64,
    placed: &[Placed<'_>],
) -> Result<(), LaunchError> {
    let shared = placed.iter().find(|at| Arc::ptr_eq(at.core, slice.core) && at.class == BindingClass::Storage);
    match shared {
        Some(at) if !kernel.device.caps().aliased_bindings || at.access == Access::Write => {
            Err(LaunchError::Conflict {
                kernel: kernel.name().to_owned(),
                first: at.name.to_owned(),
                second: format!("the indirect grid at byte {offset}"),
                problem: "are in one buffer, which the kernel declares `read_write`; keep the grid in a separate buffer",
            })
        }
        _ => Ok(()),
    }
}

fn device_error(kernel: &Kernel, error: BackendError) -> LaunchError {
    LaunchError::Device { kernel: kernel.name().to_owned(), device: kernel.device.caps().name.clone(), error }
}

/// The error for a command that was not recorded, in terms of the kernel's bindings.
fn refused(kernel: &Kernel, placed: &[Placed<'_>], refusal: Refusal) -> LaunchError {
    match refusal {
        Refusal::InUse { index, guard } => {
            let binding = placed.get(index).map_or("indirect grid", |at| at.name);
            LaunchError::InUse { kernel: kernel.name().to_owned(), binding: binding.to_owned(), guard }
        }
        Refusal::OtherDevice { what, theirs } => LaunchError::OtherDevice {
            kernel: kernel.name().to_owned(),
            what: format!("the {what}"),
            ours: kernel.device.selector.clone(),
            theirs,
        },
        Refusal::Device(error) => device_error(kernel, error),
    }
}
