//! Batch norm: channels, normalised by the statistics of all examples.

mod run;

use super::channels::launch::{Arrays, Derivatives, Statistics};
use super::channels::plan::Sizes;
use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::rows::elements::FloatElement;
use crate::buffer::cells::read_again;
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
use run::{Normalise, Way};

/// Computes `y = (x - mean) / sqrt(variance + epsilon)` of each channel, for arrays of shape
/// `[examples, channels, elements of a channel]` and given means and variances. See [`BatchNorm`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 3.0, 5.0, 9.0])?; // two examples of two channels of one element
/// let (means, variances) = (device.buffer_from(&[1.0f32, 5.0])?, device.buffer_from(&[4.0f32, 1.0])?);
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::batch_norm(&x, &means, &variances, &mut y, [2, 2, 1], 0.0)?;
/// assert_eq!(*y.read()?, [0.0, -2.0, 2.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`BatchNorm::run`].
pub fn batch_norm<'x, 'm, 'v, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    means: impl Into<Slice<'m, f32>>,
    variances: impl Into<Slice<'v, f32>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: [usize; 3],
    epsilon: f32,
) -> Result<(), OperationError> {
    BatchNorm::new(shape).epsilon(epsilon).run(x, means, variances, y)
}

/// Batch norm of arrays of shape `[examples, channels, elements of a channel]`:
/// `y = (x - mean) / sqrt(variance + epsilon) * scale + bias` of each channel, with optional weights, on a stream, or
/// into a recording (Ioffe and Szegedy, 'Batch Normalization', 2015). An array whose channels come last has the shape
/// `[examples and places, channels, 1]`.
///
/// [`run`](Self::run) takes means and variances, as inference does. [`train`](Self::train) computes those of `x`, and
/// [`backward`](Self::backward) the derivatives of that. Sums are `f32`, those of squares relative to an element of
/// their part, and parts are combined by their means, so that a large mean costs no digits. Repeated calls on a device
/// return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::BatchNorm;
///
/// let x = device.buffer_from(&[1.0f32, 10.0, 3.0, 20.0])?; // two examples of two channels
/// let (scale, bias) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[0.0f32, 0.5])?);
/// let (mut means, mut inverses) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
/// let (mut running_means, mut running_variances) = (device.buffer::<f32>(2)?, device.buffer_from(&[1.0f32, 1.0])?);
/// let mut y = device.buffer::<f32>(4)?;
/// BatchNorm::new([2, 2, 1])
///     .epsilon(0.0)
///     .scale(&scale)
///     .bias(&bias)
///     .running(&mut running_means, &mut running_variances, 0.5)
///     .train(&x, &mut y, &mut means, &mut inverses)?;
/// assert_eq!(*y.read()?, [-1.0, -1.5, 1.0, 2.5]);
/// assert_eq!((means.read()?.to_vec(), inverses.read()?.to_vec()), (vec![2.0, 15.0], vec![1.0, 0.2]));
/// // The running variance is that of a sample: 2 and 50.
/// assert_eq!((running_means.read()?.to_vec(), running_variances.read()?.to_vec()), (vec![1.0, 7.5], vec![1.5, 25.5]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a batch norm does nothing until `run`, `train` or `backward` is called"]
pub struct BatchNorm<'r, T> {
    shape: [usize; 3],
    epsilon: f32,
    scale: Option<Slice<'r, T>>,
    bias: Option<Slice<'r, T>>,
    running: Option<[SliceMut<'r, f32>; 2]>,
    momentum: f32,
    destination: Destination<'r>,
}

impl<'r, T: FloatElement> BatchNorm<'r, T> {
    /// A batch norm of arrays of shape `[examples, channels, elements of a channel]`.
    pub fn new(shape: [usize; 3]) -> Self {
        let destination = Destination::Own;
        Self { shape, epsilon: 1e-5, scale: None, bias: None, running: None, momentum: 0.0, destination }
    }

    /// Sets the number that is added to the variance; 1e-5 by default.
    pub fn epsilon(mut self, epsilon: f32) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// Multiplies by a weight for each channel.
    pub fn scale(mut self, scale: impl Into<Slice<'r, T>>) -> Self {
        self.scale = Some(scale.into());
        self
    }

    /// Adds a weight for each channel.
    pub fn bias(mut self, bias: impl Into<Slice<'r, T>>) -> Self {
        self.bias = Some(bias.into());
        self
    }

    /// Renews running means and variances in [`train`](Self::train): `old * (1 - momentum) + new * momentum`, as in
    /// `PyTorch`. The new variance is that of a sample, `sum((x - mean)^2) / (count - 1)`.
    pub fn running(
        mut self,
        means: impl Into<SliceMut<'r, f32>>,
        variances: impl Into<SliceMut<'r, f32>>,
        momentum: f32,
    ) -> Self {
        self.running = Some([means.into(), variances.into()]);
        self.momentum = momentum;
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

    /// The cost of [`run`](Self::run), to compare its time with the limits of a device. An element counts a sum and a
    /// product, and an operation for each weight.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::BatchNorm::<f32>::new([2, 10, 100]).cost()?;
    /// assert_eq!((cost.flops, cost.bytes), (4000, 16_000 + 80));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost(&self) -> Result<Cost, OperationError> {
        self.count().map(|_| self.cost_of([1, 2, 2]))
    }

    /// The cost of [`train`](Self::train), as [`cost`](Self::cost). An element counts three operations more.
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_train(&self) -> Result<Cost, OperationError> {
        self.count().map(|_| self.cost_of([3, 5, 2]))
    }

    /// The cost of [`backward`](Self::backward), as [`cost`](Self::cost). An element counts nine operations.
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_backward(&self) -> Result<Cost, OperationError> {
        self.count().map(|_| self.cost_of([3, 9, 3]))
    }

    /// The cost of passes with operations for each element and this many arrays of elements.
    fn cost_of(&self, [passes, operations, arrays]: [u64; 3]) -> Cost {
        let elements = self.shape.iter().fold(1u64, |count, size| count.saturating_mul(*size as u64));
        let weights = u64::from(self.scale.is_some()) + u64::from(self.bias.is_some());
        let (channels, size) = (self.shape[1] as u64, size_of::<T>() as u64);
        let bytes = elements.saturating_mul(arrays * size) + channels * (8 + weights * size);
        let passes = if elements == 0 { 0 } else { passes as usize };
        Cost { passes, scratch: 0, flops: elements.saturating_mul(operations + weights), bytes }
    }

    /// Computes `y` from `x` by means and variances of the channels, as for inference.
    ///
    /// Arrays are buffers or slices of any start; `y` is in another buffer than the others, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for an array that is too large, an epsilon that is negative or not finite, running statistics,
    /// arrays of another length, a slice out of range, arrays of two devices, an existing guard, or an error of the
    /// device. In that case nothing has run.
    pub fn run<'x, 'm, 'v, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        means: impl Into<Slice<'m, f32>>,
        variances: impl Into<Slice<'v, f32>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, means, variances, y) = (x.into(), means.into(), variances.into(), y.into());
        self.options(false)?;
        self.expect_all(&[("x", x.len()), ("y", y.len())], &[("means", means.len()), ("variances", variances.len())])?;
        let (scale, bias) = self.weights()?;
        let call = Normalise {
            x: operands::bytes(OPERATOR, "x", &x)?,
            scale,
            means: operands::bytes(OPERATOR, "means", &means)?,
            inverses: operands::bytes(OPERATOR, "variances", &variances)?,
            way: Way::Forward { bias, from_variances: true },
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
        };
        call.check(&self.destination)?;
        call.run(self.arrays(), self.epsilon, &mut self.destination)
    }

    /// Computes `y` from `x` by the means and variances of `x`, which it also writes, as `means` and as `inverses`,
    /// `1 / sqrt(variance + epsilon)`, for [`backward`](Self::backward).
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`OperationError::Choice`] for channels without elements, and for a momentum that is
    /// not from 0 to 1.
    pub fn train<'x, 'y, 'm, 'i>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
        means: impl Into<SliceMut<'m, f32>>,
        inverses: impl Into<SliceMut<'i, f32>>,
    ) -> Result<(), OperationError> {
        let (x, y, means, inverses) = (x.into(), y.into(), means.into(), inverses.into());
        self.options(true)?;
        let [examples, channels, inner] = self.shape;
        if channels > 0 && examples * inner == 0 {
            let got = format!("none, in the shape {:?}", self.shape);
            return Err(OPERATOR.choice("the elements of a channel", "use at least one, which has a mean", got));
        }
        self.expect_all(&[("x", x.len()), ("y", y.len())], &[("means", means.len()), ("inverses", inverses.len())])?;
        let (scale, bias) = self.weights()?;
        let running = match &self.running {
            None => None,
            Some([means, variances]) => {
                operands::expect(OPERATOR, "running means", (means.len(), &[channels]))?;
                operands::expect(OPERATOR, "running variances", (variances.len(), &[channels]))?;
                let means = operands::bytes_mut(OPERATOR, "running means", means)?;
                Some([means, operands::bytes_mut(OPERATOR, "running variances", variances)?])
            }
        };
        let x = operands::bytes(OPERATOR, "x", &x)?;
        let means = operands::bytes_mut(OPERATOR, "means", &means)?;
        let inverses = operands::bytes_mut(OPERATOR, "inverses", &inverses)?;
        let call = Normalise {
            x,
            scale,
            means: read_again(&means),
            inverses: read_again(&inverses),
            way: Way::Forward { bias, from_variances: false },
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
        };
        let (epsilon, momentum) = (self.epsilon, self.momentum);
        let statistics = Statistics { x, means, inverses, running, epsilon, momentum };
        call.check_with(&statistics, &self.destination)?;
        call.train(self.arrays(), &statistics, &mut self.destination)
    }

    /// Computes the derivatives `dx` by the elements, `dscale` by the scale and `dbias` by the bias, from the elements
    /// `x`, the derivatives `dy` by the results, and the statistics that [`train`](Self::train) wrote. With
    /// `n = (x - mean) * inverse`, they are `dscale = sum(dy * n)`, `dbias = sum(dy)`, and
    /// `dx = scale * inverse * (dy - mean(dy) - n * mean(dy * n))`, where sums and means are over all elements of a
    /// channel. `dscale` and `dbias` are `f32`.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::BatchNorm;
    ///
    /// // One channel with the mean 2 and the variance 4.
    /// let (x, dy) = (device.buffer_from(&[0.0f32, 4.0])?, device.buffer_from(&[1.0f32, 5.0])?);
    /// let (means, inverses) = (device.buffer_from(&[2.0f32])?, device.buffer_from(&[0.5f32])?);
    /// let (mut dscale, mut dbias) = (device.buffer::<f32>(1)?, device.buffer::<f32>(1)?);
    /// let mut dx = device.buffer::<f32>(2)?;
    /// BatchNorm::new([1, 1, 2]).backward(&x, &dy, &means, &inverses, &mut dx, [&mut dscale, &mut dbias])?;
    /// assert_eq!((dscale.read()?[0], dbias.read()?[0]), (4.0, 6.0));
    /// // Two elements of a channel have the same results at any distance.
    /// assert_eq!(*dx.read()?, [0.0, 0.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn backward<'x, 'd, 'm, 'i, 'o, 'w>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        dy: impl Into<Slice<'d, T>>,
        means: impl Into<Slice<'m, f32>>,
        inverses: impl Into<Slice<'i, f32>>,
        dx: impl Into<SliceMut<'o, T>>,
        by_weights: [impl Into<SliceMut<'w, f32>>; 2],
    ) -> Result<(), OperationError> {
        let (x, dy, means, inverses, dx) = (x.into(), dy.into(), means.into(), inverses.into(), dx.into());
        let [dscale, dbias] = by_weights.map(Into::into);
        self.options(false)?;
        self.expect_all(
            &[("x", x.len()), ("dy", dy.len()), ("dx", dx.len())],
            &[("means", means.len()), ("inverses", inverses.len()), ("dscale", dscale.len()), ("dbias", dbias.len())],
        )?;
        let (scale, _) = self.weights()?;
        let x = operands::bytes(OPERATOR, "x", &x)?;
        let dy = operands::bytes(OPERATOR, "dy", &dy)?;
        let means = operands::bytes(OPERATOR, "means", &means)?;
        let inverses = operands::bytes(OPERATOR, "inverses", &inverses)?;
        let by_scale = operands::bytes_mut(OPERATOR, "dscale", &dscale)?;
        let by_bias = operands::bytes_mut(OPERATOR, "dbias", &dbias)?;
        let sums = [read_again(&by_scale), read_again(&by_bias)];
        let y = operands::bytes_mut(OPERATOR, "dx", &dx)?;
        let call = Normalise { x, scale, means, inverses, way: Way::Backward { dy, sums }, y };
        let derivatives =
            Derivatives { x, dy, means, inverses, by_scale, by_bias, rows_of_example: 0, channels_of_row: 1 };
        call.check(&self.destination)?;
        call.differentiate(self.arrays(), &derivatives, &mut self.destination)
    }

    /// Checks the numbers of a call, and that there are running statistics only where they are renewed.
    fn options(&self, trains: bool) -> Result<(), OperationError> {
        self.count()?;
        if !(self.epsilon >= 0.0 && self.epsilon.is_finite()) {
            let expected = "use a finite number that is not negative";
            return Err(OPERATOR.choice("an epsilon of", expected, self.epsilon.to_string()));
        }
        if self.running.is_some() && !trains {
            return Err(OPERATOR.choice("running statistics", "renew them by `train`", "without `train`".to_owned()));
        }
        if !(0.0..=1.0).contains(&self.momentum) {
            return Err(OPERATOR.choice("a momentum of", "use a number from 0 to 1", self.momentum.to_string()));
        }
        Ok(())
    }

    /// Checks the lengths of arrays of the shape, and of arrays with an element for each channel.
    fn expect_all(&self, of_shape: &[(&str, usize)], of_channels: &[(&str, usize)]) -> Result<(), OperationError> {
        for (name, length) in of_shape {
            operands::expect(OPERATOR, name, (*length, &self.shape))?;
        }
        for (name, length) in of_channels {
            operands::expect(OPERATOR, name, (*length, &self.shape[1..2]))?;
        }
        Ok(())
    }

    /// The bytes of scale and bias, whose lengths are checked.
    fn weights(&self) -> Result<Weights<'r>, OperationError> {
        let weight = |name, weights: &Option<Slice<'r, T>>| {
            let Some(weights) = weights else { return Ok(None) };
            operands::expect(OPERATOR, name, (weights.len(), &self.shape[1..2]))?;
            operands::bytes(OPERATOR, name, weights).map(Some)
        };
        Ok((weight("scale", &self.scale)?, weight("bias", &self.bias)?))
    }

    fn count(&self) -> Result<usize, OperationError> {
        operands::counted::<f32>(OPERATOR, "means", &self.shape[1..2])?;
        operands::counted::<T>(OPERATOR, "x", &self.shape)
    }

    fn arrays(&self) -> Arrays {
        let [examples, channels, inner] = self.shape.map(|size| size as u64);
        Arrays { sizes: Sizes { examples, channels, inner }, halves: size_of::<T>() == 2, bf16: T::BF16 }
    }
}

/// The bytes of scale and bias.
type Weights<'r> = (Option<Slice<'r, u8>>, Option<Slice<'r, u8>>);

const OPERATOR: Operator = Operator("batch norm");
