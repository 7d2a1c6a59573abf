//! Host-visible memory that is reused: upload and readback blocks in size classes.
//!
//! A write allocates nothing once blocks of its size classes exist. Idle blocks above [`MAX_IDLE`] bytes in total are
//! freed. Upload blocks in use stay within a limit. A write that would exceed this limit waits for running copies; if
//! no copy is running, because guards hold all blocks, the write uses ordinary memory. Readback blocks are not limited:
//! a buffer keeps the block of its last read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anywarp_backend::{Backend, BackendError, MemoryId, MemoryKind, Ticket};
use smallvec::SmallVec;

use super::batch::Batch;

/// The greatest amount of idle staging memory in bytes; further idle memory is freed.
pub(crate) const MAX_IDLE: u64 = 256 << 20;
/// The default limit of upload memory in use, in bytes.
pub(crate) const MAX_IN_USE: u64 = 1 << 30;
const MIN_BLOCK: u64 = 4 << 10;
/// The greatest number of readback blocks of one size that cancelled reads leave in flight; when it is reached, the
/// oldest of these blocks is reused.
const MAX_CANCELLED: usize = 4;

/// The size of the block for `bytes`: four classes per power of two, so that at most a fifth of a block is unused. The
/// smallest block has 4 KiB.
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

/// The outcome of a request for upload memory.
pub(crate) enum Upload {
    Block(Block),
    /// Memory becomes available when this batch has ended and its block is mapped.
    After(Arc<Batch>, Option<Ticket>),
    /// No running work would free enough memory.
    Full,
}

/// A block that is in use until its batch has ended.
struct Busy {
    block: Block,
    batch: Arc<Batch>,
    /// The mapping for its next use, on devices that cannot block.
    mapping: Option<Ticket>,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Block>,
    idle_bytes: u64,
    /// Blocks that a batch uses, ordered from the oldest.
    busy: Vec<Busy>,
    /// The bytes of all blocks, in use or idle.
    total: u64,
    /// The bytes of upload blocks in use.
    uploads: u64,
    stats: StagingStats,
}

/// The staging memory of one device.
pub(crate) struct Staging {
    backend: Arc<dyn Backend>,
    /// The greatest number of bytes of upload blocks in use.
    limit: u64,
    pool: Mutex<Pool>,
}

/// The amounts and counts of staging memory.
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

    /// The greatest number of bytes that one upload block may have.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns a block of at least `bytes`, regardless of the limit. The block may still be mapped from its last use.
    pub(crate) fn acquire(&self, kind: MemoryKind, bytes: u64) -> Result<Block, BackendError> {
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        self.take(&mut pool, kind, class(bytes))
    }

    /// Requests a block of at least `bytes`, within the limit, for data that the host writes.
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
            // Idle blocks of other size classes may be the reason for the lack of memory, so they are freed.
            if !matches!(error, BackendError::OutOfMemory { .. }) || pool.idle.is_empty() {
                return Err(error);
            }
            self.free_idle(pool, 0);
            self.backend.allocate(bytes, kind, "anywarp staging")
        })
    }

    /// Returns a block that is no longer in use.
    pub(crate) fn release(&self, block: Block) {
        let mut pool = self.pool();
        pool.return_idle(block);
        self.free_idle(&mut pool, MAX_IDLE);
    }

    /// Returns a block that is in use until `batch` has ended.
    pub(crate) fn release_after(&self, block: Block, batch: &Arc<Batch>) {
        // On devices that cannot block, the mapping begins as early as possible. The next user of the block maps it
        // again, and receives the error if that failed.
        let early = !self.backend.caps().blocking && block.kind != MemoryKind::Readback;
        let mapping = if early { self.backend.map(block.memory).ok() } else { None };
        self.pool().busy.push(Busy { block, batch: Arc::clone(batch), mapping });
    }

    /// Frees all idle memory.
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

    /// Counts a write that used ordinary memory for lack of upload memory.
    pub(crate) fn bypassed(&self) {
        self.pool().stats.bypassed += 1;
    }

    pub(crate) fn stats(&self) -> StagingStats {
        let mut pool = self.pool();
        self.reclaim(&mut pool);
        StagingStats { bytes: pool.total, in_use: pool.uploads, ..pool.stats }
    }

    fn reclaim(&self, pool: &mut Pool) {
        // Blocks of one batch are neighbours, so each batch is checked once.
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

    fn free_idle(&self, pool: &mut Pool, limit: u64) {
        while pool.idle_bytes > limit && !pool.idle.is_empty() {
            // The block that was idle for the longest time.
            let block = pool.idle.remove(0);
            pool.idle_bytes -= block.bytes;
            pool.total -= block.bytes;
            self.backend.free(block.memory);
        }
    }
}

impl Pool {
    /// Removes and returns the oldest block that the copy of a cancelled read still writes to, if there are
    /// [`MAX_CANCELLED`] such blocks of this size. The next user of the block waits for that copy, but a program that
    /// cancels reads faster than the device completes them needs no more memory.
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
