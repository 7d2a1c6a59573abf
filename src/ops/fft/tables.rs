//! Tables of roots, which calls share.

use std::collections::HashMap;
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::error::OperationError;
use super::OPERATOR;
use super::element::ComplexElement;
use super::factors::convolution_length;
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::submit::Context;

/// Tables for Fourier transforms with elements of type `T`: the powers of a root of 1 for each length that calls have
/// used so far, in the memory of a device.
///
/// Calls without tables compute them each time. A table has about `2 * sqrt(n)` numbers for a length `n`, or up to `6 * n`
/// if `n` has a prime factor above 13. Threads can share tables. Work areas are no part of them.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Fft, FftTables};
///
/// let device = anywarp::Device::open("cpu")?;
/// let tables = FftTables::new(&device);
/// let x = device.buffer_from(&[[1.0f32, 0.0], [2.0, 0.0], [3.0, 0.0]])?;
/// let mut y = device.buffer(3)?;
/// for _ in 0..10 {
///     Fft::new([3]).tables(&tables).run(&x, &mut y)?; // computes the table for length 3 once
/// }
/// assert_eq!(y.read()?[0], [6.0, 0.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct FftTables<T: ComplexElement> {
    device: Device,
    tables: Mutex<HashMap<Key, Arc<Table<T>>>>,
}

impl<T: ComplexElement> FftTables<T> {
    /// Tables of a device, none so far.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), tables: Mutex::default() }
    }

    /// Whether these tables belong to another device.
    pub(super) fn foreign(&self, device: &Arc<Context>) -> Option<String> {
        let ours = &self.device.context;
        (!Arc::ptr_eq(ours, device)).then(|| ours.selector.clone())
    }

    /// Returns a table, which is computed at its first use.
    pub(super) fn get(&self, key: Key) -> Result<Arc<Table<T>>, OperationError> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(&key) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(Table::new(&self.device, key)?);
        tables.insert(key, Arc::clone(&table));
        Ok(table)
    }
}

/// The contents of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The roots of 1 of a length.
    Roots(u64),
    /// The factors of inputs and results of a convolution for a length, then its transformed filter, divided by the
    /// length of the filter.
    Convolution(u64),
}

/// Numbers that transforms need.
#[derive(Debug)]
pub(super) struct Table<T: ComplexElement> {
    pub(super) numbers: UnifiedBuffer<T::Wide>,
    /// The levels of a table of roots.
    pub(super) levels: Levels,
}

/// The levels of a table of roots: a root is the product of a number of the first level and one of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Levels {
    /// The low bits of an exponent, which choose a number of the first level.
    pub(super) bits: u32,
    /// The first number of the second level, if there is one.
    pub(super) second: Option<u32>,
}

impl Levels {
    /// The greatest length with a single level.
    const SINGLE: u64 = 4096;

    fn of(length: u64) -> Self {
        let bits = length.next_power_of_two().trailing_zeros();
        if length <= Self::SINGLE {
            return Self { bits, second: None };
        }
        let bits = bits.div_ceil(2);
        Self { bits, second: Some(1 << bits) }
    }

    fn numbers(self, length: u64) -> Vec<[f64; 2]> {
        let Some(first) = self.second else { return (0..length).map(|power| root(power, length)).collect() };
        let first = u64::from(first);
        let powers = (0..first).chain((0..length.div_ceil(first)).map(|high| high << self.bits));
        powers.map(|power| root(power, length)).collect()
    }
}

/// `exp(-2 pi i power / length)`, rounded once: the angle is reduced to an eighth of a turn before.
pub(super) fn root(power: u64, length: u64) -> [f64; 2] {
    let eighths = 8 * u128::from(power % length);
    let (octant, rest) = (eighths / u128::from(length), eighths % u128::from(length));
    let at = |rest: u128| (rest as f64 * (TAU / 8.0) / length as f64).sin_cos();
    let (sine, cosine) = if octant % 2 == 0 {
        at(rest)
    } else {
        let (sine, cosine) = at(u128::from(length) - rest);
        (cosine, sine)
    };
    match octant / 2 {
        0 => [cosine, -sine],
        1 => [-sine, -cosine],
        2 => [-cosine, sine],
        _ => [sine, cosine],
    }
}

fn times(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

impl<T: ComplexElement> Table<T> {
    fn new(device: &Device, key: Key) -> Result<Self, OperationError> {
        let (Key::Roots(length) | Key::Convolution(length)) = key;
        let levels = Levels::of(length);
        let numbers = match key {
            Key::Roots(_) => levels.numbers(length),
            Key::Convolution(_) => convolution(length),
        };
        let numbers: Vec<T::Wide> = numbers.into_iter().map(T::nearest).collect();
        let numbers = device.buffer_from(&numbers);
        let numbers = numbers.map_err(|error| OperationError::Buffer { operator: OPERATOR.name(), error })?;
        Ok(Self { numbers, levels })
    }
}

/// The numbers of [`Key::Convolution`].
fn convolution(length: u64) -> Vec<[f64; 2]> {
    // The squares are reduced before they are converted to floats.
    let factor = |at: u64| root((u128::from(at) * u128::from(at) % (2 * u128::from(length))) as u64, 2 * length);
    let mut numbers: Vec<[f64; 2]> = (0..length).map(factor).collect();
    let padded = convolution_length(length) as usize;
    let mut filter = vec![[0.0; 2]; padded];
    for (at, [real, imaginary]) in numbers.iter().enumerate() {
        let number = [real / padded as f64, -imaginary / padded as f64];
        filter[at] = number;
        filter[(padded - at) % padded] = number;
    }
    transform(&mut filter);
    numbers.append(&mut filter);
    numbers
}

/// The Fourier transform of a power of two of numbers, in place (Cooley and Tukey, 1965).
fn transform(numbers: &mut [[f64; 2]]) {
    let length = numbers.len();
    let shift = usize::BITS - length.trailing_zeros();
    for at in 0..length {
        let other = if length == 1 { 0 } else { at.reverse_bits() >> shift };
        if at < other {
            numbers.swap(at, other);
        }
    }
    let roots: Vec<[f64; 2]> = (0..length as u64 / 2).map(|power| root(power, length as u64)).collect();
    let mut half = 1;
    while half < length {
        for block in numbers.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (at, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let product = times(*b, roots[at * (length / 2 / half)]);
                *b = [a[0] - product[0], a[1] - product[1]];
                *a = [a[0] + product[0], a[1] + product[1]];
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_multiply_to_each_root() {
        for length in [1, 2, 12, 4096, 4097, 6000, 1 << 16] {
            let levels = Levels::of(length);
            let numbers = levels.numbers(length);
            for power in 0..length {
                let low = numbers[(power & ((1 << levels.bits) - 1)) as usize];
                let got = match levels.second {
                    Some(second) => times(low, numbers[second as usize + (power >> levels.bits) as usize]),
                    None => low,
                };
                let (sine, cosine) = (TAU * power as f64 / length as f64).sin_cos();
                let close = (got[0] - cosine).abs() < 2e-15 && (got[1] + sine).abs() < 2e-15;
                assert!(close, "{length}, {power}: {got:?}");
            }
        }
    }

    #[test]
    fn a_table_on_the_host_transforms_as_by_definition() {
        for length in [1u64, 2, 4, 32] {
            let numbers: Vec<[f64; 2]> = (0..length).map(|at| [(at as f64 * 0.7).sin(), at as f64]).collect();
            let mut got = numbers.clone();
            transform(&mut got);
            for (k, got) in got.iter().enumerate() {
                let terms = numbers.iter().zip(0u64..).map(|(x, at)| times(*x, root(at * k as u64, length)));
                let wanted = terms.fold([0.0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]]);
                assert!((got[0] - wanted[0]).abs() + (got[1] - wanted[1]).abs() < 1e-11, "{length}, {k}");
            }
        }
    }
}
