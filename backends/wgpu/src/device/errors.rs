//! wgpu's errors as values: an error of a driver must cause no panic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anywarp_backend::BackendError;

/// The receiver of errors that wgpu reports by callback.
///
/// wgpu has one callback for errors and one for the loss of the device, and does not report which call caused an error.
/// Once other code uses the device too, both callbacks belong to that code: errors are then caught by error scopes, and
/// a loss is detected by a query. A browser reports errors only later, so neither error scopes nor the query work in a
/// browser.
#[derive(Default)]
pub(crate) struct ErrorSink {
    lost: OnceLock<String>,
    uncaptured: Mutex<Option<String>>,
    /// Whether other code uses the device too.
    shared: AtomicBool,
}

impl ErrorSink {
    /// Takes over the error reporting of `device`, because wgpu's own handlers panic.
    pub(crate) fn install(device: &wgpu::Device) -> Arc<Self> {
        let sink = Arc::new(Self::default());
        let handler = Arc::clone(&sink);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            log::warn!("wgpu: {error}");
            // Only the first error is kept, because it is the cause of the errors that follow.
            let mut uncaptured = handler.uncaptured.lock().unwrap_or_else(PoisonError::into_inner);
            uncaptured.get_or_insert_with(|| error.to_string());
        }));
        let handler = Arc::clone(&sink);
        device.set_device_lost_callback(move |reason, message| {
            handler.lose(format!("{reason:?}: {message}"));
        });
        sink
    }

    /// Returns a sink for a device that another user of wgpu created; the callbacks of that user stay in place.
    pub(crate) fn beside() -> Arc<Self> {
        let sink = Self::default();
        sink.share();
        Arc::new(sink)
    }

    /// Records that other code may use the device from here on.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shared(&self) -> bool {
        cfg!(not(target_arch = "wasm32")) && self.shared.load(Ordering::Relaxed)
    }

    pub(crate) fn lose(&self, reason: String) {
        let _ = self.lost.set(reason);
    }

    /// Returns an error if the device is lost.
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        match self.lost.get() {
            Some(reason) => Err(BackendError::Lost { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Like [`alive`](Self::alive), for a device whose loss may be reported to other users only.
    pub(crate) fn check_alive(&self, device: &wgpu::Device) -> Result<(), BackendError> {
        if self.is_shared() && self.lost.get().is_none() && reports_nothing(device) {
            self.lose("its owner destroyed it, or the driver removed it".to_owned());
        }
        self.alive()
    }

    /// Returns the error for a panic of wgpu. The error is the loss of the device, unless the panic may come from a
    /// callback of another user.
    pub(crate) fn failed(&self, meanwhile: &str, device: &wgpu::Device) -> BackendError {
        let reason = format!("the driver failed while {meanwhile}");
        if !self.is_shared() {
            self.lose(reason);
        }
        let message = || format!("wgpu, or a callback of another user of the device, panicked while {meanwhile}");
        let alive = |()| BackendError::Rejected { operation: "calling wgpu", message: message() };
        self.check_alive(device).map_or_else(|lost| lost, alive)
    }

    /// Runs `work` and returns the error that wgpu reported for it. Only one thread may call this method at a time,
    /// unless the device is shared: the callback does not distinguish threads. Returns no error in a browser, see
    /// [`late`](Self::late).
    pub(crate) fn within<T>(&self, device: &wgpu::Device, work: impl FnOnce() -> T) -> (T, Option<String>) {
        if cfg!(target_arch = "wasm32") {
            return (work(), None);
        }
        // Discards errors of earlier calls.
        self.take_uncaptured();
        let (result, caught) = self.apart(device, work);
        (result, if self.is_shared() { caught } else { self.take_uncaptured() })
    }

    /// Runs `work` and returns the error that wgpu reported for it, if the device is shared. The error handlers of
    /// other users then do not receive the error.
    pub(crate) fn apart<T>(&self, device: &wgpu::Device, work: impl FnOnce() -> T) -> (T, Option<String>) {
        if !self.is_shared() {
            return (work(), None);
        }
        let (result, caught) = scoped(device, work);
        (result, caught.map(Caught::message))
    }

    /// Returns, once, the error that a browser has reported for earlier calls.
    pub(crate) fn late(&self) -> Result<(), BackendError> {
        let rejected = |message| BackendError::Rejected { operation: "work submitted earlier", message };
        self.take_uncaptured().map_or(Ok(()), |message| Err(rejected(message)))
    }

    fn take_uncaptured(&self) -> Option<String> {
        self.uncaptured.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Whether the device reports no error for a deliberate mistake, because it is lost (WebGPU, "lose the device").
fn reports_nothing(device: &wgpu::Device) -> bool {
    let without_usage = wgpu::BufferDescriptor {
        label: None,
        size: wgpu::COPY_BUFFER_ALIGNMENT,
        usage: wgpu::BufferUsages::empty(),
        mapped_at_creation: false,
    };
    scoped(device, || drop(device.create_buffer(&without_usage))).1.is_none()
}

/// An error that an error scope of wgpu caught.
#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a browser reports only later"))]
pub(crate) enum Caught {
    OutOfMemory,
    Other(String),
}

impl Caught {
    fn message(self) -> String {
        match self {
            Self::OutOfMemory => "the driver ran out of memory".to_owned(),
            Self::Other(message) => message,
        }
    }
}

/// Runs `work` and returns the error that wgpu reported meanwhile on this thread.
///
/// Returns no error in a browser, which reports errors later, through the uncaptured-error handler.
pub(crate) fn scoped<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> (T, Option<Caught>) {
    #[cfg(not(target_arch = "wasm32"))]
    {
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let result = work();
        // On native platforms the results of the scopes are ready, so `block_on` never waits.
        let memory = pollster::block_on(memory.pop()).map(|_| Caught::OutOfMemory);
        let internal = pollster::block_on(internal.pop()).map(|error| Caught::Other(error.to_string()));
        let validation = pollster::block_on(validation.pop()).map(|error| Caught::Other(error.to_string()));
        (result, memory.or(internal).or(validation))
    }
    #[cfg(target_arch = "wasm32")]
    {
        let _ = device;
        (work(), None)
    }
}
