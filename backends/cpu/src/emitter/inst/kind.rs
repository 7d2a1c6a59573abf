//! The operations of instructions that exist for several of them, by their numbers in machine code.

use crate::emitter::reg::Cc;

/// The two-operand arithmetic of general registers, by its number in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emitter) enum Alu {
    Add = 0,
    Or = 1,
    And = 4,
    Sub = 5,
    Xor = 6,
}

/// The instructions with one operand that they change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emitter) enum Change {
    Not,
    Neg,
    Swap,
}

/// Shifts and rotations, by their numbers in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emitter) enum Shift {
    RotateLeft = 0,
    RotateRight = 1,
    Left = 4,
    Right = 5,
    Signed = 7,
}

/// The instructions that count bits, by their opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emitter) enum Count {
    Ones = 0xb8,
    Trailing = 0xbc,
    Leading = 0xbd,
}

/// The new value of an atomic operation that is a loop of compare and exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emitter) enum Rmw {
    Alu(Alu),
    Nand,
    /// The old value if the condition holds for it and the operand, otherwise the operand.
    Keep(Cc),
}
