//! `f16` values, represented as the `f32` of the same value: rounding, and conversion from and to the bits of an `f16`.
//!
//! Rounding adds a number and subtracts it again. The number is 2^13 times the power of two at or below the magnitude,
//! so that the 24 bits of the sum keep exactly the 11 bits of an `f16`. Below 2^-14, where an `f16` is subnormal, the
//! power is constant, and so is the unit in the last place: 2^-24. The addition rounds to nearest, ties to even.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::Emit;
use crate::ir::Class;

/// The bits of 2^-14, the least normal `f16`, as `f32`.
const MIN_NORMAL: u64 = 113 << 23;
/// The bits of 65520 as `f32`: halfway between the greatest `f16` and the power of two above it. Values from 65520 on
/// round to infinity.
const INFINITE_FROM: u64 = 0x477f_f000;
const INFINITY: u64 = 0x7f80_0000;

/// The intermediate results of rounding a vector.
struct Rounding {
    /// The sign bits of the operand.
    sign: Value,
    /// The magnitude of the operand, as a float.
    magnitude: Value,
    /// The power of two at or below the magnitude, at least 2^-14, as bits.
    power: Value,
    /// The number that rounds when it is added: 2^13 times `power`, as a float.
    addend: Value,
    /// The rounded sum of `magnitude` and `addend`.
    sum: Value,
}

impl Emit<'_, '_> {
    /// The nearest `f16` of each lane, as `f32`.
    pub(super) fn round_f16(&mut self, x: Value) -> Value {
        let Rounding { sign, magnitude, addend, sum, .. } = self.rounding(x);
        let rounded = self.b.ins().fsub(sum, addend);
        let rounded = self.cast(self.integers(), rounded);
        let infinity = self.vector(self.integers(), INFINITY);
        let large = self.is_infinite(magnitude);
        let rounded = self.choose(large, infinity, rounded);
        let out = self.b.ins().bor(rounded, sign);
        self.cast(self.floats(), out)
    }

    /// The bits of the nearest `f16` of each lane.
    pub(super) fn f32_to_half_bits(&mut self, x: Value) -> Value {
        let Rounding { sign, magnitude, power, addend, sum } = self.rounding(x);
        // The low bits of the sum count units in the result's last place. In a normal number they include the leading
        // bit, which adds one to the exponent field.
        let sum = self.cast(self.integers(), sum);
        let addend = self.cast(self.integers(), addend);
        let units = self.sub(sum, addend);
        let least = self.vector(self.integers(), MIN_NORMAL);
        let exponent = self.sub(power, least);
        let exponent = self.ushr_by(exponent, 13);
        let bits = self.b.ins().iadd(exponent, units);

        let infinity = self.vector(self.integers(), 0x7c00);
        let large = self.is_infinite(magnitude);
        let bits = self.choose(large, infinity, bits);
        let nan = self.vector(self.integers(), 0x7e00);
        let unordered = self.b.ins().fcmp(FloatCC::Unordered, magnitude, magnitude);
        let bits = self.choose(unordered, nan, bits);
        let sign = self.ushr_by(sign, 16);
        self.b.ins().bor(bits, sign)
    }

    /// The value of the `f16` whose bits are the low 16 of each lane.
    pub(super) fn half_bits_to_f32(&mut self, half: Value) -> Value {
        let sign = self.vector(self.integers(), 0x8000);
        let sign = self.b.ins().band(half, sign);
        let sign = self.ishl_by(sign, 16);
        let magnitude = self.vector(self.integers(), 0x7fff);
        let magnitude = self.b.ins().band(half, magnitude);
        let magnitude = self.ishl_by(magnitude, 13);
        // The exponent fields of `f16` and `f32` differ by 112; those of infinities and NaN by another 112.
        let bias = self.vector(self.integers(), 112 << 23);
        let normal = self.b.ins().iadd(magnitude, bias);
        let largest = self.vector(self.integers(), (0x7c00 << 13) - 1);
        let special = self.compare_integers(IntCC::SignedGreaterThan, magnitude, largest);
        let more = self.b.ins().band(special, bias);
        let normal = self.b.ins().iadd(normal, more);
        // The value of a subnormal is the number with these mantissa bits and the exponent of 2^-14, less 2^-14.
        let least = self.vector(self.integers(), MIN_NORMAL);
        let raised = self.b.ins().iadd(magnitude, least);
        let raised = self.cast(self.floats(), raised);
        let base = self.cast(self.floats(), least);
        let subnormal = self.b.ins().fsub(raised, base);
        let subnormal = self.cast(self.integers(), subnormal);
        let first_normal = self.vector(self.integers(), 0x0400 << 13);
        let is_subnormal = self.compare_integers(IntCC::SignedGreaterThan, first_normal, magnitude);
        let bits = self.choose(is_subnormal, subnormal, normal);
        let bits = self.b.ins().bor(bits, sign);
        self.cast(self.floats(), bits)
    }

    fn rounding(&mut self, x: Value) -> Rounding {
        let bits = self.cast(self.integers(), x);
        let sign = self.vector(self.integers(), 1 << 31);
        let sign = self.b.ins().band(bits, sign);
        let magnitude_bits = self.magnitude_bits(Class::F32, bits);
        let magnitude = self.cast(self.floats(), magnitude_bits);
        let exponent = self.vector(self.integers(), INFINITY);
        let power = self.b.ins().band(bits, exponent);
        let least = self.vector(self.integers(), MIN_NORMAL);
        let power = self.b.ins().smax(power, least);
        // For large exponents this overflows into the sign. The callers replace lanes that are too large, and NaN stays
        // NaN.
        let thirteen = self.vector(self.integers(), 13 << 23);
        let addend = self.b.ins().iadd(power, thirteen);
        let addend = self.cast(self.floats(), addend);
        let sum = self.b.ins().fadd(magnitude, addend);
        Rounding { sign, magnitude, power, addend, sum }
    }

    fn is_infinite(&mut self, magnitude: Value) -> Value {
        let limit = self.vector(self.floats(), INFINITE_FROM);
        self.b.ins().fcmp(FloatCC::LessThanOrEqual, limit, magnitude)
    }
}
