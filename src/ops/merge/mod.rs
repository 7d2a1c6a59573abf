//! Merges of sorted keys, and of pairs of sorted keys and their values.

mod plan;
mod question;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::operator::Operator;
use super::ordering::keys::{KeyOrder, SortKey};
use super::plan::Cost;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use plan::{Choice, Shape};
use run::{Operands, Values};

/// Merges `a` and `b`, both in ascending order, into `merged`, in time proportional to their length.
///
/// Merges are stable: keys of `a` come before equal keys of `b`. The order is that of [`sort`](super::sort()): `-0.0`
/// equals `0.0`, and NaN comes last. All keys keep their bits. If `a` or `b` is not sorted, the order of the result has
/// no meaning.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (a, b) = (device.buffer_from(&[1.0f32, 4.0])?, device.buffer_from(&[-2.0f32, 1.0, f32::NAN])?);
/// let mut merged = device.buffer::<f32>(5)?;
/// anywarp::ops::merge(&a, &b, &mut merged)?;
/// assert_eq!(merged.read()?[..4], [-2.0, 1.0, 1.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for a slice out of range, a `merged` of another length than `a` and `b` together, too many keys,
/// an existing guard, or an error of the device. In that case nothing has run.
pub fn merge<'a, 'b, 'm, K: SortKey>(
    a: impl Into<Slice<'a, K>>,
    b: impl Into<Slice<'b, K>>,
    merged: impl Into<SliceMut<'m, K>>,
) -> Result<(), OperationError> {
    Merge::new().run(a, b, merged)
}

/// [`merge`] in descending order, with values, on a stream, or into a recording.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Merge;
///
/// let (a, b) = (device.buffer_from(&[7u8, 2])?, device.buffer_from(&[7u8, 3])?);
/// let (of_a, of_b) = (device.buffer_from(&[10u32, 11])?, device.buffer_from(&[20u32, 21])?);
/// let (mut keys, mut values) = (device.buffer::<u8>(4)?, device.buffer::<u32>(4)?);
/// Merge::new().descending().pairs((&a, &of_a), (&b, &of_b), (&mut keys, &mut values))?;
/// assert_eq!(*keys.read()?, [7, 7, 3, 2]);
/// assert_eq!(*values.read()?, [10, 20, 21, 11]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a merge does nothing until `run` or `pairs` is called"]
#[derive(Default)]
pub struct Merge<'r> {
    descending: bool,
    destination: Destination<'r>,
}

impl<'r> Merge<'r> {
    /// A stable merge in ascending order.
    pub fn new() -> Self {
        Self { descending: false, destination: Destination::Own }
    }

    /// Merges keys from the largest to the smallest, with NaN last.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Appends the merge to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Merges on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Writes the keys of `a` and `b` in order to `merged`, which has as many elements as `a` and `b` together; see
    /// [`merge`].
    ///
    /// `merged` and the arrays that are read must be in different buffers, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'a, 'b, 'm, K: SortKey>(
        self,
        a: impl Into<Slice<'a, K>>,
        b: impl Into<Slice<'b, K>>,
        merged: impl Into<SliceMut<'m, K>>,
    ) -> Result<(), OperationError> {
        self.call(Operands::<K, u32> { a: a.into(), b: b.into(), merged: merged.into(), values: None })
    }

    /// Writes the keys of `a` and `b` in order, each with its value. Each argument is a pair of arrays of the same
    /// length: keys and values. Values are any elements of 4 or 8 bytes.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn pairs<'a, 'b, 'm, K: SortKey, V: Element>(
        self,
        a: (impl Into<Slice<'a, K>>, impl Into<Slice<'a, V>>),
        b: (impl Into<Slice<'b, K>>, impl Into<Slice<'b, V>>),
        merged: (impl Into<SliceMut<'m, K>>, impl Into<SliceMut<'m, V>>),
    ) -> Result<(), OperationError> {
        const { assert!(size_of::<V>() == 4 || size_of::<V>() == 8, "the values of a merge have 4 or 8 bytes") }
        let values = Some(Values { a: a.1.into(), b: b.1.into(), merged: merged.1.into() });
        self.call(Operands { a: a.0.into(), b: b.0.into(), merged: merged.0.into(), values })
    }

    /// The cost of a merge to `length` keys, to compare its time with the limits of a device.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Merge::new().cost::<u32>(1000, &device)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 8000));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<K: SortKey>(&self, length: usize, device: &Device) -> Result<Cost, OperationError> {
        let order = KeyOrder::of::<K>(self.descending);
        let shape = Shape::of(&order, length, 0, 0, device)?;
        Ok(plan::plan(shape, Choice::of(shape, device)).cost())
    }

    fn call<K: SortKey, V: Element>(mut self, operands: Operands<'_, '_, '_, K, V>) -> Result<(), OperationError> {
        let order = KeyOrder::of::<K>(self.descending);
        let shape = operands.shape(&order)?;
        let plan = plan::plan(shape, Choice::of(shape, &operands.device()));
        operands.check(&self.destination)?;
        operands.run(&order, shape, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("merge");
