//! Atomic operations.

use cranelift_codegen::ir::{self, AtomicRmwOp, InstructionData, Opcode};

use super::{Lower, refused, size_of};
use crate::emitter::inst::{Alu, Change, Inst, Rmw};
use crate::emitter::reg::{Cc, Rm, Size};

impl Lower<'_> {
    pub(super) fn atomic(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        match self.func.dfg.insts[inst] {
            InstructionData::AtomicRmw { args: [address, value], op, .. } => {
                let ty = self.type_of(value);
                let Some(size) = Size::of_bytes(ty.bytes()) else { return refused(format_args!("{opcode} of {ty}")) };
                let mem = self.plain_address(address);
                let a = self.reg(value);
                let used = self.registers[self.func.dfg.first_result(inst)].is_some();
                self.change(op, size, inst, a, mem, used);
            }
            InstructionData::AtomicCas { args: [address, expected, new], .. } => {
                let ty = self.type_of(new);
                let Some(size) = Size::of_bytes(ty.bytes()) else { return refused(format_args!("{opcode} of {ty}")) };
                let mem = self.plain_address(address);
                let (expected, new) = (self.reg(expected), self.reg(new));
                let to = self.result(inst);
                self.push(Inst::CompareExchange { size, to, expected, new, mem });
            }
            InstructionData::LoadNoOffset { arg, .. } => {
                let ty = self.result_type(inst);
                let Some(from) = Size::of_bytes(ty.bytes()) else { return refused(format_args!("{opcode} of {ty}")) };
                let a = Rm::Mem(self.plain_address(arg));
                let to = self.result(inst);
                self.push(Inst::Extend { signed: false, from, into: size_of(ty), to, a });
            }
            InstructionData::StoreNoOffset { args: [value, address], .. } => {
                let ty = self.type_of(value);
                let Some(size) = Size::of_bytes(ty.bytes()) else { return refused(format_args!("{opcode} of {ty}")) };
                let mem = self.plain_address(address);
                let a = self.reg(value);
                let to = self.new_int();
                // An exchange is a store that no later load overtakes.
                self.push(Inst::Exchange { size, to, a, mem });
            }
            _ => self.push(Inst::Fence),
        }
        Ok(())
    }

    fn change(
        &mut self,
        op: AtomicRmwOp,
        size: Size,
        inst: ir::Inst,
        a: crate::emitter::reg::Reg,
        mem: crate::emitter::reg::Mem,
        used: bool,
    ) {
        let to = self.result(inst);
        let op = match op {
            AtomicRmwOp::Xchg => return self.push(Inst::Exchange { size, to, a, mem }),
            AtomicRmwOp::Add | AtomicRmwOp::Sub if used => {
                let a = if op == AtomicRmwOp::Sub {
                    let negative = self.new_int();
                    self.push(Inst::Change { op: Change::Neg, size: Size::S64, to: negative, a });
                    negative
                } else {
                    a
                };
                return self.push(Inst::Add { size, to, a, mem });
            }
            AtomicRmwOp::Add => Rmw::Alu(Alu::Add),
            AtomicRmwOp::Sub => Rmw::Alu(Alu::Sub),
            AtomicRmwOp::And => Rmw::Alu(Alu::And),
            AtomicRmwOp::Or => Rmw::Alu(Alu::Or),
            AtomicRmwOp::Xor => Rmw::Alu(Alu::Xor),
            AtomicRmwOp::Nand => Rmw::Nand,
            AtomicRmwOp::Umin => Rmw::Keep(Cc::BE),
            AtomicRmwOp::Umax => Rmw::Keep(Cc::AE),
            AtomicRmwOp::Smin => Rmw::Keep(Cc::LE),
            AtomicRmwOp::Smax => Rmw::Keep(Cc::GE),
        };
        match op {
            // Without a use of the old value, a locked instruction is enough.
            Rmw::Alu(op) if !used => self.push(Inst::Locked { op, size, a, mem }),
            op => {
                let new = self.new_int();
                self.push(Inst::Loop { op, size, to, new, a, mem });
            }
        }
    }
}
