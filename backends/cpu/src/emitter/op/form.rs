//! The forms of instructions: their prefixes, and the parts of their opcodes.

/// The length of the vectors of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::emitter) enum Length {
    /// 128 bits, and scalars.
    #[default]
    Xmm,
    /// 256 bits.
    Ymm,
    /// 512 bits.
    Zmm,
}

impl Length {
    pub(in crate::emitter) fn bytes(self) -> u32 {
        16 << self as u32
    }
}

/// The prefix with which an instruction is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emitter) enum Prefix {
    /// VEX only: 16 registers, up to 256 bits.
    Vex,
    /// VEX where that suffices, otherwise EVEX, which counts short offsets in whole vectors.
    Either { wide: bool },
    /// Like [`Self::Either`], but the operand in memory is only a part of a vector.
    Part { wide: bool },
    /// EVEX only.
    Evex { wide: bool },
}

/// An instruction with a VEX or EVEX prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emitter) struct Op {
    pub(in crate::emitter) name: &'static str,
    pub(in crate::emitter) by: Prefix,
    /// The mandatory prefix: 0 for none, 1 for 66, 2 for F3, 3 for F2.
    pub(in crate::emitter) prefix: u8,
    /// The map of opcodes: 1 for 0F, 2 for 0F38, 3 for 0F3A.
    pub(in crate::emitter) map: u8,
    pub(in crate::emitter) wide: bool,
    pub(in crate::emitter) opcode: u8,
    /// The number in the field of the first register, of instructions whose destination is in the prefix.
    pub(in crate::emitter) digit: Option<u8>,
}

/// An instruction with VEX only.
pub(super) const fn vex(name: &'static str, prefix: u8, map: u8, wide: u8, opcode: u8) -> Op {
    Op { name, by: Prefix::Vex, prefix, map, wide: wide == 1, opcode, digit: None }
}

/// An instruction with either prefix, whose bit for wide lanes is the same in both.
pub(super) const fn op(name: &'static str, prefix: u8, map: u8, wide: u8, opcode: u8) -> Op {
    Op { by: Prefix::Either { wide: wide == 1 }, ..vex(name, prefix, map, wide, opcode) }
}

/// An instruction on lanes of 64 bits, which only EVEX says.
pub(super) const fn quad(name: &'static str, prefix: u8, map: u8, opcode: u8) -> Op {
    Op { by: Prefix::Either { wide: true }, ..vex(name, prefix, map, 0, opcode) }
}

/// Like [`op`], with a part of a vector in memory.
pub(super) const fn part(name: &'static str, prefix: u8, map: u8, wide: u8, opcode: u8) -> Op {
    Op { by: Prefix::Part { wide: wide == 1 }, ..vex(name, prefix, map, wide, opcode) }
}

/// Like [`quad`], with a part of a vector in memory.
pub(super) const fn quad_part(name: &'static str, prefix: u8, map: u8, opcode: u8) -> Op {
    Op { by: Prefix::Part { wide: true }, ..vex(name, prefix, map, 0, opcode) }
}

/// An instruction with EVEX only.
pub(super) const fn evex(name: &'static str, prefix: u8, map: u8, wide: u8, opcode: u8) -> Op {
    Op { by: Prefix::Evex { wide: wide == 1 }, ..vex(name, prefix, map, wide, opcode) }
}

/// A shift by a constant.
pub(super) const fn group(name: &'static str, opcode: u8, digit: u8) -> Op {
    Op { digit: Some(digit), ..op(name, 1, 1, 0, opcode) }
}

/// A shift of lanes of 64 bits by a constant.
pub(super) const fn quad_group(name: &'static str, opcode: u8, digit: u8) -> Op {
    Op { digit: Some(digit), ..quad(name, 1, 1, opcode) }
}

/// A shift or rotation by a constant, with EVEX only.
pub(super) const fn evex_group(name: &'static str, wide: u8, opcode: u8, digit: u8) -> Op {
    Op { digit: Some(digit), ..evex(name, 1, 1, wide, opcode) }
}
