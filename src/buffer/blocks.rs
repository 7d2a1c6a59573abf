//! Upload memory for writes of the host, within the device's limit.

use std::sync::Arc;

use anywarp_backend::{BackendError, DeviceKind, HostRange, MemoryKind};
use anywarp_host::store;

use super::copy::{copy_alone, copy_by};
use super::core::GRANULE;
use super::upload::{CHUNK, WHOLE};
use crate::submit::staging::{Block, Upload};
use crate::submit::{Context, Queue, Stopwatch};

impl Context {
    /// A mapped block of at least `bytes`, to be written in place. Waits for running copies if their end makes room.
    /// `None` if the size exceeds the limit, or guards hold the rest: then the caller uses ordinary memory. `queue` is
    /// the timeline, if the caller has locked it.
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
                // In a browser, which cannot wait, the caller uses ordinary memory here, too.
                Upload::After(..) if !self.backend.caps().blocking => return Ok(None),
                Upload::After(batch, _) => {
                    let watch = Stopwatch::start();
                    let waited = batch.ticket().and_then(|ticket| ticket.wait());
                    self.staging.waited(watch.elapsed());
                    // The outcome is reported to the owner of that work; here its end is enough.
                    if let (Err(error), false) = (waited, batch.is_over()) {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// A block, or the work to wait for before trying again. Before it reports that there is none, it submits the
    /// pending commands once, as their completion frees blocks; `flushed` records that this has happened.
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

    /// [`upload_block`](Self::upload_block) for a chunk of a copy that has already begun: when there is nothing to wait
    /// for, it allocates a block beyond the limit.
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

    /// Whether a copy from the host is long enough to be split into chunks.
    pub(super) fn goes_in_chunks(&self, bytes: usize) -> bool {
        bytes > WHOLE.min(self.longest_chunk())
    }

    /// The length of a chunk, in bytes.
    pub(super) fn longest_chunk(&self) -> usize {
        let limit = usize::try_from(self.staging.limit()).unwrap_or(CHUNK).min(CHUNK);
        limit / GRANULE as usize * GRANULE as usize
    }

    /// Copies a piece into staging memory.
    pub(super) fn stage(&self, source: &[u8], target: &mut [u8]) {
        // A software device reads the data through the CPU's caches, so it need not bypass them.
        if self.caps().kind == DeviceKind::Software { copy_alone(source, target) } else { store(source, target) }
    }

    /// [`stage`](Self::stage) on several threads.
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

/// A block that returns to the pool unless it is taken: its write may be cancelled, or may fail.
pub(super) struct Acquired {
    block: Option<Block>,
    device: Arc<Context>,
}

impl Acquired {
    pub(super) fn new(block: Block, device: &Arc<Context>) -> Self {
        Self { block: Some(block), device: Arc::clone(device) }
    }

    /// Takes the block. The result is never `None`.
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
