//! Reductions of segments: ranges of elements whose limits are on the device.

mod form;
pub(super) mod plan;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;
mod wgsl;

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::call::{MAX_ELEMENTS, Signature};
use super::super::scanning::operands;
use super::ReductionCall;
use super::fit::Parts;
use crate::buffer::Slice;
use crate::kernel::DeviceCount;

/// The elements at which segments begin and end.
pub(super) struct Limits<'b> {
    /// The index of the first element of each segment. Without `count`, also the end of the last segment.
    pub(super) offsets: Array<'b>,
    /// The number of offsets, if only the device knows it.
    pub(super) count: Option<&'b DeviceCount>,
}

impl ReductionCall<'_> {
    /// Returns which elements are combined into one result.
    pub(super) fn parts(&self) -> Result<Parts, OperationError> {
        let signature = &self.kernel.own.signature;
        let Some(offsets) = &self.segments else { return Ok(Parts::Axes) };
        let segments = checked(signature, self, offsets)?;
        Ok(Parts::Segments(segments))
    }
}

/// Checks the offsets and returns the number of segments.
fn checked(signature: &Signature, call: &ReductionCall<'_>, offsets: &Slice<'_, u32>) -> Result<usize, OperationError> {
    let operator = signature.kernel.clone();
    let wrong = |argument, expected: &str, got: &str| {
        let (operator, expected, got) = (operator.clone(), expected.to_owned(), got.to_owned());
        Err(OperationError::Choice { operator, argument, expected, got })
    };
    if call.axes.is_some() {
        return wrong("axes", "reduce either along axes or in segments", "with segments");
    }
    let array = Array::new::<u32>(*offsets);
    let length = operands::length_of(&operator, "offsets", &array)?;
    if length as u64 > MAX_ELEMENTS {
        let (argument, shape) = ("offsets".to_owned(), vec![length]);
        return Err(OperationError::TooLarge { operator, argument, shape, limit: MAX_ELEMENTS });
    }
    if length == 0 {
        return wrong("a number of offsets of", "pass one offset more than there are segments", "0");
    }
    signature.same_device(&call.device.context, "'offsets'", &offsets.core.device)?;
    Ok(length - 1)
}
