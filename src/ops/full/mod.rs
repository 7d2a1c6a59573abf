//! Arrays whose elements all have one value.

use super::error::OperationError;
use super::moving::launch::Move;
use super::moving::layout::{Layout, Map};
use super::moving::operands;
use super::moving::plan::{Choice, plan};
use super::operator::Operator;
use crate::buffer::{SliceMut, transfer};
use crate::device::Device;
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::{Destination, Recording, Refusal, Stream};

/// Sets all elements of `y`, of any type, to a value, on the device: as NumPy's `full`. See [`Full`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut y = device.buffer::<[f32; 3]>(2)?;
/// anywarp::ops::full([1.0, 2.0, 3.0], &mut y)?;
/// assert_eq!(*y.read()?, [[1.0, 2.0, 3.0]; 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Full::run`].
pub fn full<'y, T: Element>(value: T, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
    Full::new(value).run(y)
}

/// [`full`] on a stream, or into a recording.
#[must_use = "nothing is set until `run` is called"]
pub struct Full<'r, T> {
    value: T,
    destination: Destination<'r>,
}

impl<'r, T: Element> Full<'r, T> {
    /// A call that sets all elements to this value.
    pub fn new(value: T) -> Self {
        Self { value, destination: Destination::Own }
    }

    /// Appends the call to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Sets the elements of `y`, a buffer or a slice of any start.
    ///
    /// # Errors
    /// [`OperationError`] for a slice out of range, an existing guard, another device's stream, or an error of the
    /// device. In that case nothing has run.
    pub fn run<'y>(mut self, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
        let y = y.into();
        let bytes = operands::bytes_mut(OPERATOR, "y", &y)?;
        let context = &bytes.core.device;
        operands::counted::<T>(OPERATOR, "y", &[y.len()])?;
        operands::check_places(OPERATOR, context, &[("y", bytes.as_slice())], 1, &self.destination)?;
        // The device's fill command writes whole words of 4 bytes, so that `y` must begin and end with a whole word.
        let whole = operands::start_mut(&bytes).is_multiple_of(4) && bytes.len().is_multiple_of(4);
        if whole && transfer::pattern_of(&self.value).is_some() {
            return match transfer::fill(self.destination, &y, self.value) {
                Err(BufferError::InUse { guard }) => Err(OPERATOR.in_use("y", guard)),
                Err(BufferError::Device { error, .. }) => {
                    Err(OPERATOR.refused(context, &["y"], Refusal::Device(error)))
                }
                outcome => outcome.map(drop).map_err(OPERATOR.slice("y")),
            };
        }
        let maps = [Map::repeated(y.len())];
        let layout = Layout::of(size_of::<T>() as u64, &[1], &maps, (0, &[1]));
        let value = Device::of(context).buffer_from(&[self.value]).map_err(operands::memory(OPERATOR))?;
        let source = crate::buffer::cells::bytes_of(&value.slice(..)).map_err(operands::memory(OPERATOR))?;
        let starts = [0, operands::start_mut(&bytes)];
        let call = Move { operator: OPERATOR, x: &source, y: &bytes, fill: &[] };
        let pass = plan(&layout, starts, Choice::default_for(&layout));
        pass.iter().try_for_each(|pass| call.run(pass, self.destination.reborrow()))
    }
}

const OPERATOR: Operator = Operator("full");
