//! Convolutions of one to three axes, transposed ones, and their derivatives.

mod backward;
mod columns;
mod geometry;
mod offer;
mod plan;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;
mod weights;
mod winograd;

use super::cooperative;
use super::epilogue::Activation;
use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use super::rows::elements::FloatElement;
use super::rows::launch::target;
use super::windows::options::Options;
use crate::buffer::cells::reborrow;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use columns::Wide;
use geometry::{Geometry, Given, Job};
use offer::{Again, Read};
use plan::{Choice, Pass, Shape, plan};
use run::{Call, Operands};

/// Convolves `x` of shape `[examples, channels, positions..]` with `weights` of shape `[channels of y, channels, kernel..]`,
/// for one to three axes of positions, without padding. See [`Conv`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])?;
/// let weights = device.buffer_from(&[1.0f32, 0.0, 0.0, -1.0])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::conv(&x, &weights, &mut y, [1, 1, 3, 3], [1, 1, 2, 2])?;
/// assert_eq!(*y.read()?, [-4.0; 4]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Conv::run`].
pub fn conv<'x, 'w, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    weights: impl Into<Slice<'w, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    shape_of_weights: impl Into<Vec<usize>>,
) -> Result<(), OperationError> {
    Conv::new(shape, shape_of_weights).run(x, weights, y)
}

/// A convolution with strides, padding, dilation, groups, a bias and an activation, on a stream, or into a recording.
///
/// `y[o] = bias + sum(x[stride * o - padding + dilation * k] * weights[k])` over all taps `k` of the kernel and all
/// channels of a group, with the attributes of ONNX's `Conv`: weights are not reversed. Sums are `f32` for all element
/// types, in an unspecified order that depends only on shapes, kind of device and results of [tuning](crate::tune), so repeated
/// calls return the same bits.
/// Padding adds nothing; where a weight is infinite or NaN, it may also add NaN.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Activation, Conv};
///
/// let device = anywarp::Device::open("cpu")?;
/// let (x, weights) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer_from(&[1.0f32, 1.0, 1.0])?);
/// let bias = device.buffer_from(&[-6.0f32])?;
/// let mut y = device.buffer::<f32>(4)?;
/// let mut recording = device.recording();
/// let conv = Conv::new([1, 1, 4], [1, 1, 3]).padding(&[[1, 1]]).bias(&bias).activation(Activation::Relu);
/// assert_eq!(conv.shape()?, [1, 1, 4]);
/// conv.record(&mut recording).run(&x, &weights, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [0.0, 0.0, 3.0, 1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a convolution does nothing until `run` is called"]
pub struct Conv<'r, T> {
    given: Given,
    bias: Option<Slice<'r, T>>,
    activation: Option<Activation>,
    is_winograd: bool,
    destination: Destination<'r>,
}

impl<'r, T: FloatElement> Conv<'r, T> {
    /// A convolution of `x` of shape `[examples, channels, positions..]` with weights of shape
    /// `[channels of y, channels of a group, kernel..]`.
    pub fn new(x: impl Into<Vec<usize>>, weights: impl Into<Vec<usize>>) -> Self {
        let (x, weights) = (x.into(), weights.into());
        let given = Given {
            x,
            weights,
            options: Options::default(),
            output_padding: None,
            groups: 1,
            channels_last: false,
            transposed: false,
        };
        Self { given, bias: None, activation: None, is_winograd: false, destination: Destination::Own }
    }

    /// A transposed convolution of `x` of shape `[examples, channels, positions..]` with weights of shape
    /// `[channels, channels of y in a group, kernel..]`: each element of `x` adds its products with the kernel to `y`, as
    /// ONNX's `ConvTranspose` and the derivatives of a convolution.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Conv;
    ///
    /// let (x, weights) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[1.0f32, 10.0, 100.0])?);
    /// let mut y = device.buffer::<f32>(5)?;
    /// Conv::transposed([1, 1, 2], [1, 1, 3]).stride(&[2]).run(&x, &weights, &mut y)?;
    /// assert_eq!(*y.read()?, [1.0, 10.0, 102.0, 20.0, 200.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn transposed(x: impl Into<Vec<usize>>, weights: impl Into<Vec<usize>>) -> Self {
        let mut conv = Self::new(x, weights);
        conv.given.transposed = true;
        conv
    }

    /// Sets the distance of windows along each axis of positions; 1 by default.
    pub fn stride(mut self, stride: &[usize]) -> Self {
        self.given.options.stride = Some(stride.to_vec());
        self
    }

    /// Sets the numbers of zeros before and after each axis of positions; none by default. A transposed convolution
    /// leaves out as many results.
    pub fn padding(mut self, padding: &[[usize; 2]]) -> Self {
        self.given.options.padding = Some(padding.to_vec());
        self
    }

    /// Sets the distance of the kernel's taps along each axis of positions; 1 by default.
    pub fn dilation(mut self, dilation: &[usize]) -> Self {
        self.given.options.dilation = Some(dilation.to_vec());
        self
    }

    /// Adds positions after each axis of a transposed convolution's `y`; none by default.
    pub fn output_padding(mut self, more: &[usize]) -> Self {
        self.given.output_padding = Some(more.to_vec());
        self
    }

    /// Divides the channels of `x` and `y` into groups, which are convolved apart; 1 by default. With as many groups as
    /// channels, the convolution is depthwise.
    pub fn groups(mut self, groups: usize) -> Self {
        self.given.groups = groups;
        self
    }

    /// Takes channels as the last axis: `x` and `y` have the shape `[examples, positions.., channels]`, weights
    /// `[channels of y, kernel.., channels of a group]`.
    pub fn channels_last(mut self) -> Self {
        self.given.channels_last = true;
        self
    }

    /// Adds a number for each channel of `y`.
    pub fn bias(mut self, bias: impl Into<Slice<'r, T>>) -> Self {
        self.bias = Some(bias.into());
        self
    }

    /// Applies a function to each result, after the bias.
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = Some(activation);
        self
    }

    /// Computes the convolution in fewer products, of another rounding: kernels of 3 x 3 on two axes of positions in
    /// `f32`, with strides and dilation of 1.
    ///
    /// Winograd's minimal filtering F(2 x 2, 3 x 3) needs 16 products for four results, in place of 36, as a matrix product
    /// by the method that [`Matmul`](super::Matmul) takes by default. The result is the same in exact arithmetic. In
    /// `f32`, the products are of sums of elements, so the error is a few times that of the plain convolution, and an
    /// infinite element may make NaN of all four results of a tile of 2 x 2. Lavin and Gray, *Fast Algorithms for
    /// Convolutional Neural Networks* (CVPR 2016).
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Conv;
    ///
    /// let (x, weights) = (device.buffer_from(&[1.0f32; 16])?, device.buffer_from(&[2.0f32; 9])?);
    /// let mut y = device.buffer::<f32>(4)?;
    /// Conv::new([1, 1, 4, 4], [1, 1, 3, 3]).winograd().run(&x, &weights, &mut y)?;
    /// assert_eq!(*y.read()?, [18.0; 4]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn winograd(mut self) -> Self {
        self.is_winograd = true;
        self
    }

    /// Appends the convolution to `recording`, in place of the device's default stream.
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
    /// [`OperationError::Choice`] for shapes, strides, padding, dilation or groups that do not fit each other.
    pub fn shape(&self) -> Result<Vec<usize>, OperationError> {
        Ok(self.given.checked(OPERATOR)?.y)
    }

    /// The cost of a call on a device, to compare its time with the limits of the device. Products with padding are
    /// counted, too, and those that [`winograd`](Self::winograd) spares.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Conv::<f32>::new([1, 2, 10, 10], [3, 2, 3, 3]).cost(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (3 * 64 * 2 * 2 * 9, 4 * (200 + 54 + 3 * 64)));
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
        let job = geometry.forward();
        let plan = planned::<T>(&geometry, job, Starts::ALIGNED, device);
        if !self.is_winograd {
            let bias = self.bias.is_some();
            return Ok(match wide::<T>(&geometry, job, device) {
                Some(wide) => Wide::cost(&wide, bias, shape::<T>(&geometry, job, Starts::ALIGNED).elements),
                None => plan.cost(),
            });
        }
        let winograd = winograd::planned(&geometry, target(device));
        Ok(Cost { flops: plan.flops, bytes: plan.bytes, ..winograd.cost() })
    }

    /// The checked parameters, for arrays whose elements can be counted.
    fn geometry(&self) -> Result<Geometry, OperationError> {
        let geometry = self.given.checked(OPERATOR)?;
        for (name, shape) in [("x", &self.given.x), ("weights", &self.given.weights), ("y", &geometry.y)] {
            operands::counted::<T>(OPERATOR, name, shape)?;
        }
        if self.is_winograd {
            winograd::check::<T>(&geometry)?;
        }
        Ok(geometry)
    }

    fn call(&self, geometry: &Geometry, job: Job) -> Call {
        let (activation, halves) = (self.activation, size_of::<T>() == 2);
        Call { job, channels_last: geometry.channels_last, activation, halves, bf16: T::BF16 }
    }

    /// Computes `y` from `x` and `weights`, which have the shapes of the convolution. They are buffers or slices of any
    /// start; `y` is in another buffer than the others unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for shapes that do not fit each other, groups that do not divide the channels, a kernel that is
    /// larger than the padded input, a stride of 0, [`winograd`](Self::winograd) of other kernels, strides or elements,
    /// arrays of other lengths, a slice out of range, arrays of two devices, an existing guard, 2^31 - 2^16 elements or
    /// more, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'w, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        weights: impl Into<Slice<'w, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, weights, y) = (x.into(), weights.into(), y.into());
        let geometry = self.geometry()?;
        let bias = self.bias.as_ref().map(|bias| operands::bytes(OPERATOR, "bias", bias)).transpose()?;
        let operands = Operands {
            x: ("x", operands::bytes(OPERATOR, "x", &x)?),
            weights: operands::bytes(OPERATOR, "weights", &weights)?,
            bias,
            y: ("y", operands::bytes_mut(OPERATOR, "y", &y)?),
        };
        let channels = geometry.groups * geometry.outputs;
        operands::expect(OPERATOR, "x", (x.len(), &self.given.x))?;
        operands::expect(OPERATOR, "weights", (weights.len(), &self.given.weights))?;
        operands::expect(OPERATOR, "bias", (self.bias.as_ref().map_or(channels, Slice::len), &[channels]))?;
        operands::expect(OPERATOR, "y", (y.len(), &geometry.y))?;
        operands.check(&self.destination)?;
        let (job, device) = (geometry.forward(), Device::of(&y.core.device));
        if self.is_winograd {
            let plan = winograd::planned(&geometry, target(&device));
            return operands.run_winograd(self.call(&geometry, job), &plan, &mut self.destination);
        }
        let bias = self.bias;
        self.launch((&geometry, job), &operands, (x, weights, bias), reborrow(&y), |conv, x, weights, y| {
            conv.run(x, weights, y)
        })
    }

    /// Appends the commands of a job, whose arrays were checked.
    fn launch(
        &mut self,
        (geometry, job): (&Geometry, Job),
        operands: &Operands<'_>,
        read: Read<'_, T>,
        y: SliceMut<'_, T>,
        again: Again<T>,
    ) -> Result<(), OperationError> {
        let (call, device) = (self.call(geometry, job), Device::of(&y.core.device));
        // The call is offered before products within it ask questions of their own.
        let Some(plan) = wide::<T>(geometry, job, &device) else {
            let plan = planned::<T>(geometry, job, operands.starts(), &device);
            self.offer(again, &read, &y);
            return operands.run(call, &plan, &mut self.destination);
        };
        self.offer(again, &read, &y);
        let destination = &mut self.destination;
        let mut arrays = Wide::new(read, y.len(), &device, destination)?;
        let call = Call { halves: false, bf16: false, ..call };
        arrays.operands([operands.x.0, operands.y.0])?.run(call, &plan, destination)?;
        arrays.store(y, destination.reborrow())
    }
}

/// The positions of arrays in their buffers.
#[derive(Clone, Copy, Debug)]
struct Starts {
    /// The byte at which the result begins.
    result: u64,
    /// Whether each array begins at a multiple of 8 bytes.
    aligned: bool,
}

impl Starts {
    const ALIGNED: Self = Self { result: 0, aligned: true };
}

/// The plan of a job.
fn planned<T: FloatElement>(geometry: &Geometry, job: Job, starts: Starts, device: &Device) -> Plan<Pass> {
    let shape = shape::<T>(geometry, job, starts);
    let matrices = cooperative::lanes(device.caps());
    let library = columns::has_library(device.caps());
    let default = Choice::default_for(&shape, target(device), matrices, library);
    let question = shape.question(geometry.channels_last);
    let choice = question.decide(device, default, || Choice::all(&shape, matrices, library), |_| true);
    plan(shape, choice, geometry.channels_last)
}

/// The plan in `f32` of a job of elements of 16 bits, for devices whose library multiplies matrices of `f32`.
fn wide<T: FloatElement>(geometry: &Geometry, job: Job, device: &Device) -> Option<Plan<Pass>> {
    if size_of::<T>() != 2 {
        return None;
    }
    let plan = planned::<f32>(geometry, job, Starts::ALIGNED, device);
    matches!(plan.passes.first(), Some(Pass::Columns(_))).then_some(plan)
}

/// The sizes of a job.
fn shape<T: FloatElement>(geometry: &Geometry, job: Job, starts: Starts) -> Shape {
    let [depth, height, width, _] = job.output.map(u64::from);
    let [x, y] = [job.example_in_x, job.example_in_y].map(|example| u64::from(job.examples) * u64::from(example));
    let halves = size_of::<T>() == 2;
    let is_even = job.inputs.is_multiple_of(4) && job.outputs.is_multiple_of(4);
    Shape {
        examples: job.examples.into(),
        groups: job.groups.into(),
        inputs: job.inputs.into(),
        outputs: job.outputs.into(),
        output: [depth, height, width],
        taps: geometry.taps() as u64,
        halves,
        odd: !starts.result.is_multiple_of(4),
        fours: halves
            && !T::BF16
            && geometry.channels_last
            && is_even
            && starts.aligned
            && !job.is_spread()
            && job.has_deep_weights(geometry.taps()),
        is_whole: geometry.channels_last && job.is_whole(geometry.taps()),
        elements: x + y + geometry.weights() as u64,
    }
}

const OPERATOR: Operator = Operator("convolution");
