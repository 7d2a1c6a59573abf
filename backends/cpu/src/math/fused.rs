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

/// `a * b + c` with one rounding.
///
/// `f64::mul_add` calls the function of the C library, and that of MinGW is wrong in the last bit for a third of random
/// numbers.
#[inline(always)]
pub(super) fn fma_f64<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { in_integers(a, b, c) }
}

/// Bits below those of a product, which keep the last bits of an addend that is shifted by a few positions.
const GUARD: u32 = 20;

/// Adds the exact product, of up to 106 bits, as an integer.
fn in_integers(a: f64, b: f64, c: f64) -> f64 {
    let is_exact = !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0;
    if is_exact {
        return a * b + c;
    }
    if !c.is_finite() {
        return c + c;
    }
    if c == 0.0 {
        return a * b;
    }
    let ((a, of_a), (b, of_b), (c, of_c)) = (parts(a), parts(b), parts(c));
    let product = (i128::from(a) * i128::from(b)) << GUARD;
    let addend = i128::from(c) << (52 + GUARD);
    let (of_product, of_addend) = (of_a + of_b, of_c - 52);
    let sum = if of_product >= of_addend {
        product + shifted(addend, of_product - of_addend)
    } else {
        addend + shifted(product, of_addend - of_product)
    };
    let magnitude = rounded(sum.unsigned_abs(), of_product.max(of_addend) - GUARD.cast_signed());
    // The sum of opposite numbers is positive.
    if sum < 0 { -magnitude } else { magnitude }
}

/// The integer of 53 bits, with the sign, and the exponent whose product is this number, which is finite and not zero.
fn parts(number: f64) -> (i64, i32) {
    let bits = number.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let (integer, exponent) = match (bits >> 52 & 0x7ff) as i32 {
        0 => {
            let shift = fraction.leading_zeros() - 11;
            (fraction << shift, -1074 - shift.cast_signed())
        }
        exponent => (fraction | 1 << 52, exponent - 1075),
    };
    let integer = integer.cast_signed();
    (if number < 0.0 { -integer } else { integer }, exponent)
}

/// Shifts to the right; if that loses bits, the lowest bit of the magnitude is set.
fn shifted(number: i128, by: i32) -> i128 {
    let magnitude = number.unsigned_abs();
    let by = by.unsigned_abs().min(127);
    let (kept, lost) = (magnitude >> by, magnitude & ((1 << by) - 1));
    let kept = (kept | u128::from(lost != 0)).cast_signed();
    if number < 0 { -kept } else { kept }
}

/// The f64 nearest to `integer` times 2 to the power of `exponent`; the even one of two.
fn rounded(integer: u128, exponent: i32) -> f64 {
    if integer == 0 {
        return 0.0;
    }
    let top = exponent + 127 - integer.leading_zeros().cast_signed();
    // The exponent of the last bit of the result.
    let last = (top - 52).max(-1074);
    let shift = last - exponent;
    let fraction = match shift {
        ..=0 => integer << -shift,
        1..=127 => {
            let (kept, lost, half) = (integer >> shift, integer & ((1 << shift) - 1), 1 << (shift - 1));
            kept + u128::from(lost > half || lost == half && kept & 1 == 1)
        }
        _ => 0,
    };
    match last + 1074 {
        // The sum carries into the exponent, also from 2 to the power of 53.
        biased @ 0..=2045 => f64::from_bits((u64::from(biased.unsigned_abs()) << 52) + fraction as u64),
        _ => f64::INFINITY,
    }
}

/// `mul_add` by the instruction where the machine has it, as the library's function may be wrong.
#[cfg(test)]
pub(crate) mod reference {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "fma")]
    fn f32_by_instruction(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "fma")]
    fn f64_by_instruction(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    pub(crate) fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("fma") {
            // SAFETY: the machine has the instruction.
            return unsafe { f32_by_instruction(a, b, c) };
        }
        a.mul_add(b, c)
    }

    pub(crate) fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("fma") {
            // SAFETY: the machine has the instruction.
            return unsafe { f64_by_instruction(a, b, c) };
        }
        a.mul_add(b, c)
    }
}
