//! The machine instructions, over virtual registers before allocation and machine registers afterwards.

mod kind;
mod visit;

use regalloc2::{PReg, PRegSet};

use super::op::{Length, Op, Prefix};
use super::reg::{Cc, Cond, Mem, Reg, Rm, Rmi, Size};
use crate::codegen::Target;
pub(super) use kind::{Alu, Change, Count, Rmw, Shift};
pub(super) use visit::Role;

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) callee: Reg,
    pub(super) arguments: Vec<(Reg, PReg)>,
    pub(super) results: Vec<(Reg, PReg)>,
    pub(super) clobbers: PRegSet,
    /// Whether the upper halves of vector registers are zeroed before the call.
    pub(super) zero_upper: bool,
}

/// A machine instruction. A field `a` is overwritten by `to` unless the field says otherwise.
#[derive(Clone, Debug)]
pub(super) enum Inst {
    /// Two operands of general registers.
    Alu {
        op: Alu,
        size: Size,
        to: Reg,
        a: Reg,
        b: Rmi,
    },
    /// Sets the flags by `a - b`.
    Cmp {
        size: Size,
        a: Rm,
        b: Rmi,
    },
    /// Sets the flags by `a & b`.
    Test {
        size: Size,
        a: Reg,
        b: Rmi,
    },
    Change {
        op: Change,
        size: Size,
        to: Reg,
        a: Reg,
    },
    /// All ones unless `a` is zero.
    Spread {
        size: Size,
        to: Reg,
        a: Reg,
    },
    Imm {
        to: Reg,
        value: u64,
    },
    /// The address of a function.
    Name {
        to: Reg,
        target: Target,
    },
    /// Copies a register of either kind.
    Copy {
        to: Reg,
        from: Reg,
    },
    /// Reads a general register or memory of a size, and extends it to another size.
    Extend {
        signed: bool,
        from: Size,
        into: Size,
        to: Reg,
        a: Rm,
    },
    Store {
        size: Size,
        from: Reg,
        mem: Mem,
    },
    StoreImm {
        size: Size,
        value: i32,
        mem: Mem,
    },
    Lea {
        size: Size,
        to: Reg,
        mem: Mem,
    },
    /// A shift by a constant.
    Shift {
        op: Shift,
        size: Size,
        to: Reg,
        a: Reg,
        by: u8,
    },
    /// A rotation by the register CL.
    Rotate {
        op: Shift,
        size: Size,
        to: Reg,
        a: Reg,
        by: Reg,
    },
    Mul {
        size: Size,
        to: Reg,
        a: Reg,
        b: Rm,
    },
    /// A product with a constant; `a` stays.
    MulImm {
        size: Size,
        to: Reg,
        a: Rm,
        by: i32,
    },
    /// The upper half of a product.
    MulHigh {
        signed: bool,
        size: Size,
        to: Reg,
        low: Reg,
        a: Reg,
        b: Rm,
    },
    Div {
        signed: bool,
        size: Size,
        quotient: Reg,
        rest: Reg,
        a: Reg,
        b: Rm,
    },
    Count {
        op: Count,
        size: Size,
        to: Reg,
        a: Rm,
    },
    /// 1 in the low byte if a condition holds, otherwise 0.
    Set {
        cc: Cc,
        to: Reg,
    },
    /// `b` if a condition holds, otherwise `a`.
    Move {
        cc: Cc,
        size: Size,
        to: Reg,
        a: Reg,
        b: Rm,
    },
    /// Like [`Self::Move`] for vectors, by a branch.
    MoveVector {
        cond: Cond,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    /// An instruction with a VEX or EVEX prefix; `a` stays. `c` is a third vector, or a mask for EVEX.
    V {
        op: Op,
        length: Length,
        to: Reg,
        a: Option<Reg>,
        b: Rm,
        c: Option<Reg>,
        imm: Option<u8>,
    },
    /// An instruction with a VEX or EVEX prefix whose destination is its first source.
    Fused {
        op: Op,
        length: Length,
        to: Reg,
        a: Reg,
        b: Reg,
        c: Rm,
        imm: Option<u8>,
    },
    /// An instruction with a VEX or EVEX prefix whose destination may be memory.
    Out {
        op: Op,
        length: Length,
        from: Reg,
        to: Rm,
        imm: Option<u8>,
    },
    /// An instruction with a VEX or EVEX prefix that only sets the flags.
    Flags {
        op: Op,
        length: Length,
        a: Reg,
        b: Rm,
    },
    /// An instruction with a VEX or EVEX prefix whose sources are the destination, which has no meaning before.
    Own {
        op: Op,
        length: Length,
        to: Reg,
        imm: Option<u8>,
    },
    /// A conversion of an integer, whose destination is zeroed before, so that it depends on no older value.
    FromInt {
        op: Op,
        to: Reg,
        a: Rm,
    },
    /// A gather: `to` has `a` where the mask is not set. The mask is used up.
    Gather {
        op: Op,
        length: Length,
        to: Reg,
        a: Reg,
        mask: Reg,
        used: Reg,
        base: Reg,
        index: Reg,
        scale: u8,
        offset: i32,
    },
    /// A scatter of lanes of 32 bits in a vector of 512 bits, where the mask is set. The mask is used up.
    Scatter {
        from: Reg,
        mask: Reg,
        used: Reg,
        base: Reg,
        index: Reg,
        scale: u8,
        offset: i32,
    },
    /// Exchanges memory with a register.
    Exchange {
        size: Size,
        to: Reg,
        a: Reg,
        mem: Mem,
    },
    /// Adds to memory; the result is the old value.
    Add {
        size: Size,
        to: Reg,
        a: Reg,
        mem: Mem,
    },
    /// Changes memory by a locked instruction.
    Locked {
        op: Alu,
        size: Size,
        a: Reg,
        mem: Mem,
    },
    CompareExchange {
        size: Size,
        to: Reg,
        expected: Reg,
        new: Reg,
        mem: Mem,
    },
    /// A loop of compare and exchange; the result is the old value.
    Loop {
        op: Rmw,
        size: Size,
        to: Reg,
        new: Reg,
        a: Reg,
        mem: Mem,
    },
    Fence,
    Call(Box<Call>),
    /// The arguments in registers at the start of the function.
    Arguments(Vec<(Reg, PReg)>),
    Return {
        results: Vec<(Reg, PReg)>,
        zero_upper: bool,
    },
    Jump,
    /// Continues at the first successor if the condition holds, otherwise at the second.
    Branch(Cond),
    /// Continues at the successor with this number, or at the last one.
    Table {
        index: Reg,
        table: Reg,
        at: Reg,
    },
    Trap,
}

impl Inst {
    /// Whether the instruction only names the first sixteen vector registers.
    pub(super) fn has_few_registers(&self) -> bool {
        match *self {
            Self::V { op, .. }
            | Self::Fused { op, .. }
            | Self::Out { op, .. }
            | Self::Flags { op, .. }
            | Self::Own { op, .. }
            | Self::FromInt { op, .. }
            | Self::Gather { op, .. } => op.by == Prefix::Vex,
            _ => false,
        }
    }
}
