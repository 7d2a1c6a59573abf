//! The encoding of each instruction, after allocation.

use super::{Encoder, Legacy, Place};
use crate::emitter::inst::{Change, Inst};
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{RAX, RDX, Reg, Rm, Size};

impl Encoder {
    /// Writes an instruction other than a return or a branch.
    pub(in crate::emitter) fn instruction(&mut self, inst: &Inst) {
        match *inst {
            Inst::Alu { op, size, to, b, .. } => self.alu(op as u8, size, Rm::Reg(to), b),
            Inst::Cmp { size, a, b } => self.alu(7, size, a, b),
            Inst::Test { size, a, b } => self.test(size, a, b),
            Inst::Change { op, size, to, .. } => self.change(op, size, to),
            Inst::Spread { size, to, .. } => {
                self.change(Change::Neg, size, to);
                // All 64 bits, because the result may be wider than the value.
                let place = self.place(Rm::Reg(to));
                self.plain(Size::S64, &[0x1b], to, place, 0);
            }
            Inst::Imm { to, value } => self.constant(to, value),
            Inst::Name { to, target } => {
                self.byte(0x48 | to.number() >> 3);
                self.byte(0xb8 | to.number() & 7);
                self.names.push((self.bytes.len() as u32, target));
                self.bytes.extend_from_slice(&[0; 8]);
            }
            Inst::Copy { to, from } => self.copy(to, from),
            Inst::Extend { signed, from, into, to, a } => self.extend(signed, from, into, to, a),
            Inst::Store { size, from, mem } => self.store(size, from, mem),
            Inst::StoreImm { size, value, mem } => {
                let place = self.memory(mem);
                let opcode: &[u8] = if size == Size::S8 { &[0xc6] } else { &[0xc7] };
                let behind = (size as u8).min(4);
                self.plain(size, opcode, RAX, place, behind);
                self.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(behind)]);
            }
            Inst::Lea { size, to, mem } => {
                let place = self.memory(mem);
                self.plain(size, &[0x8d], to, place, 0);
            }
            Inst::Shift { op, size, to, by, .. } => {
                let place = self.place(Rm::Reg(to));
                self.plain(size, &[0xc1], Reg::Int(op as u8), place, 1);
                self.byte(by);
            }
            Inst::Rotate { op, size, to, .. } => {
                let place = self.place(Rm::Reg(to));
                let opcode: &[u8] = if size == Size::S8 { &[0xd2] } else { &[0xd3] };
                self.legacy(Legacy { prefixes: &[], size, opcode, bytes: size == Size::S8 }, op as u8, place, 0);
            }
            Inst::Mul { size, to, b, .. } => {
                let place = self.place(b);
                self.plain(size, &[0x0f, 0xaf], to, place, 0);
            }
            Inst::MulImm { size, to, a, by } => {
                let place = self.place(a);
                if let Ok(by) = i8::try_from(by) {
                    self.plain(size, &[0x6b], to, place, 1);
                    self.byte(by as u8);
                } else {
                    self.plain(size, &[0x69], to, place, 4);
                    self.word(by);
                }
            }
            Inst::MulHigh { signed, size, b, .. } => {
                let place = self.place(b);
                self.plain(size, &[0xf7], Reg::Int(if signed { 5 } else { 4 }), place, 0);
            }
            Inst::Div { signed, size, b, .. } => {
                if signed {
                    if size == Size::S64 {
                        self.byte(0x48);
                    }
                    self.byte(0x99);
                } else {
                    let place = self.place(Rm::Reg(RDX));
                    self.plain(Size::S32, &[0x33], RDX, place, 0);
                }
                let place = self.place(b);
                self.plain(size, &[0xf7], Reg::Int(if signed { 7 } else { 6 }), place, 0);
            }
            Inst::Count { op, size, to, a } => {
                let place = self.place(a);
                let opcode = [0x0f, op as u8];
                self.legacy(Legacy { prefixes: &[0xf3], size, opcode: &opcode, bytes: false }, to.number(), place, 0);
            }
            Inst::Set { cc, to } => {
                let opcode = [0x0f, 0x90 | cc as u8];
                let place = self.place(Rm::Reg(to));
                self.legacy(Legacy { prefixes: &[], size: Size::S32, opcode: &opcode, bytes: true }, 0, place, 0);
            }
            Inst::Move { cc, size, to, b, .. } => {
                let place = self.place(b);
                self.plain(size, &[0x0f, 0x40 | cc as u8], to, place, 0);
            }
            Inst::MoveVector { cond, to, b, .. } => self.move_vector(cond, to, b),
            Inst::V { op, length, to, a, b, c, imm } => {
                let place = self.place(b);
                let mask = c.filter(|c| matches!(c, Reg::Mask(_)));
                let last = if mask.is_none() { c.map(|c| c.number() << 4).or(imm) } else { imm };
                let behind = u8::from(last.is_some());
                let (reg, second) = match op.digit {
                    Some(digit) => (digit, to.number()),
                    None => (to.number(), a.map_or(0, Reg::number)),
                };
                self.masked(op, length, mask, reg, second, place, behind);
                if let Some(byte) = last {
                    self.byte(byte);
                }
            }
            Inst::Fused { op, length, to, b, c, imm, .. } => {
                let place = self.place(c);
                self.vector(op, length, to.number(), b.number(), place, u8::from(imm.is_some()));
                if let Some(imm) = imm {
                    self.byte(imm);
                }
            }
            Inst::Out { op, length, from, to, imm } => {
                let place = self.place(to);
                self.vector(op, length, from.number(), 0, place, u8::from(imm.is_some()));
                if let Some(imm) = imm {
                    self.byte(imm);
                }
            }
            Inst::Flags { op, length, a, b } => {
                let place = self.place(b);
                self.vector(op, length, a.number(), 0, place, 0);
            }
            Inst::Own { op, length, to, imm } => {
                let place = Place::Reg(to.number());
                self.vector(op, length, to.number(), to.number(), place, u8::from(imm.is_some()));
                if let Some(imm) = imm {
                    self.byte(imm);
                }
            }
            Inst::FromInt { op, to, a } => {
                let own = Place::Reg(to.number());
                self.vector(op::VXORPS, Length::Xmm, to.number(), to.number(), own, 0);
                let place = self.place(a);
                self.vector(op, Length::Xmm, to.number(), to.number(), place, 0);
            }
            Inst::Gather { op, length, to, used, base, index, scale, offset, .. } => {
                // A vector register takes the place of the index.
                let place = Place::Memory { base: Some(base.number()), index: Some((index.number(), scale)), offset };
                if let Reg::Mask(_) = used {
                    self.masked(op, length, Some(used), to.number(), 0, place, 0);
                } else {
                    self.vector(op, length, to.number(), used.number(), place, 0);
                }
            }
            Inst::Scatter { from, used, base, index, scale, offset, .. } => {
                let place = Place::Memory { base: Some(base.number()), index: Some((index.number(), scale)), offset };
                self.masked(op::VPSCATTERDD, Length::Zmm, Some(used), from.number(), 0, place, 0);
            }
            Inst::Exchange { size, to, mem, .. } => {
                let opcode: &[u8] = if size == Size::S8 { &[0x86] } else { &[0x87] };
                self.locked(&[], size, opcode, to, mem);
            }
            Inst::Add { size, to, mem, .. } => {
                let opcode: &[u8] = if size == Size::S8 { &[0x0f, 0xc0] } else { &[0x0f, 0xc1] };
                self.locked(&[0xf0], size, opcode, to, mem);
            }
            Inst::Locked { op, size, a, mem } => {
                let opcode = [(op as u8) << 3 | u8::from(size != Size::S8)];
                self.locked(&[0xf0], size, &opcode, a, mem);
            }
            Inst::CompareExchange { size, new, mem, .. } => self.compare_exchange(size, new, mem),
            Inst::Loop { op, size, to, new, a, mem } => self.change_in_loop(op, size, [to, new, a], mem),
            Inst::Fence => self.bytes.extend_from_slice(&[0x0f, 0xae, 0xf0]),
            Inst::Call(ref call) => {
                if call.zero_upper {
                    self.zero_upper();
                }
                let place = self.place(Rm::Reg(call.callee));
                self.plain(Size::S32, &[0xff], Reg::Int(2), place, 0);
            }
            Inst::Trap => self.bytes.extend_from_slice(&[0x0f, 0x0b]),
            Inst::Arguments(_) | Inst::Return { .. } | Inst::Jump | Inst::Branch(_) | Inst::Table { .. } => {}
        }
    }
}
