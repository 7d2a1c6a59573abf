//! Sorted keys, pairs and indices.

mod arrays;
mod by_digit;
mod choice;
mod cost;
mod digits;
mod kernels;
mod offer;
mod plan;
#[cfg(test)]
mod reference;
mod run;
mod segments;
mod sizes;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use std::ops::Range;

use super::error::OperationError;
use super::operator::Operator;
use super::ordering::keys::SortKey;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
#[doc(hidden)]
pub use choice::SortWay;
use plan::Values;
use run::{Operand, Operands};
use segments::Segments;

/// Sorts `x`, a buffer or a slice of any length and start, in ascending order.
///
/// All sorts here are stable: keys that are equal keep their order, also in descending order. `-0.0` equals `0.0`, and
/// NaN of either sign comes last, in both orders. All keys keep their bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut x = device.buffer_from(&[3.0f32, f32::NEG_INFINITY, 1.5])?;
/// anywarp::ops::sort(&mut x)?;
/// assert_eq!(*x.read()?, [f32::NEG_INFINITY, 1.5, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for a slice out of range, too many keys, an existing guard, or an error of the device. In that
/// case nothing has run.
pub fn sort<'x, K: SortKey>(x: impl Into<SliceMut<'x, K>>) -> Result<(), OperationError> {
    Sort::new().in_place(x)
}

/// Sorts `keys` in ascending order, and reorders `values` in the same way; see [`sort`] for the order. Values are any
/// elements of 4 or 8 bytes.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut keys = device.buffer_from(&[2u32, 1, 2, 0])?;
/// let mut values = device.buffer_from(&[0.5f32, 1.5, 2.5, 3.5])?;
/// anywarp::ops::sort_pairs(&mut keys, &mut values)?;
/// assert_eq!(*keys.read()?, [0, 1, 2, 2]);
/// assert_eq!(*values.read()?, [3.5, 1.5, 0.5, 2.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`sort`], and for different lengths.
pub fn sort_pairs<'k, 'v, K: SortKey, V: Element>(
    keys: impl Into<SliceMut<'k, K>>,
    values: impl Into<SliceMut<'v, V>>,
) -> Result<(), OperationError> {
    Sort::new().pairs_in_place(keys, values)
}

/// Writes the indices that sort `x` in ascending order: `x[indices[0]]` is the smallest key, and equal keys are in the
/// order of their indices; see [`sort`] for the order.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[7i32, -3, 7, 0])?;
/// let mut indices = device.buffer::<u32>(4)?;
/// anywarp::ops::argsort(&x, &mut indices)?;
/// assert_eq!(*indices.read()?, [1, 3, 0, 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`sort`], and for different lengths.
pub fn argsort<'x, 'i, K: SortKey>(
    x: impl Into<Slice<'x, K>>,
    indices: impl Into<SliceMut<'i, u32>>,
) -> Result<(), OperationError> {
    Sort::new().argsort(x, indices)
}

/// [`sort`], [`sort_pairs`] and [`argsort`] with further options: descending order, a part of the bits, other arrays
/// for the results, segments, a stream, or a recording.
///
/// A `Sort` is a radix sort: its time depends on the number and the size of the keys, and hardly on their values. The
/// sort needs scratch memory of the device for a copy of the keys and of the values.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Sort;
///
/// let x = device.buffer_from(&[1.0f32, f32::NAN, 3.0])?;
/// let mut y = device.buffer::<f32>(3)?;
/// Sort::new().descending().run(&x, &mut y)?;
/// let y = y.read()?;
/// assert!(y[0] == 3.0 && y[1] == 1.0 && y[2].is_nan());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a sort does nothing until a method such as `run` is called"]
#[derive(Default)]
pub struct Sort<'r> {
    descending: bool,
    bits: Option<Range<u32>>,
    way: Option<SortWay>,
    segments: Option<Segments<'r>>,
    destination: Destination<'r>,
}

impl<'r> Sort<'r> {
    /// A stable sort in ascending order.
    pub fn new() -> Self {
        Self { descending: false, bits: None, way: None, segments: None, destination: Destination::Own }
    }

    /// Sorts from the largest key to the smallest. Equal keys keep their order, and NaN comes last.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Sorts integers by these bits alone, counted from the lowest. Fewer bits take less time: one pass for every eight
    /// bits. Keys that differ only in other bits count as equal, and keep their order.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let mut x = device.buffer_from(&[0x21u32, 0x12, 0x10])?;
    /// anywarp::ops::Sort::new().bits(4..8).in_place(&mut x)?;
    /// assert_eq!(*x.read()?, [0x12, 0x10, 0x21]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn bits(mut self, bits: Range<u32>) -> Self {
        self.bits = Some(bits);
        self
    }

    /// Sorts within segments: a new segment begins at each of these offsets, as in NumPy's `split`. The first offset,
    /// 0, and the last offset, the number of keys, may be omitted. Segments may be empty. A sort is refused if an
    /// offset is below the offset before it, or above the number of keys.
    ///
    /// All methods that sort use the segments; the methods that return costs ignore them. `argsort` writes indices that
    /// count from the first key of the array.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let mut x = device.buffer_from(&[5u32, 3, 9, 1, 7])?;
    /// anywarp::ops::Sort::new().segments(&[0, 2, 5]).in_place(&mut x)?;
    /// assert_eq!(*x.read()?, [3, 5, 1, 7, 9]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn segments(mut self, offsets: &'r [u32]) -> Self {
        self.segments = Some(Segments::Host(offsets));
        self
    }

    /// [`segments`](Self::segments) with offsets on the device, which the host does not check: as for
    /// [`Scan::segments`](super::Scan::segments), offsets can have any order, and offsets behind the last key are
    /// ignored. The keys of each segment are sorted, whatever the offsets are.
    pub fn device_segments(mut self, offsets: impl Into<Slice<'r, u32>>) -> Self {
        self.segments = Some(Segments::Device(offsets.into()));
        self
    }

    /// Sets the destination, for operators that are built on a sort.
    pub(crate) fn to(mut self, destination: Destination<'r>) -> Self {
        self.destination = destination;
        self
    }

    /// Sorts in the form `way`, for benches. A form that the device cannot run is refused.
    #[doc(hidden)]
    pub fn way(mut self, way: SortWay) -> Self {
        self.way = Some(way);
        self
    }

    /// Appends the sort to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Sorts on `stream`, in place of the device's default stream.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// # let mut x = device.buffer::<i32>(1000)?;
    /// let stream = device.stream();
    /// anywarp::ops::Sort::new().on(&stream).in_place(&mut x)?;
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Writes the sorted keys of `x` to `y`.
    ///
    /// `x` and `y` must be in different buffers, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings). The same holds for all methods of `Sort`: a
    /// written array must be in another buffer than every other array.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'x, 'y, K: SortKey>(
        self,
        x: impl Into<Slice<'x, K>>,
        y: impl Into<SliceMut<'y, K>>,
    ) -> Result<(), OperationError> {
        let keys = Operand { given: Some(("x", x.into())), result: Some(("y", y.into())) };
        self.call(&Operands::<K, u32> { keys, values: None }, Values::None)
    }

    /// Sorts `x`; see [`sort`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn in_place<'x, K: SortKey>(self, x: impl Into<SliceMut<'x, K>>) -> Result<(), OperationError> {
        let keys = Operand { given: None, result: Some(("x", x.into())) };
        self.call(&Operands::<K, u32> { keys, values: None }, Values::None)
    }

    /// Writes the sorted `keys`, and the `values` in the order of their keys; see [`sort_pairs`].
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let keys = device.buffer_from(&[2u8, 1, 2])?;
    /// let values = device.buffer_from(&[20u32, 10, 21])?;
    /// let (mut sorted_keys, mut sorted_values) = (device.buffer::<u8>(3)?, device.buffer::<u32>(3)?);
    /// anywarp::ops::Sort::new().descending().pairs(&keys, &values, &mut sorted_keys, &mut sorted_values)?;
    /// assert_eq!(*sorted_keys.read()?, [2, 2, 1]);
    /// assert_eq!(*sorted_values.read()?, [20, 21, 10]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn pairs<'k, 'v, 'sk, 'sv, K: SortKey, V: Element>(
        self,
        keys: impl Into<Slice<'k, K>>,
        values: impl Into<Slice<'v, V>>,
        sorted_keys: impl Into<SliceMut<'sk, K>>,
        sorted_values: impl Into<SliceMut<'sv, V>>,
    ) -> Result<(), OperationError> {
        let keys = Operand { given: Some(("keys", keys.into())), result: Some(("sorted_keys", sorted_keys.into())) };
        let values =
            Operand { given: Some(("values", values.into())), result: Some(("sorted_values", sorted_values.into())) };
        self.call(&Operands { keys, values: Some(values) }, values_of::<V>())
    }

    /// Sorts `keys`, and reorders `values` in the same way; see [`sort_pairs`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn pairs_in_place<'k, 'v, K: SortKey, V: Element>(
        self,
        keys: impl Into<SliceMut<'k, K>>,
        values: impl Into<SliceMut<'v, V>>,
    ) -> Result<(), OperationError> {
        let keys = Operand { given: None, result: Some(("keys", keys.into())) };
        let values = Operand { given: None, result: Some(("values", values.into())) };
        self.call(&Operands { keys, values: Some(values) }, values_of::<V>())
    }

    /// Writes the indices that sort `x`; see [`argsort`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn argsort<'x, 'i, K: SortKey>(
        self,
        x: impl Into<Slice<'x, K>>,
        indices: impl Into<SliceMut<'i, u32>>,
    ) -> Result<(), OperationError> {
        let keys = Operand { given: Some(("x", x.into())), result: None };
        let values = Operand { given: None, result: Some(("indices", indices.into())) };
        self.call(&Operands { keys, values: Some(values) }, Values::Indices)
    }

    fn call<K: SortKey, V: Element>(
        mut self,
        operands: &Operands<'_, K, V>,
        values: Values,
    ) -> Result<(), OperationError> {
        if let Some(segments) = self.segments.take() {
            return segments::call(self, operands, values, (segments, None));
        }
        let Some(context) = operands.context() else { return Ok(()) };
        let in_place = operands.keys.given.is_none();
        let (shape, plan) = self.plan::<K>(operands.keys.len(), values, in_place, &Device::of(context))?;
        operands.check(context, &self.destination, None)?;
        self.offer(context, operands, values);
        operands.run(&shape, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("sort");

/// Returns the kind of values of a sort of pairs.
fn values_of<V: Element>() -> Values {
    const { assert!(size_of::<V>() == 4 || size_of::<V>() == 8, "the values of a sort have 4 or 8 bytes") }
    Values::Given { words: size_of::<V>() as u32 / 4 }
}
