//! A new block while it is being written.

use naga::{Block, Expression, Handle, Range, Span, Statement};

/// A block that is being written: expressions that follow each other are emitted together.
#[derive(Default)]
pub(crate) struct Emitter {
    block: Block,
    waiting: Option<(Handle<Expression>, Handle<Expression>, Span)>,
}

impl Emitter {
    /// Emits an expression. `span` is the span of the statement of the old function that emitted the expression.
    pub(crate) fn emit(&mut self, handle: Handle<Expression>, span: Span) {
        match &mut self.waiting {
            Some((_, last, _)) if last.index() + 1 == handle.index() => *last = handle,
            _ => {
                self.flush();
                self.waiting = Some((handle, handle, span));
            }
        }
    }

    /// Adds a statement after the expressions that were emitted so far.
    pub(crate) fn push(&mut self, statement: Statement, span: Span) {
        self.flush();
        self.block.push(statement, span);
    }

    /// Returns the finished block.
    pub(crate) fn finish(mut self) -> Block {
        self.flush();
        self.block
    }

    fn flush(&mut self) {
        if let Some((first, last, span)) = self.waiting.take() {
            self.block.push(Statement::Emit(Range::new_from_bounds(first, last)), span);
        }
    }
}
