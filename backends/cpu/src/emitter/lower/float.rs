//! Arithmetic of floats: scalars and vectors.

use cranelift_codegen::ir::{self, Opcode, Type, Value, types};

use super::compare::predicate;
use super::predicates::blend_by_predicate;
use super::{Lower, length_of, refused};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length, Op, Order, fused};
use crate::emitter::reg::{Reg, Rm};

/// The forms of an instruction: for vectors of single and double precision, then for scalars.
type Forms = [Op; 4];

const ADD: Forms = [op::VADDPS, op::VADDPD, op::VADDSS, op::VADDSD];
const SUB: Forms = [op::VSUBPS, op::VSUBPD, op::VSUBSS, op::VSUBSD];
const MUL: Forms = [op::VMULPS, op::VMULPD, op::VMULSS, op::VMULSD];
const DIV: Forms = [op::VDIVPS, op::VDIVPD, op::VDIVSS, op::VDIVSD];
const SQRT: Forms = [op::VSQRTPS, op::VSQRTPD, op::VSQRTSS, op::VSQRTSD];
const ROUND: Forms = [op::VROUNDPS, op::VROUNDPD, op::VROUNDSS, op::VROUNDSD];
const MIN: Forms = [op::VMINPS, op::VMINPD, op::VMINSS, op::VMINSD];
const MAX: Forms = [op::VMAXPS, op::VMAXPD, op::VMAXSS, op::VMAXSD];
const COMPARE: Forms = [op::VCMPPS, op::VCMPPD, op::VCMPSS, op::VCMPSD];

fn form(forms: Forms, ty: Type) -> Op {
    forms[usize::from(!ty.is_vector()) * 2 + usize::from(ty.lane_type() == types::F64)]
}

fn sign_of(ty: Type) -> u64 {
    1 << (ty.lane_bits() - 1)
}

impl Lower<'_> {
    pub(super) fn float(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let ty = self.result_type(inst);
        if !matches!(ty.lane_type(), types::F32 | types::F64) {
            return refused(format_args!("{opcode} of {ty}"));
        }
        let (to, length) = (self.result(inst), length_of(ty));
        match opcode {
            Opcode::Fadd | Opcode::Fmul => {
                let [a, b] = self.argument(inst);
                let (a, b) = self.ordered(a, b);
                let forms = if opcode == Opcode::Fadd { ADD } else { MUL };
                self.of_two(to, form(forms, ty), a, b);
            }
            Opcode::Fsub | Opcode::Fdiv => {
                let [a, b] = self.argument(inst);
                let forms = if opcode == Opcode::Fsub { SUB } else { DIV };
                self.of_two(to, form(forms, ty), a, b);
            }
            Opcode::Sqrt => self.of_one(to, form(SQRT, ty), inst, None),
            Opcode::Ceil | Opcode::Floor | Opcode::Trunc | Opcode::Nearest => {
                // Bit 3 says that a change of the value is no exception.
                let mode = match opcode {
                    Opcode::Nearest => 8,
                    Opcode::Floor => 9,
                    Opcode::Ceil => 10,
                    _ => 11,
                };
                self.of_one(to, form(ROUND, ty), inst, Some(mode));
            }
            Opcode::Fneg | Opcode::Fabs => {
                let a = self.reg(self.arguments(inst)[0]);
                if opcode == Opcode::Fneg {
                    let sign = self.each_lane(ty, sign_of(ty));
                    self.v_to(to, op::VXORPS, length, a, sign);
                } else {
                    let rest = self.each_lane(ty, sign_of(ty) - 1);
                    self.v_to(to, op::VANDPS, length, a, rest);
                }
            }
            Opcode::Fcopysign => {
                let [a, b] = self.argument(inst);
                let (a, b) = (self.reg(a), self.reg(b));
                let (sign, rest) = (self.each_lane(ty, sign_of(ty)), self.each_lane(ty, sign_of(ty) - 1));
                let magnitude = self.v(op::VANDPS, length, a, rest);
                let sign = self.v(op::VANDPS, length, b, sign);
                self.v_to(to, op::VORPS, length, magnitude, Rm::Reg(sign));
            }
            Opcode::Fma => self.fused(to, inst, ty),
            _ => self.extremum_of_floats(to, opcode, inst, ty),
        }
        Ok(())
    }

    fn of_two(&mut self, to: Reg, op: Op, a: Value, b: Value) {
        let length = length_of(self.type_of(a));
        let a = self.reg(a);
        let b = self.rm(b);
        self.v_to(to, op, length, a, b);
    }

    /// An instruction with one source. In the form for scalars, the upper part of the result is that of another source,
    /// here the same, so that the result depends on no older value.
    fn of_one(&mut self, to: Reg, op: Op, inst: ir::Inst, imm: Option<u8>) {
        let value = self.arguments(inst)[0];
        let ty = self.type_of(value);
        if ty.is_vector() {
            let b = self.rm(value);
            self.v1_to(to, op, length_of(ty), b, imm);
        } else {
            let a = self.reg(value);
            self.push(Inst::V { op, length: Length::Xmm, to, a: Some(a), b: Rm::Reg(a), c: None, imm });
        }
    }

    /// A fused multiplication and addition. The operand that is overwritten is one that is used only here, if possible;
    /// the one in memory is the last one.
    fn fused(&mut self, to: Reg, inst: ir::Inst, ty: Type) {
        let [mut a, mut b, mut c] = self.argument(inst);
        let mut minus_product = false;
        for factor in [&mut a, &mut b] {
            if let Some([inner]) = self.made_by(Opcode::Fneg, *factor) {
                *factor = inner;
                minus_product = !minus_product;
            }
        }
        let mut minus_addend = false;
        if let Some([inner]) = self.made_by(Opcode::Fneg, c) {
            c = inner;
            minus_addend = true;
        }
        if self.prefers_memory(a) && !self.prefers_memory(b) {
            std::mem::swap(&mut a, &mut b);
        }
        let once = |value: Value| self.is_used_once(value) && !self.prefers_memory(value);
        let (order, first, second, last) = if self.prefers_memory(c) {
            // The addend is in memory: one of the factors is overwritten.
            let (a, b) = if once(b) && !once(a) { (b, a) } else { (a, b) };
            (Order::Of213, a, b, c)
        } else if self.prefers_memory(b) {
            if once(a) && !once(c) { (Order::Of132, a, c, b) } else { (Order::Of231, c, a, b) }
        } else if once(c) || !once(a) && !once(b) {
            (Order::Of231, c, a, b)
        } else if once(a) {
            (Order::Of213, a, b, c)
        } else {
            (Order::Of213, b, a, c)
        };
        let op = fused(order, !ty.is_vector(), ty.lane_type() == types::F64, minus_product, minus_addend);
        let a = self.reg(first);
        let b = self.reg(second);
        let c = self.rm(last);
        self.push(Inst::Fused { op, length: length_of(ty), to, a, b, c, imm: None });
    }

    /// The minimum or maximum with NaN if either operand is NaN, and -0 below 0. The instruction returns its second
    /// operand for NaN and zeros, so that both orders together have all that is needed.
    fn extremum_of_floats(&mut self, to: Reg, opcode: Opcode, inst: ir::Inst, ty: Type) {
        let [a, b] = self.argument(inst);
        let length = length_of(ty);
        let (a, b) = (self.reg(a), self.reg(b));
        let (forms, join) = if opcode == Opcode::Fmin { (MIN, op::VORPS) } else { (MAX, op::VANDPS) };
        let one = self.v(form(forms, ty), length, a, Rm::Reg(b));
        let other = self.v(form(forms, ty), length, b, Rm::Reg(a));
        let both = self.v(join, length, one, Rm::Reg(other));
        let nan = self.v(form(ADD, ty), length, a, Rm::Reg(b));
        if length == Length::Zmm {
            let unordered = self.compare_floats_to_predicate(ty, ir::condcodes::FloatCC::Unordered, a, Rm::Reg(b));
            self.blend_to(to, blend_by_predicate(ty), length, both, Rm::Reg(nan), unordered);
            return;
        }
        let unordered =
            self.v_imm(form(COMPARE, ty), length, a, Rm::Reg(b), predicate(ir::condcodes::FloatCC::Unordered));
        let blend = if ty.lane_type() == types::F32 { op::VBLENDVPS } else { op::VBLENDVPD };
        self.blend_to(to, blend, length, both, Rm::Reg(nan), unordered);
    }
}
