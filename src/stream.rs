//! Streams as users hold them.

use std::fmt;
use std::sync::Arc;

use crate::Element;
use crate::buffer::{Slice, SliceMut};
use crate::device::{self, DeviceInner};
use crate::error::{BufferError, Error};

/// A stream: work of one stream runs in its order, work of two may run at the same time.
///
/// What depends on what needs no saying. A command that uses a buffer which another stream writes, or
/// writes one which another stream uses, waits for just that; results are those of all work done in the
/// order in which it was recorded. So a stream is only leave to run things at the same time, never a way
/// to get them wrong.
///
/// On `cuda` streams are the driver's own, as many at a time as
/// [`Caps::streams`](crate::backend::Caps::streams) says; beyond that number they are given out again in
/// turns. Elsewhere there is one queue, and every stream is that.
///
/// Large copies between host and device need no stream to overlap kernels: `cuda` has them run beside
/// whatever does not use their buffers.
///
/// ```
/// # #[cfg(feature = "cpu")] {
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// # let step = device.kernel(
/// #     "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
/// #      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x] += 1u; }")?;
/// let (first, second) = (device.stream(), device.stream());
/// let (mut a, mut b) = (device.buffer::<u32>(256)?, device.buffer::<u32>(256)?);
/// step.launch().bind("data", &mut a).on(&first).threads(256)?;
/// step.launch().bind("data", &mut b).on(&second).threads(256)?; // may run beside the first
/// second.copy(&a, &mut b)?; // waits for it
/// second.synchronize()?;
/// assert_eq!(b.read()?[255], 1);
/// # Ok(())
/// # }
/// # main().unwrap();
/// # }
/// ```
#[derive(Clone)]
pub struct Stream {
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) number: u32,
}

impl Stream {
    /// Its number, if it is a stream of `device`.
    pub(crate) fn number_on(&self, device: &Arc<DeviceInner>) -> Option<u32> {
        Arc::ptr_eq(&self.device, device).then_some(self.number)
    }

    /// Copies all elements of `source` to `target`, on the device and in the stream's order.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::copy_from`](crate::UnifiedBuffer::copy_from).
    pub fn copy<'s, 't, T: Element + 's + 't>(
        &self,
        source: impl Into<Slice<'s, T>>,
        target: impl Into<SliceMut<'t, T>>,
    ) -> Result<(), BufferError> {
        let target = target.into();
        let stream = self.on(&target.core.device)?;
        target.copy_on(stream, &source.into())
    }

    /// Sets every element to `value`, on the device and in the stream's order.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::fill`](crate::UnifiedBuffer::fill).
    pub fn fill<'t, T: Element + 't>(&self, target: impl Into<SliceMut<'t, T>>, value: T) -> Result<(), BufferError> {
        let target = target.into();
        let stream = self.on(&target.core.device)?;
        target.fill_on(stream, value)
    }

    fn on(&self, device: &Arc<DeviceInner>) -> Result<u32, BufferError> {
        self.number_on(device).ok_or_else(|| BufferError::OtherDevice {
            ours: self.device.selector.clone(),
            theirs: device.selector.clone(),
        })
    }

    /// Hands recorded work over and waits for all that this stream has of it.
    ///
    /// # Errors
    /// As [`Device::synchronize`](crate::Device::synchronize), of the work of this stream.
    pub fn synchronize(&self) -> Result<(), Error> {
        let waited = device::wait(&self.device.handed_over(Some(self.number))?);
        Ok(self.device.heard(waited, Some(self.number))?)
    }

    /// [`synchronize`](Self::synchronize) without blocking.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    pub async fn synchronize_async(&self) -> Result<(), Error> {
        let waited = device::all(self.device.handed_over(Some(self.number))?).await;
        Ok(self.device.heard(waited, Some(self.number))?)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("device", &self.device.selector).field("number", &self.number).finish()
    }
}
