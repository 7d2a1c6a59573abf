//! Host-visible memory that is used again and again: size classes of upload and readback blocks.
//!
//! No write allocates once the blocks it needs exist. Idle blocks above [`MOST_IDLE`] bytes are
//! given back to the driver.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Backend, BackendError, MemoryId, MemoryKind};

use crate::timeline::Batch;

/// Idle staging memory beyond this is given back.
pub(crate) const MOST_IDLE: u64 = 256 << 20;
const SMALLEST: u64 = 4 << 10;

/// The size of the block that serves `bytes`: four classes to each power of two, so that at most
/// a fifth of a block is idle (4 KiB at least).
pub(crate) fn class(bytes: u64) -> u64 {
    if bytes <= SMALLEST {
        return SMALLEST;
    }
    let step = (bytes.next_power_of_two() / 8).max(SMALLEST / 4);
    bytes.next_multiple_of(step)
}

/// One block of staging memory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) memory: MemoryId,
    pub(crate) bytes: u64,
    pub(crate) kind: MemoryKind,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Block>,
    idle_bytes: u64,
    busy: Vec<(Arc<Batch>, Block)>,
    /// All blocks that exist, in use or not.
    total: u64,
    hits: u64,
    misses: u64,
}

/// The staging memory of one device.
pub(crate) struct Staging {
    backend: Arc<dyn Backend>,
    pool: Mutex<Pool>,
}

/// What the staging memory amounts to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StagingStats {
    pub(crate) bytes: u64,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
}

impl Staging {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, pool: Mutex::default() }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block of at least `bytes`. It may still be mapped from its last use.
    pub(crate) fn acquire(&self, kind: MemoryKind, bytes: u64) -> Result<Block, BackendError> {
        let wanted = class(bytes);
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        if let Some(index) = pool.idle.iter().rposition(|block| block.kind == kind && block.bytes == wanted) {
            let block = pool.idle.swap_remove(index);
            pool.idle_bytes -= block.bytes;
            pool.hits += 1;
            return Ok(block);
        }
        pool.misses += 1;
        let allocated = self.backend.allocate(wanted, kind, "anywarp staging").or_else(|error| {
            // Idle blocks of other classes may be what is missing.
            if !matches!(error, BackendError::OutOfMemory { .. }) || pool.idle.is_empty() {
                return Err(error);
            }
            self.free_idle(&mut pool, 0);
            self.backend.allocate(wanted, kind, "anywarp staging")
        });
        let memory = allocated?;
        pool.total += wanted;
        Ok(Block { memory, bytes: wanted, kind })
    }

    /// Gives a block back that nothing uses any more.
    pub(crate) fn release(&self, block: Block) {
        let mut pool = self.pool();
        pool.idle_bytes += block.bytes;
        pool.idle.push(block);
        self.free_idle(&mut pool, MOST_IDLE);
    }

    /// Gives a block back that is in use until `batch` has ended.
    pub(crate) fn release_after(&self, block: Block, batch: &Arc<Batch>) {
        self.pool().busy.push((Arc::clone(batch), block));
    }

    /// Gives all idle memory back to the driver.
    pub(crate) fn trim(&self) {
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        self.free_idle(&mut pool, 0);
    }

    pub(crate) fn stats(&self) -> StagingStats {
        let pool = self.pool();
        StagingStats { bytes: pool.total, hits: pool.hits, misses: pool.misses }
    }

    fn reclaim(&self, pool: &mut Pool) {
        let mut index = 0;
        while index < pool.busy.len() {
            if pool.busy[index].0.is_over() {
                let (_, block) = pool.busy.swap_remove(index);
                pool.idle_bytes += block.bytes;
                pool.idle.push(block);
            } else {
                index += 1;
            }
        }
        self.free_idle(pool, MOST_IDLE);
    }

    fn free_idle(&self, pool: &mut Pool, most: u64) {
        while pool.idle_bytes > most && !pool.idle.is_empty() {
            // The block that was idle longest.
            let block = pool.idle.remove(0);
            pool.idle_bytes -= block.bytes;
            pool.total -= block.bytes;
            self.backend.free(block.memory);
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let pool = self.pool.get_mut().unwrap_or_else(PoisonError::into_inner);
        for block in pool.idle.drain(..).chain(pool.busy.drain(..).map(|(_, block)| block)) {
            self.backend.free(block.memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_class_holds_its_bytes_and_wastes_little(bytes in 1u64..1 << 40) {
            let class = class(bytes);
            prop_assert!(class >= bytes);
            prop_assert!(class <= SMALLEST || class - bytes <= bytes / 4);
            prop_assert_eq!(super::class(class), class, "a class is its own class");
        }
    }
}
