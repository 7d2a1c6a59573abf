//! Completion of mappings that wait for work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, Timings};
use anywarp_host::Report;

use crate::memory::Memory;
use crate::streams::state::Points;
use crate::submit::queue::Queue;

/// A mapping that waits for work, or has a failure to report.
pub(crate) struct MapCompletion {
    queue: Arc<Queue>,
    /// The submissions that the mapping waits for.
    points: Points,
    memory: Weak<Memory>,
    /// Whether a wait or a query has found that all of `points` have ended. A submission that was refused meanwhile
    /// counts as ended.
    waited: AtomicBool,
    report: Report,
}

impl MapCompletion {
    pub(crate) fn new(queue: Arc<Queue>, points: Points, memory: &Arc<Memory>) -> Self {
        let (memory, waited) = (Arc::downgrade(memory), AtomicBool::new(false));
        Self { queue, points, memory, waited, report: Report::default() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.waited.load(Ordering::Acquire) || self.points.iter().all(|point| self.queue.is_over(*point))
    }

    /// Returns whether the outcome was reported to a caller.
    pub(crate) fn is_reported(&self) -> bool {
        self.report.is_given()
    }

    /// Records the result of a wait or a query, and returns it.
    fn note_wait(&self, over: bool) -> bool {
        if over {
            self.waited.store(true, Ordering::Release);
        }
        over
    }

    /// Returns the outcome: the failure that poisons the memory, if any. The first call takes the failure from the
    /// memory, and every call returns the same outcome.
    fn outcome(&self) -> Result<(), BackendError> {
        let submitted = self.queue.context.submissions.submitted();
        self.report.give(submitted, || self.memory.upgrade().and_then(|memory| memory.poison.take()))
    }
}

impl Completion for MapCompletion {
    fn done(&self) -> Result<bool, BackendError> {
        if self.note_wait(self.queue.poll(&self.points)?) { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn ended(&self) -> Option<bool> {
        match self.queue.poll(&self.points) {
            Ok(false) => None,
            Ok(true) => Some(self.memory.upgrade().is_none_or(|memory| memory.poison.failure(u64::MAX - 1).is_none())),
            Err(_) => Some(false),
        }
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        if self.note_wait(self.queue.wait(&self.points, timeout)?) { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wake(&self, waker: &Waker) {
        self.queue.wake(&self.points, waker);
    }

    fn timings(&self) -> Option<Timings> {
        None
    }
}
