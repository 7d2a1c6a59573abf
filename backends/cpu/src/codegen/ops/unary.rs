//! Operations on one value.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::{Emit, Parts, is_float};
use crate::ir::{Class, UnaryOp};

impl Emit<'_, '_> {
    /// Emits an operation on eight lanes of `class`.
    pub(in super::super) fn unary(&mut self, op: UnaryOp, class: Class, a: &[Value]) -> Parts {
        match op {
            UnaryOp::Clz | UnaryOp::Ctz if class == Class::I64 => {
                self.each_lane(class, class, a, |emit, a| emit.unary_scalar(op, class, a))
            }
            UnaryOp::Clz => self.each(a, Self::clz32),
            UnaryOp::Ctz => self.each(a, Self::ctz32),
            UnaryOp::Popcount => self.each(a, |emit, a| emit.popcount(class, a)),
            UnaryOp::ReverseBits => self.each(a, |emit, a| emit.reverse_bits(class, a)),
            UnaryOp::Ceil | UnaryOp::Floor | UnaryOp::Trunc | UnaryOp::Nearest if !self.target.round => {
                self.each(a, |emit, a| emit.round_without_instruction(op, a))
            }
            UnaryOp::RoundF16 => self.each(a, Self::round_f16),
            _ => self.each(a, |emit, a| emit.unary_instruction(op, class, a)),
        }
    }

    /// Emits an operation on a scalar of `class`.
    pub(in super::super) fn unary_scalar(&mut self, op: UnaryOp, class: Class, a: Value) -> Value {
        match op {
            UnaryOp::Not if class == Class::Bool => self.b.ins().bxor_imm_u(a, 1),
            UnaryOp::Clz => self.b.ins().clz(a),
            UnaryOp::Ctz => self.b.ins().ctz(a),
            UnaryOp::Popcount => self.b.ins().popcnt(a),
            UnaryOp::ReverseBits => self.b.ins().bitrev(a),
            UnaryOp::Ceil | UnaryOp::Floor | UnaryOp::Trunc | UnaryOp::Nearest if !self.target.round => {
                self.through_vector(class, class, a, |emit, a| emit.round_without_instruction(op, a))
            }
            UnaryOp::RoundF16 => self.through_vector(class, class, a, Self::round_f16),
            _ => self.unary_instruction(op, class, a),
        }
    }

    /// Emits an operation that is one instruction for scalars and for vectors.
    fn unary_instruction(&mut self, op: UnaryOp, class: Class, a: Value) -> Value {
        match op {
            UnaryOp::Not => return self.not(a),
            UnaryOp::Neg if !is_float(class) => return self.negated(a),
            _ => {}
        }
        let ins = self.b.ins();
        match op {
            UnaryOp::Neg => ins.fneg(a),
            UnaryOp::Abs => ins.fabs(a),
            UnaryOp::Sqrt => ins.sqrt(a),
            UnaryOp::Ceil => ins.ceil(a),
            UnaryOp::Floor => ins.floor(a),
            UnaryOp::Trunc => ins.trunc(a),
            _ => ins.nearest(a),
        }
    }

    /// The bits of a float vector without the sign.
    pub(super) fn magnitude_bits(&mut self, class: Class, bits: Value) -> Value {
        let integer = if class == Class::F32 { Class::I32 } else { Class::I64 };
        let mask = if class == Class::F32 { 0x7fff_ffff } else { i64::MAX as u64 };
        let mask = self.vector(self.target.vector(integer), mask);
        self.b.ins().band(bits, mask)
    }
}
