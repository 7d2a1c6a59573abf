//! Fills of memory with a pattern.

mod plan;
#[cfg(test)]
mod reference;
mod run;

use super::error::OperationError;
use super::operator::Operator;
use super::parts::parts;
use super::plan::{Cost, Plan};
use crate::buffer::SliceMut;
use crate::buffer::cells::{part_mut, reborrow};
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use plan::{Choice, Pass, Shape};
use run::Operands;

/// Fills `x`, a buffer or a slice of any length and start, with repetitions of `pattern`:
/// `x[i] = pattern[i % pattern.len()]`. The pattern has 1 to 16 elements, whose bits are preserved.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut x = device.buffer::<f32>(7)?;
/// anywarp::ops::fill_pattern(&mut x, &[1.0, 2.0, 3.0])?;
/// assert_eq!(*x.read()?, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for a pattern of no or too many elements, a slice out of range, an existing guard, or an error of
/// the device. In that case nothing has run.
pub fn fill_pattern<'x, T: PatternElement>(x: impl Into<SliceMut<'x, T>>, pattern: &[T]) -> Result<(), OperationError> {
    FillPattern::new(pattern).run(x)
}

/// Types of the elements of patterns: `f32`, `i32`, `u32`.
pub trait PatternElement: Element + sealed::Word {}

impl<T: Element + sealed::Word> PatternElement for T {}

mod sealed {
    /// A type of four bytes.
    pub trait Word {}

    impl Word for f32 {}
    impl Word for i32 {}
    impl Word for u32 {}
}

/// [`fill_pattern`] with an offset in the pattern, a stream, or a recording.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::FillPattern;
///
/// let mut x = device.buffer::<u32>(5)?;
/// let mut recording = device.recording();
/// FillPattern::new(&[7, 8, 9]).offset(2).record(&mut recording).run(&mut x)?;
/// recording.submit()?;
/// assert_eq!(*x.read()?, [9, 7, 8, 9, 7]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a fill does nothing until `run` is called"]
pub struct FillPattern<'p, 'r, T> {
    pattern: &'p [T],
    offset: usize,
    destination: Destination<'r>,
}

impl<'p, 'r, T: PatternElement> FillPattern<'p, 'r, T> {
    /// A fill with `pattern`, of 1 to 16 elements; [`run`](Self::run) reports other lengths.
    pub fn new(pattern: &'p [T]) -> Self {
        Self { pattern, offset: 0, destination: Destination::Own }
    }

    /// Begins the fill with this element of the pattern, counted from 0; larger values wrap around.
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Appends the fill to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Fills on `stream`, in place of the device's default one.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// # let mut x = device.buffer::<i32>(1000)?;
    /// let stream = device.stream();
    /// anywarp::ops::FillPattern::new(&[-1, 1]).on(&stream).run(&mut x)?;
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a fill of `length` elements, to compare its time with the limits of a device. A fill has no
    /// arithmetic and no reads.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::FillPattern::new(&[1.0f32, 2.0]).cost(1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 4000));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Choice`] for a pattern of no or too many elements, [`OperationError::TooLarge`].
    pub fn cost(&self, length: usize) -> Result<Cost, OperationError> {
        Ok(self.plan(length)?.cost())
    }

    fn plan(&self, length: usize) -> Result<Plan<Pass>, OperationError> {
        let period = self.pattern.len();
        if !(1..=MAX_PERIOD).contains(&period) {
            let expected = format!("use 1 to {MAX_PERIOD} elements");
            return Err(OPERATOR.choice("a pattern of length", expected, period.to_string()));
        }
        let length = length as u64;
        if length > MAX_LENGTH {
            return Err(OPERATOR.too_large("x", vec![length as usize], MAX_LENGTH));
        }
        let words: &[u32] = bytemuck::cast_slice(self.pattern);
        let shape = Shape { length, period: period as u32, uniform: words.iter().all(|word| *word == words[0]) };
        Ok(plan::plan(shape, Choice::default_for(shape)))
    }

    /// Fills `x`; see [`fill_pattern`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'x>(mut self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        let x = x.into();
        let whole = self.plan(x.len())?;
        let period = self.pattern.len();
        let phase = self.offset % period;
        let operands = Operands { x: reborrow(&x), pattern: self.pattern, phase };
        operands.check(&self.destination)?;
        if whole.passes == [Pass::Word] {
            // A fill command binds nothing.
            return operands.run(&whole, &mut self.destination);
        }
        let caps = x.core.device.caps().clone();
        for part in parts(&caps, x.len(), size_of::<T>()) {
            let plan = self.plan(part.len())?;
            let phase = (phase + part.start) % period;
            let operands = Operands { x: part_mut(&x, &part), pattern: self.pattern, phase };
            operands.run(&plan, &mut self.destination)?;
        }
        Ok(())
    }
}

const OPERATOR: Operator = Operator("fill with a pattern");
/// The greatest number of elements of a pattern, which is passed in a uniform.
const MAX_PERIOD: usize = 16;
/// The greatest number of elements of a fill: the kernel counts them in 32 bits, and some workgroups and a pattern
/// beyond the end as well.
const MAX_LENGTH: u64 = (1 << 32) - (1 << 16);

#[cfg(all(test, feature = "cpu"))]
mod tests;
