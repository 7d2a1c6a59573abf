//! Norms of rows: layer, root mean square, group and instance norm.

mod backward;
mod cost;
mod derivatives;
mod offer;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;
mod weights;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::rows::elements::FloatElement;
use super::rows::launch::starts;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use run::Operands;

/// Computes `y = (x - mean) / sqrt(variance + epsilon) * scale + bias` of each row; a row has as many elements as
/// `scale` and `bias`. See [`Norm::layer`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 3.0, -5.0, 5.0])?; // two rows
/// let (scale, bias) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[0.0f32, 0.5])?);
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::layer_norm(&x, &scale, &bias, &mut y, 0.0)?;
/// assert_eq!(*y.read()?, [-1.0, 2.5, -1.0, 2.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Norm::run`].
pub fn layer_norm<'x, 's, 'b, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    scale: impl Into<Slice<'s, T>>,
    bias: impl Into<Slice<'b, T>>,
    y: impl Into<SliceMut<'y, T>>,
    epsilon: f32,
) -> Result<(), OperationError> {
    let (scale, bias) = (scale.into(), bias.into());
    Norm::layer(scale.len()).epsilon(epsilon).scale(scale).bias(bias).run(x, y)
}

/// Computes `y = x / sqrt(mean(x * x) + epsilon) * scale` of each row; a row has as many elements as `scale`. See
/// [`Norm::rms`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, -1.0, 4.0, 4.0])?; // two rows
/// let scale = device.buffer_from(&[1.0f32, 3.0])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::rms_norm(&x, &scale, &mut y, 0.0)?;
/// assert_eq!(*y.read()?, [1.0, -3.0, 1.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Norm::run`].
pub fn rms_norm<'x, 's, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    scale: impl Into<Slice<'s, T>>,
    y: impl Into<SliceMut<'y, T>>,
    epsilon: f32,
) -> Result<(), OperationError> {
    let scale = scale.into();
    Norm::rms(scale.len()).epsilon(epsilon).scale(scale).run(x, y)
}

/// The norm of groups of channels, for arrays of shape `[examples, channels, elements of a channel]`: each group of an
/// example is a row of [`layer_norm`], with a scale and a bias for each channel. See [`Norm::group`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 3.0, 5.0, 9.0])?; // four channels of one element
/// let (scale, bias) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer_from(&[0.0f32; 4])?);
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::group_norm(&x, &scale, &bias, &mut y, [1, 4, 1], 2, 0.0)?;
/// assert_eq!(*y.read()?, [-1.0, 2.0, -3.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Norm::run`].
pub fn group_norm<'x, 's, 'b, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    scale: impl Into<Slice<'s, T>>,
    bias: impl Into<Slice<'b, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: [usize; 3],
    groups: usize,
    epsilon: f32,
) -> Result<(), OperationError> {
    Norm::group(shape, groups).epsilon(epsilon).scale(scale.into()).bias(bias.into()).run(x, y)
}

/// [`group_norm`] with a group for each channel. See [`Norm::instance`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 3.0, 5.0, 9.0])?; // two channels of two elements
/// let (scale, bias) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[0.0f32, 1.0])?);
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::instance_norm(&x, &scale, &bias, &mut y, [1, 2, 2], 0.0)?;
/// assert_eq!(*y.read()?, [-1.0, 1.0, -1.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Norm::run`].
pub fn instance_norm<'x, 's, 'b, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    scale: impl Into<Slice<'s, T>>,
    bias: impl Into<Slice<'b, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: [usize; 3],
    epsilon: f32,
) -> Result<(), OperationError> {
    Norm::instance(shape).epsilon(epsilon).scale(scale.into()).bias(bias.into()).run(x, y)
}

/// A norm of the rows of an array, with optional weights, on a stream, or into a recording.
///
/// Sums are `f32`, those of squares relative to the mean; rows that are too long for a workgroup are read twice, and
/// their parts are combined by their means, so that a large mean costs no digits. Repeated calls on a device return the
/// same bits. A row whose sum of squares is not finite is NaN, as for a row with NaN or infinity.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::Norm;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 3.0, -5.0, 5.0])?;
/// let (mut means, mut inverses) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
/// let mut y = device.buffer::<f32>(4)?;
/// let mut recording = device.recording();
/// Norm::layer(2).epsilon(0.0).statistics(&mut means, &mut inverses).record(&mut recording).run(&x, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [-1.0, 1.0, -1.0, 1.0]);
/// assert_eq!((means.read()?.to_vec(), inverses.read()?.to_vec()), (vec![2.0, 0.0], vec![1.0, 0.2]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a norm does nothing until `run` is called"]
pub struct Norm<'r, T> {
    rows: Rows,
    centred: bool,
    epsilon: f32,
    scale: Option<Slice<'r, T>>,
    bias: Option<Slice<'r, T>>,
    statistics: Option<(SliceMut<'r, f32>, SliceMut<'r, f32>)>,
    destination: Destination<'r>,
}

/// The rows of a norm.
#[derive(Clone, Copy, Debug)]
enum Rows {
    /// Any number of rows of this length.
    Length(usize),
    /// Groups of the channels of examples: the shape, and the number of groups.
    Groups([usize; 3], usize),
}

impl<'r, T: FloatElement> Norm<'r, T> {
    /// Layer norm: `y = (x - mean) / sqrt(variance + epsilon) * scale + bias` of each row of `length` elements, where
    /// the variance is the mean of the squared differences (Ba, Kiros and Hinton, 'Layer Normalization', 2016).
    pub fn layer(length: usize) -> Self {
        Self::of(Rows::Length(length), true)
    }

    /// The norm by the root of the mean square: `y = x / sqrt(mean(x * x) + epsilon) * scale + bias` of each row of
    /// `length` elements (Zhang and Sennrich, 'Root Mean Square Layer Normalization', 2019).
    pub fn rms(length: usize) -> Self {
        Self::of(Rows::Length(length), false)
    }

    /// Group norm of arrays of shape `[examples, channels, elements of a channel]`: as a layer norm of each group of
    /// `channels / groups` channels, with a scale and a bias for each channel (Wu and He, 'Group Normalization', 2018).
    pub fn group(shape: [usize; 3], groups: usize) -> Self {
        Self::of(Rows::Groups(shape, groups), true)
    }

    /// Instance norm of arrays of shape `[examples, channels, elements of a channel]`: a group norm with a group for
    /// each channel (Ulyanov, Vedaldi and Lempitsky, 'Instance Normalization', 2016).
    pub fn instance(shape: [usize; 3]) -> Self {
        Self::group(shape, shape[1])
    }

    fn of(rows: Rows, centred: bool) -> Self {
        let (epsilon, destination) = (1e-5, Destination::Own);
        Self { rows, centred, epsilon, scale: None, bias: None, statistics: None, destination }
    }

    /// Sets the number that is added to the mean square; 1e-5 by default. Without it, a row of equal elements divides 0
    /// by 0.
    pub fn epsilon(mut self, epsilon: f32) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// Multiplies by a weight for each element of a row, or for each channel of groups.
    pub fn scale(mut self, scale: impl Into<Slice<'r, T>>) -> Self {
        self.scale = Some(scale.into());
        self
    }

    /// Adds a weight for each element of a row, or for each channel of groups.
    pub fn bias(mut self, bias: impl Into<Slice<'r, T>>) -> Self {
        self.bias = Some(bias.into());
        self
    }

    /// Also writes the mean of each row, 0 for [`rms`](Self::rms), and `1 / sqrt(variance + epsilon)`.
    pub fn statistics(mut self, means: impl Into<SliceMut<'r, f32>>, inverses: impl Into<SliceMut<'r, f32>>) -> Self {
        self.statistics = Some((means.into(), inverses.into()));
        self
    }

    /// Appends the norm to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Computes `y` from the rows of `x`, which has the same length. They are buffers or slices of any start, in
    /// different buffers unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for the reasons of [`cost`](Self::cost), weights, statistics or results of another length, a
    /// slice out of range, arrays of two devices, an existing guard, or an error of the device. In that case nothing
    /// has run.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let x_bytes = operands::bytes(OPERATOR, "x", &x)?;
        let call = self.call(x.len(), &[])?;
        let weight = |name, weights: &Option<Slice<'r, T>>| {
            let bytes = weights.as_ref().map(|weights| {
                let bytes = operands::bytes(OPERATOR, name, weights)?;
                operands::expect(OPERATOR, name, (weights.len(), &[self.weights(&call)])).map(|()| bytes)
            });
            bytes.transpose()
        };
        let (scale, bias) = (weight("scale", &self.scale)?, weight("bias", &self.bias)?);
        let statistic = |name, array: Option<&SliceMut<'r, f32>>| {
            let bytes = array.map(|array| {
                let bytes = operands::bytes_mut(OPERATOR, name, array)?;
                operands::expect(OPERATOR, name, (array.len(), &[call.shape.rows as usize])).map(|()| bytes)
            });
            bytes.transpose()
        };
        let means = statistic("means", self.statistics.as_ref().map(|(means, _)| means))?;
        let inverses = statistic("inverses", self.statistics.as_ref().map(|(_, inverses)| inverses))?;
        let y_bytes = operands::bytes_mut(OPERATOR, "y", &y)?;
        operands::expect(OPERATOR, "y", (y.len(), &[x.len()]))?;
        let operands = Operands { x: x_bytes, scale, bias, means, inverses, y: y_bytes };
        operands.check(&self.destination)?;
        let read: Vec<&Slice<'_, u8>> =
            [Some(&operands.x), operands.scale.as_ref(), operands.bias.as_ref()].into_iter().flatten().collect();
        let call = self.call(x.len(), &starts(&read, &[&operands.y]))?;
        let planned = self.planned(&call, &Device::of(&y.core.device));
        self.offer(&x, &y);
        operands.run(call, &planned, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("norm");
