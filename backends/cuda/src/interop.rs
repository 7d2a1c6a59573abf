//! Sharing the device with other CUDA code of the process.
//!
//! Such code enqueues its work on one of the device's streams, in three steps:
//!
//! 1. [`lend`](CudaDevice::lend) each memory that the work uses: the stream then waits for the uses by other streams,
//!    and the call returns the address;
//! 2. enqueue on [`raw_stream`](CudaDevice::raw_stream), with [`raw_context`](CudaDevice::raw_context) current;
//! 3. [`take_back`](CudaDevice::take_back) the memories: all work enqueued meanwhile counts as one submission, and
//!    later work waits for it where necessary.
//!
//! Between the first and the last step the memory belongs to that code: it must not be freed, mapped or used by
//! submissions.

use anywarp_backend::{Access, BackendError, MemoryId, Ticket};

pub use cudarc::driver::sys::{CUcontext, CUstream};

use crate::device::CudaDevice;
use crate::driver::Stream;
use crate::record::step::Touch;
use crate::streams::state::stream_of;
use crate::streams::uses::Span;

impl CudaDevice {
    /// Returns the stream that recordings identify by this number; the first stream, 0, for a number that the device
    /// does not have. The stream lives as long as the device.
    ///
    /// # Errors
    /// [`BackendError::Lost`]; [`BackendError::Rejected`] if the driver cannot create more streams.
    pub fn raw_stream(&self, stream: u32) -> Result<CUstream, BackendError> {
        let _current = self.queue.context.enter()?;
        self.queue.stream(stream_of(stream)).map(Stream::raw)
    }

    /// Returns the device's context: the primary context, which is never released.
    #[must_use]
    pub fn raw_context(&self) -> CUcontext {
        self.queue.context.raw()
    }

    /// Makes `stream` wait for the uses of the memory by other streams, and returns the memory's address on the device.
    ///
    /// # Errors
    /// [`BackendError::UnknownMemory`]; [`BackendError::Rejected`] while the memory is mapped;
    /// [`BackendError::Lost`].
    pub fn lend(&self, memory: MemoryId, stream: u32) -> Result<u64, BackendError> {
        let _current = self.queue.context.enter()?;
        let memory = self.memory(memory)?;
        memory.is_usable("lending")?;
        let (queue, stream) = (&self.queue, stream_of(stream));
        let mut state = queue.lock();
        queue.stream(stream)?;
        queue.before_submission(&mut state, stream)?;
        if stream != 0 {
            queue.begin_period(&mut state);
        }
        if state.concurrent {
            let touch = Touch { memory: 0, access: Access::Write, span: Span::WHOLE };
            let needed = queue.conflicts(&state, stream, [(&*memory, touch)], false);
            queue.join(&mut state, stream, &needed)?;
            // The use is recorded so that the memory, when freed, is freed after the stream's work.
            let point = queue.number(&mut state, stream);
            queue.note(&mut state, point, [(&*memory, touch)], false);
        }
        Ok(memory.device.address())
    }

    /// Takes memories back: all work that was enqueued on [`raw_stream`](Self::raw_stream) since they were lent counts
    /// as one submission with these accesses. Returns the ticket of that submission.
    ///
    /// # Errors
    /// As [`lend`](Self::lend); after an error no submission is counted.
    pub fn take_back(&self, used: &[(MemoryId, Access)], stream: u32) -> Result<Ticket, BackendError> {
        let _current = self.queue.context.enter()?;
        let mut plan = self.queue.plan();
        for (id, access) in used {
            match self.memory(*id) {
                Ok(memory) => plan.touch(memory, *access),
                Err(error) => {
                    self.queue.give_back(plan);
                    return Err(error);
                }
            }
        }
        plan.end_foreign();
        Ok(Ticket::new(self.queue.submit(plan, self.compiler.loop_limit, stream_of(stream))?))
    }
}
