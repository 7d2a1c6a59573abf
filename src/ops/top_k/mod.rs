//! The largest or smallest elements.

mod offer;
mod plan;
mod question;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::operator::Operator;
use super::ordering::arrays::limit;
use super::ordering::keys::{KeyOrder, SortKey};
use super::plan::Cost;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use plan::{Choice, Shape};
use run::Operands;

/// Writes the `k` largest elements of `x`, in descending order, and their indices.
///
/// Equal elements are in the order of their indices. NaN is larger than all numbers, as in `PyTorch`, and `-0.0` equals
/// `0.0`. All elements keep their bits. [`TopK`] can also select the smallest elements, and elements of each row.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[2.0f32, 9.0, 4.0, 9.0, 1.0])?;
/// let (mut values, mut indices) = (device.buffer::<f32>(3)?, device.buffer::<u32>(3)?);
/// anywarp::ops::top_k(&x, &mut values, &mut indices, 3)?;
/// assert_eq!(*values.read()?, [9.0, 9.0, 4.0]);
/// assert_eq!(*indices.read()?, [1, 3, 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for a `k` above the number of elements, outputs of another length than `k`, a slice out of range,
/// too many elements, an existing guard, or an error of the device. In that case nothing has run.
pub fn top_k<'x, 'v, 'i, K: SortKey>(
    x: impl Into<Slice<'x, K>>,
    values: impl Into<SliceMut<'v, K>>,
    indices: impl Into<SliceMut<'i, u32>>,
    k: usize,
) -> Result<(), OperationError> {
    TopK::new(k).run(x, values, indices)
}

/// [`top_k`] with further options: the smallest elements, elements of each row, NaN last, a stream, or a recording.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::TopK;
///
/// let x = device.buffer_from(&[5u8, 1, 3, 2, 2, 8])?;
/// let (mut values, mut indices) = (device.buffer::<u8>(4)?, device.buffer::<u32>(4)?);
/// TopK::new(2).rows(2).largest(false).run(&x, &mut values, &mut indices)?;
/// assert_eq!(*values.read()?, [1, 3, 2, 2]);
/// assert_eq!(*indices.read()?, [1, 2, 0, 1]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a selection does nothing until `run` is called"]
pub struct TopK<'r> {
    k: usize,
    rows: usize,
    largest: bool,
    nan_last: bool,
    destination: Destination<'r>,
}

impl<'r> TopK<'r> {
    /// A selection of the `k` largest elements of an array.
    pub fn new(k: usize) -> Self {
        Self { k, rows: 1, largest: true, nan_last: false, destination: Destination::Own }
    }

    /// Selects from each of this many rows of equal length, which follow each other in the array. The outputs have a
    /// row of `k` elements for each of these rows; indices count from the beginning of the row.
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    /// Selects the smallest elements, in ascending order, if `largest` is false.
    pub fn largest(mut self, largest: bool) -> Self {
        self.largest = largest;
        self
    }

    /// Orders NaN after all numbers, also if the largest elements are selected.
    pub fn nan_last(mut self) -> Self {
        self.nan_last = true;
        self
    }

    /// Appends the selection to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Selects on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a selection from `length` elements, to compare its time with the limits of a device.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Choice`].
    pub fn cost<K: SortKey>(&self, length: usize, device: &Device) -> Result<Cost, OperationError> {
        let shape = self.shape::<K>(length, device)?;
        Ok(plan::plan(shape, Choice::of(shape, device)).cost())
    }

    /// Writes the selected elements of `x` and their indices; see [`top_k`].
    ///
    /// `x` and both outputs must be in different buffers, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'x, 'v, 'i, K: SortKey>(
        mut self,
        x: impl Into<Slice<'x, K>>,
        values: impl Into<SliceMut<'v, K>>,
        indices: impl Into<SliceMut<'i, u32>>,
    ) -> Result<(), OperationError> {
        let operands = Operands { x: x.into(), values: values.into(), indices: indices.into() };
        let device = Device::of(&operands.x.core.device);
        // A slice outside its buffer has no length, so its error is returned before all others.
        operands.x.range.get().map_err(OPERATOR.slice("x"))?;
        let shape = self.shape::<K>(operands.x.len(), &device)?;
        operands.check(self.rows * self.k, &self.destination)?;
        let plan = plan::plan(shape, Choice::of(shape, &device));
        self.offer(&operands);
        operands.run(self.order::<K>(), shape, &plan, &mut self.destination)
    }

    fn order<K: SortKey>(&self) -> KeyOrder {
        match (self.largest, self.nan_last) {
            (true, false) => KeyOrder::reversed::<K>(),
            (largest, _) => KeyOrder::of::<K>(largest),
        }
    }

    fn shape<K: SortKey>(&self, length: usize, device: &Device) -> Result<Shape, OperationError> {
        let (rows, k) = (self.rows, self.k);
        // The limit is for elements of 8 bytes, as indices and words between passes may need more memory than the keys.
        let limit = limit(device, 8);
        if length as u64 > limit {
            return Err(OPERATOR.too_large("x", vec![length], limit));
        }
        let wrong = |argument, expected: String, got: usize| Err(OPERATOR.choice(argument, expected, got.to_string()));
        if rows == 0 || !length.is_multiple_of(rows) {
            return wrong("the number of rows", format!("pass a divisor of the number of elements, {length}"), rows);
        }
        if k > length / rows {
            return wrong("k =", format!("k must be at most the number of elements of a row, {}", length / rows), k);
        }
        Ok(Shape {
            rows: rows as u64,
            length: (length / rows) as u64,
            k: k as u64,
            key_bits: size_of::<K>() as u64 * 8,
        })
    }
}

const OPERATOR: Operator = Operator("top_k");
