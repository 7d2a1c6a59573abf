//! Plans: recordings that are checked and resolved, with addresses and machine code in place of ids.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{
    Access, BackendError, BindingClass, Bound, Caps, Command, Dispatch, Grid, KernelId, Library, MemoryId, Recording,
    Region,
};
use anywarp_host::validity::{self, MemoryState};
use anywarp_host::{Binding, Signature};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::driver::{Arguments, DeviceSlice};
use crate::kernel::{Kernel, bit};
use crate::memory::Memory;
use crate::record::grid;
use crate::record::step::{Launch, Place, Step, Touch};
use crate::streams::uses::Span;
use crate::translate::{Form, Parameter};

pub(crate) type Memories = FxHashMap<MemoryId, Arc<Memory>>;
pub(crate) type Kernels = FxHashMap<KernelId, Arc<Kernel>>;

/// The alignment in bytes of each uniform in [`Plan::stored`].
const ALIGNMENT: usize = 16;

/// The memories and kernels that recordings are resolved against.
pub(crate) struct Known<'a> {
    pub(crate) memories: &'a Memories,
    pub(crate) kernels: &'a Kernels,
    pub(crate) caps: &'a Caps,
    pub(crate) multiprocessors: u32,
}

impl validity::Resources for Known<'_> {
    fn memory(&self, id: MemoryId) -> Option<MemoryState> {
        let memory = self.memories.get(&id)?;
        Some(MemoryState { bytes: memory.bytes, kind: memory.kind, mapped: memory.is_mapped() })
    }

    fn kernel(&self, id: KernelId) -> Option<&Signature> {
        self.kernels.get(&id).map(|kernel| &kernel.signature)
    }
}

/// The reason why a plan cannot be built.
pub(crate) enum PlanError {
    /// The recording is invalid.
    Error(BackendError),
    /// A kernel lacks the form that a dispatch needs; the plan can be built once that form is compiled.
    Missing(Arc<Kernel>, Form),
}

impl From<BackendError> for PlanError {
    fn from(error: BackendError) -> Self {
        Self::Error(error)
    }
}

/// Resolved commands. Plans are reused after a submission, so that a launch allocates nothing.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) memories: Vec<Arc<Memory>>,
    pub(crate) touches: Vec<Touch>,
    /// The arguments of all launches.
    pub(crate) arguments: Arguments,
    /// The bytes of uniforms that dispatches pass as values but kernels expect in memory.
    pub(crate) stored: Vec<u8>,
    /// The positions in `arguments` of the addresses of these uniforms, with their offsets in `stored`.
    placed: Vec<(usize, usize)>,
    /// The positions in `arguments` of the status record's address.
    status: Vec<usize>,
    pub(crate) timed: bool,
    /// The total size of all copies in bytes.
    pub(crate) copied: u64,
}

/// The resolved binding of one dispatch.
struct Resolved {
    /// The device address of the bound region of memory; 0 if a value is bound.
    address: u64,
    /// The number of elements of the binding's runtime-sized array.
    count: u32,
    value: Option<Range<u32>>,
}

fn wrong<T, E: From<BackendError>>(message: String) -> Result<T, E> {
    Err(E::from(BackendError::Rejected { operation: "submitting", message }))
}

impl Plan {
    /// Builds the plan of a recording.
    ///
    /// # Errors
    /// Those of [`validity::check`], and arguments that a kernel cannot take; the plan must then be
    /// [cleared](Self::clear).
    pub(crate) fn make(&mut self, known: &Known<'_>, recording: &Recording) -> Result<(), PlanError> {
        validity::check(recording, known.caps, known)?;
        self.timed = recording.timed;
        for command in recording.commands() {
            let step = match command {
                Command::Copy { source, target } => self.copy(known, *source, *target)?,
                Command::Fill { target, pattern } => {
                    Step::Fill { target: self.place(known, *target)?, pattern: *pattern }
                }
                Command::Dispatch(dispatch) => self.dispatch(known, recording, dispatch)?,
                Command::Library(call) => self.library(known, call)?,
            };
            self.steps.push(step);
        }
        Ok(())
    }

    /// Adds a memory that foreign work uses: work that other CUDA code enqueued.
    pub(crate) fn touch(&mut self, memory: Arc<Memory>, access: Access) {
        self.touches.push(Touch { memory: self.memories.len(), access, span: Span::WHOLE });
        self.memories.push(memory);
    }

    /// Adds a step for foreign work, with all accesses added so far.
    pub(crate) fn end_foreign(&mut self) {
        self.steps.push(Step::Foreign { touches: 0..self.touches.len() });
    }

    /// Removes the whole content, and keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.timed = false;
        self.copied = 0;
        self.steps.clear();
        self.memories.clear();
        self.touches.clear();
        self.arguments.clear();
        self.stored.clear();
        self.placed.clear();
        self.status.clear();
    }

    /// Returns whether any launch takes a status record.
    pub(crate) fn is_limited(&self) -> bool {
        !self.status.is_empty()
    }

    /// Returns the names of the launched kernels.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &Arc<str>> {
        self.steps.iter().filter_map(|step| if let Step::Launch(launch) = step { Some(&launch.label) } else { None })
    }

    /// Writes the address of the status record to the arguments.
    pub(crate) fn set_status(&mut self, address: u64) {
        for at in &self.status {
            self.arguments.set_address(*at, address);
        }
    }

    /// Writes the addresses of the stored values, which begin at `address`, to the arguments.
    pub(crate) fn set_stored(&mut self, address: u64) {
        for (at, offset) in &self.placed {
            self.arguments.set_address(*at, address + *offset as u64);
        }
    }

    /// Returns the device address of a place, for kernels.
    pub(crate) fn address(&self, place: Place) -> u64 {
        self.memories[place.memory].device.address() + place.offset
    }

    /// Returns a place as a range of device memory, for copies and routines.
    pub(crate) fn slice(&self, place: Place) -> DeviceSlice {
        self.memories[place.memory].device.part(place.offset, place.bytes)
    }

    fn copy(&mut self, known: &Known<'_>, source: Region, target: Region) -> Result<Step, PlanError> {
        let step = Step::Copy { source: self.place(known, source)?, target: self.place(known, target)? };
        self.copied = self.copied.saturating_add(source.bytes);
        Ok(step)
    }

    /// Adds the memory of a checked region to the plan's memories, unless a recent place is in the same memory.
    fn place(&mut self, known: &Known<'_>, region: Region) -> Result<Place, BackendError> {
        // Most of a kernel's buffers are also buffers of the kernel before.
        const LOOK_BACK: usize = 8;
        let memory = known.memories.get(&region.memory).ok_or(BackendError::UnknownMemory(region.memory))?;
        let recent = self.memories.len().saturating_sub(LOOK_BACK);
        let index = self.memories[recent..].iter().position(|other| Arc::ptr_eq(other, memory));
        let index = index.map_or_else(
            || {
                self.memories.push(Arc::clone(memory));
                self.memories.len() - 1
            },
            |index| recent + index,
        );
        Ok(Place { memory: index, offset: region.offset, bytes: region.bytes })
    }

    fn library(&mut self, known: &Known<'_>, call: &Library) -> Result<Step, PlanError> {
        let Library::MatrixProduct { a, b, c, .. } = *call else {
            return Err(BackendError::no_routine(call).into());
        };
        let places = [self.place(known, a)?, self.place(known, b)?, self.place(known, c)?];
        let first = self.touches.len();
        for (place, access) in places.iter().zip([Access::Read, Access::Read, Access::Write]) {
            self.touches.push(place.touch(access));
        }
        Ok(Step::Library { call: *call, places, touches: first..self.touches.len() })
    }

    fn dispatch(&mut self, known: &Known<'_>, recording: &Recording, dispatch: &Dispatch) -> Result<Step, PlanError> {
        let kernel = known.kernels.get(&dispatch.kernel).ok_or(BackendError::UnknownKernel(dispatch.kernel))?;
        let (label, bounds) = (&dispatch.label, recording.bounds(&dispatch.bounds));
        let immediates = recording.bytes(&dispatch.immediates);
        let mut form = kernel.usual;
        let first_touch = self.touches.len();
        let mut resolved: SmallVec<[Resolved; 8]> = SmallVec::new();
        for (index, (binding, bound)) in kernel.signature.bindings.iter().zip(bounds).enumerate() {
            resolved.push(self.resolve(known, binding, bound)?);
            if binding.class == BindingClass::Uniform && matches!(bound, Bound::Memory { .. }) {
                let Some(bit) = bit(index) else {
                    let name = &binding.name;
                    return wrong(format!(
                        "{label}: '{name}' is binding {index}: a uniform above binding 63 must be passed as a value, \
                         but got a region of memory"
                    ));
                };
                form.addressed |= bit;
            }
        }
        let (groups, counted) = match dispatch.grid {
            Grid::Groups(groups) => (Some(groups), 0),
            Grid::Indirect { memory, offset } => {
                let place = self.place(known, Region { memory, offset, bytes: 12 })?;
                self.touches.push(place.touch(Access::Read));
                (None, self.address(place))
            }
        };
        form.looped = groups.is_none_or(|groups| !grid::is_direct(groups));
        let loaded = kernel.form(form).ok_or_else(|| PlanError::Missing(Arc::clone(kernel), form))?;
        let blocks = match groups {
            Some(groups) if grid::is_empty(groups) || !form.looped => groups,
            groups => {
                [grid::turns(groups, known.multiprocessors, loaded.resources.workgroups_per_multiprocessor), 1, 1]
            }
        };
        let first = self.arguments.count();
        for parameter in &loaded.parameters {
            match *parameter {
                Parameter::Address { binding } => match resolved.get(binding) {
                    Some(Resolved { value: Some(value), .. }) => {
                        let at = self.arguments.push(&[0; 8], 8);
                        self.placed.push((at, self.stored.len()));
                        self.stored.extend_from_slice(recording.bytes(value));
                        self.stored.resize(self.stored.len().next_multiple_of(ALIGNMENT), 0);
                    }
                    Some(bound) => _ = self.arguments.push(&bound.address.to_le_bytes(), 8),
                    None => return wrong(format!("{label} has no binding {binding}")),
                },
                Parameter::Count { binding } => {
                    let count = resolved.get(binding).map_or(0, |bound| bound.count);
                    self.arguments.push(&count.to_le_bytes(), 4);
                }
                Parameter::Value { binding, bytes } => {
                    let Some(value) = resolved.get(binding).and_then(|bound| bound.value.as_ref()) else {
                        return wrong(format!("{label}: binding {binding}: expected a value, got a region of memory"));
                    };
                    self.arguments.push(recording.bytes(value), bytes as usize);
                }
                Parameter::Immediate { bytes } => _ = self.arguments.push(immediates, bytes as usize),
                Parameter::Groups => {
                    let mut words = [0; 24];
                    for (word, count) in words.chunks_exact_mut(4).zip(groups.unwrap_or_default()) {
                        word.copy_from_slice(&count.to_le_bytes());
                    }
                    words[16..].copy_from_slice(&counted.to_le_bytes());
                    self.arguments.push(&words, 24);
                }
                Parameter::Status => {
                    let mut words = [0; 16];
                    words[8..12].copy_from_slice(&launch_number(self.steps.len()).to_le_bytes());
                    let at = self.arguments.push(&words, 16);
                    self.status.push(at);
                }
            }
        }
        Ok(Step::Launch(Launch {
            kernel: Arc::clone(kernel),
            loaded,
            label: Arc::clone(label),
            blocks,
            arguments: first..self.arguments.count(),
            touches: first_touch..self.touches.len(),
        }))
    }

    fn resolve(&mut self, known: &Known<'_>, binding: &Binding, bound: &Bound) -> Result<Resolved, BackendError> {
        Ok(match bound {
            Bound::Inline(range) => Resolved { address: 0, count: 0, value: Some(range.clone()) },
            Bound::Memory { region, .. } => {
                let place = self.place(known, *region)?;
                // The validity check has shown that the number of elements fits in 32 bits.
                let count = binding.length(region.bytes).unwrap_or(u32::MAX);
                self.touches.push(place.touch(binding.access));
                Resolved { address: self.address(place), count, value: None }
            }
        })
    }
}

/// Returns the non-zero number that identifies the launch of this step in a status record.
pub(crate) fn launch_number(step: usize) -> u32 {
    u32::try_from(step + 1).unwrap_or(u32::MAX)
}
