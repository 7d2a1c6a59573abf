//! Reductions of many elements to one result, or to one result for each row, column and so on.

mod call;
mod choice;
mod fit;
mod form;
mod keys;
mod plan;
mod run;
mod segments;
mod wgsl;

use std::panic::Location;

use super::error::OperationError;
use super::operation::arguments::{Buffers, Inputs, Outputs, Results};
use super::operation::call::{Signature, unnamed};
use super::operation::identity::{IdentityValue, said};
use super::operation::kept::Identity;
use super::operation::parameters::parse;
use crate::device::Device;
use crate::submit::Destination;
pub use call::ReductionCall;
use form::Own;

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
/// output, and no input is written. In map and finish, `n` is the number of elements that are combined into one result,
/// a `u32`. In map, `i` is the row-major index of an element among these; with [`axis`](ReductionCall::axis), both `n`
/// and `i` count within one row. No parameter can have the name `i` or `n`. `inf` is infinity. Its type is the scalar
/// type of the expression's result if that is a float, else the type of the first input that is a float, else `f32`.
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
    /// [`identity`](Self::identity) must be set afterwards. No parameter can have the name `i` or `n`.
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
        let kernel = &unnamed("reduction kernel", Location::caller());
        let (inputs, outputs) = (parse(kernel, inputs)?, parse(kernel, output)?);
        let wrong = |what, problem: String| Err(OperationError::Text { operator: kernel.to_owned(), what, problem });
        if outputs.len() != 1 || outputs.iter().any(|output| output.raw) {
            return wrong("the output", format!("is `{output}`; declare exactly one output, which is not raw"));
        }
        let signature = Signature::new(kernel, inputs, outputs)?;
        if let Some(name) = signature.in_place.first() {
            return wrong("the output", format!("`{name}` is an input as well; a reduction needs a separate output"));
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
    /// `f32::NEG_INFINITY`, or `inf` and `-inf` in an expression; these have the scalar type of the accumulator, or
    /// `f32` if the accumulator is not a float.
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
        self.with(|own| own.identity = said(value))
    }

    /// Changes the texts and sets a new identity, so that cached kernels of the old texts are not used.
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

    /// Sets the name of the kernel in errors and profiles. The default is the file and line of the call of
    /// [`new`](Self::new).
    #[must_use]
    pub fn name(self, name: &str) -> Self {
        self.with(|own| own.signature.kernel = format!("reduction {name}"))
    }

    /// Sets WGSL declarations that the expressions can use: functions, constants, structs. Directives come first.
    #[must_use]
    pub fn preamble(self, wgsl: &str) -> Self {
        self.with(|own| wgsl.clone_into(&mut own.preamble))
    }

    /// Sets the WGSL type of combined values: a wider type than the output's, a letter, or a struct of the
    /// [`preamble`](Self::preamble). The expressions can also name this type `Accumulator`.
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

    /// Reduces all elements to one result, and writes the result to `output`, a buffer or slice of one element.
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

    /// Reduces all elements to one result, and returns the result in a new buffer.
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

    /// Returns a call with further options: [`axes`](ReductionCall::axes), [`segments`](ReductionCall::segments),
    /// [`run_by_key`](ReductionCall::run_by_key), [`on`](ReductionCall::on), [`record`](ReductionCall::record).
    pub fn call<'k>(&'k self, device: &Device) -> ReductionCall<'k> {
        let destination = Destination::Own;
        ReductionCall { kernel: self, device: device.clone(), axes: None, segments: None, size: None, destination }
    }
}
