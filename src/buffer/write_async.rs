//! Writing without blocking, for browsers, where the mapping of memory must be awaited.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, HostRange, MemoryKind};

use super::blocks::Acquired;
use super::core::{Core, GuardKind};
use super::guard::GuardMemory;
use super::host::Written;
use super::pieces::chunks;
use super::slice::{memory_for_few, memory_in, nothing, writing};
use super::span::byte_range;
use super::upload::{CHUNK, MAX_IN_FLIGHT};
use super::{SliceMut, UnifiedBuffer, WriteGuard};
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::Batch;
use crate::submit::Context;
use crate::submit::staging::{Block, Upload};

impl<T: Element> UnifiedBuffer<T> {
    /// [`write`](Self::write) without blocking. Dropping the future leaves the contents unchanged.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let mut x = device.buffer::<u32>(1024)?;
    /// pollster::block_on(async {
    ///     x.write_async().await?.fill(7);
    ///     Ok::<_, anywarp::Error>(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn write_async(&mut self) -> Result<WriteGuard<'_, T>, BufferError> {
        self.slice_mut(..).write_async().await
    }

    /// [`copy_from_slice`](Self::copy_from_slice) without blocking. If the future is dropped, or returns an error, some
    /// elements may have been copied.
    ///
    /// # Errors
    /// As [`copy_from_slice`](Self::copy_from_slice).
    pub async fn copy_from_slice_async(&mut self, source: &[T]) -> Result<(), BufferError> {
        self.slice_mut(..).copy_from_slice_async(source).await
    }
}

impl<'a, T: Element> SliceMut<'a, T> {
    /// [`write`](Self::write) without blocking; see
    /// [`UnifiedBuffer::write_async`](super::UnifiedBuffer::write_async).
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn write_async(self) -> Result<WriteGuard<'a, T>, BufferError> {
        let range = self.range.get()?;
        let core = self.core;
        let failed = |error| core.error("writing", error);
        let target = byte_range::<T>(&range);
        if range.is_empty() {
            return Ok(WriteGuard { writing: nothing(core), _borrow: PhantomData });
        }
        core.aligned(&target)?;
        let token = core.guard(GuardKind::Write)?;
        let memory = if core.unified {
            core.begin_shared().map_err(failed)?.await.map_err(failed)?;
            GuardMemory::Shared(core.take_shared().map_err(failed)?)
        } else {
            let bytes = target.end - target.start;
            match memory_for_few(core, bytes).map_err(failed)? {
                Some(memory) => memory,
                None => {
                    let block = upload_block(&core.device, MemoryKind::Upload, bytes).await.map_err(failed)?;
                    memory_in(core, block, bytes)
                }
            }
        };
        Ok(WriteGuard { writing: writing::<T>(core, memory, target, true, token)?, _borrow: PhantomData })
    }

    /// [`copy_from_slice`](Self::copy_from_slice) without blocking; see
    /// [`UnifiedBuffer::copy_from_slice_async`](super::UnifiedBuffer::copy_from_slice_async).
    ///
    /// # Errors
    /// As [`copy_from_slice`](Self::copy_from_slice).
    pub async fn copy_from_slice_async(self, source: &[T]) -> Result<(), BufferError> {
        let range = self.range.get()?;
        if range.len() != source.len() {
            return Err(BufferError::LengthMismatch { expected: range.len(), got: source.len() });
        }
        if !self.core.unified && self.core.device.goes_in_chunks(size_of_val(source)) {
            return upload_in_chunks(self.core, &byte_range::<T>(&range), bytemuck::cast_slice(source)).await;
        }
        let device = &self.core.device;
        device.copy_in(bytemuck::cast_slice(source), bytemuck::cast_slice_mut(&mut self.write_async().await?));
        Ok(())
    }
}

/// Uploads `source` immediately, chunk by chunk.
async fn upload_in_chunks(core: &Arc<Core>, range: &Range<u64>, source: &[u8]) -> Result<(), BufferError> {
    let range = core.aligned(range)?;
    // Without the guard, recordings that use the buffer could be submitted while this function waits.
    let _token = core.guard(GuardKind::Write)?;
    let failed = |error| core.error("writing", error);
    let device = &core.device;
    let mut sent: VecDeque<Arc<Batch>> = VecDeque::new();
    for chunk in chunks(source.len(), device.longest_chunk()) {
        while sent.len() >= MAX_IN_FLIGHT / CHUNK
            && let Some(oldest) = sent.pop_front()
        {
            oldest.ticket().map_err(failed)?.await.map_err(failed)?;
        }
        let source = &source[chunk.clone()];
        let at = range.start + chunk.start as u64..range.start + chunk.end as u64;
        let (block, mut host) =
            match upload_block(device, MemoryKind::Staging, source.len() as u64).await.map_err(failed)? {
                Some(block) => block,
                // The copy has begun and must be completed, so its block is allocated even beyond the staging limit.
                None => {
                    let block = device.staging.acquire(MemoryKind::Staging, source.len() as u64).map_err(failed)?;
                    mapped(device, block).await.map_err(failed)?
                }
            };
        device.stage_all(source, &mut host.bytes_mut()[..source.len()]);
        core.host_wrote(at, Written::Staged(block, host));
        let mut queue = device.queue_on(0).map_err(failed)?;
        sent.push_back(Arc::clone(queue.batch()));
        core.upload(&mut queue).map_err(failed)?;
        queue.flush().map_err(failed)?;
    }
    Ok(())
}

/// [`Context::upload_block`] without blocking.
async fn upload_block(
    device: &Arc<Context>,
    kind: MemoryKind,
    bytes: u64,
) -> Result<Option<(Block, HostRange)>, BackendError> {
    let mut flushed = false;
    loop {
        match device.find_block(kind, bytes, &mut flushed, None)? {
            Upload::Block(block) => return mapped(device, block).await.map(Some),
            Upload::Full => return Ok(None),
            Upload::After(batch, mapping) => {
                // An error of the batch is reported to the code that submitted the batch; this function needs only the
                // end of the batch.
                if let (Err(error), false) = (batch.ticket()?.await, batch.is_over()) {
                    return Err(error);
                }
                if let Some(mapping) = mapping {
                    let _ = mapping.await;
                }
            }
        }
    }
}

async fn mapped(device: &Arc<Context>, block: Block) -> Result<(Block, HostRange), BackendError> {
    let memory = block.memory;
    let acquired = Acquired::new(block, device);
    device.backend.map(memory)?.await?;
    let host = device.backend.host(memory)?;
    // `Acquired::new` above has stored the block, so it is present.
    let block = acquired.into_block().ok_or(BackendError::UnknownMemory(memory))?;
    Ok((block, host))
}
