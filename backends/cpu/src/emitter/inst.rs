//! The machine instructions, over virtual registers before allocation and machine registers afterwards.

use regalloc2::{PReg, PRegSet};

use super::op::Op;
use super::reg::{Base, Cc, Cond, Mem, Reg, Rm, Rmi, Size};
use crate::codegen::Target;

/// The two-operand arithmetic of general registers, by its number in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alu {
    Add = 0,
    Or = 1,
    And = 4,
    Sub = 5,
    Xor = 6,
}

/// The instructions with one operand that they change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Not,
    Neg,
    Swap,
}

/// Shifts and rotations, by their numbers in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    RotateLeft = 0,
    RotateRight = 1,
    Left = 4,
    Right = 5,
    Signed = 7,
}

/// The instructions that count bits, by their opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Ones = 0xb8,
    Trailing = 0xbc,
    Leading = 0xbd,
}

/// The new value of an atomic operation that is a loop of compare and exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rmw {
    Alu(Alu),
    Nand,
    /// The old value if the condition holds for it and the operand, otherwise the operand.
    Keep(Cc),
}

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
    /// An instruction with a VEX prefix; `a` stays.
    V {
        op: Op,
        long: bool,
        to: Reg,
        a: Option<Reg>,
        b: Rm,
        c: Option<Reg>,
        imm: Option<u8>,
    },
    /// An instruction with a VEX prefix whose destination is its first source.
    Fused {
        op: Op,
        long: bool,
        to: Reg,
        a: Reg,
        b: Reg,
        c: Rm,
    },
    /// An instruction with a VEX prefix whose destination may be memory.
    Out {
        op: Op,
        long: bool,
        from: Reg,
        to: Rm,
        imm: Option<u8>,
    },
    /// An instruction with a VEX prefix that only sets the flags.
    Flags {
        op: Op,
        long: bool,
        a: Reg,
        b: Rm,
    },
    /// An instruction with a VEX prefix whose sources are the destination, which has no meaning before.
    Own {
        op: Op,
        long: bool,
        to: Reg,
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
        long: bool,
        to: Reg,
        a: Reg,
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

/// The way in which an instruction uses a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    Use,
    /// A source that may be on the stack.
    Any,
    /// A source that is read when destinations have been written.
    LateUse,
    FixedUse(PReg),
    Def,
    /// A destination that is written before sources are read.
    EarlyDef,
    FixedDef(PReg),
    /// The destination that is the source with this number.
    Same(usize),
}

fn visit_mem(mem: &mut Mem, role: Role, f: &mut dyn FnMut(&mut Reg, Role)) {
    if let Base::Reg(base) = &mut mem.base {
        f(base, role);
    }
    if let Some((index, _)) = &mut mem.index {
        f(index, role);
    }
}

fn visit_rm(rm: &mut Rm, f: &mut dyn FnMut(&mut Reg, Role)) {
    match rm {
        Rm::Reg(reg) => f(reg, Role::Use),
        Rm::Any(reg) => f(reg, Role::Any),
        Rm::Mem(mem) => visit_mem(mem, Role::Use, f),
    }
}

fn visit_rmi(rmi: &mut Rmi, f: &mut dyn FnMut(&mut Reg, Role)) {
    if let Rmi::Rm(rm) = rmi {
        visit_rm(rm, f);
    }
}

impl Inst {
    /// Calls `f` for each register. The order is the same before and after allocation; a source that a destination
    /// overwrites comes first.
    pub(super) fn visit(&mut self, f: &mut dyn FnMut(&mut Reg, Role)) {
        match self {
            Self::Alu { to, a, b, .. } => {
                f(a, Role::Use);
                visit_rmi(b, f);
                f(to, Role::Same(0));
            }
            Self::Cmp { a, b, .. } => {
                visit_rm(a, f);
                visit_rmi(b, f);
            }
            Self::Test { a, b, .. } => {
                f(a, Role::Use);
                visit_rmi(b, f);
            }
            Self::Change { to, a, .. } | Self::Spread { to, a, .. } | Self::Shift { to, a, .. } => {
                f(a, Role::Use);
                f(to, Role::Same(0));
            }
            Self::Imm { to, .. } | Self::Name { to, .. } | Self::Set { to, .. } | Self::Own { to, .. } => {
                f(to, Role::Def);
            }
            Self::Copy { to, from } => {
                f(from, Role::Use);
                f(to, Role::Def);
            }
            Self::Extend { to, a, .. } | Self::MulImm { to, a, .. } | Self::Count { to, a, .. } => {
                visit_rm(a, f);
                f(to, Role::Def);
            }
            Self::FromInt { to, a, .. } => {
                visit_rm(a, f);
                f(to, Role::Def);
            }
            Self::Store { from, mem, .. } => {
                f(from, Role::Use);
                visit_mem(mem, Role::Use, f);
            }
            Self::StoreImm { mem, .. } => visit_mem(mem, Role::Use, f),
            Self::Lea { to, mem, .. } => {
                visit_mem(mem, Role::Use, f);
                f(to, Role::Def);
            }
            Self::Rotate { to, a, by, .. } => {
                f(a, Role::Use);
                f(by, Role::FixedUse(super::reg::int(1)));
                f(to, Role::Same(0));
            }
            Self::Mul { to, a, b, .. } | Self::Move { to, a, b, .. } => {
                f(a, Role::Use);
                visit_rm(b, f);
                f(to, Role::Same(0));
            }
            Self::MulHigh { to, low, a, b, .. } => {
                f(a, Role::FixedUse(super::reg::int(0)));
                visit_rm(b, f);
                f(low, Role::FixedDef(super::reg::int(0)));
                f(to, Role::FixedDef(super::reg::int(2)));
            }
            Self::Div { quotient, rest, a, b, .. } => {
                f(a, Role::FixedUse(super::reg::int(0)));
                // The divisor is read after the upper half of the dividend has been written.
                match b {
                    Rm::Reg(b) | Rm::Any(b) => f(b, Role::LateUse),
                    Rm::Mem(mem) => visit_mem(mem, Role::LateUse, f),
                }
                f(quotient, Role::FixedDef(super::reg::int(0)));
                f(rest, Role::FixedDef(super::reg::int(2)));
            }
            Self::MoveVector { to, a, b, .. } => {
                f(a, Role::Use);
                f(b, Role::Use);
                f(to, Role::Same(0));
            }
            Self::V { to, a, b, c, .. } => {
                if let Some(a) = a {
                    f(a, Role::Use);
                }
                visit_rm(b, f);
                if let Some(c) = c {
                    f(c, Role::Use);
                }
                f(to, Role::Def);
            }
            Self::Fused { to, a, b, c, .. } => {
                f(a, Role::Use);
                f(b, Role::Use);
                visit_rm(c, f);
                f(to, Role::Same(0));
            }
            Self::Out { from, to, .. } => {
                f(from, Role::Use);
                match to {
                    Rm::Reg(to) | Rm::Any(to) => f(to, Role::Def),
                    Rm::Mem(mem) => visit_mem(mem, Role::Use, f),
                }
            }
            Self::Flags { a, b, .. } => {
                f(a, Role::Use);
                visit_rm(b, f);
            }
            Self::Gather { to, a, mask, used, base, index, .. } => {
                f(a, Role::Use);
                f(mask, Role::Use);
                // The registers of the address stay as they are while the destinations are written.
                f(base, Role::LateUse);
                f(index, Role::LateUse);
                f(to, Role::Same(0));
                f(used, Role::Same(1));
            }
            Self::Exchange { to, a, mem, .. } | Self::Add { to, a, mem, .. } => {
                f(a, Role::Use);
                visit_mem(mem, Role::Use, f);
                f(to, Role::Same(0));
            }
            Self::Locked { a, mem, .. } => {
                f(a, Role::Use);
                visit_mem(mem, Role::Use, f);
            }
            Self::CompareExchange { to, expected, new, mem, .. } => {
                f(expected, Role::FixedUse(super::reg::int(0)));
                f(new, Role::Use);
                visit_mem(mem, Role::Use, f);
                f(to, Role::FixedDef(super::reg::int(0)));
            }
            Self::Loop { to, new, a, mem, .. } => {
                f(a, Role::LateUse);
                visit_mem(mem, Role::LateUse, f);
                f(new, Role::EarlyDef);
                f(to, Role::FixedDef(super::reg::int(0)));
            }
            Self::Call(call) => {
                f(&mut call.callee, Role::Use);
                for (reg, place) in &mut call.arguments {
                    f(reg, Role::FixedUse(*place));
                }
                for (reg, place) in &mut call.results {
                    f(reg, Role::FixedDef(*place));
                }
            }
            Self::Arguments(list) => {
                for (reg, place) in list {
                    f(reg, Role::FixedDef(*place));
                }
            }
            Self::Return { results, .. } => {
                for (reg, place) in results {
                    f(reg, Role::FixedUse(*place));
                }
            }
            Self::Table { index, table, at } => {
                f(index, Role::Use);
                f(table, Role::EarlyDef);
                f(at, Role::EarlyDef);
            }
            Self::Fence | Self::Jump | Self::Branch(_) | Self::Trap => {}
        }
    }

    /// Whether the instruction uses vectors of 256 bits.
    pub(super) fn is_long(&self) -> bool {
        matches!(
            self,
            Self::V { long: true, .. }
                | Self::Fused { long: true, .. }
                | Self::Out { long: true, .. }
                | Self::Flags { long: true, .. }
                | Self::Own { long: true, .. }
                | Self::Gather { long: true, .. }
        )
    }
}
