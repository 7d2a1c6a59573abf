//! Random numbers, the same on every device.

mod draw;
mod elements;
mod order;
mod philox;
mod plan;
#[cfg(test)]
mod reference;
mod run;

use std::ops::Range;

use super::error::OperationError;
use super::operator::Operator;
use super::parts::parts;
use super::plan::{Cost, Plan};
use crate::buffer::SliceMut;
use crate::buffer::cells::part_mut;
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use draw::{Draw, Source};
pub use elements::{RandomBits, RandomFloat, RandomInteger, RandomNumber, RandomReal};
use order::Order;
use plan::{Choice, Part, Shape};

/// Random numbers: element `i` depends on the seed, the stream and `offset + i` only, not on the device, the length of
/// the array or the launch. There is no hidden state: two equal calls draw equal numbers.
///
/// The words come from Philox4x32-10 (Salmon, Moraes, Dror, Shaw: 'Parallel random numbers: as easy as 1, 2, 3', SC
/// 2011), numbered as in Random123: word `w` of a stream is word `w % 4` for the counter `(w / 4, stream, 0)` and the
/// seed as key. An element of 8 bytes takes two words, an element of 4 or 2 bytes one word. Distributions are computed
/// from these words in integer arithmetic, so that all devices draw the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::Random;
///
/// let device = anywarp::Device::open("cpu")?;
/// let mut words = device.buffer::<u32>(4)?;
/// Random::new(0).bits(&mut words)?;
/// assert_eq!(*words.read()?, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
///
/// let mut rolls = device.buffer::<i32>(1000)?;
/// Random::new(7).stream(3).integers(1..7, &mut rolls)?;
/// assert!(rolls.read()?.iter().all(|roll| (1..7).contains(roll)));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// A call continues where another call with the same seed and stream ended, if its [`offset`](Self::offset) is the
/// number of elements drawn so far. An [`ElementwiseKernel`](crate::ops::ElementwiseKernel) can scale the numbers:
/// `y = mean + deviation * z`.
///
/// # Errors
/// All calls return [`OperationError`] for a slice out of range or too long, an existing guard, another device's
/// stream, or an error of the device. In that case nothing has run.
#[must_use = "random numbers are drawn by `bits`, `uniform`, .."]
#[derive(Debug)]
pub struct Random<'r> {
    seed: u64,
    stream: u32,
    offset: u64,
    destination: Destination<'r>,
}

impl<'r> Random<'r> {
    /// The numbers of stream 0 of this seed, from the first number on.
    pub fn new(seed: u64) -> Self {
        Self { seed, stream: 0, offset: 0, destination: Destination::Own }
    }

    /// Draws from this stream of the seed in place of stream 0; all streams of a seed are independent.
    pub fn stream(mut self, stream: u32) -> Self {
        self.stream = stream;
        self
    }

    /// Skips this many elements of the stream, of the type that is drawn.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::Random;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let (mut whole, mut rest) = (device.buffer::<f32>(10)?, device.buffer::<f32>(3)?);
    /// Random::new(1).uniform(&mut whole)?;
    /// Random::new(1).offset(7).uniform(&mut rest)?;
    /// assert_eq!(rest.read()?[..], whole.read()?[7..]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn offset(mut self, elements: u64) -> Self {
        self.offset = elements;
        self
    }

    /// Appends the call to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on this stream of commands, in place of the device's default stream; it does not select random numbers.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Draws integers of all bits: `u32`, `i32`, `u64` or `i64`. For 64 bits, the first of two words is the lower half.
    ///
    /// # Errors
    /// See [`Random`].
    pub fn bits<'x, T: RandomBits>(self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        self.draw(Draw::Bits, x.into())
    }

    /// Draws numbers in `0 <= x < 1`, each equally likely: multiples of 2^-11 (`f16`), 2^-24 (`f32`) or 2^-53 (`f64`). All
    /// devices draw all three types, whatever types their shaders have.
    ///
    /// # Errors
    /// See [`Random`].
    pub fn uniform<'x, T: RandomFloat>(self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        self.draw(T::UNIFORM, x.into())
    }

    /// Draws integers in `range`, each exactly equally likely (Lemire: 'Fast random integer generation in an interval',
    /// 2019). If word `w` of the stream is rejected, word `w % 4` for the counter `(w / 4, stream, 1)` replaces it,
    /// then the one for `(w / 4, stream, 2)`, and so on.
    ///
    /// # Errors
    /// See [`Random`]; [`OperationError::Choice`] for an empty range.
    pub fn integers<'x, T: RandomInteger>(
        self,
        range: Range<T>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        let (low, span) = T::low_and_span(&range);
        if span == 0 {
            return Err(OPERATOR.choice("a range of integers", "use a range with `start < end`", format!("{range:?}")));
        }
        self.draw(Draw::Integers { low, span }, x.into())
    }

    /// Draws numbers of the standard normal distribution: mean 0, standard deviation 1. Elements `2 k` and `2 k + 1` of
    /// a stream come from the same two words (Box and Muller, 1958); the largest absolute value is 6.7. Numbers of
    /// `f16` are those of `f32`, rounded to the nearest.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let mut z = device.buffer::<f32>(10_000)?;
    /// anywarp::ops::Random::new(5).normal(&mut z)?;
    /// let z = z.read()?;
    /// let mean = z.iter().sum::<f32>() / 10_000.0;
    /// let variance = z.iter().map(|z| (z - mean).powi(2)).sum::<f32>() / 10_000.0;
    /// assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean}, {variance}");
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// See [`Random`].
    pub fn normal<'x, T: RandomReal>(self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        self.draw(T::NORMAL, x.into())
    }

    /// Draws numbers of the exponential distribution of rate 1: `-ln(u)`, with `u` an odd multiple of 2^-32.
    /// Numbers of `f16` are those of `f32`, rounded to the nearest.
    ///
    /// # Errors
    /// See [`Random`].
    pub fn exponential<'x, T: RandomReal>(self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        self.draw(T::EXPONENTIAL, x.into())
    }

    /// Draws 1 with this probability, else 0. The probability is rounded to a multiple of 2^-32.
    ///
    /// # Errors
    /// See [`Random`]; [`OperationError::Choice`] for a probability that is not within 0 and 1.
    pub fn bernoulli<'x, T: RandomNumber>(
        self,
        probability: f64,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        self.draw(Draw::chance(probability, T::ONE)?, x.into())
    }

    /// Draws the factors of a dropout: 0 with probability `rate`, else `1 / (1 - rate)`. The results are the products
    /// with these factors, and so are the derivatives:
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::{ElementwiseKernel, Random};
    ///
    /// let x = device.buffer_from(&[1.0f32; 8])?;
    /// let mut factors = device.buffer::<f32>(8)?;
    /// Random::new(7).dropout(0.5, &mut factors)?;
    /// let apply = ElementwiseKernel::new("x: f32, factor: f32", "y: f32", "y = x * factor")?;
    /// let y = apply.apply::<f32>(&device, (&x, &factors))?;
    /// let dx = apply.apply::<f32>(&device, (&y, &factors))?; // `y` for the derivatives by itself
    /// assert!(y.read()?.iter().zip(&*dx.read()?).all(|pair| [(&0.0, &0.0), (&2.0, &4.0)].contains(&pair)));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// See [`Random`]; [`OperationError::Choice`] for a rate that is not within 0 and 1.
    pub fn dropout<'x>(self, rate: f64, x: impl Into<SliceMut<'x, f32>>) -> Result<(), OperationError> {
        let kept = if rate < 1.0 { (1.0 / (1.0 - rate)) as f32 } else { 0.0 };
        self.draw(Draw::chance(1.0 - rate, kept.to_bits())?, x.into())
    }

    /// Writes the numbers `0..x.len()` in a random order. The [`offset`](Self::offset) does not apply.
    ///
    /// Each element is computed on its own, by a cipher on all numbers of sufficiently many bits (Mitchell, Stokes,
    /// Frank, Holmes: 'Bandwidth-optimal random shuffling for GPUs', 2022). Not all orders of a long array can occur,
    /// as the seed and the stream have only 96 bits together.
    ///
    /// # Errors
    /// See [`Random`].
    pub fn permutation<'x>(self, x: impl Into<SliceMut<'x, u32>>) -> Result<(), OperationError> {
        let x = x.into();
        let n = x.len();
        self.order(n, x)
    }

    /// Draws different numbers below `n`: the first numbers of the [`permutation`](Self::permutation) of `0..n`.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let mut drawn = device.buffer::<u32>(6)?;
    /// anywarp::ops::Random::new(2026).choice(49, &mut drawn)?;
    /// let mut drawn = drawn.read()?.to_vec();
    /// drawn.sort();
    /// drawn.dedup();
    /// assert!(drawn.len() == 6 && drawn.iter().all(|number| *number < 49));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// See [`Random`]; [`OperationError::Choice`] for more elements than `n`.
    pub fn choice<'x>(self, n: usize, x: impl Into<SliceMut<'x, u32>>) -> Result<(), OperationError> {
        let x = x.into();
        if x.len() > n {
            let expected = format!("use at most {n} elements, as only {n} different numbers exist");
            return Err(OPERATOR.choice("a choice of", expected, x.len().to_string()));
        }
        self.order(n, x)
    }

    /// The cost of a call that draws `length` elements of this type, to compare its time with the limits of a device:
    /// one word is written for each four bytes, and integer operations are not counted.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Random::new(1).cost::<f64>(1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 8000));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: Element>(&self, length: usize) -> Result<Cost, OperationError> {
        Ok(self.plan(words_of::<T>(length)?, 0, words_of::<T>(1)?).cost())
    }

    /// The plan for `words` words, from word `start` of the buffer on; an element has `width` words.
    fn plan(&self, words: u64, start: u64, width: u64) -> Plan<Part> {
        let shape = Shape { words, start, number: self.offset.wrapping_mul(width) };
        plan::plan(shape, Choice::default_for(shape))
    }

    fn draw<T: Element>(mut self, draw: Draw, x: SliceMut<'_, T>) -> Result<(), OperationError> {
        words_of::<T>(x.len())?;
        let width = words_of::<T>(1)?;
        run::check(&x, &self.destination)?;
        let caps = x.core.device.caps().clone();
        let first = self.offset;
        for range in parts(&caps, x.len(), size_of::<T>()) {
            let x = part_mut(&x, &range);
            self.offset = first.wrapping_add(range.start as u64);
            let words = words_of::<T>(range.len())?;
            let start = x.range.get().map_err(OPERATOR.slice("x"))?.start as u64 * width;
            let plan = match size_of::<T>() {
                // Elements of 2 bytes may begin within a word, so that the kernel never writes vectors of them.
                2 => plan::plan(Shape { words, start: 0, number: 0 }, Choice { vectors: false }),
                _ => self.plan(words, start, width),
            };
            let source = Source { seed: self.seed, stream: self.stream, number: self.offset.wrapping_mul(width), draw };
            plan.passes.iter().try_for_each(|part| run::draw(&x, source, *part, self.destination.reborrow()))?;
        }
        Ok(())
    }

    fn order(mut self, n: usize, x: SliceMut<'_, u32>) -> Result<(), OperationError> {
        let order = Order::of(n, self.seed, self.stream)?;
        run::check(&x, &self.destination)?;
        let caps = x.core.device.caps().clone();
        for range in parts(&caps, x.len(), size_of::<u32>()) {
            run::order(&part_mut(&x, &range), &order, range.start, self.destination.reborrow())?;
        }
        Ok(())
    }
}

const OPERATOR: Operator = Operator("random numbers");
/// The greatest number of words of a call: the kernels count words in 32 bits, and the last workgroups also count words
/// beyond the end.
const MAX_WORDS: u64 = (1 << 32) - (1 << 16);

/// Returns the number of words of `length` elements in memory; an error if the kernels cannot count them.
fn words_of<T: Element>(length: usize) -> Result<u64, OperationError> {
    let size = size_of::<T>() as u64;
    // Kernels count elements that are smaller than a word one by one, and words otherwise.
    let limit = MAX_WORDS / size.div_ceil(4);
    if length as u64 <= limit {
        Ok((length as u64 * size).div_ceil(4))
    } else {
        Err(OPERATOR.too_large("x", vec![length], limit))
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests;
