//! Activation functions and their derivatives, element by element.

mod function;
mod run;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use super::rows::elements::FloatElement;
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
pub use function::ActivationFunction;
use run::Operands;

/// The activation functions and their derivatives as WGSL, for the operations of an
/// [`ElementwiseKernel`](super::ElementwiseKernel): `relu`, `gelu`, `gelu_tanh`, `silu`, `sigmoid`, `tanh_by_exp`,
/// `softplus`, `hardswish` and `mish` of an `f32`, `elu` and `leaky_relu` of an `f32` and their parameter; and for each
/// the derivative, such as `gelu_derivative`, but `tanh_derivative`.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{ACTIVATION_FUNCTIONS, ElementwiseKernel};
///
/// // A gated linear unit, in one pass.
/// let kernel = ElementwiseKernel::new("x: f32, gate: f32", "y: f32", "y = x * hardswish(gate)")?;
/// let kernel = kernel.preamble(ACTIVATION_FUNCTIONS);
/// let (x, gate) = (device.buffer_from(&[2.0f32, 3.0])?, device.buffer_from(&[-4.0f32, 6.0])?);
/// assert_eq!(*kernel.apply::<f32>(&device, (&x, &gate))?.read()?, [0.0, 18.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub const ACTIVATION_FUNCTIONS: &str = include_str!("../../../shaders/shared/activations.wgsl");

/// Computes `y = f(x)` of each element, for an activation function `f`. See [`Activate`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{ActivationFunction, activate};
///
/// let x = device.buffer_from(&[-2.0f32, 0.5])?;
/// let mut y = device.buffer::<f32>(2)?;
/// activate(ActivationFunction::LeakyRelu(0.25), &x, &mut y)?;
/// assert_eq!(*y.read()?, [-0.5, 0.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Activate::run`].
pub fn activate<'x, 'y, T: FloatElement>(
    function: ActivationFunction,
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    Activate::new(function).run(x, y)
}

/// Computes `dx = f'(x) dy` of each element, for an activation function `f`. See [`Activate`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{ActivationFunction, activate_backward};
///
/// let (x, dy) = (device.buffer_from(&[-2.0f32, 0.5])?, device.buffer_from(&[3.0f32, 4.0])?);
/// let mut dx = device.buffer::<f32>(2)?;
/// activate_backward(ActivationFunction::Relu, &x, &dy, &mut dx)?;
/// assert_eq!(*dx.read()?, [0.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Activate::backward`].
pub fn activate_backward<'x, 'd, 'o, T: FloatElement>(
    function: ActivationFunction,
    x: impl Into<Slice<'x, T>>,
    dy: impl Into<Slice<'d, T>>,
    dx: impl Into<SliceMut<'o, T>>,
) -> Result<(), OperationError> {
    Activate::new(function).backward(x, dy, dx)
}

/// An activation function or its derivative on a stream, or into a recording, for arrays of `f32`, `f16` and `bf16` on
/// every device. All are computed in `f32` and rounded once; NaN stays NaN.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{Activate, ActivationFunction};
///
/// let (x, mut y) = (device.buffer_from(&[0.0f32, 3.0])?, device.buffer::<f32>(2)?);
/// let mut recording = device.recording();
/// Activate::new(ActivationFunction::Hardswish).record(&mut recording).run(&x, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [0.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "an activation does nothing until `run` or `backward` is called"]
pub struct Activate<'r> {
    function: ActivationFunction,
    destination: Destination<'r>,
}

impl<'r> Activate<'r> {
    /// A call of this function.
    pub fn new(function: ActivationFunction) -> Self {
        Self { function, destination: Destination::Own }
    }

    /// Appends the call to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of [`run`](Self::run) for `length` elements, to compare its time with the limits of a device. `flops`
    /// is a lower bound: it counts one operation for each element.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::{Activate, ActivationFunction};
    ///
    /// let cost = Activate::new(ActivationFunction::Gelu).cost::<f32>(100)?;
    /// assert_eq!((cost.flops, cost.bytes), (100, 800));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: FloatElement>(&self, length: usize) -> Result<Cost, OperationError> {
        Ok(plan::<T>(length, 2)?.cost())
    }

    /// The cost of [`backward`](Self::backward), as [`cost`](Self::cost).
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_backward<T: FloatElement>(&self, length: usize) -> Result<Cost, OperationError> {
        Ok(plan::<T>(length, 3)?.cost())
    }

    /// Computes `y = f(x)`. `x` and `y` are buffers or slices of any start and of the same length, in different buffers
    /// unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for arrays that are too large or of another length, a parameter of the function that is not
    /// finite, a slice out of range, arrays of two devices, an existing guard, or an error of the device. In that case
    /// nothing has run.
    pub fn run<'x, 'y, T: FloatElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let plan = plan::<T>(x.len(), 2)?;
        self.parameter()?;
        let operands = Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            dy: None,
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
            bf16: T::BF16,
        };
        operands::expect(OPERATOR, "y", (y.len(), &[x.len()]))?;
        operands.check(&self.destination)?;
        operands.run(self.function, &plan, size_of::<T>() == 2, &mut self.destination)
    }

    /// Computes `dx = f'(x) dy`, the derivatives by `x` from those by `f(x)`. Where a function has no derivative, as
    /// `relu` at 0, it is that from below.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn backward<'x, 'd, 'o, T: FloatElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        dy: impl Into<Slice<'d, T>>,
        dx: impl Into<SliceMut<'o, T>>,
    ) -> Result<(), OperationError> {
        let (x, dy, dx) = (x.into(), dy.into(), dx.into());
        let plan = plan::<T>(x.len(), 3)?;
        self.parameter()?;
        let operands = Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            dy: Some(operands::bytes(OPERATOR, "dy", &dy)?),
            y: operands::bytes_mut(OPERATOR, "dx", &dx)?,
            bf16: T::BF16,
        };
        operands::expect(OPERATOR, "dy", (dy.len(), &[x.len()]))?;
        operands::expect(OPERATOR, "dx", (dx.len(), &[x.len()]))?;
        operands.check(&self.destination)?;
        operands.run(self.function, &plan, size_of::<T>() == 2, &mut self.destination)
    }

    fn parameter(&self) -> Result<(), OperationError> {
        let parameter = self.function.parameter();
        if parameter.is_finite() {
            return Ok(());
        }
        Err(OPERATOR.choice("a parameter of", "use a finite number", parameter.to_string()))
    }
}

/// The pass of a call: the number of its elements.
fn plan<T: FloatElement>(length: usize, arrays: u64) -> Result<Plan<u64>, OperationError> {
    let count = operands::counted::<T>(OPERATOR, "x", &[length])? as u64;
    let passes = if count == 0 { Vec::new() } else { vec![count] };
    Ok(Plan { passes, scratch: 0, flops: count, bytes: count * arrays * size_of::<T>() as u64 })
}

const OPERATOR: Operator = Operator("activation");
