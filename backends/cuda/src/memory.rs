//! One allocation, its mapping, and what may be wrong with its contents.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Access, BackendError, HostRange, MemoryId, MemoryKind, Ticket};
use anywarp_host::mapping::{Mapping, is_visible, not_mapped};
use anywarp_host::{Failure, Poison};

use crate::graveyard::Remains;
use crate::landing::Landing;
use crate::lane::{LANES, Point, Points};
use crate::queue::Queue;
use crate::uses::{Span, Use, Uses};

fn refused(operation: &'static str, message: &str) -> BackendError {
    BackendError::Rejected { operation, message: message.to_owned() }
}

#[derive(Default)]
struct State {
    mapping: Mapping<Arc<Landing>>,
    /// The last submissions of each lane that use the memory; only of memory that can be mapped.
    last_uses: Points,
    /// Which submissions use which bytes, while several lanes have work.
    uses: Uses,
}

/// Where an allocation lies.
pub(crate) struct Reserved {
    pub(crate) address: u64,
    pub(crate) host: Option<NonNull<u8>>,
    /// The submission of the first lane that its first zeros are before.
    pub(crate) last: u64,
    /// Those zeros, if they were written in a period of several lanes.
    pub(crate) uses: Uses,
}

/// One allocation.
pub(crate) struct Memory {
    pub(crate) id: MemoryId,
    pub(crate) kind: MemoryKind,
    /// Length as allocated.
    pub(crate) bytes: u64,
    /// For kernels and copies.
    pub(crate) address: u64,
    /// For the host; `None` for device memory.
    pub(crate) host: Option<NonNull<u8>>,
    queue: Arc<Queue>,
    /// The last submission of the first lane that uses the memory, or is behind its first zeros.
    last: AtomicU64,
    /// Given back: new work must not use it.
    freed: AtomicBool,
    /// The work that should have written the memory and did not.
    poison: Poison,
    state: Mutex<State>,
}

// SAFETY: the pointer is only a name; the host reaches the bytes through `HostRange`, whose rules
// `host` keeps.
unsafe impl Send for Memory {}
// SAFETY: as above; all that changes is behind locks and atomics.
unsafe impl Sync for Memory {}

impl Memory {
    /// Wraps an allocation of the queue's device.
    pub(crate) fn new(id: MemoryId, kind: MemoryKind, bytes: u64, reserved: Reserved, queue: &Arc<Queue>) -> Arc<Self> {
        let Reserved { address, host, last, uses } = reserved;
        Arc::new(Self {
            id,
            kind,
            bytes,
            address,
            host,
            queue: Arc::clone(queue),
            freed: AtomicBool::new(false),
            last: AtomicU64::new(last),
            poison: Poison::default(),
            state: Mutex::new(State { uses, ..State::default() }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn map(self: &Arc<Self>) -> Result<Ticket, BackendError> {
        self.queue.context.alive()?;
        is_visible(self.kind)?;
        let mut state = self.state();
        if state.mapping.is_mapped() {
            let untold = state.mapping.waits_for().filter(|landing| !landing.is_told());
            return Ok(untold.map_or_else(Ticket::ready, |landing| Ticket::new(Arc::clone(landing) as _)));
        }
        let (mut points, queue) = (state.last_uses.clone(), Arc::clone(&self.queue));
        points.retain(|point| !queue.is_over(*point));
        let pending = !points.is_empty();
        let landing = || Arc::new(Landing::new(queue, points.clone(), self));
        let landing = (pending || self.poison.is_set()).then(landing);
        let ticket = landing.clone().map_or_else(Ticket::ready, |landing| Ticket::new(landing));
        state.mapping.open(landing);
        // The queue's lock comes before that of a memory.
        drop(state);
        if pending {
            self.queue.claim(&points);
        }
        Ok(ticket)
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        self.queue.context.alive()?;
        let Some(start) = self.host else { return Err(not_mapped()) };
        let bytes = (start, self.bytes as usize);
        // SAFETY: `self` keeps the bytes. No submitted work uses them any more once the mapping's has ended, and new
        // work is refused by `begin_use` while the memory is mapped.
        unsafe { self.state().mapping.host(|landing| landing.is_over(), bytes, Arc::clone(self) as _) }
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        self.state().mapping.close()
    }

    /// Whether the host has the memory, or waits for it.
    pub(crate) fn is_mapped(&self) -> bool {
        self.host.is_some() && self.state().mapping.is_mapped()
    }

    /// An error if work must not use the memory now.
    pub(crate) fn is_usable(&self, operation: &'static str) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.host.is_some() && self.state().mapping.is_mapped() {
            return Err(refused(operation, "the memory is mapped"));
        }
        Ok(())
    }

    /// Refuses new work. For device memory: true if this is the first time, and the caller, who
    /// holds the queue's lock, must free it.
    pub(crate) fn retire(&self) -> bool {
        !self.freed.swap(true, Ordering::AcqRel) && self.host.is_none()
    }

    /// Notes that a submission will use the memory; the caller holds the queue's lock.
    pub(crate) fn begin_use(&self, point: Point) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.host.is_some() {
            let mut state = self.state();
            if state.mapping.is_mapped() {
                return Err(refused("submitting", "a memory of the recording is mapped"));
            }
            match state.last_uses.iter_mut().find(|last| last.lane == point.lane) {
                Some(last) => last.sequence = point.sequence,
                None => {
                    state.last_uses.retain(|last| !self.queue.is_over(*last));
                    state.last_uses.push(point);
                }
            }
        }
        if point.lane == 0 {
            // Read under the same lock.
            self.last.store(point.sequence, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Takes back what [`begin_use`](Self::begin_use) noted: the submission did not come about.
    pub(crate) fn cancel_use(&self, point: Point) {
        if self.host.is_some() {
            let mut state = self.state();
            if let Some(last) = state.last_uses.iter_mut().find(|last| last.lane == point.lane) {
                last.sequence = last.sequence.min(point.sequence.saturating_sub(1));
            }
        }
    }

    /// Raises `needed` to the submissions that an access of `lane` must come after; the caller holds
    /// the queue's lock.
    pub(crate) fn conflicts(&self, period: u64, lane: usize, access: Access, span: Span, needed: &mut [u64; LANES]) {
        let mut state = self.state();
        state.uses.enter(period, self.last.load(Ordering::Relaxed));
        state.uses.conflicts(lane, access, span, needed);
    }

    /// Notes a use that comes after all that it conflicts with; the caller holds the queue's lock.
    pub(crate) fn note(&self, period: u64, new: Use, is_over: impl Fn(Point) -> bool) {
        let mut state = self.state();
        state.uses.enter(period, self.last.load(Ordering::Relaxed));
        state.uses.note(new, is_over);
    }

    /// The work that should have written the memory and did not, for a submission.
    pub(crate) fn failure(&self, sequence: u64) -> Option<Arc<Failure>> {
        self.poison.failure(sequence)
    }

    /// Marks the contents as spoiled by a submission, unless they are by an earlier one.
    pub(crate) fn spoil(&self, failure: &Arc<Failure>, sequence: u64) {
        self.poison.set(failure, sequence);
    }

    /// The contents are whole again since a submission, or their state was told then.
    pub(crate) fn heal(&self, sequence: u64) {
        self.poison.clear(sequence);
    }

    /// What is wrong with the contents, to be told; afterwards nothing is.
    pub(crate) fn take_failure(&self) -> Option<Arc<Failure>> {
        self.poison.take()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Device memory is freed in the order of the stream, when it is given back.
        let Some(start) = self.host else { return };
        let last_use = self.state().last_uses.iter().map(|point| point.sequence).max().unwrap_or(0);
        self.queue.graveyard.add(last_use, Remains::Pinned(start.as_ptr().cast::<c_void>(), self.bytes as usize));
    }
}
