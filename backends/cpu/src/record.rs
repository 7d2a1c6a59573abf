//! Checks recordings and resolves them: ids are replaced by memory and machine code.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{
    Access, BackendError, Bound, Caps, Command, Dispatch, KernelId, Library, MemoryId, MemoryKind, Recording, Region,
};
use anywarp_host::validity::{self, MemoryState};
use anywarp_host::{Binding, Signature};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::abi::Slot;
use crate::kernel::Kernel;
use crate::library::Call;
use crate::memory::Memory;
use crate::memory::bytes::{ALIGNMENT, Bytes};

pub(crate) type Memories = FxHashMap<MemoryId, Arc<Memory>>;
pub(crate) type Kernels = FxHashMap<KernelId, Arc<Kernel>>;

/// The memories and kernels of the device, to which a recording may refer.
#[derive(Clone, Copy)]
pub(crate) struct Resources<'a> {
    pub(crate) memories: &'a Memories,
    pub(crate) kernels: &'a Kernels,
}

impl validity::Resources for Resources<'_> {
    fn memory(&self, id: MemoryId) -> Option<MemoryState> {
        let memory = self.memories.get(&id)?;
        Some(MemoryState { bytes: memory.bytes.len() as u64, kind: memory.kind, mapped: memory.is_mapped() })
    }

    fn kernel(&self, id: KernelId) -> Option<&Signature> {
        self.kernels.get(&id).map(|kernel| &kernel.signature)
    }
}

/// The approximate time of copying or filling a byte, in nanoseconds.
pub(crate) const BYTE_COST: f64 = 0.1;

/// A range of bytes of a memory, by the index of the memory in [`Resolved::memories`]; it is within bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) memory: usize,
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
}

/// The number of workgroups of a dispatch.
pub(crate) enum Grid {
    Groups([u32; 3]),
    /// The numbers are three words of memory at this place.
    Indirect(Place),
}

/// One command of a recording, with memories and machine code in place of ids.
pub(crate) enum Step {
    Copy {
        source: Place,
        target: Place,
    },
    Fill {
        target: Place,
        pattern: u32,
    },
    Dispatch {
        kernel: usize,
        grid: Grid,
        slots: Range<usize>,
        immediates: usize,
    },
    /// A routine of a library, with its arrays at the slots.
    Library {
        call: Call,
        slots: Range<usize>,
    },
}

/// The access of a dispatch to the memory that is bound to a slot.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) memory: usize,
    pub(crate) access: Access,
}

/// A resolved recording. The queue keeps and reuses these values, so that a launch allocates nothing.
#[derive(Default)]
pub(crate) struct Resolved {
    pub(crate) steps: Vec<Step>,
    pub(crate) memories: Vec<Arc<Memory>>,
    pub(crate) kernels: Vec<Arc<Kernel>>,
    /// The slots of all dispatches and products; their addresses are valid after [`make`](Self::make).
    pub(crate) slots: Vec<Slot>,
    /// By slot: the access to the memory that is bound to it; `None` if a value is bound.
    pub(crate) touches: Vec<Option<Touch>>,
    pub(crate) timed: bool,
    /// The bytes of uniform and immediate values, each aligned to 64 bytes.
    values: Vec<u8>,
    /// The indices of slots to which values are bound, with the offsets of the values in the arena.
    placed: Vec<(usize, usize)>,
    /// The copy of `values` that kernels read, with guards around it.
    arena: Option<Bytes>,
}

// SAFETY: the slots point into `arena` and into `memories`, which move together with the slots; accesses through slots
// are separate unsafe code.
unsafe impl Send for Resolved {}

impl Resolved {
    /// Checks and resolves a recording.
    ///
    /// # Errors
    /// The errors of [`validity::check`], and [`BackendError::OutOfMemory`] for values. After an error, `self` must be
    /// [cleared](Self::clear).
    pub(crate) fn make(
        &mut self,
        caps: &Caps,
        resources: Resources<'_>,
        recording: &Recording,
    ) -> Result<(), BackendError> {
        validity::check(recording, caps, &resources)?;
        self.timed = recording.timed;
        for command in recording.commands() {
            let step = match command {
                Command::Copy { source, target } => {
                    Step::Copy { source: self.place(resources, *source)?, target: self.place(resources, *target)? }
                }
                Command::Fill { target, pattern } => {
                    Step::Fill { target: self.place(resources, *target)?, pattern: *pattern }
                }
                Command::Dispatch(dispatch) => self.dispatch(resources, recording, dispatch)?,
                Command::Library(call) => self.library(resources, call)?,
            };
            self.steps.push(step);
        }
        self.place_values()
    }

    /// Drops the contents, but keeps the capacity of the lists.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.memories.clear();
        self.kernels.clear();
        self.slots.clear();
        self.touches.clear();
        self.values.clear();
        self.placed.clear();
    }

    /// The expected time of the commands on one thread in nanoseconds; infinite if it is not known.
    pub(crate) fn estimate(&self) -> f64 {
        let of = |step: &Step| match step {
            Step::Copy { target, .. } | Step::Fill { target, .. } => target.bytes as f64 * BYTE_COST,
            Step::Dispatch { kernel, grid: Grid::Groups(groups), .. } => {
                let count: f64 = groups.iter().map(|count| f64::from(*count)).product();
                self.kernels[*kernel].cost().map_or(f64::INFINITY, |cost| cost * count)
            }
            Step::Dispatch { grid: Grid::Indirect(_), .. } => f64::INFINITY,
            Step::Library { call, .. } => call.estimate(),
        };
        self.steps.iter().map(of).sum()
    }

    /// The address of a dispatch's immediates.
    pub(crate) fn immediates(&self, offset: usize) -> *const u8 {
        // The arena is at least as long as the values, and `offset` is that of one of them.
        self.arena.as_ref().map_or(std::ptr::null(), |arena| arena.start().as_ptr().wrapping_add(offset))
    }

    /// Returns the place of a region that was checked, and adds its memory to `memories`.
    fn place(&mut self, resources: Resources<'_>, region: Region) -> Result<Place, BackendError> {
        // Most buffers of a dispatch are also buffers of the dispatch before, so only recent memories are searched.
        const LOOK_BACK: usize = 8;
        let memory = resources.memories.get(&region.memory).ok_or(BackendError::UnknownMemory(region.memory))?;
        let recent = self.memories.len().saturating_sub(LOOK_BACK);
        let known = self.memories[recent..].iter().position(|other| Arc::ptr_eq(other, memory));
        let index = known.map_or_else(
            || {
                self.memories.push(Arc::clone(memory));
                self.memories.len() - 1
            },
            |index| recent + index,
        );
        Ok(Place { memory: index, offset: region.offset as usize, bytes: region.bytes as usize })
    }

    fn dispatch(
        &mut self,
        resources: Resources<'_>,
        recording: &Recording,
        dispatch: &Dispatch,
    ) -> Result<Step, BackendError> {
        let kernel = resources.kernels.get(&dispatch.kernel).ok_or(BackendError::UnknownKernel(dispatch.kernel))?;
        let first = self.slots.len();
        for (binding, bound) in kernel.signature.bindings.iter().zip(recording.bounds(&dispatch.bounds)) {
            self.slot(resources, recording, binding, bound)?;
        }
        let immediates = self.value(recording.bytes(&dispatch.immediates));
        let grid = match dispatch.grid {
            anywarp_backend::Grid::Groups(groups) => Grid::Groups(groups),
            anywarp_backend::Grid::Indirect { memory, offset } => {
                Grid::Indirect(self.place(resources, Region { memory, offset, bytes: 12 })?)
            }
        };
        if !self.kernels.last().is_some_and(|last| Arc::ptr_eq(last, kernel)) {
            self.kernels.push(Arc::clone(kernel));
        }
        Ok(Step::Dispatch { kernel: self.kernels.len() - 1, grid, slots: first..self.slots.len(), immediates })
    }

    fn library(&mut self, resources: Resources<'_>, call: &Library) -> Result<Step, BackendError> {
        let first = self.slots.len();
        let mut regions: SmallVec<[(Region, Access); 3]> = SmallVec::new();
        call.visit_regions(|region, access| regions.push((region, access)));
        for (region, access) in regions {
            let place = self.place(resources, region)?;
            let start = self.memories[place.memory].bytes.start().as_ptr().wrapping_add(place.offset);
            self.slots.push(Slot { start, length: u32::MAX });
            self.touches.push(Some(Touch { memory: place.memory, access }));
        }
        Ok(Step::Library { call: Call::new(call)?, slots: first..self.slots.len() })
    }

    fn slot(
        &mut self,
        resources: Resources<'_>,
        recording: &Recording,
        binding: &Binding,
        bound: &Bound,
    ) -> Result<(), BackendError> {
        let (bytes, start, touch) = match bound {
            Bound::Inline(range) => {
                let at = self.value(recording.bytes(range));
                self.placed.push((self.slots.len(), at));
                (range.len() as u64, std::ptr::null_mut(), None)
            }
            Bound::Memory { region, .. } => {
                let place = self.place(resources, *region)?;
                let start = self.memories[place.memory].bytes.start().as_ptr().wrapping_add(place.offset);
                (region.bytes, start, Some(Touch { memory: place.memory, access: binding.access }))
            }
        };
        // The check of the recording has shown that the number of elements fits in 32 bits.
        self.slots.push(Slot { start, length: binding.length(bytes).unwrap_or(u32::MAX) });
        self.touches.push(touch);
        Ok(())
    }

    /// Stores the bytes of a value; returns their offset in the arena.
    fn value(&mut self, bytes: &[u8]) -> usize {
        let at = self.values.len();
        self.values.extend_from_slice(bytes);
        self.values.resize(self.values.len().next_multiple_of(ALIGNMENT), 0);
        at
    }

    /// Copies the values to the arena, and sets the addresses of their slots.
    fn place_values(&mut self) -> Result<(), BackendError> {
        let length = self.values.len();
        if self.arena.as_ref().is_none_or(|arena| arena.len() < length) {
            let requested = (length * 2).max(1024);
            let missing =
                || BackendError::OutOfMemory { requested: requested as u64, kind: MemoryKind::Upload, live: 0 };
            self.arena = Some(Bytes::zeroed(requested).ok_or_else(missing)?);
        }
        let Some(arena) = &self.arena else { return Ok(()) };
        let start = arena.start().as_ptr();
        // SAFETY: the arena is long enough, and only `self` uses it.
        unsafe { std::ptr::copy_nonoverlapping(self.values.as_ptr(), start, length) };
        for (slot, at) in &self.placed {
            self.slots[*slot].start = start.wrapping_add(*at);
        }
        Ok(())
    }
}
