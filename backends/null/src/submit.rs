//! The completion of timed submissions, which have ended when `submit` returns.

use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Clock, Completion, Timing, Timings};

/// The completion of a timed submission that has ended, with the time that it took.
pub(crate) struct Ended(Duration);

impl Ended {
    /// Returns the completion of a submission that has taken this long.
    pub(crate) fn after(duration: Duration) -> Self {
        Self(duration)
    }
}

impl Completion for Ended {
    fn done(&self) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn wait(&self, _timeout: Option<Duration>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn wake(&self, waker: &Waker) {
        waker.wake_by_ref();
    }

    fn timings(&self) -> Option<Timings> {
        let entry = Timing { label: Arc::from("submission"), start: Duration::ZERO, duration: self.0 };
        Some(Timings { clock: Clock::Host, entries: vec![entry], transfers: Vec::new() })
    }
}
