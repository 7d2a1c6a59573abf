//! A test whether keys are sorted.

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

/// Returns whether `keys` are in the ascending order of [`sort`](super::sort()): `-0.0` equals `0.0`, and NaN comes
/// last. The call waits for the result; [`IsSorted`] writes it to a buffer without a wait.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut keys = device.buffer_from(&[1.5f32, -0.0, 0.0, f32::NAN])?;
/// assert!(!anywarp::ops::is_sorted(&keys)?);
/// anywarp::ops::sort(&mut keys)?;
/// assert!(anywarp::ops::is_sorted(&keys)?);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for a slice out of range, too many keys, an existing guard, or an error of the device.
pub fn is_sorted<'k, K: SortKey>(keys: impl Into<Slice<'k, K>>) -> Result<bool, OperationError> {
    let keys = keys.into();
    let buffer = |error| OperationError::Buffer { operator: OPERATOR.name(), error };
    let mut result = Device::of(&keys.core.device).buffer::<u32>(1).map_err(buffer)?;
    IsSorted::new().run(keys, &mut result)?;
    let result = result.read().map_err(buffer)?;
    Ok(result.first() == Some(&1))
}

/// [`is_sorted`] in descending order, with the result on the device, on a stream, or into a recording.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let keys = device.buffer_from(&[5u64, 3, 3])?;
/// let mut result = device.buffer::<u32>(1)?;
/// anywarp::ops::IsSorted::new().descending().run(&keys, &mut result)?;
/// assert_eq!(*result.read()?, [1]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a test does nothing until `run` is called"]
#[derive(Default)]
pub struct IsSorted<'r> {
    descending: bool,
    destination: Destination<'r>,
}

impl<'r> IsSorted<'r> {
    /// A test for the ascending order.
    pub fn new() -> Self {
        Self { descending: false, destination: Destination::Own }
    }

    /// Tests for the order from the largest key to the smallest, with NaN last.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Appends the test to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Tests on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a test of `length` keys, to compare its time with the limits of a device.
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<K: SortKey>(&self, length: usize, device: &Device) -> Result<Cost, OperationError> {
        Ok(plan::plan(Shape::of(&KeyOrder::of::<K>(self.descending), length, device)?).cost())
    }

    /// Writes 1 to `result`, of one element, if `keys` are sorted, and 0 otherwise. Fewer than two keys are sorted.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'k, 'y, K: SortKey>(
        mut self,
        keys: impl Into<Slice<'k, K>>,
        result: impl Into<SliceMut<'y, u32>>,
    ) -> Result<(), OperationError> {
        let operands = Operands { keys: keys.into(), result: result.into() };
        let order = KeyOrder::of::<K>(self.descending);
        let plan = plan::plan(operands.shape(&order)?);
        operands.check(&self.destination)?;
        operands.run(&order, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("is_sorted");
