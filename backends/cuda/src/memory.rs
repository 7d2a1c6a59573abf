//! One allocation, its mapping, and what may be wrong with its contents.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, HostRange, MemoryId, MemoryKind, Ticket, Timings};

use crate::failure::Failure;
use crate::graveyard::Remains;
use crate::queue::Queue;

fn refused(operation: &'static str, message: &str) -> BackendError {
    BackendError::Rejected { operation, message: message.to_owned() }
}

struct Mapping {
    /// What the mapping waits for, or has to tell.
    landing: Option<Arc<Landing>>,
    lent: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    mapping: Option<Mapping>,
    /// The number of the last submission that uses the memory; only of memory that can be mapped.
    last_use: u64,
    /// The work that should have written the memory and did not.
    failure: Option<Arc<Failure>>,
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
    /// Given back: new work must not use it.
    freed: AtomicBool,
    /// Whether `State::failure` is set, to be asked without a lock.
    failed: AtomicBool,
    state: Mutex<State>,
}

// SAFETY: the pointer is only a name; the host reaches the bytes through `HostRange`, whose rules
// `host` keeps.
unsafe impl Send for Memory {}
// SAFETY: as above; all that changes is behind locks and atomics.
unsafe impl Sync for Memory {}

impl Memory {
    /// Wraps an allocation of the queue's device.
    pub(crate) fn new(
        id: MemoryId,
        kind: MemoryKind,
        bytes: u64,
        address: u64,
        host: Option<NonNull<u8>>,
        queue: &Arc<Queue>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            kind,
            bytes,
            address,
            host,
            queue: Arc::clone(queue),
            freed: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn map(self: &Arc<Self>) -> Result<Ticket, BackendError> {
        self.queue.context.alive()?;
        if self.host.is_none() {
            return Err(refused("mapping", "device memory is not visible to the host"));
        }
        let mut state = self.state();
        if let Some(mapping) = &state.mapping {
            let untold = mapping.landing.as_ref().filter(|landing| landing.outcome.get().is_none());
            return Ok(untold.map_or_else(Ticket::ready, |landing| Ticket::new(Arc::clone(landing) as _)));
        }
        let (sequence, queue) = (state.last_use, Arc::clone(&self.queue));
        let pending = !queue.is_over(sequence);
        let landing = (pending || state.failure.is_some()).then(|| Arc::new(Landing::new(queue, sequence, self)));
        let ticket = landing.clone().map_or_else(Ticket::ready, |landing| Ticket::new(landing));
        state.mapping = Some(Mapping { landing, lent: Arc::default() });
        // The queue's lock comes before that of a memory.
        drop(state);
        if pending {
            self.queue.claim(sequence);
        }
        Ok(ticket)
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        self.queue.context.alive()?;
        let state = self.state();
        let (Some(mapping), Some(start)) = (&state.mapping, self.host) else {
            return Err(refused("host access", "the memory is not mapped"));
        };
        if mapping.landing.as_ref().is_some_and(|landing| !landing.is_over()) {
            return Err(refused("host access", "the mapping is still pending"));
        }
        // SAFETY: `self` keeps the bytes. No submitted work uses them any more, new work is refused
        // by `begin_use` while the memory is mapped, and `unmap` refuses while `lent` is set.
        unsafe { HostRange::new(start, self.bytes as usize, Arc::clone(&mapping.lent), Arc::clone(self) as _) }
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

    /// An error if work must not use the memory now.
    pub(crate) fn is_usable(&self, operation: &'static str) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.host.is_some() && self.state().mapping.is_some() {
            return Err(refused(operation, "the memory is mapped"));
        }
        Ok(())
    }

    /// Refuses new work. For device memory: true if this is the first time, and the caller, who
    /// holds the queue's lock, must free it.
    pub(crate) fn retire(&self) -> bool {
        !self.freed.swap(true, Ordering::AcqRel) && self.host.is_none()
    }

    /// Notes that submission `sequence` will use the memory; the caller holds the queue's lock.
    pub(crate) fn begin_use(&self, sequence: u64) -> Result<(), BackendError> {
        if self.freed.load(Ordering::Acquire) {
            return Err(BackendError::UnknownMemory(self.id));
        }
        if self.host.is_some() {
            let mut state = self.state();
            if state.mapping.is_some() {
                return Err(refused("submitting", "a memory of the recording is mapped"));
            }
            state.last_use = sequence;
        }
        Ok(())
    }

    /// Takes back what [`begin_use`](Self::begin_use) noted: submission `sequence` did not come about.
    pub(crate) fn cancel_use(&self, sequence: u64) {
        if self.host.is_some() {
            let mut state = self.state();
            state.last_use = state.last_use.min(sequence.saturating_sub(1));
        }
    }

    /// The work that should have written the memory and did not.
    pub(crate) fn failure(&self) -> Option<Arc<Failure>> {
        if self.failed.load(Ordering::Acquire) { self.state().failure.clone() } else { None }
    }

    /// Marks the contents as spoiled by `failure`, unless they are by an earlier one.
    pub(crate) fn spoil(&self, failure: &Arc<Failure>) {
        let mut state = self.state();
        state.failure.get_or_insert_with(|| Arc::clone(failure));
        self.failed.store(true, Ordering::Release);
    }

    /// The contents are whole again, or their state was told.
    pub(crate) fn heal(&self) -> Option<Arc<Failure>> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        let mut state = self.state();
        self.failed.store(false, Ordering::Release);
        state.failure.take()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Device memory is freed in the order of the stream, when it is given back.
        let Some(start) = self.host else { return };
        let last_use = self.state().last_use;
        self.queue.graveyard.add(last_use, Remains::Pinned(start.as_ptr().cast::<c_void>(), self.bytes as usize));
    }
}

/// A mapping that waits for work, or that has a failure to tell.
struct Landing {
    queue: Arc<Queue>,
    /// The submission that it waits for.
    sequence: u64,
    memory: Weak<Memory>,
    /// Somebody has waited for it; also where the submission did not come about after all.
    arrived: AtomicBool,
    /// Set when somebody has heard it.
    outcome: OnceLock<Result<(), BackendError>>,
}

impl Landing {
    fn new(queue: Arc<Queue>, sequence: u64, memory: &Arc<Memory>) -> Self {
        let (memory, arrived) = (Arc::downgrade(memory), AtomicBool::new(false));
        Self { queue, sequence, memory, arrived, outcome: OnceLock::new() }
    }

    fn is_over(&self) -> bool {
        self.arrived.load(Ordering::Acquire) || self.queue.is_over(self.sequence)
    }

    /// Notes that somebody has waited, or asked with this answer.
    fn arrives(&self, over: bool) -> bool {
        if over {
            self.arrived.store(true, Ordering::Release);
        }
        over
    }

    /// What the memory has to tell: once for each mapping, the same to everybody.
    fn outcome(&self) -> Result<(), BackendError> {
        let healed = || self.memory.upgrade().and_then(|memory| memory.heal());
        let submitted = self.queue.context.submitted();
        self.outcome.get_or_init(|| healed().map_or(Ok(()), |failure| Err(failure.tell(submitted)))).clone()
    }
}

impl Completion for Landing {
    fn done(&self) -> Result<bool, BackendError> {
        if self.arrives(self.queue.poll(self.sequence)?) { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn ended(&self) -> Option<bool> {
        match self.queue.poll(self.sequence) {
            Ok(false) => None,
            Ok(true) => Some(self.memory.upgrade().is_none_or(|memory| memory.failure().is_none())),
            Err(_) => Some(false),
        }
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        if self.arrives(self.queue.wait(self.sequence, timeout)?) { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wake(&self, waker: &Waker) {
        self.queue.wake(self.sequence, waker);
    }

    fn timings(&self) -> Option<Timings> {
        None
    }
}
