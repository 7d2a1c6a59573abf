//! Many elements to one, or to one for each row, column, ....

mod choice;
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
use wgsl::Own;

/// A reduction made of four expressions of WGSL, for arrays of any length and shape.
///
/// | expression | in terms of | example |
/// |---|---|---|
/// | map | one element of each input | `x * y` |
/// | combine | two mapped values, `a` and `b` | `a + b` |
/// | post | the combined value, `a` | `sqrt(a)`, or statements that assign the output: `y = sqrt(a)` |
/// | identity | nothing | `0` |
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{ReductionKernel, shaped};
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[3.0f32, 4.0, 0.0, 5.0, 12.0, 0.0])?;
///
/// let norm = ReductionKernel::new("x: T", "y: T", "x * x", "a + b", "sqrt(a)", "0")?.name("norm");
/// let of_rows = norm.on(&device).axis(1).apply::<f32>(shaped(&x, [2, 3]))?;
/// assert_eq!(*of_rows.read()?, [5.0, 13.0]);
/// assert_eq!(norm.apply::<f32>(&device, &x)?.read()?[0], 194.0f32.sqrt());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// Parameters, arguments and shapes are those of an [`ElementwiseKernel`](super::ElementwiseKernel);
/// there is one output, and no input is written. In map and post `n` is how many elements are made
/// into one, a `u32`; in map `i` is the element's number among them, row-major.
///
/// What is combined has the output's type unless [`accumulator`](Self::accumulator) names another.
/// The identity must change nothing: it is combined more than once. The result for no elements is
/// the identity, after post.
///
/// Elements are combined in an order that depends on the shape and on the kind of device, and on
/// nothing else: the same call gives the same bits again. `combine` must be associative and
/// commutative, but for rounding. Long reductions take two passes.
#[derive(Clone, Debug)]
pub struct ReductionKernel {
    own: Own,
}

impl ReductionKernel {
    /// Inputs, one output, and the four expressions.
    ///
    /// # Errors
    /// [`OperationError::Parameter`], and [`OperationError::Text`] for an empty expression (only
    /// post may be empty) or for other than one output. The expressions themselves are looked at by
    /// the first call.
    pub fn new(
        inputs: &str,
        output: &str,
        map: &str,
        combine: &str,
        post: &str,
        identity: &str,
    ) -> Result<Self, OperationError> {
        let kernel = "reduction kernel";
        let (inputs, outputs) = (parse(kernel, inputs)?, parse(kernel, output)?);
        let wrong = |what, problem: String| Err(OperationError::Text { operator: kernel.to_owned(), what, problem });
        if outputs.len() != 1 || outputs.iter().any(|output| output.raw) {
            return wrong("the output", format!("is `{output}`: a reduction has one, which is not raw"));
        }
        for (what, text) in [("map", map), ("combine", combine), ("identity", identity)] {
            if text.trim().is_empty() {
                return wrong(what, "is empty: write an expression".to_owned());
            }
        }
        let signature = Signature::new(kernel, inputs, outputs)?;
        if let Some(name) = signature.in_place.first() {
            return wrong("the output", format!("`{name}` is an input as well: reductions do not work in place"));
        }
        let [map, combine, post, identity] = [map, combine, post, identity].map(str::to_owned);
        Ok(Self {
            own: Own {
                text: Identity::new(),
                signature,
                preamble: String::new(),
                map,
                combine,
                post,
                identity,
                accumulator: None,
            },
        })
    }

    /// A name, for errors and profiles.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.own.signature.kernel = format!("reduction {name}");
        self.own.text = Identity::new();
        self
    }

    /// WGSL declarations that the expressions use: functions, constants, structs; directives first.
    #[must_use]
    pub fn preamble(mut self, wgsl: &str) -> Self {
        wgsl.clone_into(&mut self.own.preamble);
        self.own.text = Identity::new();
        self
    }

    /// The WGSL type of what is combined: a wider one than the output's, a letter, or a struct of the
    /// [`preamble`](Self::preamble). Its name in the expressions is also `Accumulator`.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::ReductionKernel;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let greatest = ReductionKernel::new(
    ///     "x: f32",
    ///     "at: u32",
    ///     "Best(x, i)",
    ///     "better(a, b)",
    ///     "a.at",
    ///     "Best(-3.4e38, 0xffffffffu)",
    /// )?
    /// .preamble(
    ///     "struct Best { value: f32, at: u32 }
    ///      fn better(a: Best, b: Best) -> Best {
    ///          if a.value > b.value || (a.value == b.value && a.at < b.at) { return a; }
    ///          return b;
    ///      }",
    /// )
    /// .accumulator("Best");
    /// let x = device.buffer_from(&[1.0f32, 7.0, 3.0])?;
    /// assert_eq!(*greatest.apply::<u32>(&device, &x)?.read()?, [1]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn accumulator(mut self, wgsl_type: &str) -> Self {
        self.own.accumulator = Some(wgsl_type.to_owned());
        self.own.text = Identity::new();
        self
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

    /// A call with more to say: [`axes`](ReductionCall::axes), [`on`](ReductionCall::on), [`record`](ReductionCall::record).
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
