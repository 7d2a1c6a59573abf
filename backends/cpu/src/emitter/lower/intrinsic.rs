//! Functions that are instructions: calls of names in a namespace of their own.

use cranelift_codegen::ir::{self, ExternalName, InstructionData, Value};

use super::{Lower, is_long, is_longest, length_of, refused};
use crate::emitter::inst::Inst;
use crate::emitter::intrinsic::{Intrinsic, NAMESPACE};
use crate::emitter::op::{self, Length, Op};
use crate::emitter::reg::{Base, Reg, Rm, Size};

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
            [base, index, mask, value] if function.writes() => self.scatter(function, [base, index, mask, value]),
            [base, index, mask, otherwise] => self.gather(function, inst, [base, index, mask, otherwise]),
            ref other => refused(format_args!("{function:?} of {} operands", other.len())),
        }
    }

    fn intrinsic_of_one(&mut self, function: Intrinsic, inst: ir::Inst, x: Value) -> Result<(), String> {
        let (from, ty) = (self.type_of(x), self.result_type(inst));
        let to = self.result(inst);
        let (op, length, imm) = match function {
            Intrinsic::Piece(0) | Intrinsic::Half(0) => {
                let x = self.reg(x);
                self.copy(to, x);
                return Ok(());
            }
            Intrinsic::Piece(number) | Intrinsic::Half(number) if is_long(from) => {
                let op = if is_long(ty) { op::VEXTRACTI64X4 } else { op::VEXTRACTI128 };
                let x = self.reg(x);
                self.push(Inst::Out { op, length: length_of(from), from: x, to: Rm::Reg(to), imm: Some(number) });
                return Ok(());
            }
            Intrinsic::Quads(pattern) if is_long(ty) => (op::VPERMQ, length_of(ty), Some(pattern)),
            Intrinsic::Promote => (op::VCVTPS2PD, length_of(ty), None),
            Intrinsic::InverseRoot if is_longest(ty) => (op::VRSQRT14PS, Length::Zmm, None),
            Intrinsic::Demote => (op::VCVTPD2PS, length_of(from), None),
            _ => return refused(format_args!("{function:?} of {from}")),
        };
        let x = self.rm(x);
        self.v1_to(to, op, length, x, imm);
        Ok(())
    }

    fn intrinsic_of_two(&mut self, function: Intrinsic, inst: ir::Inst, a: Value, b: Value) -> Result<(), String> {
        let ty = self.result_type(inst);
        let (to, length) = (self.result(inst), length_of(ty));
        let wide = ty.lane_bits() == 64;
        let by_width = |narrow: Op, of_quads: Op| if wide { of_quads } else { narrow };
        let (op, imm) = match function {
            Intrinsic::Join if is_longest(ty) => (op::VINSERTI64X4, Some(1)),
            Intrinsic::Join if is_long(ty) => (op::VINSERTI128, Some(1)),
            Intrinsic::ShiftLeft => (by_width(op::VPSLLVD, op::VPSLLVQ), None),
            Intrinsic::ShiftRight => (by_width(op::VPSRLVD, op::VPSRLVQ), None),
            Intrinsic::ShiftSigned if !wide => (op::VPSRAVD, None),
            Intrinsic::ShiftSigned if is_longest(ty) => (op::VPSRAVQ, None),
            Intrinsic::Evens if is_longest(ty) => {
                let index: Vec<u8> = (0..32u32).step_by(2).flat_map(u32::to_le_bytes).collect();
                let (first, index) = (self.reg(a), self.load_constant(ty, &index));
                let second = self.rm(b);
                self.push(Inst::Fused { op: op::VPERMT2D, length, to, a: first, b: index, c: second, imm: None });
                return Ok(());
            }
            Intrinsic::Lanes if is_long(ty) => {
                // The instruction takes the numbers first.
                let index = self.reg(b);
                let x = self.rm(a);
                self.v_to(to, if ty.lane_type().is_float() { op::VPERMPS } else { op::VPERMD }, length, index, x);
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
        self.push(Inst::V { op, length, to, a: Some(a), b, c: None, imm });
        Ok(())
    }

    /// The register and the offset of an address, to which a vector of indices is added.
    fn base_of_lanes(&mut self, base: Value) -> (Reg, i32) {
        let mem = self.address(base, 0);
        match (mem.base, mem.index) {
            (Base::Reg(base), None) => (base, mem.offset),
            _ => {
                let to = self.new_int();
                self.push(Inst::Lea { size: Size::S64, to, mem });
                (to, 0)
            }
        }
    }

    /// The instruction uses up its mask, which is a copy.
    fn scatter(&mut self, function: Intrinsic, [base, index, mask, value]: [Value; 4]) -> Result<(), String> {
        let ty = self.type_of(value);
        let Intrinsic::Scatter(scale @ 0..=3) = function else {
            return refused(format_args!("{function:?} of four operands"));
        };
        if !is_longest(ty) || ty.lane_bits() != 32 {
            return refused(format_args!("{function:?} of {ty}"));
        }
        let (base, offset) = self.base_of_lanes(base);
        let (index, from, mask_value) = (self.reg(index), self.reg(value), self.predicate(mask));
        let (mask, used) = (self.new_predicate(), self.new_predicate());
        self.copy(mask, mask_value);
        self.push(Inst::Scatter { from, mask, used, base, index, scale, offset });
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
        let (base, offset) = self.base_of_lanes(base);
        let index = self.reg(index);
        if is_longest(ty) {
            let (mask_value, otherwise) = (self.predicate(mask), self.reg(otherwise));
            let (mask, a, used) = (self.new_predicate(), self.new_vector(), self.new_predicate());
            self.copy(mask, mask_value);
            self.copy(a, otherwise);
            let op = if ty.lane_bits() == 32 { op::VPGATHERDD_MASK } else { op::VPGATHERDQ_MASK };
            self.push(Inst::Gather { op, length: Length::Zmm, to, a, mask, used, base, index, scale, offset });
            return Ok(());
        }
        let (mask_value, otherwise) = (self.reg(mask), self.reg(otherwise));
        let (mask, a) = (self.new_vector(), self.new_vector());
        self.copy(mask, mask_value);
        self.copy(a, otherwise);
        let used = self.new_vector();
        self.push(Inst::Gather { op, length: length_of(ty), to, a, mask, used, base, index, scale, offset });
        Ok(())
    }
}
