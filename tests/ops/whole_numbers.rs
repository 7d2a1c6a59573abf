//! The element types, and small whole numbers of each, with which arithmetic is exact.

use anywarp::ops::Argument;
use anywarp::{Device, Element};
use anywarp_testing::random::Random;
use half::f16;

use crate::outcome::{TestResult, skip};

/// An element type that can be compared with the reference.
pub(crate) trait Number: Element + for<'a> Argument<'a> + std::fmt::Debug + PartialEq {
    /// The feature that kernels need for the type; `None` for standard types.
    const FEATURE: Option<&'static str>;

    fn of(value: i32) -> Self;
}

macro_rules! numbers {
    ($($number:ty, $feature:expr, |$value:ident| $of:expr;)*) => {$(
        impl Number for $number {
            const FEATURE: Option<&'static str> = $feature;

            fn of($value: i32) -> Self {
                $of
            }
        }
    )*};
}

numbers! {
    f32, None, |value| value as f32;
    i32, None, |value| value;
    u32, None, |value| value as u32;
    f16, Some("f16"), |value| f16::from_f32(value as f32);
    f64, Some("f64"), |value| f64::from(value);
    i64, Some("i64"), |value| i64::from(value);
    u64, Some("i64"), |value| value as u64;
    i16, Some("i16"), |value| value as i16;
    u16, Some("i16"), |value| value as u16;
}

/// Skips the case on devices without the type.
pub(crate) fn known<T: Number>(device: &Device) -> TestResult {
    match T::FEATURE {
        Some(feature) if !device.caps().feature_names().contains(&feature) => skip(format!("there is no {feature}")),
        _ => Ok(()),
    }
}

/// Pseudo-random numbers from 0 to 12, the same in every run.
pub(crate) fn whole(count: usize, seed: u32) -> Vec<i32> {
    let mut random = Random::new(seed.into());
    std::iter::repeat_with(|| random.below(13) as i32).take(count).collect()
}

/// Converts the numbers to another type.
pub(crate) fn of<T: Number>(values: &[i32]) -> Vec<T> {
    values.iter().map(|value| T::of(*value)).collect()
}
