//! Interop with raw CUDA: the context and the stream of a device, and buffers as device pointers. It serves code
//! written with cudarc, or in any language that accepts CUDA's handles and pointers.
//!
//! The rules for either side are in the [parent module](super). Enqueue foreign work on the stream of [`Device::cuda`]:
//! the foreign work runs after all work that was submitted before it, and before all later work. The context is the
//! GPU's primary one, which the CUDA runtime also uses.
//!
//! | here | cudarc |
//! |---|---|
//! | [`Handles::context`] | the context that `CudaContext::new(0)` makes current: the same primary context |
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

/// The handles with which CUDA code enqueues its own work. Both are valid for the lifetime of the device.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    /// The context of the device. Make it current before each use, as anywarp's own calls may change the current
    /// context.
    pub context: CUcontext,
    /// The stream on which the device runs the work of anywarp's default stream.
    pub stream: CUstream,
}

/// The number of a device's default stream.
const STREAM: u32 = 0;

fn cuda_of(device: &Context) -> Result<&CudaDevice, InteropError> {
    wanted(device, "CUDA")
}

impl Device {
    /// Returns the CUDA context and stream of the device.
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
    /// [`InteropError::OtherBackend`] if the device does not run on CUDA; [`InteropError::Device`] when the device is
    /// lost.
    pub fn cuda(&self) -> Result<Handles, InteropError> {
        let cuda = cuda_of(&self.context)?;
        let stream = cuda.raw_stream(STREAM).map_err(|error| refused(&self.context, error))?;
        Ok(Handles { context: cuda.raw_context(), stream })
    }
}

/// A buffer that is lent to CUDA code. Dropping this guard ends the loan: before that, enqueue all work that uses the
/// buffer.
///
/// While this guard exists, launches and other guards of the buffer are refused.
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

    /// The address of the buffer on the device, a `CUdeviceptr`; invalid after this guard is dropped.
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
                log::warn!("{}: a lent buffer could not be taken back: {error}", device.caps().name);
            }
        }
    }
}

impl fmt::Debug for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").field("pointer", &self.pointer).field("written", &self.written).finish_non_exhaustive()
    }
}

/// Sharing with raw CUDA: see [`interop`](crate::interop).
impl<T: Element> UnifiedBuffer<T> {
    /// Lends the buffer to CUDA code that reads it. The host's changes are uploaded and pending commands are submitted
    /// first, so that work enqueued afterwards on the stream of [`Device::cuda`] sees the current data.
    ///
    /// # Errors
    /// [`InteropError::OtherBackend`]; [`InteropError::Buffer`] while a guard exists, or if the work that produces the
    /// data failed.
    pub fn lend_cuda(&self) -> Result<Lent<'_>, InteropError> {
        Lent::new(&self.core, false)
    }

    /// [`lend_cuda`](Self::lend_cuda) to CUDA code that writes the buffer: the host's copy is invalid afterwards.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cuda")?;
    /// let mut x = device.buffer::<f32>(1024)?;
    /// let stream = device.cuda()?.stream;
    /// {
    ///     let x = x.lend_cuda_mut()?;
    ///     // SAFETY: the pointer is valid for 4096 bytes until `x` is dropped.
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
