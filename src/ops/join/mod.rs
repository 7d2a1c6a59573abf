//! Arrays joined to one array, and an array split into parts.

mod plan;
#[cfg(test)]
mod reference;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::moving::launch::Move;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use crate::buffer::{Slice, SliceMut};
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use plan::{Parts, Way, plan};

/// Joins arrays along an axis: as NumPy's `concatenate`. `shape` is the shape of `y`; the size of each part along the
/// axis follows from its length.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?; // 2 rows of 2
/// let b = device.buffer_from(&[5.0f32, 6.0])?; // 2 rows of 1
/// let mut y = device.buffer::<f32>(6)?;
/// anywarp::ops::concatenate(&[a.slice(..), b.slice(..)], &mut y, [2, 3], 1)?;
/// assert_eq!(*y.read()?, [1.0, 2.0, 5.0, 3.0, 4.0, 6.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Join::run`].
pub fn concatenate<'y, T: Element>(
    parts: &[Slice<'_, T>],
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Join::concatenate(shape, axis).run(parts, y)
}

/// Joins arrays of one shape along a new axis: as NumPy's `stack`. `shape` is the shape of each part.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let (a, b) = (device.buffer_from(&[1u32, 2, 3])?, device.buffer_from(&[4u32, 5, 6])?);
/// let mut y = device.buffer::<u32>(6)?;
/// anywarp::ops::stack(&[a.slice(..), b.slice(..)], &mut y, [3], 1)?;
/// assert_eq!(*y.read()?, [1, 4, 2, 5, 3, 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Join::run`].
pub fn stack<'y, T: Element>(
    parts: &[Slice<'_, T>],
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Join::stack(shape, axis).run(parts, y)
}

/// Splits `x`, which has this shape, along an axis: as NumPy's `split`. The size of each part along the axis follows
/// from its length.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1u8, 2, 3, 4, 5, 6])?; // 2 rows of 3
/// let (mut a, mut b) = (device.buffer::<u8>(4)?, device.buffer::<u8>(2)?);
/// anywarp::ops::split(&x, &mut [a.slice_mut(..), b.slice_mut(..)], [2, 3], 1)?;
/// assert_eq!((&a.read()?[..], &b.read()?[..]), (&[1, 2, 4, 5][..], &[3, 6][..]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Split::run`].
pub fn split<'x, T: Element>(
    x: impl Into<Slice<'x, T>>,
    parts: &mut [SliceMut<'_, T>],
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Split::new(shape, axis).run(x, parts)
}

/// [`concatenate`] and [`stack`] on a stream, or into a recording. Elements are of any type.
#[must_use = "a join does nothing until `run` is called"]
pub struct Join<'r> {
    shape: Vec<usize>,
    axis: usize,
    stacked: bool,
    destination: Destination<'r>,
}

impl<'r> Join<'r> {
    /// Joins arrays along an axis of the result, which has this shape.
    pub fn concatenate(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        Self { shape: shape.into(), axis, stacked: false, destination: Destination::Own }
    }

    /// Joins arrays of this shape along a new axis, which has the index `axis` in the result.
    pub fn stack(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        Self { shape: shape.into(), axis, stacked: true, destination: Destination::Own }
    }

    /// Appends the join to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of joining parts of these lengths, to compare its time with the limits of a device.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Join::concatenate([10, 7], 1).cost::<f32>(&[30, 40])?;
    /// assert_eq!((cost.passes, cost.bytes), (2, 2 * 4 * 70));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Length`], [`OperationError::TooLarge`].
    pub fn cost<T: Element>(&self, lengths: &[usize]) -> Result<Cost, OperationError> {
        let starts = vec![[0, 0]; lengths.len()];
        Ok(plan(&self.parts::<T>(lengths)?, Way::Join, &starts).cost())
    }

    fn parts<T: Element>(&self, lengths: &[usize]) -> Result<Parts, OperationError> {
        match self.stacked {
            true => Parts::stacked::<T>(JOIN, &self.shape, self.axis, lengths),
            false => Parts::of::<T>(JOIN, &self.shape, self.axis, lengths),
        }
    }

    /// Joins the parts, in their order, into `y`.
    ///
    /// # Errors
    /// [`OperationError`] for an axis out of range, lengths that do not fit the shape, slices out of range, arrays of
    /// two devices, an existing guard, or an error of the device. In that case nothing has run.
    pub fn run<'y, T: Element>(
        mut self,
        parts: &[Slice<'_, T>],
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let y = y.into();
        let target = operands::bytes_mut(JOIN, "y", &y)?;
        let mut arrays = Vec::new();
        for part in parts {
            arrays.push(("a part", operands::bytes(JOIN, "a part", part)?));
        }
        let lengths: Vec<usize> = parts.iter().map(Slice::len).collect();
        let all = self.parts::<T>(&lengths)?;
        operands::expect(JOIN, "y", (y.len(), &all.shape))?;
        let starts: Vec<[u64; 2]> =
            arrays.iter().map(|(_, part)| [operands::start(part), operands::start_mut(&target)]).collect();
        let plan = plan(&all, Way::Join, &starts);
        let inputs = arrays.clone();
        arrays.push(("y", target.as_slice()));
        operands::check_places(JOIN, &target.core.device, &arrays, 1, &self.destination)?;
        let moves = |part: &usize| Move { operator: JOIN, x: &inputs[*part].1, y: &target, fill: &[] };
        plan.passes.iter().try_for_each(|(part, pass)| moves(part).check(pass))?;
        plan.passes.iter().try_for_each(|(part, pass)| moves(part).run(pass, self.destination.reborrow()))
    }
}

/// [`split()`] on a stream, or into a recording. Elements are of any type.
#[must_use = "a split does nothing until `run` is called"]
pub struct Split<'r> {
    shape: Vec<usize>,
    axis: usize,
    destination: Destination<'r>,
}

impl<'r> Split<'r> {
    /// Splits an array of this shape along an axis.
    pub fn new(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        Self { shape: shape.into(), axis, destination: Destination::Own }
    }

    /// Appends the split to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of splitting into parts of these lengths, to compare its time with the limits of a device.
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Length`], [`OperationError::TooLarge`].
    pub fn cost<T: Element>(&self, lengths: &[usize]) -> Result<Cost, OperationError> {
        let parts = Parts::of::<T>(SPLIT, &self.shape, self.axis, lengths)?;
        Ok(plan(&parts, Way::Split, &vec![[0, 0]; lengths.len()]).cost())
    }

    /// Splits `x` into the parts, in their order. The parts are in different buffers than `x`, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// As [`Join::run`].
    pub fn run<'x, T: Element>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        parts: &mut [SliceMut<'_, T>],
    ) -> Result<(), OperationError> {
        let x = x.into();
        let source = operands::bytes(SPLIT, "x", &x)?;
        let targets = parts.iter().map(|part| operands::bytes_mut(SPLIT, "a part", part));
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        let lengths: Vec<usize> = parts.iter().map(SliceMut::len).collect();
        let all = Parts::of::<T>(SPLIT, &self.shape, self.axis, &lengths)?;
        operands::expect(SPLIT, "x", (x.len(), &self.shape))?;
        let starts: Vec<[u64; 2]> =
            targets.iter().map(|part| [operands::start(&source), operands::start_mut(part)]).collect();
        let plan = plan(&all, Way::Split, &starts);
        for target in &targets {
            let arrays = [("x", source), ("a part", target.as_slice())];
            operands::check_places(SPLIT, &source.core.device, &arrays, 1, &self.destination)?;
        }
        let moves = |part: &usize| Move { operator: SPLIT, x: &source, y: &targets[*part], fill: &[] };
        plan.passes.iter().try_for_each(|(part, pass)| moves(part).check(pass))?;
        plan.passes.iter().try_for_each(|(part, pass)| moves(part).run(pass, self.destination.reborrow()))
    }
}

const JOIN: Operator = Operator("join");
const SPLIT: Operator = Operator("split");
