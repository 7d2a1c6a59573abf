//! Converts slices to ranges that a kernel can bind: whole cells, such as words of 4 bytes, from an offset at which the
//! device can bind.
//!
//! Operators accept slices with any start and end. Their kernels bind a slightly larger range, and receive the position
//! of the slice's first element in that range.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::core::{Core, GRANULE};
use super::slice::{Slice, SliceMut};
use super::span::{Span, byte_range};
use crate::element::Element;
use crate::error::BufferError;

/// Returns the cells `C` that contain the elements of `slice`, and the number of elements in these cells before the
/// first element of `slice`.
pub(crate) fn cells<'a, T: Element, C: Element>(slice: &Slice<'a, T>) -> Result<(Slice<'a, C>, u32), BufferError> {
    let (range, first) = in_cells::<T, C>(slice.core, slice.range)?;
    Ok((Slice { core: slice.core, range: Span::within(range), _element: PhantomData }, first))
}

/// [`cells`] for writing. The kernel must preserve elements of these cells outside the slice.
pub(crate) fn cells_mut<'a, T: Element, C: Element>(
    slice: &'a SliceMut<'_, T>,
) -> Result<(SliceMut<'a, C>, u32), BufferError> {
    let (range, first) = in_cells::<T, C>(slice.core, slice.range)?;
    Ok((SliceMut { core: slice.core, range: Span::within(range), _element: PhantomData }, first))
}

/// Returns cells `C` of one or several whole words that contain the range `words` of a slice, and the number of cells
/// before that range. The range is counted in words of 4 bytes from the start of the slice; it begins at a multiple of
/// the cell's size in the buffer.
pub(crate) fn words_mut<'a, T: Element, C: Element>(
    slice: &'a SliceMut<'_, T>,
    words: Range<u64>,
) -> Result<(SliceMut<'a, C>, u32), BufferError> {
    let start = byte_range::<T>(&slice.range.get()?).start;
    let bytes = start + words.start * GRANULE..start + words.end * GRANULE;
    let size = size_of::<C>() as u64;
    let (range, before) = bindable(slice.core, &bytes, size);
    Ok((SliceMut { core: slice.core, range: Span::within(range), _element: PhantomData }, (before / size) as u32))
}

/// Returns cells `C` of one or several whole words that contain the range `words` of a slice, and the number of cells
/// before that range. The range is counted in words of 4 bytes from the start of the slice; it begins at a multiple of
/// the cell's size in the buffer.
pub(crate) fn words<'a, T: Element, C: Element>(
    slice: &Slice<'a, T>,
    words: Range<u64>,
) -> Result<(Slice<'a, C>, u32), BufferError> {
    let start = byte_range::<T>(&slice.range.get()?).start;
    let bytes = start + words.start * GRANULE..start + words.end * GRANULE;
    let size = size_of::<C>() as u64;
    let (range, before) = bindable(slice.core, &bytes, size);
    Ok((Slice { core: slice.core, range: Span::within(range), _element: PhantomData }, (before / size) as u32))
}

/// Returns a slice of elements of 4 bytes as a slice of words.
pub(crate) fn as_words<'a, T: Element>(slice: &Slice<'a, T>) -> Slice<'a, u32> {
    const { assert!(size_of::<T>() as u64 == GRANULE) }
    Slice { core: slice.core, range: slice.range, _element: PhantomData }
}

/// [`as_words`] for writing.
pub(crate) fn as_words_mut<'a, T: Element>(slice: &'a SliceMut<'_, T>) -> SliceMut<'a, u32> {
    const { assert!(size_of::<T>() as u64 == GRANULE) }
    SliceMut { core: slice.core, range: slice.range, _element: PhantomData }
}

/// Returns the words that contain the elements of `slice`, which may be larger than a word, and the number of bytes in
/// these words before the first element.
pub(crate) fn in_words<'a, T: Element>(slice: &Slice<'a, T>) -> Result<(Slice<'a, u32>, u32), BufferError> {
    let (range, before) = bindable(slice.core, &byte_range::<T>(&slice.range.get()?), GRANULE);
    Ok((Slice { core: slice.core, range: Span::within(range), _element: PhantomData }, before as u32))
}

/// [`in_words`] for writing. The kernel must preserve bytes of these words outside the slice.
pub(crate) fn in_words_mut<'a, T: Element>(
    slice: &'a SliceMut<'_, T>,
) -> Result<(SliceMut<'a, u32>, u32), BufferError> {
    let (range, before) = bindable(slice.core, &byte_range::<T>(&slice.range.get()?), GRANULE);
    Ok((SliceMut { core: slice.core, range: Span::within(range), _element: PhantomData }, before as u32))
}

/// Returns a copy of `slice` that borrows it, for one of several launches that an operator makes one after the other.
pub(crate) fn reborrow<'a, T>(slice: &'a SliceMut<'_, T>) -> SliceMut<'a, T> {
    SliceMut { core: slice.core, range: slice.range, _element: PhantomData }
}

/// Returns a part of `slice` that borrows it, for one of several launches that each write a part.
pub(crate) fn part_mut<'a, T>(slice: &'a SliceMut<'_, T>, range: &Range<usize>) -> SliceMut<'a, T> {
    SliceMut { core: slice.core, range: slice.range.part(range), _element: PhantomData }
}

/// Returns `slice` for reading, for launches that bind it in place of an array without elements.
pub(crate) fn read_again<'a, T>(slice: &SliceMut<'a, T>) -> Slice<'a, T> {
    Slice { core: slice.core, range: slice.range, _element: PhantomData }
}

/// Returns the whole words of a buffer that contain the byte range `bytes`.
pub(crate) fn words_around<'a>(core: &'a Arc<Core>, bytes: &Range<u64>) -> Slice<'a, u32> {
    // The last word is within the allocation, which ends at a multiple of the granule.
    let range = (bytes.start / GRANULE) as usize..bytes.end.div_ceil(GRANULE) as usize;
    Slice { core, range: Span::within(range), _element: PhantomData }
}

fn in_cells<T: Element, C: Element>(core: &Core, range: Span) -> Result<(Range<usize>, u32), BufferError> {
    const { assert!(size_of::<C>() as u64 == GRANULE && GRANULE.is_multiple_of(size_of::<T>() as u64)) }
    let (range, before) = bindable(core, &byte_range::<T>(&range.get()?), GRANULE);
    Ok((range, (before / size_of::<T>() as u64) as u32))
}

/// Returns the range of cells of `size` bytes that contains `bytes` and begins at an offset at which the device can
/// bind, and the number of bytes of that range before `bytes`; this number is less than the alignment of bindings.
fn bindable(core: &Core, bytes: &Range<u64>, size: u64) -> (Range<usize>, u64) {
    let alignment = u64::from(core.device.caps().limits.storage_offset_alignment).next_multiple_of(size).max(size);
    let start = bytes.start / alignment * alignment;
    // The last word is within the allocation, which ends at a multiple of the granule. Cells larger than a word end
    // where `bytes` ends.
    let end = bytes.end.next_multiple_of(size);
    ((start / size) as usize..(end / size) as usize, bytes.start - start)
}

/// The bytes of a slice.
pub(crate) fn bytes_of<'a, T: Element>(slice: &Slice<'a, T>) -> Result<Slice<'a, u8>, BufferError> {
    Ok(Slice { core: slice.core, range: bytes_in::<T>(slice.range)?, _element: PhantomData })
}

/// [`bytes_of`] for writing.
pub(crate) fn bytes_of_mut<'a, T: Element>(slice: &SliceMut<'a, T>) -> Result<SliceMut<'a, u8>, BufferError> {
    Ok(SliceMut { core: slice.core, range: bytes_in::<T>(slice.range)?, _element: PhantomData })
}

fn bytes_in<T: Element>(range: Span) -> Result<Span, BufferError> {
    let bytes = byte_range::<T>(&range.get()?);
    Ok(Span::within(bytes.start as usize..bytes.end as usize))
}

/// Returns bytes that begin and end at whole elements `T` as a slice of these elements.
pub(crate) fn elements_of<'a, T: Element>(slice: &Slice<'a, u8>) -> Result<Slice<'a, T>, BufferError> {
    Ok(Slice { core: slice.core, range: elements_in::<T>(slice.range)?, _element: PhantomData })
}

/// [`elements_of`] for writing.
pub(crate) fn elements_of_mut<'a, T: Element>(slice: &'a SliceMut<'_, u8>) -> Result<SliceMut<'a, T>, BufferError> {
    Ok(SliceMut { core: slice.core, range: elements_in::<T>(slice.range)?, _element: PhantomData })
}

fn elements_in<T: Element>(range: Span) -> Result<Span, BufferError> {
    let (range, size) = (range.get()?, size_of::<T>().max(1));
    Ok(Span::within(range.start / size..range.end / size))
}

/// Returns a slice of cells `C`, and the number of its cells before the start of `slice`. The returned slice has the
/// whole cells within `slice`, which begins at a multiple of the cell's size, and the cells before them from an offset
/// at which the device can bind.
pub(crate) fn whole_cells<'a, C: Element>(slice: &Slice<'a, u8>) -> Result<(Slice<'a, C>, u32), BufferError> {
    let (range, first) = whole::<C>(slice.core, slice.range)?;
    Ok((Slice { core: slice.core, range, _element: PhantomData }, first))
}

/// [`whole_cells`] for writing.
pub(crate) fn whole_cells_mut<'a, C: Element>(
    slice: &'a SliceMut<'_, u8>,
) -> Result<(SliceMut<'a, C>, u32), BufferError> {
    let (range, first) = whole::<C>(slice.core, slice.range)?;
    Ok((SliceMut { core: slice.core, range, _element: PhantomData }, first))
}

fn whole<C: Element>(core: &Core, range: Span) -> Result<(Span, u32), BufferError> {
    let (bytes, size) = (byte_range::<u8>(&range.get()?), size_of::<C>() as u64);
    let end = bytes.end - (bytes.end - bytes.start) % size;
    let (range, before) = bindable(core, &(bytes.start..end), size);
    Ok((Span::within(range), (before / size) as u32))
}
