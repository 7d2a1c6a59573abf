//! One allocation, its mapping and its uses.
//!
//! | file | what is in it |
//! |---|---|
//! | `memory` | one allocation |
//! | `allocate` | device memory in the order of the streams |
//! | `mapping` | completion of mappings |
//! | `poison` | contents that failed work should have written |
//! | `deferred` | deferred frees |

mod allocate;
pub(crate) mod deferred;
mod mapping;
mod poison;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Access, BackendError, HostRange, MemoryId, MemoryKind, Ticket};

use crate::driver::{DeviceMemory, DeviceSlice, HostSlice, PinnedMemory};
use crate::streams::state::{Point, Points, STREAMS};
use crate::streams::uses::{Span, Use, Uses};
use crate::submit::queue::Queue;
use deferred::Deferred;
use mapping::MapCompletion;
use poison::Poison;

fn refused(operation: &'static str, message: &str) -> BackendError {
    BackendError::Rejected { operation, message: message.to_owned() }
}

struct Mapping {
    /// The wait for work that uses the memory, or a failure to report.
    completion: Option<Arc<MapCompletion>>,
    lent: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    mapping: Option<Mapping>,
    /// The last submissions of each stream that use the memory; only of memory that can be mapped.
    last_uses: Points,
    /// Submissions and the bytes that they use, while several streams have work.
    uses: Uses,
    poison: Option<Poison>,
    /// Device memory, until it is given back.
    device: Option<DeviceMemory>,
}

/// The bytes of an allocation.
pub(crate) enum Backing {
    Device(DeviceMemory),
    Pinned(PinnedMemory),
}

/// An allocation, and its uses so far.
pub(crate) struct Reserved {
    pub(crate) backing: Backing,
    /// The submission of the first stream that comes after its first zeros.
    pub(crate) last: u64,
    /// The writing of those zeros, if that was in a period of several streams.
    pub(crate) uses: Uses,
}

/// Returns whether the host reaches memory of this kind.
pub(crate) fn is_pinned(kind: MemoryKind) -> bool {
    kind != MemoryKind::Device
}

/// One allocation.
pub(crate) struct Memory {
    pub(crate) id: MemoryId,
    pub(crate) kind: MemoryKind,
    /// Length as allocated.
    pub(crate) bytes: u64,
    /// The bytes as kernels and copies reach them.
    pub(crate) device: DeviceSlice,
    /// The bytes as the host reaches them; `None` for device memory. Taken when dropped.
    pinned: Option<PinnedMemory>,
    queue: Arc<Queue>,
    /// The last submission of the first stream that uses the memory, or is behind its first zeros.
    last: AtomicU64,
    /// Given back: new work must not use it.
    freed: AtomicBool,
    /// Whether `State::poison` is set, to be read without a lock.
    failed: AtomicBool,
    state: Mutex<State>,
}

impl Memory {
    /// Wraps an allocation of the queue's device.
    pub(crate) fn new(id: MemoryId, kind: MemoryKind, reserved: Reserved, queue: &Arc<Queue>) -> Arc<Self> {
        let Reserved { backing, last, uses } = reserved;
        let (slice, device, pinned) = match backing {
            Backing::Device(device) => (device.whole(), Some(device), None),
            Backing::Pinned(pinned) => (pinned.device(), None, Some(pinned)),
        };
        Arc::new(Self {
            id,
            kind,
            bytes: slice.bytes(),
            device: slice,
            pinned,
            queue: Arc::clone(queue),
            freed: AtomicBool::new(false),
            last: AtomicU64::new(last),
            failed: AtomicBool::new(false),
            state: Mutex::new(State { uses, device, ..State::default() }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes as copies of the host reach them; `None` for device memory.
    pub(crate) fn host_bytes(&self) -> Option<HostSlice> {
        self.pinned.as_ref().map(PinnedMemory::host)
    }

    pub(crate) fn map(self: &Arc<Self>) -> Result<Ticket, BackendError> {
        self.queue.context.alive()?;
        if self.pinned.is_none() {
            return Err(refused("mapping", "device memory is not visible to the host"));
        }
        let mut state = self.state();
        if let Some(mapping) = &state.mapping {
            let unreported = mapping.completion.as_ref().filter(|completion| !completion.is_reported());
            return Ok(unreported.map_or_else(Ticket::ready, |completion| Ticket::new(Arc::clone(completion) as _)));
        }
        let (mut points, queue) = (state.last_uses.clone(), Arc::clone(&self.queue));
        points.retain(|point| !queue.is_over(*point));
        let pending = !points.is_empty();
        let completion = || Arc::new(MapCompletion::new(queue, points.clone(), self));
        let completion = (pending || state.poison.is_some()).then(completion);
        let ticket = completion.clone().map_or_else(Ticket::ready, |completion| Ticket::new(completion));
        state.mapping = Some(Mapping { completion, lent: Arc::default() });
        // The queue's lock comes before that of a memory.
        drop(state);
        if pending {
            self.queue.claim(&points);
        }
        Ok(ticket)
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        self.queue.context.alive()?;
        let state = self.state();
        let Some(mapping) = &state.mapping else {
            return Err(refused("host access", "the memory is not mapped"));
        };
        if mapping.completion.as_ref().is_some_and(|completion| !completion.is_over()) {
            return Err(refused("host access", "the mapping is still pending"));
        }
        // No submitted work uses the bytes any more, new work is refused by `begin_use` while the memory is mapped,
        // and `unmap` refuses while `lent` is set.
        PinnedMemory::lend(self, |memory| memory.pinned.as_ref(), &mapping.lent)
            .ok_or_else(|| refused("host access", "the bytes are in use by the host already"))
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        let mut state = self.state();
        if state.mapping.as_ref().is_some_and(|mapping| mapping.lent.load(Ordering::Acquire)) {
            return Err(refused("unmapping", "the bytes are in use by the host"));
        }
        state.mapping = None;
        Ok(())
    }

    /// Returns an error if work must not use the memory now.
    pub(crate) fn is_usable(&self, operation: &'static str) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.pinned.is_some() && self.state().mapping.is_some() {
            return Err(refused(operation, "the memory is mapped"));
        }
        Ok(())
    }

    /// Refuses new work. The first time it returns the device memory, if it is that, for the caller to free, who
    /// holds the queue's lock.
    pub(crate) fn retire(&self) -> Option<DeviceMemory> {
        if self.freed.swap(true, Ordering::AcqRel) { None } else { self.state().device.take() }
    }

    /// Notes that a submission will use the memory; the caller holds the queue's lock.
    pub(crate) fn begin_use(&self, point: Point) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.pinned.is_some() {
            let mut state = self.state();
            if state.mapping.is_some() {
                return Err(refused("submitting", "a memory of the recording is mapped"));
            }
            match state.last_uses.iter_mut().find(|last| last.stream == point.stream) {
                Some(last) => last.sequence = point.sequence,
                None => {
                    state.last_uses.retain(|last| !self.queue.is_over(*last));
                    state.last_uses.push(point);
                }
            }
        }
        if point.stream == 0 {
            // Read under the same lock.
            self.last.store(point.sequence, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Undoes [`begin_use`](Self::begin_use) for a submission that was refused.
    pub(crate) fn cancel_use(&self, point: Point) {
        if self.pinned.is_some() {
            let mut state = self.state();
            if let Some(last) = state.last_uses.iter_mut().find(|last| last.stream == point.stream) {
                last.sequence = last.sequence.min(point.sequence.saturating_sub(1));
            }
        }
    }

    /// Raises `needed` to the submissions that an access of `stream` must come after; the caller holds
    /// the queue's lock.
    pub(crate) fn conflicts(
        &self,
        period: u64,
        stream: usize,
        access: Access,
        span: Span,
        needed: &mut [u64; STREAMS],
    ) {
        let mut state = self.state();
        state.uses.enter(period, self.last.load(Ordering::Relaxed));
        state.uses.conflicts(stream, access, span, needed);
    }

    /// Notes a use that comes after all that it conflicts with; the caller holds the queue's lock.
    pub(crate) fn note(&self, period: u64, new: Use, is_over: impl Fn(Point) -> bool) {
        let mut state = self.state();
        state.uses.enter(period, self.last.load(Ordering::Relaxed));
        state.uses.note(new, is_over);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Device memory is freed in the order of the stream, when it is given back.
        let Some(pinned) = self.pinned.take() else { return };
        let last_use = self.state().last_uses.iter().map(|point| point.sequence).max().unwrap_or(0);
        self.queue.deferred.add(last_use, Deferred::Pinned(pinned));
    }
}
