//! Points in a stream that can be waited for, or between which time is measured.

use std::sync::Arc;

use anywarp_backend::BackendError;

use super::{Context, Stream};
use crate::driver::sys::CUevent;

/// An event of the driver.
pub(crate) struct Event {
    context: Arc<Context>,
    handle: CUevent,
}

// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Send for Event {}
// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event to wait for; the context is current.
    pub(crate) fn mark(context: &Arc<Context>) -> Result<Self, BackendError> {
        Self::create(context, false)
    }

    /// Creates an event that records the time; the context is current.
    pub(crate) fn timer(context: &Arc<Context>) -> Result<Self, BackendError> {
        Self::create(context, true)
    }

    fn create(context: &Arc<Context>, timed: bool) -> Result<Self, BackendError> {
        let handle = context.check("submitting", context.driver.event_create(timed))?;
        Ok(Self { context: Arc::clone(context), handle })
    }

    pub(super) fn raw(&self) -> CUevent {
        self.handle
    }

    /// Records the event after all work enqueued to the stream so far.
    pub(crate) fn record(&self, stream: &Stream) -> Result<(), BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        self.context.check("submitting", unsafe { self.context.driver.event_record(self.handle, stream.raw()) })
    }

    /// Returns whether the stream has passed the event.
    pub(crate) fn is_over(&self) -> Result<bool, BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        self.context.check("waiting", unsafe { self.context.driver.event_is_over(self.handle) })
    }

    /// Sleeps until the stream has passed the event.
    pub(crate) fn wait(&self) -> Result<(), BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        self.context.check("waiting", unsafe { self.context.driver.event_synchronize(self.handle) })
    }

    /// Returns the milliseconds from `start` to this event; streams have passed both events.
    pub(crate) fn since(&self, start: &Self) -> Result<f32, BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        self.context.check("timing", unsafe { self.context.driver.event_elapsed(start.handle, self.handle) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.enter_anyway() {
            // SAFETY: reason 1 in `safe/mod.rs`.
            self.context.log_free(unsafe { self.context.driver.event_destroy(self.handle) });
        }
    }
}
