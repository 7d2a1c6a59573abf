//! A call of a reduction kernel: axes or segments, and the destination.

use super::super::error::OperationError;
use super::super::operation::arguments::{Array, Buffers, Given, Inputs, Outputs, Results};
use super::super::plan::Cost;
use super::segments::Limits;
use super::{ReductionKernel, fit};
use crate::buffer::Slice;
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

/// One call of a [`ReductionKernel`].
#[must_use = "a call does nothing until `run` or `apply`"]
pub struct ReductionCall<'k> {
    pub(super) kernel: &'k ReductionKernel,
    pub(super) device: Device,
    pub(super) axes: Option<Vec<usize>>,
    pub(super) segments: Option<Slice<'k, u32>>,
    pub(super) size: Option<usize>,
    pub(super) destination: Destination<'k>,
}

impl<'k> ReductionCall<'k> {
    /// Reduces along one axis of the inputs' shape, counted from 0.
    pub fn axis(self, axis: usize) -> Self {
        self.axes([axis])
    }

    /// Reduces along these axes instead of all axes. The shape of the output consists of the remaining sizes, with or
    /// without a size of 1 for each reduced axis; an output without a shape needs only the right length.
    pub fn axes(mut self, axes: impl Into<Vec<usize>>) -> Self {
        self.axes = Some(axes.into());
        self
    }

    /// Reduces each of `offsets.len() - 1` segments: segment `s` has the elements from `offsets[s]` up to, but without,
    /// `offsets[s + 1]`, in the row-major order of the inputs. The output has one element for each segment.
    ///
    /// In map and finish, `n` is the number of elements of the segment and `i` the index of the element in the segment,
    /// so an index of [`argmax`](super::super::reduce::argmax) counts from the beginning of its segment. An empty
    /// segment has the result of no elements: the identity, after finish. (NumPy's `reduceat` returns an element
    /// there.) Elements before the first offset, and elements from the last offset on, are in no segment.
    ///
    /// The host does not read the offsets, so it cannot check them. Each offset must be at least the one before it;
    /// otherwise results are unspecified. An offset beyond the last element counts as the end of the elements. The work
    /// is balanced, however much the lengths of the segments differ.
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

    /// Runs the work on `stream`, in place of the device's default stream.
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
        let fitted = fit::fit(self, self.parts()?, inputs, outputs, &destination)?;
        let Some(offsets) = self.segments else { return fitted.run(&fitted.plan(), destination) };
        let limits = Limits { offsets: Array::new::<u32>(offsets), count: None };
        fitted.check_guards(&limits, &destination)?;
        fitted.run_segments(&limits, &fitted.plan_of_segments(false), &mut destination)
    }

    /// The cost of this call, to compare its time with the limits of the device.
    ///
    /// `flops` and `bytes` are lower bounds: `flops` counts one operation for each element, as the expressions are not
    /// analysed, and `bytes` excludes partial results and the accesses of map to raw arrays.
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
        let fitted = fit::fit(self, self.parts()?, inputs.all(), output.all(), &self.destination)?;
        if self.segments.is_some() { fitted.cost_of_segments() } else { fitted.cost() }
    }

    /// Reduces and returns a new buffer.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn apply<'a, R: Results>(mut self, inputs: impl Inputs<'a>) -> Result<Buffers<R>, OperationError> {
        let inputs = inputs.all();
        let length = fit::result_length(&self, &inputs, R::COUNT)?;
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
        let fitted = fit::fit(&self, self.parts()?, inputs.all(), output.all(), &self.destination)?;
        Ok(if self.segments.is_some() { fitted.texts_of_segments() } else { fitted.texts() })
    }
}
