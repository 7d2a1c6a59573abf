//! Statements, which give the order of execution.

use naga::Span;

use super::check::Check;
use super::place::Place;
use super::value::{MemType, Value, Var};

/// A list of statements in the order of execution.
pub(crate) type List = Vec<Stmt>;

/// The label of a block, which exits refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Label(pub(crate) u32);

/// A statement, executed in the order of its list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stmt {
    /// Evaluates an instruction at this point, together with its parts if it is a load of several scalars.
    Let(Value),
    /// Sets the initial value of a variable in the current scope. No code before this statement reads the variable, so
    /// the write needs no mask.
    Declare(Var, Value),
    /// Changes a variable.
    Write(Var, Value),
    /// Writes up to 4 consecutive scalars.
    Store {
        /// The place of the first scalar.
        place: Place,
        /// The type of the scalars in memory.
        ty: MemType,
        /// The values of the scalars.
        values: Vec<Value>,
    },
    /// Executes one of two lists, depending on a condition.
    If {
        /// The boolean condition.
        condition: Value,
        /// The list that runs where the condition is true.
        accept: List,
        /// The list that runs where the condition is false.
        reject: List,
    },
    /// A list that [`Stmt::Exit`] can leave.
    Block {
        /// The label of the block, for exits.
        label: Label,
        /// The statements of the block.
        body: List,
    },
    /// A list that is repeated until an exit to a block around the loop.
    Loop {
        /// The statements of one iteration.
        body: List,
        /// The position of the loop in the source, for errors.
        site: SiteId,
        /// The largest number of iterations that the loop begins, if a limit is known.
        turns: Option<u32>,
    },
    /// Leaves the block with this label: execution continues after the end of the block.
    Exit(Label),
    /// A barrier: every invocation of the workgroup arrives before any continues, and all memory is then synchronised.
    Barrier(SiteId),
    /// A report to the checker; only in checked kernels.
    Check(Check),
    /// Calls a function for the active invocations. The result of the function, if any, is in memory afterwards.
    Call {
        /// The index of the function in the kernel's [`Function::callees`](super::Function::callees).
        callee: u32,
        /// The values of all arguments of the function.
        arguments: Vec<Value>,
        /// The position of the call in the source, for errors: nested calls may take very long, like loops.
        site: SiteId,
    },
}

/// The number of a position in the source: an index into [`Function::sites`](super::Function::sites).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SiteId(pub(crate) u32);

/// A position in the source, for findings and errors.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The position in the WGSL text.
    pub(crate) span: Span,
    /// The path of the accessed variable in the source, such as `tile` or `params.values`; empty if there is none.
    pub(crate) variable: String,
}

/// The operation of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AtomicOp {
    /// Adds: integers wrap.
    Add,
    /// Subtracts: integers wrap.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The minimum of signed integers.
    MinS,
    /// The minimum of unsigned integers.
    MinU,
    /// The maximum of signed integers.
    MaxS,
    /// The maximum of unsigned integers.
    MaxU,
    /// Replaces the value.
    Exchange,
    /// Replaces the value if it equals `compare`. The exchange never fails when the two are equal.
    CompareExchange,
    /// Reads the value.
    Load,
    /// Replaces the value; the result of the instruction is not used.
    Store,
}
