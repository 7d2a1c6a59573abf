//! The completion of work that waits until a test releases it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use anywarp_backend::{BackendError, Completion, Ticket, Timings};

#[derive(Default)]
struct State {
    outcome: Option<Result<(), BackendError>>,
    wakers: Vec<Waker>,
}

/// The completion of work that ends once the test has released it and the wrapped backend has finished it.
pub(crate) struct Held {
    inner: Ticket,
    state: Mutex<State>,
    ended: Condvar,
}

impl Held {
    pub(crate) fn new(inner: Ticket) -> Arc<Self> {
        Arc::new(Self { inner, state: Mutex::default(), ended: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases the work. Only the first outcome counts.
    pub(crate) fn finish(&self, outcome: Result<(), BackendError>) {
        let mut state = self.state();
        state.outcome.get_or_insert(outcome);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.ended.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Releases the work from a thread of its own after `delay`.
    pub(crate) fn finish_after(self: &Arc<Self>, delay: Duration) {
        let held = Arc::clone(self);
        std::thread::spawn(move || {
            std::thread::sleep(delay);
            held.finish(Ok(()));
        });
    }
}

impl Completion for Held {
    fn done(&self) -> Result<bool, BackendError> {
        match self.state().outcome.clone() {
            None => Ok(false),
            Some(outcome) => outcome.and_then(|()| self.inner.is_done()),
        }
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let mut state = self.state();
        while state.outcome.is_none() {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => return Ok(false),
                Some(left) => self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        if let Some(Err(error)) = &state.outcome {
            return Err(error.clone());
        }
        drop(state);
        match deadline {
            Some(at) => self.inner.wait_timeout(at.saturating_duration_since(Instant::now())),
            None => self.inner.wait().map(|()| true),
        }
    }

    fn wake(&self, waker: &Waker) {
        let mut state = self.state();
        if state.outcome.is_none() {
            state.wakers.push(waker.clone());
            return;
        }
        drop(state);
        self.inner.wake(waker);
    }

    fn timings(&self) -> Option<Timings> {
        self.inner.timings()
    }
}
