//! Counting and reversing bits.

use cranelift_codegen::ir::{self, Opcode, types};

use super::{Lower, length_of, refused, size_of};
use crate::emitter::inst::{Alu, Change, Count, Inst, Shift};
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Reg, Rm, Rmi, Size};

/// The number of set bits of each half byte.
const ONES: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

impl Lower<'_> {
    pub(super) fn bits(&mut self, opcode: Opcode, inst: ir::Inst) -> Result<(), String> {
        let ty = self.result_type(inst);
        if ty.is_vector() {
            return if opcode == Opcode::Popcnt && ty.lane_type() == types::I8 {
                self.count_in_bytes(inst);
                Ok(())
            } else {
                refused(format_args!("{opcode} of {ty}"))
            };
        }
        let to = self.result(inst);
        let size = size_of(ty);
        let value = self.arguments(inst)[0];
        match opcode {
            Opcode::Bswap => {
                let a = self.reg(value);
                if ty.bits() == 16 {
                    let swapped = self.new_int();
                    self.push(Inst::Change { op: Change::Swap, size, to: swapped, a });
                    self.push(Inst::Shift { op: Shift::Right, size, to, a: swapped, by: 16 });
                } else {
                    self.push(Inst::Change { op: Change::Swap, size, to, a });
                }
            }
            Opcode::Bitrev => self.reverse(to, inst),
            _ if ty.bits() >= 32 => {
                let op = match opcode {
                    Opcode::Popcnt => Count::Ones,
                    Opcode::Clz => Count::Leading,
                    _ => Count::Trailing,
                };
                let a = self.rm(value);
                self.push(Inst::Count { op, size, to, a });
            }
            Opcode::Popcnt => {
                let a = Rm::Reg(self.extended(value, false));
                self.push(Inst::Count { op: Count::Ones, size, to, a });
            }
            Opcode::Clz => {
                let a = self.extended(value, false);
                let count = self.new_int();
                self.push(Inst::Count { op: Count::Leading, size, to: count, a: Rm::Reg(a) });
                let b = Rmi::Imm(32 - ty.bits() as i32);
                self.push(Inst::Alu { op: Alu::Sub, size, to, a: count, b });
            }
            _ => {
                // A bit above the value ends the count.
                let a = self.reg(value);
                let ended = self.new_int();
                self.push(Inst::Alu { op: Alu::Or, size, to: ended, a, b: Rmi::Imm(1 << ty.bits()) });
                self.push(Inst::Count { op: Count::Trailing, size, to, a: Rm::Reg(ended) });
            }
        }
        Ok(())
    }

    /// Reverses bits: the bytes by an instruction, then the bits of each byte by swaps.
    fn reverse(&mut self, to: Reg, inst: ir::Inst) {
        const LOWER: [(u8, u64); 3] =
            [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)];
        let ty = self.result_type(inst);
        let size = size_of(ty);
        let a = self.reg(self.arguments(inst)[0]);
        let mut x = self.new_int();
        self.push(Inst::Change { op: Change::Swap, size, to: x, a });
        if ty.bits() < 32 {
            let low = self.new_int();
            self.push(Inst::Shift { op: Shift::Right, size, to: low, a: x, by: 32 - ty.bits() as u8 });
            x = low;
        }
        for (by, lower) in LOWER {
            let mask = self.new_int();
            let value = if size == Size::S64 { lower } else { lower & 0xffff_ffff };
            self.push(Inst::Imm { to: mask, value });
            let [down, low, high, up] = std::array::from_fn(|_| self.new_int());
            self.push(Inst::Shift { op: Shift::Right, size, to: down, a: x, by });
            let b = Rmi::Rm(Rm::Reg(mask));
            self.push(Inst::Alu { op: Alu::And, size, to: low, a: down, b });
            self.push(Inst::Alu { op: Alu::And, size, to: high, a: x, b });
            self.push(Inst::Shift { op: Shift::Left, size, to: up, a: high, by });
            x = if by == 1 { to } else { self.new_int() };
            self.push(Inst::Alu { op: Alu::Or, size, to: x, a: up, b: Rmi::Rm(Rm::Reg(low)) });
        }
    }

    /// The number of set bits of each byte: the sum of the numbers for its halves, which a table contains.
    fn count_in_bytes(&mut self, inst: ir::Inst) {
        let ty = self.result_type(inst);
        let (to, length) = (self.result(inst), length_of(ty));
        let x = self.reg(self.arguments(inst)[0]);
        let half = self.each_lane(types::I8.by(ty.lane_count()).unwrap_or(ty), 0x0f);
        let low = self.v(op::VPAND, length, x, half);
        let down = self.shift_lanes(op::VPSRLW_IMM, length, x, 4);
        let high = self.v(op::VPAND, length, down, half);
        let table: Vec<u8> = ONES.iter().copied().cycle().take(ty.bytes() as usize).collect();
        let table = self.load_constant(ty, &table);
        let low = self.v(op::VPSHUFB, length, table, Rm::Reg(low));
        let high = self.v(op::VPSHUFB, length, table, Rm::Reg(high));
        self.v_to(to, op::VPADDB, length, low, Rm::Reg(high));
    }

    /// Shifts the lanes of a vector by a constant.
    pub(super) fn shift_lanes(&mut self, op: op::Op, length: Length, x: Reg, by: u8) -> Reg {
        self.v1(op, length, Rm::Reg(x), Some(by))
    }
}
