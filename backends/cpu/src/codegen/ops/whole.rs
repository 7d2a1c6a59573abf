//! Subtraction, exclusive or, negation and comparison of integers, as scalars or vectors.
//!
//! Cranelift's optimiser simplifies `x - x`, `x + -x`, `x ^ x` and comparisons of equal operands to constants, but fails
//! where these have 256 bits. It leaves operations with saturation and averages alone, which WGSL lacks. In vectors of 256 bits they
//! stand for the operations here ([`Stand`]).

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{InstBuilder, Opcode, Value, types};

use super::Emit;

/// An operation on integers of 256 bits that another opcode stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// `a - b`.
    Sub,
    /// `a ^ b`.
    Xor,
    /// A mask: whether `a == b`.
    Equal,
    /// A mask: whether `a > b`, as signed integers.
    Greater,
}

impl Stand {
    /// The operation that an opcode stands for in vectors of 256 bits.
    pub(crate) fn of(opcode: Opcode) -> Option<Self> {
        Some(match opcode {
            Opcode::UsubSat => Self::Sub,
            Opcode::AvgRound => Self::Xor,
            Opcode::UaddSat => Self::Equal,
            Opcode::SsubSat => Self::Greater,
            _ => return None,
        })
    }
}

impl Emit<'_, '_> {
    /// `a - b`.
    pub(in super::super) fn sub(&mut self, a: Value, b: Value) -> Value {
        if self.is_long(a) { self.stand(Stand::Sub, a, b) } else { self.b.ins().isub(a, b) }
    }

    /// `-a`.
    pub(in super::super) fn negated(&mut self, a: Value) -> Value {
        if !self.is_long(a) {
            return self.b.ins().ineg(a);
        }
        let zero = self.vector(self.b.func.dfg.value_type(a), 0);
        self.stand(Stand::Sub, zero, a)
    }

    /// `a ^ b`.
    pub(in super::super) fn xor(&mut self, a: Value, b: Value) -> Value {
        if self.is_long(a) { self.stand(Stand::Xor, a, b) } else { self.b.ins().bxor(a, b) }
    }

    /// All bits inverted.
    pub(in super::super) fn not(&mut self, a: Value) -> Value {
        if !self.is_long(a) {
            return self.b.ins().bnot(a);
        }
        let ones = self.vector(self.b.func.dfg.value_type(a), u64::MAX);
        self.stand(Stand::Xor, a, ones)
    }

    /// A comparison of scalars, or of vectors; for vectors the result is a mask.
    pub(in super::super) fn compare_integers(&mut self, condition: IntCC, a: Value, b: Value) -> Value {
        if !self.is_long(a) {
            return self.b.ins().icmp(condition, a, b);
        }
        match condition {
            IntCC::Equal => self.stand(Stand::Equal, a, b),
            IntCC::SignedGreaterThan => self.stand(Stand::Greater, a, b),
            IntCC::SignedLessThan => self.stand(Stand::Greater, b, a),
            IntCC::UnsignedGreaterThan => self.unsigned_greater(a, b),
            IntCC::UnsignedLessThan => self.unsigned_greater(b, a),
            IntCC::UnsignedLessThanOrEqual if self.b.func.dfg.value_type(a) == types::I32X8 => {
                let least = self.b.ins().umin(a, b);
                self.stand(Stand::Equal, least, a)
            }
            _ => {
                let inverse = self.compare_integers(condition.complement(), a, b);
                self.not(inverse)
            }
        }
    }

    /// Addition of the least signed integer maps the order of unsigned integers to that of signed ones.
    fn unsigned_greater(&mut self, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let least = self.vector(ty, 1 << (ty.lane_bits() - 1));
        let (a, b) = (self.xor(a, least), self.xor(b, least));
        self.stand(Stand::Greater, a, b)
    }

    fn is_long(&self, value: Value) -> bool {
        self.b.func.dfg.value_type(value).bits() == 256
    }

    fn stand(&mut self, operation: Stand, a: Value, b: Value) -> Value {
        match operation {
            Stand::Sub => self.b.ins().usub_sat(a, b),
            Stand::Xor => self.b.ins().avg_round(a, b),
            Stand::Equal => self.b.ins().uadd_sat(a, b),
            Stand::Greater => self.b.ins().ssub_sat(a, b),
        }
    }
}
