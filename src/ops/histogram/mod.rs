//! Histograms: the number of elements in each bin.

mod bins;
mod elements;
mod plan;
mod question;
#[cfg(test)]
mod reference;
mod run;

use std::ops::Range;

use super::error::OperationError;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::cells::{as_words, as_words_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use bins::Bins;
pub use elements::{HistogramElement, HistogramWeight};
use plan::{Choice, Pass, Shape, Sum};
use run::Operands;

/// Counts the elements in each of `counts.len()` bins of equal width: as NumPy's `histogram(x, bins, range)`. See
/// [`Histogram`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[0.1f32, 0.5, 0.9, 1.0, 7.0])?;
/// let mut counts = device.buffer::<u32>(2)?;
/// anywarp::ops::histogram(&x, &mut counts, 0.0..1.0)?;
/// assert_eq!(*counts.read()?, [1, 3]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Histogram::run`].
pub fn histogram<'x, 'y, T: HistogramElement>(
    x: impl Into<Slice<'x, T>>,
    counts: impl Into<SliceMut<'y, u32>>,
    range: Range<f64>,
) -> Result<(), OperationError> {
    let counts = counts.into();
    Histogram::even(counts.len(), range).run(x, counts)
}

/// Counts how often each number below `counts.len()` occurs; larger numbers are ignored.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (x, mut counts) = (device.buffer_from(&[2u32, 0, 2, 9])?, device.buffer::<u32>(3)?);
/// anywarp::ops::bincount(&x, &mut counts)?;
/// assert_eq!(*counts.read()?, [1, 0, 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Histogram::run`].
pub fn bincount<'x, 'y>(
    x: impl Into<Slice<'x, u32>>,
    counts: impl Into<SliceMut<'y, u32>>,
) -> Result<(), OperationError> {
    let counts = counts.into();
    Histogram::numbers(counts.len()).run(x, counts)
}

/// A histogram: `counts[k]` is the number of elements with `edges[k] <= x < edges[k + 1]`; the last bin includes its
/// upper edge, as in NumPy. Elements outside all bins, and NaN, are not counted.
///
/// Elements are compared with the edges without rounding, so that every device computes the same counts, and counts are
/// exact up to 2^32 - 1. Existing contents of `counts` are replaced.
///
/// [`channels`](Self::channels) counts interleaved channels separately, such as those of pixels;
/// [`run_weighted`](Self::run_weighted) adds up the elements' weights in each bin, in place of their number.
#[must_use = "a histogram does nothing until `run` is called"]
#[derive(Debug)]
pub struct Histogram<'e, 'r> {
    edges: Edges<'e>,
    channels: usize,
    destination: Destination<'r>,
}

/// The edges of bins.
#[derive(Clone, Debug, PartialEq)]
enum Edges<'e> {
    /// The element is the number of its bin.
    Numbers(usize),
    Even(usize, Range<f64>),
    Explicit(&'e [f64]),
}

impl<'e, 'r> Histogram<'e, 'r> {
    /// Bins of equal width: edge `k` is `start + (end - start) * (k / bins)`, computed in `f64`.
    pub fn even(bins: usize, range: Range<f64>) -> Self {
        Self::of(Edges::Even(bins, range))
    }

    /// Bins between these edges, which must be in ascending order and may be equal.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let x = device.buffer_from(&[-5i32, 0, 3, 10, 1000])?;
    /// let mut counts = device.buffer::<u32>(3)?;
    /// anywarp::ops::Histogram::edges(&[-10.0, 0.0, 5.0, 100.0]).run(&x, &mut counts)?;
    /// assert_eq!(*counts.read()?, [1, 2, 1]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn edges(edges: &'e [f64]) -> Self {
        Self::of(Edges::Explicit(edges))
    }

    /// Bins of one number each: `u32` elements are the numbers of their bins, as in [`bincount`]. Elements of
    /// other types are an error.
    pub fn numbers(bins: usize) -> Self {
        Self::of(Edges::Numbers(bins))
    }

    fn of(edges: Edges<'e>) -> Self {
        Self { edges, channels: 1, destination: Destination::Own }
    }

    /// Counts each of several interleaved channels separately: element `i` belongs to channel `i % channels`, and the
    /// counts of channel `c` begin at index `c * bins`. All channels have the same bins.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let pixels = device.buffer_from(&[0.1f32, 0.9, 0.9, 0.2, 0.1, 0.8])?; // two pixels: red, green, blue
    /// let mut counts = device.buffer::<u32>(6)?;
    /// anywarp::ops::Histogram::even(2, 0.0..1.0).channels(3).run(&pixels, &mut counts)?;
    /// assert_eq!(*counts.read()?, [2, 0, 1, 1, 0, 2]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn channels(mut self, channels: usize) -> Self {
        self.channels = channels;
        self
    }

    /// Appends the histogram to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The number of bins of one channel.
    fn bins(&self) -> usize {
        match self.edges {
            Edges::Numbers(bins) | Edges::Even(bins, _) => bins,
            Edges::Explicit(edges) => edges.len().saturating_sub(1),
        }
    }

    /// The cost of a histogram of `length` elements, to compare its time with the limits of a device. Comparisons are
    /// not counted.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Histogram::even(256, 0.0..1.0).cost(1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 4 * (1000 + 256)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost(&self, length: usize) -> Result<Cost, OperationError> {
        let counters = self.counters()?;
        self.plan(Shape { count: length as u64, counters, sum: Sum::Counts, aligned: true, window: None }, false, None)
            .map(|plan| plan.cost())
    }

    /// The number of bins of all channels.
    fn counters(&self) -> Result<u64, OperationError> {
        if self.channels == 0 {
            return Err(OPERATOR.choice("a number of channels of", "use at least one channel", "0".to_owned()));
        }
        let counters = (self.bins() as u64).saturating_mul(self.channels as u64);
        if counters <= MAX_BINS {
            return Ok(counters);
        }
        let shape = if self.channels == 1 { vec![self.bins()] } else { vec![self.channels, self.bins()] };
        Err(OPERATOR.too_large("counts", shape, MAX_BINS))
    }

    fn plan(&self, shape: Shape, cpu: bool, device: Option<&Device>) -> Result<Plan<Pass>, OperationError> {
        if shape.count > MAX_LENGTH {
            return Err(OPERATOR.too_large("x", vec![shape.count as usize], MAX_LENGTH));
        }
        self.counters()?;
        let choice = device.map_or_else(|| Choice::default_for(shape, cpu), |device| Choice::of(shape, cpu, device));
        Ok(plan::plan(shape, choice))
    }

    /// Counts the elements of `x`, a buffer or a slice of any length and start.
    ///
    /// # Errors
    /// [`OperationError`] for no bins, edges that are not finite or not in ascending order, a number of counts that is
    /// not that of the bins, a slice out of range, arrays of two devices, an existing guard, or an error of the device.
    /// In that case nothing has run.
    pub fn run<'x, 'y, T: HistogramElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        counts: impl Into<SliceMut<'y, u32>>,
    ) -> Result<(), OperationError> {
        let (counts, channels) = (counts.into(), self.channels);
        let x = x.into();
        let all = x.len();
        self.add(Operands { x, weights: None, counts, result: "counts", channels, sum: Sum::Counts, all })
    }

    /// Sums the weights of the elements of each bin into `sums`; `weights` has one weight for each element of `x`.
    ///
    /// Sums of integers wrap around. Sums of `f32` do not depend on any order: in each bin, weights are added exactly as
    /// multiples of a power of two, and the sum is rounded once. So repeated calls and all devices give the same bits. Each
    /// weight has an error of at most the greatest weight of its bin times `2^-61`, times the number of elements; that is
    /// less than the error of sums in `f32`. Infinities and NaN give infinities and NaN, as in any sum.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let x = device.buffer_from(&[0.1f32, 0.5, 0.9, 7.0])?;
    /// let weights = device.buffer_from(&[1.5f32, -2.0, 0.25, 9.0])?;
    /// let mut sums = device.buffer::<f32>(2)?;
    /// anywarp::ops::Histogram::even(2, 0.0..1.0).run_weighted(&x, &weights, &mut sums)?;
    /// assert_eq!(*sums.read()?, [1.5, -1.75]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run); also for weights of another length than `x`.
    pub fn run_weighted<'x, 'y, T: HistogramElement, W: HistogramWeight>(
        self,
        x: impl Into<Slice<'x, T>>,
        weights: impl Into<Slice<'x, W>>,
        sums: impl Into<SliceMut<'y, W>>,
    ) -> Result<(), OperationError> {
        let (x, weights, sums, channels) = (x.into(), weights.into(), sums.into(), self.channels);
        let weights = as_words(&weights);
        let (sum, all) = (if W::IS_FLOAT { Sum::Floats } else { Sum::Integers }, x.len());
        let counts = as_words_mut(&sums);
        self.add(Operands { x, weights: Some(weights), counts, result: "sums", channels, sum, all })
    }

    fn add<T: HistogramElement>(mut self, mut operands: Operands<'_, '_, T>) -> Result<(), OperationError> {
        let bins = Bins::of::<T>(&self.edges)?;
        self.counters()?;
        let device = Device::of(&operands.counts.core.device);
        let plan = self.plan(operands.shape(self.bins()), operands.is_cpu(), Some(&device))?;
        operands.check(self.bins(), &self.destination)?;
        operands.run(&bins, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("histogram");
/// The greatest number of elements of a call: the kernels count them in 32 bits, and some workgroups beyond the end as
/// well.
const MAX_LENGTH: u64 = (1 << 32) - (1 << 20);
/// The greatest number of bins of all channels: for at most so many, a multiplication in `f32` finds the bin of an
/// element with an error below one bin.
const MAX_BINS: u64 = 1 << 20;

#[cfg(all(test, feature = "cpu"))]
mod tests;
