//! The bytes of instructions.

mod copy;
mod instruction;
mod integer;
#[cfg(test)]
mod tests;

use super::op::{Length, Op, Prefix};
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
    /// The length with which vector registers are copied.
    pub(super) length: Length,
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
        self.operands_in_units(reg, place, behind, 1);
    }

    /// Like [`Self::operands`], with offsets of one byte that count units; none is so short if the unit is 0.
    fn operands_in_units(&mut self, reg: u8, place: Place, behind: u8, unit: i32) {
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
                let short = if unit != 0 && offset % unit == 0 { i8::try_from(offset / unit).ok() } else { None };
                let (size, short) = match short {
                    // Without an offset, the number 5 means that there is no base.
                    _ if offset == 0 && base & 7 != 5 => (0, 0),
                    Some(short) => (0x40, short),
                    None => (0x80, 0),
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
                    0x40 => self.byte(short as u8),
                    _ => self.word(offset),
                }
            }
        }
    }

    /// Writes an instruction with a VEX or EVEX prefix: the first register, the register in the prefix, and the last
    /// operand.
    fn vector(&mut self, op: Op, length: Length, reg: u8, second: u8, place: Place, behind: u8) {
        self.masked(op, length, None, reg, second, place, behind);
    }

    /// Like [`Self::vector`], with a mask for EVEX.
    #[expect(clippy::too_many_arguments, reason = "these are the fields of the instruction")]
    fn masked(&mut self, op: Op, length: Length, mask: Option<Reg>, reg: u8, second: u8, place: Place, behind: u8) {
        let (wide, whole) = match op.by {
            Prefix::Vex => return self.vex(op, length, reg, second, place, behind),
            Prefix::Either { wide } => (wide, true),
            Prefix::Part { wide } => (wide, false),
            Prefix::Evex { wide } => (wide, false),
        };
        let low = reg < 16 && second < 16 && !matches!(place, Place::Reg(16..));
        if low && length < Length::Zmm && !matches!(op.by, Prefix::Evex { .. }) {
            return self.vex(op, length, reg, second, place, behind);
        }
        let mask = mask.map_or(0, Reg::number);
        // The fifth bit of a register in place of an address is the bit of an index; that of an index in a vector
        // register is the bit of the second register, which such instructions lack.
        let (base, index, second) = match place {
            Place::Reg(number) => (number, number >> 1, second),
            Place::Memory { base, index, .. } => {
                let index = index.map_or(0, |(index, _)| index);
                (base.unwrap_or(0), index, second | index & 16)
            }
            Place::Constant { .. } => (0, 0, second),
        };
        let inverted = |number: u8, bit: u8, to: u8| (!number >> bit & 1) << to;
        self.byte(0x62);
        self.byte(inverted(reg, 3, 7) | inverted(index, 3, 6) | inverted(base, 3, 5) | inverted(reg, 4, 4) | op.map);
        self.byte(u8::from(wide) << 7 | (!second & 15) << 3 | 4 | op.prefix);
        self.byte((length as u8) << 5 | inverted(second, 4, 3) | mask);
        self.byte(op.opcode);
        let unit = if whole { length.bytes().cast_signed() } else { 0 };
        self.operands_in_units(reg, place, behind, unit);
    }

    fn vex(&mut self, op: Op, length: Length, reg: u8, second: u8, place: Place, behind: u8) {
        let (base, index) = place.high_bits();
        let tail = (!second & 15) << 3 | u8::from(length == Length::Ymm) << 2 | op.prefix;
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
