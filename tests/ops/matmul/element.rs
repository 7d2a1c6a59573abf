//! The element types, and the required accuracy of their products.

use anywarp::ops::MatmulElement;
use anywarp_testing::random;
use half::{bf16, f16};

/// An element type that can be compared with the reference.
pub(crate) trait Number: MatmulElement + std::fmt::Debug + PartialEq {
    /// Half the distance between 1 and the next larger number.
    const ROUNDING: f64;
    /// Half the distance between 0 and the next larger number.
    const SMALLEST: f64;

    fn of(value: f32) -> Self;
    fn exact(self) -> f64;
}

impl Number for f32 {
    const ROUNDING: f64 = 0.0; // counted with the sum
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

    fn of(value: f32) -> Self {
        value
    }

    fn exact(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f16 {
    const ROUNDING: f64 = 1.0 / 2048.0;
    const SMALLEST: f64 = 1.0 / (1 << 25) as f64;

    fn of(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn exact(self) -> f64 {
        self.to_f64()
    }
}

impl Number for bf16 {
    const ROUNDING: f64 = 1.0 / 256.0;
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

    fn of(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn exact(self) -> f64 {
        self.to_f64()
    }
}

/// Pseudo-random numbers between -1 and 1, the same in every run.
pub(crate) fn numbers<T: Number>(count: usize, seed: u32) -> Vec<T> {
    random::floats(count, seed.into()).into_iter().map(T::of).collect()
}
