//! Host-visible memory that is used again and again: size classes of upload and readback blocks.
//!
//! No write allocates once the blocks it needs exist. Idle blocks above [`MAX_IDLE`] bytes are
//! given back to the driver. Upload blocks in use stay within a limit: who wants more waits for
//! copies that are on their way, and where none is, because guards hold all of it, goes through
//! ordinary memory. Readback blocks are not limited: what a buffer was last read into it keeps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anywarp_backend::{Backend, BackendError, MemoryId, MemoryKind, Ticket};
use smallvec::SmallVec;

use super::batch::Batch;

/// Idle staging memory beyond this is given back.
pub(crate) const MAX_IDLE: u64 = 256 << 20;
/// Upload memory in use at a time, unless the options set another limit.
pub(crate) const MAX_IN_USE: u64 = 1 << 30;
const MIN_BLOCK: u64 = 4 << 10;
/// Readback blocks of one size that cancelled reads may leave on their way; then one is waited for.
const MAX_CANCELLED: usize = 4;

/// The size of the block that serves `bytes`: four classes to each power of two, so that at most
/// a fifth of a block is idle (4 KiB at least).
pub(crate) fn class(bytes: u64) -> u64 {
    if bytes <= MIN_BLOCK {
        return MIN_BLOCK;
    }
    let step = (bytes.next_power_of_two() / 8).max(MIN_BLOCK / 4);
    bytes.next_multiple_of(step)
}

/// One block of staging memory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) memory: MemoryId,
    pub(crate) bytes: u64,
    pub(crate) kind: MemoryKind,
}

/// What came of asking for upload memory.
pub(crate) enum Upload {
    Block(Block),
    /// There is some when this has ended, and its block is mapped.
    After(Arc<Batch>, Option<Ticket>),
    /// Nothing that is on its way would make room.
    Full,
}

/// A block that is in use until its batch has ended.
struct Busy {
    block: Block,
    batch: Arc<Batch>,
    /// The mapping for its next use, where blocking is not possible.
    mapping: Option<Ticket>,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Block>,
    idle_bytes: u64,
    /// Oldest first.
    busy: Vec<Busy>,
    /// All blocks that exist, in use or not.
    total: u64,
    /// Upload blocks that are not idle.
    uploads: u64,
    stats: StagingStats,
}

/// The staging memory of one device.
pub(crate) struct Staging {
    backend: Arc<dyn Backend>,
    /// Bytes of upload blocks in use.
    limit: u64,
    pool: Mutex<Pool>,
}

/// What the staging memory amounts to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StagingStats {
    pub(crate) bytes: u64,
    pub(crate) in_use: u64,
    pub(crate) peak: u64,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) waits: u64,
    pub(crate) waited: Duration,
    pub(crate) bypassed: u64,
}

impl Staging {
    pub(crate) fn new(backend: Arc<dyn Backend>, limit: u64) -> Self {
        Self { backend, limit: limit.max(MIN_BLOCK), pool: Mutex::default() }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most that one block of upload memory may be asked for.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// A block of at least `bytes`, whatever the limit. It may still be mapped from its last use.
    pub(crate) fn acquire(&self, kind: MemoryKind, bytes: u64) -> Result<Block, BackendError> {
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        self.take(&mut pool, kind, class(bytes))
    }

    /// A block of at least `bytes` for what the host writes, within the limit.
    pub(crate) fn acquire_within(&self, kind: MemoryKind, bytes: u64) -> Result<Upload, BackendError> {
        let wanted = class(bytes);
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        if pool.uploads + wanted <= self.limit || (pool.uploads == 0 && bytes <= self.limit) {
            return self.take(&mut pool, kind, wanted).map(Upload::Block);
        }
        let oldest = pool.busy.iter().find(|busy| busy.block.kind != MemoryKind::Readback);
        match oldest {
            Some(busy) if bytes <= self.limit => Ok(Upload::After(Arc::clone(&busy.batch), busy.mapping.clone())),
            _ => Ok(Upload::Full),
        }
    }

    fn take(&self, pool: &mut Pool, kind: MemoryKind, wanted: u64) -> Result<Block, BackendError> {
        let block = match pool.idle.iter().rposition(|block| block.kind == kind && block.bytes == wanted) {
            Some(index) => {
                let block = pool.idle.swap_remove(index);
                pool.idle_bytes -= block.bytes;
                pool.stats.hits += 1;
                block
            }
            None if let Some(cancelled) = pool.oldest_cancelled(kind, wanted) => {
                pool.stats.hits += 1;
                cancelled
            }
            None => {
                pool.stats.misses += 1;
                let memory = self.allocate(pool, kind, wanted)?;
                pool.total += wanted;
                Block { memory, bytes: wanted, kind }
            }
        };
        if kind != MemoryKind::Readback {
            pool.uploads += wanted;
            pool.stats.peak = pool.stats.peak.max(pool.uploads);
        }
        Ok(block)
    }

    fn allocate(&self, pool: &mut Pool, kind: MemoryKind, bytes: u64) -> Result<MemoryId, BackendError> {
        self.backend.allocate(bytes, kind, "anywarp staging").or_else(|error| {
            // Idle blocks of other classes may be what is missing.
            if !matches!(error, BackendError::OutOfMemory { .. }) || pool.idle.is_empty() {
                return Err(error);
            }
            self.free_idle(pool, 0);
            self.backend.allocate(bytes, kind, "anywarp staging")
        })
    }

    /// Gives a block back that nothing uses any more.
    pub(crate) fn release(&self, block: Block) {
        let mut pool = self.pool();
        pool.return_idle(block);
        self.free_idle(&mut pool, MAX_IDLE);
    }

    /// Gives a block back that is in use until `batch` has ended.
    pub(crate) fn release_after(&self, block: Block, batch: &Arc<Batch>) {
        // Where blocking is not possible, a mapping begins as soon as it can. The next user of the block maps it
        // again, and gets the error if that went wrong.
        let early = !self.backend.caps().blocking && block.kind != MemoryKind::Readback;
        let mapping = if early { self.backend.map(block.memory).ok() } else { None };
        self.pool().busy.push(Busy { block, batch: Arc::clone(batch), mapping });
    }

    /// Gives all idle memory back to the driver.
    pub(crate) fn trim(&self) {
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        self.free_idle(&mut pool, 0);
    }

    /// Counts a wait for upload memory.
    pub(crate) fn waited(&self, time: Duration) {
        let stats = &mut self.pool().stats;
        stats.waits += 1;
        stats.waited += time;
    }

    /// Counts a write into ordinary memory for want of upload memory.
    pub(crate) fn bypassed(&self) {
        self.pool().stats.bypassed += 1;
    }

    pub(crate) fn stats(&self) -> StagingStats {
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        StagingStats { bytes: pool.total, in_use: pool.uploads, ..pool.stats }
    }

    fn reclaim(&self, pool: &mut Pool) {
        // Blocks of one batch lie together: asking about it once is enough.
        let mut running: Option<Arc<Batch>> = None;
        let ended = pool.busy.extract_if(.., |busy| {
            if running.as_ref().is_some_and(|batch| Arc::ptr_eq(batch, &busy.batch)) {
                return false;
            }
            let over = busy.batch.is_over();
            if !over {
                running = Some(Arc::clone(&busy.batch));
            }
            over && busy.mapping.as_ref().is_none_or(|mapping| mapping.ended().is_some())
        });
        let ended: SmallVec<[Block; 8]> = ended.map(|busy| busy.block).collect();
        for block in ended {
            pool.return_idle(block);
        }
        self.free_idle(pool, MAX_IDLE);
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

impl Pool {
    /// A block that the copy of a cancelled read is on its way to, if there are many. Whoever gets it
    /// waits, but a program that cancels reads faster than the device ends work needs no more memory.
    fn oldest_cancelled(&mut self, kind: MemoryKind, bytes: u64) -> Option<Block> {
        let such = |busy: &&Busy| kind == MemoryKind::Readback && busy.block.kind == kind && busy.block.bytes == bytes;
        if self.busy.iter().filter(such).count() < MAX_CANCELLED {
            return None;
        }
        let oldest = self.busy.iter().position(|busy| such(&busy))?;
        Some(self.busy.remove(oldest).block)
    }

    fn return_idle(&mut self, block: Block) {
        if block.kind != MemoryKind::Readback {
            self.uploads -= block.bytes;
        }
        self.idle_bytes += block.bytes;
        self.idle.push(block);
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let pool = self.pool.get_mut().unwrap_or_else(PoisonError::into_inner);
        for block in pool.idle.drain(..).chain(pool.busy.drain(..).map(|busy| busy.block)) {
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
            prop_assert!(class <= MIN_BLOCK || class - bytes <= bytes / 4);
            prop_assert_eq!(super::class(class), class, "a class is its own class");
        }
    }
}
