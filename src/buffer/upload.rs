//! Large copies from the host's memory, chunk by chunk. Several threads write the next chunks while others are in
//! flight.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use anywarp_backend::{BackendError, HostPieces};

use super::blocks::Acquired;
use super::core::Core;
use super::pieces::{PIECE, for_each};
use crate::submit::{Batch, Context};

/// The size of the first chunk in bytes: small, so that the device starts to copy early.
pub(super) const CHUNK: usize = 4 << 20;
/// The greatest size in bytes of later chunks; copying so many bytes takes long compared with a submission (40 us on
/// Vulkan).
const LONGEST: usize = 8 << 20;
/// Copies larger than this, in bytes, are split into chunks.
pub(super) const WHOLE: usize = 1 << 20;
/// The greatest number of bytes in flight, which bounds the staging memory of one large copy.
pub(super) const MAX_IN_FLIGHT: usize = 64 << 20;

/// A part of a large copy that is submitted at a time.
struct Chunk {
    /// The range of the chunk in the source, in bytes.
    range: Range<usize>,
    /// The staging memory of the chunk, acquired by the first thread that needs it.
    room: OnceLock<Result<Room, BackendError>>,
    /// The number of pieces that are not written yet.
    left: AtomicUsize,
}

impl Chunk {
    fn new(range: Range<usize>) -> Self {
        let left = AtomicUsize::new(range.len().div_ceil(PIECE));
        Self { range, room: OnceLock::new(), left }
    }
}

/// The staging memory of a chunk, divided into pieces; `None` when the chunk is submitted.
type Room = Mutex<Option<(HostPieces, Acquired)>>;

/// Copies `source` to `range` of the buffer. The caller holds a guard of the buffer, or the only reference to it.
pub(super) fn upload(core: &Arc<Core>, range: &Range<u64>, source: &[u8]) -> Result<(), BackendError> {
    let device = &core.device;
    // Earlier writes are sent first. Pending launches are submitted now, so that they run concurrently with the copy
    // and not after its first chunk.
    let mut queue = device.queue_on(0)?;
    core.upload(&mut queue)?;
    queue.flush()?;
    drop(queue);
    let in_flight = InFlight::default();
    // Several threads write several chunks at a time. If these chunks would take much of the staging limit, one thread
    // writes all chunks instead.
    let together = device.staging.limit() >= 2 * MAX_IN_FLIGHT as u64;
    let first = device.longest_chunk();
    let longest = if together { LONGEST } else { first };
    let parts: Vec<Chunk> = growing(source.len(), first, longest).map(Chunk::new).collect();
    let numbers = |part: &Chunk| 0..part.range.len().div_ceil(PIECE);
    let pieces: Vec<(&Chunk, usize)> =
        parts.iter().flat_map(|part| numbers(part).map(move |number| (part, number))).collect();
    let write = |piece: usize| {
        let (part, number) = pieces[piece];
        let acquire = || {
            in_flight.make_room(device)?;
            let (block, host) = device.chunk_block(part.range.len() as u64, None)?;
            Ok(Mutex::new(Some((host.pieces(PIECE), Acquired::new(block, device)))))
        };
        let room = part.room.get_or_init(acquire).as_ref().map_err(Clone::clone)?;
        let taken = room.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|(all, _)| all.take(number));
        if let Some(mut target) = taken {
            let from = &source[part.range.clone()][number * PIECE..];
            let from = &from[..from.len().min(PIECE)];
            device.stage(from, &mut target.bytes_mut()[..from.len()]);
        }
        if part.left.fetch_sub(1, Ordering::AcqRel) > 1 {
            return Ok(());
        }
        let written = room.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((all, acquired)) = written else { return Ok(()) };
        drop(all);
        let Some(block) = acquired.into_block() else { return Ok(()) };
        let at = range.start + part.range.start as u64..range.start + part.range.end as u64;
        let mut queue = device.queue_on(0)?;
        let batch = Arc::clone(queue.batch());
        core.record_upload(&mut queue, &at, block)?;
        core.sent(at, &batch);
        queue.flush()?;
        drop(queue);
        in_flight.push(batch, part.range.len());
        Ok(())
    };
    if together { for_each(pieces.len(), write) } else { (0..pieces.len()).try_for_each(write) }
}

/// Divides a number of bytes into chunks that grow from the length `first` to `longest`.
fn growing(bytes: usize, first: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let (mut start, mut length) = (0, first);
    std::iter::from_fn(move || {
        let chunk = start..bytes.min(start + length);
        start = chunk.end;
        length = (length + length / 2).next_multiple_of(PIECE).min(longest);
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// The chunks of one upload that are in flight.
#[derive(Default)]
pub(super) struct InFlight(Mutex<VecDeque<(Arc<Batch>, usize)>>);

impl InFlight {
    fn batches(&self) -> MutexGuard<'_, VecDeque<(Arc<Batch>, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that `bytes` were submitted with `batch`.
    pub(super) fn push(&self, batch: Arc<Batch>, bytes: usize) {
        self.batches().push_back((batch, bytes));
    }

    /// Waits until so few bytes are in flight that another chunk may be submitted. A browser cannot wait, so in a
    /// browser only the staging limit bounds the memory.
    pub(super) fn make_room(&self, device: &Context) -> Result<(), BackendError> {
        if !device.caps().blocking {
            return Ok(());
        }
        loop {
            let oldest = {
                let mut batches = self.batches();
                let bytes: usize = batches.iter().map(|(_, bytes)| bytes).sum();
                if bytes + LONGEST <= MAX_IN_FLIGHT {
                    return Ok(());
                }
                batches.pop_front()
            };
            let Some((batch, _)) = oldest else { return Ok(()) };
            device.wait_for(&batch.ticket()?)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_and_are_all_of_it() {
        for bytes in [0, 1, PIECE, CHUNK, CHUNK + 1, 300 << 20] {
            for (first, longest) in [(4096, 4096), (CHUNK, CHUNK), (CHUNK, LONGEST)] {
                let chunks: Vec<Range<usize>> = growing(bytes, first, longest).collect();
                let mut end = 0;
                for chunk in &chunks {
                    assert_eq!(chunk.start, end);
                    assert!(!chunk.is_empty() && chunk.len() <= longest);
                    end = chunk.end;
                }
                assert_eq!(end, bytes, "from {first} on");
            }
        }
        assert_eq!(growing(300 << 20, CHUNK, LONGEST).nth(10).map(|chunk| chunk.len()), Some(LONGEST));
    }
}
