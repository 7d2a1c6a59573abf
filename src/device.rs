//! Devices: the handle that everything is made from.

mod loaded;
mod select;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use anywarp_backend::{Backend, BackendError, Caps, Counters, Findings, MemoryId, MemoryKind, Ticket};

use loaded::Loaded;
pub use select::{Candidate, DeviceOptions, OpenError, Rejection};

use smallvec::SmallVec;

use crate::buffer::staging::{self, Staging};
use crate::buffer::traffic::Traffic;
use crate::debug::DebugMemory;
use crate::error::{BufferError, Error, KernelError};
use crate::kernel::{Kernel, KernelCache, KernelInner, Variants, Wgsl, Workshop};
use crate::recording::Recording;
use crate::stream::Stream;
use crate::timeline::{Batch, Timeline};
use crate::{Element, UnifiedBuffer};

/// What all handles of a device, its buffers and its kernels share.
pub(crate) struct DeviceInner {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) timeline: Timeline,
    pub(crate) staging: Staging,
    pub(crate) traffic: Traffic,
    pub(crate) loaded: Loaded,
    pub(crate) debug: DebugMemory,
    pub(crate) selector: String,
    options: DeviceOptions,
    pub(crate) kernels: KernelCache,
    pub(crate) workshop: Workshop,
    live: AtomicU64,
    peak: AtomicU64,
    launches: AtomicU64,
    /// Streams that were asked for.
    streams: AtomicU32,
}

/// One for each stream.
pub(crate) type Tickets = SmallVec<[Ticket; 1]>;

/// Blocks until all of them have ended, also when one has failed; the first error.
pub(crate) fn wait(tickets: &[Ticket]) -> Result<(), BackendError> {
    let mut outcome = Ok(());
    for ticket in tickets {
        outcome = outcome.and(ticket.wait());
    }
    outcome
}

/// Waits for all of them, also when one has failed; the first error.
pub(crate) async fn all(tickets: Tickets) -> Result<(), BackendError> {
    let mut outcome = Ok(());
    for ticket in tickets {
        outcome = outcome.and(ticket.await);
    }
    outcome
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
        self.timeline.drop_memory(memory, last_use);
    }

    /// What `wgsl` is compiled to, from the cache if it is there.
    pub(crate) fn compiled(&self, wgsl: &Wgsl<'_>) -> Result<Arc<KernelInner>, KernelError> {
        let others = || {
            let others = select::candidates().into_iter().filter(|candidate| candidate.selector != self.selector);
            others.map(|candidate| (candidate.selector, candidate.caps.shader)).collect()
        };
        self.kernels.get(&self.backend, &self.debug, wgsl, &others)
    }

    /// Everything up to now, or what one stream has of it, as one ticket for each stream: the work of one ends
    /// in the order in which it was handed over.
    pub(crate) fn handed_over(&self, stream: Option<u32>) -> Result<Tickets, BackendError> {
        let mut pending = self.timeline.lock();
        self.timeline.alive()?;
        self.timeline.flush(&mut pending, &self.staging)?;
        pending.latest(stream).into_iter().map(|batch| batch.ticket()).collect()
    }

    /// What a wait for that has come to: the last batch tells nothing of those before.
    pub(crate) fn heard(&self, waited: Result<(), BackendError>, stream: Option<u32>) -> Result<(), BackendError> {
        let failure = self.timeline.lock().take_failure(stream);
        failure.map_or(waited, Err).inspect_err(|error| self.timeline.note(error))
    }

    /// The number of the next stream that somebody asks for.
    pub(crate) fn next_stream(&self) -> u32 {
        let others = self.caps().streams.saturating_sub(1);
        if others == 0 { 0 } else { 1 + self.streams.fetch_add(1, Ordering::Relaxed) % others }
    }

    pub(crate) fn launched(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn buffer_error(&self, operation: &'static str, bytes: u64, error: BackendError) -> BufferError {
        self.timeline.note(&error);
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
    /// Bytes of upload memory that guards hold, or that are on their way.
    pub staging_in_use: u64,
    /// The most of these that there ever were.
    pub staging_peak: u64,
    /// Times that somebody waited because [`DeviceOptions::staging_limit`] was reached.
    pub staging_waits: u64,
    /// How long, together.
    pub staging_waited: Duration,
    /// Guards that were given ordinary memory because of that limit.
    pub staging_bypassed: u64,
    /// Launches, handed over or still recorded.
    pub launches: u64,
    /// Variants of kernels that were made: see [`DeviceOptions::variants`].
    pub variants: u64,
    /// Those that are being made, or wait for it.
    pub variants_pending: u64,
    /// Launches that ran a variant.
    pub variant_launches: u64,
    /// Batches that loaders delivered; of one loader alone its [`LoaderStats`](crate::loader::LoaderStats) tell.
    pub batches_loaded: u64,
    /// Their samples.
    pub samples_loaded: u64,
    /// Bytes of them that were written in place: see [`LoaderBuilder::pinned`](crate::loader::LoaderBuilder::pinned).
    pub bytes_loaded_in_place: u64,
    /// How long programs waited for batches to be loaded, together.
    pub consumers_waited: Duration,
    /// How long threads of loaders waited until batches were taken, or for memory that the device still used,
    /// together.
    pub loaders_waited: Duration,
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
            timeline: Timeline::new(Arc::clone(&backend)),
            staging: Staging::new(Arc::clone(&backend), options.staging_limit.unwrap_or(staging::LIMIT)),
            debug: DebugMemory::new(Arc::clone(&backend)),
            backend,
            traffic: Traffic::default(),
            loaded: Loaded::default(),
            selector,
            kernels: KernelCache::new(options.variants.unwrap_or_else(Variants::of_environment)),
            workshop: Workshop::default(),
            options,
            live: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            launches: AtomicU64::new(0),
            streams: AtomicU32::new(0),
        };
        Self { inner: Arc::new(inner) }
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
        DeviceOptions { selector: Some(self.inner.selector.clone()), ..self.inner.options.clone() }
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

    /// A stream beside the device's own, for work that is independent of it; see [`Stream`].
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream { device: Arc::clone(&self.inner), number: self.inner.next_stream() }
    }

    /// Hands recorded work over without waiting for it.
    ///
    /// # Errors
    /// What the device says. Work that did not fit into memory stays recorded.
    pub fn submit(&self) -> Result<(), Error> {
        let mut pending = self.inner.timeline.lock();
        self.inner.timeline.alive()?;
        Ok(self.inner.timeline.flush(&mut pending, &self.inner.staging)?)
    }

    /// Hands recorded work over and waits for all of it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit); and, once, the first error of all work that was handed over
    /// since the last call: [`BackendError::Stopped`] by a kernel that could not run to its end.
    pub fn synchronize(&self) -> Result<(), Error> {
        let waited = wait(&self.inner.handed_over(None)?);
        self.log_debug_output();
        Ok(self.inner.heard(waited, None)?)
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
        let waited = all(self.inner.handed_over(None)?).await;
        self.log_debug_output_async().await;
        Ok(self.inner.heard(waited, None)?)
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
        for ticket in self.inner.handed_over(None).unwrap_or_default() {
            // Whoever synchronizes hears of errors.
            let _ = ticket.wait();
        }
        self.inner.timeline.lock().take_findings()
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
        let [variants, variants_pending, variant_launches] = self.inner.workshop.counted();
        self.inner.loaded.read(DeviceStats {
            uploads: traffic.uploads,
            downloads: traffic.downloads,
            bytes_uploaded: traffic.bytes_uploaded,
            bytes_downloaded: traffic.bytes_downloaded,
            live_bytes: self.inner.live.load(Ordering::Relaxed),
            peak_bytes: self.inner.peak.load(Ordering::Relaxed),
            staging_bytes: staging.bytes,
            staging_hits: staging.hits,
            staging_misses: staging.misses,
            staging_in_use: staging.in_use,
            staging_peak: staging.peak,
            staging_waits: staging.waits,
            staging_waited: staging.waited,
            staging_bypassed: staging.bypassed,
            launches: self.inner.launches.load(Ordering::Relaxed),
            variants,
            variants_pending,
            variant_launches,
            counters: self.inner.backend.counters(),
            ..DeviceStats::default()
        })
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("selector", &self.selector()).field("name", &self.caps().name).finish()
    }
}
