//! Functions that are instructions: calls of names in a namespace of their own.

use cranelift_codegen::ir::{self, ExternalName, InstructionData, Value};

use super::{Lower, is_long, refused};
use crate::emitter::inst::Inst;
use crate::emitter::intrinsic::{Intrinsic, NAMESPACE};
use crate::emitter::op::{self, Op};
use crate::emitter::reg::{Base, Rm};

impl Lower<'_> {
    /// The function that an instruction calls, if that function is an instruction.
    pub(super) fn intrinsic_of(&self, inst: ir::Inst) -> Option<Intrinsic> {
        let InstructionData::Call { func_ref, .. } = self.func.dfg.insts[inst] else { return None };
        let ExternalName::User(name) = self.func.dfg.ext_funcs[func_ref].name else { return None };
        let name = &self.func.params.user_named_funcs()[name];
        if name.namespace == NAMESPACE { Intrinsic::of_number(name.index) } else { None }
    }

    /// Selects the instruction of a function that has no code of its own.
    pub(super) fn intrinsic(&mut self, function: Intrinsic, inst: ir::Inst) -> Result<(), String> {
        match *self.arguments(inst) {
            [x] => self.intrinsic_of_one(function, inst, x),
            [a, b] => self.intrinsic_of_two(function, inst, a, b),
            [base, index, mask, otherwise] => self.gather(function, inst, [base, index, mask, otherwise]),
            ref other => refused(format_args!("{function:?} of {} operands", other.len())),
        }
    }

    fn intrinsic_of_one(&mut self, function: Intrinsic, inst: ir::Inst, x: Value) -> Result<(), String> {
        let (from, ty) = (self.type_of(x), self.result_type(inst));
        let to = self.result(inst);
        let (op, long, imm) = match function {
            Intrinsic::Low => {
                let x = self.reg(x);
                self.copy(to, x);
                return Ok(());
            }
            Intrinsic::High if is_long(from) => {
                let x = self.reg(x);
                self.push(Inst::Out { op: op::VEXTRACTI128, long: true, from: x, to: Rm::Reg(to), imm: Some(1) });
                return Ok(());
            }
            Intrinsic::Quads(pattern) if is_long(ty) => (op::VPERMQ, true, Some(pattern)),
            Intrinsic::Promote => (op::VCVTPS2PD, is_long(ty), None),
            Intrinsic::Demote => (op::VCVTPD2PS, is_long(from), None),
            _ => return refused(format_args!("{function:?} of {from}")),
        };
        let x = self.rm(x);
        self.v1_to(to, op, long, x, imm);
        Ok(())
    }

    fn intrinsic_of_two(&mut self, function: Intrinsic, inst: ir::Inst, a: Value, b: Value) -> Result<(), String> {
        let ty = self.result_type(inst);
        let (to, long) = (self.result(inst), is_long(ty));
        let wide = ty.lane_bits() == 64;
        let by_width = |narrow: Op, of_quads: Op| if wide { of_quads } else { narrow };
        let (op, imm) = match function {
            Intrinsic::Join if long => (op::VINSERTI128, Some(1)),
            Intrinsic::ShiftLeft => (by_width(op::VPSLLVD, op::VPSLLVQ), None),
            Intrinsic::ShiftRight => (by_width(op::VPSRLVD, op::VPSRLVQ), None),
            Intrinsic::ShiftSigned if !wide => (op::VPSRAVD, None),
            Intrinsic::Lanes if long => {
                // The instruction takes the numbers first.
                let index = self.reg(b);
                let x = self.rm(a);
                self.v_to(to, if ty.lane_type().is_float() { op::VPERMPS } else { op::VPERMD }, true, index, x);
                return Ok(());
            }
            Intrinsic::TwoWords(pattern) => (op::VSHUFPS, Some(pattern)),
            Intrinsic::ZipLow => (op::VPUNPCKLDQ, None),
            Intrinsic::ZipHigh => (op::VPUNPCKHDQ, None),
            Intrinsic::ZipLowQuads => (op::VPUNPCKLQDQ, None),
            Intrinsic::ZipHighQuads => (op::VPUNPCKHQDQ, None),
            Intrinsic::Bytes => (op::VPSHUFB, None),
            Intrinsic::Align(bytes) => (op::VPALIGNR, Some(bytes)),
            _ => return refused(format_args!("{function:?} of {ty}")),
        };
        let a = self.reg(a);
        let b = self.rm(b);
        self.push(Inst::V { op, long, to, a: Some(a), b, c: None, imm });
        Ok(())
    }

    /// The instruction uses up its mask, and its registers must differ, so both vectors that it overwrites are copies.
    fn gather(&mut self, function: Intrinsic, inst: ir::Inst, operands: [Value; 4]) -> Result<(), String> {
        let [base, index, mask, otherwise] = operands;
        let ty = self.result_type(inst);
        let Intrinsic::Gather(scale @ 0..=3) = function else {
            return refused(format_args!("{function:?} of four operands"));
        };
        let op = match ty.lane_bits() {
            32 => op::VPGATHERDD,
            64 => op::VPGATHERDQ,
            _ => return refused(format_args!("{function:?} of {ty}")),
        };
        let to = self.result(inst);
        let mem = self.address(base, 0);
        let (base, offset) = match (mem.base, mem.index) {
            (Base::Reg(base), None) => (base, mem.offset),
            _ => {
                let to = self.new_int();
                self.push(Inst::Lea { size: crate::emitter::reg::Size::S64, to, mem });
                (to, 0)
            }
        };
        let index = self.reg(index);
        let (mask_value, otherwise) = (self.reg(mask), self.reg(otherwise));
        let (mask, a) = (self.new_vector(), self.new_vector());
        self.copy(mask, mask_value);
        self.copy(a, otherwise);
        let used = self.new_vector();
        self.push(Inst::Gather { op, long: is_long(ty), to, a, mask, used, base, index, scale, offset });
        Ok(())
    }
}
