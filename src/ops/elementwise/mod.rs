//! Operations on arrays, element by element.

mod plan;
mod run;
mod wgsl;

use std::panic::Location;

use super::error::OperationError;
use super::operation::arguments::{Buffers, Inputs, Outputs, Results};
use super::operation::call::{self, Signature};
use super::operation::kept::Identity;
use super::operation::parameters::parse;
use super::plan::Cost;
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

/// A kernel defined by one line of WGSL, for arrays of any length and shape.
///
/// Parameters are written `name: type`. The operation is WGSL statements for one element of each array; the last
/// semicolon may be omitted. The operation reads inputs, assigns outputs, and may call all functions of WGSL and of the
/// [`preamble`](Self::preamble).
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::ElementwiseKernel;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0])?;
/// let y = device.buffer_from(&[10.0f32, 20.0, 30.0])?;
///
/// let saxpy = ElementwiseKernel::new("x: T, y: T, a: T", "z: T", "z = a * x + y")?.name("saxpy");
/// let z = saxpy.apply::<f32>(&device, (&x, &y, 2.0f32))?;
/// assert_eq!(*z.read()?, [12.0, 24.0, 36.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// | in a list of parameters | meaning |
/// |---|---|
/// | `x: f32` | `f16`, `f32`, `f64`, `i16` to `i64`, `u16` to `u64`, `vec2<..>` or `vec4<..>` of them, if the device supports the type |
/// | `x: T` | any of these types, determined by the arguments of a call; all parameters of the same letter have the same type. The letter is a type in the operation, too: `T(0.5)` |
/// | `raw x: f32` | an array of any length that the operation indexes itself, as `x[i]`; as an output, it keeps the elements that are not assigned; if two invocations assign one element, either value may remain |
/// | `raw counts: atomic<u32>` | a raw output of atomics, also `atomic<i32>`: `atomicAdd(&counts[x], 1u)` |
/// | the same in both lists | one array that is changed in place: the operation reads its old values |
///
/// There is no `vec3<..>`: WGSL aligns it to 16 bytes, so its arrays have gaps that buffers of `[f32; 3]` do not have. Pass
/// the numbers as `raw p: f32`, and read `vec3(p[3 * i], p[3 * i + 1], p[3 * i + 2])`.
///
/// In the operation `i` is the index of the element and `n` the number of elements, both `u32`, so no parameter can
/// have these names. `inf` is infinity. Its type is the scalar type of the first output of floats; without one, that of
/// the first input of floats; without floats, `f32`.
///
/// An output that is in both lists initially has its old value; a call passes it once, among the outputs. Any other
/// output has no value until the operation assigns it. If the operation reads such an output before it assigns it, or
/// does not assign it on some path, the first call returns an error.
///
/// Each input is an array or a value. Arrays normally have the same length; an array of length 1 is repeated for all
/// elements. With [`shaped`](super::shaped), arrays are broadcast by the rules of `NumPy`. Types must match: there are
/// no implicit conversions.
///
/// One kernel is compiled for each combination of types and layouts of the arrays, and the device caches it. Long
/// contiguous arrays of 16 or 32 bits are read and written four elements at a time. A kernel is a value that threads
/// may share and clone.
#[derive(Clone, Debug)]
pub struct ElementwiseKernel {
    signature: Signature,
    preamble: String,
    operation: String,
    /// Identifies the signature, the preamble and the operation in the cache of kernels; replaced if one of them
    /// changes.
    identity: Identity,
}

impl ElementwiseKernel {
    /// Creates a kernel from inputs, outputs, and statements that assign the outputs.
    ///
    /// # Errors
    /// [`OperationError::Parameter`], and [`OperationError::Text`] for an empty operation. The first call checks the
    /// operation itself: an output that is read before it has a value, or is not assigned on every path, is an
    /// [`OperationError::Text`] of that call.
    #[track_caller]
    pub fn new(inputs: &str, outputs: &str, operation: &str) -> Result<Self, OperationError> {
        let kernel = &call::unnamed("elementwise kernel", Location::caller());
        let (inputs, outputs) = (parse(kernel, inputs)?, parse(kernel, outputs)?);
        let empty = |what, problem: &str| {
            Err(OperationError::Text { operator: kernel.to_owned(), what, problem: problem.to_owned() })
        };
        if outputs.is_empty() {
            return empty("the list of outputs", "is empty; declare at least one output, such as `z: f32`");
        }
        if operation.trim().is_empty() {
            return empty("the operation", "is empty; write statements such as `z = x + y`");
        }
        let signature = Signature::new(kernel, inputs, outputs)?;
        let identity = Identity::new();
        Ok(Self { signature, preamble: String::new(), operation: operation.to_owned(), identity })
    }

    /// Sets a name, for errors and profiles. The default is the file and line of the call of [`new`](Self::new).
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.signature.kernel = format!("elementwise {name}");
        self.identity = Identity::new();
        self
    }

    /// Sets WGSL declarations for the operation: functions, constants, structs; WGSL directives must come first.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::ElementwiseKernel;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let halves = ElementwiseKernel::new("x: u32", "y: u32", "y = half(x)")?
    ///     .preamble("fn half(x: u32) -> u32 { return x / 2u; }");
    /// let x = device.buffer_from(&[7u32, 8])?;
    /// assert_eq!(*halves.apply::<u32>(&device, &x)?.read()?, [3, 4]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn preamble(mut self, wgsl: &str) -> Self {
        wgsl.clone_into(&mut self.preamble);
        self.identity = Identity::new();
        self
    }

    /// Applies the operation and writes `outputs`: a buffer or slice, or a tuple of them, with the length to which the
    /// inputs are broadcast. Inputs are one argument or a tuple.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::ElementwiseKernel;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let add = ElementwiseKernel::new("x: f32, y: f32, a: f32", "y: f32", "y = a * x + y")?;
    /// let x = device.buffer_from(&[1.0f32, 2.0])?;
    /// let mut y = device.buffer_from(&[5.0f32, 6.0])?;
    /// add.run(&device, (&x, 10.0f32), &mut y)?; // `y` is in both lists, so it is passed once, as an output
    /// assert_eq!(*y.read()?, [15.0, 26.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'a>(
        &self,
        device: &Device,
        inputs: impl Inputs<'a>,
        outputs: impl Outputs<'a>,
    ) -> Result<(), OperationError> {
        self.call(device).run(inputs, outputs)
    }

    /// Applies the operation and returns a new buffer of `R`, or a tuple of buffers.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn apply<'a, R: Results>(
        &self,
        device: &Device,
        inputs: impl Inputs<'a>,
    ) -> Result<Buffers<R>, OperationError> {
        self.call(device).apply::<R>(inputs)
    }

    /// A call with further options: [`on`](ElementwiseCall::on), [`record`](ElementwiseCall::record),
    /// [`size`](ElementwiseCall::size).
    pub fn call<'k>(&'k self, device: &Device) -> ElementwiseCall<'k> {
        ElementwiseCall { kernel: self, device: device.clone(), size: None, destination: Destination::Own }
    }
}

/// One call of an [`ElementwiseKernel`].
#[must_use = "a call does nothing until `run` or `apply`"]
pub struct ElementwiseCall<'k> {
    kernel: &'k ElementwiseKernel,
    device: Device,
    size: Option<usize>,
    destination: Destination<'k>,
}

impl<'k> ElementwiseCall<'k> {
    /// Sets the number of elements, if all arrays are raw.
    pub fn size(mut self, size: usize) -> Self {
        self.size = Some(size);
        self
    }

    /// Appends the work to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'k mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs the work on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// See [`ElementwiseKernel::run`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'a>(self, inputs: impl Inputs<'a>, outputs: impl Outputs<'a>) -> Result<(), OperationError> {
        let (inputs, outputs) = (inputs.all(), outputs.all());
        let fitted = run::fit(&self, inputs, outputs)?;
        fitted.run(&fitted.plan(), self.destination)
    }

    /// The cost of this call, to compare its time with the limits of the device.
    ///
    /// `flops` and `bytes` are lower bounds: `flops` counts one operation for each element, as the operation's text is
    /// not analysed, and `bytes` excludes the operation's own accesses to raw arrays.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::ElementwiseKernel;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let saxpy = ElementwiseKernel::new("x: f32, y: f32, a: f32", "y: f32", "y = a * x + y")?;
    /// let (x, mut y) = (device.buffer::<f32>(1000)?, device.buffer::<f32>(1000)?);
    /// let cost = saxpy.call(&device).cost((&x, 2.0f32), &mut y)?;
    /// assert_eq!((cost.flops, cost.bytes), (1000, 3 * 4 * 1000)); // `y` is read and written
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn cost<'a>(&self, inputs: impl Inputs<'a>, outputs: impl Outputs<'a>) -> Result<Cost, OperationError> {
        Ok(run::fit(self, inputs.all(), outputs.all())?.plan().cost())
    }

    /// See [`ElementwiseKernel::apply`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn apply<'a, R: Results>(self, inputs: impl Inputs<'a>) -> Result<Buffers<R>, OperationError> {
        let inputs = inputs.all();
        let length = run::result_length(&self, &inputs, R::COUNT)?;
        let mut buffers = R::allocate(&self.device, length)
            .map_err(|error| OperationError::Buffer { operator: self.kernel.signature.kernel.clone(), error })?;
        let outputs = R::outputs(&mut buffers);
        let fitted = run::fit(&self, inputs, outputs)?;
        fitted.run(&fitted.plan(), self.destination)?;
        drop(fitted);
        Ok(buffers)
    }

    /// The WGSL that this call runs, for inspection.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn wgsl<'a>(self, inputs: impl Inputs<'a>, outputs: impl Outputs<'a>) -> Result<String, OperationError> {
        Ok(run::fit(&self, inputs.all(), outputs.all())?.text())
    }
}
