//! Subtraction, exclusive or, negation and comparison of integers, as scalars or vectors.
//!
//! Cranelift's optimiser simplifies `x - x`, `x + -x`, `x ^ x` and comparisons of equal operands to constants, but fails
//! where these have more than 128 bits. It leaves operations with saturation and averages alone, which WGSL lacks. In longer vectors they
//! stand for the operations here ([`Stand`]).

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{InstBuilder, Opcode, Value, types};

use super::Emit;

/// An operation on vectors of integers of more than 128 bits that another opcode stands for.
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
    /// Like [`Self::Greater`], as unsigned integers: 512 bits only.
    GreaterUnsigned,
}

impl Stand {
    /// The operation that an opcode stands for in vectors of more than 128 bits.
    pub(crate) fn of(opcode: Opcode) -> Option<Self> {
        Some(match opcode {
            Opcode::UsubSat => Self::Sub,
            Opcode::AvgRound => Self::Xor,
            Opcode::UaddSat => Self::Equal,
            Opcode::SsubSat => Self::Greater,
            Opcode::SaddSat => Self::GreaterUnsigned,
            _ => return None,
        })
    }

    /// Whether the result is a mask.
    pub(crate) fn is_comparison(self) -> bool {
        matches!(self, Self::Equal | Self::Greater | Self::GreaterUnsigned)
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
        if ty.bits() == 512 {
            return self.stand(Stand::GreaterUnsigned, a, b);
        }
        let least = self.vector(ty, 1 << (ty.lane_bits() - 1));
        let (a, b) = (self.xor(a, least), self.xor(b, least));
        self.stand(Stand::Greater, a, b)
    }

    fn is_long(&self, value: Value) -> bool {
        self.b.func.dfg.value_type(value).bits() > 128
    }

    fn stand(&mut self, operation: Stand, a: Value, b: Value) -> Value {
        match operation {
            Stand::Sub => self.b.ins().usub_sat(a, b),
            Stand::Xor => self.b.ins().avg_round(a, b),
            Stand::Equal => self.b.ins().uadd_sat(a, b),
            Stand::Greater => self.b.ins().ssub_sat(a, b),
            Stand::GreaterUnsigned => self.b.ins().sadd_sat(a, b),
        }
    }
}
