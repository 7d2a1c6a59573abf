//! The scalar program: the intermediate form of a kernel between naga and machine code.
//!
//! A [`Function`] describes one invocation, with every vector, matrix, array and struct split into scalars. Calls are
//! inlined, unless that would make the kernel too long: large functions then stay functions
//! ([`Function::callees`]). There are five classes of values ([`Class`]); 16-bit types are held in 32-bit registers and
//! rounded after each operation. Variables that are reached by constant paths only are registers ([`Var`]); all others
//! are memory ([`Place`]).
//!
//! Control flow is structured: `If`, `Loop`, labelled `Block`s, and `Exit`, which leaves a block.
//! A loop ends only by an exit. `break`, `continue`, `return` and the ends of `switch` cases are
//! all exits.
//!
//! Constants, inputs and arguments belong to no list. For all other values and statements these rules apply, which
//! debug builds check (`verify`):
//! - a value is used only after its `Let`, and only in the list of statements that contains it or in lists nested in
//!   later statements of that list;
//! - an exit refers to an enclosing block; no statement follows an exit in its list;
//! - operand classes match the instruction.

mod builder;
mod check;
mod inst;
pub(crate) mod observe;
pub(crate) mod optimise;
#[cfg(test)]
pub(crate) mod parse;
mod place;
mod print;
mod stmt;
mod value;
#[cfg(any(test, debug_assertions))]
pub(crate) mod verify;

pub(crate) use builder::Builder;
pub(crate) use check::{Access, Check, CheckKind, CheckSpec, MAX_INDICES, Order, Range, Reach, Work};
pub(crate) use inst::{BinaryOp, CompareOp, Convert, Inst, SubgroupOp, TernaryOp, UnaryOp};
pub(crate) use place::{Count, Index, Place, Space};
pub(crate) use stmt::{AtomicOp, Label, List, Site, SiteId, Stmt};
pub(crate) use value::{Class, Input, MemType, Value, Var};

/// A kernel, or a function that a kernel calls, as a scalar program.
#[derive(Debug, Default)]
pub(crate) struct Function {
    /// All instructions, indexed by [`Value`].
    pub(crate) insts: Vec<Inst>,
    /// The class of each value.
    pub(crate) classes: Vec<Class>,
    /// The class of each register variable.
    pub(crate) vars: Vec<Class>,
    /// The number of labels.
    pub(crate) labels: u32,
    /// The statements of the function.
    pub(crate) body: List,
    /// The private memory of one invocation in bytes: every scalar takes 4 or 8 bytes, see [`Space::Private`].
    pub(crate) private_bytes: u32,
    /// The size of workgroup memory in bytes.
    pub(crate) workgroup_bytes: u32,
    /// The number of invocations of a workgroup in x, y and z.
    pub(crate) workgroup_size: [u32; 3],
    /// By slot: whether the memory bound to the slot is only read while the kernel runs.
    pub(crate) read_only: Vec<bool>,
    /// Whether loops have no limit on iterations, because the author has promised that they end.
    pub(crate) endless: bool,
    /// Whether any statement is a barrier.
    pub(crate) has_barrier: bool,
    /// The positions in the source of barriers and checks.
    pub(crate) sites: Vec<Site>,
    /// The description of each check; empty unless the kernel is checked.
    pub(crate) checks: Vec<CheckSpec>,
    /// The classes of the arguments; empty for a kernel.
    pub(crate) arguments: Vec<Class>,
    /// The functions that the kernel calls. Each function calls only functions before it in this list.
    pub(crate) callees: Vec<Function>,
}

impl Function {
    /// Whether memory of a space does not change while the kernel runs.
    pub(crate) fn is_constant(&self, space: Space) -> bool {
        match space {
            Space::Binding(slot) => self.read_only.get(slot as usize).copied().unwrap_or(false),
            Space::Immediate => true,
            Space::Workgroup | Space::Private | Space::Passed => false,
        }
    }

    /// The class of a value.
    pub(crate) fn class(&self, value: Value) -> Class {
        self.classes[value.0 as usize]
    }

    /// The instruction that computes a value.
    pub(crate) fn inst(&self, value: Value) -> &Inst {
        &self.insts[value.0 as usize]
    }

    /// The further results of a load, which follow it.
    pub(crate) fn parts(&self, value: Value) -> impl Iterator<Item = Value> + use<> {
        let after = self.insts.iter().skip(value.0 as usize + 1);
        let count = after.take_while(|inst| matches!(inst, Inst::Part { of, .. } if *of == value)).count();
        (value.0 + 1..=value.0 + count as u32).map(Value)
    }

    /// The number of invocations of a workgroup.
    pub(crate) fn invocations(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    /// Whether a workgroup is one invocation, so that every value is a scalar and no lane is ever masked.
    pub(crate) fn is_serial(&self) -> bool {
        self.invocations() == 1
    }
}
