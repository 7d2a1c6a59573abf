//! Streams, as users see them.

use std::fmt;
use std::sync::Arc;

use super::context::Context;
use crate::error::Error;

/// A stream: the work of one stream runs in order, the work of two streams may run at the same time.
///
/// Dependencies need no declaration. A command that uses a buffer which another stream writes, or that writes a buffer
/// which another stream uses, waits for that work. The results are the same as if all work ran in the order in which it
/// was recorded. A stream therefore only permits concurrency and cannot cause a race.
///
/// On `cuda`, streams are the driver's streams, as many as [`Caps::streams`](crate::backend::Caps::streams); if a
/// program creates more streams, these are reused in turn. Other backends have one queue, which every stream uses.
///
/// Large copies between host and device overlap kernels without a stream: `cuda` runs them at the same time as work
/// that does not use their buffers.
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
/// second.copy(&a, &mut b)?; // waits for the first launch
/// second.synchronize()?;
/// assert_eq!(b.read()?[255], 1);
/// # Ok(())
/// # }
/// # main().unwrap();
/// # }
/// ```
#[derive(Clone)]
pub struct Stream {
    context: Arc<Context>,
    number: u32,
}

impl Stream {
    /// Creates another stream of a device.
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), number: context.next_stream() }
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Submits pending commands and waits for all work of this stream.
    ///
    /// # Errors
    /// As [`Device::synchronize`](crate::Device::synchronize), for the work of this stream.
    pub fn synchronize(&self) -> Result<(), Error> {
        Ok(self.context.synchronize(Some(self.number))?)
    }

    /// [`synchronize`](Self::synchronize) without blocking.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    pub async fn synchronize_async(&self) -> Result<(), Error> {
        Ok(self.context.synchronize_async(Some(self.number)).await?)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("device", &self.context.selector).field("number", &self.number).finish()
    }
}
