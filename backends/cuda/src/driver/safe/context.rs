//! The context of one device: the primary context, which all CUDA code of a process shares, so that the GPU need not
//! switch between two contexts.
//!
//! The context is retained once and never released: destroying a context while other threads use the driver crashes the
//! driver. After an error that makes a context unusable (an illegal address, for example), CUDA allows the process no
//! other context, even if the first one is destroyed. So pinned memory stays readable after a device is lost, and a new
//! device requires a new process.

use std::sync::{Arc, OnceLock};

use anywarp_backend::BackendError;

use super::Device;
use crate::driver::error::{self, DriverError, DriverResult};
use crate::driver::submissions::Submissions;
use crate::driver::sys::{CUcontext, Driver};

/// The context of one device.
pub(crate) struct Context {
    pub(in crate::driver) driver: &'static Driver,
    handle: CUcontext,
    pub(crate) submissions: Submissions,
    lost: OnceLock<String>,
}

// SAFETY: reason 1 in `safe/mod.rs`.
unsafe impl Send for Context {}
// SAFETY: reason 1 in `safe/mod.rs`; all other fields are behind locks and atomics.
unsafe impl Sync for Context {}

/// Makes a thread's previous context current again when dropped.
pub(crate) struct Current<'a> {
    context: &'a Context,
    former: CUcontext,
}

impl Context {
    /// Retains the primary context of a device, without making it current.
    pub(crate) fn of(driver: &'static Driver, device: Device) -> Result<Arc<Self>, BackendError> {
        let handle = driver.primary_context(device.0).map_err(|failed| {
            if error::is_sticky(failed.code) {
                BackendError::Lost { reason: format!("{}{}", driver.said(failed), error::AFTERWARDS) }
            } else {
                driver.rejected("opening the device", failed)
            }
        })?;
        Ok(Arc::new(Self { driver, handle, submissions: Submissions::default(), lost: OnceLock::new() }))
    }

    /// Returns the driver's handle, for other code of the process.
    pub(crate) fn raw(&self) -> CUcontext {
        self.handle
    }

    /// Makes the context current for this thread; the call is cheap if the context already is current.
    pub(crate) fn enter(&self) -> Result<Current<'_>, BackendError> {
        self.alive()?;
        self.enter_anyway().map_err(|failed| self.error("entering the device", failed))
    }

    /// Makes the context current for this thread, even if the device is lost.
    pub(crate) fn enter_anyway(&self) -> DriverResult<Current<'_>> {
        let former = self.driver.current_context().unwrap_or(std::ptr::null_mut());
        if former != self.handle {
            // SAFETY: the handle is valid until the process ends, because the context is never released.
            unsafe { self.driver.set_current_context(self.handle) }?;
        }
        Ok(Current { context: self, former })
    }

    /// Converts the outcome of a driver function. An error that makes the context unusable is stored for all later
    /// calls.
    pub(in crate::driver) fn check<T>(
        &self,
        operation: &'static str,
        outcome: DriverResult<T>,
    ) -> Result<T, BackendError> {
        outcome.map_err(|failed| self.error(operation, failed))
    }

    /// Returns the error for a function that failed.
    #[cold]
    pub(in crate::driver) fn error(&self, operation: &'static str, failed: DriverError) -> BackendError {
        if !error::is_sticky(failed.code) {
            return self.driver.rejected(operation, failed);
        }
        let reason = self.lost.get_or_init(|| {
            let names = self.submissions.running();
            let running = if names.is_empty() {
                String::new()
            } else {
                format!("; kernels running at the time: {}", names.join(", "))
            };
            let remedy = error::remedy(failed.code);
            let reason = format!("{}{running}{remedy}{}", self.driver.said(failed), error::AFTERWARDS);
            log::error!("the device is lost: {reason}");
            reason
        });
        BackendError::Lost { reason: reason.clone() }
    }

    /// Logs a failure to free a resource, which has no other consequence.
    pub(in crate::driver) fn log_free(&self, outcome: DriverResult<()>) {
        if let Err(failed) = outcome
            && !self.is_lost()
        {
            log::debug!("freeing: {}", self.driver.said(failed));
        }
    }

    /// Returns an error if the device is lost.
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        self.lost.get().map_or(Ok(()), |reason| Err(BackendError::Lost { reason: reason.clone() }))
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        // Without a previous context this context stays current, so that the next call need not make it current again.
        if !self.former.is_null() && self.former != self.context.handle {
            // SAFETY: the former context was current before, on this thread.
            let restored = unsafe { self.context.driver.set_current_context(self.former) };
            if let Err(failed) = restored {
                log::debug!("making the former context current again: {}", self.context.driver.said(failed));
            }
        }
    }
}
