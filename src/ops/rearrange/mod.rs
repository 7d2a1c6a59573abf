//! Elements in another order: permuted axes, slices, repeated elements, padding.

mod change;
mod functions;
mod pad;
#[cfg(test)]
mod reference;
mod steps;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use std::marker::PhantomData;

use super::error::OperationError;
use super::moving::launch::{MAX_PERIOD, Move};
use super::moving::layout::{Layout, MAX_AXES, period};
use super::moving::operands;
use super::moving::plan::{Choice, Pass, plan};
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use change::Change;
pub use functions::{broadcast, copy_part, fftshift, flip, ifftshift, pad, permute, roll, tile, transpose};
pub use pad::Pad;
pub use steps::{Steps, steps};

/// A rearrangement: each element of `y` is an element of `x`, or a fill value. Arrays are row-major, of elements of any
/// type; the bits of all elements are kept.
///
/// The functions [`transpose`], [`permute`], [`flip`], [`roll`], [`tile`], [`broadcast`], [`copy_part`] and [`pad`]
/// perform the same rearrangements on the default stream.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Rearrange;
///
/// let stream = device.stream();
/// let (x, mut y) = (device.buffer_from(&[1u32, 2, 3, 4])?, device.buffer::<u32>(4)?);
/// let flipped = Rearrange::flip([2, 2], &[1]);
/// assert_eq!(flipped.shape()?, [2, 2]);
/// flipped.on(&stream).run(&x, &mut y)?;
/// assert_eq!(*y.read()?, [2, 1, 4, 3]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a rearrangement does nothing until `run` is called"]
pub struct Rearrange<'r, T> {
    shape: Vec<usize>,
    change: Change,
    /// The bytes of the fill value; empty if there is none.
    fill: Vec<u8>,
    destination: Destination<'r>,
    _element: PhantomData<T>,
}

impl<'r, T: Element> Rearrange<'r, T> {
    fn of(shape: impl Into<Vec<usize>>, change: Change) -> Self {
        let destination = Destination::Own;
        Self { shape: shape.into(), change, fill: Vec::new(), destination, _element: PhantomData }
    }

    /// Reverses all axes; see [`transpose`].
    pub fn transpose(shape: impl Into<Vec<usize>>) -> Self {
        let shape = shape.into();
        let axes = (0..shape.len()).rev().collect();
        Self::of(shape, Change::Permute(axes))
    }

    /// Permutes axes; see [`permute`].
    pub fn permute(shape: impl Into<Vec<usize>>, axes: &[usize]) -> Self {
        Self::of(shape, Change::Permute(axes.to_vec()))
    }

    /// Reverses the order of the elements along these axes; see [`flip`].
    pub fn flip(shape: impl Into<Vec<usize>>, axes: &[usize]) -> Self {
        Self::of(shape, Change::Flip(axes.to_vec()))
    }

    /// Moves elements along axes; see [`roll`].
    pub fn roll(shape: impl Into<Vec<usize>>, shifts: &[(usize, isize)]) -> Self {
        Self::of(shape, Change::Roll(shifts.to_vec()))
    }

    /// Moves the element 0 to the middle along these axes; see [`fftshift`].
    pub fn fftshift(shape: impl Into<Vec<usize>>, axes: &[usize]) -> Self {
        let shape = shape.into();
        // An axis out of range is refused when the call runs.
        let half = |axis: usize| shape.get(axis).map_or(0, |size| (size / 2) as isize);
        let shifts = axes.iter().map(|axis| (*axis, half(*axis))).collect();
        Self::of(shape, Change::Roll(shifts))
    }

    /// Moves the middle element to the position 0 along these axes; see [`ifftshift`].
    pub fn ifftshift(shape: impl Into<Vec<usize>>, axes: &[usize]) -> Self {
        let shape = shape.into();
        let half = |axis: usize| shape.get(axis).map_or(0, |size| -((size / 2) as isize));
        let shifts = axes.iter().map(|axis| (*axis, half(*axis))).collect();
        Self::of(shape, Change::Roll(shifts))
    }

    /// Repeats the array along its axes; see [`tile`].
    pub fn tile(shape: impl Into<Vec<usize>>, repeats: &[usize]) -> Self {
        Self::of(shape, Change::Tile(repeats.to_vec()))
    }

    /// Repeats elements along axes of size 1, and new axes in front; see [`broadcast`].
    pub fn broadcast(shape: impl Into<Vec<usize>>, to: &[usize]) -> Self {
        Self::of(shape, Change::Broadcast(to.to_vec()))
    }

    /// Copies the positions that `parts` selects along each axis; see [`copy_part`].
    pub fn part(shape: impl Into<Vec<usize>>, parts: &[Steps]) -> Self {
        Self::of(shape, Change::Part(parts.to_vec()))
    }

    /// Adds elements before and after each axis; see [`pad()`].
    pub fn pad(shape: impl Into<Vec<usize>>, widths: &[[usize; 2]], pad: Pad<T>) -> Self {
        let fill = match &pad {
            Pad::Constant(value) => bytemuck::bytes_of(value).to_vec(),
            _ => Vec::new(),
        };
        Self { fill, ..Self::of(shape, Change::Pad(widths.to_vec(), pad.mode())) }
    }

    /// Appends the rearrangement to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Sets the destination, for operators that are built on rearrangements.
    pub(crate) fn to(mut self, destination: Destination<'r>) -> Self {
        self.destination = destination;
        self
    }

    /// The shape of `y`.
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Choice`], [`OperationError::Broadcast`], for a change that does not
    /// fit the shape.
    pub fn shape(&self) -> Result<Vec<usize>, OperationError> {
        Ok(self.change.maps(OPERATOR, &self.shape)?.iter().map(|map| map.size).collect())
    }

    /// The cost of a call, to compare its time with the limits of a device. The number of bytes is a lower bound, as each
    /// element is counted once.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Rearrange::<f32>::transpose([10, 20]).cost()?;
    /// assert_eq!((cost.passes, cost.flops, cost.bytes), (1, 0, 2 * 4 * 200));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`shape`](Self::shape), and [`OperationError::TooLarge`].
    pub fn cost(&self) -> Result<Cost, OperationError> {
        Ok(self.plan([0, 0])?.cost())
    }

    fn plan(&self, starts: [u64; 2]) -> Result<Plan<Pass>, OperationError> {
        let maps = self.change.maps(OPERATOR, &self.shape)?;
        let target: Vec<usize> = maps.iter().map(|map| map.size).collect();
        let given = operands::counted::<T>(OPERATOR, "x", &self.shape)?;
        let count = operands::counted::<T>(OPERATOR, "y", &target)?;
        if count == 0 {
            return Ok(Plan::nothing());
        }
        let layout = self.change.layout(size_of::<T>() as u64, &self.shape, &maps);
        self.expect_possible(&layout)?;
        let pass = plan(&layout, starts, Choice::default_for(&layout));
        let bytes = (count + given.min(count)) as u64 * size_of::<T>() as u64;
        Ok(Plan { passes: pass.into_iter().collect(), scratch: 0, flops: 0, bytes })
    }

    /// Returns an error for more axes, or a longer fill value, than the kernel supports.
    fn expect_possible(&self, layout: &Layout) -> Result<(), OperationError> {
        if layout.axes.len() > MAX_AXES {
            let expected = format!("at most {MAX_AXES} axes may remain after adjacent axes are joined; split the call");
            return Err(OPERATOR.choice("a rearrangement of", expected, format!("{} axes", layout.axes.len())));
        }
        if period(&self.fill, layout.cell) > MAX_PERIOD as u64 {
            let expected = format!("use elements of at most {} bytes", MAX_PERIOD as u64 * layout.cell);
            return Err(OPERATOR.choice("a fill value of", expected, format!("{} bytes", size_of::<T>())));
        }
        Ok(())
    }

    /// Rearranges `x` into `y`. Both are buffers or slices of any start, which have the lengths of their shapes. They
    /// must be in different buffers, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for axes out of range, lengths that are not those of the shapes, slices out of range, arrays
    /// of two devices, an existing guard, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let (x_bytes, y_bytes) = (operands::bytes(OPERATOR, "x", &x)?, operands::bytes_mut(OPERATOR, "y", &y)?);
        let plan = self.plan([operands::start(&x_bytes), operands::start_mut(&y_bytes)])?;
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape()?))?;
        let context = &y_bytes.core.device;
        let arrays = [("x", x_bytes), ("y", y_bytes.as_slice())];
        operands::check_places(OPERATOR, context, &arrays, 1, &self.destination)?;
        // If `x` is empty, all of `y` is padding, but kernels need an array to bind.
        let spare = Device::of(context).scratch::<u8>(16, &self.destination).map_err(operands::memory(OPERATOR))?;
        let source = if x.is_empty() { spare.slice(..) } else { x_bytes };
        let call = Move { operator: OPERATOR, x: &source, y: &y_bytes, fill: &self.fill };
        plan.passes.iter().try_for_each(|pass| call.check(pass))?;
        plan.passes.iter().try_for_each(|pass| call.run(pass, self.destination.reborrow()))
    }
}

const OPERATOR: Operator = Operator("rearrangement");
