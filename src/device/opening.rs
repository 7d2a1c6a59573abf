//! The opening of devices, and the list of those that can be opened, as methods of devices.

use std::sync::Arc;

use anywarp_backend::Backend;

use super::{Candidate, Device, DeviceOptions, missing, select};
use crate::error::{OpenError, Rejection};
use crate::kernel::{Kernels, Variants};
use crate::submit::Context;
use crate::submit::staging::MAX_IN_USE;

impl Device {
    /// Opens the device that `ANYWARP_DEVICE` selects or, if that variable is not set, the best device. Discrete GPUs
    /// rank first, then integrated and virtual ones, then the CPU, and software implementations of a GPU last. Devices
    /// of the same kind are ordered by their backend (CUDA, Metal, Vulkan, DX12, WebGPU), then as the driver lists
    /// them.
    ///
    /// # Errors
    /// [`OpenError`] lists every candidate with the reason why it was not opened, and what to install if there is none.
    pub fn open_default() -> Result<Self, OpenError> {
        Self::open_with(&DeviceOptions::default())
    }

    /// Opens the best device that `selector` allows: a backend (`vulkan`, `metal`, `dx12`, `webgpu`, `cuda`, `cpu`), a
    /// part of a device's name (`llvmpipe`), or a backend with a part of a name or a number (`vulkan:llvmpipe`;
    /// `cuda:0` for the first CUDA device). `cpu:checked` is the CPU with a check of every memory access of a kernel.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// let software = anywarp::Device::open("vulkan:llvmpipe")?;
    /// println!("{}", software.caps().name);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub fn open(selector: &str) -> Result<Self, OpenError> {
        Self::open_with(&DeviceOptions::default().selector(selector))
    }

    /// Opens a device according to `options`.
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub fn open_with(options: &DeviceOptions) -> Result<Self, OpenError> {
        let (selector, backend) = select::open(options)?;
        Ok(Self::with(backend, selector, options.clone()))
    }

    /// [`open_with`](Self::open_with) without blocking. A browser supports only this method.
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub async fn open_async(options: &DeviceOptions) -> Result<Self, OpenError> {
        let (selector, backend) = select::open_async(options).await?;
        Ok(Self::with(backend, selector, options.clone()))
    }

    /// Creates a device on a custom backend: for tests, and for hardware that anywarp does not support.
    #[must_use]
    pub fn from_backend(backend: Arc<dyn Backend>) -> Self {
        let selector = backend.caps().backend.to_string();
        Self::with(backend, selector, DeviceOptions::default())
    }

    pub(crate) fn with(backend: Arc<dyn Backend>, selector: String, options: DeviceOptions) -> Self {
        let context = Context::new(backend, selector, options.staging_limit.unwrap_or(MAX_IN_USE));
        let variants = options.variants.unwrap_or_else(Variants::of_environment);
        context.extension(|| Kernels::new(&context, variants, select::features));
        context.extension(|| options);
        Self { context }
    }

    /// Opens the same device again, with the same options, after it was lost. Existing buffers and kernels still belong
    /// to the lost device.
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub fn reopen(&self) -> Result<Self, OpenError> {
        Self::open_with(&self.same_again())
    }

    /// [`reopen`](Self::reopen) without blocking. A browser supports only this method.
    ///
    /// # Errors
    /// As [`reopen`](Self::reopen).
    pub async fn reopen_async(&self) -> Result<Self, OpenError> {
        Self::open_async(&self.same_again()).await
    }

    fn same_again(&self) -> DeviceOptions {
        let options = self.context.extension(DeviceOptions::default);
        (*options).clone().selector(&self.context.selector)
    }

    /// The devices of this machine, best first.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// for candidate in anywarp::Device::enumerate() {
    ///     println!("{}: {}", candidate.selector, candidate.caps.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn enumerate() -> Vec<Candidate> {
        select::candidates()
    }

    /// [`enumerate`](Self::enumerate) without blocking. A browser supports only this method, and has one device at
    /// most.
    pub async fn enumerate_async() -> Vec<Candidate> {
        select::candidates_async().await
    }

    /// Returns the backends without a device in `found`, each with the reason: no driver, another operating system, or
    /// a build without the backend.
    ///
    /// ```
    /// use anywarp::Device;
    ///
    /// let missing = Device::missing(&Device::enumerate());
    /// assert!(missing.iter().all(|missing| !missing.reason.is_empty()));
    /// ```
    #[must_use]
    pub fn missing(found: &[Candidate]) -> Vec<Rejection> {
        let backends: Vec<_> = found.iter().map(|candidate| candidate.caps.backend).collect();
        missing::missing(&backends)
    }
}
