//! Inverse square roots, by an estimate and a step of Newton's iteration.
//!
//! With y = (1 + d) / sqrt(x), the step y + y (1 - x y^2) / 2 has the relative error -3/2 d^2 - d^3 / 2. The estimate's d is
//! at most 2^-14, so that of the step is below 2^-27, less than an eighth of a unit in the last place; rounding adds to it.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, InstructionData, Opcode, Value};

use super::super::Emit;
use crate::emitter::Intrinsic;
use crate::ir::{BinaryOp, Class};

impl Emit<'_, '_> {
    /// The operand of a square root, if its inverse is computed here: on machines with an estimate of 14 bits.
    pub(in super::super) fn inverse_root_of(
        &mut self,
        op: BinaryOp,
        class: Class,
        a: Value,
        b: Value,
    ) -> Option<Value> {
        if op != BinaryOp::Div || class != Class::F32 || self.target.vector_bytes < 64 || !self.target.inline {
            return None;
        }
        let one = u64::from(1f32.to_bits());
        let by_one = self.scalar_constant(a) == Some(one) || self.uniform_constant(class, &[a]) == Some(one);
        match *self.definition(b)? {
            InstructionData::Unary { opcode: Opcode::Sqrt, arg } if by_one => Some(arg),
            _ => None,
        }
    }

    /// `1 / sqrt(x)`.
    pub(in super::super) fn inverse_root(&mut self, x: Value) -> Value {
        let estimate = self.intrinsic(Intrinsic::InverseRoot, &[x]);
        let (one, half) = (self.number(1.0), self.number(0.5));
        let product = self.b.ins().fmul(x, estimate);
        let product = self.b.ins().fneg(product);
        let rest = self.b.ins().fma(product, estimate, one);
        let halved = self.b.ins().fmul(estimate, half);
        let better = self.b.ins().fma(rest, halved, estimate);
        // Zero and infinity make the product NaN; their estimates are exact.
        let ordered = self.b.ins().fcmp(FloatCC::Ordered, rest, rest);
        self.choose(ordered, better, estimate)
    }
}
