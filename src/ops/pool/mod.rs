//! Pooling: the greatest element, the mean or a norm of each window.

mod geometry;
mod offer;
mod plan;
mod question;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use std::marker::PhantomData;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::rows::elements::FloatElement;
use super::windows::options::Options;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use geometry::{Geometry, Given, Windows};
use plan::{Choice, Shape, plan};
use run::{Call, Operands};

/// Computes the greatest element of each window of `x` of shape `[examples, channels, positions..]`, for one to three axes
/// of positions: windows of the size `kernel`, which begin at each multiple of `stride`, without padding. See [`Pool`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 5.0, 2.0, 3.0, 0.0, 4.0])?;
/// let mut y = device.buffer::<f32>(3)?;
/// anywarp::ops::max_pool(&x, &mut y, [1, 1, 6], &[2], &[2])?;
/// assert_eq!(*y.read()?, [5.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Pool::run`].
pub fn max_pool<'x, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    kernel: &[usize],
    stride: &[usize],
) -> Result<(), OperationError> {
    Pool::max(shape, kernel).stride(stride).run(x, y)
}

/// Computes the mean of each window, as [`max_pool`] the greatest element. See [`Pool`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 5.0, 2.0, 3.0, 0.0, 4.0])?;
/// let mut y = device.buffer::<f32>(3)?;
/// anywarp::ops::average_pool(&x, &mut y, [1, 1, 6], &[2], &[2])?;
/// assert_eq!(*y.read()?, [3.0, 2.5, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Pool::run`].
pub fn average_pool<'x, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    kernel: &[usize],
    stride: &[usize],
) -> Result<(), OperationError> {
    Pool::average(shape, kernel).stride(stride).run(x, y)
}

/// A pooling with strides, padding, dilation and indices, on a stream, or into a recording.
///
/// Windows are those of ONNX's `MaxPool`, `AveragePool` and `LpPool`: the default stride is 1. NaN is the greatest
/// element, and the first of equal ones wins. A window that has only padding has the mean NaN, and negative infinity
/// with the index 2^32 - 1 as its greatest element. Sums are `f32` for all element types, in a fixed order.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::Pool;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 5.0, 2.0, 3.0])?;
/// let (mut y, mut indices) = (device.buffer::<f32>(4)?, device.buffer::<u32>(4)?);
/// let mut recording = device.recording();
/// let pool = Pool::max([1, 1, 4], &[3]).padding(&[[1, 1]]).indices(&mut indices);
/// assert_eq!(pool.shape()?, [1, 1, 4]);
/// pool.record(&mut recording).run(&x, &mut y)?;
/// recording.submit()?;
/// assert_eq!((y.read()?.to_vec(), indices.read()?.to_vec()), (vec![5.0, 5.0, 5.0, 3.0], vec![1, 1, 1, 3]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a pooling does nothing until `run` is called"]
pub struct Pool<'r, T> {
    given: Given,
    kind: Kind,
    counts_padding: bool,
    indices: Option<SliceMut<'r, u32>>,
    destination: Destination<'r>,
    _element: PhantomData<T>,
}

/// The result that a pooling computes for each window.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Max,
    Average,
    Norm(f32),
}

impl<'r, T: FloatElement> Pool<'r, T> {
    /// The greatest element of each window of this size along each axis of positions; `x` has the shape
    /// `[examples, channels, positions..]`.
    pub fn max(x: impl Into<Vec<usize>>, kernel: &[usize]) -> Self {
        Self::of(x, Windows::Kernel(kernel.to_vec()), Kind::Max)
    }

    /// The mean of each window.
    pub fn average(x: impl Into<Vec<usize>>, kernel: &[usize]) -> Self {
        Self::of(x, Windows::Kernel(kernel.to_vec()), Kind::Average)
    }

    /// The norm of each window: the `power`-th root of the sum of `|x|^power`, for a power of at least 1.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Pool;
    ///
    /// let (x, mut y) = (device.buffer_from(&[3.0f32, 4.0])?, device.buffer::<f32>(1)?);
    /// Pool::norm([1, 1, 2], &[2], 2.0).run(&x, &mut y)?;
    /// assert_eq!(*y.read()?, [5.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn norm(x: impl Into<Vec<usize>>, kernel: &[usize], power: f32) -> Self {
        Self::of(x, Windows::Kernel(kernel.to_vec()), Kind::Norm(power))
    }

    /// The greatest elements of windows that divide each axis of positions among `output` results, as `PyTorch`'s
    /// `adaptive_max_pool`: result `o` reads from `floor(o * input / output)` up to `ceil((o + 1) * input / output)`. With 1,
    /// a window is the whole axis.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Pool;
    ///
    /// let (x, mut y) = (device.buffer_from(&[1.0f32, 5.0, 2.0, 3.0, 4.0])?, device.buffer::<f32>(2)?);
    /// Pool::adaptive_max([1, 1, 5], &[2]).run(&x, &mut y)?;
    /// assert_eq!(*y.read()?, [5.0, 4.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn adaptive_max(x: impl Into<Vec<usize>>, output: &[usize]) -> Self {
        Self::of(x, Windows::Adaptive(output.to_vec()), Kind::Max)
    }

    /// The means of windows, as [`adaptive_max`](Self::adaptive_max) their greatest elements.
    pub fn adaptive_average(x: impl Into<Vec<usize>>, output: &[usize]) -> Self {
        Self::of(x, Windows::Adaptive(output.to_vec()), Kind::Average)
    }

    fn of(x: impl Into<Vec<usize>>, windows: Windows, kind: Kind) -> Self {
        let (x, options) = (x.into(), Options::default());
        let given = Given { x, windows, options, rounds_up: false, channels_last: false };
        let (counts_padding, indices, destination) = (false, None, Destination::Own);
        Self { given, kind, counts_padding, indices, destination, _element: PhantomData }
    }

    /// Sets the distance of windows along each axis of positions; 1 by default. Adaptive windows ignore the stride,
    /// padding and dilation.
    pub fn stride(mut self, stride: &[usize]) -> Self {
        self.given.options.stride = Some(stride.to_vec());
        self
    }

    /// Sets the numbers of positions to add before and after each axis; none by default. Added positions do not count
    /// as elements.
    pub fn padding(mut self, padding: &[[usize; 2]]) -> Self {
        self.given.options.padding = Some(padding.to_vec());
        self
    }

    /// Sets the distance of a window's elements along each axis of positions; 1 by default.
    pub fn dilation(mut self, dilation: &[usize]) -> Self {
        self.given.options.dilation = Some(dilation.to_vec());
        self
    }

    /// Rounds the number of windows up, in place of down: the last window may end outside the padded input, if it begins in
    /// the input or in the padding before it.
    pub fn ceil(mut self) -> Self {
        self.given.rounds_up = true;
        self
    }

    /// Counts positions of the padding as elements of 0 in a mean.
    pub fn count_padding(mut self) -> Self {
        self.counts_padding = true;
        self
    }

    /// Takes channels as the last axis: `x` and `y` have the shape `[examples, positions.., channels]`.
    pub fn channels_last(mut self) -> Self {
        self.given.channels_last = true;
        self
    }

    /// Also writes the index of each greatest element in the whole array `x`.
    pub fn indices(mut self, indices: impl Into<SliceMut<'r, u32>>) -> Self {
        self.indices = Some(indices.into());
        self
    }

    /// Appends the pooling to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The shape of `y`.
    ///
    /// # Errors
    /// [`OperationError::Choice`] for shapes, strides, padding or dilation that do not fit each other, a norm of a power
    /// below 1, and indices of means.
    pub fn shape(&self) -> Result<Vec<usize>, OperationError> {
        Ok(self.geometry()?.y)
    }

    /// The cost of a call on a device, to compare its time with the limits of the device. Each element of a window
    /// counts as one operation, or as two for a norm.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Pool::<f32>::max([1, 2, 10, 10], &[3, 3]).cost(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (2 * 64 * 9, 4 * (200 + 2 * 64)));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`shape`](Self::shape), and [`OperationError::TooLarge`].
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        let geometry = self.geometry()?;
        let shape = shape::<T>(&geometry, 0);
        Ok(plan(shape, Choice::of(shape, device), self.cost_of(&geometry)).cost())
    }

    fn geometry(&self) -> Result<Geometry, OperationError> {
        if let Kind::Norm(power) = self.kind
            && !(power >= 1.0 && power.is_finite())
        {
            return Err(OPERATOR.choice("a norm of power", "use a finite power of at least 1", power.to_string()));
        }
        if self.indices.is_some() && self.kind != Kind::Max {
            let expected = "only the greatest elements have indices";
            return Err(OPERATOR.choice("indices of", expected, "means or norms".to_owned()));
        }
        let geometry = self.given.checked(OPERATOR)?;
        operands::counted::<T>(OPERATOR, "x", &self.given.x)?;
        operands::counted::<T>(OPERATOR, "y", &geometry.y)?;
        Ok(geometry)
    }

    /// Returns the number of operations and the number of bytes of a call.
    fn cost_of(&self, geometry: &Geometry) -> [u64; 2] {
        let planes = geometry.examples as u64 * geometry.channels as u64;
        let each = if matches!(self.kind, Kind::Norm(_)) { 2 } else { 1 };
        let elements = [&self.given.x, &geometry.y].map(|shape| shape.iter().product::<usize>() as u64);
        let indices = if self.indices.is_some() { 4 * elements[1] } else { 0 };
        let bytes = (elements[0] + elements[1]) * size_of::<T>() as u64 + indices;
        [planes.saturating_mul(geometry.reads()).saturating_mul(each), bytes]
    }

    fn call(&self) -> Call {
        let (kind, power) = match self.kind {
            Kind::Max => (0, 0.0),
            Kind::Average => (1, 0.0),
            Kind::Norm(power) => (2, power),
        };
        let (counts_padding, channels_last) = (self.counts_padding, self.given.channels_last);
        Call { kind, power, counts_padding, channels_last, halves: size_of::<T>() == 2, bf16: T::BF16 }
    }

    /// Computes `y` from `x`. They are buffers or slices of any start, in different buffers unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for the reasons of [`shape`](Self::shape), a window that is larger than the padded input, arrays
    /// of other lengths, a slice out of range, arrays of two devices, an existing guard, 2^31 - 2^16 elements or more, or an
    /// error of the device. In that case nothing has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let geometry = self.geometry()?;
        let indices =
            self.indices.as_ref().map(|indices| operands::bytes_mut(OPERATOR, "indices", indices)).transpose()?;
        let operands =
            Operands { x: operands::bytes(OPERATOR, "x", &x)?, y: operands::bytes_mut(OPERATOR, "y", &y)?, indices };
        let count = geometry.y.iter().product();
        operands::expect(OPERATOR, "x", (x.len(), &self.given.x))?;
        operands::expect(OPERATOR, "indices", (self.indices.as_ref().map_or(count, SliceMut::len), &geometry.y))?;
        operands::expect(OPERATOR, "y", (y.len(), &geometry.y))?;
        operands.check(&self.destination)?;
        let shape = shape::<T>(&geometry, operands::start_mut(&operands.y));
        let choice = Choice::of(shape, &Device::of(&y.core.device));
        let (plan, call) = (plan(shape, choice, self.cost_of(&geometry)), self.call());
        self.offer(&x, &y);
        operands.run(&geometry, call, &plan, &mut self.destination)
    }
}

/// The sizes of a call whose results begin at byte `start` of their buffer.
fn shape<T: FloatElement>(geometry: &Geometry, start: u64) -> Shape {
    Shape {
        planes: geometry.examples as u64 * geometry.channels as u64,
        output: geometry.output.map(|size| size as u64),
        halves: size_of::<T>() == 2,
        odd: !start.is_multiple_of(4),
    }
}

const OPERATOR: Operator = Operator("pooling");
