//! Sharing of devices and buffers with foreign code: raw wgpu and raw CUDA.
//!
//! A program that already has a device can run kernels on it, and both sides can use a buffer without a copy. Each
//! backend has a module of its own here; apart from the choice of devices (`device/select.rs`), no other module names
//! backends.
//!
//! | from | to | function |
//! |---|---|---|
//! | a wgpu device | [`Device`](crate::Device) | [`wgpu::device`] |
//! | a `wgpu::Buffer` | [`UnifiedBuffer`](crate::UnifiedBuffer) | [`wgpu::buffer`] |
//! | [`Device`](crate::Device) | its wgpu handles | [`Device::wgpu`](crate::Device::wgpu) |
//! | [`UnifiedBuffer`](crate::UnifiedBuffer) | a `wgpu::Buffer`, temporarily | [`lend_wgpu`](crate::UnifiedBuffer::lend_wgpu), [`lend_wgpu_mut`](crate::UnifiedBuffer::lend_wgpu_mut) |
//! | [`UnifiedBuffer`](crate::UnifiedBuffer) | a `wgpu::Buffer`, permanently | [`into_wgpu`](crate::UnifiedBuffer::into_wgpu) |
//!
//! With the feature `cuda`, `interop::cuda` returns the context and the stream of a device and lends
//! buffers as device pointers, by the same rules.
//!
//! # Access to a buffer
//!
//! At any time, one side owns a buffer. anywarp tracks the location of the newest data but cannot observe
//! foreign code, so foreign code must hold a guard.
//!
//! | state | your code | launches, copies, `read`, `write` |
//! |---|---|---|
//! | no guard exists | must not access the buffer | permitted |
//! | a `Lent` of `lend_..(&self)` exists | may read it on the device | refused: `InUse` |
//! | a `Lent` of `lend_.._mut(&mut self)` exists | may read and write it on the device | refused: `InUse` |
//! | a `ReadGuard`, `WriteGuard` or `UpdateGuard` exists | lending is refused: `InUse` | as without lending |
//! | after `into_wgpu` | owns it | not possible; a recording that contains it continues to use it |
//!
//! wgpu's handles can be cloned, so the first row is a promise of the caller; the same holds for not writing a buffer
//! that is lent for reading. If the promise is broken, one side reads old data, or its data is overwritten. Host access
//! to a lent buffer (`map_async`, `unmap`) is reserved for anywarp: to read it on the host, drop the guard and call
//! `read`.
//!
//! wgpu's `destroy`, of a buffer or a device, frees the memory immediately, even while the host has it mapped. If a
//! program destroys an object that anywarp uses, later calls return errors. It must not do so while a `ReadGuard`,
//! `WriteGuard` or `UpdateGuard` exists.
//!
//! # Order of work
//!
//! | first | then | order |
//! |---|---|---|
//! | launches, writes by the host | lending | all pending commands are submitted first; work that is submitted to the queue (enqueued on the stream) afterwards sees their results |
//! | your own work, submitted before the guard is dropped | launches, `read`, `write` | they see its results; `read` waits for it |
//! | your own work, submitted after the guard was dropped | launches | unspecified: the order of submission |
//! | your own work | [`Device::synchronize`](crate::Device::synchronize) | waits for anywarp's work only |
//! | anywarp's work | `wgpu::Device::poll` | waits for all submitted work, see [`Device::submit`](crate::Device::submit) |
//!
//! wgpu inserts the barriers between submissions itself. No function here blocks the host.
//!
//! # Errors, losses and callbacks
//!
//! wgpu has one callback for uncaptured errors and one for the loss of the device, and your device keeps your
//! callbacks. anywarp catches its own errors in error scopes, which belong to the calling thread, and polls for the
//! loss of the device. So each side receives only its own errors. On a device that anywarp opened, anywarp's callback
//! logs your uncaught errors; you may replace it. None of anywarp's own errors reaches this callback after
//! [`Device::wgpu`](crate::Device::wgpu) was called or a buffer was lent. In a browser the result of a scope arrives
//! later, so in a browser the device's callbacks receive all errors.
//!
//! Callbacks that are passed to wgpu (`map_async`, `on_submitted_work_done`) run inside any call that polls the queue.
//! Such a call may be one of anywarp's, with its locks held, so these callbacks must not call anywarp.
//!
//! Your own device has the features and limits that you requested, and [`caps`](crate::Device::caps) reports these; a
//! kernel that needs more is refused with an error that names them. Grids of [`indirect`](crate::Launch::indirect) are
//! checked only if your instance has `InstanceFlags::VALIDATION_INDIRECT_CALL`; host and device share memory only if
//! the device has `Features::MAPPABLE_PRIMARY_BUFFERS`.

#[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
pub mod cuda;
mod error;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use error::InteropError;

/// The device's backend, if it has this type.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn backend<B: std::any::Any>(device: &crate::submit::Context) -> Option<&B> {
    let backend: &dyn std::any::Any = &*device.backend;
    backend.downcast_ref()
}

/// [`backend`], or an error that names the required one.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn wanted<'a, B: std::any::Any>(
    device: &'a crate::submit::Context,
    wanted: &'static str,
) -> Result<&'a B, InteropError> {
    let caps = device.caps();
    backend(device).ok_or_else(|| InteropError::OtherBackend {
        wanted,
        device: caps.name.clone(),
        backend: caps.backend,
    })
}

/// The backend's error, with the device's name.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn refused(device: &crate::submit::Context, error: anywarp_backend::BackendError) -> InteropError {
    device.note(&error);
    InteropError::Device { device: device.caps().name.clone(), error }
}
