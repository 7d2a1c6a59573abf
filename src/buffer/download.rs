//! Large copies to the host's memory, chunk by chunk: while some are on their way, those that have come
//! are copied, by several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use anywarp_backend::{BackendError, Ticket};

use super::copy::copy_alone;
use super::core::Core;
use super::host::{Download, HostCopy};
use super::pieces::{PIECE, chunks, for_each};

/// Bytes that the device copies at a time: long beside what a submission takes.
const CHUNK: usize = 8 << 20;
/// Chunks on their way at a time: bounds the readback memory of one large copy.
const MOST_IN_FLIGHT: usize = 4;
/// Copies larger than this go in chunks.
pub(super) const WHOLE: usize = 2 << 20;

/// One chunk.
struct Chunk {
    /// Bytes of the buffer.
    range: Range<u64>,
    coming: Mutex<Coming>,
    /// Emptied when all its pieces were copied.
    here: OnceLock<Result<RwLock<Option<HostCopy>>, BackendError>>,
    /// Pieces to be copied.
    left: AtomicUsize,
}

enum Coming {
    NotAsked,
    Asked(Result<(Download, Ticket), BackendError>),
    /// Whoever needed it first waits for it, or has.
    Taken,
}

impl Chunk {
    fn new(range: Range<u64>) -> Self {
        let pieces = (range.end - range.start).div_ceil(PIECE as u64) as usize;
        let (coming, here, left) = (Mutex::new(Coming::NotAsked), OnceLock::new(), AtomicUsize::new(pieces));
        Self { range, coming, here, left }
    }

    fn coming(&self) -> MutexGuard<'_, Coming> {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, core: &Core) {
        let mut coming = self.coming();
        if matches!(*coming, Coming::NotAsked) {
            *coming = Coming::Asked(core.fetch(&self.range));
        }
    }

    fn wait(&self, core: &Core) -> Result<RwLock<Option<HostCopy>>, BackendError> {
        let coming = std::mem::replace(&mut *self.coming(), Coming::Taken);
        let (download, ticket) = match coming {
            Coming::Asked(asked) => asked?,
            // A thread that was held up should have asked.
            Coming::NotAsked | Coming::Taken => core.fetch(&self.range)?,
        };
        ticket.wait()?;
        Ok(RwLock::new(Some(download.arrived()?)))
    }
}

/// What one thread copies of a chunk.
struct Piece<'a> {
    part: usize,
    /// Byte of the chunk.
    start: usize,
    /// Taken once, so that the lock is never waited for.
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
    parts.iter().take(MOST_IN_FLIGHT).for_each(|part| part.ask(core));
    for_each(pieces.len(), |piece| {
        let piece = &pieces[piece];
        let part = &parts[piece.part];
        let here = part.here.get_or_init(|| {
            let here = part.wait(core);
            if let Some(next) = parts.get(piece.part + MOST_IN_FLIGHT) {
                next.ask(core);
            }
            here
        });
        let here = here.as_ref().map_err(Clone::clone)?;
        {
            let target = &mut **piece.target.lock().unwrap_or_else(PoisonError::into_inner);
            let copy = here.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(copy) = &*copy {
                copy_alone(&copy.bytes()[piece.start..piece.start + target.len()], target);
            }
        }
        if part.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            *here.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(())
    })
}
