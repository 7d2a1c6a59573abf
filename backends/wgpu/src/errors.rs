//! wgpu's errors as values: nothing here may panic because a driver refused.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anywarp_backend::BackendError;

/// Where errors end up that wgpu reports by callback.
#[derive(Default)]
pub(crate) struct ErrorSink {
    lost: OnceLock<String>,
    uncaptured: Mutex<Option<String>>,
}

impl ErrorSink {
    /// Takes over error reporting of `device`: wgpu's own handlers panic.
    pub(crate) fn install(device: &wgpu::Device) -> Arc<Self> {
        let sink = Arc::new(Self::default());
        let handler = Arc::clone(&sink);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            log::warn!("wgpu: {error}");
            *handler.uncaptured.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }));
        let handler = Arc::clone(&sink);
        device.set_device_lost_callback(move |reason, message| {
            handler.lose(format!("{reason:?}: {message}"));
        });
        sink
    }

    pub(crate) fn lose(&self, reason: String) {
        let _ = self.lost.set(reason);
    }

    /// An error if the device is gone.
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        match self.lost.get() {
            Some(reason) => Err(BackendError::Lost { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Forgets what was reported outside an error scope, so that a later report is the caller's.
    pub(crate) fn take_uncaptured(&self) -> Option<String> {
        self.uncaptured.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What a scope caught.
pub(crate) enum Caught {
    OutOfMemory,
    Other(String),
}

/// Runs `work` and returns what wgpu reported meanwhile on this thread.
///
/// A browser reports only later, through the uncaptured handler.
pub(crate) fn scoped<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> (T, Option<Caught>) {
    #[cfg(not(target_arch = "wasm32"))]
    {
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let result = work();
        // On native platforms the result is there at once: this never waits.
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
