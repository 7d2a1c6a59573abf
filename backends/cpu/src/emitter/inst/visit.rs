//! The registers that an instruction names, and its uses of them.

use regalloc2::PReg;

use super::Inst;
use crate::emitter::reg::{Base, Mem, Reg, Rm, Rmi, int};

/// The way in which an instruction uses a register.
#[derive(Clone, Copy, Debug)]
pub(in crate::emitter) enum Role {
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
    pub(in crate::emitter) fn visit(&mut self, f: &mut dyn FnMut(&mut Reg, Role)) {
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
                f(by, Role::FixedUse(int(1)));
                f(to, Role::Same(0));
            }
            Self::Mul { to, a, b, .. } | Self::Move { to, a, b, .. } => {
                f(a, Role::Use);
                visit_rm(b, f);
                f(to, Role::Same(0));
            }
            Self::MulHigh { to, low, a, b, .. } => {
                f(a, Role::FixedUse(int(0)));
                visit_rm(b, f);
                f(low, Role::FixedDef(int(0)));
                f(to, Role::FixedDef(int(2)));
            }
            Self::Div { quotient, rest, a, b, .. } => {
                f(a, Role::FixedUse(int(0)));
                // The divisor is read after the upper half of the dividend has been written.
                match b {
                    Rm::Reg(b) | Rm::Any(b) => f(b, Role::LateUse),
                    Rm::Mem(mem) => visit_mem(mem, Role::LateUse, f),
                }
                f(quotient, Role::FixedDef(int(0)));
                f(rest, Role::FixedDef(int(2)));
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
            Self::Scatter { from, mask, used, base, index, .. } => {
                f(mask, Role::Use);
                f(from, Role::Use);
                f(base, Role::Use);
                f(index, Role::Use);
                f(used, Role::Same(0));
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
                f(expected, Role::FixedUse(int(0)));
                f(new, Role::Use);
                visit_mem(mem, Role::Use, f);
                f(to, Role::FixedDef(int(0)));
            }
            Self::Loop { to, new, a, mem, .. } => {
                f(a, Role::LateUse);
                visit_mem(mem, Role::LateUse, f);
                f(new, Role::EarlyDef);
                f(to, Role::FixedDef(int(0)));
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
}
