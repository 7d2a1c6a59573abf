//! Devices: the handle that everything is made from.

mod candidate;
mod debug;
mod handle;
mod missing;
mod options;
mod select;
mod stats;

use std::panic::Location;
use std::sync::Arc;

use anywarp_backend::{Backend, Caps, Findings};

pub use candidate::Candidate;
pub use options::DeviceOptions;
pub use stats::{DeviceStats, VariantStats};

use crate::buffer::{ScratchPool, ScratchStats, UnifiedBuffer};
use crate::debug::collect;
use crate::element::Element;
use crate::error::{BufferError, Error, KernelError, OpenError, Rejection};
use crate::kernel::{DeviceCount, Kernel, Kernels, Variants, Wgsl};
use crate::submit::staging::MAX_IN_USE;
use crate::submit::{Context, Destination, Observer, Recording, Stream};

/// One device: a GPU, or something that stands in for one. Cloning it copies a handle; any thread
/// may use it.
///
/// See [`open_default`](Self::open_default) for how one is chosen.
#[derive(Clone)]
pub struct Device {
    pub(crate) context: Arc<Context>,
}

impl Device {
    /// Opens the device that `ANYWARP_DEVICE` names or, without it, the best one: a discrete GPU
    /// before an integrated one, that before a virtual one, then the processor, and software that
    /// plays a GPU last; among equals CUDA, Metal, Vulkan, DX12, WebGPU, then the driver's own order.
    ///
    /// # Errors
    /// [`OpenError`] lists every candidate with the reason why it was not taken, and what to
    /// install if there is none.
    pub fn open_default() -> Result<Self, OpenError> {
        Self::open_with(&DeviceOptions::default())
    }

    /// Opens the best device that `selector` allows: a backend (`vulkan`, `metal`, `dx12`,
    /// `webgpu`, `cuda`, `cpu`), a part of a device's name (`llvmpipe`), or both (`vulkan:llvmpipe`,
    /// `cuda:0` for the first one). `cpu:checked` is the processor with every access of a kernel
    /// checked.
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

    /// Opens a device as `options` say.
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub fn open_with(options: &DeviceOptions) -> Result<Self, OpenError> {
        let (selector, backend) = select::open(options)?;
        Ok(Self::with(backend, selector, options.clone()))
    }

    /// [`open_with`](Self::open_with) without blocking: the only way in a browser.
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub async fn open_async(options: &DeviceOptions) -> Result<Self, OpenError> {
        let (selector, backend) = select::open_async(options).await?;
        Ok(Self::with(backend, selector, options.clone()))
    }

    /// A device on a backend of one's own: for tests, and for machines that anywarp does not know.
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

    /// The device that a buffer, a kernel or a stream belongs to.
    pub(crate) fn of(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }

    fn kernels(&self) -> Arc<Kernels> {
        Kernels::of(&self.context)
    }

    /// Opens the same device anew, after it was lost. Buffers and kernels of the lost one stay
    /// with it.
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub fn reopen(&self) -> Result<Self, OpenError> {
        Self::open_with(&self.same_again())
    }

    /// [`reopen`](Self::reopen) without blocking: the only way in a browser.
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

    /// [`enumerate`](Self::enumerate) without blocking: the only way in a browser, which has one device
    /// at most.
    pub async fn enumerate_async() -> Vec<Candidate> {
        select::candidates_async().await
    }

    /// The backends that have no device here, each with the reason: no driver, another system, a build without it.
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

    /// What the device is and can do.
    #[must_use]
    pub fn caps(&self) -> &Caps {
        self.context.caps()
    }

    /// A selection string that opens just this device.
    #[must_use]
    pub fn selector(&self) -> &str {
        &self.context.selector
    }

    /// A buffer of `length` zeroed elements; with a length of 0 it is as good as any, and holds nothing.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let zeros = device.buffer::<f32>(1 << 20)?;
    /// assert_eq!(zeros.read()?[7], 0.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BufferError::Device`] says how much was asked for and how much is live;
    /// [`BufferError::TooLong`].
    pub fn buffer<T: Element>(&self, length: usize) -> Result<UnifiedBuffer<T>, BufferError> {
        UnifiedBuffer::new(&self.context, length)
    }

    /// A buffer with a copy of `elements`.
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer).
    pub fn buffer_from<T: Element>(&self, elements: &[T]) -> Result<UnifiedBuffer<T>, BufferError> {
        let mut buffer = self.buffer(elements.len())?;
        buffer.copy_from_slice(elements)?;
        Ok(buffer)
    }

    /// Memory for `length` elements that an operator needs between its passes: a buffer from a pool, with
    /// unspecified contents, for commands that go to `destination`. Dropping it gives the memory back, and
    /// the next request may have it at once, as commands take effect in the order of submission. A
    /// [`Recording`] keeps the scratch memory of its commands.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::Destination;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// for _ in 0..10 {
    ///     let mut partials = device.scratch::<f32>(1000, &Destination::Own)?;
    ///     partials.fill(0.0)?;
    ///     // ... launches that write and read `partials` ...
    /// }
    /// assert_eq!((device.scratch_stats().misses, device.scratch_stats().hits), (1, 9));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer).
    pub fn scratch<T: Element>(
        &self,
        length: usize,
        destination: &Destination<'_>,
    ) -> Result<UnifiedBuffer<T>, BufferError> {
        UnifiedBuffer::scratch(&self.context, length, destination)
    }

    /// A count that kernels write and launches take as their grid, of `max` at most; zero at first. See
    /// [`DeviceCount`].
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer).
    pub fn count(&self, max: u32) -> Result<DeviceCount, BufferError> {
        DeviceCount::new(&self.context, max)
    }

    /// Makes a kernel from WGSL: parsed, validated, specialised and compiled. The same source gives
    /// the same kernel, from a cache.
    ///
    /// A barrier that not all invocations of a workgroup may reach, by WGSL's uniformity analysis, is logged as a
    /// warning with its cause: browsers refuse such a kernel, and this device may run it or hang. `anywarp check` makes
    /// it an error.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// use anywarp::Wgsl;
    ///
    /// let source = "override n = 2; @compute @workgroup_size(n) fn main() {}";
    /// let kernel = device.kernel(Wgsl::new(source).file("main.wgsl").set_override("n", 64.0))?;
    /// assert_eq!(kernel.workgroup_size(), [64, 1, 1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`KernelError`]; diagnostics show the line as it was written. A text without a file's name is called after the
    /// line of this call, or of [`Wgsl::new`](crate::Wgsl::new).
    #[track_caller]
    pub fn kernel<'a>(&self, wgsl: impl Into<Wgsl<'a>>) -> Result<Kernel, KernelError> {
        Kernel::new(&self.context, &wgsl.into().handed_in_at(Location::caller()))
    }

    /// An empty recording, to be kept and replayed.
    #[must_use]
    pub fn recording(&self) -> Recording {
        Recording::new(&self.context)
    }

    /// A stream beside the device's own, for work that is independent of it; see [`Stream`].
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream::new(&self.context)
    }

    /// Hands recorded work over without waiting for it.
    ///
    /// # Errors
    /// What the device says. Work that did not fit into memory stays recorded.
    pub fn submit(&self) -> Result<(), Error> {
        Ok(self.context.submit()?)
    }

    /// Hands recorded work over and waits for all of it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit); and, once, the first error of all work that was handed over
    /// since the last call: [`BackendError::Stopped`](crate::backend::BackendError::Stopped) by a kernel that could
    /// not run to its end.
    pub fn synchronize(&self) -> Result<(), Error> {
        let waited = self.context.synchronize(None);
        if collect::is_logged() {
            collect::log(&self.context, self.kernels().debug());
        }
        Ok(waited?)
    }

    /// [`synchronize`](Self::synchronize) without blocking.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// pollster::block_on(device.synchronize_async())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    pub async fn synchronize_async(&self) -> Result<(), Error> {
        let waited = self.context.synchronize_async(None).await;
        if collect::is_logged() {
            collect::log_async(&self.context, self.kernels().debug()).await;
        }
        Ok(waited?)
    }

    /// What a checked device (`cpu:checked`) has found wrong with the kernels that ran since the
    /// last call: out-of-range indices, data races, reads of what was never written and more, see
    /// [`FindingKind`](crate::FindingKind). Hands recorded work over and waits for all of it; its
    /// errors are left to [`synchronize`](Self::synchronize). Other devices find nothing.
    ///
    /// Findings that are not collected when the device is closed, with its last handle, buffer and kernel, are printed
    /// to stderr, with a count.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu:checked")?;
    /// let shift = device.kernel(
    ///     "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
    ///      @compute @workgroup_size(64)
    ///      fn shift(@builtin(global_invocation_id) id: vec3<u32>) {
    ///          data[id.x] = data[id.x + 1]; // not even in range for the last one
    ///      }",
    /// )?;
    /// let mut data = device.buffer_from(&[7u32; 64])?;
    /// shift.launch().bind("data", &mut data).threads(64)?;
    ///
    /// let findings = device.findings();
    /// assert!(findings.iter().any(|finding| finding.kind == anywarp::FindingKind::Race));
    /// let outside = findings.iter().find(|finding| finding.kind == anywarp::FindingKind::OutOfRange);
    /// assert_eq!(outside.map(|finding| (finding.at.line, finding.index)), Some((4, Some(64))));
    /// print!("{findings}"); // as a compiler would put it
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn findings(&self) -> Findings {
        self.context.findings()
    }

    /// The events of the device from now on, until the [`Observer`] is dropped: allocations, transfers,
    /// compilations, submissions, commands with their times, waits, the loss of the device.
    #[must_use]
    pub fn observe(&self) -> Observer {
        self.context.observe()
    }

    /// How much scratch memory there is, and how often it was used again.
    #[must_use]
    pub fn scratch_stats(&self) -> ScratchStats {
        ScratchPool::of(&self.context).stats()
    }

    /// Gives staging and scratch memory that is not in use back to the driver.
    pub fn trim(&self) {
        ScratchPool::of(&self.context).trim(&self.context);
        self.context.staging.trim();
    }

    /// What the device has moved and done so far.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let before = device.stats();
    /// let x = device.buffer_from(&[1u32; 1024])?;
    /// println!("{} bytes moved", device.stats().bytes_uploaded - before.bytes_uploaded);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stats(&self) -> DeviceStats {
        DeviceStats::of(&self.context)
    }

    /// How many [variants](DeviceOptions::variants) of kernels were made, and how often they ran.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// assert_eq!(device.variant_stats().made, 0);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn variant_stats(&self) -> VariantStats {
        VariantStats::of(&self.kernels())
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("selector", &self.selector()).field("name", &self.caps().name).finish()
    }
}
