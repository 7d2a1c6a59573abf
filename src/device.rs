//! Devices: the handles from which all other objects are created.

mod candidate;
mod debug;
mod handle;
mod missing;
mod opening;
mod options;
mod select;
mod stats;

use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use anywarp_backend::{Caps, Findings, Observations};

pub use candidate::Candidate;
pub use options::DeviceOptions;
pub use stats::{DeviceStats, VariantStats};

use crate::buffer::{ScratchPool, ScratchStats, UnifiedBuffer};
use crate::debug::collect;
use crate::element::Element;
use crate::error::{BufferError, Error, KernelError};
use crate::kernel::{DeviceCount, Kernel, Kernels, Wgsl};
use crate::submit::{Context, Destination, Observer, Recording, Stream};

/// A device that runs kernels: a GPU, or a substitute for a GPU. Cloning it copies only a handle; any thread may use
/// the device.
///
/// [`open_default`](Self::open_default) describes the default choice.
#[derive(Clone)]
pub struct Device {
    pub(crate) context: Arc<Context>,
}

impl Device {
    /// Returns a handle of the device with this context. Buffers, kernels and streams keep the context.
    pub(crate) fn of(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }

    fn kernels(&self) -> Arc<Kernels> {
        Kernels::of(&self.context)
    }

    /// The identity and capabilities of the device.
    #[must_use]
    pub fn caps(&self) -> &Caps {
        self.context.caps()
    }

    /// A selection string that selects exactly this device.
    #[must_use]
    pub fn selector(&self) -> &str {
        &self.context.selector
    }

    /// Allocates a buffer of `length` elements, all zero. A length of 0 is valid.
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
    /// [`BufferError::Device`] with the requested size and the size of all live buffers, if the device cannot allocate
    /// the buffer; [`BufferError::TooLong`] if the buffer is larger than the address space.
    pub fn buffer<T: Element>(&self, length: usize) -> Result<UnifiedBuffer<T>, BufferError> {
        UnifiedBuffer::new(&self.context, length)
    }

    /// Allocates a buffer with a copy of `elements`.
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer).
    pub fn buffer_from<T: Element>(&self, elements: &[T]) -> Result<UnifiedBuffer<T>, BufferError> {
        let mut buffer = self.buffer(elements.len())?;
        buffer.copy_from_slice(elements)?;
        Ok(buffer)
    }

    /// Returns temporary memory for `length` elements, such as results between the passes of an operator: a buffer from
    /// a pool, with unspecified contents, for commands with this `destination`. Dropping the buffer returns its memory
    /// to the pool. The next request may receive this memory immediately, because commands take effect in the order of
    /// submission. A [`Recording`] keeps the scratch memory of its commands.
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

    /// Creates a number in device memory, initially zero, that kernels write and that launches use as the size of their
    /// grid. Launches treat a number above `max` as `max`. See [`DeviceCount`].
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer).
    pub fn count(&self, max: u32) -> Result<DeviceCount, BufferError> {
        DeviceCount::new(&self.context, max)
    }

    /// Creates a kernel from WGSL: parses, validates, specialises and compiles it. A second call with the same source
    /// returns the same kernel from a cache.
    ///
    /// If, by WGSL's uniformity analysis, not all invocations of a workgroup may reach a barrier, a warning is logged
    /// with the cause: browsers refuse such a kernel, and this device may run it or hang. `anywarp check` reports it as
    /// an error.
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
    /// [`KernelError`]; diagnostics show the source line. In diagnostics, the location of this call, or of
    /// [`Wgsl::new`](crate::Wgsl::new), stands for the file name of a source without one.
    #[track_caller]
    pub fn kernel<'a>(&self, wgsl: impl Into<Wgsl<'a>>) -> Result<Kernel, KernelError> {
        Kernel::new(&self.context, &wgsl.into().handed_in_at(Location::caller()))
    }

    /// Creates an empty recording, to be filled and replayed.
    #[must_use]
    pub fn recording(&self) -> Recording {
        Recording::new(&self.context)
    }

    /// Creates a stream besides the default one, for independent work; see [`Stream`].
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream::new(&self.context)
    }

    /// Submits pending commands without waiting for them.
    ///
    /// # Errors
    /// An error of the device. Commands for which there was too little memory stay pending.
    pub fn submit(&self) -> Result<(), Error> {
        Ok(self.context.submit()?)
    }

    /// Submits pending commands and waits for all work.
    ///
    /// # Errors
    /// As [`submit`](Self::submit). Also the first error of all work that was submitted since the last call of this
    /// method, such as [`BackendError::Stopped`](crate::backend::BackendError::Stopped) if a kernel could not run to
    /// its end; this error is reported once.
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

    /// Returns the faults that a checked device (`cpu:checked`) has found in kernels since the last call: out-of-range
    /// indices, data races, reads of uninitialised memory and more, see [`FindingKind`](crate::FindingKind). It submits
    /// pending commands and waits for all work; errors of that work are reported by [`synchronize`](Self::synchronize).
    /// On other devices the result is empty.
    ///
    /// If findings are not collected before the device is closed (when its last handle, buffer and kernel are dropped),
    /// they are printed to stderr, with their count.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu:checked")?;
    /// let shift = device.kernel(
    ///     "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
    ///      @compute @workgroup_size(64)
    ///      fn shift(@builtin(global_invocation_id) id: vec3<u32>) {
    ///          data[id.x] = data[id.x + 1]; // out of range for the last invocation
    ///      }",
    /// )?;
    /// let mut data = device.buffer_from(&[7u32; 64])?;
    /// shift.launch().bind("data", &mut data).threads(64)?;
    ///
    /// let findings = device.findings();
    /// assert!(findings.iter().any(|finding| finding.kind == anywarp::FindingKind::Race));
    /// let outside = findings.iter().find(|finding| finding.kind == anywarp::FindingKind::OutOfRange);
    /// assert_eq!(outside.map(|finding| (finding.at.line, finding.index)), Some((4, Some(64))));
    /// print!("{findings}"); // in the format of compiler diagnostics
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn findings(&self) -> Findings {
        self.context.findings()
    }

    /// The time since the device was opened, on the clock of [`Observed::at`](crate::Observed::at); zero in a browser,
    /// which has no such clock.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.context.events.now()
    }

    /// Returns what an observed device (`cpu:observed`) has counted in kernels since the last call: the sectors of memory
    /// that warps of 8, 16, 32 and 64 invocations access, conflicts of workgroup memory, and lanes that wait for others
    /// of their warp; line by line. It submits pending commands and waits for all work; errors of that work are reported
    /// by [`synchronize`](Self::synchronize). On other devices the result is empty.
    ///
    /// In each dispatch, up to 32 workgroups are observed. The kernels compute what they compute on `cpu`.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu:observed")?;
    /// let strided = device.kernel(
    ///     "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
    ///      @compute @workgroup_size(64)
    ///      fn strided(@builtin(global_invocation_id) id: vec3<u32>) {
    ///          data[id.x * 8u] = 1.0; // each invocation in a sector of its own
    ///      }",
    /// )?;
    /// let mut data = device.buffer_from(&[0.0f32; 512])?;
    /// strided.launch().bind("data", &mut data).threads(64)?;
    ///
    /// let observations = device.observations();
    /// let kernel = observations.iter().next().expect("one kernel ran");
    /// let warps_of_32 = kernel.accesses[0].counts[2];
    /// assert_eq!((warps_of_32.requests, warps_of_32.sectors, warps_of_32.ideal_sectors), (2, 64, 8));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn observations(&self) -> Observations {
        self.context.observations()
    }

    /// Observes the events of the device until the [`Observer`] is dropped: allocations, transfers, compilations,
    /// submissions, commands with their times, waits, the loss of the device.
    #[must_use]
    pub fn observe(&self) -> Observer {
        self.context.observe()
    }

    /// The amount of scratch memory, and how often it was reused.
    #[must_use]
    pub fn scratch_stats(&self) -> ScratchStats {
        ScratchPool::of(&self.context).stats()
    }

    /// Frees staging and scratch memory that is not in use.
    pub fn trim(&self) {
        ScratchPool::of(&self.context).trim(&self.context);
        self.context.staging.trim();
    }

    /// The transfers and operations of the device so far.
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

    /// The energy in joules that the device has used since an arbitrary time, for all programs and also when idle; `None`
    /// where nothing counts it. NVIDIA's cards are counted by their management library, Intel's by Linux's hwmon, and
    /// processors by Linux's powercap, which only some users may read. Counters advance in steps of 10 to 100 ms.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let before = device.energy();
    /// // much work
    /// # device.synchronize()?;
    /// if let (Some(before), Some(after)) = (before, device.energy()) {
    ///     println!("{:.1} J", after - before);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn energy(&self) -> Option<f64> {
        self.context.backend.energy()
    }

    /// The numbers of [variants](DeviceOptions::variants) of kernels that were compiled or are queued for compilation,
    /// and of launches that ran a variant.
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
