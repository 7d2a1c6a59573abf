//! Registers and memory operands, before and after allocation.

use regalloc2::{PReg, RegClass, VReg};

/// A register: virtual before allocation, afterwards a machine register or a place on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reg {
    Virtual(VReg),
    /// A general register, by its number in instructions.
    Int(u8),
    /// A vector register, by its number in instructions.
    Vector(u8),
    /// A mask register, by its number in instructions.
    Mask(u8),
    /// A spilled value, by its first unit of eight bytes.
    Slot(u32),
}

impl Reg {
    /// The number of a machine register in instructions.
    pub(super) fn number(self) -> u8 {
        match self {
            Self::Int(number) | Self::Vector(number) | Self::Mask(number) => number,
            // Instructions ask for machine registers here, and allocation has given them what they ask for.
            Self::Virtual(_) | Self::Slot(_) => unreachable!("{self:?} is no machine register"),
        }
    }

    pub(super) fn of_machine(reg: PReg) -> Self {
        match reg.class() {
            RegClass::Int => Self::Int(reg.hw_enc() as u8),
            RegClass::Float => Self::Vector(reg.hw_enc() as u8),
            RegClass::Vector => Self::Mask(reg.hw_enc() as u8),
        }
    }
}

pub(super) const RAX: Reg = Reg::Int(0);
pub(super) const RDX: Reg = Reg::Int(2);
pub(super) const RSP: Reg = Reg::Int(4);
pub(super) const RBP: Reg = Reg::Int(5);
pub(super) const R11: Reg = Reg::Int(11);

/// A general register for the allocator.
pub(super) const fn int(number: u8) -> PReg {
    PReg::new(number as usize, RegClass::Int)
}

/// A vector register for the allocator.
pub(super) const fn vector(number: u8) -> PReg {
    PReg::new(number as usize, RegClass::Float)
}

/// The class of mask registers for the allocator, which has three classes.
pub(super) const MASKS: RegClass = RegClass::Vector;

/// A mask register for the allocator.
pub(super) const fn mask(number: u8) -> PReg {
    PReg::new(number as usize, MASKS)
}

/// The start of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Reg(Reg),
    /// Nothing: the address is the sum of the index and the displacement.
    None,
    /// The memory of the function's stack slots, at an offset.
    Stack(u32),
    /// A spilled value, by its first unit of eight bytes.
    Slot(u32),
    /// An argument that the caller has put on the stack, by its offset.
    Incoming(u32),
    /// An argument on the stack for a function that is called, by its offset.
    Outgoing(u32),
    /// A constant of the pool, by its offset there.
    Constant(u32),
}

/// The address `base + (index << shift) + offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mem {
    pub(super) base: Base,
    pub(super) index: Option<(Reg, u8)>,
    pub(super) offset: i32,
}

impl Mem {
    pub(super) fn at(base: Base) -> Self {
        Self { base, index: None, offset: 0 }
    }
}

/// An operand that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rm {
    /// A machine register; never on the stack.
    Reg(Reg),
    /// A machine register, or the memory of a spilled value.
    Any(Reg),
    Mem(Mem),
}

/// An operand that may be in memory, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rmi {
    Rm(Rm),
    Imm(i32),
}

/// The size of an operation on general registers, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Size {
    S8 = 1,
    S16 = 2,
    S32 = 4,
    S64 = 8,
}

impl Size {
    pub(super) fn of_bytes(bytes: u32) -> Option<Self> {
        Some(match bytes {
            1 => Self::S8,
            2 => Self::S16,
            4 => Self::S32,
            8 => Self::S64,
            _ => return None,
        })
    }

    pub(super) fn bits(self) -> u32 {
        self as u32 * 8
    }
}

/// A condition on the flags, by its number in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cc {
    B = 2,
    AE = 3,
    E = 4,
    NE = 5,
    BE = 6,
    A = 7,
    S = 8,
    NS = 9,
    P = 10,
    NP = 11,
    L = 12,
    GE = 13,
    LE = 14,
    G = 15,
}

impl Cc {
    pub(super) fn not(self) -> Self {
        match self {
            Self::B => Self::AE,
            Self::AE => Self::B,
            Self::E => Self::NE,
            Self::NE => Self::E,
            Self::BE => Self::A,
            Self::A => Self::BE,
            Self::S => Self::NS,
            Self::NS => Self::S,
            Self::P => Self::NP,
            Self::NP => Self::P,
            Self::L => Self::GE,
            Self::GE => Self::L,
            Self::LE => Self::G,
            Self::G => Self::LE,
        }
    }
}

/// A condition that may need two tests of the flags, as equality of floats does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cond {
    If(Cc),
    Both(Cc, Cc),
    Either(Cc, Cc),
}

impl Cond {
    pub(super) fn not(self) -> Self {
        match self {
            Self::If(a) => Self::If(a.not()),
            Self::Both(a, b) => Self::Either(a.not(), b.not()),
            Self::Either(a, b) => Self::Both(a.not(), b.not()),
        }
    }
}
