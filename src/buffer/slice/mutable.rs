//! Writes through slices: guards, copies and fills.

use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

use anywarp_backend::{BackendError, HostRange};

use super::super::core::{Core, GRANULE, GuardKind, GuardToken};
use super::super::guard::{GuardMemory, UpdateGuard, WriteGuard, Writing};
use super::super::host::{Heap, Reading};
use super::super::span::byte_range;
use super::super::unsent::SHORT;
use super::super::{transfer, upload};
use super::{Slice, SliceMut, alignment};
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::Destination;
use crate::submit::staging::Block;

impl<'a, T: Element> SliceMut<'a, T> {
    /// The number of elements; 0 for a slice out of range.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether the slice has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same part of the buffer, borrowed for reading.
    #[must_use]
    pub fn as_slice(&self) -> Slice<'_, T> {
        Slice { core: self.core, range: self.range, _element: PhantomData }
    }

    /// A part of this slice, for as long as `self` is borrowed.
    #[must_use]
    pub fn slice_mut(&mut self, bounds: impl RangeBounds<usize>) -> SliceMut<'_, T> {
        SliceMut { core: self.core, range: self.range.part(&bounds), _element: PhantomData }
    }

    /// Splits the slice into the elements before index `middle` and the elements from `middle` on.
    #[must_use]
    pub fn split_at_mut(self, middle: usize) -> (SliceMut<'a, T>, SliceMut<'a, T>) {
        let part = |range| SliceMut { core: self.core, range, _element: PhantomData };
        (part(self.range.part(&(..middle))), part(self.range.part(&(middle..))))
    }

    /// Borrows the elements for overwriting them; see [`UnifiedBuffer::write`](super::super::UnifiedBuffer::write).
    ///
    /// # Errors
    /// As [`UnifiedBuffer::write`](super::super::UnifiedBuffer::write); [`BufferError::OutOfRange`] or
    /// [`BufferError::Misaligned`] for an invalid slice.
    pub fn write(self) -> Result<WriteGuard<'a, T>, BufferError> {
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
            core.begin_shared().and_then(|ticket| core.device.wait_for(&ticket)).map_err(failed)?;
            GuardMemory::Shared(core.take_shared().map_err(failed)?)
        } else {
            let bytes = target.end - target.start;
            match memory_for_few(core, bytes).map_err(failed)? {
                Some(memory) => memory,
                None => memory_in(core, core.device.upload_block(bytes, None).map_err(failed)?, bytes),
            }
        };
        Ok(WriteGuard { writing: writing::<T>(core, memory, target, true, token)?, _borrow: PhantomData })
    }

    /// Borrows the elements for reading and changing them; see
    /// [`UnifiedBuffer::update`](super::super::UnifiedBuffer::update), which also describes the cost of updates of more
    /// than 4 MiB.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn update(self) -> Result<UpdateGuard<'a, T>, BufferError> {
        let core = self.core;
        let Some(target) = self.update_target()? else {
            return Ok(UpdateGuard { writing: nothing(core), _borrow: PhantomData });
        };
        let failed = |error| core.error("reading", error);
        let token = core.guard(GuardKind::Update)?;
        let reading = core.begin_read(&target).map_err(failed)?;
        core.device.wait_for(&reading.ticket()).map_err(failed)?;
        update_guard(core, reading, target, token)
    }

    /// [`update`](Self::update) without blocking.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn update_async(self) -> Result<UpdateGuard<'a, T>, BufferError> {
        let core = self.core;
        let Some(target) = self.update_target()? else {
            return Ok(UpdateGuard { writing: nothing(core), _borrow: PhantomData });
        };
        let failed = |error| core.error("reading", error);
        let token = core.guard(GuardKind::Update)?;
        let reading = core.begin_read(&target).map_err(failed)?;
        reading.ticket().await.map_err(failed)?;
        update_guard(core, reading, target, token)
    }

    /// The range to update in bytes; `None` if it is empty.
    fn update_target(&self) -> Result<Option<Range<u64>>, BufferError> {
        let target = byte_range::<T>(&self.range.get()?);
        self.core.aligned(&target)?;
        Ok((!target.is_empty()).then_some(target))
    }

    /// Copies all elements from `source`.
    ///
    /// Large copies are split into chunks, so that the copies of host and device overlap.
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`] if the lengths differ; otherwise as [`write`](Self::write). After an error in
    /// the middle of a large copy, some elements have their new and the others their old values: copy or write all
    /// elements again.
    pub fn copy_from_slice(self, source: &[T]) -> Result<(), BufferError> {
        let range = self.range.get()?;
        if range.len() != source.len() {
            return Err(BufferError::LengthMismatch { expected: range.len(), got: source.len() });
        }
        if !self.core.unified && self.core.device.goes_in_chunks(size_of_val(source)) {
            let bytes = self.core.aligned(&byte_range::<T>(&range))?;
            // Without the guard, other threads could submit recordings that use the buffer during the copy.
            let _token = self.core.guard(GuardKind::Write)?;
            let uploaded = upload::upload(self.core, &bytes, bytemuck::cast_slice(source));
            return uploaded.map_err(|error| self.core.error("writing", error));
        }
        let device = &self.core.device;
        device.copy_in(bytemuck::cast_slice(source), bytemuck::cast_slice_mut(&mut self.write()?));
        Ok(())
    }

    /// Copies the elements of another buffer, on the device.
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`], [`BufferError::OtherDevice`], [`BufferError::InUse`] while a guard of either
    /// buffer exists, or the device's error.
    pub fn copy_from<'b>(self, source: impl Into<Slice<'b, T>>) -> Result<(), BufferError>
    where
        T: 'b,
    {
        transfer::copy(Destination::Own, &source.into(), &self).map(|_| ())
    }

    /// Sets every element to `value`, on the device.
    ///
    /// # Errors
    /// [`BufferError::InUse`] while a guard exists, or the device's error.
    pub fn fill(self, value: T) -> Result<(), BufferError> {
        if transfer::pattern_of(&value).is_none() {
            self.write()?.fill(value);
            return Ok(());
        }
        transfer::fill(Destination::Own, &self, value).map(|_| ())
    }
}

pub(in crate::buffer) fn nothing(core: &Arc<Core>) -> Writing {
    Writing {
        core: Arc::clone(core),
        memory: GuardMemory::Empty,
        range: 0..0,
        target: 0..0,
        changed: false,
        _token: None,
    }
}

/// Ordinary memory for a write so short that it is uploaded together with other writes; `None` for a longer write.
pub(in crate::buffer) fn memory_for_few(core: &Core, bytes: u64) -> Result<Option<GuardMemory>, BackendError> {
    if bytes > SHORT {
        return Ok(None);
    }
    // Nothing else on this path checks whether the device is lost.
    core.device.alive()?;
    Ok(Some(GuardMemory::Heap(Heap::zeroed(bytes.next_multiple_of(GRANULE)))))
}

/// The memory for a write of `bytes`: `block`, or ordinary memory if no block was available.
pub(in crate::buffer) fn memory_in(core: &Core, block: Option<(Block, HostRange)>, bytes: u64) -> GuardMemory {
    match block {
        Some((block, host)) => GuardMemory::Staged(block, host),
        None => {
            core.device.staging.bypassed();
            GuardMemory::Heap(Heap::zeroed(bytes.next_multiple_of(GRANULE)))
        }
    }
}

/// The state of a guard over the bytes `target` of the buffer; an error if the memory is not aligned for the elements.
pub(in crate::buffer) fn writing<T: Element>(
    core: &Arc<Core>,
    memory: GuardMemory,
    target: Range<u64>,
    changed: bool,
    token: GuardToken,
) -> Result<Writing, BufferError> {
    let range = match &memory {
        // Shared memory covers the whole buffer, the other kinds only the written range.
        GuardMemory::Shared(_) => target.start as usize..target.end as usize,
        _ => 0..(target.end - target.start) as usize,
    };
    let writing = Writing { core: Arc::clone(core), memory, range, target, changed, _token: Some(token) };
    let bytes = &writing.memory.bytes()[writing.range.clone()];
    bytemuck::try_cast_slice::<u8, T>(bytes).map_err(|_| alignment::<T>())?;
    Ok(writing)
}

fn update_guard<'a, T: Element>(
    core: &Arc<Core>,
    reading: Reading,
    target: Range<u64>,
    token: GuardToken,
) -> Result<UpdateGuard<'a, T>, BufferError> {
    let failed = |error| core.error("reading", error);
    let view = core.end_read(reading).map_err(failed)?;
    let memory = if core.unified {
        drop(view);
        GuardMemory::Shared(core.take_shared().map_err(failed)?)
    } else {
        // Nothing else on this path checks whether the device is lost; writes to a lost device would have no effect.
        core.device.alive().map_err(failed)?;
        // Ordinary memory, as upload memory may be slow to read.
        let bytes = target.end - target.start;
        let (start, length) = ((target.start - view.base()) as usize, bytes as usize);
        let mut heap = Heap::zeroed(bytes.next_multiple_of(GRANULE));
        heap.bytes_mut()[..length].copy_from_slice(&view.bytes()[start..start + length]);
        GuardMemory::Heap(heap)
    };
    Ok(UpdateGuard { writing: writing::<T>(core, memory, target, false, token)?, _borrow: PhantomData })
}
