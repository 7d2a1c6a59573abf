//! Facts proven of a module: which accesses stay in range, which loops end.

use naga::{Block, Expression, Function, Handle, Statement};

/// The facts proven of the functions of one module. Functions that are not mentioned have none.
///
/// It belongs to that module alone: expressions are named by their handles, loops by their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    /// By function, in the order of the module's arena.
    pub functions: Vec<FunctionProofs>,
    /// Those of the entry point.
    pub entry: FunctionProofs,
}

impl Proofs {
    /// Those of a function; none for one that is not known.
    #[must_use]
    pub fn function(&self, handle: Handle<Function>) -> &FunctionProofs {
        const NOTHING: &FunctionProofs = &FunctionProofs { in_range: Vec::new(), ends: Vec::new(), turns: Vec::new() };
        self.functions.get(handle.index()).unwrap_or(NOTHING)
    }
}

/// The facts proven of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionProofs {
    /// By the index of the expression: whether this [`Expression::Access`] has an index in range, whenever it is
    /// evaluated.
    pub in_range: Vec<bool>,
    /// By the number of the loop, as [`loops`] counts: whether it is left after finitely many turns.
    pub ends: Vec<bool>,
    /// By the number of the loop: how many turns it begins at most, whenever it is come to.
    pub turns: Vec<Option<u32>>,
}

impl FunctionProofs {
    /// Whether the index of an [`Expression::Access`] is in range whenever it is evaluated.
    #[must_use]
    pub fn in_range(&self, access: Handle<Expression>) -> bool {
        self.in_range.get(access.index()).copied().unwrap_or(false)
    }

    /// Whether the loop with this number is left after finitely many turns.
    #[must_use]
    pub fn ends(&self, number: usize) -> bool {
        self.ends.get(number).copied().unwrap_or(false)
    }

    /// How many turns the loop with this number begins at most, if that is known.
    #[must_use]
    pub fn turns(&self, number: usize) -> Option<u32> {
        self.turns.get(number).copied().flatten()
    }
}

/// The bodies of a function's loops, in the order of their numbers: a loop comes before those in it.
#[must_use]
pub fn loops(function: &Function) -> Vec<&Block> {
    let mut found = Vec::new();
    collect(&function.body, &mut found);
    found
}

fn collect<'a>(block: &'a Block, found: &mut Vec<&'a Block>) {
    for statement in block {
        match statement {
            Statement::Loop { body, continuing, .. } => {
                found.push(body);
                collect(body, found);
                collect(continuing, found);
            }
            Statement::Block(inner) => collect(inner, found),
            Statement::If { accept, reject, .. } => {
                collect(accept, found);
                collect(reject, found);
            }
            Statement::Switch { cases, .. } => cases.iter().for_each(|case| collect(&case.body, found)),
            _ => {}
        }
    }
}
