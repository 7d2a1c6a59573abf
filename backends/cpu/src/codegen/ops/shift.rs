//! Shifts. Machines shift all lanes of a vector by one amount; for amounts that differ between lanes, the vector is
//! multiplied by powers of two. Longer vectors have instructions for such amounts.

use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::{Emit, Parts, width};
use crate::emitter::Intrinsic;
use crate::ir::{BinaryOp, Class};

impl Emit<'_, '_> {
    /// Shifts all lanes by the scalar `amount`, of the same class or of 32 bits, modulo the width of a lane.
    pub(in super::super) fn shift_by_scalar(
        &mut self,
        op: BinaryOp,
        class: Class,
        a: &[Value],
        amount: Value,
    ) -> Parts {
        // An instruction can contain a constant amount, so Cranelift must see it as a constant.
        let amount = match self.scalar_constant(amount) {
            Some(amount) => self.b.ins().iconst(types::I32, (amount % u64::from(width(class))) as i64),
            None => amount,
        };
        self.each(a, |emit, a| emit.shift_instruction(op, a, amount))
    }

    /// Shifts each lane by its own amount, modulo the width of a lane.
    pub(super) fn shift(&mut self, op: BinaryOp, class: Class, a: &[Value], amounts: &[Value]) -> Parts {
        if let Some(amount) = self.uniform_constant(class, amounts) {
            let amount = self.b.ins().iconst(types::I32, (amount % u64::from(width(class))) as i64);
            return self.each(a, |emit, a| emit.shift_instruction(op, a, amount));
        }
        if let Some(amount) = self.uniform(amounts) {
            return self.shift_by_scalar(op, class, a, amount);
        }
        if self.target.is_wide() {
            return self.each_pair(a, amounts, |emit, a, amounts| emit.shift_each(op, class, a, amounts));
        }
        if class == Class::I64 {
            let shifted: [Value; 8] = std::array::from_fn(|lane| {
                let amount = self.lane(class, amounts, lane);
                let a = self.lane(class, a, lane);
                self.shift_instruction(op, a, amount)
            });
            return self.from_lanes(class, &shifted);
        }
        self.each_pair(a, amounts, |emit, a, amounts| match op {
            BinaryOp::Shl => {
                let last = emit.vector(emit.integers(), 31);
                let amounts = emit.b.ins().band(amounts, last);
                let factor = emit.power_of_two(amounts);
                emit.b.ins().imul(a, factor)
            }
            BinaryOp::ShrU => emit.shift_right(a, amounts),
            _ => {
                // The bits of negative lanes are flipped before and after the shift, so that it shifts in ones.
                let sign = emit.sshr_by(a, 31);
                let a = emit.xor(a, sign);
                let shifted = emit.shift_right(a, amounts);
                emit.xor(shifted, sign)
            }
        })
    }

    /// Shifts each lane of a vector of more than 128 bits by its own amount.
    fn shift_each(&mut self, op: BinaryOp, class: Class, a: Value, amounts: Value) -> Value {
        let last = self.vector(self.target.vector(class), u64::from(width(class)) - 1);
        let amounts = self.b.ins().band(amounts, last);
        match (op, class) {
            (BinaryOp::Shl, _) => self.intrinsic(Intrinsic::ShiftLeft, &[a, amounts]),
            (BinaryOp::ShrU, _) => self.intrinsic(Intrinsic::ShiftRight, &[a, amounts]),
            (_, Class::I32) => self.intrinsic(Intrinsic::ShiftSigned, &[a, amounts]),
            _ if self.target.vector_bytes == 64 => self.intrinsic(Intrinsic::ShiftSigned, &[a, amounts]),
            _ => {
                // AVX2 has no such instruction for 64 bits. The flipped bits of negative lanes shift in zeros as ones.
                let sign = self.sshr_by(a, i64::from(width(class)) - 1);
                let a = self.xor(a, sign);
                let shifted = self.intrinsic(Intrinsic::ShiftRight, &[a, amounts]);
                self.xor(shifted, sign)
            }
        }
    }

    /// Shifts a scalar, or all lanes of a vector, by a scalar.
    pub(super) fn shift_instruction(&mut self, op: BinaryOp, a: Value, amount: Value) -> Value {
        match op {
            BinaryOp::Shl => self.b.ins().ishl(a, amount),
            BinaryOp::ShrU => self.b.ins().ushr(a, amount),
            _ => self.b.ins().sshr(a, amount),
        }
    }

    /// Shifts left by a constant.
    pub(super) fn ishl_by(&mut self, a: Value, amount: i64) -> Value {
        let amount = self.b.ins().iconst(types::I32, amount);
        self.b.ins().ishl(a, amount)
    }

    /// Shifts right by a constant, with zeros.
    pub(super) fn ushr_by(&mut self, a: Value, amount: i64) -> Value {
        let amount = self.b.ins().iconst(types::I32, amount);
        self.b.ins().ushr(a, amount)
    }

    /// Shifts right by a constant, with the sign.
    pub(super) fn sshr_by(&mut self, a: Value, amount: i64) -> Value {
        let amount = self.b.ins().iconst(types::I32, amount);
        self.b.ins().sshr(a, amount)
    }

    /// Shifts 32-bit lanes right by their own amounts, with zeros: `x >> n = x * 2^(31 - n) >> 31`, in 64 bits.
    fn shift_right(&mut self, x: Value, amounts: Value) -> Value {
        let last = self.vector(self.integers(), 31);
        let complement = self.not(amounts);
        let complement = self.b.ins().band(complement, last);
        let factor = self.power_of_two(complement);
        let [low, high] = self.widening_product(x, factor);
        let (low, high) = (self.ushr_by(low, 31), self.ushr_by(high, 31));
        self.narrow_pair(self.integers(), low, high)
    }

    /// 2^n for lanes with n from 0 to 31: builds a float with exponent n and converts it to an integer.
    fn power_of_two(&mut self, n: Value) -> Value {
        let exponent = self.ishl_by(n, 23);
        let one = self.vector(self.integers(), u64::from(1f32.to_bits()));
        let bits = self.b.ins().iadd(exponent, one);
        let float = self.cast(self.floats(), bits);
        if self.target.x86 {
            // 2^31 does not fit in a signed integer; the instruction returns 0x80000000 then, the correct bits.
            self.b.ins().x86_cvtt2dq(self.target.vector(Class::I32), float)
        } else {
            self.b.ins().fcvt_to_uint_sat(self.target.vector(Class::I32), float)
        }
    }

    /// The unsigned 64-bit products of two vectors of 32-bit lanes.
    pub(super) fn widening_product(&mut self, a: Value, b: Value) -> [Value; 2] {
        let (a_low, b_low) = (self.b.ins().uwiden_low(a), self.b.ins().uwiden_low(b));
        let (a_high, b_high) = (self.b.ins().uwiden_high(a), self.b.ins().uwiden_high(b));
        [self.b.ins().imul(a_low, b_low), self.b.ins().imul(a_high, b_high)]
    }
}
