//! One allocation, its mapping, and what may be wrong with its contents.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, HostRange, MemoryKind, Ticket, Timings};

use crate::bytes::Bytes;
use crate::failure::Failure;
use crate::flight::Flight;

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
    /// Submissions end in their order: when this one is over, all that use the memory are.
    last_use: Option<Arc<Flight>>,
    /// The work that should have written the memory and did not.
    failure: Option<Arc<Failure>>,
}

/// One allocation.
pub(crate) struct Memory {
    pub(crate) kind: MemoryKind,
    pub(crate) bytes: Bytes,
    /// Whether `State::failure` is set, to be asked without a lock.
    failed: AtomicBool,
    state: Mutex<State>,
}

impl Memory {
    /// Zeroed memory; `None` when there is no more.
    pub(crate) fn zeroed(bytes: u64, kind: MemoryKind) -> Option<Arc<Self>> {
        let bytes = Bytes::zeroed(usize::try_from(bytes).ok()?)?;
        Some(Arc::new(Self { kind, bytes, failed: AtomicBool::new(false), state: Mutex::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn map(self: &Arc<Self>) -> Result<Ticket, BackendError> {
        if self.kind == MemoryKind::Device {
            return Err(refused("mapping", "device memory is not visible to the host"));
        }
        let mut state = self.state();
        if let Some(mapping) = &state.mapping {
            let untold = mapping.landing.as_ref().filter(|landing| landing.outcome.get().is_none());
            return Ok(untold.map_or_else(Ticket::ready, |landing| Ticket::new(Arc::clone(landing) as _)));
        }
        let flight = state.last_use.take_if(|flight| flight.is_over()).map_or_else(|| state.last_use.clone(), |_| None);
        let landing = (flight.is_some() || state.failure.is_some())
            .then(|| Arc::new(Landing { flight, memory: Arc::downgrade(self), outcome: OnceLock::new() }));
        let ticket = landing.clone().map_or_else(Ticket::ready, |landing| Ticket::new(landing));
        state.mapping = Some(Mapping { landing, lent: Arc::default() });
        Ok(ticket)
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        let state = self.state();
        let Some(mapping) = &state.mapping else {
            return Err(refused("host access", "the memory is not mapped"));
        };
        if mapping.landing.as_ref().is_some_and(|landing| !landing.is_over()) {
            return Err(refused("host access", "the mapping is still pending"));
        }
        let (start, length) = (self.bytes.start(), self.bytes.len());
        // SAFETY: `self` keeps the bytes. No submitted work uses them any more, new work is refused
        // by `begin_use` while the memory is mapped, and `unmap` refuses while `lent` is set.
        unsafe { HostRange::new(start, length, Arc::clone(&mapping.lent), Arc::clone(self) as _) }
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

    pub(crate) fn is_mapped(&self) -> bool {
        self.state().mapping.is_some()
    }

    /// Notes that `flight` will use the memory. False, and nothing is noted, if it is mapped.
    pub(crate) fn begin_use(&self, flight: &Arc<Flight>) -> bool {
        let mut state = self.state();
        let free = state.mapping.is_none();
        if free {
            state.last_use = Some(Arc::clone(flight));
        }
        free
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

/// A mapping that waits for work, or that has a failure to tell.
struct Landing {
    flight: Option<Arc<Flight>>,
    memory: Weak<Memory>,
    /// Set when somebody has heard it.
    outcome: OnceLock<Result<(), BackendError>>,
}

impl Landing {
    fn is_over(&self) -> bool {
        self.flight.as_ref().is_none_or(|flight| flight.is_over())
    }

    /// What the memory has to tell: once for each mapping, the same to everybody.
    fn outcome(&self) -> Result<(), BackendError> {
        let healed = || self.memory.upgrade().and_then(|memory| memory.heal());
        self.outcome.get_or_init(|| healed().map_or(Ok(()), |failure| Err(failure.tell()))).clone()
    }
}

impl Completion for Landing {
    fn done(&self) -> Result<bool, BackendError> {
        if self.is_over() { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        let over = self.flight.as_ref().is_none_or(|flight| flight.sleep(timeout));
        if over { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wake(&self, waker: &Waker) {
        match &self.flight {
            Some(flight) => flight.wake(waker),
            None => waker.wake_by_ref(),
        }
    }

    fn timings(&self) -> Option<Timings> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared() -> Arc<Memory> {
        Memory::zeroed(100, MemoryKind::Shared).unwrap()
    }

    #[test]
    fn the_host_sees_the_memory_itself() {
        let memory = shared();
        memory.map().unwrap().wait().unwrap();
        let mut host = memory.host().unwrap();
        assert!(host.bytes().len() >= 100 && host.bytes().iter().all(|byte| *byte == 0));
        host.bytes_mut()[99] = 7;
        assert!(memory.unmap().is_err() && memory.host().is_err() && !memory.begin_use(&Arc::default()));
        drop(host);
        memory.unmap().unwrap();
        assert!(memory.begin_use(&Arc::default()));
        // SAFETY: the byte lies within the memory, which nobody else uses.
        assert_eq!(unsafe { memory.bytes.start().add(99).read() }, 7);
    }

    #[test]
    fn a_mapping_waits_for_work_and_tells_its_failure_once() {
        let (memory, flight) = (shared(), Arc::new(Flight::default()));
        assert!(memory.begin_use(&flight));
        let ticket = memory.map().unwrap();
        assert!(!ticket.is_done().unwrap() && memory.host().is_err());
        let error = BackendError::Stopped { kernel: "k".to_owned(), reason: "r".to_owned() };
        let failure = Failure::new(error.clone());
        memory.spoil(&failure);
        flight.finish(crate::execute::Outcome { failure: Some(failure), ..Default::default() });
        assert_eq!(ticket.wait(), Err(error.clone()));
        assert_eq!(ticket.wait(), Err(error));
        assert_eq!(memory.map().unwrap().wait(), Ok(()));
        assert!(memory.failure().is_none() && memory.host().is_ok());
    }

    #[test]
    fn a_range_outlives_its_memory() {
        let memory = shared();
        memory.map().unwrap();
        let mut host = memory.host().unwrap();
        drop(memory);
        host.bytes_mut().fill(1);
        assert_eq!(host.bytes()[0], 1);
    }
}
