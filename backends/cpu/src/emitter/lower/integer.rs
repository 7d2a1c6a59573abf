//! Arithmetic of scalar integers. The bits of a register above the type of its value have no meaning.

use cranelift_codegen::ir::{self, Opcode, Type, Value};

use super::flow::integer_condition;
use super::{Lower, refused, size_of};
use crate::emitter::inst::{Alu, Change, Inst, Shift};
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Reg, Rm, Rmi, Size};

impl Lower<'_> {
    pub(super) fn integer(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let Some(result) = self.func.dfg.inst_results(inst).first().copied() else { return refused(opcode) };
        let ty = self.type_of(result);
        let to = self.register_of(result);
        let size = size_of(ty);
        match opcode {
            Opcode::Iconst | Opcode::FuncAddr | Opcode::StackAddr => {
                let from = self.reg(result);
                if from == to {
                    return refused(opcode);
                }
                self.copy(to, from);
            }
            Opcode::Iadd => self.add(to, inst, size),
            Opcode::Isub => {
                let [a, b] = self.argument(inst);
                self.alu(Alu::Sub, to, size, a, b);
            }
            Opcode::Band => self.and(to, inst, size),
            Opcode::Bor | Opcode::Bxor => {
                let [a, b] = self.argument(inst);
                let (a, b) = self.ordered(a, b);
                self.alu(if opcode == Opcode::Bor { Alu::Or } else { Alu::Xor }, to, size, a, b);
            }
            Opcode::Imul => self.mul(to, inst, size),
            Opcode::Bnot | Opcode::Ineg => {
                let a = self.reg(self.arguments(inst)[0]);
                let op = if opcode == Opcode::Bnot { Change::Not } else { Change::Neg };
                self.push(Inst::Change { op, size, to, a });
            }
            Opcode::Ishl | Opcode::Ushr | Opcode::Sshr => self.shift(opcode, to, inst, ty)?,
            Opcode::Rotl | Opcode::Rotr => self.rotate(opcode, to, inst, ty),
            Opcode::Uextend | Opcode::Sextend => self.extension(opcode == Opcode::Sextend, to, inst, ty),
            Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax => self.extremum(opcode, to, inst, ty),
            Opcode::Iabs => {
                let a = self.extended(self.arguments(inst)[0], true);
                let negative = self.new_int();
                self.push(Inst::Change { op: Change::Neg, size, to: negative, a });
                // The negation has set the flags by its result.
                let cc = crate::emitter::reg::Cc::S;
                self.push(Inst::Move { cc, size, to, a: negative, b: Rm::Reg(a) });
            }
            Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => self.divide(opcode, to, inst, size),
            Opcode::Umulhi | Opcode::Smulhi if ty.bits() >= 32 => {
                let [a, b] = self.argument(inst);
                let (a, b) = self.ordered(a, b);
                let a = self.reg(a);
                let b = self.rm(b);
                let low = self.new_int();
                self.push(Inst::MulHigh { signed: opcode == Opcode::Smulhi, size, to, low, a, b });
            }
            _ => return refused(format_args!("{opcode} of {ty}")),
        }
        Ok(())
    }

    fn alu(&mut self, op: Alu, to: Reg, size: Size, a: Value, b: Value) {
        let a = self.reg(a);
        let b = self.rmi(b);
        self.push(Inst::Alu { op, size, to, a, b });
    }

    fn add(&mut self, to: Reg, inst: ir::Inst, size: Size) {
        let [a, b] = self.argument(inst);
        let (a, b) = self.ordered(a, b);
        if self.prefers_memory(b) && self.constant(b).is_none() {
            self.alu(Alu::Add, to, size, a, b);
        } else {
            self.sum(to, inst, size);
        }
    }

    fn and(&mut self, to: Reg, inst: ir::Inst, size: Size) {
        let [a, b] = self.argument(inst);
        for (kept, inverted) in [(a, b), (b, a)] {
            if let Some([inverted]) = self.made_by(Opcode::Bnot, inverted) {
                let op = if size == Size::S64 { op::ANDNQ } else { op::ANDN };
                let inverted = self.reg(inverted);
                let b = self.rm(kept);
                self.v_to(to, op, Length::Xmm, inverted, b);
                return;
            }
        }
        let (a, b) = self.ordered(a, b);
        match self.constant(b) {
            Some(mask @ (0xff | 0xffff)) => {
                let from = if mask == 0xff { Size::S8 } else { Size::S16 };
                let a = Rm::Any(self.reg(a));
                self.push(Inst::Extend { signed: false, from, into: size, to, a });
            }
            Some(0xffff_ffff) if size == Size::S64 => {
                let a = self.rm(a);
                self.push(Inst::Extend { signed: false, from: Size::S32, into: size, to, a });
            }
            // The upper half of the result is zero either way.
            Some(mask) if size == Size::S64 && i32::try_from(mask).is_ok() => {
                self.alu(Alu::And, to, Size::S32, a, b);
            }
            _ => self.alu(Alu::And, to, size, a, b),
        }
    }

    fn mul(&mut self, to: Reg, inst: ir::Inst, size: Size) {
        let [a, b] = self.argument(inst);
        let (a, b) = self.ordered(a, b);
        if let Some(by) = self.immediate(b) {
            let a = self.rm(a);
            self.push(Inst::MulImm { size, to, a, by });
        } else {
            let a = self.reg(a);
            let b = self.rm(b);
            self.push(Inst::Mul { size, to, a, b });
        }
    }

    /// The register of a value of fewer than 32 bits that is extended to 32; of other values, the plain register.
    pub(super) fn extended(&mut self, value: Value, signed: bool) -> Reg {
        let ty = self.type_of(value);
        let reg = self.reg(value);
        let from = match ty.bits() {
            8 => Size::S8,
            16 => Size::S16,
            _ => return reg,
        };
        let to = self.new_int();
        self.push(Inst::Extend { signed, from, into: Size::S32, to, a: Rm::Any(reg) });
        to
    }

    fn shift(&mut self, opcode: Opcode, to: Reg, inst: ir::Inst, ty: Type) -> Result<(), String> {
        let [value, by] = self.argument(inst);
        let size = size_of(ty);
        let (op, wide) = match opcode {
            Opcode::Ishl => (Shift::Left, [op::SHLX, op::SHLXQ]),
            Opcode::Ushr => (Shift::Right, [op::SHRX, op::SHRXQ]),
            _ => (Shift::Signed, [op::SARX, op::SARXQ]),
        };
        if self.type_of(by).bits() > 64 {
            return refused("shifts by 128 bits");
        }
        if let Some(by) = self.constant(by) {
            let by = (by % u64::from(ty.bits())) as u8;
            if opcode == Opcode::Ishl && (1..=3).contains(&by) && size == Size::S64 && !self.is_used_once(value) {
                let index = self.reg(value);
                let base = crate::emitter::reg::Base::None;
                let mem = crate::emitter::reg::Mem { base, index: Some((index, by)), offset: 0 };
                self.push(Inst::Lea { size, to, mem });
                return Ok(());
            }
            let a = if opcode == Opcode::Ishl { self.reg(value) } else { self.extended(value, opcode == Opcode::Sshr) };
            self.push(Inst::Shift { op, size, to, a, by });
            return Ok(());
        }
        let a = if ty.bits() < 32 && opcode != Opcode::Ishl {
            Rm::Reg(self.extended(value, opcode == Opcode::Sshr))
        } else {
            self.rm(value)
        };
        let mut count = self.reg(by);
        if ty.bits() < 32 {
            let masked = self.new_int();
            let b = Rmi::Imm(ty.bits() as i32 - 1);
            self.push(Inst::Alu { op: Alu::And, size: Size::S32, to: masked, a: count, b });
            count = masked;
        }
        let op = wide[usize::from(size == Size::S64)];
        self.push(Inst::V { op, length: Length::Xmm, to, a: Some(count), b: a, c: None, imm: None });
        Ok(())
    }

    fn rotate(&mut self, opcode: Opcode, to: Reg, inst: ir::Inst, ty: Type) {
        let [value, by] = self.argument(inst);
        let bits = u64::from(ty.bits());
        if let Some(by) = self.constant(by)
            && bits >= 32
        {
            let right = if opcode == Opcode::Rotr { by % bits } else { (bits - by % bits) % bits };
            let op = if bits == 64 { op::RORXQ } else { op::RORX };
            let b = self.rm(value);
            self.push(Inst::V { op, length: Length::Xmm, to, a: None, b, c: None, imm: Some(right as u8) });
            return;
        }
        let op = if opcode == Opcode::Rotl { Shift::RotateLeft } else { Shift::RotateRight };
        let size = Size::of_bytes(ty.bytes()).unwrap_or(Size::S64);
        let a = self.reg(value);
        let by = self.reg(by);
        self.push(Inst::Rotate { op, size, to, a, by });
    }

    fn extension(&mut self, signed: bool, to: Reg, inst: ir::Inst, ty: Type) {
        let value = self.arguments(inst)[0];
        let from_type = self.type_of(value);
        let from = Size::of_bytes(from_type.bytes()).unwrap_or(Size::S64);
        let a = match self.fold(value, from_type.bytes()) {
            Some(mem) => Rm::Mem(mem),
            None => Rm::Any(self.reg(value)),
        };
        self.push(Inst::Extend { signed, from, into: size_of(ty), to, a });
    }

    fn extremum(&mut self, opcode: Opcode, to: Reg, inst: ir::Inst, ty: Type) {
        let [a, b] = self.argument(inst);
        let signed = matches!(opcode, Opcode::Smin | Opcode::Smax);
        let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
        let (a, b) = (self.extended(a, signed), self.extended(b, signed));
        let cond = match opcode {
            Opcode::Smin => ir::condcodes::IntCC::SignedGreaterThan,
            Opcode::Smax => ir::condcodes::IntCC::SignedLessThan,
            Opcode::Umin => ir::condcodes::IntCC::UnsignedGreaterThan,
            _ => ir::condcodes::IntCC::UnsignedLessThan,
        };
        let size = size_of(ty);
        self.push(Inst::Cmp { size, a: Rm::Reg(a), b: Rmi::Rm(Rm::Reg(b)) });
        self.push(Inst::Move { cc: integer_condition(cond), size, to, a, b: Rm::Reg(b) });
    }

    fn divide(&mut self, opcode: Opcode, to: Reg, inst: ir::Inst, size: Size) {
        let [a, b] = self.argument(inst);
        let signed = matches!(opcode, Opcode::Sdiv | Opcode::Srem);
        let a = self.extended(a, signed);
        let b = Rm::Reg(self.extended(b, signed));
        let other = self.new_int();
        let (quotient, rest) = if matches!(opcode, Opcode::Udiv | Opcode::Sdiv) { (to, other) } else { (other, to) };
        self.push(Inst::Div { signed, size, quotient, rest, a, b });
    }
}
