//! Comparisons, minimum and maximum of floats.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::{Emit, Parts, is_float};
use crate::ir::{BinaryOp, Class, CompareOp};

impl Emit<'_, '_> {
    /// A comparison of eight lanes of `class`; the result is lanes of [`Class::Bool`].
    pub(in super::super) fn compare(&mut self, op: CompareOp, class: Class, a: &[Value], b: &[Value]) -> Parts {
        let masks = self.each_pair(a, b, |emit, a, b| emit.compare_scalar(op, class, a, b));
        if class.bytes() == 8 { self.narrow(self.target.vector(Class::Bool), &masks) } else { masks }
    }

    /// A comparison of scalars of `class`, or of vectors; for vectors the result is a mask with lanes of equal width.
    pub(in super::super) fn compare_scalar(&mut self, op: CompareOp, class: Class, a: Value, b: Value) -> Value {
        if is_float(class) {
            let condition = match op {
                CompareOp::Eq => FloatCC::Equal,
                CompareOp::Ne => FloatCC::NotEqual,
                CompareOp::Lt | CompareOp::LtS | CompareOp::LtU => FloatCC::LessThan,
                CompareOp::Le | CompareOp::LeS | CompareOp::LeU => FloatCC::LessThanOrEqual,
            };
            return self.b.ins().fcmp(condition, a, b);
        }
        let condition = match op {
            CompareOp::Eq => IntCC::Equal,
            CompareOp::Ne => IntCC::NotEqual,
            CompareOp::Lt | CompareOp::LtS => IntCC::SignedLessThan,
            CompareOp::Le | CompareOp::LeS => IntCC::SignedLessThanOrEqual,
            CompareOp::LtU => IntCC::UnsignedLessThan,
            CompareOp::LeU => IntCC::UnsignedLessThanOrEqual,
        };
        self.compare_integers(condition, a, b)
    }

    /// The minimum or maximum of float vectors; if one operand is NaN, the other operand.
    pub(super) fn extremum(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        // In this form the comparison and the selection are one instruction on x86-64.
        let first = if op == BinaryOp::Min {
            self.b.ins().fcmp(FloatCC::LessThan, a, b)
        } else {
            self.b.ins().fcmp(FloatCC::LessThan, b, a)
        };
        let first = self.cast(ty, first);
        let ordered = self.b.ins().bitselect(first, a, b);
        let nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
        self.choose(nan, a, ordered)
    }

    /// The minimum or maximum of float scalars; if one operand is NaN, the other operand.
    pub(super) fn extremum_scalar(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let first = if op == BinaryOp::Min {
            self.b.ins().fcmp(FloatCC::LessThan, a, b)
        } else {
            self.b.ins().fcmp(FloatCC::LessThan, b, a)
        };
        let ordered = self.b.ins().select(first, a, b);
        let nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
        self.b.ins().select(nan, a, ordered)
    }
}
