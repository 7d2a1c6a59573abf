//! Numbers at equal distances.

mod elements;
mod run;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::parts::parts as divided;
use super::plan::{Cost, Plan};
use crate::buffer::SliceMut;
use crate::buffer::cells::part_mut;
use crate::submit::{Destination, Recording, Stream};
use elements::sealed::Parts;
pub use elements::{SequenceElement, SequenceFloat};
use run::Pass;

/// Writes `y[i] = start + i * step`, as NumPy's `arange`, but with the number of elements in place of the end. See
/// [`Sequence`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut y = device.buffer::<i32>(4)?;
/// anywarp::ops::arange(10, -3, &mut y)?;
/// assert_eq!(*y.read()?, [10, 7, 4, 1]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Sequence::run`].
pub fn arange<'y, T: SequenceElement>(start: T, step: T, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
    Sequence::arange(start, step).run(y)
}

/// Writes numbers from `start` to `stop`, both included, at equal distances, as NumPy's `linspace`. See [`Sequence`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let mut y = device.buffer::<f32>(5)?;
/// anywarp::ops::linspace(0.0, 1.0, &mut y)?;
/// assert_eq!(*y.read()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Sequence::run`].
pub fn linspace<'y, T: SequenceFloat>(start: T, stop: T, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
    Sequence::linspace(start, stop).run(y)
}

/// A sequence: [`arange`] and [`linspace`] on a stream, or into a recording.
///
/// Integers of 8 to 64 bits are exact on every device, and wrap around. An `f32` is the sum of the start and the
/// product of index and step, each rounded to `f32`, unless the device fuses both operations into one with a single
/// rounding. The step of a `linspace` is rounded to `f32` once, and its last element is `stop`. An `f64` is computed
/// likewise in `f64`, on devices that have this type. An `f16` or `bf16` is computed in `f32` and then rounded to its
/// type; the step of such a `linspace` is an `f32` as well.
#[must_use = "a sequence does nothing until `run` is called"]
pub struct Sequence<'r, T> {
    start: T,
    step: T,
    /// The last element of a `linspace`.
    stop: Option<T>,
    destination: Destination<'r>,
}

impl<T: SequenceFloat> Sequence<'_, T> {
    /// Numbers from `start` to `stop`; see [`linspace`].
    pub fn linspace(start: T, stop: T) -> Self {
        Self { start, step: T::ZERO, stop: Some(stop), destination: Destination::Own }
    }
}

impl<'r, T: SequenceElement> Sequence<'r, T> {
    /// Numbers from `start` at the distance `step`; see [`arange`].
    pub fn arange(start: T, step: T) -> Self {
        Self { start, step, stop: None, destination: Destination::Own }
    }

    /// Appends the sequence to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a sequence of `length` elements, to compare its time with the limits of a device: a multiplication
    /// and an addition for each element.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Sequence::arange(0u16, 1).cost(1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (2000, 2000));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost(&self, length: usize) -> Result<Cost, OperationError> {
        Ok(self.plan(length, 0)?.cost())
    }

    fn plan(&self, length: usize, start: u64) -> Result<Plan<Pass>, OperationError> {
        operands::counted::<T>(OPERATOR, "y", &[length])?;
        Ok(run::plan(length as u64, size_of::<T>() as u64, start))
    }

    /// Writes the numbers to `y`, a buffer or a slice of any start.
    ///
    /// # Errors
    /// [`OperationError`] for a slice out of range, an existing guard, another device's stream, `f64` on a device that
    /// lacks this type, or an error of the device. In that case nothing has run.
    pub fn run<'y>(mut self, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
        let y = y.into();
        let bytes = operands::bytes_mut(OPERATOR, "y", &y)?;
        self.plan(y.len(), operands::start_mut(&bytes))?;
        let arrays = [("y", bytes.as_slice())];
        operands::check_places(OPERATOR, &bytes.core.device, &arrays, 1, &self.destination)?;
        let step = match self.stop {
            None => self.step.computed(),
            Some(stop) => T::distance(self.start, stop, y.len()),
        };
        let parts = Parts { start: self.start.computed(), step, last: self.stop.map(T::stored) };
        let caps = bytes.core.device.caps().clone();
        let size = size_of::<T>();
        for part in divided(&caps, y.len(), size) {
            let bytes = part_mut(&bytes, &(part.start * size..part.end * size));
            let plan = self.plan(part.len(), operands::start_mut(&bytes))?;
            let place = run::Place { base: part.start as u64, length: part.len(), is_last: part.end == y.len() };
            run::run::<T>(&bytes, place, parts, &plan, &mut self.destination)?;
        }
        Ok(())
    }
}

const OPERATOR: Operator = Operator("sequence");
