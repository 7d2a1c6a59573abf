//! Numbers of elements by bins.

mod elements;
mod plan;
#[cfg(test)]
mod reference;
mod run;

use std::ops::Range;

use super::error::OperationError;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
pub use elements::HistogramElement;
use plan::{Choice, Pass, Shape};
use run::{Bins, Operands};

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

/// Counts how often each number below `counts.len()` occurs; larger ones are ignored.
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
/// Elements are compared with the edges without rounding, so that every device gives the same counts, and counts are
/// exact up to 2^32 - 1. Existing contents of `counts` are replaced.
#[must_use = "a histogram does nothing until `run` is called"]
#[derive(Debug)]
pub struct Histogram<'e, 'r> {
    edges: Edges<'e>,
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
        Self { edges: Edges::Even(bins, range), destination: Destination::Own }
    }

    /// Bins between these edges, which do not fall.
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
        Self { edges: Edges::Explicit(edges), destination: Destination::Own }
    }

    /// Bins of one number each: `u32` elements are the numbers of their bins, as in [`bincount`]. Elements of
    /// other types are an error.
    pub fn numbers(bins: usize) -> Self {
        Self { edges: Edges::Numbers(bins), destination: Destination::Own }
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

    /// The number of bins.
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
        Ok(self.plan(length, false)?.cost())
    }

    fn plan(&self, length: usize, cpu: bool) -> Result<Plan<Pass>, OperationError> {
        for (argument, count, limit) in [("x", length, MAX_LENGTH), ("counts", self.bins(), MAX_BINS)] {
            if count as u64 > limit {
                return Err(OPERATOR.too_large(argument, vec![count], limit));
            }
        }
        let shape = Shape { count: length as u64, bins: self.bins() as u64 };
        Ok(plan::plan(shape, Choice::default_for(shape, cpu)))
    }

    /// Counts the elements of `x`, a buffer or a slice of any length and start.
    ///
    /// # Errors
    /// [`OperationError`] for no bins, edges that fall or are not finite, a number of counts that is not that of the
    /// bins, a slice out of range, arrays of two devices, an existing guard, or an error of the device. In that case
    /// nothing has run.
    pub fn run<'x, 'y, T: HistogramElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        counts: impl Into<SliceMut<'y, u32>>,
    ) -> Result<(), OperationError> {
        let mut operands = Operands { x: x.into(), counts: counts.into() };
        let bins = Bins::of::<T>(&self.edges)?;
        let plan = self.plan(operands.x.len(), operands.is_cpu())?;
        operands.check(self.bins(), &self.destination)?;
        operands.run(&bins, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("histogram");
/// The kernels count elements in 32 bits, including some workgroups beyond the end.
const MAX_LENGTH: u64 = (1 << 32) - (1 << 20);
/// So many even bins are found by a product in `f32` with an error below one bin.
const MAX_BINS: u64 = 1 << 20;

#[cfg(all(test, feature = "cpu"))]
mod tests;
