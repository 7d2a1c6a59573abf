//! The hyperbolic tangent: with w = (e^2|x| - 1) / 2, tanh |x| = w / (w + 1).

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::super::Emit;
use super::ROUNDER;

/// -ln(2) / 2 in two parts.
const MINUS_HALF_LN_2: [f32; 2] = [-0.5 * std::f32::consts::LN_2, 9.523_271e-10];

/// The coefficients of ((e^2r - 1) / 2 - r) / r^2 for |r| <= ln(2) / 4; the relative error of e^2r - 1 is below 2^-26.
const TAIL: [f32; 5] = [0.999_999_94, 0.666_661_86, 0.333_339_48, 0.133_860_19, 0.044_386_104];

/// The bias of an exponent.
const BIAS: f32 = 127.0;

impl Emit<'_, '_> {
    /// tanh(x), which is odd and keeps the sign of zero. It rounds to 1 from 9.02 on.
    pub(super) fn tanh(&mut self, x: Value) -> Value {
        let magnitude = self.b.ins().fabs(x);
        let near = self.at_most(magnitude, 10.0);
        let shifted = self.scaled_plus(near, 2.0 * std::f32::consts::LOG2_E, ROUNDER + BIAS);
        let rounder = self.number(ROUNDER + BIAS);
        let k = self.b.ins().fsub(shifted, rounder);
        let r = self.plus_product(near, k, MINUS_HALF_LN_2);
        let tail = self.horner(r, &TAIL);
        let square = self.b.ins().fmul(r, r);
        let excess = self.b.ins().fma(square, tail, r);
        // w = 2^k excess + (2^k - 1) / 2, whose terms have the same sign unless k = 0, where the second is zero.
        let bits = self.cast(self.integers(), shifted);
        let power = self.ishl_by(bits, 23);
        let power = self.cast(self.floats(), power);
        let half_less_one = self.scaled_plus(power, 0.5, -0.5);
        let w = self.b.ins().fma(power, excess, half_less_one);
        let one = self.number(1.0);
        let above = self.b.ins().fadd(w, one);
        let quotient = self.b.ins().fdiv(w, above);
        // Where w is small, the errors of sum and quotient are made small, too: w / (w + 1) = w - w (w / (w + 1)).
        let minus_w = self.b.ins().fneg(w);
        let small = self.b.ins().fma(minus_w, quotient, w);
        let half = self.number(0.5);
        let is_small = self.b.ins().fcmp(FloatCC::LessThan, w, half);
        let result = self.choose(is_small, small, quotient);
        let sign = self.integer(i32::MIN);
        let bits = self.cast(self.integers(), x);
        let sign = self.b.ins().band(bits, sign);
        let result = self.cast(self.integers(), result);
        let result = self.b.ins().bor(result, sign);
        self.cast(self.floats(), result)
    }
}
