//! Upload memory for writes by the host, within the staging limit of the device's options.

use std::sync::Arc;

use anywarp_backend::{BackendError, DeviceKind, HostRange, MemoryKind};
use anywarp_host::store;

use super::copy::{copy, copy_alone, copy_by};
use super::core::GRANULE;
use super::upload::{CHUNK, WHOLE};
use crate::submit::staging::{Block, Upload};
use crate::submit::{Context, Event, Queue, Stopwatch};

impl Context {
    /// Returns a mapped block of at least `bytes` bytes, to be written in place. Waits for running copies if their end
    /// frees enough memory. Returns `None`, for which the caller uses ordinary memory, if `bytes` exceeds the staging
    /// limit, or if guards hold so much of the limit that too little is left. `queue` is the locked timeline, if the
    /// caller has locked it.
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
                // A browser cannot wait for running copies: in a browser, too, the caller uses ordinary memory.
                Upload::After(..) if !self.backend.caps().blocking => return Ok(None),
                Upload::After(batch, _) => {
                    let watch = Stopwatch::start();
                    let waited = batch.ticket().and_then(|ticket| self.wait_for(&ticket));
                    self.staging.waited(watch.elapsed());
                    // An error of the batch is reported to the code that submitted the batch; this function needs only
                    // the end of the batch.
                    if let (Err(error), false) = (waited, batch.is_over()) {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Returns a block, or the batch to wait for before the next attempt. Before this function reports that no block is
    /// available, it submits the pending commands once, as their completion frees blocks; `flushed` records this.
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

    /// [`upload_block`](Self::upload_block) for a chunk of a copy that has already begun: if no running copy could free
    /// a block, this function allocates a block beyond the staging limit.
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

    /// The greatest length of a chunk in bytes: a multiple of the granule within the staging limit.
    pub(super) fn longest_chunk(&self) -> usize {
        let limit = usize::try_from(self.staging.limit()).unwrap_or(CHUNK).min(CHUNK);
        limit / GRANULE as usize * GRANULE as usize
    }

    /// Copies `source` into staging memory.
    pub(super) fn stage(&self, source: &[u8], target: &mut [u8]) {
        self.copying(source.len(), true, || self.store(source, target));
    }

    fn store(&self, source: &[u8], target: &mut [u8]) {
        // A software device reads the data through the CPU's caches, so stores need not bypass the caches.
        if self.caps().kind == DeviceKind::Software { copy_alone(source, target) } else { store(source, target) }
    }

    /// [`stage`](Self::stage) on several threads.
    pub(super) fn stage_all(&self, source: &[u8], target: &mut [u8]) {
        self.copying(source.len(), true, || copy_by(source, target, &|source, target| self.store(source, target)));
    }

    /// Copies `source`, of the program, to memory of a buffer, on several threads.
    pub(super) fn copy_in(&self, source: &[u8], target: &mut [u8]) {
        self.copying(source.len(), true, || copy(source, target));
    }

    /// Copies `source`, of a buffer, to memory of the program, on several threads.
    pub(super) fn copy_out(&self, source: &[u8], target: &mut [u8]) {
        self.copying(source.len(), false, || copy(source, target));
    }

    /// Calls `copy`, which copies this many bytes, and reports it to the observers.
    pub(super) fn copying(&self, bytes: usize, to_buffer: bool, copy: impl FnOnce()) {
        if !self.events.is_observed() {
            return copy();
        }
        let watch = Stopwatch::start();
        copy();
        self.events.emit(|| Event::HostCopy { bytes: bytes as u64, to_buffer, took: watch.elapsed() });
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

/// A staging block for a write. Dropping this value returns the block to the pool, unless
/// [`into_block`](Self::into_block) has taken it, which a cancelled or failed write does not.
pub(super) struct Acquired {
    block: Option<Block>,
    device: Arc<Context>,
}

impl Acquired {
    pub(super) fn new(block: Block, device: &Arc<Context>) -> Self {
        Self { block: Some(block), device: Arc::clone(device) }
    }

    /// Takes the block, which then does not return to the pool. The result is never `None`.
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
