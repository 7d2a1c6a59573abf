//! Beside raw CUDA: the context and the stream of a device, and buffers as device pointers; for code
//! written with cudarc, or in any language that takes both.
//!
//! What each side may do when is said [one level up](super). Work goes on the stream that
//! [`Device::cuda`] gives: what is enqueued there comes after all that was handed over before, and
//! before what comes later. The context is the card's primary one, which the CUDA runtime uses, too.
//!
//! | here | cudarc |
//! |---|---|
//! | [`Handles::context`] | what `CudaContext::new(0)` makes current, as the same primary context |
//! | [`Handles::stream`] | the stream of `driver::result::memset_d8_async`, `launch_kernel`, ... |
//! | [`Lent::pointer`] | `CUdeviceptr`: an argument of such calls |

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use anywarp_backend::Access;
use anywarp_cuda::CudaDevice;
pub use anywarp_cuda::interop::{CUcontext, CUstream};

use super::{InteropError, refused, wanted};
use crate::buffer::UnifiedBuffer;
use crate::buffer::core::{Core, GuardToken};
use crate::device::Device;
use crate::element::Element;
use crate::submit::{Batch, Context, Resource};

/// What CUDA code needs to enqueue work of its own. Both live as long as the device.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    /// The context that everything of the device lives in; to be made current before each use, as
    /// anywarp's own calls may change what is.
    pub context: CUcontext,
    /// The stream that the device's work goes to.
    pub stream: CUstream,
}

/// The stream that all work of a device goes to unless told otherwise.
const STREAM: u32 = 0;

fn cuda_of(device: &Context) -> Result<&CudaDevice, InteropError> {
    wanted(device, "CUDA")
}

impl Device {
    /// The context and the stream of CUDA that it runs on.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cuda")?;
    /// println!("{:?}", device.cuda()?.stream);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`InteropError::OtherBackend`]; [`InteropError::Device`] when it is lost.
    pub fn cuda(&self) -> Result<Handles, InteropError> {
        let cuda = cuda_of(&self.context)?;
        let stream = cuda.raw_stream(STREAM).map_err(|error| refused(&self.context, error))?;
        Ok(Handles { context: cuda.raw_context(), stream })
    }
}

/// A buffer in the hands of CUDA code. Dropping it takes the buffer back: enqueue before.
///
/// While it lives launches and guards of the buffer are refused.
pub struct Lent<'a> {
    pointer: u64,
    core: Arc<Core>,
    written: bool,
    _token: GuardToken,
    _borrow: PhantomData<&'a mut ()>,
}

impl Lent<'_> {
    fn new(core: &Arc<Core>, written: bool) -> Result<Self, InteropError> {
        let cuda = cuda_of(&core.device)?;
        let token = core.lend()?;
        let pointer = cuda.lend(core.memory, STREAM).map_err(|error| refused(&core.device, error))?;
        Ok(Self { pointer, core: Arc::clone(core), written, _token: token, _borrow: PhantomData })
    }

    /// Where the buffer is on the device, a `CUdeviceptr`; not to be used after the guard was dropped.
    #[must_use]
    pub fn pointer(&self) -> u64 {
        self.pointer
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let device = &self.core.device;
        let access = if self.written { Access::Write } else { Access::Read };
        let Ok(cuda) = cuda_of(device) else { return };
        match cuda.take_back(&[(self.core.memory, access)], STREAM) {
            Ok(ticket) => {
                let written = self.written.then_some(0..self.core.bytes);
                self.core.used(&Batch::submitted(ticket, STREAM), written);
            }
            Err(error) => {
                device.note(&error);
                log::warn!("{}: taking a lent buffer back: {error}", device.caps().name);
            }
        }
    }
}

impl fmt::Debug for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").field("pointer", &self.pointer).field("written", &self.written).finish_non_exhaustive()
    }
}

/// Hand-over to raw CUDA: see [`interop`](crate::interop).
impl<T: Element> UnifiedBuffer<T> {
    /// Lends the buffer to CUDA code that reads it. What the host has newer is uploaded and recorded
    /// work is handed over first, so that what is enqueued on [`Device::cuda`]'s stream from here on
    /// sees it.
    ///
    /// # Errors
    /// [`InteropError::OtherBackend`]; [`InteropError::Buffer`] while a guard is alive, or where the
    /// work that produces the data failed.
    pub fn lend_cuda(&self) -> Result<Lent<'_>, InteropError> {
        Lent::new(&self.core, false)
    }

    /// [`lend_cuda`](Self::lend_cuda) to CUDA code that writes it: whatever the host had counts as old
    /// afterwards.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cuda")?;
    /// let mut x = device.buffer::<f32>(1024)?;
    /// let stream = device.cuda()?.stream;
    /// {
    ///     let x = x.lend_cuda_mut()?;
    ///     // SAFETY: the pointer is good for 4096 bytes until `x` is dropped.
    ///     // unsafe { cudarc::driver::result::memset_d8_async(x.pointer(), 0, 4096, stream) }
    /// #   let _ = (x.pointer(), stream);
    /// }
    /// assert_eq!(x.read()?[0], 0.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`lend_cuda`](Self::lend_cuda).
    pub fn lend_cuda_mut(&mut self) -> Result<Lent<'_>, InteropError> {
        Lent::new(&self.core, true)
    }
}
