//! The scalar program that a kernel becomes on its way from naga to machine code.
//!
//! One [`Function`] is what one invocation does, with every vector, matrix, array and struct taken
//! apart into scalars. Calls are inlined, unless that would make the kernel too long: then large functions are
//! functions of their own ([`Function::callees`]). There are five classes of values ([`Class`]);
//! 16-bit types live in 32-bit registers and are rounded after each operation. Variables that are
//! only ever reached by constant paths are registers ([`Var`]); all others are memory ([`Place`]).
//!
//! Control flow is structured: `If`, `Loop`, labelled `Block`s, and `Exit`, which leaves a block.
//! A loop ends only by an exit. `break`, `continue`, `return` and the ends of `switch` cases are
//! all exits.
//!
//! Constants, inputs and arguments belong to no list. For all other values and statements these rules hold,
//! which debug builds check (`verify`):
//! - a value is used only after its `Let` and only in the list of statements that holds it or in
//!   ones nested in the later statements of that list;
//! - an exit names a block around it; nothing follows an exit in its list;
//! - operand classes fit the instruction.

mod builder;
mod check;
mod inst;
pub(crate) mod optimise;
mod print;
mod stmt;
#[cfg(any(test, debug_assertions))]
pub(crate) mod verify;

pub(crate) use builder::Builder;
pub(crate) use check::{Access, Check, CheckKind, CheckSpec, MOST_INDICES, Order, Range, Reach};
pub(crate) use inst::{
    BinaryOp, Class, CompareOp, Convert, Count, Index, Input, Inst, MemType, Place, Space, SubgroupOp, TernaryOp,
    UnaryOp, Value, Var,
};
pub(crate) use stmt::{AtomicOp, Label, List, Site, SiteId, Stmt};

/// A kernel as one scalar program.
#[derive(Debug, Default)]
pub(crate) struct Function {
    /// Every instruction, by [`Value`].
    pub(crate) insts: Vec<Inst>,
    /// The class of each value.
    pub(crate) classes: Vec<Class>,
    /// The class of each register variable.
    pub(crate) vars: Vec<Class>,
    /// How many labels there are.
    pub(crate) labels: u32,
    /// What to run.
    pub(crate) body: List,
    /// Bytes of private memory of one invocation: every scalar takes 4 or 8 bytes, see
    /// [`Space::Private`].
    pub(crate) private_bytes: u32,
    /// Bytes of workgroup memory.
    pub(crate) workgroup_bytes: u32,
    /// Invocations of a workgroup in x, y and z.
    pub(crate) workgroup_size: [u32; 3],
    /// By slot: whether nobody writes what is bound while the kernel runs.
    pub(crate) read_only: Vec<bool>,
    /// Whether loops may turn as often as they like: somebody gave their word that they end.
    pub(crate) endless: bool,
    /// Whether any statement is a barrier.
    pub(crate) has_barrier: bool,
    /// The places in the source that barriers and checks speak of.
    pub(crate) sites: Vec<Site>,
    /// What each check reports; empty unless the kernel is checked.
    pub(crate) checks: Vec<CheckSpec>,
    /// The classes of its arguments; a kernel has none.
    pub(crate) arguments: Vec<Class>,
    /// The functions that the kernel calls. One calls only those before it.
    pub(crate) callees: Vec<Function>,
}

impl Function {
    /// The class of a value.
    pub(crate) fn class(&self, value: Value) -> Class {
        self.classes[value.0 as usize]
    }

    /// The instruction of a value.
    pub(crate) fn inst(&self, value: Value) -> &Inst {
        &self.insts[value.0 as usize]
    }

    /// Invocations of a workgroup.
    pub(crate) fn invocations(&self) -> u32 {
        self.workgroup_size.iter().product()
    }
}
