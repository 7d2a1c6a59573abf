//! Masks of vectors of 512 bits, in mask registers.
//!
//! Comparisons of such vectors write a mask register, and selections read one. Values that are masks on all ways stay in
//! mask registers, parameters of blocks included; an instruction that takes the lanes of a mask as numbers gets a vector
//! made from it. Bits of a mask register above the number of lanes are zero.

mod find;

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC};
use cranelift_codegen::ir::{self, InstructionData, Opcode, Type, Value, types};

use super::compare::predicate;
use super::{Lower, length_of, refused};
use crate::codegen::Stand;
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length, Op};
use crate::emitter::reg::{Cc, Cond, MASKS, Reg, Rm};

/// The bit of the number of a comparison that inverts it.
const INVERSE: u8 = 4;

/// The numbers of comparisons of integers in instructions.
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const GREATER: u8 = 6;

/// The selection of lanes by a mask register.
pub(super) fn blend_by_predicate(ty: Type) -> Op {
    if ty.lane_bits() == 64 { op::VPBLENDMQ } else { op::VPBLENDMD }
}

impl Lower<'_> {
    /// Whether a value is in a mask register.
    pub(super) fn is_predicate(&self, value: Value) -> bool {
        self.predicates.contains(&self.root(value))
    }

    fn is_constant_mask(&self, value: Value) -> bool {
        self.vector_constant(value).is_some() && self.is_mask(value)
    }

    pub(super) fn new_predicate(&mut self) -> Reg {
        Reg::Virtual(self.new_register(MASKS))
    }

    /// The mask register of a vector; one that is no mask gives its sign bits.
    pub(super) fn predicate(&mut self, value: Value) -> Reg {
        let ty = self.type_of(value);
        if let Some(bytes) = self.vector_constant(value) {
            let lanes = bytes.chunks(ty.lane_type().bytes() as usize);
            let bits =
                lanes.rev().fold(0, |bits, lane| bits << 1 | u64::from(lane.last().is_some_and(|top| *top >= 128)));
            let bits_in = self.new_int();
            self.push(Inst::Imm { to: bits_in, value: bits });
            let to = self.new_predicate();
            self.v1_to(to, op::KMOVW_IN, Length::Xmm, Rm::Reg(bits_in), None);
            return to;
        }
        let root = self.root(value);
        if self.predicates.contains(&root) && self.type_of(root).lane_bits() == ty.lane_bits() {
            return self.register_of(root);
        }
        let x = self.reg(value);
        let op = if ty.lane_bits() == 64 { op::VPMOVQ2M } else { op::VPMOVD2M };
        let to = self.new_predicate();
        self.v1_to(to, op, Length::Zmm, Rm::Reg(x), None);
        to
    }

    /// The lanes of a mask that is in a mask register, in a vector.
    pub(super) fn lanes_of_predicate(&mut self, value: Value) -> Reg {
        let root = self.root(value);
        let op = if self.type_of(root).lane_bits() == 64 { op::VPMOVM2Q } else { op::VPMOVM2D };
        let mask = self.register_of(root);
        self.v1(op, Length::Zmm, Rm::Reg(mask), None)
    }

    /// Selects the instructions of a value in a mask register.
    pub(super) fn predicate_instruction(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let to = self.result(inst);
        let wide = self.result_type(inst).lane_bits() == 64;
        if self.is_comparison(inst) {
            return self.compare_to_predicate(to, inst, None, false);
        }
        match (opcode, Stand::of(opcode)) {
            (Opcode::Select, _) => return self.select(inst),
            (Opcode::Splat, _) => {
                let [scalar] = self.argument(inst);
                let scalar = self.reg(scalar);
                let op = if wide { op::KMOVB_IN } else { op::KMOVW_IN };
                self.v1_to(to, op, Length::Xmm, Rm::Reg(scalar), None);
            }
            (Opcode::SwidenLow, _) => {
                let [mask] = self.argument(inst);
                let mask = self.predicate(mask);
                self.v1_to(to, op::KMOVB, Length::Xmm, Rm::Reg(mask), None);
            }
            (Opcode::SwidenHigh, _) => {
                let [mask] = self.argument(inst);
                let mask = self.predicate(mask);
                self.v1_to(to, op::KSHIFTRW, Length::Xmm, Rm::Reg(mask), Some(8));
            }
            (Opcode::Bitselect | Opcode::Blendv, _) => {
                let [mask, yes, no] = self.argument(inst).map(|value| self.predicate(value));
                let (a, b) = (self.new_predicate(), self.new_predicate());
                self.v_to(a, op::KANDW, Length::Ymm, mask, Rm::Reg(yes));
                self.v_to(b, op::KANDNW, Length::Ymm, mask, Rm::Reg(no));
                self.v_to(to, op::KORW, Length::Ymm, a, Rm::Reg(b));
            }
            (Opcode::Band, _) => return self.and_of_predicates(to, inst),
            (Opcode::Bor, _) => self.of_two_predicates(to, op::KORW, inst),
            (Opcode::Bnot, _) => {
                let [mask] = self.argument(inst);
                return self.inverse_of_predicate(to, mask, wide);
            }
            (Opcode::Bxor, _) | (_, Some(Stand::Xor)) => {
                let [a, b] = self.argument(inst);
                for (one, other) in [(a, b), (b, a)] {
                    if self.is_ones(other) {
                        return self.inverse_of_predicate(to, one, wide);
                    }
                }
                self.of_two_predicates(to, op::KXORW, inst);
            }
            _ => return refused(format_args!("{opcode} of masks")),
        }
        Ok(())
    }

    fn of_two_predicates(&mut self, to: Reg, op: Op, inst: ir::Inst) {
        let [a, b] = self.argument(inst).map(|value| self.predicate(value));
        self.v_to(to, op, Length::Ymm, a, Rm::Reg(b));
    }

    /// The conjunction of masks; a comparison that only it uses is made under the other mask.
    fn and_of_predicates(&mut self, to: Reg, inst: ir::Inst) -> Result<(), String> {
        let [a, b] = self.argument(inst);
        for (compared, other) in [(a, b), (b, a)] {
            if let Some((comparison, inverted)) = self.comparison_of(compared) {
                let mask = self.predicate(other);
                return self.compare_to_predicate(to, comparison, Some(mask), inverted);
            }
        }
        for (kept, inverted) in [(a, b), (b, a)] {
            if let Some(inverted) = self.inverted(inverted) {
                let [a, b] = [inverted, kept].map(|value| self.predicate(value));
                self.v_to(to, op::KANDNW, Length::Ymm, a, Rm::Reg(b));
                return Ok(());
            }
        }
        self.of_two_predicates(to, op::KANDW, inst);
        Ok(())
    }

    fn inverse_of_predicate(&mut self, to: Reg, mask: Value, wide: bool) -> Result<(), String> {
        if let Some((comparison, inverted)) = self.comparison_of(mask) {
            return self.compare_to_predicate(to, comparison, None, !inverted);
        }
        let mask = self.predicate(mask);
        self.v1_to(to, if wide { op::KNOTB } else { op::KNOTW }, Length::Xmm, Rm::Reg(mask), None);
        Ok(())
    }

    /// The comparison of vectors in the current block that only the current instruction uses, and whether its inverse is
    /// meant.
    fn comparison_of(&self, value: Value) -> Option<(ir::Inst, bool)> {
        if let Some(inner) = self.inverted(value) {
            return self.comparison_of(inner).map(|(inst, inverted)| (inst, !inverted));
        }
        let inst = self.definition(value)?;
        (self.is_used_once(value) && self.is_here(value) && self.is_predicate(value) && self.is_comparison(inst))
            .then_some((inst, false))
    }

    fn is_comparison(&self, inst: ir::Inst) -> bool {
        let opcode = self.func.dfg.insts[inst].opcode();
        opcode == Opcode::Fcmp || Stand::of(opcode).is_some_and(Stand::is_comparison)
    }

    /// Compares vectors, in the lanes of a mask.
    fn compare_to_predicate(
        &mut self,
        to: Reg,
        inst: ir::Inst,
        mask: Option<Reg>,
        inverted: bool,
    ) -> Result<(), String> {
        let [a, b] = self.argument(inst);
        let ty = self.type_of(a);
        let wide = ty.lane_bits() == 64;
        // The operand in memory comes last.
        let swapped = self.prefers_memory(a) && !self.prefers_memory(b);
        let (op, number) = match self.func.dfg.insts[inst] {
            InstructionData::FloatCompare { cond, .. } => {
                let op = if wide { op::VCMPPD_MASK } else { op::VCMPPS_MASK };
                (op, predicate(if swapped { cond.swap_args() } else { cond }))
            }
            ref other => {
                let (signed, unsigned) = if wide { (op::VPCMPQ, op::VPCMPUQ) } else { (op::VPCMPD, op::VPCMPUD) };
                let greater = if swapped { LESS } else { GREATER };
                match Stand::of(other.opcode()) {
                    Some(Stand::Equal) => (signed, EQUAL),
                    Some(Stand::Greater) => (signed, greater),
                    Some(Stand::GreaterUnsigned) => (unsigned, greater),
                    _ => return refused(format_args!("{} of masks", other.opcode())),
                }
            }
        };
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let imm = Some(if inverted { number ^ INVERSE } else { number });
        let a = self.reg(a);
        let b = self.rm(b);
        self.push(Inst::V { op, length: length_of(ty), to, a: Some(a), b, c: mask, imm });
        Ok(())
    }

    /// Compares floats of a type in registers.
    pub(super) fn compare_floats_to_predicate(&mut self, ty: Type, cond: FloatCC, a: Reg, b: Rm) -> Reg {
        let op = if ty.lane_type() == types::F64 { op::VCMPPD_MASK } else { op::VCMPPS_MASK };
        let to = self.new_predicate();
        let imm = Some(predicate(cond));
        self.push(Inst::V { op, length: length_of(ty), to, a: Some(a), b, c: None, imm });
        to
    }

    /// Selects lanes by a mask register.
    pub(super) fn blend_by_predicate(
        &mut self,
        inst: ir::Inst,
        mask: Value,
        yes: Value,
        no: Value,
    ) -> Result<(), String> {
        let ty = self.type_of(mask);
        if !matches!(ty.lane_bits(), 32 | 64) {
            return refused(format_args!("a selection by {ty}"));
        }
        let to = self.result(inst);
        let (mask, yes, no) = match self.inverted(mask) {
            Some(inverse) => (inverse, no, yes),
            None => (mask, yes, no),
        };
        let mask = self.predicate(mask);
        let no = self.reg(no);
        let yes = self.rm(yes);
        self.blend_to(to, blend_by_predicate(ty), Length::Zmm, no, yes, mask);
        Ok(())
    }

    /// The mask register of the lanes that are not zero.
    fn not_zero(&mut self, value: Value) -> Reg {
        if self.is_predicate(value) || self.is_mask(value) {
            return self.predicate(value);
        }
        let x = self.reg(value);
        let op = if self.type_of(value).lane_bits() == 64 { op::VPTESTMQ } else { op::VPTESTMD };
        let to = self.new_predicate();
        self.v_to(to, op, Length::Zmm, x, Rm::Reg(x));
        to
    }

    /// Like [`Self::any_true`](Lower::any_true), for vectors of 512 bits.
    pub(super) fn any_of_predicate(&mut self, value: Value) -> Cond {
        if self.is_predicate(value)
            && let Some([a, b]) = self.made_by(Opcode::Band, value)
            && self.comparison_of(a).is_none()
            && self.comparison_of(b).is_none()
        {
            for (kept, inverted) in [(a, b), (b, a)] {
                if let Some(inverted) = self.inverted(inverted) {
                    let [a, b] = [inverted, kept].map(|value| self.predicate(value));
                    self.push(Inst::Flags { op: op::KTESTW, length: Length::Xmm, a, b: Rm::Reg(b) });
                    return Cond::If(Cc::AE);
                }
            }
            let [a, b] = [a, b].map(|value| self.predicate(value));
            self.push(Inst::Flags { op: op::KTESTW, length: Length::Xmm, a, b: Rm::Reg(b) });
            return Cond::If(Cc::NE);
        }
        let a = self.not_zero(value);
        self.push(Inst::Flags { op: op::KORTESTW, length: Length::Xmm, a, b: Rm::Reg(a) });
        Cond::If(Cc::NE)
    }

    /// Like [`Self::all_true`](Lower::all_true), for vectors of 512 bits.
    pub(super) fn all_of_predicate(&mut self, value: Value) -> Cond {
        let a = self.not_zero(value);
        let op = if self.type_of(value).lane_bits() == 64 { op::KORTESTB } else { op::KORTESTW };
        self.push(Inst::Flags { op, length: Length::Xmm, a, b: Rm::Reg(a) });
        Cond::If(Cc::B)
    }
}
