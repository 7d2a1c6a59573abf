//! Device memory in the order of the lanes: where it is made zero, and after what it is freed.

use anywarp_backend::{Access, BackendError};

use crate::driver::DeviceMemory;
use crate::memory::{Backing, Memory, Reserved};
use crate::record::parts::LARGE;
use crate::streams::state::{RECLAIM, UP};
use crate::streams::uses::{Span, Use, Uses};
use crate::submit::queue::{Line, Queue};

/// Bytes that are allocated ahead of the first lane's work, at most: what was freed behind that work
/// cannot be used for them.
const MOST_AHEAD: u64 = 4 << 30;

impl Queue {
    /// Device memory of zeros; `None` when there is no more. The context is current.
    ///
    /// Much memory is made zero beside kernels, so that what is copied there next need not wait for
    /// them either.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<Option<Reserved>, BackendError> {
        let lane = {
            let mut line = self.line();
            if bytes >= LARGE && self.is_ahead(&mut line, bytes)? { UP } else { 0 }
        };
        let stream = self.stream(lane)?;
        // Without the lock: the driver may have to ask the system for memory, which takes long.
        let Some(memory) = self.pool.allocate(bytes, stream)? else { return Ok(None) };
        let mut line = self.line();
        // Small zeros come before the next submission; that much need not wait for its end, too.
        let numbered = line.several || bytes >= LARGE;
        let begun = if numbered { self.before_submission(&mut line, lane) } else { Ok(()) };
        if let Err(error) = begun {
            self.pool.free(memory, stream);
            return Err(error);
        }
        if lane != 0 {
            self.begin_period(&mut line);
        }
        let memory = self.pool.zero(memory, stream)?;
        let reserved = |last, uses| Ok(Some(Reserved { backing: Backing::Device(memory), last, uses }));
        if !numbered {
            line.unnumbered = true;
            return reserved(self.context.submissions.submitted() + 1, Uses::default());
        }
        let point = self.number(&mut line, lane);
        if !line.several {
            // So that a mark is put behind it.
            line.courses[lane].claimed = point.sequence;
            return reserved(point.sequence, Uses::default());
        }
        let zeros = Use { point, access: Access::Write, span: Span::WHOLE };
        reserved(0, Uses::beginning(line.period, zeros))
    }

    /// Whether memory is to be made zero beside the first lane's work; then that lane is there.
    fn is_ahead(&self, line: &mut Line, bytes: u64) -> Result<bool, BackendError> {
        if !self.is_busy(line, 0)? {
            return Ok(false);
        }
        if self.lanes[0].finished() >= line.ahead.since {
            line.ahead.since = self.lanes[0].latest();
            line.ahead.bytes = 0;
        }
        if line.ahead.bytes + bytes > MOST_AHEAD {
            return Ok(false);
        }
        line.ahead.bytes += bytes;
        self.stream(UP).map(|_| true)
    }

    /// Frees a device memory behind all that uses it. The context is current.
    pub(crate) fn release(&self, line: &mut Line, memory: &Memory, device: DeviceMemory) {
        match self.last_lane(line, memory).and_then(|lane| Ok((lane, self.stream(lane)?))) {
            Ok((lane, stream)) => {
                self.pool.free(device, stream);
                if lane == RECLAIM {
                    self.number(line, lane);
                }
            }
            Err(error) if error.is_lost() => {}
            Err(error) => log::warn!("{} bytes cannot be freed: {error}", memory.bytes),
        }
    }

    /// Has everything given back to the driver that is not in use.
    pub(crate) fn make_room(&self) -> Result<(), BackendError> {
        self.drain("allocating")?;
        self.graveyard.clear(true, &self.pool, self.streams.first());
        self.pool.trim();
        Ok(())
    }
}
