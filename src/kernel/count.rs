//! Counts on the device: written by one kernel, used as the grid of another.

use std::fmt;
use std::sync::Arc;

use anywarp_backend::Grid;

use super::commit::Logical;
use super::handle::Kernel;
use super::launch::Launch;
use super::source::Wgsl;
use crate::buffer::UnifiedBuffer;
use crate::error::{BufferError, LaunchError};
use crate::submit::{Context, Submission};

/// The size, in words of 4 bytes, of the memory into which a grid is computed: the physical grid first, and the logical
/// grid from an offset on at which every device can bind a uniform.
const WORDS: usize = 68;
const LOGICAL: std::ops::Range<usize> = 64..68;

/// A number of elements that is only known on the device, for example the number that a filter has kept. A kernel
/// writes it, launches take it as their grid, and nothing waits for it until it is [read](Self::read).
///
/// In a kernel it is an `array<u32>` (or `array<atomic<u32>>`) of one element, initially zero. Launches treat counts
/// above [`max`](Self::max) as `max`.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let keep_even = device.kernel(
///     "@group(0) @binding(0) var<storage> x: array<u32>;
///      @group(0) @binding(1) var<storage, read_write> kept: array<u32>;
///      @group(0) @binding(2) var<storage, read_write> count: array<atomic<u32>>;
///      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
///          if id.x < arrayLength(&x) && x[id.x] % 2u == 0u { kept[atomicAdd(&count[0], 1u)] = x[id.x]; }
///      }",
/// )?;
/// let halve = device.kernel(
///     "@group(0) @binding(0) var<storage, read_write> kept: array<u32>;
///      @group(0) @binding(1) var<storage> count: array<u32>;
///      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
///          if id.x < count[0] { kept[id.x] /= 2u; }
///      }",
/// )?;
/// let x = device.buffer_from(&Vec::from_iter(0..1000u32))?;
/// let mut kept = device.buffer::<u32>(1000)?;
/// let mut count = device.count(1000)?;
/// keep_even.launch().bind("x", &x).bind("kept", &mut kept).bind("count", &mut count).threads(1000)?;
/// halve.launch().bind("kept", &mut kept).bind("count", &count).threads_of(&count)?; // does not wait
/// assert_eq!(count.read()?, 500);
/// assert!(kept.read()?[..500].iter().all(|half| *half < 500));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct DeviceCount {
    pub(super) buffer: UnifiedBuffer<u32>,
    max: u32,
}

impl DeviceCount {
    pub(crate) fn new(device: &Arc<Context>, max: u32) -> Result<Self, BufferError> {
        Ok(Self { buffer: UnifiedBuffer::new(device, 1)?, max })
    }

    /// The largest count that launches use; also the capacity of the counted array.
    #[must_use]
    pub fn max(&self) -> u32 {
        self.max
    }

    /// Waits for the work that writes the count and returns it.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::read`].
    pub fn read(&self) -> Result<u32, BufferError> {
        Ok(self.buffer.read()?[0])
    }

    /// [`read`](Self::read) without blocking.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::read`].
    pub async fn read_async(&self) -> Result<u32, BufferError> {
        Ok(self.buffer.read_async().await?[0])
    }

    /// Sets the count, in the order of the device's default stream.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::fill`].
    pub fn set(&mut self, count: u32) -> Result<(), BufferError> {
        self.buffer.fill(count)
    }
}

impl fmt::Debug for DeviceCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceCount").field("max", &self.max).finish_non_exhaustive()
    }
}

impl Launch<'_> {
    /// Launches as many threads as `count` contains when the launch runs, rounded up to whole workgroups. The kernel
    /// must also bind the count and compare its `global_invocation_id.x` with it. The grid may exceed the device's
    /// limit on workgroups, because such a grid is folded. For a count of 0 no invocation runs.
    ///
    /// # Errors
    /// See [`LaunchError`]; in that case nothing has run.
    pub fn threads_of(mut self, count: &DeviceCount) -> Result<Submission, LaunchError> {
        self.take_mistake()?;
        let device = Arc::clone(&self.kernel.device);
        if !Arc::ptr_eq(&device, &count.buffer.core.device) {
            return Err(LaunchError::OtherDevice {
                kernel: self.name(),
                what: "the count of threads".to_owned(),
                ours: device.selector.clone(),
                theirs: count.buffer.core.device.selector.clone(),
            });
        }
        if count.max == 0 {
            return self.commit_nothing();
        }
        let size = self.kernel.workgroup_size()[0].max(1);
        let limit = device.caps().limits.workgroups_per_dimension.max(1);
        let most = u64::from(count.max).div_ceil(u64::from(size));
        // A folded grid has rows of `limit` workgroups, which are numbered in 32 bits.
        let rows = (u64::from(limit) * u64::from(limit)).min(u64::from(u32::MAX - limit));
        if most > u64::from(limit).max(rows) {
            let grid = vec![most];
            return Err(LaunchError::HugeGrid { kernel: self.name(), grid, unit: "workgroups" });
        }
        let scratch = UnifiedBuffer::<u32>::scratch(&device, WORDS, &self.destination);
        let mut groups = scratch.map_err(|error| self.of_count(error))?;
        let kernel =
            Kernel::new(&device, &Wgsl::new(include_str!("../../shaders/shared/count.wgsl")).file("count.wgsl"))?;
        kernel
            .launch()
            .set("grid.size", size)
            .set("grid.limit", limit)
            .set("grid.most", count.max)
            .bind("count", &count.buffer)
            .bind("groups", &mut groups)
            .to(self.destination.reborrow())
            .groups(1u32)?;
        let grid = Grid::Indirect { memory: groups.core.memory, offset: 0 };
        let (physical, logical) = (groups.slice(..3), groups.slice(LOGICAL));
        let logical = if most > u64::from(limit) { Logical::OnDevice(&logical) } else { Logical::Same };
        self.commit(grid, logical, Some(&physical))
    }

    fn of_count(&self, error: BufferError) -> LaunchError {
        LaunchError::Slice { kernel: self.name(), binding: "count of threads".to_owned(), error }
    }
}
