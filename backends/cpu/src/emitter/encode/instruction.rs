//! The encoding of each instruction, after allocation.

use super::{Encoder, Legacy, Place};
use crate::emitter::inst::{Alu, Change, Inst, Rmw};
use crate::emitter::op;
use crate::emitter::reg::{Base, Cc, Cond, Mem, RAX, RDX, Reg, Rm, Rmi, Size};

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
            Inst::V { op, long, to, a, b, c, imm } => {
                let place = self.place(b);
                let behind = u8::from(imm.is_some() || c.is_some());
                match op.digit {
                    Some(digit) => self.vex(op, long, digit, to.number(), place, behind),
                    None => self.vex(op, long, to.number(), a.map_or(0, Reg::number), place, behind),
                }
                if let Some(byte) = c.map(|c| c.number() << 4).or(imm) {
                    self.byte(byte);
                }
            }
            Inst::Fused { op, long, to, b, c, .. } => {
                let place = self.place(c);
                self.vex(op, long, to.number(), b.number(), place, 0);
            }
            Inst::Out { op, long, from, to, imm } => {
                let place = self.place(to);
                self.vex(op, long, from.number(), 0, place, u8::from(imm.is_some()));
                if let Some(imm) = imm {
                    self.byte(imm);
                }
            }
            Inst::Flags { op, long, a, b } => {
                let place = self.place(b);
                self.vex(op, long, a.number(), 0, place, 0);
            }
            Inst::Own { op, long, to } => {
                let place = Place::Reg(to.number());
                self.vex(op, long, to.number(), to.number(), place, 0);
            }
            Inst::FromInt { op, to, a } => {
                let own = Place::Reg(to.number());
                self.vex(op::VXORPS, false, to.number(), to.number(), own, 0);
                let place = self.place(a);
                self.vex(op, false, to.number(), to.number(), place, 0);
            }
            Inst::Gather { op, long, to, used, base, index, scale, offset, .. } => {
                // A vector register takes the place of the index.
                let place = Place::Memory { base: Some(base.number()), index: Some((index.number(), scale)), offset };
                self.vex(op, long, to.number(), used.number(), place, 0);
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

    pub(in crate::emitter) fn zero_upper(&mut self) {
        self.bytes.extend_from_slice(&[0xc5, 0xf8, 0x77]);
    }

    fn plain(&mut self, size: Size, opcode: &[u8], reg: Reg, place: Place, behind: u8) {
        self.legacy(Legacy { prefixes: &[], size, opcode, bytes: false }, reg.number(), place, behind);
    }

    fn locked(&mut self, prefixes: &[u8], size: Size, opcode: &[u8], reg: Reg, mem: Mem) {
        let place = self.memory(mem);
        self.legacy(Legacy { prefixes, size, opcode, bytes: size == Size::S8 }, reg.number(), place, 0);
    }

    /// Arithmetic of two operands, by its number; 7 is a comparison.
    fn alu(&mut self, op: u8, size: Size, a: Rm, b: Rmi) {
        let bytes = size == Size::S8;
        match b {
            Rmi::Imm(value) => {
                let place = self.place(a);
                let short = i8::try_from(value).is_ok();
                let opcode: &[u8] = match (bytes, short) {
                    (true, _) => &[0x80],
                    (false, true) => &[0x83],
                    (false, false) => &[0x81],
                };
                let behind = if bytes || short { 1 } else { (size as u8).min(4) };
                self.legacy(Legacy { prefixes: &[], size, opcode, bytes }, op, place, behind);
                self.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(behind)]);
            }
            Rmi::Rm(b) => {
                let opcode = [op << 3 | 2 | u8::from(!bytes)];
                match a {
                    Rm::Reg(a @ Reg::Int(_)) | Rm::Any(a @ Reg::Int(_)) => {
                        let place = self.place(b);
                        self.legacy(Legacy { prefixes: &[], size, opcode: &opcode, bytes }, a.number(), place, 0);
                    }
                    _ => {
                        // The other direction: the first operand is in memory.
                        let place = self.place(a);
                        let (Rm::Reg(b) | Rm::Any(b)) = b else { return self.instruction(&Inst::Trap) };
                        let opcode = [opcode[0] & !2];
                        self.legacy(Legacy { prefixes: &[], size, opcode: &opcode, bytes }, b.number(), place, 0);
                    }
                }
            }
        }
    }

    fn test(&mut self, size: Size, a: Reg, b: Rmi) {
        let bytes = size == Size::S8;
        match b {
            Rmi::Imm(value) => {
                let place = self.place(Rm::Reg(a));
                let opcode: &[u8] = if bytes { &[0xf6] } else { &[0xf7] };
                let behind = (size as u8).min(4);
                self.legacy(Legacy { prefixes: &[], size, opcode, bytes }, 0, place, behind);
                self.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(behind)]);
            }
            Rmi::Rm(b) => {
                let place = self.place(b);
                let opcode: &[u8] = if bytes { &[0x84] } else { &[0x85] };
                self.legacy(Legacy { prefixes: &[], size, opcode, bytes }, a.number(), place, 0);
            }
        }
    }

    fn change(&mut self, op: Change, size: Size, to: Reg) {
        let place = self.place(Rm::Reg(to));
        match op {
            Change::Not => self.plain(size, &[0xf7], Reg::Int(2), place, 0),
            Change::Neg => {
                let opcode: &[u8] = if size == Size::S8 { &[0xf6] } else { &[0xf7] };
                self.legacy(Legacy { prefixes: &[], size, opcode, bytes: size == Size::S8 }, 3, place, 0);
            }
            Change::Swap => {
                let rex = 0x40 | u8::from(size == Size::S64) << 3 | to.number() >> 3;
                if rex != 0x40 {
                    self.byte(rex);
                }
                self.byte(0x0f);
                self.byte(0xc8 | to.number() & 7);
            }
        }
    }

    fn constant(&mut self, to: Reg, value: u64) {
        let number = to.number();
        if let Ok(low) = u32::try_from(value) {
            if number >= 8 {
                self.byte(0x41);
            }
            self.byte(0xb8 | number & 7);
            self.bytes.extend_from_slice(&low.to_le_bytes());
        } else if let Ok(low) = i32::try_from(value.cast_signed()) {
            let place = Place::Reg(number);
            self.plain(Size::S64, &[0xc7], RAX, place, 4);
            self.word(low);
        } else {
            self.byte(0x48 | number >> 3);
            self.byte(0xb8 | number & 7);
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Copies a register or a spilled value to another place.
    pub(in crate::emitter) fn copy(&mut self, to: Reg, from: Reg) {
        if to == from {
            return;
        }
        let long = self.frame.long;
        match (to, from) {
            (Reg::Slot(unit), Reg::Vector(_)) => {
                let place = self.memory(Mem::at(Base::Slot(unit)));
                self.vex(op::VMOVUPS_OUT, long, from.number(), 0, place, 0);
            }
            (Reg::Slot(unit), _) => self.store(Size::S64, from, Mem::at(Base::Slot(unit))),
            (Reg::Vector(_), Reg::Slot(_)) => {
                let place = self.place(Rm::Any(from));
                self.vex(op::VMOVUPS, long, to.number(), 0, place, 0);
            }
            (Reg::Vector(_), _) => self.copy_vector(long, to.number(), from.number()),
            _ => {
                let place = self.place(Rm::Any(from));
                self.plain(Size::S64, &[0x8b], to, place, 0);
            }
        }
    }

    /// Copies a vector register; in the direction with the shorter prefix.
    fn copy_vector(&mut self, long: bool, to: u8, from: u8) {
        if from >= 8 && to < 8 {
            self.vex(op::VMOVAPS_OUT, long, from, 0, Place::Reg(to), 0);
        } else {
            self.vex(op::VMOVAPS, long, to, 0, Place::Reg(from), 0);
        }
    }

    fn extend(&mut self, signed: bool, from: Size, into: Size, to: Reg, a: Rm) {
        let place = self.place(a);
        // A register of 32 bits is written with zeros above.
        let wide = if signed { into } else { Size::S32 };
        let (size, opcode): (_, &[u8]) = match (from, signed) {
            (Size::S8, false) => (wide, &[0x0f, 0xb6]),
            (Size::S8, true) => (wide, &[0x0f, 0xbe]),
            (Size::S16, false) => (wide, &[0x0f, 0xb7]),
            (Size::S16, true) => (wide, &[0x0f, 0xbf]),
            (Size::S32, true) if into == Size::S64 => (Size::S64, &[0x63]),
            (Size::S32, _) => (Size::S32, &[0x8b]),
            (Size::S64, _) => (Size::S64, &[0x8b]),
        };
        let size = if size == Size::S64 { Size::S64 } else { Size::S32 };
        // Only the source is a register of a byte here.
        let named = from == Size::S8 && matches!(place, Place::Reg(4..));
        self.legacy(Legacy { prefixes: &[], size, opcode, bytes: named }, to.number(), place, 0);
    }

    pub(in crate::emitter) fn store(&mut self, size: Size, from: Reg, mem: Mem) {
        let place = self.memory(mem);
        let opcode: &[u8] = if size == Size::S8 { &[0x88] } else { &[0x89] };
        self.legacy(Legacy { prefixes: &[], size, opcode, bytes: size == Size::S8 }, from.number(), place, 0);
    }

    fn compare_exchange(&mut self, size: Size, new: Reg, mem: Mem) {
        let opcode: &[u8] = if size == Size::S8 { &[0x0f, 0xb0] } else { &[0x0f, 0xb1] };
        self.locked(&[0xf0], size, opcode, new, mem);
    }

    fn change_in_loop(&mut self, op: Rmw, size: Size, [to, new, a]: [Reg; 3], mem: Mem) {
        self.extend(false, size, size, to, Rm::Mem(mem));
        let again = self.bytes.len();
        self.copy(new, to);
        match op {
            Rmw::Alu(op) => self.alu(op as u8, Size::S64, Rm::Reg(new), Rmi::Rm(Rm::Reg(a))),
            Rmw::Nand => {
                self.alu(Alu::And as u8, Size::S64, Rm::Reg(new), Rmi::Rm(Rm::Reg(a)));
                self.change(Change::Not, Size::S64, new);
            }
            Rmw::Keep(cc) => {
                self.alu(7, size, Rm::Reg(new), Rmi::Rm(Rm::Reg(a)));
                self.plain(Size::S64, &[0x0f, 0x40 | cc.not() as u8], new, Place::Reg(a.number()), 0);
            }
        }
        self.compare_exchange(size, new, mem);
        self.byte(0x70 | Cc::NE as u8);
        let back = again as i64 - (self.bytes.len() as i64 + 1);
        self.byte(back as u8);
    }

    /// Replaces a vector if a condition holds, by jumping over the copy otherwise.
    fn move_vector(&mut self, cond: Cond, to: Reg, from: Reg) {
        if to == from {
            return;
        }
        let long = self.frame.long;
        let length = {
            let start = self.bytes.len();
            self.copy_vector(long, to.number(), from.number());
            let length = self.bytes.len() - start;
            self.bytes.truncate(start);
            length as u8
        };
        let jump = |encoder: &mut Self, cc: Cc, over: u8| encoder.bytes.extend_from_slice(&[0x70 | cc as u8, over]);
        match cond {
            Cond::If(cc) => jump(self, cc.not(), length),
            Cond::Both(a, b) => {
                jump(self, a.not(), length + 2);
                jump(self, b.not(), length);
            }
            Cond::Either(a, b) => {
                jump(self, a, 2);
                jump(self, b.not(), length);
            }
        }
        self.copy_vector(long, to.number(), from.number());
    }
}
