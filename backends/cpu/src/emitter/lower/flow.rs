//! Branches, conditions, and returns.

use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstructionData, Opcode, Value, types};

use super::{Lower, refused};
use crate::emitter::inst::{Alu, Inst};
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Cc, Cond, Reg, Rm, Rmi, Size};

impl Lower<'_> {
    /// Selects the last instruction of a block.
    pub(super) fn terminator(&mut self, inst: ir::Inst) -> Result<(), String> {
        match self.func.dfg.insts[inst] {
            InstructionData::Jump { .. } => self.push(Inst::Jump),
            InstructionData::Brif { arg, .. } => {
                let cond = self.condition(arg)?;
                self.push(Inst::Branch(cond));
            }
            InstructionData::BranchTable { arg, .. } => {
                // The upper half of the register is not defined.
                let a = self.rm(arg);
                let index = self.new_int();
                self.push(Inst::Extend { signed: false, from: Size::S32, into: Size::S64, to: index, a });
                let (table, at) = (self.new_int(), self.new_int());
                self.push(Inst::Table { index, table, at });
            }
            InstructionData::Trap { .. } => self.push(Inst::Trap),
            InstructionData::MultiAry { opcode: Opcode::Return, .. } => self.returns(inst)?,
            other => return refused(other.opcode()),
        }
        Ok(())
    }

    /// Sets the flags so that the condition holds if `value` is not zero. No instruction that changes the flags may
    /// come between this and the use of the condition.
    pub(super) fn condition(&mut self, value: Value) -> Result<Cond, String> {
        let ty = self.type_of(value);
        let inst = self.definition(value);
        // A comparison for each branch is shorter than its result in a register.
        let near = self.is_used_once(value) || self.is_here(value) || self.only_decides(value);
        if let Some(inst) = inst
            && near
            && self.type_of(self.root(value)) == ty
        {
            // The instruction may be selected again for another use, which must not read memory again.
            let may_fold = self.may_fold;
            self.may_fold &= self.is_used_once(value);
            let cond = self.fused_condition(inst)?;
            self.may_fold = may_fold;
            if let Some(cond) = cond {
                return Ok(cond);
            }
        }
        let Some(size) = Size::of_bytes(ty.bytes()) else { return refused(format_args!("a condition of type {ty}")) };
        if self.may_fold
            && let Some(mem) = self.fold(value, ty.bytes())
        {
            self.push(Inst::Cmp { size, a: Rm::Mem(mem), b: Rmi::Imm(0) });
        } else {
            let a = self.reg(value);
            self.push(Inst::Test { size, a, b: Rmi::Rm(Rm::Reg(a)) });
        }
        Ok(Cond::If(Cc::NE))
    }

    fn fused_condition(&mut self, inst: ir::Inst) -> Result<Option<Cond>, String> {
        Ok(Some(match self.func.dfg.insts[inst] {
            InstructionData::IntCompare { args: [a, b], cond, .. } if !self.type_of(a).is_vector() => {
                return self.compare_integers(cond, a, b).map(Some);
            }
            InstructionData::FloatCompare { args: [a, b], cond, .. } if !self.type_of(a).is_vector() => {
                self.compare_floats(cond, a, b)
            }
            InstructionData::Unary { opcode: Opcode::VanyTrue, arg } => self.any_true(arg),
            InstructionData::Unary { opcode: Opcode::VallTrue, arg } => self.all_true(arg)?,
            InstructionData::Unary { opcode: Opcode::Uextend | Opcode::Sextend, arg } => {
                return self.condition(arg).map(Some);
            }
            InstructionData::Binary { opcode: Opcode::Bxor, args: [a, b] }
                if self.constant(b) == Some(1) && self.is_boolean(a) =>
            {
                return Ok(Some(self.condition(a)?.not()));
            }
            InstructionData::Binary { opcode: Opcode::Band, args: [a, b] } => {
                let ty = self.type_of(a);
                let Some(size) = Size::of_bytes(ty.bytes()) else { return Ok(None) };
                self.test_bits(size, a, b);
                Cond::If(Cc::NE)
            }
            _ => return Ok(None),
        }))
    }

    fn test_bits(&mut self, size: Size, a: Value, b: Value) {
        let (a, b) = self.ordered(a, b);
        let a = self.reg(a);
        let b = self.rmi(b);
        self.push(Inst::Test { size, a, b });
    }

    /// Whether a value is the result of a comparison: 0 or 1.
    pub(super) fn is_boolean(&self, value: Value) -> bool {
        let Some(inst) = self.definition(value) else { return false };
        let opcode = self.func.dfg.insts[inst].opcode();
        let scalar = !self.type_of(self.root(value)).is_vector();
        match opcode {
            Opcode::Icmp | Opcode::Fcmp => scalar,
            Opcode::VanyTrue | Opcode::VallTrue => true,
            Opcode::Band | Opcode::Bor | Opcode::Bxor if scalar => {
                let [a, b] = self.argument(inst);
                let bit = |value| self.is_boolean(value) || self.constant(value).is_some_and(|bits| bits <= 1);
                bit(a) && bit(b)
            }
            _ => false,
        }
    }

    /// Sets the flags by a comparison of integers.
    fn compare_integers(&mut self, cond: IntCC, a: Value, b: Value) -> Result<Cond, String> {
        let ty = self.type_of(a);
        let Some(size) = Size::of_bytes(ty.bytes()) else { return refused(format_args!("a comparison of {ty}")) };
        let (cond, a, b) = if self.constant(a).is_some() || self.prefers_memory(a) && self.constant(b).is_none() {
            (cond.swap_args(), b, a)
        } else {
            (cond, a, b)
        };
        if self.constant(b) == Some(0) {
            if matches!(cond, IntCC::Equal | IntCC::NotEqual) {
                if ty == types::I8 && self.is_boolean(a) {
                    let holds = self.condition(a)?;
                    return Ok(if cond == IntCC::Equal { holds.not() } else { holds });
                }
                let cc = integer_condition(cond);
                if let Some([x, y]) = self.made_by(Opcode::Band, a) {
                    self.test_bits(size, x, y);
                    return Ok(Cond::If(cc));
                }
            }
            if !self.prefers_memory(a) {
                let a = self.reg(a);
                self.push(Inst::Test { size, a, b: Rmi::Rm(Rm::Reg(a)) });
                return Ok(Cond::If(integer_condition(cond)));
            }
        }
        let cc = Cond::If(integer_condition(cond));
        if let Some(immediate) = self.immediate(b) {
            let a = self.folded(a);
            self.push(Inst::Cmp { size, a, b: Rmi::Imm(immediate) });
        } else {
            let a = Rm::Reg(self.reg(a));
            let b = self.folded(b);
            self.push(Inst::Cmp { size, a, b: Rmi::Rm(b) });
        }
        Ok(cc)
    }

    /// Sets the flags by a comparison of floats.
    fn compare_floats(&mut self, cond: FloatCC, a: Value, b: Value) -> Cond {
        let (cond, a, b) = match cond {
            FloatCC::LessThan
            | FloatCC::LessThanOrEqual
            | FloatCC::UnorderedOrGreaterThan
            | FloatCC::UnorderedOrGreaterThanOrEqual => (cond.swap_args(), b, a),
            _ => (cond, a, b),
        };
        let op = if self.type_of(a) == types::F32 { op::VUCOMISS } else { op::VUCOMISD };
        let a = self.reg(a);
        let b = self.rm(b);
        self.push(Inst::Flags { op, length: Length::Xmm, a, b });
        match cond {
            FloatCC::Equal => Cond::Both(Cc::NP, Cc::E),
            FloatCC::NotEqual => Cond::Either(Cc::P, Cc::NE),
            FloatCC::Ordered => Cond::If(Cc::NP),
            FloatCC::Unordered => Cond::If(Cc::P),
            FloatCC::OrderedNotEqual => Cond::If(Cc::NE),
            FloatCC::UnorderedOrEqual => Cond::If(Cc::E),
            FloatCC::GreaterThanOrEqual | FloatCC::LessThanOrEqual => Cond::If(Cc::AE),
            FloatCC::GreaterThan | FloatCC::LessThan => Cond::If(Cc::A),
            FloatCC::UnorderedOrLessThan | FloatCC::UnorderedOrGreaterThan => Cond::If(Cc::B),
            FloatCC::UnorderedOrLessThanOrEqual | FloatCC::UnorderedOrGreaterThanOrEqual => Cond::If(Cc::BE),
        }
    }

    /// Selects a comparison whose result is a value: 0 or 1.
    pub(super) fn condition_value(&mut self, inst: ir::Inst) -> Result<(), String> {
        let to = self.result(inst);
        let Some(cond) = self.fused_condition(inst)? else { return refused(self.func.dfg.insts[inst].opcode()) };
        match cond {
            Cond::If(cc) => self.push(Inst::Set { cc, to }),
            Cond::Both(a, b) | Cond::Either(a, b) => {
                let (first, second) = (self.new_int(), self.new_int());
                self.push(Inst::Set { cc: a, to: first });
                self.push(Inst::Set { cc: b, to: second });
                let op = if matches!(cond, Cond::Both(..)) { Alu::And } else { Alu::Or };
                self.push(Inst::Alu { op, size: Size::S32, to, a: first, b: Rmi::Rm(Rm::Reg(second)) });
            }
        }
        Ok(())
    }

    /// A copy of a vector or an integer in another register.
    pub(super) fn copy(&mut self, to: Reg, from: Reg) {
        self.push(Inst::Copy { to, from });
    }
}

pub(super) fn integer_condition(cond: IntCC) -> Cc {
    match cond {
        IntCC::Equal => Cc::E,
        IntCC::NotEqual => Cc::NE,
        IntCC::SignedLessThan => Cc::L,
        IntCC::SignedGreaterThanOrEqual => Cc::GE,
        IntCC::SignedGreaterThan => Cc::G,
        IntCC::SignedLessThanOrEqual => Cc::LE,
        IntCC::UnsignedLessThan => Cc::B,
        IntCC::UnsignedGreaterThanOrEqual => Cc::AE,
        IntCC::UnsignedGreaterThan => Cc::A,
        IntCC::UnsignedLessThanOrEqual => Cc::BE,
    }
}
