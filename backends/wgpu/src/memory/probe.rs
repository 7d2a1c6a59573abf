//! Measures how fast the host accesses a device's memories, because drivers do not report it.
//!
//! Some integrated GPUs map memory that is not cached: the host reads that memory tens of times more slowly than its
//! own, and staging copies are faster. Some discrete GPUs provide upload memory of their own, which the host writes
//! only as fast as its stores cross the bus.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anywarp_backend::BackendError;
use anywarp_host::{store, threads};

const BYTES: usize = 4 << 20;
/// The lowest rate of reading shared memory with which it is used, as a share of the rate of ordinary memory.
const ACCEPTED_SHARE: f64 = 0.25;
/// The number of measurements before memory counts as slow: other work on the machine makes a measurement too long,
/// never too short.
const ATTEMPTS: usize = 5;

/// Reads `shared` and as much ordinary memory; returns whether shared memory is fast enough.
pub(crate) fn reads_fast(shared: &[u8]) -> bool {
    let ordinary = vec![1u8; shared.len()];
    let mut shortest = [Duration::MAX; 2];
    let mut share = 0.0;
    for _ in 0..ATTEMPTS {
        shortest = [shortest[0].min(read_time(&ordinary)), shortest[1].min(read_time(shared))];
        share = shortest[0].as_secs_f64() / shortest[1].as_secs_f64().max(1e-9);
        if share >= ACCEPTED_SHARE {
            break;
        }
    }
    log::debug!("the host reads shared memory at {share:.2} of its own memory's rate");
    share >= ACCEPTED_SHARE
}

/// The size of the memory to measure, in bytes.
pub(crate) const fn bytes() -> u64 {
    BYTES as u64
}

/// The shortest time of three passes that read `bytes`; the first pass also touches the pages.
fn read_time(bytes: &[u8]) -> Duration {
    let pass = || {
        let start = Instant::now();
        let (words, _) = bytes.as_chunks::<8>();
        let sum = words.iter().fold(0u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
        black_box(sum);
        start.elapsed()
    };
    (0..3).map(|_| pass()).min().unwrap_or_default()
}

/// Measures the time in which several threads write all of `target`.
pub(crate) fn write_time(target: &mut [u8]) -> Result<Duration, BackendError> {
    const PIECE: usize = 256 << 10;
    /// The approximate time of a piece in nanoseconds.
    const COST: f64 = 25_000.0;
    let source = vec![1u8; PIECE];
    let pieces: Vec<_> = target.chunks_mut(PIECE).map(Mutex::new).collect();
    let start = Instant::now();
    threads::spread(pieces.len() as u64, Some(COST), &|range| {
        for piece in &pieces[range.start as usize..range.end as usize] {
            let mut piece = piece.lock().unwrap_or_else(PoisonError::into_inner);
            let length = piece.len();
            store(&source[..length], black_box(&mut **piece));
        }
        Ok(())
    })?;
    Ok(start.elapsed())
}
