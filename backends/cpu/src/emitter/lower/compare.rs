//! Comparisons of vectors; the result is a mask.

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstructionData, Type, Value, types};

use super::{Lower, is_longest, length_of, refused};
use crate::emitter::op::{self, Op};
use crate::emitter::reg::{Reg, Rm};

/// The instructions on integers of one width.
struct Width {
    equal: Op,
    greater: Op,
    /// The minimum and maximum of signed and unsigned lanes; lanes of 64 bits have none.
    extrema: Option<[Op; 4]>,
}

fn width(ty: Type) -> Option<Width> {
    Some(match ty.lane_bits() {
        8 => Width {
            equal: op::VPCMPEQB,
            greater: op::VPCMPGTB,
            extrema: Some([op::VPMINSB, op::VPMAXSB, op::VPMINUB, op::VPMAXUB]),
        },
        16 => Width {
            equal: op::VPCMPEQW,
            greater: op::VPCMPGTW,
            extrema: Some([op::VPMINSW, op::VPMAXSW, op::VPMINUW, op::VPMAXUW]),
        },
        32 => Width {
            equal: op::VPCMPEQD,
            greater: op::VPCMPGTD,
            extrema: Some([op::VPMINSD, op::VPMAXSD, op::VPMINUD, op::VPMAXUD]),
        },
        64 => Width { equal: op::VPCMPEQQ, greater: op::VPCMPGTQ, extrema: None },
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn compare_vectors(&mut self, inst: ir::Inst) -> Result<(), String> {
        let to = self.result(inst);
        match self.func.dfg.insts[inst] {
            InstructionData::FloatCompare { args: [a, b], cond, .. } => {
                let ty = self.type_of(a);
                let op = if ty.lane_type() == types::F32 { op::VCMPPS } else { op::VCMPPD };
                // The operand in memory comes last.
                let (cond, a, b) = if self.prefers_memory(a) && !self.prefers_memory(b) {
                    (cond.swap_args(), b, a)
                } else {
                    (cond, a, b)
                };
                let a = self.reg(a);
                let b = self.rm(b);
                self.push(crate::emitter::inst::Inst::V {
                    op,
                    length: length_of(ty),
                    to,
                    a: Some(a),
                    b,
                    c: None,
                    imm: Some(predicate(cond)),
                });
                Ok(())
            }
            InstructionData::IntCompare { args: [a, b], cond, .. } => {
                let ty = self.type_of(a);
                let mask = self.new_vector();
                if self.compare_or_inverse(mask, cond, a, b, ty)? {
                    let ones = self.each_lane(ty, u64::MAX);
                    self.v_to(to, op::VPXOR, length_of(ty), mask, ones);
                } else {
                    self.copy(to, mask);
                }
                Ok(())
            }
            ref other => refused(other.opcode()),
        }
    }

    /// Compares integers; the result is true if `to` is the inverse of the comparison.
    pub(super) fn compare_or_inverse(
        &mut self,
        to: Reg,
        cond: IntCC,
        a: Value,
        b: Value,
        ty: Type,
    ) -> Result<bool, String> {
        let Some(width) = width(ty) else { return refused(format_args!("a comparison of {ty}")) };
        let length = length_of(ty);
        let (cond, a, b) = match cond {
            IntCC::SignedLessThan | IntCC::SignedGreaterThanOrEqual => (cond.swap_args(), b, a),
            _ => (cond, a, b),
        };
        match cond {
            IntCC::Equal | IntCC::NotEqual => {
                let (a, b) = self.ordered(a, b);
                let a = self.reg(a);
                let b = self.rm(b);
                self.v_to(to, width.equal, length, a, b);
                Ok(cond == IntCC::NotEqual)
            }
            IntCC::SignedGreaterThan | IntCC::SignedLessThanOrEqual => {
                let a = self.reg(a);
                let b = self.rm(b);
                self.v_to(to, width.greater, length, a, b);
                Ok(cond == IntCC::SignedLessThanOrEqual)
            }
            _ => {
                // Without an instruction for unsigned lanes: a <= b if a is the minimum, a >= b if it is the maximum.
                let less = matches!(cond, IntCC::UnsignedLessThanOrEqual | IntCC::UnsignedGreaterThan);
                let Some([.., minimum, maximum]) = width.extrema else {
                    return Ok(self.compare_flipped(to, cond, a, b, ty));
                };
                let a = self.reg(a);
                let b = self.rm(b);
                let extremum = self.v(if less { minimum } else { maximum }, length, a, b);
                self.v_to(to, width.equal, length, a, Rm::Reg(extremum));
                Ok(matches!(cond, IntCC::UnsignedGreaterThan | IntCC::UnsignedLessThan))
            }
        }
    }

    /// Compares unsigned lanes of 64 bits as signed ones, with flipped signs.
    fn compare_flipped(&mut self, to: Reg, cond: IntCC, a: Value, b: Value, ty: Type) -> bool {
        let length = length_of(ty);
        let (a, b) = match cond {
            IntCC::UnsignedLessThan | IntCC::UnsignedGreaterThanOrEqual => (b, a),
            _ => (a, b),
        };
        let sign = self.each_lane(ty, 1 << 63);
        let a = self.reg(a);
        let b = self.reg(b);
        let a = self.v(op::VPXOR, length, a, sign);
        let b = self.v(op::VPXOR, length, b, sign);
        self.v_to(to, op::VPCMPGTQ, length, a, Rm::Reg(b));
        matches!(cond, IntCC::UnsignedGreaterThanOrEqual | IntCC::UnsignedLessThanOrEqual)
    }

    /// The minimum or maximum of vectors of integers.
    pub(super) fn extremum_of_vectors(&mut self, opcode: ir::Opcode, inst: ir::Inst) -> Result<(), String> {
        let [a, b] = self.argument(inst);
        let ty = self.result_type(inst);
        let (to, length) = (self.result(inst), length_of(ty));
        let number = match opcode {
            ir::Opcode::Smin => 0,
            ir::Opcode::Smax => 1,
            ir::Opcode::Umin => 2,
            _ => 3,
        };
        let Some(width) = width(ty) else { return refused(format_args!("{opcode} of {ty}")) };
        if let Some(extrema) = width.extrema {
            let (a, b) = self.ordered(a, b);
            let a = self.reg(a);
            let b = self.rm(b);
            self.v_to(to, extrema[number], length, a, b);
            return Ok(());
        }
        if is_longest(ty) {
            let (a, b) = self.ordered(a, b);
            let a = self.reg(a);
            let b = self.rm(b);
            self.v_to(to, [op::VPMINSQ, op::VPMAXSQ, op::VPMINUQ, op::VPMAXUQ][number], length, a, b);
            return Ok(());
        }
        let greater = self.new_vector();
        let inverted = if number < 2 {
            self.compare_or_inverse(greater, IntCC::SignedGreaterThan, a, b, ty)?
        } else {
            self.compare_flipped(greater, IntCC::UnsignedGreaterThan, a, b, ty)
        };
        debug_assert!(!inverted);
        let (a, b) = (self.reg(a), self.reg(b));
        // The minimum is the second operand where the first one is greater.
        let (yes, no) = if number % 2 == 0 { (b, a) } else { (a, b) };
        self.blend_to(to, op::VBLENDVPD, length, no, Rm::Any(yes), greater);
        Ok(())
    }
}

/// The number of a comparison of floats in instructions; none signals for quiet NaN.
pub(super) fn predicate(cond: FloatCC) -> u8 {
    match cond {
        FloatCC::Equal => 0x00,
        FloatCC::LessThan => 0x11,
        FloatCC::LessThanOrEqual => 0x12,
        FloatCC::Unordered => 0x03,
        FloatCC::NotEqual => 0x04,
        FloatCC::Ordered => 0x07,
        FloatCC::UnorderedOrEqual => 0x08,
        FloatCC::UnorderedOrLessThan => 0x19,
        FloatCC::UnorderedOrLessThanOrEqual => 0x1a,
        FloatCC::OrderedNotEqual => 0x0c,
        FloatCC::UnorderedOrGreaterThan => 0x16,
        FloatCC::UnorderedOrGreaterThanOrEqual => 0x15,
        FloatCC::GreaterThanOrEqual => 0x1d,
        FloatCC::GreaterThan => 0x1e,
    }
}
