//! Many elements to one, or to one for each row, column, ....

mod choice;
mod identity;
mod plan;
mod run;
mod wgsl;

use super::error::OperationError;
use super::operation::arguments::{Buffers, Inputs, Outputs, Results};
use super::operation::call::Signature;
use super::operation::kept::Identity;
use super::operation::parameters::parse;
use super::plan::Cost;
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
pub use identity::IdentityValue;
use wgsl::Own;

/// A reduction made of four expressions of WGSL, for arrays of any length and shape.
///
/// | expression | in terms of | example | unless given |
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
/// Parameters, arguments and shapes are those of an [`ElementwiseKernel`](super::ElementwiseKernel);
/// there is one output, and no input is written. In map and finish `n` is the number of elements that
/// are made into one, a `u32`; in map `i` is the element's number among them, row-major.
///
/// Combined values have the type of the output unless [`accumulator`](Self::accumulator) names another.
/// The identity must change nothing: it is combined more than once. The result for no elements is
/// the identity, after finish. Statements of finish must assign the output on every path.
///
/// Elements are combined in an order that depends on the shape and on the kind of device, and on
/// nothing else: the same call gives the same bits again. `combine` must be associative and
/// commutative, but for rounding. Long reductions take two passes.
#[derive(Clone, Debug)]
pub struct ReductionKernel {
    own: Own,
}

impl ReductionKernel {
    /// A reduction of these inputs to this output, whose expressions are still to be given: at least
    /// [`combine`](Self::combine) and [`identity`](Self::identity).
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
    /// [`OperationError::Parameter`], and [`OperationError::Text`] for other than one output. The expressions are
    /// checked by the first call.
    pub fn new(inputs: &str, output: &str) -> Result<Self, OperationError> {
        let kernel = "reduction kernel";
        let (inputs, outputs) = (parse(kernel, inputs)?, parse(kernel, output)?);
        let wrong = |what, problem: String| Err(OperationError::Text { operator: kernel.to_owned(), what, problem });
        if outputs.len() != 1 || outputs.iter().any(|output| output.raw) {
            return wrong("the output", format!("is `{output}`: a reduction has one output, which is not raw"));
        }
        let signature = Signature::new(kernel, inputs, outputs)?;
        if let Some(name) = signature.in_place.first() {
            return wrong("the output", format!("`{name}` is an input as well: reductions do not work in place"));
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

    /// Sets the value of one element, an expression of the inputs: the only input unless given.
    #[must_use]
    pub fn map(self, expression: &str) -> Self {
        self.with(|own| expression.clone_into(&mut own.map))
    }

    /// Sets how two values `a` and `b` become one.
    #[must_use]
    pub fn combine(self, expression: &str) -> Self {
        self.with(|own| expression.clone_into(&mut own.combine))
    }

    /// Sets the result in terms of the combined value `a`, as an expression or as statements that assign the output:
    /// `a` unless given.
    #[must_use]
    pub fn finish(self, expression: &str) -> Self {
        self.with(|own| expression.clone_into(&mut own.finish))
    }

    /// Sets the value that changes nothing when it is combined: an expression, or a number. Infinities are
    /// `f32::INFINITY` and `f32::NEG_INFINITY`, or `inf` and `-inf` in an expression; they have the scalar type of the
    /// accumulator, `f32` if that is a struct.
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

    /// Changes the texts, so that no kernel of the old ones is found for them.
    fn with(mut self, change: impl FnOnce(&mut Own)) -> Self {
        change(&mut self.own);
        self.own.text = Identity::new();
        self
    }

    /// An error unless every expression is given that has no default.
    fn check_complete(&self) -> Result<(), OperationError> {
        let Own { map, combine, identity, .. } = &self.own;
        let parts = [
            ("map", map, "is missing: set the value of one element, as in `.map(\"x * y\")`"),
            ("combine", combine, "is missing: set how two values become one, as in `.combine(\"a + b\")`"),
            ("identity", identity, "is missing: set the value that changes nothing, as in `.identity(\"0\")`"),
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

    /// A name, for errors and profiles.
    #[must_use]
    pub fn name(self, name: &str) -> Self {
        self.with(|own| own.signature.kernel = format!("reduction {name}"))
    }

    /// WGSL declarations that the expressions use: functions, constants, structs; directives first.
    #[must_use]
    pub fn preamble(self, wgsl: &str) -> Self {
        self.with(|own| wgsl.clone_into(&mut own.preamble))
    }

    /// The WGSL type of what is combined: a wider one than the output's, a letter, or a struct of the
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
    /// [`OperationError`]; nothing has run then.
    pub fn run<'a>(
        &self,
        device: &Device,
        inputs: impl Inputs<'a>,
        output: impl Outputs<'a>,
    ) -> Result<(), OperationError> {
        self.call(device).run(inputs, output)
    }

    /// Reduces all elements to one, and returns a new buffer that holds it.
    ///
    /// # Errors
    /// [`OperationError`]; nothing has run then.
    pub fn apply<'a, R: Results>(
        &self,
        device: &Device,
        inputs: impl Inputs<'a>,
    ) -> Result<Buffers<R>, OperationError> {
        self.call(device).apply::<R>(inputs)
    }

    /// A call with more to say: [`axes`](ReductionCall::axes), [`on`](ReductionCall::on),
    /// [`record`](ReductionCall::record).
    pub fn call<'k>(&'k self, device: &Device) -> ReductionCall<'k> {
        ReductionCall { kernel: self, device: device.clone(), axes: None, size: None, destination: Destination::Own }
    }
}

/// One call of a [`ReductionKernel`].
#[must_use = "a call does nothing until `run` or `apply`"]
pub struct ReductionCall<'k> {
    kernel: &'k ReductionKernel,
    device: Device,
    axes: Option<Vec<usize>>,
    size: Option<usize>,
    destination: Destination<'k>,
}

impl<'k> ReductionCall<'k> {
    /// Reduces along one axis of the inputs' shape: 0 is the first.
    pub fn axis(self, axis: usize) -> Self {
        self.axes([axis])
    }

    /// Reduces along these axes, instead of all. The output has the other sizes, or all of them with
    /// 1 in the place of those reduced; without a shape of its own only its length counts.
    pub fn axes(mut self, axes: impl Into<Vec<usize>>) -> Self {
        self.axes = Some(axes.into());
        self
    }

    /// How many elements there are, where all arrays are raw.
    pub fn size(mut self, size: usize) -> Self {
        self.size = Some(size);
        self
    }

    /// Appends the work to `recording` instead of the device's own stream.
    pub fn record(mut self, recording: &'k mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs the work on `stream` instead of the device's own.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Reduces and writes `output`.
    ///
    /// # Errors
    /// [`OperationError`]; nothing has run then.
    pub fn run<'a>(self, inputs: impl Inputs<'a>, output: impl Outputs<'a>) -> Result<(), OperationError> {
        let (inputs, outputs) = (inputs.all(), output.all());
        let fitted = run::fit(&self, inputs, outputs)?;
        fitted.run(&fitted.plan(), self.destination)
    }

    /// What such a call costs, for comparing its time with the limits of the device.
    ///
    /// Both are lower bounds: `flops` counts one operation for each element, as the expressions are not read for more,
    /// and `bytes` leaves out partial results and what map reads of raw arrays by itself.
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
    /// As [`run`](Self::run). A call whose accumulator is a struct compiles its first pass, to know the struct's size.
    pub fn cost<'a>(&self, inputs: impl Inputs<'a>, output: impl Outputs<'a>) -> Result<Cost, OperationError> {
        run::fit(self, inputs.all(), output.all())?.cost()
    }

    /// Reduces and returns a new buffer.
    ///
    /// # Errors
    /// [`OperationError`]; nothing has run then.
    pub fn apply<'a, R: Results>(self, inputs: impl Inputs<'a>) -> Result<Buffers<R>, OperationError> {
        let inputs = inputs.all();
        let length = run::result_length(&self, &inputs, R::COUNT)?;
        let mut buffers = R::allocate(&self.device, length)
            .map_err(|error| OperationError::Buffer { operator: self.kernel.own.signature.kernel.clone(), error })?;
        let outputs = R::outputs(&mut buffers);
        let fitted = run::fit(&self, inputs, outputs)?;
        fitted.run(&fitted.plan(), self.destination)?;
        drop(fitted);
        Ok(buffers)
    }

    /// The WGSL of the passes that such a call runs, to be read.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn wgsl<'a>(self, inputs: impl Inputs<'a>, output: impl Outputs<'a>) -> Result<Vec<String>, OperationError> {
        Ok(run::fit(&self, inputs.all(), output.all())?.texts())
    }
}
