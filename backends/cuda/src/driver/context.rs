//! One device's context.
//!
//! Each opened device has a context of its own, not the primary one: after an error that ends a
//! context (an illegal address, say) a new device can be opened while host memory of the lost one
//! is still being read. Pinned memory belongs to its context, so whoever holds such memory holds
//! the context; it is destroyed with the last of them.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anywarp_backend::BackendError;
use cudarc::driver::sys::{CUcontext, CUdevice};

use super::{Driver, error};

/// Kernels that are remembered, to be named when the device is lost.
const REMEMBERED: usize = 32;

/// A context.
pub(crate) struct Context {
    pub(crate) driver: &'static Driver,
    handle: CUcontext,
    /// The number of the last submission.
    submitted: AtomicU64,
    /// All submissions up to this number have ended.
    finished: AtomicU64,
    /// The kernels submitted last, with the numbers of their submissions.
    recent: Mutex<VecDeque<(u64, Arc<str>)>>,
    lost: OnceLock<String>,
}

// SAFETY: the driver's functions may be called from any thread; the handle is only a name.
unsafe impl Send for Context {}
// SAFETY: as above; all else is behind locks and atomics.
unsafe impl Sync for Context {}

/// Has a thread's former context current again when it is dropped: a context that stays current after
/// it is destroyed elsewhere crashes the driver at the next change.
pub(crate) struct Current<'a> {
    context: &'a Context,
    /// Belongs to the thread that made it.
    _thread: PhantomData<*const ()>,
}

impl Context {
    /// Makes a context on a device. Nothing becomes current.
    pub(crate) fn create(driver: &'static Driver, device: CUdevice) -> Result<Arc<Self>, BackendError> {
        const OPERATION: &str = "opening the device";
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes one handle to this frame.
        // Waits spin, if there are no more contexts than processors.
        let result = unsafe { (driver.cuCtxCreate_v2)(&raw mut handle, 0, device) };
        if result != 0 {
            return Err(driver.refused(OPERATION, "cuCtxCreate", result));
        }
        // Creating made it current.
        // SAFETY: writes one handle to this frame.
        unsafe { (driver.cuCtxPopCurrent_v2)(&raw mut handle) };
        Ok(Arc::new(Self {
            driver,
            handle,
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            recent: Mutex::new(VecDeque::with_capacity(REMEMBERED)),
            lost: OnceLock::new(),
        }))
    }

    /// Makes the context current for this thread.
    pub(crate) fn enter(&self) -> Result<Current<'_>, BackendError> {
        self.alive()?;
        self.enter_anyway().map_err(|result| self.error("entering the device", "cuCtxPushCurrent", result))
    }

    /// The same for a device that may be lost.
    pub(crate) fn enter_anyway(&self) -> Result<Current<'_>, u32> {
        // SAFETY: the handle is valid until `self` is dropped.
        match unsafe { (self.driver.cuCtxPushCurrent_v2)(self.handle) } {
            0 => Ok(Current { context: self, _thread: PhantomData }),
            result => Err(result),
        }
    }

    /// Success, or the error of a result; one that ends the context is remembered for good.
    pub(crate) fn check(&self, operation: &'static str, function: &str, result: u32) -> Result<(), BackendError> {
        if result == 0 { Ok(()) } else { Err(self.error(operation, function, result)) }
    }

    /// The error of a result that is not success.
    #[cold]
    pub(crate) fn error(&self, operation: &'static str, function: &str, result: u32) -> BackendError {
        if !error::is_sticky(result) {
            return self.driver.refused(operation, function, result);
        }
        let reason = self.lost.get_or_init(|| {
            let names = self.running();
            let running =
                if names.is_empty() { String::new() } else { format!("; in flight were {}", names.join(", ")) };
            let reason = format!("{function} said {}{running}{}", self.driver.text(result), error::remedy(result));
            log::error!("the device is lost: {reason}");
            reason
        });
        BackendError::Lost { reason: reason.clone() }
    }

    /// An error if the device is lost.
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        self.lost.get().map_or(Ok(()), |reason| Err(BackendError::Lost { reason: reason.clone() }))
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// All submissions up to this number have ended, and what is to be told of them is settled.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }

    pub(crate) fn finish(&self, sequence: u64) {
        self.finished.fetch_max(sequence, Ordering::AcqRel);
    }

    /// The number of the last submission.
    pub(crate) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Counts a submission; the caller holds the lock of the queue.
    pub(crate) fn submit(&self, sequence: u64) {
        self.submitted.store(sequence, Ordering::Release);
    }

    /// Remembers what a submission runs, as far as there is room.
    pub(crate) fn remember<'a>(&self, sequence: u64, kernels: impl Iterator<Item = &'a Arc<str>>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        for kernel in kernels.take(REMEMBERED / 4) {
            if recent.len() == REMEMBERED {
                recent.pop_front();
            }
            recent.push_back((sequence, Arc::clone(kernel)));
        }
    }

    fn running(&self) -> Vec<String> {
        let finished = self.finished();
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<String> =
            recent.iter().filter(|(at, _)| *at > finished).map(|(_, name)| format!("'{name}'")).collect();
        names.dedup();
        names
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: whoever uses anything of the context holds it, so nobody does any more.
        let result = unsafe { (self.driver.cuCtxDestroy_v2)(self.handle) };
        // A lost context may say so again; at the end of the process the driver may be gone.
        if result != 0 && result != error::DEINITIALIZED && !self.is_lost() {
            log::warn!("closing the device: {}", self.driver.text(result));
        }
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        let mut ours = std::ptr::null_mut();
        // SAFETY: takes off what `enter_anyway` has put there, and writes it to this frame.
        unsafe { (self.context.driver.cuCtxPopCurrent_v2)(&raw mut ours) };
    }
}
