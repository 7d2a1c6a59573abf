//! Points in the stream that can be waited for, or measured between.

use std::sync::Arc;

use anywarp_backend::BackendError;
use cudarc::driver::sys::{CUevent, CUstream};

use crate::driver::context::Context;
use crate::driver::error::NOT_READY;

/// Whoever waits sleeps.
const BLOCKING: u32 = 1;
/// The event bears no time, which makes it cheaper.
const UNTIMED: u32 = 2;

/// An event of the driver's.
pub(crate) struct Event {
    context: Arc<Context>,
    handle: CUevent,
}

// SAFETY: the driver's functions may be called from any thread; the handle is only a name.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// One to wait for; the context is current.
    pub(crate) fn mark(context: &Arc<Context>) -> Result<Self, BackendError> {
        Self::create(context, BLOCKING | UNTIMED)
    }

    /// One that tells when it happened; the context is current.
    pub(crate) fn timer(context: &Arc<Context>) -> Result<Self, BackendError> {
        Self::create(context, 0)
    }

    fn create(context: &Arc<Context>, flags: u32) -> Result<Self, BackendError> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes one handle.
        let result = unsafe { (context.driver.cuEventCreate)(&raw mut handle, flags) };
        context.check("submitting", "cuEventCreate", result)?;
        Ok(Self { context: Arc::clone(context), handle })
    }

    /// Puts the event behind all that was enqueued so far.
    pub(crate) fn record(&self, stream: CUstream) -> Result<(), BackendError> {
        // SAFETY: both are of the same context.
        let result = unsafe { (self.context.driver.cuEventRecord)(self.handle, stream) };
        self.context.check("submitting", "cuEventRecord", result)
    }

    /// Has another stream wait for what the event is behind now.
    pub(crate) fn hold(&self, stream: CUstream) -> Result<(), BackendError> {
        // SAFETY: both are of the same context.
        let result = unsafe { (self.context.driver.cuStreamWaitEvent)(stream, self.handle, 0) };
        self.context.check("submitting", "cuStreamWaitEvent", result)
    }

    /// Whether the stream has come to it.
    pub(crate) fn is_over(&self) -> Result<bool, BackendError> {
        // SAFETY: takes the handle only.
        match unsafe { (self.context.driver.cuEventQuery)(self.handle) } {
            NOT_READY => Ok(false),
            result => self.context.check("waiting", "cuEventQuery", result).map(|()| true),
        }
    }

    /// Sleeps until the stream has come to it.
    pub(crate) fn wait(&self) -> Result<(), BackendError> {
        // SAFETY: takes the handle only.
        let result = unsafe { (self.context.driver.cuEventSynchronize)(self.handle) };
        self.context.check("waiting", "cuEventSynchronize", result)
    }

    /// Milliseconds from `start` to this one, both of which are over.
    pub(crate) fn since(&self, start: &Self) -> Result<f32, BackendError> {
        let mut milliseconds = 0.0;
        // SAFETY: writes one number.
        let result =
            unsafe { (self.context.driver.cuEventElapsedTime)(&raw mut milliseconds, start.handle, self.handle) };
        self.context.check("timing", "cuEventElapsedTime", result).map(|()| milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.enter_anyway() {
            // SAFETY: created once, destroyed once.
            unsafe { (self.context.driver.cuEventDestroy_v2)(self.handle) };
        }
    }
}
