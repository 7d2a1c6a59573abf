//! An allocation, its mapping, and the failure that may have left the contents of the allocation undefined.

pub(crate) mod bytes;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, HostRange, MemoryKind, Ticket, Timings};
use anywarp_host::mapping::{Mapping, is_visible};
use anywarp_host::{Failure, Poison, Report};

use crate::submit::Submission;
use bytes::Bytes;

/// The number of every submission for [`Poison`]. Submissions end in order, so they need no different numbers.
pub(crate) const SUBMISSION: u64 = 0;

#[derive(Default)]
struct State {
    mapping: Mapping<Arc<PendingMapping>>,
    /// The last submission that uses the memory. Submissions end in order, so all others end before this one.
    last_use: Option<Arc<Submission>>,
}

/// An allocation of device memory.
pub(crate) struct Memory {
    pub(crate) kind: MemoryKind,
    pub(crate) bytes: Bytes,
    /// The failure of work that should have written the memory.
    poison: Poison,
    state: Mutex<State>,
}

impl Memory {
    /// Allocates zeroed memory; `None` if the system has not enough memory.
    pub(crate) fn zeroed(bytes: u64, kind: MemoryKind) -> Option<Arc<Self>> {
        let bytes = Bytes::zeroed(usize::try_from(bytes).ok()?)?;
        Some(Arc::new(Self { kind, bytes, poison: Poison::default(), state: Mutex::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn map(self: &Arc<Self>) -> Result<Ticket, BackendError> {
        is_visible(self.kind)?;
        if self.kind == MemoryKind::Exchange {
            return Ok(Ticket::ready());
        }
        let mut state = self.state();
        if state.mapping.is_mapped() {
            let unreported = state.mapping.waits_for().filter(|pending| !pending.report.is_given());
            return Ok(unreported.map_or_else(Ticket::ready, |pending| Ticket::new(Arc::clone(pending) as _)));
        }
        let submission =
            state.last_use.take_if(|submission| submission.is_over()).map_or_else(|| state.last_use.clone(), |_| None);
        let pending = (submission.is_some() || self.poison.is_set())
            .then(|| Arc::new(PendingMapping { submission, memory: Arc::downgrade(self), report: Report::default() }));
        let ticket = pending.clone().map_or_else(Ticket::ready, |pending| Ticket::new(pending));
        state.mapping.open(pending);
        Ok(ticket)
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        let bytes = (self.bytes.start(), self.bytes.len());
        if self.kind == MemoryKind::Exchange {
            // SAFETY: `self` keeps the bytes alive, which are aligned to 64. Only resident kernels use exchange memory,
            // by aligned loads and stores of words.
            return Ok(unsafe { HostRange::of_words(bytes.0, bytes.1 / 4, Arc::clone(self) as _) });
        }
        // SAFETY: `self` keeps the bytes alive. No submitted work uses them after the mapping's work has ended, and
        // `begin_use` refuses new work while the memory is mapped.
        unsafe { self.state().mapping.host(|pending| pending.is_over(), bytes, Arc::clone(self) as _) }
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        self.state().mapping.close()
    }

    pub(crate) fn is_mapped(&self) -> bool {
        self.state().mapping.is_mapped()
    }

    /// Records that `submission` will use the memory. Returns false, and records nothing, if the memory is mapped.
    pub(crate) fn begin_use(&self, submission: &Arc<Submission>) -> bool {
        let mut state = self.state();
        let free = !state.mapping.is_mapped();
        if free {
            state.last_use = Some(Arc::clone(submission));
        }
        free
    }

    /// The failure of work that should have written the memory.
    pub(crate) fn failure(&self) -> Option<Arc<Failure>> {
        self.poison.failure(SUBMISSION)
    }

    /// Marks the contents as undefined because of `failure`, unless they are undefined because of an earlier failure.
    pub(crate) fn poison(&self, failure: &Arc<Failure>) {
        self.poison.set(failure, SUBMISSION);
    }

    /// Marks the contents as defined, because they were replaced or the failure was reported.
    pub(crate) fn clear_poison(&self) {
        self.poison.clear(SUBMISSION);
    }
}

/// A mapping that waits for submitted work, or that has a failure to report.
struct PendingMapping {
    submission: Option<Arc<Submission>>,
    memory: Weak<Memory>,
    report: Report,
}

impl PendingMapping {
    fn is_over(&self) -> bool {
        self.submission.as_ref().is_none_or(|submission| submission.is_over())
    }

    fn outcome(&self) -> Result<(), BackendError> {
        self.report.give(SUBMISSION, || self.memory.upgrade().and_then(|memory| memory.poison.take()))
    }
}

impl Completion for PendingMapping {
    fn done(&self) -> Result<bool, BackendError> {
        if self.is_over() { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        let over = self.submission.as_ref().is_none_or(|submission| submission.sleep(timeout));
        if over { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wake(&self, waker: &Waker) {
        match &self.submission {
            Some(submission) => submission.wake(waker),
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
        // SAFETY: the byte is within the memory, which no other code uses.
        assert_eq!(unsafe { memory.bytes.start().add(99).read() }, 7);
    }

    #[test]
    fn a_mapping_waits_for_work_and_reports_its_failure_once() {
        let (memory, submission) = (shared(), Arc::new(Submission::default()));
        assert!(memory.begin_use(&submission));
        let ticket = memory.map().unwrap();
        assert!(!ticket.is_done().unwrap() && memory.host().is_err());
        let error = BackendError::Stopped { kernel: "k".to_owned(), reason: "r".to_owned() };
        let failure = Failure::new(error.clone());
        memory.poison(&failure);
        submission.finish(crate::execute::Outcome { failure: Some(failure), ..Default::default() });
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
