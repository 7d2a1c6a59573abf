//! The plan of a scan for its sizes and its device, and the cost of this plan.

use super::super::error::OperationError;
use super::super::operation::shape::elements;
use super::super::plan::Cost;
use super::super::scanning::element::{ScanElement, element};
use super::super::scanning::sizes::{Chain, MAX_LENGTH};
use super::super::scanning::target::Target;
use super::plan::{self, Choice, Planned};
use super::run::Call;
use super::{OPERATOR, Scan};
use crate::device::Device;

impl Scan<'_> {
    /// The cost of a scan of `length` elements on a device, to compare its time with the limits of the device. It
    /// counts one operation for each element, a lower bound for operations of the caller.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Scan::sum().cost::<f32>(&device, 1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (1000, 8000));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Axis`], [`OperationError::Choice`], and
    /// [`OperationError::Length`] if `length` is not the number of elements of the shape.
    pub fn cost<T: ScanElement>(&self, device: &Device, length: usize) -> Result<Cost, OperationError> {
        let shape = self.shape(length)?;
        let expected = elements(&shape).unwrap_or(usize::MAX);
        if expected != length {
            let (operator, argument) = (OPERATOR.name(), "x".to_owned());
            return Err(OperationError::Length { operator, argument, shape, expected, got: length });
        }
        Ok(self.planned(&self.call::<T>(&shape, false), device).plan.cost())
    }

    /// Returns the shape of the elements; an error if this shape or its segments cannot be scanned.
    pub(super) fn shape(&self, length: usize) -> Result<Vec<usize>, OperationError> {
        let shape = self.along.as_ref().map_or_else(|| vec![length], |(shape, _)| shape.clone());
        if elements(&shape).is_none_or(|count| count as u64 > MAX_LENGTH) {
            return Err(OPERATOR.too_large("x", shape, MAX_LENGTH));
        }
        if let Some((_, axis)) = self.along.as_ref().filter(|(_, axis)| *axis >= shape.len()) {
            let (operator, problem) = (OPERATOR.name(), "is out of range for");
            return Err(OperationError::Axis { operator, axis: *axis, problem, shape });
        }
        let wrong = |argument, got: &str, expected: &str| {
            let (operator, got, expected) = (OPERATOR.name(), got.to_owned(), expected.to_owned());
            Err(OperationError::Choice { operator, argument, expected, got })
        };
        if self.along.is_some() && self.heads.are_given() {
            return wrong(
                "an axis",
                "with segments",
                "each line along the axis is already a segment; omit either the axis or the segments",
            );
        }
        if self.heads.keys.is_some() && (self.heads.flags.is_some() || self.heads.offsets.is_some()) {
            return wrong("segments by keys", "and by heads or offsets", "pass either keys, or heads and offsets");
        }
        if let Some(offsets) = self.heads.offsets.filter(|offsets| offsets.len() as u64 > MAX_LENGTH) {
            return Err(OPERATOR.too_large("offsets", vec![offsets.len()], MAX_LENGTH));
        }
        Ok(shape)
    }

    pub(super) fn call<T: ScanElement>(&self, shape: &[usize], in_place: bool) -> Call<'_> {
        let axis = self.along.as_ref().map_or(0, |(_, axis)| *axis);
        let product = |sizes: &[usize]| sizes.iter().product::<usize>();
        let inner = product(&shape[axis + 1..]);
        Call {
            monoid: &self.monoid,
            element: element::<T>(),
            heads: &self.heads,
            lines: [product(&shape[..axis]) * inner, shape[axis], inner],
            exclusive: self.exclusive,
            reverse: self.reverse,
            in_place,
            vectors: None,
            window: None,
            chain: Chain::USUAL,
        }
    }

    /// Returns the plan of a call, by the form that the caller has set or else by the default choice.
    pub(super) fn planned(&self, call: &Call<'_>, device: &Device) -> Planned {
        let (shape, target, question) = (call.shape(), Target::of(device), call.question());
        let choice = match self.form {
            Some(form) => question.asked(Choice::from(form)),
            None => question.decide(
                device,
                Choice::default_for(shape, target),
                || Choice::all(shape, target),
                |choice| choice.is_possible(shape, target),
            ),
        };
        plan::plan(shape, choice)
    }
}
