//! The completion of submitted work.

mod queue;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use anywarp_backend::{BackendError, Completion, Findings, Observations, Timings};

use crate::execute::Outcome;
use crate::memory::SUBMISSION;
pub(crate) use queue::Queue;

/// The number of polls before a wait sleeps: a few microseconds, about the cost of sleeping.
const LOOKS: u32 = 200;

#[derive(Default)]
struct State {
    outcome: Outcome,
    wakers: Vec<Waker>,
    /// The number of threads that wait for `ended`. If it is zero, no notification is sent, which would cost a system
    /// call.
    blocked: usize,
}

/// One submission, to wait for: whether its work has ended, its outcome, and the tasks to wake.
#[derive(Default)]
pub(crate) struct Submission {
    /// Whether the work has ended. It is set once, under the lock of `state`, after all other fields.
    over: AtomicBool,
    state: Mutex<State>,
    ended: Condvar,
}

impl Submission {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the submission with this outcome, and wakes all threads and tasks that wait for it.
    pub(crate) fn finish(&self, outcome: Outcome) {
        let mut state = self.state();
        state.outcome = outcome;
        self.over.store(true, Ordering::Release);
        let wakers = std::mem::take(&mut state.wakers);
        let blocked = state.blocked > 0;
        drop(state);
        if blocked {
            self.ended.notify_all();
        }
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Whether the work has ended, with or without an error.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Waits until the work has ended or the timeout has passed; returns whether it has ended.
    pub(crate) fn sleep(&self, timeout: Option<Duration>) -> bool {
        for _ in 0..LOOKS {
            if self.is_over() {
                return true;
            }
            std::hint::spin_loop();
        }
        // A timeout beyond the range of the clock counts as no timeout.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.state();
        state.blocked += 1;
        while !self.is_over() {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => break,
                Some(left) => self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        state.blocked -= 1;
        self.is_over()
    }

    /// Returns the outcome of the work, which has ended.
    fn outcome(&self) -> Result<(), BackendError> {
        self.state().outcome.failure.as_ref().map_or(Ok(()), |failure| Err(failure.report(SUBMISSION)))
    }

    /// Whether the work, which has ended, has neither an error nor timings, findings or counts to report.
    pub(crate) fn is_plain(&self) -> bool {
        let outcome = &self.state().outcome;
        outcome.failure.is_none()
            && outcome.timings.is_none()
            && outcome.findings.is_empty()
            && outcome.observations.is_empty()
    }
}

impl Completion for Submission {
    fn done(&self) -> Result<bool, BackendError> {
        if self.is_over() { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn ended(&self) -> Option<bool> {
        self.is_over().then(|| self.state().outcome.failure.is_none())
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        if self.sleep(timeout) { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wake(&self, waker: &Waker) {
        let mut state = self.state();
        if self.is_over() {
            drop(state);
            return waker.wake_by_ref();
        }
        state.wakers.push(waker.clone());
    }

    fn timings(&self) -> Option<Timings> {
        self.state().outcome.timings.clone()
    }

    fn findings(&self) -> Findings {
        self.state().outcome.findings.clone()
    }

    fn observations(&self) -> Observations {
        self.state().outcome.observations.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_wait_ends_with_the_work_or_with_its_time() {
        let submission = Arc::new(Submission::default());
        assert_eq!(submission.wait(Some(Duration::from_millis(2))), Ok(false));
        let other = Arc::clone(&submission);
        let waiting = std::thread::spawn(move || other.wait(None));
        std::thread::sleep(Duration::from_millis(5));
        submission.finish(Outcome::default());
        assert_eq!(waiting.join().unwrap(), Ok(true));
        assert_eq!(submission.wait(Some(Duration::MAX)), Ok(true));
    }
}
