//! Integer division and remainder: x / 0 = x, x % 0 = 0, MIN / -1 = MIN, MIN % -1 = 0.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::halves::HIGH_HALF;
use super::{Emit, Parts};
use crate::ir::{BinaryOp, Class};
use crate::math::LaneFunction;

/// 1.5 * 2^52. The low bits of the sum of this number and an integer below 2^51 in magnitude are that integer in two's
/// complement.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

impl Emit<'_, '_> {
    /// The quotient or remainder of eight lanes.
    pub(super) fn divide(&mut self, op: BinaryOp, class: Class, a: &[Value], b: &[Value]) -> Parts {
        if let Some(divisor) = self.uniform_constant(class, b)
            && let Some(out) = self.divide_by_constant(op, class, a, divisor)
        {
            return out;
        }
        if class == Class::I32 && self.target.round {
            return self.each_pair(a, b, |emit, a, b| emit.divide_as_doubles(op, a, b));
        }
        let function = match (op, class) {
            (BinaryOp::DivS, Class::I32) => LaneFunction::DivI32,
            (BinaryOp::DivU, Class::I32) => LaneFunction::DivU32,
            (BinaryOp::RemS, Class::I32) => LaneFunction::RemI32,
            (BinaryOp::RemU, Class::I32) => LaneFunction::RemU32,
            (BinaryOp::DivS, _) => LaneFunction::DivI64,
            (BinaryOp::DivU, _) => LaneFunction::DivU64,
            (BinaryOp::RemS, _) => LaneFunction::RemI64,
            _ => LaneFunction::RemU64,
        };
        self.call(function, class, a, b)
    }

    /// The quotient or remainder of scalars.
    pub(super) fn divide_scalar(&mut self, op: BinaryOp, class: Class, a: Value, b: Value) -> Value {
        let signed = matches!(op, BinaryOp::DivS | BinaryOp::RemS);
        let divisor = self.safe_divisor(signed, class, a, b);
        match op {
            BinaryOp::DivS => self.b.ins().sdiv(a, divisor),
            BinaryOp::DivU => self.b.ins().udiv(a, divisor),
            BinaryOp::RemS => self.b.ins().srem(a, divisor),
            _ => self.b.ins().urem(a, divisor),
        }
    }

    /// The divisor `b`, or 1 where the processor's division would trap: a division by 1 has the results that WGSL
    /// defines for these cases.
    fn safe_divisor(&mut self, signed: bool, class: Class, a: Value, b: Value) -> Value {
        let all_ones = if class == Class::I32 { u64::from(u32::MAX) } else { u64::MAX };
        let constant = self.scalar_constant(b);
        if constant.is_some_and(|divisor| divisor != 0 && !(signed && divisor == all_ones)) {
            return b;
        }
        let one = self.constant_scalar(class, 1);
        if !signed {
            return self.b.ins().umax(b, one);
        }
        let zero = self.constant_scalar(class, 0);
        let minus_one = self.constant_scalar(class, all_ones);
        let min = self.constant_scalar(class, all_ones / 2 + 1);
        let by_zero = self.b.ins().icmp(IntCC::Equal, b, zero);
        let by_minus_one = self.b.ins().icmp(IntCC::Equal, b, minus_one);
        let of_min = self.b.ins().icmp(IntCC::Equal, a, min);
        let overflow = self.b.ins().band(by_minus_one, of_min);
        let bad = self.b.ins().bor(by_zero, overflow);
        self.b.ins().select(bad, one, b)
    }

    /// Divides 32-bit lanes as doubles. The truncated quotient is exact: `math::integer` gives the proof. This inline
    /// code is shorter than saving the registers that a call would overwrite.
    fn divide_as_doubles(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let signed = matches!(op, BinaryOp::DivS | BinaryOp::RemS);
        let ty = self.integers();
        // Divisors of zero are replaced by one. MIN / -1 is 2^31 as a double; as an integer, its low 32 bits are those
        // of MIN.
        let zero = self.vector(ty, 0);
        let by_zero = self.compare_integers(IntCC::Equal, b, zero);
        let divisor = self.sub(b, by_zero);
        let [a_low, a_high] = self.doubles(signed, a);
        let [b_low, b_high] = self.doubles(signed, divisor);
        let low = self.truncated_quotient(a_low, b_low);
        let high = self.truncated_quotient(a_high, b_high);
        let quotient = self.narrow_pair(ty, low, high);
        if matches!(op, BinaryOp::DivS | BinaryOp::DivU) {
            return quotient;
        }
        let product = self.b.ins().imul(quotient, divisor);
        self.sub(a, product)
    }

    /// The truncated quotients of doubles, as integers in the low halves of 64-bit lanes.
    fn truncated_quotient(&mut self, a: Value, b: Value) -> Value {
        let quotient = self.b.ins().fdiv(a, b);
        let truncated = self.b.ins().trunc(quotient);
        let rounder = self.vector(self.target.vector(Class::F64), ROUNDER.to_bits());
        self.b.ins().fadd(truncated, rounder)
    }

    /// 32-bit integers as two vectors of doubles.
    pub(super) fn doubles(&mut self, signed: bool, x: Value) -> [Value; 2] {
        if self.target.is_wide() {
            let ty = self.target.vector(Class::F64);
            if signed {
                let wide = [self.b.ins().swiden_low(x), self.b.ins().swiden_high(x)];
                return wide.map(|wide| self.b.ins().fcvt_from_sint(ty, wide));
            }
            let wide = [self.b.ins().uwiden_low(x), self.b.ins().uwiden_high(x)];
            return wide.map(|wide| self.b.ins().fcvt_from_uint(ty, wide));
        }
        // The upper half is moved down first, because the conversion widens only a lower half.
        let upper = self.permute(HIGH_HALF, x, x);
        [x, upper].map(|half| {
            if signed {
                let wide = self.b.ins().swiden_low(half);
                self.b.ins().fcvt_from_sint(types::F64X2, wide)
            } else {
                let wide = self.b.ins().uwiden_low(half);
                self.b.ins().fcvt_from_uint(types::F64X2, wide)
            }
        })
    }
}
