//! One device's context: the primary one, which all CUDA code of a process shares, so that the card
//! need not switch between two.
//!
//! It is taken once and never given back: destroying a context while other threads use the driver
//! crashes it, and after an error that ends a context (an illegal address, say) CUDA lets the process
//! make no other one, whether or not the first is destroyed. So pinned memory stays readable after a
//! device is lost, and a new device takes a new process.

use std::collections::VecDeque;
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

/// Has a thread's former context current again when it is dropped.
pub(crate) struct Current<'a> {
    context: &'a Context,
    former: CUcontext,
}

impl Context {
    /// Takes the context of a device. Nothing becomes current.
    pub(crate) fn of(driver: &'static Driver, device: CUdevice) -> Result<Arc<Self>, BackendError> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes one handle to this frame.
        match unsafe { (driver.cuDevicePrimaryCtxRetain)(&raw mut handle, device) } {
            0 => {}
            result if error::is_sticky(result) => {
                let said = format!("cuDevicePrimaryCtxRetain said {}", driver.text(result));
                return Err(BackendError::Lost { reason: format!("{said}{}", error::AFTERWARDS) });
            }
            result => return Err(driver.refused("opening the device", "cuDevicePrimaryCtxRetain", result)),
        }
        Ok(Arc::new(Self {
            driver,
            handle,
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            recent: Mutex::new(VecDeque::with_capacity(REMEMBERED)),
            lost: OnceLock::new(),
        }))
    }

    pub(crate) fn handle(&self) -> CUcontext {
        self.handle
    }

    /// Makes the context current for this thread: cheap where it is already.
    pub(crate) fn enter(&self) -> Result<Current<'_>, BackendError> {
        self.alive()?;
        self.enter_anyway().map_err(|result| self.error("entering the device", "cuCtxSetCurrent", result))
    }

    /// The same for a device that may be lost.
    pub(crate) fn enter_anyway(&self) -> Result<Current<'_>, u32> {
        let mut former = std::ptr::null_mut();
        // SAFETY: writes one handle to this frame.
        unsafe { (self.driver.cuCtxGetCurrent)(&raw mut former) };
        if former != self.handle {
            // SAFETY: the handle is valid for good.
            let result = unsafe { (self.driver.cuCtxSetCurrent)(self.handle) };
            if result != 0 {
                return Err(result);
            }
        }
        Ok(Current { context: self, former })
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
            let reason = format!(
                "{function} said {}{running}{}{}",
                self.driver.text(result),
                error::remedy(result),
                error::AFTERWARDS
            );
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

    /// Tells it; the caller holds the lock of the queue.
    pub(crate) fn finish(&self, sequence: u64) {
        self.finished.store(sequence, Ordering::Release);
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
            // The same one again and again need not be counted again and again.
            if let Some((last, known)) = recent.back_mut()
                && Arc::ptr_eq(known, kernel)
            {
                *last = sequence;
                continue;
            }
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

impl Drop for Current<'_> {
    fn drop(&mut self) {
        // Without a former context ours stays, so that the next call finds it.
        if !self.former.is_null() && self.former != self.context.handle {
            // SAFETY: it was current before.
            unsafe { (self.context.driver.cuCtxSetCurrent)(self.former) };
        }
    }
}
