//! Completion of submitted work.

use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, Timings};

use crate::lane::Points;
use crate::queue::Queue;
use anywarp_host::Failure;

/// One submission.
pub(crate) struct Flight {
    queue: Arc<Queue>,
    /// Where it ends.
    pub(crate) points: Points,
    /// Set before the submission counts as finished, if anything went wrong.
    failure: OnceLock<Arc<Failure>>,
    timings: OnceLock<Timings>,
}

impl Flight {
    pub(crate) fn new(queue: &Arc<Queue>, points: Points) -> Arc<Self> {
        Arc::new(Self { queue: Arc::clone(queue), points, failure: OnceLock::new(), timings: OnceLock::new() })
    }

    /// What is to be told of the work; before it counts as finished.
    pub(crate) fn settle(&self, failure: Option<Arc<Failure>>, timings: Option<Timings>) {
        if let Some(failure) = failure {
            let _ = self.failure.set(failure);
        }
        if let Some(timings) = timings {
            let _ = self.timings.set(timings);
        }
    }

    fn outcome(&self) -> Result<bool, BackendError> {
        let submitted = self.queue.context.submitted();
        self.failure.get().map_or(Ok(true), |failure| Err(failure.report(submitted)))
    }
}

impl Completion for Flight {
    fn done(&self) -> Result<bool, BackendError> {
        if self.queue.poll(&self.points)? { self.outcome() } else { Ok(false) }
    }

    fn ended(&self) -> Option<bool> {
        match self.queue.poll(&self.points) {
            Ok(false) => None,
            Ok(true) => Some(self.failure.get().is_none()),
            Err(_) => Some(false),
        }
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        if self.queue.wait(&self.points, timeout)? { self.outcome() } else { Ok(false) }
    }

    fn wake(&self, waker: &Waker) {
        self.queue.wake(&self.points, waker);
    }

    fn timings(&self) -> Option<Timings> {
        self.timings.get().cloned()
    }
}
