//! The cross-entropy and the negative log-likelihood of classifications.

#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::moving::indices::IndexElement;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::rows::elements::FloatElement;
use super::rows::launch::{choice, is_aligned, starts};
use super::rows::plan::{Choice, Planned, Shape, plan};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use run::{Call, Operands};

/// Computes the mean loss of all rows along `axis`. The loss of a row is `-log(softmax(row))` at the class that
/// `targets` has for the row. See [`CrossEntropy`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 1.0, 500.0, -500.0])?; // two rows of two classes
/// let targets = device.buffer_from(&[0u32, 0])?;
/// let mut loss = device.buffer::<f32>(1)?;
/// anywarp::ops::cross_entropy(&x, &targets, &mut loss, [2, 2], 1)?;
/// assert!((loss.read()?[0] - 2f32.ln() / 2.0).abs() < 1e-6);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`CrossEntropy::run`].
pub fn cross_entropy<'x, 't, 'l, T: FloatElement, I: IndexElement>(
    x: impl Into<Slice<'x, T>>,
    targets: impl Into<Slice<'t, I>>,
    loss: impl Into<SliceMut<'l, f32>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    CrossEntropy::new(shape, axis).run(x, targets, loss)
}

/// The losses that a call writes: their mean, their sum, or the loss of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Losses {
    Mean,
    Sum,
    Each,
}

/// The cross-entropy of the rows along an axis: the loss of each row, the sum of all losses, or their mean.
///
/// The loss of a row `x` with the class `t` is `-weight[t] * log(softmax(x))[t]`. The mean is the sum of all losses
/// divided by the sum of all rows' weights. Losses are `f32`.
///
/// Exponentials are relative to the greatest element of a row, and only their sums are kept. The loss of a row is NaN
/// if its [`softmax()`](super::softmax()) is NaN, or if its class is negative or not below the number of classes.
/// Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::CrossEntropy;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[0.0f32; 6])?; // three rows of two classes
/// let targets = device.buffer_from(&[1i32, -1, 0])?;
/// let weights = device.buffer_from(&[1.0f32, 3.0])?;
/// let mut losses = device.buffer::<f32>(3)?;
/// CrossEntropy::new([3, 2], 1).ignore(-1).weights(&weights).each().run(&x, &targets, &mut losses)?;
/// let ln = 2f32.ln();
/// assert!(losses.read()?.iter().zip([3.0 * ln, 0.0, ln]).all(|(loss, wanted)| (loss - wanted).abs() < 1e-6));
///
/// let (by_loss, mut dx) = (device.buffer_from(&[1.0f32])?, device.buffer::<f32>(6)?);
/// CrossEntropy::new([3, 2], 1).ignore(-1).sum().backward(&x, &targets, &by_loss, &mut dx)?;
/// assert_eq!(*dx.read()?, [0.5, -0.5, 0.0, 0.0, -0.5, 0.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a cross-entropy does nothing until `run` is called"]
pub struct CrossEntropy<'r> {
    shape: Vec<usize>,
    axis: usize,
    normalised: bool,
    ignored: Option<i64>,
    weights: Option<Slice<'r, f32>>,
    losses: Losses,
    destination: Destination<'r>,
}

impl<'r> CrossEntropy<'r> {
    /// The mean loss of the rows of a row-major array of this shape; `axis` is the axis of the classes, counted from 0.
    /// Targets have the shape without that axis.
    pub fn new(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        let (shape, losses, destination) = (shape.into(), Losses::Mean, Destination::Own);
        Self { shape, axis, normalised: false, ignored: None, weights: None, losses, destination }
    }

    /// Treats elements as logarithms of probabilities, as [`log_softmax`](super::log_softmax) computes them: the loss
    /// of a row is `-weight[t] * x[t]`, the negative log-likelihood.
    pub fn logarithms(mut self) -> Self {
        self.normalised = true;
        self
    }

    /// Leaves out rows with this target: the loss, the weight and the derivatives of such a row are 0.
    pub fn ignore(mut self, target: i64) -> Self {
        self.ignored = Some(target);
        self
    }

    /// Sets the weight of each class; 1 by default.
    pub fn weights(mut self, weights: impl Into<Slice<'r, f32>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// Computes the sum of the losses, in place of their mean.
    pub fn sum(mut self) -> Self {
        self.losses = Losses::Sum;
        self
    }

    /// Computes the loss of each row, in place of the mean of all losses.
    pub fn each(mut self) -> Self {
        self.losses = Losses::Each;
        self
    }

    /// Appends the cross-entropy to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of the losses of all rows on a device, to compare its time with the limits of the device. Each element
    /// counts as four operations; the sum of the losses is not counted.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::CrossEntropy::new([10, 100], 1).cost::<f32, u32>(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (4000, 4080));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Axis`], and [`OperationError::Choice`] for rows without classes.
    pub fn cost<T: FloatElement, I: IndexElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        let call = self.call::<T, I>(&[])?;
        let planned = planned(&call, device);
        Ok(planned.plan.cost())
    }

    /// The sizes and options of a call whose arrays begin at the bytes `starts` of their buffers.
    fn call<T: FloatElement, I: IndexElement>(&self, starts: &[u64]) -> Result<Call, OperationError> {
        let elements = operands::counted::<T>(OPERATOR, "x", &self.shape)?;
        operands::expect_axis(OPERATOR, self.axis, &self.shape)?;
        let (length, inner) = (self.shape[self.axis], self.shape[self.axis + 1..].iter().product::<usize>());
        if length == 0 {
            return Err(OPERATOR.choice("a number of classes of", "use at least one class", "0".to_owned()));
        }
        let rows = elements / length;
        operands::counted::<I>(OPERATOR, "targets", &[rows])?;
        let aligned = inner == 1 && is_aligned(length, size_of::<T>(), starts);
        let [rows, length, inner] = [rows, length, inner].map(|count| count as u64);
        let shape = Shape { rows, length, inner, halves: size_of::<T>() == 2, aligned };
        let (normalised, ignored, losses) = (self.normalised, self.ignored, self.losses);
        Ok(Call { shape, normalised, ignored, losses, target: (size_of::<I>(), I::SIGNED), bf16: T::BF16 })
    }

    /// Checks the arrays that both [`run`](Self::run) and [`backward`](Self::backward) read.
    fn operands<'a, T: FloatElement, I: IndexElement>(
        &self,
        call: &Call,
        x: &Slice<'a, T>,
        targets: &Slice<'a, I>,
    ) -> Result<Operands<'a>, OperationError>
    where
        'r: 'a,
    {
        let (x_bytes, targets_bytes) =
            (operands::bytes(OPERATOR, "x", x)?, operands::bytes(OPERATOR, "targets", targets)?);
        let weights = self.weights.as_ref().map(|weights| operands::bytes(OPERATOR, "weights", weights)).transpose()?;
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "targets", (targets.len(), &[call.shape.rows as usize]))?;
        let classes = call.shape.length as usize;
        operands::expect(OPERATOR, "weights", (self.weights.as_ref().map_or(classes, Slice::len), &[classes]))?;
        Ok(Operands { x: x_bytes, targets: targets_bytes, weights })
    }

    /// The number of losses that a call writes.
    fn count(&self, call: &Call) -> usize {
        if self.losses == Losses::Each { call.shape.rows as usize } else { 1 }
    }

    /// Computes `loss` from the elements `x` and the classes `targets`: one number, or one for each row. The mean of no
    /// rows is NaN. Arrays are buffers or slices of any start, in different buffers unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for an axis that the shape does not have, no classes, another length, a slice out of range,
    /// arrays of two devices, an existing guard, 2^31 - 2^16 elements or more, or an error of the device. In that case
    /// nothing has run.
    pub fn run<'x, 't, 'l, T: FloatElement, I: IndexElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        targets: impl Into<Slice<'t, I>>,
        loss: impl Into<SliceMut<'l, f32>>,
    ) -> Result<(), OperationError> {
        let (x, targets, loss) = (x.into(), targets.into(), loss.into());
        let call = self.call::<T, I>(&[])?;
        let operands = self.operands(&call, &x, &targets)?;
        let loss_bytes = operands::bytes_mut(OPERATOR, "loss", &loss)?;
        operands::expect(OPERATOR, "loss", (loss.len(), &[self.count(&call)]))?;
        operands.check(&[("loss", loss_bytes.as_slice())], &self.destination)?;
        let call = self.call::<T, I>(&starts(&[&operands.x], &[]))?;
        let planned = planned(&call, &Device::of(&loss.core.device));
        operands.run(call, &planned, &loss_bytes, &mut self.destination)
    }

    /// Computes `dx`, the derivatives by the elements `x`, from `x`, the classes `targets`, and the derivative `dloss`
    /// by each loss.
    ///
    /// For a row with the class `t`, `dx[k] = (softmax(x)[k] - (k == t)) * weight[t] * dloss`, and for
    /// [`logarithms`](Self::logarithms), `dx[k] = -(k == t) * weight[t] * dloss`. For a mean, both are divided by the
    /// sum of all rows' weights.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn backward<'x, 't, 'l, 'o, T: FloatElement, I: IndexElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        targets: impl Into<Slice<'t, I>>,
        dloss: impl Into<Slice<'l, f32>>,
        dx: impl Into<SliceMut<'o, T>>,
    ) -> Result<(), OperationError> {
        let (x, targets, dloss, dx) = (x.into(), targets.into(), dloss.into(), dx.into());
        let call = self.call::<T, I>(&[])?;
        let operands = self.operands(&call, &x, &targets)?;
        let by_loss = operands::bytes(OPERATOR, "dloss", &dloss)?;
        let dx_bytes = operands::bytes_mut(OPERATOR, "dx", &dx)?;
        operands::expect(OPERATOR, "dloss", (dloss.len(), &[self.count(&call)]))?;
        operands::expect(OPERATOR, "dx", (dx.len(), &self.shape))?;
        operands.check(&[("dloss", by_loss), ("dx", dx_bytes.as_slice())], &self.destination)?;
        let call = self.call::<T, I>(&starts(&[&operands.x], &[&dx_bytes]))?;
        let planned = planned_backward(&call, &Device::of(&dx.core.device));
        operands.backward(call, &planned, &by_loss, &dx_bytes, &mut self.destination)
    }
}

fn planned(call: &Call, device: &Device) -> Planned {
    let Shape { rows, length, halves, .. } = call.shape;
    let read = if call.normalised { rows } else { rows.saturating_mul(length) };
    let bytes = read.saturating_mul(if halves { 2 } else { 4 }) + rows.saturating_mul(4 + call.target.0 as u64);
    // Logarithms need no sum over a row: only the element of its class is read.
    let choice = if call.normalised { Choice::Lines { parts: 1 } } else { choice("cross_entropy", call.shape, device) };
    plan(call.shape, choice, [read.saturating_mul(if call.normalised { 1 } else { 4 }), bytes])
}

fn planned_backward(call: &Call, device: &Device) -> Planned {
    let Shape { rows, length, halves, .. } = call.shape;
    let elements = rows.saturating_mul(length);
    let bytes = elements.saturating_mul(if halves { 4 } else { 8 }) + rows.saturating_mul(4 + call.target.0 as u64);
    plan(call.shape, choice("cross_entropy_backward", call.shape, device), [elements.saturating_mul(7), bytes])
}

const OPERATOR: Operator = Operator("cross-entropy");
