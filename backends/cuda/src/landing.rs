//! Mappings that wait for work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, Timings};
use anywarp_host::Report;

use crate::lane::Points;
use crate::memory::Memory;
use crate::queue::Queue;

/// A mapping that waits for work, or that has a failure to tell.
pub(crate) struct Landing {
    queue: Arc<Queue>,
    /// The submissions that it waits for.
    points: Points,
    memory: Weak<Memory>,
    /// Somebody has waited for it; also where the submission did not come about after all.
    arrived: AtomicBool,
    report: Report,
}

impl Landing {
    pub(crate) fn new(queue: Arc<Queue>, points: Points, memory: &Arc<Memory>) -> Self {
        let (memory, arrived) = (Arc::downgrade(memory), AtomicBool::new(false));
        Self { queue, points, memory, arrived, report: Report::default() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.arrived.load(Ordering::Acquire) || self.points.iter().all(|point| self.queue.is_over(*point))
    }

    /// Whether somebody has heard its outcome.
    pub(crate) fn is_told(&self) -> bool {
        self.report.is_given()
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
        let submitted = self.queue.context.submitted();
        self.report.give(submitted, || self.memory.upgrade().and_then(|memory| memory.take_failure()))
    }
}

impl Completion for Landing {
    fn done(&self) -> Result<bool, BackendError> {
        if self.arrives(self.queue.poll(&self.points)?) { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn ended(&self) -> Option<bool> {
        match self.queue.poll(&self.points) {
            Ok(false) => None,
            Ok(true) => Some(self.memory.upgrade().is_none_or(|memory| memory.failure(u64::MAX - 1).is_none())),
            Err(_) => Some(false),
        }
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        if self.arrives(self.queue.wait(&self.points, timeout)?) { self.outcome().map(|()| true) } else { Ok(false) }
    }

    fn wake(&self, waker: &Waker) {
        self.queue.wake(&self.points, waker);
    }

    fn timings(&self) -> Option<Timings> {
        None
    }
}
