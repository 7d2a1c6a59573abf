//! Single lanes of vectors.

use cranelift_codegen::ir::{self, InstructionData, Opcode, Type, Value, types};

use super::{Lower, is_in_vector, is_long, is_longest, length_of, refused};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Reg, Rm};

impl Lower<'_> {
    pub(super) fn lanes(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        match self.func.dfg.insts[inst] {
            InstructionData::Unary { opcode: Opcode::Splat, arg } => self.splat(inst, arg),
            InstructionData::Unary { arg, .. } => self.scalar_to_vector(inst, arg),
            InstructionData::BinaryImm8 { arg, imm, .. } => {
                let to = self.result(inst);
                self.extract(to, arg, imm)
            }
            InstructionData::TernaryImm8 { args: [vector, lane], imm, .. } => self.insert(inst, vector, lane, imm),
            _ => refused(opcode),
        }
    }

    fn splat(&mut self, inst: ir::Inst, value: Value) -> Result<(), String> {
        let ty = self.result_type(inst);
        let (to, length) = (self.result(inst), length_of(ty));
        let op = match ty.lane_bits() {
            8 => op::VPBROADCASTB,
            16 => op::VPBROADCASTW,
            32 if ty.lane_type().is_float() => op::VBROADCASTSS,
            32 => op::VPBROADCASTD,
            64 => op::VPBROADCASTQ,
            _ => return refused(format_args!("splat of {ty}")),
        };
        if let Some(bytes) = self.vector_constant(self.func.dfg.first_result(inst)) {
            let from = self.load_constant(ty, &bytes);
            self.copy(to, from);
            return Ok(());
        }
        if let Some(mem) = self.fold(value, ty.lane_type().bytes()) {
            self.v1_to(to, op, length, Rm::Mem(mem), None);
            return Ok(());
        }
        // A lane of a vector needs no way through a general register.
        if let Some(lane) = self.definition(value)
            && let InstructionData::BinaryImm8 { opcode: Opcode::Extractlane, arg, imm } = self.func.dfg.insts[lane]
            && self.type_of(value).bits() >= 32
            && self.type_of(self.root(value)) == self.type_of(value)
            && !is_long(self.type_of(arg))
        {
            if imm == 0 {
                let b = Rm::Any(self.reg(arg));
                self.v1_to(to, op, length, b, None);
                return Ok(());
            }
            let x = Rm::Any(self.reg(arg));
            let pattern = if ty.lane_bits() == 64 { 0xee } else { imm * 0x55 };
            if is_long(ty) {
                let low = self.v1(op::VPSHUFD, Length::Xmm, x, Some(pattern));
                self.v1_to(to, op, length, Rm::Reg(low), None);
            } else {
                self.v1_to(to, op::VPSHUFD, Length::Xmm, x, Some(pattern));
            }
            return Ok(());
        }
        let from = self.reg(value);
        let low =
            if is_in_vector(self.type_of(value)) { from } else { self.moved_to_vector(from, ty.lane_bits() == 64) };
        self.v1_to(to, op, length, Rm::Reg(low), None);
        Ok(())
    }

    /// Copies a general register to the low lane of a vector; the other lanes are zero.
    pub(super) fn moved_to_vector(&mut self, from: Reg, wide: bool) -> Reg {
        self.v1(if wide { op::VMOVQ } else { op::VMOVD }, Length::Xmm, Rm::Any(from), None)
    }

    fn scalar_to_vector(&mut self, inst: ir::Inst, value: Value) -> Result<(), String> {
        let to = self.result(inst);
        match self.type_of(value) {
            types::F32 => {
                let x = self.reg(value);
                // Zeroes the three upper lanes.
                self.push(Inst::V {
                    op: op::VINSERTPS,
                    length: Length::Xmm,
                    to,
                    a: Some(x),
                    b: Rm::Reg(x),
                    c: None,
                    imm: Some(0b1110),
                });
            }
            types::F64 => {
                let x = self.rm(value);
                self.v1_to(to, op::VMOVQ_LOW, Length::Xmm, x, None);
            }
            types::I32 => {
                let x = self.rm(value);
                self.v1_to(to, op::VMOVD, Length::Xmm, x, None);
            }
            types::I64 => {
                let x = self.rm(value);
                self.v1_to(to, op::VMOVQ, Length::Xmm, x, None);
            }
            types::I8 | types::I16 => {
                let x = Rm::Reg(self.extended(value, false));
                self.v1_to(to, op::VMOVD, Length::Xmm, x, None);
            }
            other => return refused(format_args!("scalar_to_vector of {other}")),
        }
        Ok(())
    }

    /// Copies a lane of a vector.
    fn extract(&mut self, to: Reg, vector: Value, lane: u8) -> Result<(), String> {
        let ty = self.type_of(vector);
        let x = self.reg(vector);
        let lanes = (128 / ty.lane_bits()) as u8;
        let (x, lane) =
            if lane < lanes { (x, lane) } else { (self.piece(x, length_of(ty), lane / lanes), lane % lanes) };
        let b = Rm::Any(x);
        match ty.lane_type() {
            types::F32 if lane == 1 => self.v1_to(to, op::VMOVSHDUP, Length::Xmm, b, None),
            types::F32 => self.v1_to(to, op::VPSHUFD, Length::Xmm, b, Some(lane)),
            types::F64 => self.v1_to(to, op::VPSHUFD, Length::Xmm, b, Some(if lane == 0 { 0xe4 } else { 0xee })),
            types::I8 => self.out(op::VPEXTRB, x, to, Some(lane)),
            types::I16 => self.out(op::VPEXTRW, x, to, Some(lane)),
            types::I32 if lane == 0 => self.out(op::VMOVD_OUT, x, to, None),
            types::I32 => self.out(op::VPEXTRD, x, to, Some(lane)),
            types::I64 if lane == 0 => self.out(op::VMOVQ_OUT, x, to, None),
            types::I64 => self.out(op::VPEXTRQ, x, to, Some(lane)),
            other => return refused(format_args!("extractlane of {other}")),
        }
        Ok(())
    }

    fn out(&mut self, op: op::Op, from: Reg, to: Reg, imm: Option<u8>) {
        self.push(Inst::Out { op, length: Length::Xmm, from, to: Rm::Reg(to), imm });
    }

    /// The upper half of a vector of more than 128 bits.
    pub(super) fn upper_half(&mut self, x: Reg, length: Length) -> Reg {
        let to = self.new_vector();
        let op = if length == Length::Zmm { op::VEXTRACTI64X4 } else { op::VEXTRACTI128 };
        self.push(Inst::Out { op, length, from: x, to: Rm::Reg(to), imm: Some(1) });
        to
    }

    /// The 128 bits with a number of a longer vector.
    fn piece(&mut self, x: Reg, length: Length, number: u8) -> Reg {
        let to = self.new_vector();
        self.push(Inst::Out { op: op::VEXTRACTI128, length, from: x, to: Rm::Reg(to), imm: Some(number) });
        to
    }

    fn insert(&mut self, inst: ir::Inst, vector: Value, lane: Value, number: u8) -> Result<(), String> {
        let ty = self.result_type(inst);
        let to = self.result(inst);
        let x = self.reg(vector);
        if !is_long(ty) {
            return self.insert_in_half(to, ty, x, lane, number);
        }
        if is_longest(ty) {
            return refused(format_args!("insertlane of {ty}"));
        }
        let lanes = (128 / ty.lane_bits()) as u8;
        let changed = self.new_vector();
        if number < lanes {
            self.insert_in_half(changed, ty, x, lane, number)?;
            self.push(Inst::V {
                op: op::VPBLENDD,
                length: Length::Ymm,
                to,
                a: Some(x),
                b: Rm::Reg(changed),
                c: None,
                imm: Some(0x0f),
            });
        } else {
            let upper = self.upper_half(x, Length::Ymm);
            self.insert_in_half(changed, ty, upper, lane, number - lanes)?;
            self.push(Inst::V {
                op: op::VINSERTI128,
                length: Length::Ymm,
                to,
                a: Some(x),
                b: Rm::Reg(changed),
                c: None,
                imm: Some(1),
            });
        }
        Ok(())
    }

    fn insert_in_half(&mut self, to: Reg, ty: Type, x: Reg, lane: Value, number: u8) -> Result<(), String> {
        let (op, b, imm) = match ty.lane_type() {
            types::I8 => (op::VPINSRB, Rm::Any(self.reg(lane)), number),
            types::I16 => (op::VPINSRW, Rm::Any(self.reg(lane)), number),
            types::I32 => (op::VPINSRD, self.rm(lane), number),
            types::I64 => (op::VPINSRQ, self.rm(lane), number),
            types::F32 => (op::VINSERTPS, self.rm(lane), number << 4),
            types::F64 => {
                let low = self.reg(lane);
                if number == 0 {
                    self.v_to(to, op::VMOVSD, Length::Xmm, x, Rm::Reg(low));
                } else {
                    self.v_to(to, op::VPUNPCKLQDQ, Length::Xmm, x, Rm::Reg(low));
                }
                return Ok(());
            }
            other => return refused(format_args!("insertlane of {other}")),
        };
        self.push(Inst::V { op, length: Length::Xmm, to, a: Some(x), b, c: None, imm: Some(imm) });
        Ok(())
    }
}
