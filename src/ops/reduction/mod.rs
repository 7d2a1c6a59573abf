//! Reductions of many elements to one, or to one for each row, column and so on.

mod choice;
mod identity;
mod keys;
mod plan;
mod run;
mod segments;
mod wgsl;

use std::panic::Location;

use super::error::OperationError;
use super::operation::arguments::{Array, Buffers, Given, Inputs, Outputs, Results};
use super::operation::call::{self, Signature};
use super::operation::kept::Identity;
use super::operation::parameters::parse;
use super::plan::Cost;
use crate::buffer::Slice;
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
pub use identity::IdentityValue;
use segments::Limits;
use wgsl::Own;

/// A reduction defined by four WGSL expressions, for arrays of any length and shape.
///
/// | expression | in terms of | example | default |
/// |---|---|---|---|
/// | [`map`](Self::map) | one element of each input | `x * y` | the only input |
/// | [`combine`](Self::combine) | two mapped values, `a` and `b` | `a + b` | an error |
/// | [`finish`](Self::finish) | the combined value, `a` | `sqrt(a)`, or statements that assign the output: `y = sqrt(a)` | `a` |
/// | [`identity`](Self::identity) | nothing | `0` | an error |
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{ReductionKernel, shaped};
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[3.0f32, 4.0, 0.0, 5.0, 12.0, 0.0])?;
///
/// let norm = ReductionKernel::new("x: T", "y: T")?.map("x * x").combine("a + b").finish("sqrt(a)").identity("0");
/// let of_rows = norm.call(&device).axis(1).apply::<f32>(shaped(&x, [2, 3]))?;
/// assert_eq!(*of_rows.read()?, [5.0, 13.0]);
/// assert_eq!(norm.apply::<f32>(&device, &x)?.read()?[0], 194.0f32.sqrt());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// Parameters, arguments and shapes are those of an [`ElementwiseKernel`](super::ElementwiseKernel); there is one
/// output, and no input is written. In map and finish `n` is the number of elements of one result, a `u32`; in map `i`
/// is the number of the element among them, row-major: with [`axis`](ReductionCall::axis), both count within one row. No
/// parameter can have these names. `inf` is infinity, of the scalar type of the expression's result, if that is a float,
/// or of the first input that is, or `f32`.
///
/// Combined values have the type of the output unless [`accumulator`](Self::accumulator) sets another one. The identity
/// must be neutral, as it is combined several times. The result for no elements is the identity, after finish.
/// Statements of finish must assign the output on every path.
///
/// The order in which elements are combined depends only on the shape and the kind of device, so repeated calls return
/// the same bits. `combine` must be associative and commutative, except for rounding. Long reductions take two passes. A
/// kernel is a value that threads may share and clone.
#[derive(Clone, Debug)]
pub struct ReductionKernel {
    own: Own,
}

impl ReductionKernel {
    /// Creates a reduction of these inputs to this output. At least [`combine`](Self::combine) and
    /// [`identity`](Self::identity) must be set afterwards. `i` and `n` are no names of parameters.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::ReductionKernel;
    /// let device = anywarp::Device::open("cpu")?;
    /// let (x, y) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[3.0f32, 4.0])?);
    ///
    /// let dot = ReductionKernel::new("x: T, y: T", "z: T")?.map("x * y").combine("a + b").identity("0");
    /// assert_eq!(*dot.apply::<f32>(&device, (&x, &y))?.read()?, [11.0]);
    ///
    /// let incomplete = ReductionKernel::new("x: f32", "y: f32")?.combine("max(a, b)");
    /// let error = incomplete.apply::<f32>(&device, &x).unwrap_err();
    /// assert!(error.to_string().contains("identity is missing"));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Parameter`], and [`OperationError::Text`] unless there is exactly one output. The first call
    /// checks the expressions.
    #[track_caller]
    pub fn new(inputs: &str, output: &str) -> Result<Self, OperationError> {
        let kernel = &call::unnamed("reduction kernel", Location::caller());
        let (inputs, outputs) = (parse(kernel, inputs)?, parse(kernel, output)?);
        let wrong = |what, problem: String| Err(OperationError::Text { operator: kernel.to_owned(), what, problem });
        if outputs.len() != 1 || outputs.iter().any(|output| output.raw) {
            return wrong("the output", format!("is `{output}`; a reduction has exactly one output, which is not raw"));
        }
        let signature = Signature::new(kernel, inputs, outputs)?;
        if let Some(name) = signature.in_place.first() {
            return wrong("the output", format!("`{name}` is an input as well, but reductions do not work in place"));
        }
        let map = match signature.inputs.as_slice() {
            [only] if !only.raw => only.name.clone(),
            _ => String::new(),
        };
        Ok(Self {
            own: Own {
                text: Identity::new(),
                signature,
                preamble: String::new(),
                map,
                combine: String::new(),
                finish: String::new(),
                identity: String::new(),
                accumulator: None,
            },
        })
    }

    /// Sets the value of one element, an expression of the inputs; the default is the only input.
    #[must_use]
    pub fn map(self, expression: &str) -> Self {
        self.with(|own| expression.clone_into(&mut own.map))
    }

    /// Sets the expression that combines two values `a` and `b` into one.
    #[must_use]
    pub fn combine(self, expression: &str) -> Self {
        self.with(|own| expression.clone_into(&mut own.combine))
    }

    /// Sets the result in terms of the combined value `a`, as an expression or as statements that assign the output;
    /// the default is `a`.
    #[must_use]
    pub fn finish(self, expression: &str) -> Self {
        self.with(|own| expression.clone_into(&mut own.finish))
    }

    /// Sets the neutral element of `combine`: an expression, or a number. Infinities are `f32::INFINITY` and
    /// `f32::NEG_INFINITY`, or `inf` and `-inf` in an expression; they have the scalar type of the accumulator, or
    /// `f32` if that is not a float.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::ReductionKernel;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let greatest = ReductionKernel::new("x: f32", "y: f32")?.combine("max(a, b)").identity(f32::NEG_INFINITY);
    /// let (x, none) = (device.buffer_from(&[-3.0f32, -1.0])?, device.buffer::<f32>(0)?);
    /// assert_eq!(*greatest.apply::<f32>(&device, &x)?.read()?, [-1.0]);
    /// assert_eq!(*greatest.apply::<f32>(&device, &none)?.read()?, [f32::NEG_INFINITY]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn identity(self, value: impl IdentityValue) -> Self {
        self.with(|own| own.identity = identity::said(value))
    }

    /// Changes the texts, with a new identity, so that cached kernels of the old texts are not used.
    fn with(mut self, change: impl FnOnce(&mut Own)) -> Self {
        change(&mut self.own);
        self.own.text = Identity::new();
        self
    }

    /// Returns an error unless every expression without a default is set.
    fn check_complete(&self) -> Result<(), OperationError> {
        let Own { map, combine, identity, .. } = &self.own;
        let parts = [
            ("map", map, "is missing; set the value of one element, as in `.map(\"x * y\")`"),
            ("combine", combine, "is missing; set how two values are combined, as in `.combine(\"a + b\")`"),
            ("identity", identity, "is missing; set the neutral element, as in `.identity(\"0\")`"),
        ];
        match parts.into_iter().find(|(_, text, _)| text.trim().is_empty()) {
            None => Ok(()),
            Some((what, _, problem)) => Err(OperationError::Text {
                operator: self.own.signature.kernel.clone(),
                what,
                problem: problem.to_owned(),
            }),
        }
    }

    /// Sets a name, for errors and profiles. The default is the file and line of the call of [`new`](Self::new).
    #[must_use]
    pub fn name(self, name: &str) -> Self {
        self.with(|own| own.signature.kernel = format!("reduction {name}"))
    }

    /// Sets WGSL declarations for the expressions: functions, constants, structs; directives first.
    #[must_use]
    pub fn preamble(self, wgsl: &str) -> Self {
        self.with(|own| wgsl.clone_into(&mut own.preamble))
    }

    /// Sets the WGSL type of combined values: a wider type than the output's, a letter, or a struct of the
    /// [`preamble`](Self::preamble). Its name in the expressions is also `Accumulator`.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::ReductionKernel;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let greatest = ReductionKernel::new("x: f32", "at: u32")?
    ///     .map("Best(x, i)")
    ///     .combine("better(a, b)")
    ///     .finish("a.at")
    ///     .identity("Best(-inf, 0xffffffffu)")
    ///     .accumulator("Best")
    ///     .preamble(
    ///         "struct Best { value: f32, at: u32 }
    ///          fn better(a: Best, b: Best) -> Best {
    ///              if a.value > b.value || (a.value == b.value && a.at < b.at) { return a; }
    ///              return b;
    ///          }",
    ///     );
    /// let x = device.buffer_from(&[1.0f32, 7.0, 3.0])?;
    /// assert_eq!(*greatest.apply::<u32>(&device, &x)?.read()?, [1]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn accumulator(self, wgsl_type: &str) -> Self {
        self.with(|own| own.accumulator = Some(wgsl_type.to_owned()))
    }

    /// Reduces all elements to one, and writes it to `output`, a buffer or slice of one element.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'a>(
        &self,
        device: &Device,
        inputs: impl Inputs<'a>,
        output: impl Outputs<'a>,
    ) -> Result<(), OperationError> {
        self.call(device).run(inputs, output)
    }

    /// Reduces all elements to one, and returns it in a new buffer.
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

    /// A call with further options: [`axes`](ReductionCall::axes), [`segments`](ReductionCall::segments),
    /// [`run_by_key`](ReductionCall::run_by_key), [`on`](ReductionCall::on), [`record`](ReductionCall::record).
    pub fn call<'k>(&'k self, device: &Device) -> ReductionCall<'k> {
        let destination = Destination::Own;
        ReductionCall { kernel: self, device: device.clone(), axes: None, segments: None, size: None, destination }
    }
}

/// One call of a [`ReductionKernel`].
#[must_use = "a call does nothing until `run` or `apply`"]
pub struct ReductionCall<'k> {
    kernel: &'k ReductionKernel,
    device: Device,
    axes: Option<Vec<usize>>,
    segments: Option<Slice<'k, u32>>,
    size: Option<usize>,
    destination: Destination<'k>,
}

impl<'k> ReductionCall<'k> {
    /// Reduces along one axis of the inputs' shape, counted from 0.
    pub fn axis(self, axis: usize) -> Self {
        self.axes([axis])
    }

    /// Reduces along these axes instead of all. The shape of the output has the remaining sizes, with or without a size
    /// of 1 for each reduced axis; an output without a shape needs only the right length.
    pub fn axes(mut self, axes: impl Into<Vec<usize>>) -> Self {
        self.axes = Some(axes.into());
        self
    }

    /// Reduces each of `offsets.len() - 1` segments: segment `s` has the elements from `offsets[s]` up to, but without,
    /// `offsets[s + 1]`, in the row-major order of the inputs. The output has one element for each segment.
    ///
    /// In map and finish, `n` is the number of elements of the segment and `i` the number of the element in it, so an
    /// index of [`argmax`](super::reduce::argmax) counts from the beginning of its segment. An empty segment has the
    /// result of no elements: the identity, after finish. (NumPy's `reduceat` returns an element there.) Elements before
    /// the first offset and from the last one on are in no segment.
    ///
    /// The offsets are not read by the host, so they cannot be checked. They must not fall; otherwise results are
    /// unspecified. Offsets behind the last element count as its end. Work is balanced over segments of any lengths.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::reduce;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let x = device.buffer_from(&[1.0f32, 5.0, 3.0, 4.0, 0.5])?;
    /// let offsets = device.buffer_from(&[0u32, 3, 3, 5])?;
    /// let sums = reduce::sum().call(&device).segments(&offsets).apply::<f32>(&x)?;
    /// assert_eq!(*sums.read()?, [9.0, 0.0, 4.5]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn segments(mut self, offsets: impl Into<Slice<'k, u32>>) -> Self {
        self.segments = Some(offsets.into());
        self
    }

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

    /// Reduces and writes `output`.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'a>(mut self, inputs: impl Inputs<'a>, output: impl Outputs<'a>) -> Result<(), OperationError> {
        let (inputs, outputs) = (inputs.all(), output.all());
        let destination = std::mem::replace(&mut self.destination, Destination::Own);
        self.launch(inputs, outputs, destination)
    }

    fn launch<'a>(
        &self,
        inputs: Vec<Given<'a>>,
        outputs: Vec<Given<'a>>,
        mut destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let fitted = run::fit(self, self.parts()?, inputs, outputs, &destination)?;
        let Some(offsets) = self.segments else { return fitted.run(&fitted.plan(), destination) };
        let limits = Limits { offsets: Array::new::<u32>(offsets), count: None };
        fitted.check_guards(&limits, &destination)?;
        fitted.run_segments(&limits, &fitted.plan_of_segments(false), &mut destination)
    }

    /// The cost of this call, to compare its time with the limits of the device.
    ///
    /// Both numbers are lower bounds: `flops` counts one operation for each element, as the expressions are not
    /// analysed, and `bytes` excludes partial results and map's own accesses to raw arrays.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::{ReductionKernel, shaped};
    /// # fn cost(sum: &ReductionKernel) -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let (x, mut y) = (device.buffer::<f32>(1000)?, device.buffer::<f32>(10)?);
    /// let cost = sum.call(&device).axis(1).cost(shaped(&x, [10, 100]), &mut y)?;
    /// assert_eq!((cost.flops, cost.bytes), (1000, 4 * (1000 + 10)));
    /// # Ok(())
    /// # }
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run). If the accumulator is a struct, the call compiles its first pass, to find the size of the
    /// struct.
    pub fn cost<'a>(&self, inputs: impl Inputs<'a>, output: impl Outputs<'a>) -> Result<Cost, OperationError> {
        let fitted = run::fit(self, self.parts()?, inputs.all(), output.all(), &self.destination)?;
        if self.segments.is_some() { fitted.cost_of_segments() } else { fitted.cost() }
    }

    /// Reduces and returns a new buffer.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn apply<'a, R: Results>(mut self, inputs: impl Inputs<'a>) -> Result<Buffers<R>, OperationError> {
        let inputs = inputs.all();
        let length = run::result_length(&self, &inputs, R::COUNT)?;
        let mut buffers = R::allocate(&self.device, length)
            .map_err(|error| OperationError::Buffer { operator: self.kernel.own.signature.kernel.clone(), error })?;
        let outputs = R::outputs(&mut buffers);
        let destination = std::mem::replace(&mut self.destination, Destination::Own);
        self.launch(inputs, outputs, destination)?;
        Ok(buffers)
    }

    /// The WGSL of the passes that this call runs, for inspection. Passes that do not depend on the kernel's expressions
    /// are left out.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn wgsl<'a>(self, inputs: impl Inputs<'a>, output: impl Outputs<'a>) -> Result<Vec<String>, OperationError> {
        let fitted = run::fit(&self, self.parts()?, inputs.all(), output.all(), &self.destination)?;
        Ok(if self.segments.is_some() { fitted.texts_of_segments() } else { fitted.texts() })
    }
}
