//! Device memory in stream order: the stream that zeroes it, and the stream that frees it.

use anywarp_backend::{Access, BackendError};

use crate::driver::DeviceMemory;
use crate::memory::{Backing, Memory, Reserved};
use crate::record::parts::LARGE;
use crate::streams::state::{RECLAIM, UPLOAD};
use crate::streams::uses::{Span, Use, Uses};
use crate::submit::queue::{Queue, QueueState};

/// The limit in bytes on memory that is zeroed while earlier work of the first stream still runs. These allocations
/// cannot reuse memory that is freed after that work.
const MAX_AHEAD: u64 = 4 << 30;

impl Queue {
    /// Allocates zeroed device memory; `None` when no memory is left. The context is current.
    ///
    /// While kernels run, large memory is zeroed on another stream, so that the next copy to the memory need not wait
    /// for them.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<Option<Reserved>, BackendError> {
        let stream = {
            let mut state = self.lock();
            if bytes >= LARGE && self.is_ahead(&mut state, bytes)? { UPLOAD } else { 0 }
        };
        let native = self.stream(stream)?;
        // The lock is not held, because the driver may have to request memory from the system, which takes long.
        let Some(memory) = self.pool.allocate(bytes, native)? else { return Ok(None) };
        let mut state = self.lock();
        // A short zeroing comes before the next submission and needs no number. A long zeroing has its own number, so
        // that a wait for it need not last until the end of that submission.
        let numbered = state.concurrent || bytes >= LARGE;
        let begun = if numbered { self.before_submission(&mut state, stream) } else { Ok(()) };
        if let Err(error) = begun {
            self.pool.free(memory, native);
            return Err(error);
        }
        if stream != 0 {
            self.begin_period(&mut state);
        }
        let memory = self.pool.zero(memory, native)?;
        let reserved = |last, uses| Ok(Some(Reserved { backing: Backing::Device(memory), last, uses }));
        if !numbered {
            state.unnumbered = true;
            return reserved(self.context.submissions.submitted() + 1, Uses::default());
        }
        let point = self.number(&mut state, stream);
        if !state.concurrent {
            // Because of this value, an event is recorded after the zeroing and before the next submission.
            state.progress[stream].claimed = point.sequence;
            return reserved(point.sequence, Uses::default());
        }
        let zeros = Use { point, access: Access::Write, span: Span::WHOLE };
        reserved(0, Uses::beginning(state.period, zeros))
    }

    /// Returns whether the memory is to be zeroed on the upload stream, because the first stream has work; if so,
    /// creates the upload stream at its first use.
    fn is_ahead(&self, state: &mut QueueState, bytes: u64) -> Result<bool, BackendError> {
        if !self.is_busy(state, 0)? {
            return Ok(false);
        }
        if self.states[0].finished() >= state.ahead.since {
            state.ahead.since = self.states[0].latest();
            state.ahead.bytes = 0;
        }
        if state.ahead.bytes + bytes > MAX_AHEAD {
            return Ok(false);
        }
        state.ahead.bytes += bytes;
        self.stream(UPLOAD).map(|_| true)
    }

    /// Frees a device memory after all its uses. The context is current.
    pub(crate) fn release(&self, state: &mut QueueState, memory: &Memory, device: DeviceMemory) {
        match self.last_stream(state, memory).and_then(|stream| Ok((stream, self.stream(stream)?))) {
            Ok((stream, native)) => {
                self.pool.free(device, native);
                if stream == RECLAIM {
                    self.number(state, stream);
                }
            }
            Err(error) if error.is_lost() => {}
            Err(error) => log::warn!("{} bytes cannot be freed: {error}", memory.bytes),
        }
    }

    /// Returns all unused memory to the driver.
    pub(crate) fn make_room(&self) -> Result<(), BackendError> {
        self.drain("allocating")?;
        self.deferred.clear(true, &self.pool, self.streams.first());
        self.pool.trim();
        Ok(())
    }
}
