//! Parts of a buffer, and their operations.

mod mutable;

use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::Arc;

use super::core::{Core, GuardKind, GuardToken};
use super::download;
use super::guard::ReadGuard;
use super::host::{Heap, HostView};
use super::span::{Span, byte_range};
use crate::element::Element;
use crate::error::BufferError;
pub(super) use mutable::{memory_for_few, memory_in, nothing, writing};

/// A part of a buffer, borrowed for reading. Created by [`UnifiedBuffer::slice`](super::UnifiedBuffer::slice).
pub struct Slice<'a, T> {
    pub(crate) core: &'a Arc<Core>,
    /// The range of the slice, in elements of the buffer.
    pub(crate) range: Span,
    pub(super) _element: PhantomData<T>,
}

/// A part of a buffer, borrowed for writing. Created by [`UnifiedBuffer::slice_mut`](super::UnifiedBuffer::slice_mut).
pub struct SliceMut<'a, T> {
    pub(crate) core: &'a Arc<Core>,
    /// The range of the slice, in elements of the buffer.
    pub(crate) range: Span,
    pub(super) _element: PhantomData<&'a mut T>,
}

impl<T> Clone for Slice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slice<'_, T> {}

fn alignment<T>() -> BufferError {
    BufferError::Alignment { element: std::any::type_name::<T>(), align: align_of::<T>() }
}

impl<'a, T: Element> Slice<'a, T> {
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

    /// The part of this slice at `bounds`, in elements. If `bounds` are outside the slice, using the part is an error.
    #[must_use]
    pub fn slice(&self, bounds: impl RangeBounds<usize>) -> Slice<'a, T> {
        Slice { core: self.core, range: self.range.part(&bounds), _element: PhantomData }
    }

    /// Waits for the device and borrows the elements; see
    /// [`UnifiedBuffer::read`](super::UnifiedBuffer::read).
    ///
    /// # Errors
    /// As [`UnifiedBuffer::read`](super::UnifiedBuffer::read); [`BufferError::OutOfRange`] or
    /// [`BufferError::Misaligned`] for an invalid slice.
    pub fn read(self) -> Result<ReadGuard<'a, T>, BufferError> {
        let range = self.range.get()?;
        let failed = |error| self.core.error("reading", error);
        if range.is_empty() {
            return Ok(empty());
        }
        let bytes = byte_range::<T>(&range);
        self.core.aligned(&bytes)?;
        let token = self.core.guard(GuardKind::Read)?;
        let reading = self.core.begin_read(&bytes).map_err(failed)?;
        self.core.device.wait_for(&reading.ticket()).map_err(failed)?;
        let view = self.core.end_read(reading).map_err(failed)?;
        guard(view, &bytes, token)
    }

    /// [`read`](Self::read) without blocking.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub async fn read_async(self) -> Result<ReadGuard<'a, T>, BufferError> {
        let range = self.range.get()?;
        let failed = |error| self.core.error("reading", error);
        if range.is_empty() {
            return Ok(empty());
        }
        let bytes = byte_range::<T>(&range);
        self.core.aligned(&bytes)?;
        let token = self.core.guard(GuardKind::Read)?;
        let reading = self.core.begin_read(&bytes).map_err(failed)?;
        reading.ticket().await.map_err(failed)?;
        let view = self.core.end_read(reading).map_err(failed)?;
        guard(view, &bytes, token)
    }

    /// Copies the elements into `target`.
    ///
    /// # Errors
    /// [`BufferError::LengthMismatch`] if the lengths differ; otherwise as [`read`](Self::read).
    pub fn copy_to_slice(self, target: &mut [T]) -> Result<(), BufferError> {
        let got = self.range.get()?.len();
        if got != target.len() {
            return Err(BufferError::LengthMismatch { expected: target.len(), got });
        }
        let core = self.core;
        let bytes = byte_range::<T>(&self.range.get()?);
        if core.unified || size_of_val(target) <= download::WHOLE || core.is_on_host(&bytes) {
            core.device.copy_out(bytemuck::cast_slice(&self.read()?), bytemuck::cast_slice_mut(target));
            return Ok(());
        }
        core.aligned(&bytes)?;
        let _token = core.guard(GuardKind::Read)?;
        let target = bytemuck::cast_slice_mut(target);
        download::download(core, &bytes, target).map_err(|error| core.error("reading", error))
    }

    /// [`copy_to_slice`](Self::copy_to_slice) without blocking. Dropping the future leaves `target` unchanged.
    ///
    /// # Errors
    /// As [`copy_to_slice`](Self::copy_to_slice).
    pub async fn copy_to_slice_async(self, target: &mut [T]) -> Result<(), BufferError> {
        let got = self.range.get()?.len();
        if got != target.len() {
            return Err(BufferError::LengthMismatch { expected: target.len(), got });
        }
        let elements = self.read_async().await?;
        self.core.device.copy_out(bytemuck::cast_slice(&elements), bytemuck::cast_slice_mut(target));
        Ok(())
    }
}

pub(super) fn empty<'a, T>() -> ReadGuard<'a, T> {
    let view = HostView::Heap(Arc::new(Heap::zeroed(0)), 0);
    ReadGuard { view, range: 0..0, _token: None, _borrow: PhantomData }
}

pub(super) fn guard<'a, T: Element>(
    view: HostView,
    bytes: &Range<u64>,
    token: GuardToken,
) -> Result<ReadGuard<'a, T>, BufferError> {
    let range = (bytes.start - view.base()) as usize..(bytes.end - view.base()) as usize;
    bytemuck::try_cast_slice::<u8, T>(&view.bytes()[range.clone()]).map_err(|_| alignment::<T>())?;
    Ok(ReadGuard { view, range, _token: Some(token), _borrow: PhantomData })
}

impl<'a, T: Element> From<&'a SliceMut<'_, T>> for Slice<'a, T> {
    fn from(slice: &'a SliceMut<'_, T>) -> Self {
        slice.as_slice()
    }
}

impl<'a, T: Element> From<&Slice<'a, T>> for Slice<'a, T> {
    fn from(slice: &Slice<'a, T>) -> Self {
        *slice
    }
}
