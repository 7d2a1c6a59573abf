//! Decomposition and composition of floats.

use naga::Scalar;

use super::operand::{fit, float_like, integer_like};
use crate::ir::{BinaryOp, Builder, Class, CompareOp, Convert, UnaryOp, Value};

/// Lowers `modf`: returns all fractional parts `x - trunc(x)`, then all whole parts.
pub(super) fn modf(b: &mut Builder, scalar: Scalar, values: &[Value]) -> Vec<Value> {
    let wholes: Vec<_> = values.iter().map(|x| b.unary(UnaryOp::Trunc, *x)).collect();
    let mut result = Vec::with_capacity(2 * values.len());
    for (x, whole) in values.iter().zip(&wholes) {
        let fraction = b.binary(BinaryOp::Sub, *x, *whole);
        result.push(fit(b, scalar, fraction));
    }
    result.extend(wholes);
    result
}

/// Lowers `frexp`: returns all fractions, in [0.5, 1), then all exponents, as integers of the float's width.
pub(super) fn frexp(b: &mut Builder, scalar: Scalar, values: &[Value]) -> Vec<Value> {
    let (fractions, exponents): (Vec<_>, Vec<_>) = values.iter().map(|x| split(b, scalar, *x)).unzip();
    [fractions, exponents].concat()
}

/// The parameters of the float format of a class, 32 or 64 bits.
struct Layout {
    /// The number of stored significand bits.
    fraction_bits: u32,
    /// The biased exponent of infinities and NaN, which is the greatest.
    special: i64,
    /// The biased exponent of numbers in [0.5, 1).
    half: i64,
    /// The smallest normal number.
    min_normal: f64,
    to_bits: Convert,
    from_bits: Convert,
}

impl Layout {
    fn of(class: Class) -> Self {
        if class == Class::F64 {
            Self {
                fraction_bits: 52,
                special: 0x7ff,
                half: 1022,
                min_normal: f64::MIN_POSITIVE,
                to_bits: Convert::BitsF64ToI64,
                from_bits: Convert::BitsI64ToF64,
            }
        } else {
            Self {
                fraction_bits: 23,
                special: 0xff,
                half: 126,
                min_normal: f64::from(f32::MIN_POSITIVE),
                to_bits: Convert::BitsF32ToI32,
                from_bits: Convert::BitsI32ToF32,
            }
        }
    }

    /// The exponent of the power of two by which subnormal numbers are multiplied to become normal.
    fn lift(&self) -> i64 {
        i64::from(self.fraction_bits) + 1
    }
}

/// The fraction and the exponent of `x`. Zero, infinity and NaN are their own fraction, with exponent 0.
fn split(b: &mut Builder, scalar: Scalar, x: Value) -> (Value, Value) {
    let layout = Layout::of(b.class(x));
    // Subnormal `f16` values are normal as `f32`, so that only other types need this case.
    let tiny = (scalar.width != 2).then(|| {
        let magnitude = b.unary(UnaryOp::Abs, x);
        let least = float_like(b, x, layout.min_normal);
        b.compare(CompareOp::Lt, magnitude, least)
    });
    let lifted = tiny.map_or(x, |tiny| {
        let scale = float_like(b, x, (layout.lift() as f64).exp2());
        let lifted = b.binary(BinaryOp::Mul, x, scale);
        b.select(tiny, lifted, x)
    });
    let bits = b.convert(layout.to_bits, lifted);

    let shift = integer_like(b, bits, i64::from(layout.fraction_bits));
    let special = integer_like(b, bits, layout.special);
    let above = b.binary(BinaryOp::ShrU, bits, shift);
    let biased = b.binary(BinaryOp::And, above, special);
    // The exponent of a normal number is neither 0 nor the greatest.
    let one = integer_like(b, bits, 1);
    let from_zero = b.binary(BinaryOp::Sub, biased, one);
    let range = integer_like(b, bits, layout.special - 1);
    let normal = b.compare(CompareOp::LtU, from_zero, range);

    let kept = integer_like(b, bits, !(layout.special << layout.fraction_bits));
    let kept = b.binary(BinaryOp::And, bits, kept);
    let half = integer_like(b, bits, layout.half << layout.fraction_bits);
    let fraction = b.binary(BinaryOp::Or, kept, half);
    let fraction = b.convert(layout.from_bits, fraction);
    let fraction = b.select(normal, fraction, x);

    let bias = integer_like(b, bits, layout.half);
    let bias = tiny.map_or(bias, |tiny| {
        let lifted = integer_like(b, bits, layout.half + layout.lift());
        b.select(tiny, lifted, bias)
    });
    let zero = integer_like(b, bits, 0);
    let exponent = b.binary(BinaryOp::Sub, biased, bias);
    (fraction, b.select(normal, exponent, zero))
}

/// Lowers `ldexp`: `x * 2^power`, rounded once.
pub(super) fn ldexp(b: &mut Builder, scalar: Scalar, x: Value, power: Value) -> Value {
    match scalar.width {
        // The product is exact in `f32`: its magnitude is at most 2^(16 + 60) and at least 2^(-24 - 60).
        2 => {
            let factor = power_of_two(b, Class::F32, power, -60, 60);
            let product = b.binary(BinaryOp::Mul, x, factor);
            fit(b, scalar, product)
        }
        // The product is exact in `f64`: its magnitude is at most 2^(128 + 300) and at least 2^(-149 - 300).
        4 => {
            let factor = power_of_two(b, Class::F64, power, -300, 300);
            let wide = b.convert(Convert::F32ToF64, x);
            let product = b.binary(BinaryOp::Mul, wide, factor);
            b.convert(Convert::F64ToF32, product)
        }
        _ => ldexp_double(b, x, power),
    }
}

/// Lowers `ldexp` for doubles in three multiplications, because no double is large enough for all factors. Two steps
/// down are by 2^-969, so that the third is by 2^-54 or less: if an earlier step has rounded, the result is zero.
fn ldexp_double(b: &mut Builder, x: Value, power: Value) -> Value {
    const DOWN: i32 = -969;
    const UP: i32 = 1023;
    let (mut x, mut power) = (x, power);
    let (zero, one) = (b.i32(0), b.f64(1.0));
    let (down, up) = (b.i32(DOWN), b.i32(UP));
    let (down_factor, up_factor) = (b.f64(f64::from(DOWN).exp2()), b.f64(f64::from(UP).exp2()));
    let least = b.i32(-1022);
    for _ in 0..2 {
        let low = b.compare(CompareOp::LtS, power, least);
        let high = b.compare(CompareOp::LtS, up, power);
        let step = b.select(high, up, zero);
        let step = b.select(low, down, step);
        let factor = b.select(high, up_factor, one);
        let factor = b.select(low, down_factor, factor);
        x = b.binary(BinaryOp::Mul, x, factor);
        power = b.binary(BinaryOp::Sub, power, step);
    }
    let factor = power_of_two(b, Class::F64, power, -1022, 1023);
    b.binary(BinaryOp::Mul, x, factor)
}

/// `2^power` as a float, with `power` clamped to `low..=high`, which must be exponents of normal numbers.
fn power_of_two(b: &mut Builder, class: Class, power: Value, low: i32, high: i32) -> Value {
    let layout = Layout::of(class);
    let (low, high) = (b.i32(low), b.i32(high));
    let power = b.binary(BinaryOp::MaxS, power, low);
    let power = b.binary(BinaryOp::MinS, power, high);
    let power = if class == Class::F64 { b.convert(Convert::I32ToI64S, power) } else { power };
    let bias = integer_like(b, power, layout.half + 1);
    let biased = b.binary(BinaryOp::Add, power, bias);
    let shift = integer_like(b, power, i64::from(layout.fraction_bits));
    let bits = b.binary(BinaryOp::Shl, biased, shift);
    b.convert(layout.from_bits, bits)
}
