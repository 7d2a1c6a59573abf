//! Resizing of arrays: by nearest elements, or by linear or cubic interpolation.

mod geometry;
mod run;

use std::marker::PhantomData;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use super::rows::elements::FloatElement;
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
pub use geometry::{Coordinates, Rounding};
use geometry::{Geometry, Given, MAX_AXES};
use run::{Call, Operands, Pass};

/// Resizes `x` from one shape to another by linear interpolation, which is bilinear for an image. See [`Resize`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (x, mut y) = (device.buffer_from(&[0.0f32, 4.0])?, device.buffer::<f32>(4)?);
/// anywarp::ops::resize(&x, &mut y, [1, 2], [1, 4])?;
/// assert_eq!(*y.read()?, [0.0, 1.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Resize::run`].
pub fn resize<'x, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    to: impl Into<Vec<usize>>,
) -> Result<(), OperationError> {
    Resize::linear(shape, to).run(x, y)
}

/// A resize with a choice of positions and weights, on a stream, or into a recording: ONNX's `Resize`.
///
/// Up to three axes may have another size. An element outside `x` has the value of the nearest element of `x`, unless
/// other rules are set. Positions and sums are computed in `f32`. A position within 2^-20 of a point at which the
/// nearest element changes counts as that point.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Coordinates, Resize};
///
/// let device = anywarp::Device::open("cpu")?;
/// let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer::<f32>(8)?);
/// let mut recording = device.recording();
/// Resize::nearest([2, 2], [2, 4]).coordinates(Coordinates::Asymmetric).record(&mut recording).run(&x, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a resize does nothing until `run` is called"]
pub struct Resize<'r, T> {
    given: Given,
    mode: Mode,
    rounding: Rounding,
    cubic: f32,
    excludes_outside: bool,
    outside: Option<f32>,
    destination: Destination<'r>,
    _element: PhantomData<T>,
}

/// The function that determines the weights of elements around a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Nearest,
    Linear,
    Cubic,
}

impl<'r, T: FloatElement> Resize<'r, T> {
    /// A resize by the element nearest to each position.
    pub fn nearest(shape: impl Into<Vec<usize>>, to: impl Into<Vec<usize>>) -> Self {
        Self::of(shape, to, Mode::Nearest)
    }

    /// A resize by linear interpolation of the two elements around each position, along each axis that changes.
    pub fn linear(shape: impl Into<Vec<usize>>, to: impl Into<Vec<usize>>) -> Self {
        Self::of(shape, to, Mode::Linear)
    }

    /// A resize by cubic interpolation of the four elements around each position, along each axis that changes (Keys,
    /// 'Cubic Convolution Interpolation for Digital Image Processing', 1981).
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Resize;
    ///
    /// let (x, mut y) = (device.buffer_from(&[5.0f32; 6])?, device.buffer::<f32>(20)?);
    /// Resize::cubic([2, 3], [4, 5]).run(&x, &mut y)?;
    /// assert!(y.read()?.iter().all(|y| (y - 5.0).abs() < 1e-5));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn cubic(shape: impl Into<Vec<usize>>, to: impl Into<Vec<usize>>) -> Self {
        Self::of(shape, to, Mode::Cubic)
    }

    fn of(shape: impl Into<Vec<usize>>, to: impl Into<Vec<usize>>, mode: Mode) -> Self {
        let given = Given {
            x: shape.into(),
            y: to.into(),
            coordinates: Coordinates::default(),
            scales: None,
            regions: None,
            antialias: false,
            reach: if mode == Mode::Cubic { 2 } else { 1 },
        };
        Self {
            given,
            mode,
            rounding: Rounding::default(),
            cubic: -0.75,
            excludes_outside: false,
            outside: None,
            destination: Destination::Own,
            _element: PhantomData,
        }
    }

    /// Sets how the positions of results in `x` are computed; [`Coordinates::HalfPixel`] by default.
    pub fn coordinates(mut self, coordinates: Coordinates) -> Self {
        self.given.coordinates = coordinates;
        self
    }

    /// Sets which element counts as the nearest to a position; [`Rounding::HalfDown`] by default.
    pub fn rounding(mut self, rounding: Rounding) -> Self {
        self.rounding = rounding;
        self
    }

    /// Sets the scale of each axis, in place of the size of `y` divided by that of `x`.
    pub fn scales(mut self, scales: &[f64]) -> Self {
        self.given.scales = Some(scales.to_vec());
        self
    }

    /// Reads a part of each axis of `x`, from a start to an end relative to the last element of the axis: `[0, 1]` is
    /// the whole axis. Results whose positions are outside `x` are `outside`, as `TensorFlow`'s `crop_and_resize`.
    pub fn regions(mut self, regions: &[[f64; 2]], outside: f32) -> Self {
        self.given.regions = Some(regions.to_vec());
        self.outside = Some(outside);
        self
    }

    /// Where an axis becomes shorter, widens the weights to all elements of `x` between the positions of neighbouring
    /// results.
    pub fn antialias(mut self) -> Self {
        self.given.antialias = true;
        self
    }

    /// Sets the weights of elements outside `x` to 0, and divides each result by the sum of the other weights.
    pub fn exclude_outside(mut self) -> Self {
        self.excludes_outside = true;
        self
    }

    /// Sets the coefficient of cubic functions; -0.75 by default, as in `PyTorch`; `TensorFlow` uses -0.5.
    pub fn coefficient(mut self, coefficient: f32) -> Self {
        self.cubic = coefficient;
        self
    }

    /// Appends the resize to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call, to compare its time with the limits of a device: two operations for each element that a
    /// result reads, or none if each result is the nearest element.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Resize::<f32>::linear([10, 20], [20, 40]).cost()?;
    /// assert_eq!((cost.flops, cost.bytes), (2 * 4 * 800, 4 * (200 + 800)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Choice`] for shapes of different numbers of axes, more than three axes that change, scales that are
    /// not positive, and regions that are not finite; and [`OperationError::TooLarge`].
    pub fn cost(&self) -> Result<Cost, OperationError> {
        Ok(self.plan(0)?.1.cost())
    }

    /// Returns the pass of a call whose results begin at byte `start` of their buffer.
    fn plan(&self, start: u64) -> Result<(Geometry, Plan<Pass>), OperationError> {
        let geometry = self.given.checked(OPERATOR)?;
        if geometry.axes.len() > MAX_AXES {
            let expected = format!(
                "at most {MAX_AXES} axes may remain after neighbours that do not change are joined; split the call"
            );
            return Err(OPERATOR.choice("a shape of", expected, format!("{:?}", self.given.x)));
        }
        let given = operands::counted::<T>(OPERATOR, "x", &self.given.x)? as u64;
        let count = operands::counted::<T>(OPERATOR, "y", &self.given.y)? as u64;
        if count == 0 {
            return Ok((geometry, Plan::nothing()));
        }
        let element = size_of::<T>() as u64;
        let threads = if element == 2 { (start / 2 % 2 + count).div_ceil(2) } else { count };
        let reads = geometry.scaled.iter().fold(1u64, |all, axis| all.saturating_mul(2 * axis.reach as u64));
        let flops = if self.mode == Mode::Nearest { 0 } else { count.saturating_mul(2).saturating_mul(reads) };
        let plan = Plan { passes: vec![Pass { threads }], scratch: 0, flops, bytes: (given + count) * element };
        Ok((geometry, plan))
    }

    fn call(&self, count: usize) -> Call {
        Call {
            count: count as u32,
            mode: match self.mode {
                Mode::Nearest => 0,
                Mode::Linear => 1,
                Mode::Cubic => 2,
            },
            rounding: match self.rounding {
                Rounding::HalfDown => 0,
                Rounding::HalfUp => 1,
                Rounding::Down => 2,
                Rounding::Up => 3,
            },
            cubic: self.cubic,
            normalised: self.mode != Mode::Nearest && (self.given.antialias || self.excludes_outside),
            excludes_outside: self.excludes_outside,
            outside: self.outside,
            halves: size_of::<T>() == 2,
            bf16: T::BF16,
        }
    }

    /// Computes `y` from `x`. Both have the shapes of the resize, and are buffers or slices of any start, in different
    /// buffers unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for the reasons of [`cost`](Self::cost), arrays of other lengths, a slice out of range, arrays of
    /// two devices, an existing guard, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let operands = Operands { x: operands::bytes(OPERATOR, "x", &x)?, y: operands::bytes_mut(OPERATOR, "y", &y)? };
        let (geometry, plan) = self.plan(operands::start_mut(&operands.y))?;
        operands::expect(OPERATOR, "x", (x.len(), &self.given.x))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.given.y))?;
        operands.check(&self.destination)?;
        operands.run(&geometry, self.call(y.len()), &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("resize");
