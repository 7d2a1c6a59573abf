//! Completion of submitted work.

use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, Timings};
use anywarp_host::Failure;

use crate::streams::state::Points;
use crate::submit::queue::Queue;

/// One submission, to which tickets refer.
pub(crate) struct Submission {
    queue: Arc<Queue>,
    /// The ends of the submission, one for each part.
    pub(crate) points: Points,
    /// The first failure, set before the submission counts as finished.
    failure: OnceLock<Arc<Failure>>,
    timings: OnceLock<Timings>,
}

impl Submission {
    pub(crate) fn new(queue: &Arc<Queue>, points: Points) -> Arc<Self> {
        Arc::new(Self { queue: Arc::clone(queue), points, failure: OnceLock::new(), timings: OnceLock::new() })
    }

    /// Sets the outcome, before the submission counts as finished.
    pub(crate) fn complete(&self, failure: Option<Arc<Failure>>, timings: Option<Timings>) {
        if let Some(failure) = failure {
            let _ = self.failure.set(failure);
        }
        if let Some(timings) = timings {
            let _ = self.timings.set(timings);
        }
    }

    /// Returns the outcome of a submission that has ended, and reports its failure.
    fn outcome(&self) -> Result<bool, BackendError> {
        let submitted = self.queue.context.submissions.submitted();
        self.failure.get().map_or(Ok(true), |failure| Err(failure.report(submitted)))
    }
}

impl Completion for Submission {
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
