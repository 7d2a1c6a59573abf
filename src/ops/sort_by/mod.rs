//! Elements sorted by a comparison.

mod plan;
mod question;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::operation::arguments::Array;
use super::operator::Operator;
use super::plan::Cost;
use super::scanning::element::{ScanElement, element};
use super::scanning::operands;
use super::scanning::sizes::MAX_LENGTH;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use plan::{Choice, Shape};
use run::{Call, Operands};

/// A stable merge sort by a comparison in WGSL, of scalars or vectors.
///
/// The comparison is an expression of type `bool`: whether `x` is before `y`. It must be a strict weak order, as for
/// the sorts of Rust and C++: no element is before itself, and equivalence (neither of two elements is before the
/// other) is transitive. For other comparisons, such as `x < y` with NaN among the elements, the result has no meaning:
/// its elements are from the array, but some may be missing and others may occur twice. [`Sort`](super::Sort) is faster
/// for numbers in their natural order, and sorts NaN last.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let points = device.buffer_from(&[[3.0f32, 4.0], [1.0, 0.0], [0.0, 5.0], [0.0, 2.0]])?;
/// let mut sorted = device.buffer::<[f32; 2]>(4)?;
/// anywarp::ops::SortBy::new("length(x) < length(y)").run(&points, &mut sorted)?;
/// assert_eq!(*sorted.read()?, [[1.0, 0.0], [0.0, 2.0], [3.0, 4.0], [0.0, 5.0]]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a sort does nothing until `run` or `in_place` is called"]
pub struct SortBy<'r> {
    comparison: String,
    preamble: String,
    destination: Destination<'r>,
}

impl<'r> SortBy<'r> {
    /// A sort by a WGSL expression of type `bool`, which is true if `x` is before `y`. The type of `x` and `y` is also
    /// named `T`.
    pub fn new(comparison: &str) -> Self {
        Self { comparison: comparison.to_owned(), preamble: String::new(), destination: Destination::Own }
    }

    /// Sets WGSL declarations for the comparison: functions and constants.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let mut x = device.buffer_from(&[7u32, 10, 3, 21])?;
    /// let by_digit = anywarp::ops::SortBy::new("last(x) < last(y)");
    /// by_digit.preamble("fn last(x: u32) -> u32 { return x % 10u; }").in_place(&mut x)?;
    /// assert_eq!(*x.read()?, [10, 21, 3, 7]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn preamble(mut self, wgsl: &str) -> Self {
        wgsl.clone_into(&mut self.preamble);
        self
    }

    /// Appends the sort to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Sorts on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Writes the sorted elements of `x` to `y`.
    ///
    /// `x` and `y` must be in different buffers, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for a comparison that is not valid, different lengths, a slice out of range, too many
    /// elements, an existing guard, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'y, T: ScanElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (Array::new::<T>(x.into()), Array::new::<T>(y.into()));
        self.call::<T>(&Operands { x: Some(x), y })
    }

    /// Sorts `x` in place.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn in_place<'x, T: ScanElement>(self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        self.call::<T>(&Operands { x: None, y: Array::new::<T>(x.into()) })
    }

    /// The cost of a sort of `length` elements from one array into another, to compare its time with the limits of a
    /// device. The numbers of comparisons and of bytes are lower bounds: each element is compared, read and written once.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: ScanElement>(&self, length: usize, device: &Device) -> Result<Cost, OperationError> {
        let shape = shape::<T>(length, false)?;
        Ok(plan::plan(shape, Choice::of(shape, device)).cost())
    }

    fn call<T: ScanElement>(mut self, operands: &Operands<'_>) -> Result<(), OperationError> {
        let name = if operands.x.is_some() { "y" } else { "x" };
        let x = operands.x.as_ref().unwrap_or(&operands.y);
        // A slice outside its buffer counts as empty here; the next call of `length` returns an error for it.
        let length = operands::length(OPERATOR, "x", x).unwrap_or(0);
        let shape = shape::<T>(length, operands.x.is_none())?;
        let length = operands::length(OPERATOR, "x", x)?;
        operands::expect(OPERATOR, name, &operands.y, &[length])?;
        let mut arrays: Vec<_> = operands.x.iter().map(|x| ("x", x)).collect();
        arrays.push((name, &operands.y));
        let context = &operands.y.bound.core.device;
        operands::check(OPERATOR, context, &arrays, 1, &self.destination)?;
        let call = Call { comparison: &self.comparison, preamble: &self.preamble, element: element::<T>() };
        let plan = plan::plan(shape, Choice::of(shape, &Device::of(context)));
        call.run(operands, shape, &plan, &mut self.destination)
    }
}

fn shape<T: ScanElement>(length: usize, in_place: bool) -> Result<Shape, OperationError> {
    if length as u64 > MAX_LENGTH {
        return Err(OPERATOR.too_large("x", vec![length], MAX_LENGTH));
    }
    Ok(Shape { length: length as u64, element: size_of::<T>() as u64, in_place })
}

const OPERATOR: Operator = Operator("sort by a comparison");
