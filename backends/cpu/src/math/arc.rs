//! Inverse trigonometric functions, all computed as the angle of a point in the first quadrant.
//!
//! asin(x) is the angle of the point (sqrt(1 - x^2), x), and acos(x) is the angle of (x, sqrt(1 - x^2))
//! (Abramowitz and Stegun, 4.4.32 and following). In f64 the square root is precise enough, because
//! 1 - x and 1 + x are rounded once at most. Error: below 0.502 ulp.

use super::lanes::polynomial;
use std::f64::consts::{FRAC_PI_2, PI};

/// The coefficients of atan(q) / q in powers of q^2 for 0 <= q <= 1; relative error below 2^-36.
const ATAN: [f64; 13] = [
    1.0,
    -0.33333333111145286,
    0.19999984223414533,
    -0.14285320906612256,
    0.1110614356121395,
    -0.09053630027738573,
    0.07510512045689419,
    -0.06056956626288157,
    0.044179091073617414,
    -0.02654775263034142,
    0.011778618369569414,
    -0.003326476049574875,
    0.00044069105666876316,
];

/// The angle, in [0, pi/2], of the point (x, y), whose coordinates have a positive sign. The angle of (0, 0) is 0, that
/// of two infinities is pi/4.
#[inline(always)]
fn angle<const FUSED: bool>(y: f64, x: f64) -> f64 {
    let steep = y > x;
    let (small, large) = (if steep { x } else { y }, if steep { y } else { x });
    let equal = if large == 0.0 { 0.0 } else { 1.0 };
    let quotient = if small == large { equal } else { small / large };
    let angle = quotient * polynomial::<FUSED, 13>(quotient * quotient, ATAN);
    if steep { FRAC_PI_2 - angle } else { angle }
}

/// sqrt(1 - x^2), NaN for |x| > 1.
#[inline(always)]
fn cofactor(x: f64) -> f64 {
    ((1.0 - x) * (1.0 + x)).sqrt()
}

/// asin(x), NaN for |x| > 1; error below 0.502 ulp.
#[inline(always)]
pub(super) fn asin<const FUSED: bool>(x: f32) -> f32 {
    let x = f64::from(x);
    angle::<FUSED>(x.abs(), cofactor(x)).copysign(x) as f32
}

/// acos(x), NaN for |x| > 1; error below 0.502 ulp.
#[inline(always)]
pub(super) fn acos<const FUSED: bool>(x: f32) -> f32 {
    let x = f64::from(x);
    let angle = angle::<FUSED>(cofactor(x), x.abs());
    (if x < 0.0 { PI - angle } else { angle }) as f32
}

/// atan(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn atan<const FUSED: bool>(x: f32) -> f32 {
    let x = f64::from(x);
    angle::<FUSED>(x.abs(), 1.0).copysign(x) as f32
}

/// The angle of the point (x, y) in [-pi, pi], signed zeros and infinities as in IEEE 754 (9.2.1);
/// error below 0.502 ulp.
#[inline(always)]
pub(super) fn atan2<const FUSED: bool>(y: f32, x: f32) -> f32 {
    let (y, x) = (f64::from(y), f64::from(x));
    let angle = angle::<FUSED>(y.abs(), x.abs());
    let left = 1.0f64.copysign(x) < 0.0;
    (if left { PI - angle } else { angle }).copysign(y) as f32
}
