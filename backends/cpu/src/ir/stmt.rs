//! Statements, which give the order of execution.

use naga::Span;

use super::check::Check;
use super::place::Place;
use super::value::{MemType, Value, Var};

/// Statements in order.
pub(crate) type List = Vec<Stmt>;

/// A label of a block that can be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Label(pub(crate) u32);

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stmt {
    /// Evaluates an instruction here (with its parts, if it has several results).
    Let(Value),
    /// Sets the initial value of a variable in the current scope. No code before it reads the variable, so it needs no
    /// mask.
    Declare(Var, Value),
    /// Changes a variable.
    Write(Var, Value),
    /// Writes up to 4 consecutive scalars.
    Store {
        /// The place of the first.
        place: Place,
        /// Their type.
        ty: MemType,
        /// The values.
        values: Vec<Value>,
    },
    /// One of two lists, by a condition.
    If {
        /// The boolean condition.
        condition: Value,
        /// The list where it is true.
        accept: List,
        /// The list where it is false.
        reject: List,
    },
    /// A list that [`Stmt::Exit`] can leave.
    Block {
        /// Its label for exits.
        label: Label,
        /// Its statements.
        body: List,
    },
    /// A list that is repeated until an exit to a block around the loop.
    Loop {
        /// Its statements.
        body: List,
        /// Its start, for errors.
        site: SiteId,
        /// The largest number of iterations that it begins, if it is known.
        turns: Option<u32>,
    },
    /// Continues after the end of the block with this label.
    Exit(Label),
    /// Every invocation of the workgroup arrives before any continues; all memory is then synchronised. `site` indexes
    /// [`Function::sites`](super::Function::sites).
    Barrier(SiteId),
    /// A report to the checker; only in checked kernels.
    Check(Check),
    /// Calls a function for the active invocations. Its result, if any, is in memory afterwards.
    Call {
        /// Its index in [`Function::callees`](super::Function::callees) of the kernel.
        callee: u32,
        /// One for each of its arguments.
        arguments: Vec<Value>,
        /// Its position, for errors: nested calls may take very long, like loops.
        site: SiteId,
    },
}

/// A position of the source, as an index into [`Function::sites`](super::Function::sites).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SiteId(pub(crate) u32);

/// A position of the source for findings and errors.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The position in the WGSL text.
    pub(crate) span: Span,
    /// The path of the variable in the source, if there is one: `tile`, `params.values`.
    pub(crate) variable: String,
}

/// The operation of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AtomicOp {
    /// Adds: integers wrap.
    Add,
    /// Subtracts: integers wrap.
    Sub,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// The minimum of signed integers.
    MinS,
    /// The minimum of unsigned integers.
    MinU,
    /// The maximum of signed integers.
    MaxS,
    /// The maximum of unsigned integers.
    MaxU,
    /// Replaces.
    Exchange,
    /// Replaces a value that equals `compare`. Never fails if it is equal.
    CompareExchange,
    /// Reads.
    Load,
    /// Replaces; the value is not used.
    Store,
}
