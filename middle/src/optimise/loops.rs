//! Rewrites loops: unrolls them where that is worthwhile, otherwise moves invariant expressions before them.

use anywarp_backend::for_each_block;
use naga::{Block, Expression, Handle, Literal, Span, Statement};

use super::memory::{Memory, Target};
use super::rewrite::{End, Exit, OpenLoop, Rewriter};

/// The largest nesting depth of loops that are unrolled: for deeper loops, the search for their stores would take
/// quadratic time.
const MAX_NESTED_LOOPS: usize = 8;

/// The variables and the memory that statements may change, and whether there is a `continue` of their loop.
#[derive(Default)]
pub(super) struct Touches {
    pub(super) locals: Vec<usize>,
    others: bool,
    continues: bool,
}

impl Rewriter<'_> {
    /// Writes a loop of the old function: its iterations one after the other, or a loop.
    pub(super) fn repeat(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
        span: Span,
    ) -> End {
        self.nest += 1;
        let mut touches = (self.nest <= MAX_NESTED_LOOPS).then(Touches::default);
        if let Some(touches) = &mut touches {
            self.touches(body, touches, false);
            self.touches(continuing, touches, false);
        }
        let trips = match &touches {
            Some(touches) if !touches.continues => self.worthwhile(body, continuing, break_if),
            _ => None,
        };
        let end = match trips {
            Some(trips) => self.unroll(body, continuing, break_if, trips),
            None => self.rolled(body, continuing, break_if, touches, span),
        };
        self.nest -= 1;
        end
    }

    fn unroll(&mut self, body: &Block, continuing: &Block, break_if: Option<Handle<Expression>>, trips: usize) -> End {
        self.changed = true;
        self.exits.push(Exit::Unrolled(self.writer.depth()));
        let mut end = None;
        for _ in 0..=trips {
            end = match self.list(body) {
                End::Open => None,
                End::Left => Some(End::Open),
                End::Closed => Some(End::Closed),
            };
            if end.is_some() || self.failed {
                break;
            }
            // A continuing block can leave the loop only by the `break if` at its end.
            self.list(continuing);
            if let Some(condition) = break_if {
                let condition = self.value(condition);
                match self.literal(condition) {
                    Some(Literal::Bool(true)) => {
                        end = Some(End::Open);
                        break;
                    }
                    Some(Literal::Bool(false)) => {}
                    _ => self.failed = true,
                }
            }
        }
        self.exits.pop();
        self.failed |= end.is_none();
        end.unwrap_or(End::Closed)
    }

    fn rolled(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
        touches: Option<Touches>,
        span: Span,
    ) -> End {
        match &touches {
            Some(touches) => {
                self.memory.forget(&touches.locals);
                if touches.others {
                    self.memory.forget_others();
                }
            }
            None => self.memory.forget_all(),
        }
        let start = self.memory.mark();
        self.loops.push(OpenLoop { before: Vec::new(), depth: self.scopes.depth() });
        self.exits.push(Exit::Loop);
        self.writer.open();
        self.scopes.enter();
        self.list(body);
        let body = self.writer.close();
        // The continuing block must not use expressions of the body, because a `continue` may have skipped them. In MSL
        // and HLSL, naga writes the continuing block before the body, where the variables of the body are not declared.
        self.memory.undo(start);
        self.scopes.leave();
        self.scopes.enter();
        self.writer.open();
        self.list(continuing);
        let break_if = break_if.map(|condition| self.value(condition));
        let continuing = self.writer.close();
        self.scopes.leave();
        self.exits.pop();
        self.memory.undo(start);
        if let Some(OpenLoop { before, .. }) = self.loops.pop() {
            self.writer.emit_made(&before);
        }
        self.writer.push(Statement::Loop { body, continuing, break_if }, span);
        End::Open
    }

    /// Collects the effects of a block. `nested` is true if the block is inside an inner loop.
    pub(super) fn touches(&self, block: &Block, found: &mut Touches, nested: bool) {
        for statement in block {
            match statement {
                Statement::Store { pointer, .. } => match self.target(*pointer) {
                    Target::Local(local, _) => found.locals.push(local.index()),
                    Target::Part(first, count) => {
                        found.locals.extend(self.leaves[first..first + count].iter().map(|local| local.index()));
                    }
                    Target::Other => found.others = true,
                },
                Statement::Continue => found.continues |= !nested,
                _ => found.others |= Memory::changes(statement),
            }
            let nested = nested || matches!(statement, Statement::Loop { .. });
            for_each_block(statement, |inner| self.touches(inner, found, nested));
        }
    }
}
