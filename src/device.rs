//! Devices: the handle that everything is made from.

mod select;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_backend::{Backend, BackendError, Caps, Counters, Findings, MemoryId, MemoryKind, Ticket};

pub use select::{Candidate, DeviceOptions, OpenError, Rejection};

use crate::buffer::staging::Staging;
use crate::buffer::traffic::Traffic;
use crate::debug::DebugMemory;
use crate::error::{BufferError, Error, KernelError};
use crate::kernel::{Kernel, KernelCache, KernelInner, Wgsl};
use crate::recording::Recording;
use crate::stream::{Batch, Stream};
use crate::{Element, UnifiedBuffer};

/// What all handles of a device, its buffers and its kernels share.
pub(crate) struct DeviceInner {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) stream: Stream,
    pub(crate) staging: Staging,
    pub(crate) traffic: Traffic,
    pub(crate) debug: DebugMemory,
    pub(crate) selector: String,
    options: DeviceOptions,
    pub(crate) kernels: KernelCache,
    live: AtomicU64,
    peak: AtomicU64,
    launches: AtomicU64,
}

impl DeviceInner {
    pub(crate) fn caps(&self) -> &Caps {
        self.backend.caps()
    }

    /// Memory for a buffer. When there is none left, idle staging memory goes first.
    pub(crate) fn allocate(&self, bytes: u64, kind: MemoryKind) -> Result<MemoryId, BackendError> {
        let memory = self.backend.allocate(bytes, kind, "").or_else(|error| {
            if !matches!(error, BackendError::OutOfMemory { .. }) {
                return Err(error);
            }
            self.staging.trim();
            self.backend.allocate(bytes, kind, "")
        })?;
        let live = self.live.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(live, Ordering::Relaxed);
        Ok(memory)
    }

    /// Memory of somebody else's became a buffer.
    #[cfg(feature = "wgpu")]
    pub(crate) fn adopted(&self, bytes: u64) {
        let live = self.live.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(live, Ordering::Relaxed);
    }

    /// A buffer of `bytes` was dropped.
    pub(crate) fn freed(&self, memory: MemoryId, bytes: u64, last_use: Option<&Arc<Batch>>) {
        self.live.fetch_sub(bytes, Ordering::Relaxed);
        self.stream.drop_memory(memory, last_use);
    }

    /// What `wgsl` is compiled to, from the cache if it is there.
    pub(crate) fn compiled(&self, wgsl: &Wgsl<'_>) -> Result<Arc<KernelInner>, KernelError> {
        let others = || {
            let others = select::candidates().into_iter().filter(|candidate| candidate.selector != self.selector);
            others.map(|candidate| (candidate.selector, candidate.caps.shader)).collect()
        };
        self.kernels.get(&self.backend, &self.debug, wgsl, &others)
    }

    pub(crate) fn launched(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn buffer_error(&self, operation: &'static str, bytes: u64, error: BackendError) -> BufferError {
        self.stream.note(&error);
        let live = self.live.load(Ordering::Relaxed);
        BufferError::Device { operation, device: self.caps().name.clone(), bytes, live, error }
    }
}

/// What a device has moved and done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceStats {
    /// Copies from host to device.
    pub uploads: u64,
    /// Copies from device to host.
    pub downloads: u64,
    /// Bytes copied from host to device.
    pub bytes_uploaded: u64,
    /// Bytes copied from device to host.
    pub bytes_downloaded: u64,
    /// Bytes of buffers that exist now.
    pub live_bytes: u64,
    /// The most that ever existed.
    pub peak_bytes: u64,
    /// Bytes of staging memory, in use or kept for later.
    pub staging_bytes: u64,
    /// Requests for staging memory that a kept block served.
    pub staging_hits: u64,
    /// Requests for staging memory that had to allocate.
    pub staging_misses: u64,
    /// Launches, handed over or still recorded.
    pub launches: u64,
    /// What the backend counts.
    pub counters: Counters,
}

/// One device: a GPU, or something that stands in for one. Cloning it copies a handle; any thread
/// may use it.
///
/// See [`open_default`](Self::open_default) for how one is chosen.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<DeviceInner>,
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
        Self::open_with(&DeviceOptions { selector: Some(selector.to_owned()), ..DeviceOptions::default() })
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
        let selector = backend.caps().backend.to_owned();
        Self::with(backend, selector, DeviceOptions::default())
    }

    pub(crate) fn with(backend: Arc<dyn Backend>, selector: String, options: DeviceOptions) -> Self {
        let inner = DeviceInner {
            stream: Stream::new(Arc::clone(&backend)),
            staging: Staging::new(Arc::clone(&backend)),
            debug: DebugMemory::new(Arc::clone(&backend)),
            backend,
            traffic: Traffic::default(),
            selector,
            options,
            kernels: KernelCache::default(),
            live: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            launches: AtomicU64::new(0),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Opens the same device anew, after it was lost. Buffers and kernels of the lost one stay
    /// with it.
    ///
    /// # Errors
    /// As [`open_default`](Self::open_default).
    pub fn reopen(&self) -> Result<Self, OpenError> {
        let options = DeviceOptions { selector: Some(self.inner.selector.clone()), ..self.inner.options.clone() };
        Self::open_with(&options)
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

    /// What the device is and can do.
    #[must_use]
    pub fn caps(&self) -> &Caps {
        self.inner.caps()
    }

    /// A selection string that opens just this device.
    #[must_use]
    pub fn selector(&self) -> &str {
        &self.inner.selector
    }

    /// A buffer of `length` zeroed elements.
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
        UnifiedBuffer::new(&self.inner, length)
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

    /// Makes a kernel from WGSL: parsed, validated, specialised and compiled. The same source gives
    /// the same kernel, from a cache.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// use anywarp::Wgsl;
    ///
    /// let source = "override n = 2; @compute @workgroup_size(n) fn main() {}";
    /// let kernel = device.kernel(Wgsl::new(source).file("main.wgsl").constant("n", 64.0))?;
    /// assert_eq!(kernel.workgroup_size(), [64, 1, 1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`KernelError`]; diagnostics show the line as it was written.
    pub fn kernel<'a>(&self, wgsl: impl Into<Wgsl<'a>>) -> Result<Kernel, KernelError> {
        Kernel::new(self, &wgsl.into())
    }

    /// An empty recording, to be kept and replayed.
    #[must_use]
    pub fn recording(&self) -> Recording {
        Recording::new(&self.inner)
    }

    /// Hands recorded work over without waiting for it.
    ///
    /// # Errors
    /// What the device says. Work that did not fit into memory stays recorded.
    pub fn submit(&self) -> Result<(), Error> {
        let mut pending = self.inner.stream.lock();
        self.inner.stream.alive()?;
        Ok(self.inner.stream.flush(&mut pending, &self.inner.staging)?)
    }

    /// Hands recorded work over and waits for all of it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit); and, once, the first error of all work that was handed over
    /// since the last call: [`BackendError::Stopped`] by a kernel that could not run to its end.
    pub fn synchronize(&self) -> Result<(), Error> {
        let waited = self.handed_over()?.wait();
        self.log_debug_output();
        Ok(self.heard(waited)?)
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
        let waited = self.handed_over()?.await;
        self.log_debug_output_async().await;
        Ok(self.heard(waited)?)
    }

    /// What a wait for everything has come to: the last batch tells nothing of those before.
    fn heard(&self, waited: Result<(), BackendError>) -> Result<(), BackendError> {
        let failure = self.inner.stream.lock().take_failure();
        failure.map_or(waited, Err).inspect_err(|error| self.inner.stream.note(error))
    }

    /// What a checked device (`cpu:checked`) has found wrong with the kernels that ran since the
    /// last call: out-of-range indices, data races, reads of what was never written and more, see
    /// [`FindingKind`](crate::FindingKind). Hands recorded work over and waits for all of it; its
    /// errors are left to [`synchronize`](Self::synchronize). Other devices find nothing.
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
        if let Ok(ticket) = self.handed_over() {
            // Whoever synchronizes hears of errors.
            let _ = ticket.wait();
        }
        self.inner.stream.lock().take_findings()
    }

    /// Everything up to now, as one ticket: work ends in the order in which it was handed over.
    fn handed_over(&self) -> Result<Ticket, BackendError> {
        let mut pending = self.inner.stream.lock();
        self.inner.stream.alive()?;
        self.inner.stream.flush(&mut pending, &self.inner.staging)?;
        pending.last().map_or_else(|| Ok(Ticket::ready()), |batch| batch.ticket())
    }

    /// Gives staging memory that is not in use back to the driver.
    pub fn trim(&self) {
        self.inner.staging.trim();
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
        let traffic = self.inner.traffic.read();
        let staging = self.inner.staging.stats();
        DeviceStats {
            uploads: traffic.uploads,
            downloads: traffic.downloads,
            bytes_uploaded: traffic.bytes_uploaded,
            bytes_downloaded: traffic.bytes_downloaded,
            live_bytes: self.inner.live.load(Ordering::Relaxed),
            peak_bytes: self.inner.peak.load(Ordering::Relaxed),
            staging_bytes: staging.bytes,
            staging_hits: staging.hits,
            staging_misses: staging.misses,
            launches: self.inner.launches.load(Ordering::Relaxed),
            counters: self.inner.backend.counters(),
        }
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("selector", &self.selector()).field("name", &self.caps().name).finish()
    }
}
