//! Softmax and its logarithm along an axis.

mod backward;
mod offer;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::rows::elements::FloatElement;
use super::rows::launch::{choice, is_aligned, starts};
use super::rows::plan::{Planned, Shape, plan};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use run::{Call, Operands};

/// Computes `y = exp(x) / sum(exp(x))` along an axis of an array with this shape, row-major. See [`Softmax`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 1.0, 1.0, 1.0, f32::NEG_INFINITY, 1.0])?;
/// let mut y = device.buffer::<f32>(6)?;
/// anywarp::ops::softmax(&x, &mut y, [3, 2], 1)?;
/// assert_eq!(*y.read()?, [0.5, 0.5, 0.5, 0.5, 0.0, 1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Softmax::run`].
pub fn softmax<'x, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Softmax::new(shape, axis).run(x, y)
}

/// Computes `y = x - log(sum(exp(x)))` along an axis of an array with this shape, row-major: the logarithm of
/// [`softmax()`], also where the softmax itself would be rounded to 0. See [`Softmax`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[0.0f32, 1000.0])?;
/// let mut y = device.buffer::<f32>(2)?;
/// anywarp::ops::log_softmax(&x, &mut y, [2], 0)?;
/// assert_eq!(*y.read()?, [-1000.0, 0.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Softmax::run`].
pub fn log_softmax<'x, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Softmax::new(shape, axis).logarithm().run(x, y)
}

/// Computes the derivatives `dx` with respect to the elements of a [`softmax()`] along an axis, from its results `y`
/// and the derivatives `dy` with respect to these results: `dx = y * (dy - sum(y * dy))`. See [`Softmax::backward`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (y, dy) = (device.buffer_from(&[0.5f32, 0.5])?, device.buffer_from(&[1.0f32, 3.0])?);
/// let mut dx = device.buffer::<f32>(2)?;
/// anywarp::ops::softmax_backward(&y, &dy, &mut dx, [2], 0)?;
/// assert_eq!(*dx.read()?, [-0.5, 0.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Softmax::run`].
pub fn softmax_backward<'y, 'd, 'x, T: FloatElement>(
    y: impl Into<Slice<'y, T>>,
    dy: impl Into<Slice<'d, T>>,
    dx: impl Into<SliceMut<'x, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Softmax::new(shape, axis).backward(y, dy, dx)
}

/// Computes the derivatives `dx` with respect to the elements of a [`log_softmax()`] along an axis, from its results
/// `y` and the derivatives `dy` with respect to these results: `dx = dy - exp(y) * sum(dy)`. See [`Softmax::backward`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (y, dy) = (device.buffer_from(&[0.0f32, f32::NEG_INFINITY])?, device.buffer_from(&[1.0f32, 3.0])?);
/// let mut dx = device.buffer::<f32>(2)?;
/// anywarp::ops::log_softmax_backward(&y, &dy, &mut dx, [2], 0)?;
/// assert_eq!(*dx.read()?, [-3.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Softmax::run`].
pub fn log_softmax_backward<'y, 'd, 'x, T: FloatElement>(
    y: impl Into<Slice<'y, T>>,
    dy: impl Into<Slice<'d, T>>,
    dx: impl Into<SliceMut<'x, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Softmax::new(shape, axis).logarithm().backward(y, dy, dx)
}

/// [`softmax()`] or [`log_softmax()`] on a stream, or into a recording.
///
/// Exponentials are computed relative to the greatest element of a row, so that they do not overflow, and are summed in
/// `f32`. Long rows are read twice: the greatest element and the sum are found in one pass (Milakov and Gimelshein,
/// 'Online normalizer calculation for softmax', 2018). Repeated calls on a device return the same bits.
///
/// An element of negative infinity has the result 0, or negative infinity as a logarithm. All results of a row are NaN
/// if the row contains NaN or positive infinity, or only negative infinity, as in `PyTorch`.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Softmax;
/// use half::f16;
///
/// let (x, mut y) = (device.buffer_from(&[f16::ONE; 6])?, device.buffer::<f16>(6)?);
/// let mut recording = device.recording();
/// Softmax::new([2, 3], 0).record(&mut recording).run(&x, &mut y)?; // down the columns of a matrix
/// recording.submit()?;
/// assert_eq!(*y.read()?, [f16::from_f32(0.5); 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a softmax does nothing until `run` is called"]
pub struct Softmax<'r> {
    shape: Vec<usize>,
    axis: usize,
    logarithm: bool,
    destination: Destination<'r>,
}

impl<'r> Softmax<'r> {
    /// A softmax along one axis of arrays with this shape, row-major; axes are counted from 0.
    pub fn new(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        Self { shape: shape.into(), axis, logarithm: false, destination: Destination::Own }
    }

    /// Computes the logarithm of the softmax instead.
    pub fn logarithm(mut self) -> Self {
        self.logarithm = true;
        self
    }

    /// Appends the softmax to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call on a device, to compare its time with the limits of the device. An element counts as five
    /// operations: a comparison, a difference, an exponential, a sum, and a product.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Softmax::new([10, 100], 1).cost::<f32>(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (5000, 8000));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`] and [`OperationError::Axis`].
    pub fn cost<T: FloatElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        Ok(planned(&self.call::<T>(&[])?, device).plan.cost())
    }

    /// Returns the checked parameters, for arrays that begin at the bytes `starts` of their buffers.
    fn call<T: FloatElement>(&self, starts: &[u64]) -> Result<Call, OperationError> {
        let elements = operands::counted::<T>(OPERATOR, "x", &self.shape)?;
        operands::expect_axis(OPERATOR, self.axis, &self.shape)?;
        let (length, inner) = (self.shape[self.axis], self.shape[self.axis + 1..].iter().product::<usize>());
        let aligned = inner == 1 && is_aligned(length, size_of::<T>(), starts);
        let [rows, length, inner] =
            [elements.checked_div(length).unwrap_or(0), length, inner].map(|count| count as u64);
        let shape = Shape { rows, length, inner, halves: size_of::<T>() == 2, aligned };
        Ok(Call { shape, logarithm: self.logarithm, bf16: T::BF16 })
    }

    /// Computes `y` from `x`. Both have the shape of the softmax, and are buffers or slices of any start, in different
    /// buffers unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for an axis that the shape does not have, an array of another length, a slice out of range,
    /// arrays of two devices, an existing guard, 2^31 - 2^16 elements or more, or an error of the device. In that case
    /// nothing has run.
    pub fn run<'x, 'y, T: FloatElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        self.call::<T>(&[])?;
        let operands = Operands { x: operands::bytes(OPERATOR, "x", &x)?, y: operands::bytes_mut(OPERATOR, "y", &y)? };
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        operands.check(&self.destination)?;
        let call = self.call::<T>(&starts(&[&operands.x], &[&operands.y]))?;
        let planned = planned(&call, &Device::of(&y.core.device));
        self.offer(&x, &y);
        operands.run(call, &planned, &mut self.destination)
    }

    /// Computes the derivatives `dx` with respect to the elements, from the results `y` and the derivatives `dy` with
    /// respect to these results. All arrays have the shape of the softmax. See [`softmax_backward`], or
    /// [`log_softmax_backward`] for the [`logarithm`](Self::logarithm).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn backward<'y, 'd, 'x, T: FloatElement>(
        mut self,
        y: impl Into<Slice<'y, T>>,
        dy: impl Into<Slice<'d, T>>,
        dx: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        let (y, dy, dx) = (y.into(), dy.into(), dx.into());
        self.call::<T>(&[])?;
        let operands = backward::Operands {
            y: operands::bytes(OPERATOR, "y", &y)?,
            dy: operands::bytes(OPERATOR, "dy", &dy)?,
            dx: operands::bytes_mut(OPERATOR, "dx", &dx)?,
        };
        for (name, length) in [("y", y.len()), ("dy", dy.len()), ("dx", dx.len())] {
            operands::expect(OPERATOR, name, (length, &self.shape))?;
        }
        operands.check(&self.destination)?;
        let call = self.call::<T>(&starts(&[&operands.y, &operands.dy], &[&operands.dx]))?;
        let planned = planned_backward(&call, &Device::of(&dx.core.device));
        self.offer_backward([&y, &dy], &dx);
        operands.run(call, &planned, &mut self.destination)
    }

    /// The cost of [`backward`](Self::backward), as [`cost`](Self::cost). An element counts as four operations.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Softmax::new([10, 100], 1).cost_of_backward::<f32>(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (4000, 12_000));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_backward<T: FloatElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        Ok(planned_backward(&self.call::<T>(&[])?, device).plan.cost())
    }
}

fn planned_backward(call: &Call, device: &Device) -> Planned {
    let [flops, bytes] = cost(call.shape);
    plan(call.shape, choice("softmax_backward", call.shape, device), [flops / 5 * 4, bytes / 2 * 3])
}

fn planned(call: &Call, device: &Device) -> Planned {
    plan(call.shape, choice("softmax", call.shape, device), cost(call.shape))
}

/// Returns the number of operations and the number of bytes of a call.
fn cost(shape: Shape) -> [u64; 2] {
    let elements = shape.rows.saturating_mul(shape.length);
    [elements.saturating_mul(5), elements.saturating_mul(if shape.halves { 4 } else { 8 })]
}

const OPERATOR: Operator = Operator("softmax");
