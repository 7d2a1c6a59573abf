//! The arrays of a call, as bytes, and their checks.

use std::sync::Arc;

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::shape::elements;
use super::super::operator::Operator;
use super::super::scanning::operands as shared;
use super::MAX_ELEMENTS;
use crate::buffer::cells::{in_words, in_words_mut, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::element::Element;
use crate::error::{BufferError, LaunchError};
use crate::submit::{Context, Destination};

/// Two arrays as the kernels bind them, each with the number of cells in its binding before its first element.
pub(crate) struct Cells<'m, C> {
    pub(crate) x: Slice<'m, C>,
    pub(crate) first_of_x: u32,
    pub(crate) y: SliceMut<'m, C>,
    pub(crate) first_of_y: u32,
}

impl<'m, C: Element> Cells<'m, C> {
    /// The cells of arrays that begin with a whole cell.
    pub(crate) fn whole(
        operator: Operator,
        x: &Slice<'m, u8>,
        y: &'m SliceMut<'_, u8>,
    ) -> Result<Self, OperationError> {
        let (x, first_of_x) = whole_cells(x).map_err(operator.slice("x"))?;
        let (y, first_of_y) = whole_cells_mut(y).map_err(operator.slice("y"))?;
        Ok(Self { x, first_of_x, y, first_of_y })
    }
}

impl<'m> Cells<'m, u32> {
    /// The words of arrays of elements of `size` bytes, 1 or 2; `first_of_x` and `first_of_y` count these elements.
    pub(crate) fn packed(
        operator: Operator,
        x: &Slice<'m, u8>,
        y: &'m SliceMut<'_, u8>,
        size: u64,
    ) -> Result<Self, OperationError> {
        let (x, before_x) = in_words(x).map_err(operator.slice("x"))?;
        let (y, before_y) = in_words_mut(y).map_err(operator.slice("y"))?;
        let [first_of_x, first_of_y] = [before_x, before_y].map(|before| before / size as u32);
        Ok(Self { x, first_of_x, y, first_of_y })
    }

    /// The words of arrays of elements of two bytes.
    pub(crate) fn halves(
        operator: Operator,
        x: &Slice<'m, u8>,
        y: &'m SliceMut<'_, u8>,
    ) -> Result<Self, OperationError> {
        Self::packed(operator, x, y, 2)
    }
}

/// Returns the number of elements of a shape; an error if kernels cannot count the elements, or their words.
pub(crate) fn counted<T: Element>(
    operator: Operator,
    argument: &str,
    shape: &[usize],
) -> Result<usize, OperationError> {
    let cell = 1 << size_of::<T>().trailing_zeros().min(2);
    let limit = MAX_ELEMENTS / (size_of::<T>() as u64 / cell).max(1);
    match elements(shape) {
        Some(count) if count as u64 <= limit => Ok(count),
        _ => Err(operator.too_large(argument, shape.to_vec(), limit)),
    }
}

/// Returns an error unless an array has as many elements as a shape.
pub(crate) fn expect(
    operator: Operator,
    argument: &str,
    (got, shape): (usize, &[usize]),
) -> Result<(), OperationError> {
    let expected = elements(shape).unwrap_or(usize::MAX);
    if got == expected {
        return Ok(());
    }
    let (operator, argument, shape) = (operator.name(), argument.to_owned(), shape.to_vec());
    Err(OperationError::Length { operator, argument, shape, expected, got })
}

/// Returns an error unless the shape has this axis.
pub(crate) fn expect_axis(operator: Operator, axis: usize, shape: &[usize]) -> Result<(), OperationError> {
    if axis < shape.len() {
        return Ok(());
    }
    let (operator, problem) = (operator.name(), "is out of range for");
    Err(OperationError::Axis { operator, axis, problem, shape: shape.to_vec() })
}

/// As [`check_places`], and an error for an array that does not fit into one binding.
pub(crate) fn check(
    operator: Operator,
    device: &Arc<Context>,
    arrays: &[(&'static str, Slice<'_, u8>)],
    written: usize,
    destination: &Destination<'_>,
) -> Result<(), OperationError> {
    check_places(operator, device, arrays, written, destination)?;
    arrays.iter().try_for_each(|(name, array)| bindable(operator, name, array))
}

/// Returns an error for an array of another device, an existing guard, and an input and an output in one buffer that
/// the device cannot bind together. The outputs are the last `written` of the arrays. Arrays may be larger than a
/// binding: this is for operators that bind parts of them, or that bind nothing.
pub(crate) fn check_places(
    operator: Operator,
    device: &Arc<Context>,
    arrays: &[(&'static str, Slice<'_, u8>)],
    written: usize,
    destination: &Destination<'_>,
) -> Result<(), OperationError> {
    let arrays: Vec<(&'static str, Array<'_>)> =
        arrays.iter().map(|(name, slice)| (*name, Array::new::<u8>(*slice))).collect();
    let all: Vec<(&'static str, &Array<'_>)> = arrays.iter().map(|(name, array)| (*name, array)).collect();
    shared::check_places(operator, device, &all, written, destination)?;
    let outputs = arrays.len() - written;
    let bound = |array: &Array<'_>| {
        let alignment = u64::from(device.caps().limits.storage_offset_alignment).max(16);
        let bytes = array.bound.bytes.as_ref().ok().filter(|bytes| !bytes.is_empty());
        bytes.map(|bytes| bytes.start / alignment * alignment..bytes.end.next_multiple_of(16))
    };
    for (first, input) in &arrays[..outputs] {
        for (second, output) in &arrays[outputs..] {
            let (Some(a), Some(b)) = (bound(input), bound(output)) else { continue };
            if Arc::ptr_eq(input.bound.core, output.bound.core) && a.start < b.end && b.start < a.end {
                return Err(OperationError::Launch(LaunchError::Conflict {
                    kernel: operator.name(),
                    first: (*first).to_owned(),
                    second: (*second).to_owned(),
                    problem: "are so close to each other in one buffer that the device cannot bind both; use separate \
                              buffers",
                }));
            }
        }
    }
    Ok(())
}

/// Returns an error unless the whole array fits into one binding of the device.
pub(crate) fn bindable(operator: Operator, name: &str, array: &Slice<'_, u8>) -> Result<(), OperationError> {
    shared::bindable(operator, name, &Array::new::<u8>(*array))
}

/// The byte of its buffer at which a slice begins; 0 for an invalid slice.
pub(crate) fn start(slice: &Slice<'_, u8>) -> u64 {
    slice.range.get().map_or(0, |range| range.start as u64)
}

/// [`start`] of a slice that is written.
pub(crate) fn start_mut(slice: &SliceMut<'_, u8>) -> u64 {
    slice.range.get().map_or(0, |range| range.start as u64)
}

/// The bytes of a slice that is read; an error for a slice outside its buffer.
pub(crate) fn bytes<'a, T: Element>(
    operator: Operator,
    name: &'static str,
    slice: &Slice<'a, T>,
) -> Result<Slice<'a, u8>, OperationError> {
    crate::buffer::cells::bytes_of(slice).map_err(operator.slice(name))
}

/// The bytes of a slice that is written; an error for a slice outside its buffer.
pub(crate) fn bytes_mut<'a, T: Element>(
    operator: Operator,
    name: &'static str,
    slice: &SliceMut<'a, T>,
) -> Result<SliceMut<'a, u8>, OperationError> {
    crate::buffer::cells::bytes_of_mut(slice).map_err(operator.slice(name))
}

/// The error of scratch memory that could not be allocated.
pub(crate) fn memory(operator: Operator) -> impl Fn(BufferError) -> OperationError {
    move |error| OperationError::Buffer { operator: operator.name(), error }
}
