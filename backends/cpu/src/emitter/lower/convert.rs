//! Conversions between integers and floats, and between the widths of floats.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, Opcode, Type, Value, types};

use super::compare::predicate;
use super::{Lower, is_in_vector, length_of, refused};
use crate::emitter::inst::{Alu, Inst, Shift};
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Cc, Cond, Reg, Rm, Rmi, Size};

const TWO_TO_31: u64 = 0x4f00_0000;
const TWO_TO_63: u64 = 0x43e0_0000_0000_0000;

impl Lower<'_> {
    pub(super) fn convert(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let ty = self.result_type(inst);
        let value = self.arguments(inst)[0];
        let from = self.type_of(value);
        let to = self.result(inst);
        let unsupported = || refused(format_args!("{opcode} of {from} to {ty}"));
        if from == types::F16 {
            return unsupported();
        }
        match opcode {
            Opcode::Bitcast => return self.bitcast(to, value, ty),
            Opcode::Fpromote | Opcode::Fdemote => {
                let op = if opcode == Opcode::Fpromote { op::VCVTSS2SD } else { op::VCVTSD2SS };
                let x = self.reg(value);
                self.v_to(to, op, Length::Xmm, x, Rm::Reg(x));
            }
            Opcode::FvpromoteLow => {
                let x = self.rm(value);
                self.v1_to(to, op::VCVTPS2PD, length_of(ty), x, None);
            }
            Opcode::Fvdemote => {
                let x = self.rm(value);
                self.v1_to(to, op::VCVTPD2PS, length_of(from), x, None);
            }
            Opcode::X86Cvtt2dq if from.lane_type() == types::F32 => {
                let x = self.rm(value);
                self.v1_to(to, op::VCVTTPS2DQ, length_of(ty), x, None);
            }
            Opcode::FcvtFromSint if ty.is_vector() => self.vector_from_signed(to, value, ty)?,
            Opcode::FcvtFromUint if ty.is_vector() => self.vector_from_unsigned(to, value, ty)?,
            Opcode::FcvtFromSint => self.scalar_from_signed(to, value, ty),
            Opcode::FcvtFromUint => self.scalar_from_unsigned(to, value, ty),
            Opcode::FcvtToSintSat | Opcode::FcvtToUintSat if ty.is_vector() => {
                if from.lane_type() != types::F32 {
                    return unsupported();
                }
                if opcode == Opcode::FcvtToSintSat {
                    self.vector_to_signed(to, value, from);
                } else {
                    self.vector_to_unsigned(to, value, from);
                }
            }
            Opcode::FcvtToSintSat if ty.bits() >= 32 => self.scalar_to_signed(to, value, ty),
            Opcode::FcvtToUintSat if ty.bits() >= 32 => self.scalar_to_unsigned(to, value, ty),
            _ => return unsupported(),
        }
        Ok(())
    }

    /// A conversion of the bits of a register to a register of the other kind.
    fn bitcast(&mut self, to: Reg, value: Value, ty: Type) -> Result<(), String> {
        let from = self.type_of(value);
        let wide = match ty.bits() {
            32 => false,
            64 => true,
            _ => return refused(format_args!("a bitcast of {from} to {ty}")),
        };
        if is_in_vector(ty) {
            let x = self.rm(value);
            self.v1_to(to, if wide { op::VMOVQ } else { op::VMOVD }, Length::Xmm, x, None);
        } else if let Some(mem) = self.fold(value, from.bytes()) {
            let size = if wide { Size::S64 } else { Size::S32 };
            self.push(Inst::Extend { signed: false, from: size, into: size, to, a: Rm::Mem(mem) });
        } else {
            let op = if wide { op::VMOVQ_OUT } else { op::VMOVD_OUT };
            let from = self.reg(value);
            self.push(Inst::Out { op, length: Length::Xmm, from, to: Rm::Reg(to), imm: None });
        }
        Ok(())
    }

    /// Converts lanes; those of 64 bits are known to be extended from 32 bits, or are put together from two halves.
    fn vector_from_signed(&mut self, to: Reg, value: Value, ty: Type) -> Result<(), String> {
        let length = length_of(ty);
        if ty.lane_type() == types::F32 {
            let x = self.rm(value);
            self.v1_to(to, op::VCVTDQ2PS, length, x, None);
            return Ok(());
        }
        if ty.lane_type() != types::F64 {
            return refused(format_args!("fcvt_from_sint to {ty}"));
        }
        if let Some([narrow]) = self.made_by(Opcode::SwidenLow, value) {
            let x = self.rm(narrow);
            self.v1_to(to, op::VCVTDQ2PD, length, x, None);
            return Ok(());
        }
        if length == Length::Zmm {
            let x = self.rm(value);
            self.v1_to(to, op::VCVTQQ2PD, length, x, None);
            return Ok(());
        }
        // 2^84 + 2^63 + the upper half times 2^32, and 2^52 + the lower half: both are exact. So is the difference of
        // the first one and 2^84 + 2^63 + 2^52, and the last addition rounds once.
        let x = self.reg(value);
        self.join_halves(to, x, ty, 0x4530_0000_8000_0000, 0x4530_0000_8010_0000);
        Ok(())
    }

    fn vector_from_unsigned(&mut self, to: Reg, value: Value, ty: Type) -> Result<(), String> {
        let length = length_of(ty);
        match ty.lane_type() {
            types::F64 => {
                if length == Length::Zmm {
                    let x = self.rm(value);
                    self.v1_to(to, op::VCVTUQQ2PD, length, x, None);
                    return Ok(());
                }
                if self.made_by::<1>(Opcode::UwidenLow, value).is_some() {
                    // 2^52 + x, without an upper half.
                    let x = self.reg(value);
                    let bias = self.each_lane(ty, 0x4330_0000_0000_0000);
                    let sum = self.v(op::VPOR, length, x, bias);
                    self.v_to(to, op::VSUBPD, length, sum, bias);
                    return Ok(());
                }
                let x = self.reg(value);
                self.join_halves(to, x, ty, 0x4530_0000_0000_0000, 0x4530_0000_0010_0000);
                Ok(())
            }
            types::F32 if length == Length::Zmm => {
                let x = self.rm(value);
                self.v1_to(to, op::VCVTUDQ2PS, length, x, None);
                Ok(())
            }
            types::F32 => {
                // The halves of 16 bits are exact as floats, and so is the upper one times 2^16: one sum rounds.
                let x = self.reg(value);
                let low = self.each_lane(ty, 0xffff);
                let low = self.v(op::VPAND, length, x, low);
                let high = self.shift_lanes(op::VPSRLD_IMM, length, x, 16);
                let low = self.v1(op::VCVTDQ2PS, length, Rm::Reg(low), None);
                let high = self.v1(op::VCVTDQ2PS, length, Rm::Reg(high), None);
                let scale = self.each_lane(ty, u64::from(65536f32.to_bits()));
                let high = self.v(op::VMULPS, length, high, scale);
                self.v_to(to, op::VADDPS, length, high, Rm::Reg(low));
                Ok(())
            }
            _ => refused(format_args!("fcvt_from_uint to {ty}")),
        }
    }

    fn join_halves(&mut self, to: Reg, x: Reg, ty: Type, upper: u64, bias: u64) {
        let length = length_of(ty);
        let base = self.load_constant(ty, &0x4330_0000_0000_0000u64.to_le_bytes().repeat(ty.bytes() as usize / 8));
        let low = self.v_imm(op::VPBLENDD, length, base, Rm::Reg(x), 0x55);
        let high = self.shift_lanes(op::VPSRLQ_IMM, length, x, 32);
        let upper = self.each_lane(ty, upper);
        let high = self.v(op::VPXOR, length, high, upper);
        let bias = self.each_lane(ty, bias);
        let high = self.v(op::VSUBPD, length, high, bias);
        self.v_to(to, op::VADDPD, length, high, Rm::Reg(low));
    }

    fn scalar_from_signed(&mut self, to: Reg, value: Value, ty: Type) {
        let wide = self.type_of(value).bits() == 64;
        let a = if self.type_of(value).bits() < 32 { Rm::Reg(self.extended(value, true)) } else { self.rm(value) };
        let op = match (ty == types::F32, wide) {
            (true, false) => op::VCVTSI2SS,
            (true, true) => op::VCVTSQ2SS,
            (false, false) => op::VCVTSI2SD,
            (false, true) => op::VCVTSQ2SD,
        };
        self.push(Inst::FromInt { op, to, a });
    }

    fn scalar_from_unsigned(&mut self, to: Reg, value: Value, ty: Type) {
        let single = ty == types::F32;
        let op = if single { op::VCVTSQ2SS } else { op::VCVTSQ2SD };
        let bits = self.type_of(value).bits();
        if bits < 64 {
            let from = Size::of_bytes(bits / 8).unwrap_or(Size::S32);
            let a = Rm::Any(self.reg(value));
            let wide = self.new_int();
            self.push(Inst::Extend { signed: false, from, into: Size::S64, to: wide, a });
            self.push(Inst::FromInt { op, to, a: Rm::Reg(wide) });
            return;
        }
        // Half of a large value is converted and doubled; the last bit stays for rounding.
        let size = Size::S64;
        let x = self.reg(value);
        let (last, halved, half) = (self.new_int(), self.new_int(), self.new_int());
        self.push(Inst::Alu { op: Alu::And, size: Size::S32, to: last, a: x, b: Rmi::Imm(1) });
        self.push(Inst::Shift { op: Shift::Right, size, to: halved, a: x, by: 1 });
        self.push(Inst::Alu { op: Alu::Or, size, to: half, a: halved, b: Rmi::Rm(Rm::Reg(last)) });
        let (small, large) = (self.new_vector(), self.new_vector());
        self.push(Inst::FromInt { op, to: small, a: Rm::Reg(x) });
        self.push(Inst::FromInt { op, to: large, a: Rm::Reg(half) });
        let doubled = self.v(if single { op::VADDSS } else { op::VADDSD }, Length::Xmm, large, Rm::Reg(large));
        self.push(Inst::Test { size, a: x, b: Rmi::Rm(Rm::Reg(x)) });
        self.push(Inst::MoveVector { cond: Cond::If(Cc::S), to, a: small, b: doubled });
    }

    /// The instruction returns 2^31 as bits for all that is out of range; what is too large is inverted, and NaN is
    /// zero before.
    fn vector_to_signed(&mut self, to: Reg, value: Value, from: Type) {
        let length = length_of(from);
        let x = self.reg(value);
        if length == Length::Zmm {
            let ordered = self.compare_floats_to_predicate(from, FloatCC::Ordered, x, Rm::Reg(x));
            let zero = self.zero();
            let number = self.new_vector();
            self.blend_to(number, op::VPBLENDMD, length, zero, Rm::Reg(x), ordered);
            let limit = self.each_lane(from, TWO_TO_31);
            let large = self.compare_floats_to_predicate(from, FloatCC::GreaterThanOrEqual, number, limit);
            let integer = self.v1(op::VCVTTPS2DQ, length, Rm::Reg(number), None);
            let most = self.each_lane(from, i32::MAX as u64);
            self.blend_to(to, op::VPBLENDMD, length, integer, most, large);
            return;
        }
        let ordered = self.v_imm(op::VCMPPS, length, x, Rm::Reg(x), predicate(FloatCC::Ordered));
        let number = self.v(op::VANDPS, length, x, Rm::Reg(ordered));
        let limit = self.each_lane(from, TWO_TO_31);
        let large = self.v_imm(op::VCMPPS, length, number, limit, predicate(FloatCC::GreaterThanOrEqual));
        let integer = self.v1(op::VCVTTPS2DQ, length, Rm::Reg(number), None);
        self.v_to(to, op::VPXOR, length, integer, Rm::Reg(large));
    }

    /// The sum of two conversions: that of the value, which is 2^31 as bits from there on, and that of the rest above 2^31.
    fn vector_to_unsigned(&mut self, to: Reg, value: Value, from: Type) {
        let length = length_of(from);
        let x = self.reg(value);
        let zero = self.zero();
        // The maximum is the second operand for NaN.
        let positive = self.v(op::VMAXPS, length, x, Rm::Reg(zero));
        if length == Length::Zmm {
            // Numbers that are too large give all ones.
            self.v1_to(to, op::VCVTTPS2UDQ, length, Rm::Reg(positive), None);
            return;
        }
        let limit = self.each_lane(from, TWO_TO_31);
        let above = self.v(op::VSUBPS, length, positive, limit);
        let low = self.v1(op::VCVTTPS2DQ, length, Rm::Reg(positive), None);
        let rest = self.v(op::VMAXPS, length, above, Rm::Reg(zero));
        let high = self.v1(op::VCVTTPS2DQ, length, Rm::Reg(rest), None);
        let sum = self.v(op::VPADDD, length, low, Rm::Reg(high));
        let large = self.v_imm(op::VCMPPS, length, above, limit, predicate(FloatCC::GreaterThanOrEqual));
        self.v_to(to, op::VPOR, length, sum, Rm::Reg(large));
    }

    /// A scalar float as a double, which is exact.
    fn as_double(&mut self, value: Value) -> Reg {
        let x = self.reg(value);
        if self.type_of(value) == types::F64 { x } else { self.v(op::VCVTSS2SD, Length::Xmm, x, Rm::Reg(x)) }
    }

    fn scalar_to_signed(&mut self, to: Reg, value: Value, ty: Type) {
        let x = self.as_double(value);
        let ordered = self.v_imm(op::VCMPSD, Length::Xmm, x, Rm::Reg(x), predicate(FloatCC::Ordered));
        let number = self.v(op::VANDPS, Length::Xmm, x, Rm::Reg(ordered));
        if ty.bits() == 32 {
            // The limits of the range are exact doubles.
            let least = self.each_lane(types::F64, (-2_147_483_648f64).to_bits());
            let most = self.each_lane(types::F64, 2_147_483_647f64.to_bits());
            let number = self.v(op::VMAXSD, Length::Xmm, number, least);
            let number = self.v(op::VMINSD, Length::Xmm, number, most);
            self.v1_to(to, op::VCVTTSD2SI, Length::Xmm, Rm::Reg(number), None);
            return;
        }
        // Below the range, the instruction returns the least integer by itself.
        let integer = self.new_int();
        self.v1_to(integer, op::VCVTTSD2SQ, Length::Xmm, Rm::Reg(number), None);
        let most = self.new_int();
        self.push(Inst::Imm { to: most, value: i64::MAX as u64 });
        let limit = self.each_lane(types::F64, TWO_TO_63);
        self.push(Inst::Flags { op: op::VUCOMISD, length: Length::Xmm, a: number, b: limit });
        self.push(Inst::Move { cc: Cc::AE, size: Size::S64, to, a: integer, b: Rm::Any(most) });
    }

    fn scalar_to_unsigned(&mut self, to: Reg, value: Value, ty: Type) {
        let x = self.as_double(value);
        let zero = self.zero();
        // The maximum is the second operand for NaN.
        let positive = self.v(op::VMAXSD, Length::Xmm, x, Rm::Reg(zero));
        if ty.bits() == 32 {
            let most = self.each_lane(types::F64, 4_294_967_295f64.to_bits());
            let number = self.v(op::VMINSD, Length::Xmm, positive, most);
            self.v1_to(to, op::VCVTTSD2SQ, Length::Xmm, Rm::Reg(number), None);
            return;
        }
        let limit = self.each_lane(types::F64, TWO_TO_63);
        let above = self.v(op::VSUBSD, Length::Xmm, positive, limit);
        let rest = self.v(op::VMAXSD, Length::Xmm, above, Rm::Reg(zero));
        let (low, high, sum, most) = (self.new_int(), self.new_int(), self.new_int(), self.new_int());
        self.v1_to(low, op::VCVTTSD2SQ, Length::Xmm, Rm::Reg(positive), None);
        self.v1_to(high, op::VCVTTSD2SQ, Length::Xmm, Rm::Reg(rest), None);
        let size = Size::S64;
        self.push(Inst::Alu { op: Alu::Add, size, to: sum, a: low, b: Rmi::Rm(Rm::Reg(high)) });
        self.push(Inst::Imm { to: most, value: u64::MAX });
        self.push(Inst::Flags { op: op::VUCOMISD, length: Length::Xmm, a: above, b: limit });
        self.push(Inst::Move { cc: Cc::AE, size, to, a: sum, b: Rm::Any(most) });
    }
}
