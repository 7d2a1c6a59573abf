//! One allocation, its mapping and its uses.
//!
//! | file | content |
//! |---|---|
//! | `memory` | one allocation |
//! | `allocate` | device memory in stream order |
//! | `mapping` | completion of mappings |
//! | `deferred` | deferred frees |

mod allocate;
pub(crate) mod deferred;
mod mapping;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Access, BackendError, HostRange, MemoryId, MemoryKind, Ticket};
use anywarp_host::Poison;
use anywarp_host::mapping::{Mapping, is_visible};

use crate::driver::{DeviceMemory, DeviceSlice, HostSlice, PinnedMemory};
use crate::streams::state::{Point, Points, STREAMS};
use crate::streams::uses::{Span, Use, Uses};
use crate::submit::queue::Queue;
use deferred::Deferred;
use mapping::MapCompletion;

fn refused(operation: &'static str, message: &str) -> BackendError {
    BackendError::Rejected { operation, message: message.to_owned() }
}

#[derive(Default)]
struct State {
    /// The mapping, which waits for work that uses the memory, or has a failure to report.
    mapping: Mapping<Arc<MapCompletion>>,
    /// The last submission of each stream that uses the memory; only for memory that can be mapped.
    last_uses: Points,
    /// The submissions with the bytes that they use, recorded while several streams have work.
    uses: Uses,
    /// The device memory, until it is freed.
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
    /// In the first stream, the number of the submission by whose end the memory is zeroed: the zeroing itself or, if
    /// that has no number, the next submission. 0 if `uses` contains the zeroing, or if the memory is pinned.
    pub(crate) last: u64,
    /// The use by the initial zeroing, if several streams had work at that time.
    pub(crate) uses: Uses,
}

/// Returns whether the host can access memory of this kind.
pub(crate) fn is_pinned(kind: MemoryKind) -> bool {
    kind != MemoryKind::Device
}

/// Returns whether host and kernels access memory of this kind at the same time.
fn is_words(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Exchange | MemoryKind::Inbox)
}

/// One allocation: its memory on the device or the host, its mapping, and its uses.
pub(crate) struct Memory {
    pub(crate) id: MemoryId,
    pub(crate) kind: MemoryKind,
    /// The size as allocated, in bytes.
    pub(crate) bytes: u64,
    /// The bytes on the device.
    pub(crate) device: DeviceSlice,
    /// The bytes on the host; `None` for device memory. The drop takes the value.
    pinned: Option<PinnedMemory>,
    queue: Arc<Queue>,
    /// The number of the last submission of the first stream that uses the memory; at first that of [`Reserved::last`].
    last: AtomicU64,
    /// Whether the memory was freed: new work must not use it.
    freed: AtomicBool,
    pub(crate) poison: Poison,
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
            poison: Poison::default(),
            state: Mutex::new(State { uses, device, ..State::default() }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes on the host, for copies; `None` for device memory.
    pub(crate) fn host_bytes(&self) -> Option<HostSlice> {
        self.pinned.as_ref().map(PinnedMemory::host)
    }

    pub(crate) fn map(self: &Arc<Self>) -> Result<Ticket, BackendError> {
        self.queue.context.alive()?;
        is_visible(self.kind)?;
        if is_words(self.kind) {
            return Ok(Ticket::ready());
        }
        let mut state = self.state();
        if state.mapping.is_mapped() {
            let unreported = state.mapping.waits_for().filter(|completion| !completion.is_reported());
            return Ok(unreported.map_or_else(Ticket::ready, |completion| Ticket::new(Arc::clone(completion) as _)));
        }
        let (mut points, queue) = (state.last_uses.clone(), Arc::clone(&self.queue));
        points.retain(|point| !queue.is_over(*point));
        let pending = !points.is_empty();
        let completion = || Arc::new(MapCompletion::new(queue, points.clone(), self));
        let completion = (pending || self.poison.is_set()).then(completion);
        let ticket = completion.clone().map_or_else(Ticket::ready, |completion| Ticket::new(completion));
        state.mapping.open(completion);
        // Lock order: the queue's lock is taken before that of a memory, so the memory's lock is released here.
        drop(state);
        if pending {
            self.queue.claim(&points);
        }
        Ok(ticket)
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        self.queue.context.alive()?;
        if is_words(self.kind) {
            return PinnedMemory::words(self, |memory| memory.pinned.as_ref());
        }
        // After all submissions that the mapping waits for have ended, no submitted work uses the bytes. `begin_use`
        // refuses new work while the memory is mapped.
        let is_over = |completion: &Arc<MapCompletion>| completion.is_over();
        PinnedMemory::lend(self, |memory| memory.pinned.as_ref(), &self.state().mapping, is_over)
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        self.state().mapping.close()
    }

    /// Returns whether the memory is mapped, or the mapping is pending.
    pub(crate) fn is_mapped(&self) -> bool {
        self.pinned.is_some() && self.state().mapping.is_mapped()
    }

    /// Returns an error if work must not use the memory now.
    pub(crate) fn is_usable(&self, operation: &'static str) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.pinned.is_some() && self.state().mapping.is_mapped() {
            return Err(refused(operation, "the host has mapped the memory; end the mapping first"));
        }
        Ok(())
    }

    /// Refuses new work from here on. The first call returns the device memory, if there is any, and the caller must
    /// free it. The caller holds the queue's lock.
    pub(crate) fn retire(&self) -> Option<DeviceMemory> {
        if self.freed.swap(true, Ordering::AcqRel) { None } else { self.state().device.take() }
    }

    /// Records that a submission will use the memory; the caller holds the queue's lock.
    pub(crate) fn begin_use(&self, point: Point) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.pinned.is_some() {
            let mut state = self.state();
            if state.mapping.is_mapped() {
                return Err(refused(
                    "submitting",
                    "the host has mapped a memory that the recording uses; end the mapping first",
                ));
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
            // `last` is read under the queue's lock, which the caller holds.
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

    /// Raises `needed` to the submissions that an access by `stream` must come after; the caller holds the queue's
    /// lock.
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

    /// Records a use that comes after all uses that it conflicts with; the caller holds the queue's lock.
    pub(crate) fn note(&self, period: u64, new: Use, is_over: impl Fn(Point) -> bool) {
        let mut state = self.state();
        state.uses.enter(period, self.last.load(Ordering::Relaxed));
        state.uses.note(new, is_over);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Device memory was already freed in stream order.
        let Some(pinned) = self.pinned.take() else { return };
        let last_use = self.state().last_uses.iter().map(|point| point.sequence).max().unwrap_or(0);
        self.queue.deferred.add(last_use, Deferred::Pinned(pinned));
    }
}
