//! Masks: vectors whose lanes are all ones or zero.

use cranelift_codegen::ir::{self, InstructionData, Opcode, Value, types};

use super::{Lower, is_long, is_longest, length_of, refused};
use crate::codegen::Stand;
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length, Op};
use crate::emitter::reg::{Cc, Cond, Reg, Rm, Size};

impl Lower<'_> {
    /// Whether each lane of a vector is known to be all ones or zero.
    pub(super) fn is_mask(&self, value: Value) -> bool {
        self.is_mask_within(value, 4)
    }

    fn is_mask_within(&self, value: Value, depth: u32) -> bool {
        if let Some(bytes) = self.vector_constant(value) {
            let lane = self.type_of(value).lane_type().bytes() as usize;
            return bytes
                .chunks(lane)
                .all(|lane| matches!(lane[0], 0 | u8::MAX) && lane.iter().all(|byte| *byte == lane[0]));
        }
        let Some(inst) = self.definition(value) else { return false };
        if depth == 0 || self.type_of(self.root(value)).lane_bits() != self.type_of(value).lane_bits() {
            return false;
        }
        let opcode = self.func.dfg.insts[inst].opcode();
        let stand = Stand::of(opcode).filter(|_| is_long(self.type_of(value)));
        match opcode {
            Opcode::Icmp | Opcode::Fcmp => true,
            _ if stand.is_some_and(Stand::is_comparison) => true,
            Opcode::Band | Opcode::Bor | Opcode::Bxor => {
                self.arguments(inst).iter().all(|value| self.is_mask_within(*value, depth - 1))
            }
            _ if stand == Some(Stand::Xor) => {
                self.arguments(inst).iter().all(|value| self.is_mask_within(*value, depth - 1))
            }
            Opcode::Bnot => self.is_mask_within(self.arguments(inst)[0], depth - 1),
            _ => false,
        }
    }

    /// The value whose bits are inverted to give this one, if that is the only use of the inversion.
    pub(super) fn inverted(&self, value: Value) -> Option<Value> {
        if let Some([inverse]) = self.made_by(Opcode::Bnot, value) {
            return Some(inverse);
        }
        let [a, b] = self.made_by(Opcode::AvgRound, value).filter(|_| is_long(self.type_of(value)))?;
        if self.is_ones(b) {
            Some(a)
        } else if self.is_ones(a) {
            Some(b)
        } else {
            None
        }
    }

    /// Whether a value is a constant whose bits are all set.
    pub(super) fn is_ones(&self, value: Value) -> bool {
        self.vector_constant(value).is_some_and(|bytes| bytes.iter().all(|byte| *byte == u8::MAX))
    }

    pub(super) fn mask(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        match opcode {
            Opcode::Bmask => {
                let value = self.arguments(inst)[0];
                let Some(size) = Size::of_bytes(self.type_of(value).bytes()) else { return refused(opcode) };
                let (to, a) = (self.result(inst), self.reg(value));
                if self.result_type(inst).is_vector() {
                    return refused("bmask of vectors");
                }
                self.push(Inst::Spread { size, to, a });
                Ok(())
            }
            Opcode::VhighBits => self.high_bits(inst),
            Opcode::Blendv => {
                let [mask, yes, no] = self.argument(inst);
                let ty = self.result_type(inst);
                if !ty.is_vector() {
                    return refused("blendv of scalars");
                }
                self.blend(inst, mask, yes, no)
            }
            _ => self.bitselect(inst),
        }
    }

    fn bitselect(&mut self, inst: ir::Inst) -> Result<(), String> {
        let [mask, yes, no] = self.argument(inst);
        let ty = self.result_type(inst);
        if !ty.is_vector() {
            return refused(format_args!("bitselect of {ty}"));
        }
        if self.minimum_of_vectors(inst) {
            return Ok(());
        }
        if self.is_mask(mask) || self.is_predicate(mask) {
            return self.blend(inst, mask, yes, no);
        }
        if is_longest(ty) {
            return self.bitselect_by_one(inst, mask, yes, no);
        }
        let (to, length) = (self.result(inst), length_of(ty));
        let mask = self.reg(mask);
        let yes = self.rm(yes);
        let no = self.rm(no);
        let yes = self.v(op::VPAND, length, mask, yes);
        let no = self.v(op::VPANDN, length, mask, no);
        self.v_to(to, op::VPOR, length, yes, Rm::Reg(no));
        Ok(())
    }

    /// Selects by the sign bits of the lanes of a mask.
    fn blend(&mut self, inst: ir::Inst, mask: Value, yes: Value, no: Value) -> Result<(), String> {
        let mask_type = self.type_of(mask);
        if is_longest(mask_type) {
            return self.blend_by_predicate(inst, mask, yes, no);
        }
        let op = match mask_type.lane_bits() {
            8 => op::VPBLENDVB,
            32 => op::VBLENDVPS,
            64 => op::VBLENDVPD,
            // The bytes of a mask agree within each lane.
            _ if self.is_mask(mask) => op::VPBLENDVB,
            _ => return refused(format_args!("a selection by {mask_type}")),
        };
        let (to, length) = (self.result(inst), length_of(self.result_type(inst)));
        // A mask with zeros in place of ones exchanges the operands.
        let (mask, inverted) = self.mask_or_inverse(mask)?;
        let (yes, no) = if inverted { (no, yes) } else { (yes, no) };
        let no = self.reg(no);
        let yes = self.rm(yes);
        self.blend_to(to, op, length, no, yes, mask);
        Ok(())
    }

    /// The register of a mask, or of its inverse if that takes fewer instructions.
    fn mask_or_inverse(&mut self, mask: Value) -> Result<(Reg, bool), String> {
        if let Some(inverse) = self.inverted(mask) {
            let (reg, inverted) = self.mask_or_inverse(inverse)?;
            return Ok((reg, !inverted));
        }
        if self.is_used_once(mask)
            && let Some(inst) = self.definition(mask)
            && let InstructionData::IntCompare { args: [a, b], cond, .. } = self.func.dfg.insts[inst]
            && self.type_of(self.root(mask)) == self.type_of(mask)
        {
            let ty = self.type_of(a);
            let to = self.new_vector();
            let inverted = self.compare_or_inverse(to, cond, a, b, ty)?;
            return Ok((to, inverted));
        }
        Ok((self.reg(mask), false))
    }

    /// Selects by a comparison of floats that is a minimum or a maximum.
    fn minimum_of_vectors(&mut self, inst: ir::Inst) -> bool {
        let [mask, yes, no] = self.argument(inst);
        if !self.is_used_once(mask) {
            return false;
        }
        let Some(compare) = self.definition(mask) else { return false };
        let InstructionData::FloatCompare { args: [x, y], cond, .. } = self.func.dfg.insts[compare] else {
            return false;
        };
        let Some((minimum, a, b)) = self.extremum_of(cond, [x, y], [yes, no]) else { return false };
        let op: Op = match (minimum, self.type_of(x).lane_type() == types::F32) {
            (true, true) => op::VMINPS,
            (true, false) => op::VMINPD,
            (false, true) => op::VMAXPS,
            (false, false) => op::VMAXPD,
        };
        let (to, length) = (self.result(inst), length_of(self.result_type(inst)));
        let a = self.reg(a);
        let b = self.rm(b);
        self.v_to(to, op, length, a, b);
        true
    }

    fn high_bits(&mut self, inst: ir::Inst) -> Result<(), String> {
        let value = self.arguments(inst)[0];
        let ty = self.type_of(value);
        let (to, length) = (self.result(inst), length_of(ty));
        if is_longest(ty) {
            let x = Rm::Reg(self.predicate(value));
            self.v1_to(to, op::KMOVW_TO_INT, Length::Xmm, x, None);
            return Ok(());
        }
        let x = self.reg(value);
        let op = match ty.lane_bits() {
            8 => op::VPMOVMSKB,
            32 => op::VMOVMSKPS,
            64 => op::VMOVMSKPD,
            _ if length == Length::Xmm => {
                let zero = self.zero();
                let bytes = self.v(op::VPACKSSWB, Length::Xmm, x, Rm::Reg(zero));
                self.v1_to(to, op::VPMOVMSKB, Length::Xmm, Rm::Reg(bytes), None);
                return Ok(());
            }
            _ => return refused(format_args!("vhigh_bits of {ty}")),
        };
        self.v1_to(to, op, length, Rm::Reg(x), None);
        Ok(())
    }

    /// Sets the flags so that the condition holds if any bit of a vector is set.
    pub(super) fn any_true(&mut self, value: Value) -> Cond {
        if is_longest(self.type_of(value)) {
            return self.any_of_predicate(value);
        }
        let length = length_of(self.type_of(value));
        if let Some([a, b]) = self.made_by(Opcode::Band, value) {
            for (kept, inverted) in [(a, b), (b, a)] {
                if let Some(inverted) = self.inverted(inverted) {
                    let a = self.reg(inverted);
                    let b = self.rm(kept);
                    self.push(Inst::Flags { op: op::VPTEST, length, a, b });
                    return Cond::If(Cc::AE);
                }
            }
            let (a, b) = self.ordered(a, b);
            let a = self.reg(a);
            let b = self.rm(b);
            self.push(Inst::Flags { op: op::VPTEST, length, a, b });
            return Cond::If(Cc::NE);
        }
        let a = self.reg(value);
        self.push(Inst::Flags { op: op::VPTEST, length, a, b: Rm::Reg(a) });
        Cond::If(Cc::NE)
    }

    /// Sets the flags so that the condition holds if no lane of a vector is zero.
    pub(super) fn all_true(&mut self, value: Value) -> Result<Cond, String> {
        let ty = self.type_of(value);
        if is_longest(ty) {
            return Ok(self.all_of_predicate(value));
        }
        let length = length_of(ty);
        if self.is_mask(value) {
            let a = self.reg(value);
            let b = self.each_lane(ty, u64::MAX);
            self.push(Inst::Flags { op: op::VPTEST, length, a, b });
            return Ok(Cond::If(Cc::B));
        }
        let equal = match ty.lane_bits() {
            8 => op::VPCMPEQB,
            16 => op::VPCMPEQW,
            32 => op::VPCMPEQD,
            64 => op::VPCMPEQQ,
            _ => return refused(format_args!("vall_true of {ty}")),
        };
        let zero = self.zero();
        let b = self.rm(value);
        let zeros = self.v(equal, length, zero, b);
        self.push(Inst::Flags { op: op::VPTEST, length, a: zeros, b: Rm::Reg(zeros) });
        Ok(Cond::If(Cc::E))
    }
}
