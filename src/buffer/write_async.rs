//! Writing without blocking: for browsers, where a wait for memory to be mapped must be awaited.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, HostRange, MemoryKind};

use super::copy::copy;
use super::core::{Core, GRANULE, GuardKind};
use super::guard::{Place, Writing};
use super::host::Written;
use super::slice::{aligned, byte_range, nothing};
use super::staging::{Block, Staging};
use super::transfer::{CHUNK, MOST_IN_FLIGHT};
use super::{SliceMut, UnifiedBuffer, WriteGuard};
use crate::Element;
use crate::device::DeviceInner;
use crate::error::BufferError;
use crate::stream::Batch;

impl<T: Element> UnifiedBuffer<T> {
    /// [`write`](Self::write) without blocking. Dropping the future leaves the contents as they are.
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

    /// [`copy_from_slice`](Self::copy_from_slice) without blocking. Dropping the future may leave some
    /// of the elements copied.
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
        let range = self.range?;
        let core = self.core;
        let failed = |error| core.error("writing", error);
        let target = byte_range::<T>(&range);
        if range.is_empty() {
            return Ok(WriteGuard { writing: nothing(core), _borrow: PhantomData });
        }
        core.aligned(&target)?;
        let token = core.guard(GuardKind::Write)?;
        let (place, range) = if core.unified {
            core.begin_shared().map_err(failed)?.await.map_err(failed)?;
            (Place::Shared(core.take_shared().map_err(failed)?), target.start as usize..target.end as usize)
        } else {
            let bytes = target.end - target.start;
            let (block, host) = upload_block(&core.device, bytes).await.map_err(failed)?;
            (Place::Staged(block, host), 0..bytes as usize)
        };
        let writing = Writing { core: Arc::clone(core), place, range, target, changed: true, _token: Some(token) };
        aligned::<T>(&writing)?;
        Ok(WriteGuard { writing, _borrow: PhantomData })
    }

    /// [`copy_from_slice`](Self::copy_from_slice) without blocking; see
    /// [`UnifiedBuffer::copy_from_slice_async`](super::UnifiedBuffer::copy_from_slice_async).
    ///
    /// # Errors
    /// As [`copy_from_slice`](Self::copy_from_slice).
    pub async fn copy_from_slice_async(self, source: &[T]) -> Result<(), BufferError> {
        let range = self.range.clone()?;
        if range.len() != source.len() {
            return Err(BufferError::LengthMismatch { expected: range.len(), got: source.len() });
        }
        if !self.core.unified && size_of_val(source) > CHUNK {
            return upload_in_chunks(self.core, &byte_range::<T>(&range), bytemuck::cast_slice(source)).await;
        }
        copy(source, &mut self.write_async().await?);
        Ok(())
    }
}

/// Uploads `source` at once, chunk by chunk.
async fn upload_in_chunks(core: &Arc<Core>, range: &Range<u64>, source: &[u8]) -> Result<(), BufferError> {
    let range = core.aligned(range)?;
    // Recordings that use the buffer may be submitted while this waits.
    let _token = core.guard(GuardKind::Write)?;
    let failed = |error| core.error("writing", error);
    let mut batches: VecDeque<Arc<Batch>> = VecDeque::new();
    for (index, chunk) in source.chunks(CHUNK).enumerate() {
        let start = range.start + (index * CHUNK) as u64;
        let end = start + (chunk.len() as u64).next_multiple_of(GRANULE);
        if let Some(oldest) = batches.pop_front_if(|_| index >= MOST_IN_FLIGHT) {
            oldest.ticket().map_err(failed)?.await.map_err(failed)?;
        }
        let (block, mut host) = upload_block(&core.device, end - start).await.map_err(failed)?;
        copy(chunk, &mut host.bytes_mut()[..chunk.len()]);
        core.host_wrote(start..end.min(core.bytes), Written::Staged(block, host));
        let mut pending = core.device.stream.lock();
        batches.push_back(Arc::clone(&pending.batch));
        core.upload(&mut pending).map_err(failed)?;
        core.device.stream.flush(&mut pending, &core.device.staging).map_err(failed)?;
    }
    Ok(())
}

/// Staging memory for what the host is about to write.
async fn upload_block(device: &DeviceInner, bytes: u64) -> Result<(Block, HostRange), BackendError> {
    let block = device.staging.acquire(MemoryKind::Upload, bytes)?;
    let memory = block.memory;
    let mut acquired = Acquired { block: Some(block), staging: &device.staging };
    device.backend.map(memory)?.await?;
    let host = device.backend.host(memory)?;
    // It was put there above.
    let block = acquired.block.take().ok_or(BackendError::UnknownMemory(memory))?;
    Ok((block, host))
}

/// Gives a block back when the write is cancelled, or fails.
struct Acquired<'a> {
    block: Option<Block>,
    staging: &'a Staging,
}

impl Drop for Acquired<'_> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.staging.release(block);
        }
    }
}
