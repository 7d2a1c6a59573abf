//! Addresses, loads and stores.

use cranelift_codegen::ir::{self, InstructionData, Opcode, Value};

use super::call::POINTER;
use super::values::{load_op, store_op};
use super::{Lower, is_in_vector, length_of, refused, size_of};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Base, Mem, Reg, Rm, Size};

impl Lower<'_> {
    /// The address `value + offset` as an operand. Additions of constants are taken over always, and others if they
    /// are in the same block: across blocks, two registers would be kept in place of one.
    pub(super) fn address(&mut self, value: Value, offset: i32) -> Mem {
        let mut offset = offset;
        let base = self.without_constant(value, &mut offset);
        if let Some(base) = self.stack_address(base, &mut offset) {
            return Mem { base, index: None, offset };
        }
        if self.is_here(base)
            && let Some([a, b]) = self.defined_by(Opcode::Iadd, base)
        {
            let (a, b) = (self.without_constant(a, &mut offset), self.without_constant(b, &mut offset));
            let (base, index) = if self.scaled(a).is_some() { (b, a) } else { (a, b) };
            let (index, shift) = self.scaled(index).unwrap_or((index, 0));
            let slot = self.stack_address(base, &mut offset);
            let index = self.reg(index);
            let base = slot.unwrap_or_else(|| Base::Reg(self.reg(base)));
            return Mem { base, index: Some((index, shift)), offset };
        }
        Mem { base: Base::Reg(self.reg(base)), index: None, offset }
    }

    fn stack_address(&self, value: Value, offset: &mut i32) -> Option<Base> {
        let inst = self.definition(value)?;
        let InstructionData::StackAddr { stack_slot, offset: more, .. } = self.func.dfg.insts[inst] else {
            return None;
        };
        *offset = offset.checked_add(more.into())?;
        Some(Base::Stack(self.slots[stack_slot.as_u32() as usize]))
    }

    /// Moves constants that are added to a value to the offset.
    fn without_constant(&self, value: Value, offset: &mut i32) -> Value {
        let mut value = value;
        while let Some([a, b]) = self.defined_by(Opcode::Iadd, value) {
            let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
            let sum = self.immediate(b).and_then(|more| offset.checked_add(more));
            let Some(sum) = sum.filter(|_| self.constant(a).is_none()) else { break };
            *offset = sum;
            value = a;
        }
        value
    }

    /// The value and the shift of an index that an address can contain.
    fn scaled(&self, value: Value) -> Option<(Value, u8)> {
        if !self.is_here(value) {
            return None;
        }
        let [index, shift] = self.defined_by(Opcode::Ishl, value)?;
        let shift = self.constant(shift)?;
        (1..=3).contains(&shift).then_some((index, shift as u8))
    }

    pub(super) fn memory(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        match self.func.dfg.insts[inst] {
            InstructionData::Load { arg, offset, .. } => {
                let mem = self.address(arg, offset.into());
                self.load(opcode, inst, mem)
            }
            InstructionData::Store { args: [value, address], offset, .. } => {
                let mem = self.address(address, offset.into());
                self.store(opcode, value, mem)
            }
            ref other => refused(other.opcode()),
        }
    }

    fn load(&mut self, opcode: Opcode, inst: ir::Inst, mem: Mem) -> Result<(), String> {
        let ty = self.result_type(inst);
        let to = self.result(inst);
        let mem = Rm::Mem(mem);
        let (signed, from) = match opcode {
            Opcode::Load if is_in_vector(ty) => {
                self.v1_to(to, load_op(ty), length_of(ty), mem, None);
                return Ok(());
            }
            Opcode::Load => {
                let Some(size) = Size::of_bytes(ty.bytes()) else { return refused(format_args!("a load of {ty}")) };
                (false, size)
            }
            Opcode::Uload8 => (false, Size::S8),
            Opcode::Sload8 => (true, Size::S8),
            Opcode::Uload16 => (false, Size::S16),
            Opcode::Sload16 => (true, Size::S16),
            Opcode::Uload32 => (false, Size::S32),
            Opcode::Sload32 => (true, Size::S32),
            _ => {
                let op = match opcode {
                    Opcode::Uload8x8 => op::VPMOVZXBW,
                    Opcode::Sload8x8 => op::VPMOVSXBW,
                    Opcode::Uload16x4 => op::VPMOVZXWD,
                    Opcode::Sload16x4 => op::VPMOVSXWD,
                    Opcode::Uload32x2 => op::VPMOVZXDQ,
                    _ => op::VPMOVSXDQ,
                };
                self.v1_to(to, op, Length::Xmm, mem, None);
                return Ok(());
            }
        };
        self.push(Inst::Extend { signed, from, into: size_of(ty), to, a: mem });
        Ok(())
    }

    fn store(&mut self, opcode: Opcode, value: Value, mem: Mem) -> Result<(), String> {
        let ty = self.type_of(value);
        if is_in_vector(ty) {
            let from = self.reg(value);
            self.push(Inst::Out { op: store_op(ty), length: length_of(ty), from, to: Rm::Mem(mem), imm: None });
            return Ok(());
        }
        let bytes = match opcode {
            Opcode::Istore8 => 1,
            Opcode::Istore16 => 2,
            Opcode::Istore32 => 4,
            _ => ty.bytes(),
        };
        let Some(size) = Size::of_bytes(bytes) else { return refused(format_args!("a store of {ty}")) };
        match self.immediate(value) {
            Some(value) => self.push(Inst::StoreImm { size, value, mem }),
            None => {
                let from = self.reg(value);
                self.push(Inst::Store { size, from, mem });
            }
        }
        Ok(())
    }

    /// The sum of two integers, as an address: the sources stay as they are.
    pub(super) fn sum(&mut self, to: Reg, inst: ir::Inst, size: Size) {
        let [a, b] = self.argument(inst);
        let mut offset = 0;
        let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
        let mem = match self.immediate(b) {
            Some(b) => {
                // Wrapping agrees with the arithmetic, because only the low bits are used, and both are sign-extended.
                let mut inner = b;
                let base = self.without_constant(a, &mut inner);
                let base = self.reg(base);
                Mem { base: Base::Reg(base), index: None, offset: inner }
            }
            None => {
                let (a, b) = (self.without_constant(a, &mut offset), self.without_constant(b, &mut offset));
                let (base, index) = if self.scaled(a).is_some() { (b, a) } else { (a, b) };
                let (index, shift) = self.scaled(index).unwrap_or((index, 0));
                let base = self.reg(base);
                let index = self.reg(index);
                Mem { base: Base::Reg(base), index: Some((index, shift)), offset }
            }
        };
        self.push(Inst::Lea { size, to, mem });
    }

    /// The address of an instruction that takes no offset.
    pub(super) fn plain_address(&mut self, value: Value) -> Mem {
        debug_assert_eq!(self.type_of(value), POINTER);
        self.address(value, 0)
    }
}
