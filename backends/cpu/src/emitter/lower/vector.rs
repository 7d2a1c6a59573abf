//! Arithmetic of vectors of integers, and logic of all vectors.

use cranelift_codegen::ir::{self, Opcode, Type, Value, types};

use super::{Lower, is_long, is_longest, length_of, refused};
use crate::codegen::Stand;
use crate::emitter::inst::{Alu, Inst};
use crate::emitter::op::{self, Length, Op};
use crate::emitter::reg::{Reg, Rm, Rmi, Size};

impl Lower<'_> {
    pub(super) fn vector(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let ty = self.result_type(inst);
        let (to, length) = (self.result(inst), length_of(ty));
        if is_longest(ty) && self.ternary(opcode, to, inst) {
            return Ok(());
        }
        if let Some((op, commutes)) = stand(opcode, ty).or_else(|| simple(opcode, ty)) {
            let [a, b] = self.argument(inst);
            let (a, b) = if commutes { self.ordered(a, b) } else { (a, b) };
            let a = self.reg(a);
            let b = self.rm(b);
            self.v_to(to, op, length, a, b);
            return Ok(());
        }
        match opcode {
            Opcode::Vconst => {
                let result = self.func.dfg.first_result(inst);
                let from = self.reg(result);
                self.copy(to, from);
            }
            Opcode::Band => self.and_of_vectors(to, inst, length),
            Opcode::Bnot => {
                let a = self.reg(self.arguments(inst)[0]);
                let ones = self.each_lane(ty, u64::MAX);
                self.v_to(to, op::VPXOR, length, a, ones);
            }
            Opcode::Ineg => {
                let b = self.rm(self.arguments(inst)[0]);
                let zero = self.zero();
                let Some((op, _)) = simple(Opcode::Isub, ty) else { return refused(format_args!("{opcode} of {ty}")) };
                self.v_to(to, op, length, zero, b);
            }
            Opcode::Iabs => self.absolute(to, inst, ty)?,
            Opcode::Imul if ty.lane_bits() == 64 => self.mul_wide(to, inst, length),
            Opcode::Ishl | Opcode::Ushr | Opcode::Sshr => self.shift_of_vector(opcode, to, inst, ty)?,
            Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax => self.extremum_of_vectors(opcode, inst)?,
            _ => return refused(format_args!("{opcode} of {ty}")),
        }
        Ok(())
    }

    fn and_of_vectors(&mut self, to: Reg, inst: ir::Inst, length: Length) {
        let [a, b] = self.argument(inst);
        for (kept, inverted) in [(a, b), (b, a)] {
            if let Some(inverted) = self.inverted(inverted) {
                let a = self.reg(inverted);
                let b = self.rm(kept);
                self.v_to(to, op::VPANDN, length, a, b);
                return;
            }
        }
        let (a, b) = self.ordered(a, b);
        let a = self.reg(a);
        let b = self.rm(b);
        self.v_to(to, op::VPAND, length, a, b);
    }

    fn absolute(&mut self, to: Reg, inst: ir::Inst, ty: Type) -> Result<(), String> {
        let length = length_of(ty);
        let value = self.arguments(inst)[0];
        let op = match ty.lane_bits() {
            8 => op::VPABSB,
            16 => op::VPABSW,
            32 => op::VPABSD,
            64 if is_longest(ty) => op::VPABSQ,
            64 => {
                let (a, zero) = (self.reg(value), self.zero());
                let sign = self.v(op::VPCMPGTQ, length, zero, Rm::Reg(a));
                let flipped = self.v(op::VPXOR, length, a, Rm::Reg(sign));
                self.v_to(to, op::VPSUBQ, length, flipped, Rm::Reg(sign));
                return Ok(());
            }
            _ => return refused(format_args!("iabs of {ty}")),
        };
        let b = self.rm(value);
        self.v1_to(to, op, length, b, None);
        Ok(())
    }

    /// The product of lanes of 64 bits, from products of their halves.
    fn mul_wide(&mut self, to: Reg, inst: ir::Inst, length: Length) {
        let [a, b] = self.argument(inst);
        let (a, b) = self.ordered(a, b);
        let unsigned = self.has_low_half_only(a) && self.has_low_half_only(b);
        let signed = self.is_sign_extended(a) && self.is_sign_extended(b);
        if unsigned || signed {
            let a = self.reg(a);
            let b = self.rm(b);
            self.v_to(to, if unsigned { op::VPMULUDQ } else { op::VPMULDQ }, length, a, b);
            return;
        }
        if length == Length::Zmm {
            let a = self.reg(a);
            let b = self.rm(b);
            self.v_to(to, op::VPMULLQ, length, a, b);
            return;
        }
        let (a, b) = (self.reg(a), self.reg(b));
        let upper_a = self.shift_lanes(op::VPSRLQ_IMM, length, a, 32);
        let upper_b = self.shift_lanes(op::VPSRLQ_IMM, length, b, 32);
        let one = self.v(op::VPMULUDQ, length, upper_a, Rm::Reg(b));
        let other = self.v(op::VPMULUDQ, length, a, Rm::Reg(upper_b));
        let sum = self.v(op::VPADDQ, length, one, Rm::Reg(other));
        let upper = self.shift_lanes(op::VPSLLQ_IMM, length, sum, 32);
        let low = self.v(op::VPMULUDQ, length, a, Rm::Reg(b));
        self.v_to(to, op::VPADDQ, length, low, Rm::Reg(upper));
    }

    /// Whether the upper halves of lanes of 64 bits are known to be zero.
    fn has_low_half_only(&self, value: Value) -> bool {
        if let Some(bytes) = self.vector_constant(value) {
            return bytes.chunks(8).all(|lane| lane.get(4..).is_some_and(|upper| upper == [0; 4]));
        }
        if let Some([shifted, by]) = self.defined_by::<2>(Opcode::Ushr, value) {
            return self.type_of(shifted).lane_bits() == 64 && self.constant(by).is_some_and(|by| by % 64 >= 32);
        }
        if let Some([a, b]) = self.defined_by::<2>(Opcode::Band, value) {
            return [a, b].into_iter().any(|one| self.vector_constant(one).is_some() && self.has_low_half_only(one));
        }
        self.defined_by::<1>(Opcode::UwidenLow, value).is_some()
            || self.defined_by::<1>(Opcode::UwidenHigh, value).is_some()
    }

    fn is_sign_extended(&self, value: Value) -> bool {
        self.defined_by::<1>(Opcode::SwidenLow, value).is_some()
            || self.defined_by::<1>(Opcode::SwidenHigh, value).is_some()
    }

    fn shift_of_vector(&mut self, opcode: Opcode, to: Reg, inst: ir::Inst, ty: Type) -> Result<(), String> {
        let [value, by] = self.argument(inst);
        let length = length_of(ty);
        let bits = ty.lane_bits();
        if let Some(by) = self.constant(by) {
            let by = (by % u64::from(bits)) as u8;
            let x = self.reg(value);
            return self.shift_by_constant(opcode, to, x, by, ty);
        }
        if bits == 8 || self.type_of(by).bits() > 64 {
            return refused(format_args!("{opcode} of {ty} by a variable"));
        }
        let by = self.reg(by);
        let masked = self.new_int();
        let b = Rmi::Imm(bits as i32 - 1);
        self.push(Inst::Alu { op: Alu::And, size: Size::S32, to: masked, a: by, b });
        let count = self.moved_to_vector(masked, false);
        let x = self.reg(value);
        let count = Rm::Reg(count);
        match (opcode, bits) {
            (Opcode::Ishl, _) => self.v_to(to, [op::VPSLLW, op::VPSLLD, op::VPSLLQ][place(bits)], length, x, count),
            (Opcode::Ushr, _) => self.v_to(to, [op::VPSRLW, op::VPSRLD, op::VPSRLQ][place(bits)], length, x, count),
            (_, 16) => self.v_to(to, op::VPSRAW, length, x, count),
            (_, 32) => self.v_to(to, op::VPSRAD, length, x, count),
            _ if is_longest(ty) => self.v_to(to, op::VPSRAQ, length, x, count),
            _ => {
                // The place of the sign after the shift: flipping and subtracting it extends it.
                let sign = self.load_constant(ty, &(1u64 << 63).to_le_bytes().repeat(ty.bytes() as usize / 8));
                let sign = self.v(op::VPSRLQ, length, sign, count);
                let shifted = self.v(op::VPSRLQ, length, x, count);
                let flipped = self.v(op::VPXOR, length, shifted, Rm::Reg(sign));
                self.v_to(to, op::VPSUBQ, length, flipped, Rm::Reg(sign));
            }
        }
        Ok(())
    }

    fn shift_by_constant(&mut self, opcode: Opcode, to: Reg, x: Reg, by: u8, ty: Type) -> Result<(), String> {
        let length = length_of(ty);
        let bits = ty.lane_bits();
        let op: Op = match (opcode, bits) {
            (Opcode::Ishl | Opcode::Ushr, 8) => {
                let (op, kept) = match opcode {
                    Opcode::Ishl => (op::VPSLLW_IMM, u64::from(u8::MAX << by)),
                    _ => (op::VPSRLW_IMM, u64::from(u8::MAX >> by)),
                };
                let shifted = self.shift_lanes(op, length, x, by);
                let kept = self.each_lane(ty, kept);
                self.v_to(to, op::VPAND, length, shifted, kept);
                return Ok(());
            }
            (Opcode::Ishl, _) => [op::VPSLLW_IMM, op::VPSLLD_IMM, op::VPSLLQ_IMM][place(bits)],
            (Opcode::Ushr, _) => [op::VPSRLW_IMM, op::VPSRLD_IMM, op::VPSRLQ_IMM][place(bits)],
            (_, 16) => op::VPSRAW_IMM,
            (_, 32) => op::VPSRAD_IMM,
            (_, 64) if is_longest(ty) => op::VPSRAQ_IMM,
            (_, 64) if by == 63 => {
                let zero = self.zero();
                self.v_to(to, op::VPCMPGTQ, length, zero, Rm::Reg(x));
                return Ok(());
            }
            (_, 64) => {
                let sign = self.each_lane(ty, 1 << (63 - by));
                let shifted = self.shift_lanes(op::VPSRLQ_IMM, length, x, by);
                let flipped = self.v(op::VPXOR, length, shifted, sign);
                self.v_to(to, op::VPSUBQ, length, flipped, sign);
                return Ok(());
            }
            _ => return refused(format_args!("{opcode} of {ty}")),
        };
        self.v1_to(to, op, length, Rm::Reg(x), Some(by));
        Ok(())
    }
}

/// The place of a width in a list for 16, 32 and 64 bits.
fn place(bits: u32) -> usize {
    match bits {
        16 => 0,
        32 => 1,
        _ => 2,
    }
}

/// The instruction for an opcode that stands for another operation, as for [`simple`].
fn stand(opcode: Opcode, ty: Type) -> Option<(Op, bool)> {
    let stand = Stand::of(opcode).filter(|_| is_long(ty))?;
    Some(match (stand, ty.lane_bits()) {
        (Stand::Sub, 32) => (op::VPSUBD, false),
        (Stand::Sub, 64) => (op::VPSUBQ, false),
        (Stand::Xor, _) => (op::VPXOR, true),
        (Stand::Equal, 32) => (op::VPCMPEQD, true),
        (Stand::Equal, 64) => (op::VPCMPEQQ, true),
        (Stand::Greater, 32) => (op::VPCMPGTD, false),
        (Stand::Greater, 64) => (op::VPCMPGTQ, false),
        _ => return None,
    })
}

/// The instruction for an operation that is a single one, and whether its operands may be exchanged.
fn simple(opcode: Opcode, ty: Type) -> Option<(Op, bool)> {
    let lane = ty.lane_type();
    Some(match (opcode, lane) {
        (Opcode::Bor, _) => (op::VPOR, true),
        (Opcode::Bxor, _) => (op::VPXOR, true),
        (Opcode::Iadd, types::I8) => (op::VPADDB, true),
        (Opcode::Iadd, types::I16) => (op::VPADDW, true),
        (Opcode::Iadd, types::I32) => (op::VPADDD, true),
        (Opcode::Iadd, types::I64) => (op::VPADDQ, true),
        (Opcode::Isub, types::I8) => (op::VPSUBB, false),
        (Opcode::Isub, types::I16) => (op::VPSUBW, false),
        (Opcode::Isub, types::I32) => (op::VPSUBD, false),
        (Opcode::Isub, types::I64) => (op::VPSUBQ, false),
        (Opcode::Imul, types::I16) => (op::VPMULLW, true),
        (Opcode::Imul, types::I32) => (op::VPMULLD, true),
        (Opcode::SaddSat, types::I8) => (op::VPADDSB, true),
        (Opcode::SaddSat, types::I16) => (op::VPADDSW, true),
        (Opcode::UaddSat, types::I8) => (op::VPADDUSB, true),
        (Opcode::UaddSat, types::I16) => (op::VPADDUSW, true),
        (Opcode::SsubSat, types::I8) => (op::VPSUBSB, false),
        (Opcode::SsubSat, types::I16) => (op::VPSUBSW, false),
        (Opcode::UsubSat, types::I8) => (op::VPSUBUSB, false),
        (Opcode::UsubSat, types::I16) => (op::VPSUBUSW, false),
        (Opcode::AvgRound, types::I8) => (op::VPAVGB, true),
        (Opcode::AvgRound, types::I16) => (op::VPAVGW, true),
        (Opcode::X86Pmulhrsw, _) => (op::VPMULHRSW, true),
        (Opcode::X86Pmaddubsw, _) => (op::VPMADDUBSW, false),
        _ => return None,
    })
}
