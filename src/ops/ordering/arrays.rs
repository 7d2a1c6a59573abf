//! The arrays of a call: their checks, and the words that kernels bind.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::BackendKind;

use super::super::error::OperationError;
use super::super::operator::Operator;
use crate::buffer::cells::{in_words, in_words_mut, read_again, reborrow};
use crate::buffer::core::Core;
use crate::buffer::span::{Span, byte_range};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer, transfer};
use crate::device::Device;
use crate::element::Element;
use crate::error::{BufferError, LaunchError};
use crate::submit::{Context, Destination, Refusal, Resource};

/// The properties of an array that the checks need.
pub(crate) struct Checked<'a> {
    argument: &'static str,
    core: &'a Arc<Core>,
    range: Span,
    /// The range that kernels bind, in bytes.
    bound: Range<u64>,
    written: bool,
}

impl<'a> Checked<'a> {
    /// An array that is read; an error for a slice outside its buffer.
    pub(crate) fn read<T: Element>(
        operator: Operator,
        argument: &'static str,
        slice: &Slice<'a, T>,
    ) -> Result<Self, OperationError> {
        Self::of::<T>(operator, argument, (slice.core, slice.range), false)
    }

    /// An array that is written; an error for a slice outside its buffer.
    pub(crate) fn written<T: Element>(
        operator: Operator,
        argument: &'static str,
        slice: &SliceMut<'a, T>,
    ) -> Result<Self, OperationError> {
        Self::of::<T>(operator, argument, (slice.core, slice.range), true)
    }

    fn of<T: Element>(
        operator: Operator,
        argument: &'static str,
        (core, range): (&'a Arc<Core>, Span),
        written: bool,
    ) -> Result<Self, OperationError> {
        let bytes = byte_range::<T>(&range.get().map_err(operator.slice(argument))?);
        let alignment = u64::from(core.device.caps().limits.storage_offset_alignment).max(4);
        let bound = bytes.start / alignment * alignment..bytes.end.next_multiple_of(4);
        Ok(Self { argument, core, range, bound, written })
    }

    /// Returns an error unless the array has this length.
    pub(crate) fn expect(&self, operator: Operator, expected: usize) -> Result<(), OperationError> {
        let got = self.range.len();
        if got == expected {
            return Ok(());
        }
        let (operator, argument) = (operator.name(), self.argument.to_owned());
        Err(OperationError::Length { operator, argument, shape: vec![expected], expected, got })
    }
}

/// Returns an error for an array or a destination of another device, for two arrays of one buffer that a launch cannot
/// bind together, and for an existing guard.
pub(crate) fn check(
    operator: Operator,
    context: &Arc<Context>,
    arrays: &[Checked<'_>],
    destination: &Destination<'_>,
) -> Result<(), OperationError> {
    for array in arrays {
        if !Arc::ptr_eq(&array.core.device, context) {
            let (what, theirs) = (format!("'{}'", array.argument), array.core.device.selector.clone());
            return Err(operator.other_device(context, what, theirs));
        }
    }
    for (at, first) in arrays.iter().enumerate() {
        for second in &arrays[at + 1..] {
            conflict(operator, context, first, second)?;
        }
    }
    if let Err(refusal) = destination.check(context) {
        return Err(operator.refused(context, &[], refusal));
    }
    // The guards of a recording's buffers are checked when the recording is submitted.
    if !matches!(destination, Destination::Recording(_)) {
        for array in arrays {
            array.core.guarded().map_or(Ok(()), |guard| Err(operator.in_use(array.argument, guard)))?;
        }
    }
    Ok(())
}

/// Returns an error for two arrays of one buffer that a launch could not bind together; a kernel may bind any two
/// arrays of a call.
fn conflict(
    operator: Operator,
    context: &Context,
    first: &Checked<'_>,
    second: &Checked<'_>,
) -> Result<(), OperationError> {
    let one_is_written = first.written || second.written;
    if !one_is_written || !Arc::ptr_eq(first.core, second.core) {
        return Ok(());
    }
    let overlap = first.bound.start < second.bound.end && second.bound.start < first.bound.end;
    let problem = if overlap {
        "are so close to each other in one buffer that the device cannot bind both; use separate buffers"
    } else if first.written != second.written && !context.caps().aliased_bindings {
        "are in one buffer, and one of them is written; use separate buffers on this device"
    } else {
        return Ok(());
    };
    let (kernel, first, second) = (operator.name(), first.argument.to_owned(), second.argument.to_owned());
    Err(LaunchError::Conflict { kernel, first, second, problem }.into())
}

/// Whether the device is the CPU backend, on which barriers take long.
pub(crate) fn is_processor(device: &Device) -> bool {
    device.caps().backend == BackendKind::Cpu
}

/// The greatest number of elements of `bytes` bytes in an array: kernels count words in 32 bits, with room for the
/// alignment of bindings and for a tile beyond the end.
pub(crate) fn limit(device: &Device, bytes: u64) -> u64 {
    let words = (device.caps().limits.storage_binding_size / 4 - 64).min((1 << 32) - (1 << 16));
    (words / bytes.div_ceil(4)).min((1 << 32) - (1 << 16))
}

/// The words of an array that is read, and the number of elements in these words before the array. An array without
/// elements is replaced by `spare`, as a binding cannot be empty.
pub(crate) fn words<'a, T: Element>(
    operator: Operator,
    argument: &'static str,
    slice: &Slice<'a, T>,
    spare: &SliceMut<'a, u32>,
) -> Result<(Slice<'a, u32>, u32), OperationError> {
    if slice.is_empty() {
        return Ok((read_again(spare), 0));
    }
    let (words, first_byte) = in_words(slice).map_err(operator.slice(argument))?;
    Ok((words, first_byte / size_of::<T>() as u32))
}

/// [`words`] of an array that is written.
pub(crate) fn words_mut<'a, T: Element>(
    operator: Operator,
    argument: &'static str,
    slice: &'a SliceMut<'_, T>,
    spare: &'a SliceMut<'_, u32>,
) -> Result<(SliceMut<'a, u32>, u32), OperationError> {
    if slice.is_empty() {
        return Ok((reborrow(spare), 0));
    }
    let (words, first_byte) = in_words_mut(slice).map_err(operator.slice(argument))?;
    Ok((words, first_byte / size_of::<T>() as u32))
}

/// Scratch memory of at least one word.
pub(crate) fn scratch(
    operator: Operator,
    device: &Device,
    words: u64,
    destination: &Destination<'_>,
) -> Result<UnifiedBuffer<u32>, OperationError> {
    let words = usize::try_from(words.max(1)).unwrap_or(usize::MAX);
    let memory = device.scratch::<u32>(words, destination);
    memory.map_err(|error| OperationError::Buffer { operator: operator.name(), error })
}

/// Fills an array with one value.
pub(crate) fn fill(
    operator: Operator,
    argument: &'static str,
    words: &SliceMut<'_, u32>,
    value: u32,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    match transfer::fill(destination, words, value) {
        Err(BufferError::Device { error, .. }) => {
            Err(operator.refused(&words.core.device, &[], Refusal::Device(error)))
        }
        Err(BufferError::InUse { guard }) => Err(operator.in_use(argument, guard)),
        outcome => outcome.map(drop).map_err(operator.slice(argument)),
    }
}

/// Copies an array to another of the same length.
pub(crate) fn copy<T: Element>(
    operator: Operator,
    argument: &'static str,
    from: &Slice<'_, T>,
    to: &SliceMut<'_, T>,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    match transfer::copy(destination, from, to) {
        Err(BufferError::Device { error, .. }) => Err(operator.refused(&to.core.device, &[], Refusal::Device(error))),
        Err(BufferError::InUse { guard }) => Err(operator.in_use(argument, guard)),
        outcome => outcome.map(drop).map_err(operator.slice(argument)),
    }
}
