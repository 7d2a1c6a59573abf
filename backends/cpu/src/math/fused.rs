//! Fused multiply-add for machines that have no instruction for it.

/// `a * b + c` with one rounding.
///
/// The product of two f32 is exact in f64; only the sum is rounded. It is rounded to odd instead of to nearest, which
/// avoids a double-rounding error when the result is rounded again, to f32 (Boldo and Melquiond, Emulation of FMA and
/// correctly rounded sums: proved algorithms using rounding to odd, 2008).
#[inline(always)]
pub(super) fn fma_f32<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED {
        return a.mul_add(b, c);
    }
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    let sum = product + c;
    // Knuth's two-sum: the exact error of the addition; NaN if an operand is infinite.
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    // The odd neighbour is away from zero if the error has the sign of the sum, otherwise towards zero.
    let outwards = (lost > 0.0) == (sum > 0.0);
    let odd = if outwards { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let inexact = (lost > 0.0) | (lost < 0.0);
    let bits = if inexact & (bits & 1 == 0) { odd } else { bits };
    f64::from_bits(bits) as f32
}
