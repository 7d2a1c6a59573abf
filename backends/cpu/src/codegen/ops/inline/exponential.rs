//! Exponentials: 2^k e^r with an integer k, where e^r = 1 + r + r^2 P(r).

use cranelift_codegen::ir::{InstBuilder, Value};

use super::super::Emit;
use super::ROUNDER;

/// -ln(2) in two parts.
pub(super) const MINUS_LN_2: [f32; 2] = [-std::f32::consts::LN_2, 1.904_654_2e-9];

/// The coefficients of (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2; the relative error of e^r is below 2^-28.
const EXP_TAIL: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_266, 0.008_368_677, 0.001_382_073_4];

/// The coefficients of (2^r - 1) / r for |r| <= 1/2; the relative error of 2^r is below 2^-28.
const EXP2_QUOTIENT: [f32; 6] =
    [std::f32::consts::LN_2, 0.240_226_48, 0.055_503_596, 0.009_618_5, 0.001_339_098_1, 0.000_153_289_53];

/// Twice the bias of an exponent, so that both halves of an exponent are positive when it is added.
const TWO_BIASES: f32 = 254.0;

impl Emit<'_, '_> {
    /// e^x. Beyond the limits the result is zero or infinite.
    pub(super) fn exp(&mut self, x: Value) -> Value {
        let x = self.at_most(x, 89.0);
        let x = self.at_least(x, -104.0);
        let shifted = self.scaled_plus(x, std::f32::consts::LOG2_E, ROUNDER + TWO_BIASES);
        let k = self.without_rounder(shifted);
        let r = self.plus_product(x, k, MINUS_LN_2);
        let tail = self.horner(r, &EXP_TAIL);
        let square = self.b.ins().fmul(r, r);
        let excess = self.b.ins().fma(square, tail, r);
        self.times_power(excess, shifted)
    }

    /// 2^x, exact for integers. Beyond the limits the result is zero or infinite.
    pub(super) fn exp2(&mut self, x: Value) -> Value {
        let x = self.at_most(x, 129.0);
        let x = self.at_least(x, -151.0);
        let rounder = self.number(ROUNDER + TWO_BIASES);
        let shifted = self.b.ins().fadd(x, rounder);
        let k = self.without_rounder(shifted);
        let r = self.b.ins().fsub(x, k);
        let quotient = self.horner(r, &EXP2_QUOTIENT);
        let excess = self.b.ins().fmul(quotient, r);
        self.times_power(excess, shifted)
    }

    fn without_rounder(&mut self, shifted: Value) -> Value {
        let rounder = self.number(ROUNDER + TWO_BIASES);
        self.b.ins().fsub(shifted, rounder)
    }

    /// `(1 + excess) * 2^k` for k in -200..=200, where the low bits of `shifted` are k + [`TWO_BIASES`]. The power is the
    /// product of two, whose exponents differ by one at most: 2^128 and 2^-150 are no normal numbers. Only the last
    /// product rounds a subnormal result.
    fn times_power(&mut self, excess: Value, shifted: Value) -> Value {
        let bits = self.cast(self.integers(), shifted);
        let half = self.ushr_by(bits, 1);
        let rest = self.sub(bits, half);
        let [first, second] = [half, rest].map(|exponent| {
            let power = self.ishl_by(exponent, 23);
            self.cast(self.floats(), power)
        });
        let power = self.b.ins().fma(excess, first, first);
        self.b.ins().fmul(power, second)
    }
}
