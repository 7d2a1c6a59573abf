//! Rewrites branches and `switch` statements: if the taken path is known, only that path remains.

use anywarp_backend::for_each_block;
use naga::{Block, Expression, Handle, Literal, Span, Statement, SwitchCase, SwitchValue};

use super::super::loops::Touches;
use super::{End, Exit, Rewriter};

impl Rewriter<'_> {
    pub(super) fn branch(&mut self, condition: Handle<Expression>, sides: [&Block; 2], span: Span) -> End {
        let condition = self.value(condition);
        if let Some(Literal::Bool(known)) = self.literal(condition) {
            self.changed = true;
            return self.list(sides[usize::from(!known)]);
        }
        let start = self.memory.mark();
        let [(accept, accepted, after_accept), (reject, rejected, after_reject)] = sides.map(|side| {
            let (block, end) = self.inner(side);
            (block, end, self.memory.undo(start))
        });
        self.writer.push(Statement::If { condition, accept, reject }, span);
        match (accepted, rejected) {
            (End::Open, End::Open) => self.memory.join(&after_accept, &after_reject, &self.scopes),
            (_, End::Open) => self.memory.take(&after_reject, &self.scopes),
            (End::Open, _) => self.memory.take(&after_accept, &self.scopes),
            _ => return End::Closed,
        }
        End::Open
    }

    pub(super) fn inner(&mut self, block: &Block) -> (Block, End) {
        self.writer.open();
        self.scopes.enter();
        let end = self.list(block);
        self.scopes.leave();
        (self.writer.close(), end)
    }

    pub(super) fn switch(&mut self, selector: Handle<Expression>, cases: &[SwitchCase], span: Span) -> End {
        let selector = self.value(selector);
        if let Some(literal) = self.literal(selector)
            && let Some(taken) = taken(literal, cases)
            && taken.len() < cases.len()
            && let Some(end) = self.straight(taken)
        {
            return end;
        }
        let start = self.memory.mark();
        self.exits.push(Exit::Switch);
        let mut made = Vec::with_capacity(cases.len());
        // Any one of the cases may have run, up to the end of the case or up to a `break`, also one within a branch.
        let mut touches = Touches::default();
        cases.iter().for_each(|case| self.touches(&case.body, &mut touches, false));
        let mut fell = false;
        for case in cases {
            if fell {
                self.memory.forget(&touches.locals);
            }
            let (body, _) = self.inner(&case.body);
            self.memory.undo(start);
            made.push(SwitchCase { value: case.value, body, fall_through: case.fall_through });
            fell = case.fall_through;
        }
        self.exits.pop();
        self.memory.forget(&touches.locals);
        self.writer.push(Statement::Switch { selector, cases: made }, span);
        End::Open
    }

    /// Writes cases that run one after the other, without a `switch`. Returns `None` if a `break` ends the cases early.
    fn straight(&mut self, cases: &[SwitchCase]) -> Option<End> {
        let breaks = |body: &Block| body.iter().any(has_break);
        for (at, case) in cases.iter().enumerate() {
            let ends = matches!(case.body.last(), Some(Statement::Break));
            let inside = case.body.iter().rev().skip(usize::from(ends)).any(has_break);
            if inside || (ends && at + 1 < cases.len()) || (!ends && breaks(&case.body)) {
                return None;
            }
        }
        self.changed = true;
        for case in cases {
            for (statement, span) in case.body.span_iter() {
                if matches!(statement, Statement::Break) {
                    return Some(End::Open);
                }
                let end = self.statement(statement, *span);
                if end != End::Open {
                    return Some(end);
                }
            }
        }
        Some(End::Open)
    }
}

/// Whether a statement contains a `break` of the surrounding `switch`.
fn has_break(statement: &Statement) -> bool {
    match statement {
        Statement::Break => true,
        // A `break` inside of these statements belongs to the inner statement.
        Statement::Switch { .. } | Statement::Loop { .. } => false,
        _ => {
            let mut found = false;
            for_each_block(statement, |block| found |= block.iter().any(has_break));
            found
        }
    }
}

/// The cases that run for a selector: the case that it selects, and the following cases to which execution falls
/// through.
fn taken(selector: Literal, cases: &[SwitchCase]) -> Option<&[SwitchCase]> {
    let is_selected = |case: &SwitchCase| match (case.value, selector) {
        (SwitchValue::I32(value), Literal::I32(selector)) => value == selector,
        (SwitchValue::U32(value), Literal::U32(selector)) => value == selector,
        _ => false,
    };
    let first = cases
        .iter()
        .position(is_selected)
        .or_else(|| cases.iter().position(|case| case.value == SwitchValue::Default))?;
    let more = cases[first..].iter().take_while(|case| case.fall_through).count();
    cases.get(first..=first + more)
}
