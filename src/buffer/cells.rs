//! A slice as a kernel binds it: cells of 4 bytes, from an offset at which the device can bind.
//!
//! The library's own kernels accept slices with any start and end. They bind a slightly larger range, and receive the
//! position of the first element.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::core::{Core, GRANULE};
use super::slice::{Slice, SliceMut};
use super::span::{Span, byte_range};
use crate::element::Element;
use crate::error::BufferError;

/// The cells `C` that contain the elements, and the number of elements before the first one.
pub(crate) fn cells<'a, T: Element, C: Element>(slice: &Slice<'a, T>) -> Result<(Slice<'a, C>, u32), BufferError> {
    let (range, first) = bindable::<T, C>(slice.core, slice.range)?;
    Ok((Slice { core: slice.core, range: Span::within(range), _element: PhantomData }, first))
}

/// [`cells`] for writing. The kernel preserves elements of these cells outside the slice.
pub(crate) fn cells_mut<'a, T: Element, C: Element>(
    slice: &'a SliceMut<'_, T>,
) -> Result<(SliceMut<'a, C>, u32), BufferError> {
    let (range, first) = bindable::<T, C>(slice.core, slice.range)?;
    Ok((SliceMut { core: slice.core, range: Span::within(range), _element: PhantomData }, first))
}

fn bindable<T: Element, C: Element>(core: &Arc<Core>, range: Span) -> Result<(Range<usize>, u32), BufferError> {
    const { assert!(size_of::<C>() as u64 == GRANULE && GRANULE.is_multiple_of(size_of::<T>() as u64)) }
    let bytes = byte_range::<T>(&range.get()?);
    let alignment =
        u64::from(core.device.caps().limits.storage_offset_alignment).next_multiple_of(GRANULE).max(GRANULE);
    let start = bytes.start / alignment * alignment;
    // Allocations end at a multiple of the granule.
    let end = bytes.end.next_multiple_of(GRANULE);
    // Smaller than the alignment, so far below 2^32.
    let first = (bytes.start - start) / size_of::<T>() as u64;
    Ok(((start / GRANULE) as usize..(end / GRANULE) as usize, first as u32))
}
