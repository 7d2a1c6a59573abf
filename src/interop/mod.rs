//! Devices and buffers shared with code that knows nothing of anywarp: raw wgpu, raw CUDA.
//!
//! A program that has a device already runs kernels on that one, and buffers go from one side to the
//! other without a copy. What there is depends on the machine below, so each has a module of its own;
//! beside the choice of devices (`device/select.rs`) they are the only place that names backends.
//!
//! | from | to | by |
//! |---|---|---|
//! | a wgpu device | [`Device`](crate::Device) | [`wgpu::device`] |
//! | a `wgpu::Buffer` | [`UnifiedBuffer`](crate::UnifiedBuffer) | [`wgpu::buffer`] |
//! | [`Device`](crate::Device) | its wgpu handles | [`Device::wgpu`](crate::Device::wgpu) |
//! | [`UnifiedBuffer`](crate::UnifiedBuffer) | a `wgpu::Buffer`, for a while | [`lend_wgpu`](crate::UnifiedBuffer::lend_wgpu), [`lend_wgpu_mut`](crate::UnifiedBuffer::lend_wgpu_mut) |
//! | [`UnifiedBuffer`](crate::UnifiedBuffer) | a `wgpu::Buffer`, for good | [`into_wgpu`](crate::UnifiedBuffer::into_wgpu) |
//!
//! With the feature `cuda`, `interop::cuda` gives the context and the stream of a device and lends
//! buffers as device pointers, by the same rules.
//!
//! # Who may touch a buffer when
//!
//! A buffer has one side at a time. anywarp keeps track of where the newest data are, and cannot see
//! what others do; so it has to be told, by a guard.
//!
//! | while | your own code | launches, copies, `read`, `write` |
//! |---|---|---|
//! | no guard is alive | must leave the buffer alone | free |
//! | a `Lent` of `lend_..(&self)` is alive | may read it on the device | refused: `InUse` |
//! | a `Lent` of `lend_.._mut(&mut self)` is alive | may read and write it on the device | refused: `InUse` |
//! | a `ReadGuard`, `WriteGuard` or `UpdateGuard` is alive | lending is refused: `InUse` | as always |
//! | after `into_wgpu` | yours | gone; a kept recording that names it goes on using it |
//!
//! Handles of wgpu can be cloned, so the first line is a promise, as is that a lent buffer is not written
//! that was lent for reading. Who breaks it reads old data, or has theirs overwritten. The host's side of a
//! lent buffer (`map_async`, `unmap`) stays with anywarp: to look at it on the host, drop the guard and call
//! `read`.
//!
//! wgpu's `destroy`, of a buffer or a device, gives memory back at once, also under a view of its own. Who
//! destroys what anywarp uses gets errors, and nothing worse; but not while a `ReadGuard`, `WriteGuard` or
//! `UpdateGuard` is alive.
//!
//! # What waits for what
//!
//! | first | then | order |
//! |---|---|---|
//! | launches, writes by the host | lending | all that was recorded is handed over first: what is submitted to the queue (enqueued on the stream) afterwards sees it |
//! | your own work, submitted before the guard is dropped | launches, `read`, `write` | sees all of it; `read` waits for it |
//! | your own work, submitted after the guard was dropped | launches | whichever is submitted first: not to be relied on |
//! | your own work | [`Device::synchronize`](crate::Device::synchronize) | waits for anywarp's work only |
//! | anywarp's work | `wgpu::Device::poll` | waits for all that was handed over, see [`Device::submit`](crate::Device::submit) |
//!
//! wgpu puts the barriers between submissions itself. Nothing here blocks the host.
//!
//! # Errors, losses and callbacks
//!
//! wgpu has one callback for uncaptured errors and one for the loss of the device, and a device of yours
//! keeps yours: anywarp catches its own errors in scopes, which are the calling thread's alone, and asks
//! whether the device is still there. So each side hears of its own mistakes only. On a device that anywarp
//! opened, its own callback logs what you do not catch; set another one if you like, none of its own
//! errors goes there once [`Device::wgpu`](crate::Device::wgpu) was called or a buffer was lent. In a
//! browser scopes answer only later: there the device's callbacks hear of everything.
//!
//! Callbacks that wgpu was given (`map_async`, `on_submitted_work_done`) run in whichever call looks after
//! the queue, and that may be one of anywarp's, with its locks held: they must not call anywarp.
//!
//! A device of your own is what you made it: [`caps`](crate::Device::caps) has the features and limits that
//! you asked for, and a kernel that needs more is refused with their names. Grids of
//! [`indirect`](crate::Launch::indirect) are checked only if your instance has
//! `InstanceFlags::VALIDATION_INDIRECT_CALL`; host and device share memory only if the device has
//! `Features::MAPPABLE_PRIMARY_BUFFERS`.

#[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
pub mod cuda;
mod error;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use error::InteropError;

/// The device's backend, if it is this one.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn backend<B: std::any::Any>(device: &crate::submit::Context) -> Option<&B> {
    let backend: &dyn std::any::Any = &*device.backend;
    backend.downcast_ref()
}

/// [`backend`], or an error that says which was wanted.
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

/// What the backend says, with the device's name.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn refused(device: &crate::submit::Context, error: anywarp_backend::BackendError) -> InteropError {
    device.note(&error);
    InteropError::Device { device: device.caps().name.clone(), error }
}
