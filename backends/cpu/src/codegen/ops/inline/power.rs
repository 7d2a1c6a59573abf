//! Powers: x^y = 2^(y log2 x), with log2 x = e + (2 / ln 2) atanh(s), where x = 2^e (1 + f) and s = f / (2 + f).
//!
//! The product can be as large as 150, and its error becomes the relative error of the result. Therefore everything is
//! computed in `f64` from the fraction to the distance of the product from the nearest integer; the rest are the
//! instructions of `log2` and `exp2` in `f32`. Powers of a negative, subnormal or infinite `x` or of NaN, and those with an
//! infinite `y` or NaN, are rare, and are called.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::super::lanes::{HIGH_HALF, LOW_HALVES};
use super::super::{Emit, Parts};
use super::exponential::TWO_BIASES;
use crate::math::LaneFunction;

/// The coefficients of (2 / ln 2) atanh(s) / s in powers of s^2 for s^2 <= 0.02944; the relative error is below 2^-37.
const LOG2_SERIES: [f64; 5] = [
    2.885_390_081_790_08,
    0.961_796_673_350_496_9,
    0.577_083_583_196_267_8,
    0.411_672_830_865_737_86,
    0.340_727_940_752_510_9,
];

/// 1.5 * 2^52: an `f64` below 2^51 in magnitude plus this number is rounded to the nearest integer, which is then in the low
/// bits of the sum.
const WIDE_ROUNDER: f64 = 6_755_399_441_055_744.0;

impl Emit<'_, '_> {
    /// x^y in eight lanes.
    pub(super) fn pow(&mut self, x: &[Value], y: &[Value]) -> Parts {
        let near = self.each_pair(x, y, Self::plain_power);
        let far = self.each_pair(x, y, Self::has_special_power);
        self.with_calls(&far, &near, LaneFunction::Pow, &[x, y])
    }

    /// The lanes in which [`Self::plain_power`] has no valid result.
    fn has_special_power(&mut self, x: Value, y: Value) -> Value {
        // The bits of positive normal numbers become the lowest signed integers, from i32::MIN on.
        let bits = self.cast(types::I32X4, x);
        let shift = self.integer(i32::MIN.wrapping_sub(f32::MIN_POSITIVE.to_bits().cast_signed()));
        let shifted = self.b.ins().iadd(bits, shift);
        let count = f32::INFINITY.to_bits() - f32::MIN_POSITIVE.to_bits();
        let last = self.integer(i32::MIN.wrapping_add(count.cast_signed() - 1));
        let far = self.b.ins().icmp(IntCC::SignedGreaterThan, shifted, last);
        let zero = self.number(0.0);
        let not_zero = self.b.ins().fcmp(FloatCC::NotEqual, x, zero);
        let far = self.b.ins().band(far, not_zero);
        let magnitude = self.b.ins().fabs(y);
        let infinite = self.number(f32::INFINITY);
        let endless = self.b.ins().fcmp(FloatCC::UnorderedOrGreaterThanOrEqual, magnitude, infinite);
        self.b.ins().bor(far, endless)
    }

    /// x^y for an `x` that is zero, or positive and normal, and a finite `y`.
    fn plain_power(&mut self, x: Value, y: Value) -> Value {
        let bits = self.cast(types::I32X4, x);
        let (exponent, f) = self.exponent_and_fraction(bits);
        let exponents = self.doubles(true, exponent);
        let (fractions, factors) = (self.promoted(f), self.promoted(y));
        let mut rests = [x; 2];
        let mut integers = [x; 2];
        for half in 0..2 {
            let logarithm = self.wide_logarithm(exponents[half], fractions[half]);
            let power = self.b.ins().fmul(logarithm, factors[half]);
            // Beyond these limits the result is infinite or zero.
            let power = self.at_most(power, 129.0);
            let power = self.at_least(power, -151.0);
            let rounder = self.like(power, WIDE_ROUNDER + f64::from(TWO_BIASES));
            integers[half] = self.b.ins().fadd(power, rounder);
            let integer = self.b.ins().fsub(integers[half], rounder);
            let rest = self.b.ins().fsub(power, integer);
            rests[half] = self.b.ins().fvdemote(rest);
        }
        let rest = self.permute(LOW_HALVES, rests[0], rests[1]);
        let integer = self.narrow_pair(types::I32X4, integers[0], integers[1]);
        let power = self.times_power_of_two(rest, integer);
        // 0^y, which depends on the sign of y only.
        let (zero, one, infinite) = (self.number(0.0), self.number(1.0), self.number(f32::INFINITY));
        let negative = self.b.ins().fcmp(FloatCC::LessThan, y, zero);
        let limit = self.choose(negative, infinite, zero);
        let none = self.b.ins().fcmp(FloatCC::Equal, y, zero);
        let limit = self.choose(none, one, limit);
        let is_zero = self.b.ins().fcmp(FloatCC::Equal, x, zero);
        self.choose(is_zero, limit, power)
    }

    /// e + log2(1 + f).
    fn wide_logarithm(&mut self, e: Value, f: Value) -> Value {
        let two = self.like(f, 2.0);
        let above = self.b.ins().fadd(f, two);
        let s = self.b.ins().fdiv(f, above);
        let square = self.b.ins().fmul(s, s);
        let series = self.horner(square, &LOG2_SERIES);
        self.b.ins().fma(s, series, e)
    }

    /// The four lanes of an `f32`, two by two as `f64`.
    fn promoted(&mut self, x: Value) -> [Value; 2] {
        let upper = self.permute(HIGH_HALF, x, x);
        [x, upper].map(|half| self.b.ins().fvpromote_low(half))
    }
}
