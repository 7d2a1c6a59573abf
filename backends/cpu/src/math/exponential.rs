//! Exponentials: 2^x = 2^k 2^f with an integer k and |f| <= 1/2, and e^x = 2^(x log2(e)).
//!
//! The reduction is Cody and Waite's (Software Manual for the Elementary Functions, 1980, chapter
//! 6), in f64, where the product x log2(e) needs no second part: it is off by 2^-45 at most.
//! Error: below 0.502 ulp.

use super::lanes::{multiply_add, nearest, polynomial};
use std::f64::consts::LOG2_E;

/// The coefficients of (2^f - 1) / f in powers of f for |f| <= 1/2; relative error below 2^-37.
const QUOTIENT: [f64; 8] = [
    0.6931471805568771,
    0.24022650696489145,
    0.05550410906004919,
    0.00961812894250849,
    0.0013333478814963945,
    0.00015403629603223475,
    1.5303609899533762e-05,
    1.3215475327729294e-06,
];

/// 2^x as `scale + scale * excess`, where `excess` is 2^f - 1 without loss of precision near f = 0.
pub(super) struct Exponential {
    scale: f64,
    excess: f64,
}

impl Exponential {
    /// Computes e^x.
    #[inline(always)]
    pub(super) fn natural<const FUSED: bool>(x: f64) -> Self {
        Self::binary::<FUSED>(x * LOG2_E)
    }

    /// Computes 2^x. x is clamped to [-200, 200], because beyond it the result is zero or infinite as an f32.
    #[inline(always)]
    pub(super) fn binary<const FUSED: bool>(x: f64) -> Self {
        let x = if x > 200.0 { 200.0 } else { x };
        let x = if x < -200.0 { -200.0 } else { x };
        let (k, bits) = nearest(x);
        let f = x - k;
        let scale = f64::from_bits((bits << 52).wrapping_add(1.0f64.to_bits()));
        Self { scale, excess: f * polynomial::<FUSED, 8>(f, QUOTIENT) }
    }

    /// The value of the power.
    #[inline(always)]
    pub(super) fn value<const FUSED: bool>(self) -> f64 {
        multiply_add::<FUSED>(self.scale, self.excess, self.scale)
    }

    /// The power minus one, precise near zero. If the scale is not 1 there is no cancellation, because the excess is in
    /// [-0.30, 0.42].
    #[inline(always)]
    pub(super) fn minus_one<const FUSED: bool>(self) -> f64 {
        multiply_add::<FUSED>(self.scale, self.excess, self.scale - 1.0)
    }
}

/// e^x, error below 0.502 ulp.
#[inline(always)]
pub(super) fn exp<const FUSED: bool>(x: f32) -> f32 {
    Exponential::natural::<FUSED>(f64::from(x)).value::<FUSED>() as f32
}

/// 2^x, error below 0.502 ulp; exact for integers.
#[inline(always)]
pub(super) fn exp2<const FUSED: bool>(x: f32) -> f32 {
    Exponential::binary::<FUSED>(f64::from(x)).value::<FUSED>() as f32
}
