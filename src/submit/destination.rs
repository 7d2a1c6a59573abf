//! The destination of commands: the default stream, another stream, or a recording.

use std::sync::Arc;

use super::context::Context;
use super::encoder::Refusal;
use super::recording::Recording;
use super::stream::Stream;

/// The destination of the commands of a launch, a copy or an operator, made from `&Stream` or `&mut Recording`.
///
/// Serves functions that accept a destination and pass it on: [`Launch::to`](crate::Launch::to).
///
/// ```
/// use anywarp::{Destination, Device, Kernel, LaunchError, UnifiedBuffer};
///
/// /// Doubles all elements, twice.
/// fn quadruple(double: &Kernel, x: &mut UnifiedBuffer<f32>, mut to: Destination<'_>) -> Result<(), LaunchError> {
///     for _ in 0..2 {
///         let length = x.len() as u64;
///         double.launch().bind("x", &mut *x).to(to.reborrow()).threads(length)?;
///     }
///     Ok(())
/// }
///
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = Device::open("cpu")?;
/// let double = device.kernel(
///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
///      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
///          if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
///      }",
/// )?;
/// let mut x = device.buffer_from(&[1.0f32, 2.0])?;
/// quadruple(&double, &mut x, (&device.stream()).into())?;
/// assert_eq!(*x.read()?, [4.0, 8.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum Destination<'a> {
    /// The device's default stream.
    #[default]
    Own,
    /// Another stream.
    Stream(Stream),
    /// A recording, to be replayed.
    Recording(&'a mut Recording),
}

impl From<&Stream> for Destination<'_> {
    fn from(stream: &Stream) -> Self {
        Self::Stream(stream.clone())
    }
}

impl<'a> From<&'a mut Recording> for Destination<'a> {
    fn from(recording: &'a mut Recording) -> Self {
        Self::Recording(recording)
    }
}

impl Destination<'_> {
    /// Reborrows the destination, for one of several commands.
    #[must_use]
    pub fn reborrow(&mut self) -> Destination<'_> {
        match self {
            Self::Own => Destination::Own,
            Self::Stream(stream) => Destination::Stream(stream.clone()),
            Self::Recording(recording) => Destination::Recording(recording),
        }
    }

    /// The number of the stream that the commands run on.
    pub(crate) fn stream(&self) -> u32 {
        match self {
            Self::Own => 0,
            Self::Stream(stream) => stream.number(),
            Self::Recording(recording) => recording.stream(),
        }
    }

    /// Returns an error unless the destination belongs to this device.
    pub(crate) fn check(&self, context: &Arc<Context>) -> Result<(), Refusal> {
        let (what, theirs) = match self {
            Self::Own => return Ok(()),
            Self::Stream(stream) => ("stream", stream.context()),
            Self::Recording(recording) => ("recording", recording.context()),
        };
        if Arc::ptr_eq(context, theirs) {
            return Ok(());
        }
        Err(Refusal::OtherDevice { what, theirs: theirs.selector.clone() })
    }
}
