//! Where expressions may be used: in the block that evaluates them and the blocks in it.

use naga::{Expression, Handle};

/// Which new expressions can be used at the place that is being written.
pub(super) struct Scopes {
    /// By scope: how deep it is while it is open, else `None`. The first is that of what needs no statement.
    scopes: Vec<Option<u32>>,
    open: Vec<u32>,
    /// By expression: its scope.
    of: Vec<u32>,
}

impl Scopes {
    /// That of a function's body, in that of what needs no statement.
    pub(super) fn new() -> Self {
        Self { scopes: vec![Some(0), Some(1)], open: vec![0, 1], of: Vec::new() }
    }

    /// A block begins.
    pub(super) fn enter(&mut self) {
        self.open.push(count(self.scopes.len()));
        self.scopes.push(Some(count(self.open.len() - 1)));
    }

    /// A block ends.
    pub(super) fn leave(&mut self) {
        if let Some(scope) = self.open.pop() {
            self.scopes[scope as usize] = None;
        }
    }

    /// How deep the block is.
    pub(super) fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// An expression is evaluated here.
    pub(super) fn place_here(&mut self, made: Handle<Expression>) {
        self.place(made, self.depth());
    }

    /// An expression is there from the start.
    pub(super) fn place_outside(&mut self, made: Handle<Expression>) {
        if self.of.len() <= made.index() {
            self.place(made, 0);
        }
    }

    /// An expression is evaluated in the block so deep.
    pub(super) fn place(&mut self, made: Handle<Expression>, depth: usize) {
        self.of.resize((made.index() + 1).max(self.of.len()), 0);
        self.of[made.index()] = self.open[depth];
    }

    /// How deep the block is that evaluates an expression, if it can be used here.
    pub(super) fn visible(&self, made: Handle<Expression>) -> Option<usize> {
        let scope = self.of.get(made.index()).copied().unwrap_or(0);
        self.scopes[scope as usize].map(|depth| depth as usize)
    }
}

/// There are fewer blocks than bytes of a kernel's text.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
