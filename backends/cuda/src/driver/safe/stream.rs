//! A stream, whose work runs in order.

use std::sync::Arc;

use anywarp_backend::BackendError;

use super::{Context, Event};
use crate::driver::sys::CUstream;

/// A stream of the driver. Dropping the value destroys the stream; its enqueued work still completes.
pub(crate) struct Stream {
    context: Arc<Context>,
    handle: CUstream,
}

// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Send for Stream {}
// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Sync for Stream {}

impl Stream {
    /// Creates a stream; the context is current.
    pub(crate) fn create(context: &Arc<Context>, operation: &'static str) -> Result<Self, BackendError> {
        let handle = context.check(operation, context.driver.stream_create())?;
        Ok(Self { context: Arc::clone(context), handle })
    }

    /// Returns the context that the stream belongs to.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns the driver's handle, for libraries and other code of the process.
    pub(crate) fn raw(&self) -> CUstream {
        self.handle
    }

    /// Returns whether the stream has no work left.
    pub(crate) fn is_idle(&self) -> Result<bool, BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        self.context.check("waiting", unsafe { self.context.driver.stream_is_idle(self.handle) })
    }

    /// Waits until the stream has no work left.
    pub(crate) fn synchronize(&self, operation: &'static str) -> Result<(), BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        self.context.check(operation, unsafe { self.context.driver.stream_synchronize(self.handle) })
    }

    /// Makes the stream wait for the point at which an event was last recorded.
    pub(crate) fn wait_for(&self, event: &Event) -> Result<(), BackendError> {
        // SAFETY: reason 1 in `safe/mod.rs`.
        self.context.check("submitting", unsafe { self.context.driver.stream_wait(self.handle, event.raw()) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.enter_anyway() {
            // SAFETY: reason 1 in `safe/mod.rs`.
            self.context.log_free(unsafe { self.context.driver.stream_destroy(self.handle) });
        }
    }
}
