//! Large copies to the host's memory, chunk by chunk. Several threads copy the chunks that have arrived while others
//! are in flight.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use anywarp_backend::{BackendError, Ticket};

use super::copy::copy_alone;
use super::core::Core;
use super::host::{Download, HostCopy};
use super::pieces::{PIECE, chunks, for_each};

/// The number of bytes that the device copies at a time; copying them takes long compared with a submission.
const CHUNK: usize = 8 << 20;
/// The greatest number of chunks in flight, which bounds the readback memory of one large copy.
const MAX_IN_FLIGHT: usize = 4;
/// Copies larger than this, in bytes, are split into chunks.
pub(super) const WHOLE: usize = 2 << 20;

/// A part of a large copy that the device copies at a time.
struct Chunk {
    /// The range of the chunk in the buffer, in bytes.
    range: Range<u64>,
    transfer: Mutex<Transfer>,
    /// The chunk in readback memory, after its transfer; `None` after all pieces were copied to their target.
    arrived: OnceLock<Result<RwLock<Option<HostCopy>>, BackendError>>,
    /// The number of pieces that are not copied yet.
    left: AtomicUsize,
}

enum Transfer {
    NotStarted,
    Started(Result<(Download, Ticket), BackendError>),
    /// The first thread that needs the chunk waits for the transfer, or has waited for it.
    Taken,
}

impl Chunk {
    fn new(range: Range<u64>) -> Self {
        let pieces = (range.end - range.start).div_ceil(PIECE as u64) as usize;
        let (transfer, arrived, left) = (Mutex::new(Transfer::NotStarted), OnceLock::new(), AtomicUsize::new(pieces));
        Self { range, transfer, arrived, left }
    }

    fn transfer(&self) -> MutexGuard<'_, Transfer> {
        self.transfer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self, core: &Core) {
        let mut transfer = self.transfer();
        if matches!(*transfer, Transfer::NotStarted) {
            *transfer = Transfer::Started(core.fetch(&self.range));
        }
    }

    fn wait(&self, core: &Core) -> Result<RwLock<Option<HostCopy>>, BackendError> {
        let transfer = std::mem::replace(&mut *self.transfer(), Transfer::Taken);
        let (download, ticket) = match transfer {
            Transfer::Started(started) => started?,
            // The thread that should have started the transfer was delayed.
            Transfer::NotStarted | Transfer::Taken => core.fetch(&self.range)?,
        };
        core.device.wait_for(&ticket)?;
        Ok(RwLock::new(Some(download.arrived()?)))
    }
}

/// The part of a chunk that one thread copies.
struct Piece<'a> {
    part: usize,
    /// The start of the piece within the chunk, in bytes.
    start: usize,
    /// The memory to copy to. Only one thread locks it, so the lock never blocks.
    target: Mutex<&'a mut [u8]>,
}

/// Copies `range` of the buffer to `target`. The caller holds a guard.
pub(super) fn download(core: &Core, range: &Range<u64>, target: &mut [u8]) -> Result<(), BackendError> {
    let at = |chunk: Range<usize>| range.start + chunk.start as u64..range.start + chunk.end as u64;
    let parts: Vec<Chunk> = chunks(target.len(), CHUNK).map(|chunk| Chunk::new(at(chunk))).collect();
    let pieces: Vec<Piece<'_>> = target
        .chunks_mut(CHUNK)
        .zip(0..)
        .flat_map(|(chunk, part)| {
            let starts = (0..).step_by(PIECE);
            chunk.chunks_mut(PIECE).zip(starts).map(move |(target, start)| Piece { part, start, target: target.into() })
        })
        .collect();
    parts.iter().take(MAX_IN_FLIGHT).for_each(|part| part.start(core));
    for_each(pieces.len(), |piece| {
        let piece = &pieces[piece];
        let part = &parts[piece.part];
        let arrived = part.arrived.get_or_init(|| {
            let arrived = part.wait(core);
            if let Some(next) = parts.get(piece.part + MAX_IN_FLIGHT) {
                next.start(core);
            }
            arrived
        });
        let arrived = arrived.as_ref().map_err(Clone::clone)?;
        {
            let target = &mut **piece.target.lock().unwrap_or_else(PoisonError::into_inner);
            let copy = arrived.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(copy) = &*copy {
                let source = &copy.bytes()[piece.start..piece.start + target.len()];
                core.device.copying(source.len(), false, || copy_alone(source, target));
            }
        }
        if part.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            *arrived.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(())
    })
}
