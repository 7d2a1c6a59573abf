//! Positions of values in sorted keys.

mod plan;
mod run;

use super::error::OperationError;
use super::operator::Operator;
use super::ordering::keys::{KeyOrder, SortKey};
use super::plan::Cost;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use plan::Shape;
use run::Operands;

/// Writes the position of each of `values` in the ascending `keys`: the number of keys before the value, as NumPy's
/// `searchsorted(keys, values)`. If the value is inserted at this position, it comes before equal keys, and the keys
/// are still sorted.
///
/// The order is that of [`sort`](super::sort()): `-0.0` equals `0.0`, and NaN equals NaN and comes last.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let keys = device.buffer_from(&[1.0f32, 2.0, 2.0, 5.0])?;
/// let values = device.buffer_from(&[2.0f32, 0.5, f32::NAN])?;
/// let mut places = device.buffer::<u32>(3)?;
/// anywarp::ops::searchsorted(&keys, &values, &mut places)?;
/// assert_eq!(*places.read()?, [1, 0, 4]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for a slice out of range, lengths that differ, too many keys or values, an existing guard, or an
/// error of the device. In that case nothing has run.
pub fn searchsorted<'k, 'v, 'p, K: SortKey>(
    keys: impl Into<Slice<'k, K>>,
    values: impl Into<Slice<'v, K>>,
    places: impl Into<SliceMut<'p, u32>>,
) -> Result<(), OperationError> {
    SearchSorted::new().run(keys, values, places)
}

/// The position of a value among keys that are equal to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Before the equal keys: the number of keys that precede the value.
    #[default]
    Left,
    /// After the equal keys: the number of keys that the value does not precede.
    Right,
}

/// [`searchsorted`] with further options: positions after equal keys, descending keys, a stream, or a recording.
///
/// If the keys are not sorted, positions have no meaning, and are at most the number of keys.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{SearchSorted, Side};
///
/// let keys = device.buffer_from(&[9i16, 4, 4, -1])?;
/// let values = device.buffer_from(&[4i16, 10])?;
/// let mut places = device.buffer::<u32>(2)?;
/// SearchSorted::new().descending().side(Side::Right).run(&keys, &values, &mut places)?;
/// assert_eq!(*places.read()?, [3, 0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a search does nothing until `run` is called"]
#[derive(Default)]
pub struct SearchSorted<'r> {
    side: Side,
    descending: bool,
    destination: Destination<'r>,
}

impl<'r> SearchSorted<'r> {
    /// A search in ascending keys, for positions before equal keys.
    pub fn new() -> Self {
        Self { side: Side::Left, descending: false, destination: Destination::Own }
    }

    /// Sets the position among equal keys.
    pub fn side(mut self, side: Side) -> Self {
        self.side = side;
        self
    }

    /// Searches in keys from the largest to the smallest, with NaN last: the order of
    /// [`Sort::descending`](super::Sort::descending).
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Appends the search to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Searches on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a search for `count` values among `length` keys, to compare its time with the limits of a device.
    /// Reads of keys are not counted, as the number of keys that are read depends on the values.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<K: SortKey>(&self, length: usize, count: usize, device: &Device) -> Result<Cost, OperationError> {
        let order = KeyOrder::of::<K>(self.descending);
        Ok(plan::plan(Shape::of(&order, length, count, device)?).cost())
    }

    /// Writes the positions of `values` in `keys`; see [`searchsorted`].
    ///
    /// `places` and the arrays that are read must be in different buffers, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'k, 'v, 'p, K: SortKey>(
        mut self,
        keys: impl Into<Slice<'k, K>>,
        values: impl Into<Slice<'v, K>>,
        places: impl Into<SliceMut<'p, u32>>,
    ) -> Result<(), OperationError> {
        let operands = Operands { keys: keys.into(), values: values.into(), places: places.into() };
        let order = KeyOrder::of::<K>(self.descending);
        let plan = plan::plan(operands.shape(&order)?);
        operands.check(&self.destination)?;
        operands.run(&order, self.side, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("searchsorted");
