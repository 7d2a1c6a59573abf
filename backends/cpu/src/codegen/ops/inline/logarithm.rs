//! Logarithms: x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and ln(1 + f) = f + f^2 Q(f).

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::super::Emit;
use crate::ir::Class;

/// ln(2) in two parts.
const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_2e-9];
/// log2(e) in two parts.
const LOG2_E: [f32; 2] = [std::f32::consts::LOG2_E, 1.925_963e-8];

/// The coefficients of (ln(1 + f) - f) / f^2; the relative error of ln(1 + f) is below 2^-27.
const LOG_TAIL: [f32; 9] = [
    -0.499_999_88,
    0.333_333_25,
    -0.250_016_1,
    0.200_020_13,
    -0.166_084_54,
    0.141_806_04,
    -0.132_470_53,
    0.129_145_7,
    -0.076_248_65,
];

/// The coefficients of (log2(1 + f) - f log2(e)) / f^2; the relative error of log2(1 + f) is below 2^-27.
const LOG2_TAIL: [f32; 9] = [
    -0.721_347_33,
    0.480_898_2,
    -0.360_698_67,
    0.288_571_42,
    -0.239_567_35,
    0.204_486_58,
    -0.191_390_83,
    0.187_088_19,
    -0.110_255_92,
];

/// The bits of sqrt(1/2): the exponent of a sum with them changes there in place of at 1.
const SQRT_HALF: i32 = std::f32::consts::FRAC_1_SQRT_2.to_bits().cast_signed();

impl Emit<'_, '_> {
    /// ln(x), exactly 0 for 1.
    pub(super) fn log(&mut self, x: Value) -> Value {
        let (e, f) = self.split(x);
        let square = self.b.ins().fmul(f, f);
        let tail = self.even_odd(f, square, &LOG_TAIL);
        let low = self.number(LN_2[1]);
        let small = self.b.ins().fmul(e, low);
        let small = self.b.ins().fma(square, tail, small);
        let sum = self.b.ins().fadd(f, small);
        let high = self.number(LN_2[0]);
        let value = self.b.ins().fma(e, high, sum);
        self.with_limits(x, value)
    }

    /// log2(x), exact for powers of two.
    pub(super) fn log2(&mut self, x: Value) -> Value {
        let (e, f) = self.split(x);
        let square = self.b.ins().fmul(f, f);
        let tail = self.even_odd(f, square, &LOG2_TAIL);
        let low = self.number(LOG2_E[1]);
        let small = self.b.ins().fmul(f, low);
        let small = self.b.ins().fma(square, tail, small);
        let high = self.number(LOG2_E[0]);
        let fraction = self.b.ins().fma(f, high, small);
        let value = self.b.ins().fadd(e, fraction);
        self.with_limits(x, value)
    }

    /// The exponent e and the fraction f of a positive finite `x`.
    fn split(&mut self, x: Value) -> (Value, Value) {
        let (least, lift) = (self.number(f32::MIN_POSITIVE), self.number(8_388_608.0));
        let subnormal = self.b.ins().fcmp(FloatCC::LessThan, x, least);
        let lifted = self.b.ins().fmul(x, lift);
        let normal = self.choose(subnormal, lifted, x);
        let bits = self.cast(self.integers(), normal);
        let offset = self.integer(SQRT_HALF);
        let raised = self.sub(bits, offset);
        let exponent = self.sshr_by(raised, 23);
        let power = self.ishl_by(exponent, 23);
        let fraction = self.sub(bits, power);
        let fraction = self.cast(self.floats(), fraction);
        let one = self.number(1.0);
        let f = self.b.ins().fsub(fraction, one);
        // The mask is -1 in each lane that was lifted by 2^23.
        let lift = self.integer(23);
        let lift = self.b.ins().band(subnormal, lift);
        let exponent = self.sub(exponent, lift);
        (self.b.ins().fcvt_from_sint(self.target.vector(Class::F32), exponent), f)
    }

    /// The value at `x` of a polynomial of degree 8: even and odd powers are summed separately, because one chain of sums
    /// would take twice as long.
    fn even_odd(&mut self, x: Value, square: Value, [a, b, c, d, e, f, g, h, i]: &[f32; 9]) -> Value {
        let even = self.horner(square, &[*a, *c, *e, *g, *i]);
        let odd = self.horner(square, &[*b, *d, *f, *h]);
        self.b.ins().fma(odd, x, even)
    }

    /// `value`, the logarithm of `x`, if `x` is positive and finite; otherwise the limit of the logarithm, or NaN.
    fn with_limits(&mut self, x: Value, value: Value) -> Value {
        let (zero, infinite) = (self.number(0.0), self.number(f32::INFINITY));
        let finite = self.b.ins().fcmp(FloatCC::LessThan, x, infinite);
        let value = self.choose(finite, value, x);
        let is_zero = self.b.ins().fcmp(FloatCC::Equal, x, zero);
        let least = self.number(f32::NEG_INFINITY);
        let value = self.choose(is_zero, least, value);
        // All bits set are a NaN.
        let negative = self.b.ins().fcmp(FloatCC::LessThan, x, zero);
        let value = self.cast(self.integers(), value);
        let value = self.b.ins().bor(value, negative);
        self.cast(self.floats(), value)
    }
}
