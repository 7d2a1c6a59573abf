//! Upload memory for what the host is about to write, within the device's limit.

use std::sync::Arc;

use anywarp_backend::{BackendError, DeviceKind, HostRange, MemoryKind};
use anywarp_host::store;

use super::copy::{copy_alone, copy_by};
use super::core::GRANULE;
use super::upload::{CHUNK, WHOLE};
use crate::submit::staging::{Block, Upload};
use crate::submit::{Context, Queue, Stopwatch};

impl Context {
    /// A block of at least `bytes` to be written in place, mapped. Waits for copies on their way where that
    /// makes room. `None` if it is more than the limit, or guards hold the rest: ordinary memory must do.
    /// `queue` is the timeline, if the caller has it locked.
    pub(crate) fn upload_block(
        &self,
        bytes: u64,
        queue: Option<&mut Queue<'_>>,
    ) -> Result<Option<(Block, HostRange)>, BackendError> {
        self.block(MemoryKind::Upload, bytes, queue)
    }

    fn block(
        &self,
        kind: MemoryKind,
        bytes: u64,
        mut queue: Option<&mut Queue<'_>>,
    ) -> Result<Option<(Block, HostRange)>, BackendError> {
        let mut flushed = false;
        loop {
            match self.find_block(kind, bytes, &mut flushed, queue.as_deref_mut())? {
                Upload::Block(block) => return self.mapped(block).map(Some),
                Upload::Full => return Ok(None),
                // In a browser ordinary memory must do here, too.
                Upload::After(..) if !self.backend.caps().blocking => return Ok(None),
                Upload::After(batch, _) => {
                    let watch = Stopwatch::start();
                    let waited = batch.ticket().and_then(|ticket| ticket.wait());
                    self.staging.waited(watch.elapsed());
                    // Whose work it is hears what became of it; here it only has to have ended.
                    if let (Err(error), false) = (waited, batch.is_over()) {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// A block, or what to wait for before asking again. What is recorded makes room when it is handed over:
    /// that is done once, as `flushed` tells, before there is none to be had.
    pub(super) fn find_block(
        &self,
        kind: MemoryKind,
        bytes: u64,
        flushed: &mut bool,
        queue: Option<&mut Queue<'_>>,
    ) -> Result<Upload, BackendError> {
        let found = self.staging.acquire_within(kind, bytes)?;
        if !matches!(found, Upload::Full) || *flushed || bytes > self.staging.limit() {
            return Ok(found);
        }
        *flushed = true;
        match queue {
            Some(queue) => queue.flush()?,
            None => self.queue().flush()?,
        }
        self.staging.acquire_within(kind, bytes)
    }

    /// [`upload_block`](Self::upload_block) for a chunk of a copy, which must go on: when there is nothing to
    /// wait for, it gets a block beyond the limit.
    pub(crate) fn chunk_block(
        &self,
        bytes: u64,
        queue: Option<&mut Queue<'_>>,
    ) -> Result<(Block, HostRange), BackendError> {
        match self.block(MemoryKind::Staging, bytes, queue)? {
            Some(block) => Ok(block),
            None => self.mapped(self.staging.acquire(MemoryKind::Staging, bytes)?),
        }
    }

    /// Whether a copy from the host is long enough to go in chunks.
    pub(super) fn goes_in_chunks(&self, bytes: usize) -> bool {
        bytes > WHOLE.min(self.longest_chunk())
    }

    /// The length of a chunk.
    pub(super) fn longest_chunk(&self) -> usize {
        let limit = usize::try_from(self.staging.limit()).unwrap_or(CHUNK).min(CHUNK);
        limit / GRANULE as usize * GRANULE as usize
    }

    /// Copies a piece into staging memory.
    pub(super) fn stage(&self, source: &[u8], target: &mut [u8]) {
        // Software reads it through the caches that it was written through.
        if self.caps().kind == DeviceKind::Software { copy_alone(source, target) } else { store(source, target) }
    }

    /// [`stage`](Self::stage) by several threads.
    pub(super) fn stage_all(&self, source: &[u8], target: &mut [u8]) {
        copy_by(source, target, &|source, target| self.stage(source, target));
    }

    fn mapped(&self, block: Block) -> Result<(Block, HostRange), BackendError> {
        let mapped = self.backend.map(block.memory).and_then(|ticket| ticket.wait());
        match mapped.and_then(|()| self.backend.host(block.memory)) {
            Ok(host) => Ok((block, host)),
            Err(error) => {
                self.staging.release(block);
                Err(error)
            }
        }
    }
}

/// A block that goes back to the pool unless somebody takes it on: its writing is cancelled, or fails.
pub(super) struct Acquired {
    block: Option<Block>,
    device: Arc<Context>,
}

impl Acquired {
    pub(super) fn new(block: Block, device: &Arc<Context>) -> Self {
        Self { block: Some(block), device: Arc::clone(device) }
    }

    /// Takes the block on; `None` never.
    pub(super) fn into_block(mut self) -> Option<Block> {
        self.block.take()
    }
}

impl Drop for Acquired {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.device.staging.release(block);
        }
    }
}
