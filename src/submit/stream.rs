//! Streams as users hold them.

use std::fmt;
use std::sync::Arc;

use super::context::Context;
use crate::error::Error;

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
    context: Arc<Context>,
    number: u32,
}

impl Stream {
    /// Another stream of a device.
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), number: context.next_stream() }
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Hands recorded work over and waits for all that this stream has of it.
    ///
    /// # Errors
    /// As [`Device::synchronize`](crate::Device::synchronize), of the work of this stream.
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
