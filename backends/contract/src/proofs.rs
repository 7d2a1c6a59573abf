//! Facts proven about a module: accesses that stay in range, loops that end.

use naga::{Block, Expression, Function, Handle, Statement};

use crate::statements;

/// The facts proven about the functions of one module. Nothing is proven about functions that are not listed.
///
/// The proofs are valid for that module alone: they refer to expressions by handle and to loops by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    /// The proofs of each function, in the order of the module's arena.
    pub functions: Vec<FunctionProofs>,
    /// The proofs of the entry point.
    pub entry: FunctionProofs,
}

impl Proofs {
    /// The proofs of a function; empty for a function that is not listed.
    #[must_use]
    pub fn function(&self, handle: Handle<Function>) -> &FunctionProofs {
        const NOTHING: &FunctionProofs = &FunctionProofs { in_range: Vec::new(), ends: Vec::new(), turns: Vec::new() };
        self.functions.get(handle.index()).unwrap_or(NOTHING)
    }
}

/// The facts proven about one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionProofs {
    /// For each expression, by its index in the arena: whether it is an [`Expression::Access`] whose index is proven to
    /// be in range at every evaluation.
    pub in_range: Vec<bool>,
    /// For each loop, in the order of [`loops`]: whether it is proven to end after finitely many iterations.
    pub ends: Vec<bool>,
    /// For each loop, in the order of [`loops`]: the largest number of iterations that the loop begins each time it is
    /// entered, if it is known.
    pub turns: Vec<Option<u32>>,
}

impl FunctionProofs {
    /// Whether the index of an [`Expression::Access`] is proven to be in range at every evaluation.
    #[must_use]
    pub fn in_range(&self, access: Handle<Expression>) -> bool {
        self.in_range.get(access.index()).copied().unwrap_or(false)
    }

    /// Whether the loop with this number is proven to end after finitely many iterations.
    #[must_use]
    pub fn ends(&self, number: usize) -> bool {
        self.ends.get(number).copied().unwrap_or(false)
    }

    /// The largest number of iterations that the loop with this number begins each time it is entered, if it is known.
    #[must_use]
    pub fn turns(&self, number: usize) -> Option<u32> {
        self.turns.get(number).copied().flatten()
    }
}

/// The bodies of a function's loops, in the order of their numbers: an outer loop comes before its inner loops.
#[must_use]
pub fn loops(function: &Function) -> Vec<&Block> {
    let bodies = statements(&function.body).filter_map(|(statement, _)| match statement {
        Statement::Loop { body, .. } => Some(body),
        _ => None,
    });
    bodies.collect()
}
