//! The blocks in which an expression can be used: the block that evaluates the expression, and the blocks inside it.

use naga::{Expression, Handle};

/// The scopes of the expressions of the new function, which decide whether an expression can be used at the current
/// statement.
pub(super) struct Scopes {
    /// By scope: the depth of the scope while it is open, otherwise `None`. The first scope is that of expressions that
    /// need no statement.
    scopes: Vec<Option<u32>>,
    open: Vec<u32>,
    /// By expression: the scope of the block that evaluates the expression.
    of: Vec<u32>,
}

impl Scopes {
    /// Returns the state at the start of a function: the scope of the body is open, inside the scope for expressions
    /// that need no statement.
    pub(super) fn new() -> Self {
        Self { scopes: vec![Some(0), Some(1)], open: vec![0, 1], of: Vec::new() }
    }

    /// Opens the scope of a block that begins.
    pub(super) fn enter(&mut self) {
        self.open.push(count(self.scopes.len()));
        self.scopes.push(Some(count(self.open.len() - 1)));
    }

    /// Closes the scope of the block that ends.
    pub(super) fn leave(&mut self) {
        if let Some(scope) = self.open.pop() {
            self.scopes[scope as usize] = None;
        }
    }

    /// The depth of the current block.
    pub(super) fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// Records an expression that is evaluated in the current block.
    pub(super) fn place_here(&mut self, made: Handle<Expression>) {
        self.place(made, self.depth());
    }

    /// Records an expression that needs no statement.
    pub(super) fn place_outside(&mut self, made: Handle<Expression>) {
        if self.of.len() <= made.index() {
            self.place(made, 0);
        }
    }

    /// Records an expression that is evaluated in the open block at this depth.
    pub(super) fn place(&mut self, made: Handle<Expression>, depth: usize) {
        self.of.resize((made.index() + 1).max(self.of.len()), 0);
        self.of[made.index()] = self.open[depth];
    }

    /// The depth of the block that evaluates an expression, if the expression can be used at the current statement.
    pub(super) fn visible(&self, made: Handle<Expression>) -> Option<usize> {
        let scope = self.of.get(made.index()).copied().unwrap_or(0);
        self.scopes[scope as usize].map(|depth| depth as usize)
    }
}

/// Converts a number of blocks to `u32`, which it fits in: a kernel has fewer blocks than bytes of source.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
