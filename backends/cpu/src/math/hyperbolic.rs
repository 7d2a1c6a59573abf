//! Hyperbolic functions through e^x - 1, and their inverses through the logarithm.
//!
//! With u = e^|x| - 1: sinh = (u + u / (u + 1)) / 2 and tanh = v / (v + 2) where v = e^(2|x|) - 1
//! (Abramowitz and Stegun, 4.5); both keep their relative precision near zero because u and v do. The
//! inverses use a short series where the argument of the logarithm is too close to one.
//! Error: below 0.502 ulp.

use super::exponential::Exponential;
use super::lanes::{multiply_add, polynomial};
use super::logarithm::natural;

/// The limit of |x| below which asinh and atanh use their series. The first omitted term of the series is x^6 / 22 or
/// x^8 / 9 of the result, below 2^-40. At the limit, the logarithm's argument has a relative error of 2^-47.
const SERIES_LIMIT: f64 = 1.0 / 64.0;

/// The coefficients of asinh(x) / x in powers of x^2.
const ASINH_SERIES: [f64; 3] = [1.0, -1.0 / 6.0, 3.0 / 40.0];
/// The coefficients of atanh(x) / x in powers of x^2.
const ATANH_SERIES: [f64; 4] = [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0];

/// sinh(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn sinh<const FUSED: bool>(x: f32) -> f32 {
    let x = f64::from(x);
    let u = Exponential::natural::<FUSED>(x.abs()).minus_one::<FUSED>();
    (0.5 * (u + u / (u + 1.0))).copysign(x) as f32
}

/// cosh(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn cosh<const FUSED: bool>(x: f32) -> f32 {
    let power = Exponential::natural::<FUSED>(f64::from(x)).value::<FUSED>();
    (0.5 * (power + 1.0 / power)) as f32
}

/// tanh(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn tanh<const FUSED: bool>(x: f32) -> f32 {
    let x = f64::from(x);
    let v = Exponential::natural::<FUSED>(2.0 * x.abs()).minus_one::<FUSED>();
    (v / (v + 2.0)).copysign(x) as f32
}

/// asinh(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn asinh<const FUSED: bool>(x: f32) -> f32 {
    let x = f64::from(x);
    let magnitude = x.abs();
    let series = magnitude * polynomial::<FUSED, 3>(x * x, ASINH_SERIES);
    let far = natural::<FUSED>(magnitude + multiply_add::<FUSED>(x, x, 1.0).sqrt());
    (if magnitude < SERIES_LIMIT { series } else { far }).copysign(x) as f32
}

/// acosh(x), NaN below 1; error below 0.502 ulp: x - 1 is exact, and next to 1 the logarithm's
/// argument is already 1 + 2^-11.
#[inline(always)]
pub(super) fn acosh<const FUSED: bool>(x: f32) -> f32 {
    let wide = f64::from(x);
    let value = natural::<FUSED>(wide + ((wide - 1.0) * (wide + 1.0)).sqrt());
    (if wide < 1.0 { f64::NAN } else { value }) as f32
}

/// atanh(x), NaN for |x| > 1; error below 0.502 ulp.
#[inline(always)]
pub(super) fn atanh<const FUSED: bool>(x: f32) -> f32 {
    let x = f64::from(x);
    let magnitude = x.abs();
    let series = magnitude * polynomial::<FUSED, 4>(x * x, ATANH_SERIES);
    let far = 0.5 * natural::<FUSED>((1.0 + magnitude) / (1.0 - magnitude));
    (if magnitude < SERIES_LIMIT { series } else { far }).copysign(x) as f32
}
