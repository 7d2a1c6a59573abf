//! The encoding of instructions on general registers.

use super::{Encoder, Legacy, Place};
use crate::emitter::inst::{Alu, Change, Inst, Rmw};
use crate::emitter::reg::{Cc, Mem, RAX, Reg, Rm, Rmi, Size};

impl Encoder {
    pub(super) fn plain(&mut self, size: Size, opcode: &[u8], reg: Reg, place: Place, behind: u8) {
        self.legacy(Legacy { prefixes: &[], size, opcode, bytes: false }, reg.number(), place, behind);
    }

    pub(super) fn locked(&mut self, prefixes: &[u8], size: Size, opcode: &[u8], reg: Reg, mem: Mem) {
        let place = self.memory(mem);
        self.legacy(Legacy { prefixes, size, opcode, bytes: size == Size::S8 }, reg.number(), place, 0);
    }

    /// Arithmetic of two operands, by its number; 7 is a comparison.
    pub(super) fn alu(&mut self, op: u8, size: Size, a: Rm, b: Rmi) {
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

    pub(super) fn test(&mut self, size: Size, a: Reg, b: Rmi) {
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

    pub(super) fn change(&mut self, op: Change, size: Size, to: Reg) {
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

    pub(super) fn constant(&mut self, to: Reg, value: u64) {
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

    pub(super) fn extend(&mut self, signed: bool, from: Size, into: Size, to: Reg, a: Rm) {
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

    pub(super) fn compare_exchange(&mut self, size: Size, new: Reg, mem: Mem) {
        let opcode: &[u8] = if size == Size::S8 { &[0x0f, 0xb0] } else { &[0x0f, 0xb1] };
        self.locked(&[0xf0], size, opcode, new, mem);
    }

    pub(super) fn change_in_loop(&mut self, op: Rmw, size: Size, [to, new, a]: [Reg; 3], mem: Mem) {
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
}
