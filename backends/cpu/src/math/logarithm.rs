//! Logarithms and powers: x = 2^e m with m in [sqrt(1/2), sqrt(2)), and
//! ln(m) = 2 atanh(s) with s = (m - 1) / (m + 1).
//!
//! The reduction and the series in s are those of Cody and Waite (Software Manual for the
//! Elementary Functions, 1980, chapter 5). Error: below 0.502 ulp.

use super::exponential::Exponential;
use super::lanes::{multiply_add, polynomial};
use std::f64::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

/// The coefficients of (2 atanh(s) / s - 2) / s^2 in powers of s^2 for s^2 <= 0.02944; 2 atanh(s) then
/// has a relative error below 2^-44.
const ATANH_TAIL: [f64; 5] =
    [0.6666666667577287, 0.3999999563118532, 0.2857210819274844, 0.2217622793130077, 0.1958360262536276];

const MANTISSA_BITS: u32 = 52;
/// 2^52, for the conversion of 64-bit integers, which SSE2 and AVX2 cannot do: this number with an integer below 2^52
/// in its mantissa equals 2^52 plus that integer.
const INTEGER_HOLDER: f64 = 4_503_599_627_370_496.0;
const EXPONENT_BIAS: f64 = 1023.0;

/// The exponent e and ln(m) of a positive, normal `x`; arbitrary finite values otherwise.
#[inline(always)]
fn split<const FUSED: bool>(x: f64) -> (f64, f64) {
    // The offset makes the exponent change at sqrt(1/2) instead of at 1.
    let raised = x.to_bits().wrapping_add(1.0f64.to_bits() - FRAC_1_SQRT_2.to_bits());
    let biased = raised >> MANTISSA_BITS;
    let exponent = f64::from_bits(biased | INTEGER_HOLDER.to_bits()) - (INTEGER_HOLDER + EXPONENT_BIAS);
    let m = f64::from_bits(x.to_bits().wrapping_sub(biased << MANTISSA_BITS).wrapping_add(1.0f64.to_bits()));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let tail = polynomial::<FUSED, 5>(square, ATANH_TAIL);
    (exponent, s * multiply_add::<FUSED>(square, tail, 2.0))
}

/// Returns `value`, the logarithm of `x`, if x is positive and finite; otherwise the limit of the logarithm, or NaN.
#[inline(always)]
fn with_limits(x: f64, value: f64) -> f64 {
    let value = if x == f64::INFINITY { f64::INFINITY } else { value };
    let outside = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { value } else { outside }
}

/// ln(x) of an f64 with a relative error below 2^-43; x must not be subnormal.
#[inline(always)]
pub(super) fn natural<const FUSED: bool>(x: f64) -> f64 {
    let (exponent, ln_m) = split::<FUSED>(x);
    with_limits(x, multiply_add::<FUSED>(exponent, LN_2, ln_m))
}

/// log2(x) of an f64 with a relative error below 2^-43.
#[inline(always)]
fn binary<const FUSED: bool>(x: f64) -> f64 {
    let (exponent, ln_m) = split::<FUSED>(x);
    with_limits(x, multiply_add::<FUSED>(ln_m, LOG2_E, exponent))
}

/// ln(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn log<const FUSED: bool>(x: f32) -> f32 {
    natural::<FUSED>(f64::from(x)) as f32
}

/// log2(x), error below 0.502 ulp; exact for powers of two.
#[inline(always)]
pub(super) fn log2<const FUSED: bool>(x: f32) -> f32 {
    binary::<FUSED>(f64::from(x)) as f32
}

/// 1.5 * 2^52. The sum with this number is rounded to an integer. An `f32` of 2^51 and more is an integer and does not
/// change.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Whether `x`, which has the value of an `f32`, is an integer.
#[inline(always)]
fn is_integral(x: f64) -> bool {
    (x + ROUNDER) - ROUNDER == x
}

/// x^y, as 2^(y log2(x)). x^0 and 1^y are 1. WGSL does not define powers of a negative x. Drivers compute small
/// integral powers as products, so that x^2 is positive for a negative x on nearly all GPUs. Here, as in C and
/// IEEE 754, all integral powers of a negative x have their correct sign, and other powers are NaN. Error below 0.502
/// ulp: the exponent, below 200 in the relevant range, has an error below 200 * 2^-43.
#[inline(always)]
pub(super) fn pow<const FUSED: bool>(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(x), f64::from(y));
    let exponent = y * binary::<FUSED>(x.abs());
    let exponent = if (x.abs() == 1.0) | (y == 0.0) { 0.0 } else { exponent };
    let magnitude = Exponential::binary::<FUSED>(exponent).value::<FUSED>();
    let odd = is_integral(y) & !is_integral(0.5 * y);
    let signed = if odd { -magnitude } else { magnitude };
    let negative = if is_integral(y) { signed } else { f64::NAN };
    (if x < 0.0 { negative } else { magnitude }) as f32
}
