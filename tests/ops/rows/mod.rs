//! Operators on rows of floats: softmax, norms and losses.

mod batch_norm;
mod cross_entropy;
mod norm;
mod softmax;

use anywarp::ops::{FloatElement, OperationError};
use anywarp::{Device, UnifiedBuffer};
use anywarp_testing::random::Random;
use half::{bf16, f16};

use crate::outcome::{TestResult, ensure, same};
use crate::{Alone, Case};

pub(crate) fn cases() -> Vec<Case> {
    softmax::cases()
        .into_iter()
        .chain(norm::cases())
        .chain(batch_norm::cases())
        .chain(cross_entropy::cases())
        .map(|(name, run)| (name.to_owned(), run))
        .collect()
}

pub(crate) fn checked() -> Alone {
    (
        "cpu:checked::rows".to_owned(),
        Box::new(|| {
            [softmax::clean, norm::clean, batch_norm::clean, cross_entropy::clean].iter().try_for_each(|clean| clean())
        }),
    )
}

/// An element type that can be compared with the reference.
pub(crate) trait Float: FloatElement {
    /// Half the distance between 1 and the next larger number, and half the least positive number.
    const ROUNDING: [f64; 2];

    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
}

impl Float for f32 {
    const ROUNDING: [f64; 2] = [0.0, 0.0];

    fn of(value: f64) -> Self {
        value as f32
    }

    fn wide(self) -> f64 {
        self.into()
    }
}

impl Float for f16 {
    const ROUNDING: [f64; 2] = [1.0 / (1u32 << 11) as f64, 1.0 / (1u32 << 25) as f64];

    fn of(value: f64) -> Self {
        Self::from_f64(value)
    }

    fn wide(self) -> f64 {
        self.to_f64()
    }
}

impl Float for bf16 {
    const ROUNDING: [f64; 2] = [1.0 / 256.0, 0.0];

    fn of(value: f64) -> Self {
        Self::from_f64(value)
    }

    fn wide(self) -> f64 {
        self.to_f64()
    }
}

/// Pseudo-random numbers from -8 to 8, the same in every run, rounded to the type.
pub(crate) fn numbers<T: Float>(count: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(|| T::of(f64::from(random.below(1 << 12) as u32) / 256.0 - 8.0)).take(count).collect()
}

pub(crate) fn wide<T: Float>(numbers: &[T]) -> Vec<f64> {
    numbers.iter().map(|number| number.wide()).collect()
}

/// Checks that each number is within the rounding of its type plus a relative and an absolute error of its reference.
/// NaN and infinities have to be the same.
pub(crate) fn close<T: Float>(got: &[T], wanted: &[f64], [relative, absolute]: [f64; 2], what: &str) -> TestResult {
    ensure(got.len() == wanted.len(), || format!("{what}: {} elements, expected {}", got.len(), wanted.len()))?;
    let [rounding, least] = T::ROUNDING;
    for (at, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        let got = got.wide();
        let tolerance = (relative + rounding) * wanted.abs() + absolute + least;
        let same = got == *wanted || (got.is_nan() && wanted.is_nan()) || (got - wanted).abs() <= tolerance;
        ensure(same, || format!("{what}, element {at}: {got}, expected {wanted}"))?;
    }
    Ok(())
}

/// Checks the elements from `begin` on as [`close`] does; all elements around them must still be 9.
pub(crate) fn close_between_nines<T: Float>(
    got: &[T],
    begin: usize,
    wanted: &[f64],
    tolerance: [f64; 2],
    what: &str,
) -> TestResult {
    let end = begin + wanted.len();
    close(&got[begin..end], wanted, tolerance, what)?;
    let around = got[..begin].iter().chain(&got[end..]).all(|number| number.wide() == 9.0);
    ensure(around, || format!("{what}: elements around have changed"))
}

/// Checks that several calls compute the same bits.
pub(crate) fn same_again(
    device: &Device,
    length: usize,
    what: &str,
    call: impl Fn(&mut UnifiedBuffer<f32>) -> Result<(), OperationError>,
) -> TestResult {
    let mut first = device.buffer::<f32>(length)?;
    call(&mut first)?;
    for _ in 0..3 {
        let mut y = device.buffer::<f32>(length)?;
        call(&mut y)?;
        same(&y.read()?, &first.read()?, what)?;
    }
    Ok(())
}
