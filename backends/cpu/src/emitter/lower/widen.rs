//! The width of the lanes of vectors of integers.

use cranelift_codegen::ir::{self, Opcode, Type, Value, types};

use super::{Lower, is_long, length_of, refused};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length, Op};
use crate::emitter::reg::{Reg, Rm};

impl Lower<'_> {
    pub(super) fn widen(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let from = self.type_of(self.arguments(inst)[0]);
        let to = self.result(inst);
        match opcode {
            Opcode::SwidenLow | Opcode::UwidenLow => {
                let op = extension(opcode == Opcode::SwidenLow, from)?;
                let x = self.rm(self.arguments(inst)[0]);
                self.v1_to(to, op, length_of(from), x, None);
            }
            Opcode::SwidenHigh | Opcode::UwidenHigh => {
                let op = extension(opcode == Opcode::SwidenHigh, from)?;
                self.widen_high(to, op, opcode == Opcode::SwidenHigh, self.arguments(inst)[0], from);
            }
            Opcode::Snarrow | Opcode::Unarrow | Opcode::IaddPairwise => {
                let op = match (opcode, from.lane_type()) {
                    (Opcode::Snarrow, types::I16) => op::VPACKSSWB,
                    (Opcode::Snarrow, types::I32) => op::VPACKSSDW,
                    (Opcode::Unarrow, types::I16) => op::VPACKUSWB,
                    (Opcode::Unarrow, types::I32) => op::VPACKUSDW,
                    (Opcode::IaddPairwise, types::I16) => op::VPHADDW,
                    (Opcode::IaddPairwise, types::I32) => op::VPHADDD,
                    _ => return refused(format_args!("{opcode} of {from}")),
                };
                let [a, b] = self.argument(inst);
                let a = self.reg(a);
                let b = self.rm(b);
                match length_of(from) {
                    Length::Xmm => self.v_to(to, op, Length::Xmm, a, b),
                    Length::Ymm => {
                        // The instruction works on each half of 128 bits by itself.
                        let mixed = self.v(op, Length::Ymm, a, b);
                        self.v1_to(to, op::VPERMQ, Length::Ymm, Rm::Reg(mixed), Some(0b11_01_10_00));
                    }
                    Length::Zmm => return refused(format_args!("{opcode} of {from}")),
                }
            }
            _ => return refused(opcode),
        }
        Ok(())
    }

    fn widen_high(&mut self, to: Reg, op: Op, signed: bool, value: Value, from: Type) {
        if is_long(from) {
            let x = self.reg(value);
            let upper = self.upper_half(x, length_of(from));
            self.v1_to(to, op, length_of(from), Rm::Reg(upper), None);
        } else if signed {
            let x = self.rm(value);
            let upper = self.v1(op::VPSHUFD, Length::Xmm, x, Some(0xee));
            self.v1_to(to, op, Length::Xmm, Rm::Reg(upper), None);
        } else {
            let op = match from.lane_bits() {
                8 => op::VPUNPCKHBW,
                16 => op::VPUNPCKHWD,
                _ => op::VPUNPCKHDQ,
            };
            let x = self.reg(value);
            let zero = self.zero();
            self.push(Inst::V { op, length: Length::Xmm, to, a: Some(x), b: Rm::Reg(zero), c: None, imm: None });
        }
    }
}

fn extension(signed: bool, from: Type) -> Result<Op, String> {
    Ok(match (signed, from.lane_type()) {
        (true, types::I8) => op::VPMOVSXBW,
        (true, types::I16) => op::VPMOVSXWD,
        (true, types::I32) => op::VPMOVSXDQ,
        (false, types::I8) => op::VPMOVZXBW,
        (false, types::I16) => op::VPMOVZXWD,
        (false, types::I32) => op::VPMOVZXDQ,
        _ => return refused(format_args!("wider lanes of {from}")),
    })
}
