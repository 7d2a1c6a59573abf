//! Operations on two values of one class.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::{Emit, Parts, is_float};
use crate::ir::{BinaryOp, Class};

impl Emit<'_, '_> {
    /// Emits an operation on eight lanes of `class`.
    pub(in super::super) fn binary(&mut self, op: BinaryOp, class: Class, a: &[Value], b: &[Value]) -> Parts {
        match op {
            BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU => self.divide(op, class, a, b),
            BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU => self.shift(op, class, a, b),
            BinaryOp::Min | BinaryOp::Max => self.each_pair(a, b, |emit, a, b| emit.extremum(op, a, b)),
            _ => self.each_pair(a, b, |emit, a, b| match emit.inverse_root_of(op, class, a, b) {
                Some(x) => emit.inverse_root(x),
                None => emit.binary_instruction(op, class, a, b),
            }),
        }
    }

    /// Emits an operation on scalars of `class`.
    pub(in super::super) fn binary_scalar(&mut self, op: BinaryOp, class: Class, a: Value, b: Value) -> Value {
        match op {
            BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU => self.divide_scalar(op, class, a, b),
            BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU => self.shift_instruction(op, a, b),
            BinaryOp::Min | BinaryOp::Max => self.extremum_scalar(op, a, b),
            _ => match self.inverse_root_of(op, class, a, b) {
                Some(x) => self.through_vector(class, class, x, Self::inverse_root),
                None => self.binary_instruction(op, class, a, b),
            },
        }
    }

    /// Emits an operation that is one instruction for scalars and for vectors.
    fn binary_instruction(&mut self, op: BinaryOp, class: Class, a: Value, b: Value) -> Value {
        match op {
            BinaryOp::Sub if !is_float(class) => return self.sub(a, b),
            BinaryOp::Xor => return self.xor(a, b),
            _ => {}
        }
        let ins = self.b.ins();
        match op {
            BinaryOp::Add if is_float(class) => ins.fadd(a, b),
            BinaryOp::Sub if is_float(class) => ins.fsub(a, b),
            BinaryOp::Mul if is_float(class) => ins.fmul(a, b),
            BinaryOp::Div => ins.fdiv(a, b),
            BinaryOp::Add => ins.iadd(a, b),
            BinaryOp::Mul => ins.imul(a, b),
            BinaryOp::And => ins.band(a, b),
            BinaryOp::Or => ins.bor(a, b),
            BinaryOp::MinS => ins.smin(a, b),
            BinaryOp::MinU => ins.umin(a, b),
            BinaryOp::MaxS => ins.smax(a, b),
            _ => ins.umax(a, b),
        }
    }
}
