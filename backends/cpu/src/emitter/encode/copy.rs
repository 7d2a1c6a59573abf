//! The encoding of copies between registers, spilled values and memory.

use super::{Encoder, Legacy, Place};
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Base, Cc, Cond, Mem, Reg, Rm, Size};

impl Encoder {
    pub(in crate::emitter) fn zero_upper(&mut self) {
        self.bytes.extend_from_slice(&[0xc5, 0xf8, 0x77]);
    }

    /// Copies a register or a spilled value to another place.
    pub(in crate::emitter) fn copy(&mut self, to: Reg, from: Reg) {
        if to == from {
            return;
        }
        let length = self.frame.length;
        match (to, from) {
            (Reg::Slot(unit), Reg::Vector(_)) => {
                let place = self.memory(Mem::at(Base::Slot(unit)));
                self.vector(op::VMOVUPS_OUT, length, from.number(), 0, place, 0);
            }
            (Reg::Mask(_), _) => {
                let place = self.place(Rm::Any(from));
                self.vector(op::KMOVQ, Length::Xmm, to.number(), 0, place, 0);
            }
            (Reg::Slot(unit), Reg::Mask(_)) => {
                let place = self.memory(Mem::at(Base::Slot(unit)));
                self.vector(op::KMOVQ_OUT, Length::Xmm, from.number(), 0, place, 0);
            }
            (Reg::Slot(unit), _) => self.store(Size::S64, from, Mem::at(Base::Slot(unit))),
            (Reg::Vector(_), Reg::Slot(_)) => {
                let place = self.place(Rm::Any(from));
                self.vector(op::VMOVUPS, length, to.number(), 0, place, 0);
            }
            (Reg::Vector(_), _) => self.copy_vector(length, to.number(), from.number()),
            _ => {
                let place = self.place(Rm::Any(from));
                self.plain(Size::S64, &[0x8b], to, place, 0);
            }
        }
    }

    /// Copies a vector register; in the direction with the shorter prefix.
    pub(super) fn copy_vector(&mut self, length: Length, to: u8, from: u8) {
        if from >= 8 && to < 8 {
            self.vector(op::VMOVAPS_OUT, length, from, 0, Place::Reg(to), 0);
        } else {
            self.vector(op::VMOVAPS, length, to, 0, Place::Reg(from), 0);
        }
    }

    pub(in crate::emitter) fn store(&mut self, size: Size, from: Reg, mem: Mem) {
        let place = self.memory(mem);
        let opcode: &[u8] = if size == Size::S8 { &[0x88] } else { &[0x89] };
        self.legacy(Legacy { prefixes: &[], size, opcode, bytes: size == Size::S8 }, from.number(), place, 0);
    }

    /// Replaces a vector if a condition holds, by jumping over the copy otherwise.
    pub(super) fn move_vector(&mut self, cond: Cond, to: Reg, from: Reg) {
        if to == from {
            return;
        }
        let length = {
            let start = self.bytes.len();
            self.copy(to, from);
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
        self.copy(to, from);
    }
}
