//! Statements: what happens in which order.

use naga::Span;

use super::check::Check;
use super::inst::{MemType, Place, Value, Var};

/// Statements in order.
pub(crate) type List = Vec<Stmt>;

/// A block that can be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Label(pub(crate) u32);

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stmt {
    /// Evaluates an instruction here (with its parts, if it has several results).
    Let(Value),
    /// Gives a variable its first value in this run of the code around it. Not a store: no code
    /// before it reads the variable.
    Declare(Var, Value),
    /// Changes a variable.
    Write(Var, Value),
    /// Writes up to 4 scalars that lie one after the other.
    Store {
        /// Where the first lies.
        place: Place,
        /// Their type.
        ty: MemType,
        /// What to write.
        values: Vec<Value>,
    },
    /// One of two lists.
    If {
        /// A boolean.
        condition: Value,
        /// Where it is true.
        accept: List,
        /// Where it is false.
        reject: List,
    },
    /// A list that [`Stmt::Exit`] can leave.
    Block {
        /// Its name for exits.
        label: Label,
        /// Its statements.
        body: List,
    },
    /// A list again and again, until an exit to a block around the loop.
    Loop {
        /// Its statements.
        body: List,
        /// Where it begins, for errors.
        site: SiteId,
        /// How many turns it begins at most, where that is known.
        turns: Option<u32>,
    },
    /// Goes on after the end of the block with this label.
    Exit(Label),
    /// Every invocation of the workgroup arrives before any goes on; all memory is then in sync.
    /// `site` indexes [`Function::sites`](super::Function::sites), or is the span for errors.
    Barrier(SiteId),
    /// A report to the checker; only in checked kernels.
    Check(Check),
    /// Runs a function for the active invocations. Its result, if any, lies in memory afterwards.
    Call {
        /// Its number in [`Function::callees`](super::Function::callees) of the kernel.
        callee: u32,
        /// One for each of its arguments.
        arguments: Vec<Value>,
        /// Where it is, for errors: calls of functions that call others may go on for ever, like loops.
        site: SiteId,
    },
}

/// Which place of the source, an index into [`Function::sites`](super::Function::sites).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SiteId(pub(crate) u32);

/// A place of the source that findings and errors speak of.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// Where it is in the WGSL text.
    pub(crate) span: Span,
    /// The variable it is about, if any, as the source names it: `tile`, `params.values`.
    pub(crate) variable: String,
}

/// What an atomic does.
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
    /// The lesser signed.
    MinS,
    /// The lesser unsigned.
    MinU,
    /// The greater signed.
    MaxS,
    /// The greater unsigned.
    MaxU,
    /// Replaces.
    Exchange,
    /// Replaces what equals `compare`. Never fails when it is equal.
    CompareExchange,
    /// Reads.
    Load,
    /// Replaces; the value is not used.
    Store,
}
