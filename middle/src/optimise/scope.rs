//! The blocks in which an expression can be used: the one that evaluates it, and those inside.

use naga::{Expression, Handle};

/// The new expressions that can be used at the current statement.
pub(super) struct Scopes {
    /// The depth of each scope while it is open, else `None`. The first scope has the expressions without a statement.
    scopes: Vec<Option<u32>>,
    open: Vec<u32>,
    /// The scope of each expression.
    of: Vec<u32>,
}

impl Scopes {
    /// The scope of a function's body, inside that for expressions that need no statement.
    pub(super) fn new() -> Self {
        Self { scopes: vec![Some(0), Some(1)], open: vec![0, 1], of: Vec::new() }
    }

    /// Begins a block.
    pub(super) fn enter(&mut self) {
        self.open.push(count(self.scopes.len()));
        self.scopes.push(Some(count(self.open.len() - 1)));
    }

    /// Ends a block.
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

    /// Records an expression that is evaluated in the open block of a depth.
    pub(super) fn place(&mut self, made: Handle<Expression>, depth: usize) {
        self.of.resize((made.index() + 1).max(self.of.len()), 0);
        self.of[made.index()] = self.open[depth];
    }

    /// The depth of the block that evaluates an expression, if the expression can be used here.
    pub(super) fn visible(&self, made: Handle<Expression>) -> Option<usize> {
        let scope = self.of.get(made.index()).copied().unwrap_or(0);
        self.scopes[scope as usize].map(|depth| depth as usize)
    }
}

/// A number of blocks as `u32`: a kernel has fewer blocks than bytes of source.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
