//! The bytes of instructions.

mod copy;
mod instruction;
mod integer;
#[cfg(test)]
mod tests;

use super::op::Op;
use super::reg::{Base, Mem, Reg, Rm, Size};
use crate::codegen::Target;

/// The offsets of the parts of a frame from the stack pointer, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    /// The memory of stack slots.
    pub(super) stack: u32,
    /// Spilled values.
    pub(super) spills: u32,
    /// The size of everything below the saved registers.
    pub(super) bytes: u32,
    /// Whether vector registers are copied with all 256 bits.
    pub(super) long: bool,
}

/// A place in machine code that receives the distance to a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance {
    /// The position of the four bytes.
    pub(super) at: u32,
    /// The number of bytes of the instruction behind them.
    pub(super) behind: u8,
    /// The offset of the constant in the pool.
    pub(super) constant: u32,
}

/// Writes instructions.
#[derive(Debug)]
pub(super) struct Encoder {
    pub(super) bytes: Vec<u8>,
    pub(super) distances: Vec<Distance>,
    /// Places that receive the address of a function.
    pub(super) names: Vec<(u32, Target)>,
    pub(super) frame: Frame,
}

/// The operand of an instruction that may be a register or memory, with machine registers.
#[derive(Clone, Copy)]
enum Place {
    Reg(u8),
    Memory { base: Option<u8>, index: Option<(u8, u8)>, offset: i32 },
    Constant { pool: u32, offset: i32 },
}

impl Place {
    /// The bits of the numbers of base and index that are in prefixes.
    fn high_bits(self) -> (u8, u8) {
        match self {
            Self::Reg(number) => (number >> 3, 0),
            Self::Memory { base, index, .. } => (base.unwrap_or(0) >> 3, index.map_or(0, |(index, _)| index >> 3)),
            Self::Constant { .. } => (0, 0),
        }
    }
}

const RSP: u8 = 4;
const RBP: u8 = 5;

impl Encoder {
    pub(super) fn new(frame: Frame) -> Self {
        Self { bytes: Vec::new(), distances: Vec::new(), names: Vec::new(), frame }
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn word(&mut self, word: i32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn memory(&self, mem: Mem) -> Place {
        let (base, more) = match mem.base {
            Base::Reg(reg) => (Some(reg.number()), 0),
            Base::None => (None, 0),
            Base::Stack(offset) => (Some(RSP), self.frame.stack + offset),
            Base::Slot(unit) => (Some(RSP), self.frame.spills + unit * 8),
            Base::Outgoing(offset) => (Some(RSP), offset),
            // The return address and the caller's frame pointer are below the arguments.
            Base::Incoming(offset) => (Some(RBP), offset + 16),
            Base::Constant(pool) => return Place::Constant { pool, offset: mem.offset },
        };
        let index = mem.index.map(|(index, shift)| (index.number(), shift));
        Place::Memory { base, index, offset: mem.offset.wrapping_add(more.cast_signed()) }
    }

    fn place(&self, rm: Rm) -> Place {
        match rm {
            Rm::Reg(Reg::Slot(unit)) | Rm::Any(Reg::Slot(unit)) => self.memory(Mem::at(Base::Slot(unit))),
            Rm::Reg(reg) | Rm::Any(reg) => Place::Reg(reg.number()),
            Rm::Mem(mem) => self.memory(mem),
        }
    }

    /// Writes the bytes behind the opcode that name the operands; `behind` bytes of constants follow them.
    fn operands(&mut self, reg: u8, place: Place, behind: u8) {
        let reg = (reg & 7) << 3;
        match place {
            Place::Reg(number) => self.byte(0xc0 | reg | number & 7),
            Place::Constant { pool, offset } => {
                self.byte(reg | 5);
                let at = self.bytes.len() as u32;
                self.distances.push(Distance { at, behind, constant: pool.wrapping_add_signed(offset) });
                self.word(0);
            }
            Place::Memory { base: None, index, offset } => {
                self.byte(reg | 4);
                let (index, shift) = index.unwrap_or((4, 0));
                self.byte(shift << 6 | (index & 7) << 3 | 5);
                self.word(offset);
            }
            Place::Memory { base: Some(base), index, offset } => {
                let size = match i8::try_from(offset) {
                    // Without an offset, the number 5 means that there is no base.
                    Ok(0) if base & 7 != 5 => 0,
                    Ok(_) => 0x40,
                    Err(_) => 0x80,
                };
                if index.is_none() && base & 7 != 4 {
                    self.byte(size | reg | base & 7);
                } else {
                    let (index, shift) = index.unwrap_or((4, 0));
                    self.byte(size | reg | 4);
                    self.byte(shift << 6 | (index & 7) << 3 | base & 7);
                }
                match size {
                    0 => {}
                    0x40 => self.byte(offset as u8),
                    _ => self.word(offset),
                }
            }
        }
    }

    /// Writes an instruction with a VEX prefix: the first register, the register in the prefix, and the last operand.
    fn vex(&mut self, op: Op, long: bool, reg: u8, second: u8, place: Place, behind: u8) {
        let (base, index) = place.high_bits();
        let tail = (!second & 15) << 3 | u8::from(long) << 2 | op.prefix;
        let high = u8::from(reg < 8) << 7;
        if base == 0 && index == 0 && !op.wide && op.map == 1 {
            self.byte(0xc5);
            self.byte(high | tail);
        } else {
            self.byte(0xc4);
            self.byte(high | (index ^ 1) << 6 | (base ^ 1) << 5 | op.map);
            self.byte(u8::from(op.wide) << 7 | tail);
        }
        self.byte(op.opcode);
        self.operands(reg, place, behind);
    }

    /// Writes another instruction. `prefix` comes before everything; `bytes` says that registers of a byte are named,
    /// some of which only exist with a prefix.
    fn legacy(&mut self, code: Legacy<'_>, reg: u8, place: Place, behind: u8) {
        let (base, index) = place.high_bits();
        for prefix in code.prefixes {
            self.byte(*prefix);
        }
        if code.size == Size::S16 {
            self.byte(0x66);
        }
        let wide = u8::from(code.size == Size::S64);
        let rex = wide << 3 | (reg >> 3) << 2 | index << 1 | base;
        let named = code.bytes && (reg >= 4 || matches!(place, Place::Reg(4..)));
        if rex != 0 || named {
            self.byte(0x40 | rex);
        }
        self.bytes.extend_from_slice(code.opcode);
        self.operands(reg, place, behind);
    }
}

/// The parts of an instruction without VEX prefix.
#[derive(Clone, Copy)]
struct Legacy<'a> {
    prefixes: &'a [u8],
    size: Size,
    opcode: &'a [u8],
    /// Whether registers of a byte are named, some of which need a prefix.
    bytes: bool,
}
