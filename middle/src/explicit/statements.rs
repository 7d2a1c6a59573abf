//! Writes the statements of a function with checks.

use naga::{Block, CooperativeData, Expression, Handle, Span, Statement};

use super::writer::Writer;
use crate::rebuild::emitter::Emitter;
use crate::rebuild::operands::{map_statement_operands, statement_result_mut};

impl Writer<'_> {
    /// Writes the statements of a block of the old function, with checks.
    pub(super) fn fill(&mut self, block: &Block, out: &mut Emitter) {
        for (statement, span) in block.span_iter() {
            self.statement(statement, *span, out);
        }
    }

    /// Returns a block of the old function with checks.
    fn block(&mut self, block: &Block) -> Block {
        let mut out = Emitter::default();
        self.fill(block, &mut out);
        out.finish()
    }

    fn statement(&mut self, statement: &Statement, span: Span, out: &mut Emitter) {
        match statement {
            Statement::Emit(range) => {
                for old in range.clone() {
                    for handle in self.before.get(&old).into_iter().flatten() {
                        out.emit(*handle, span);
                    }
                    out.emit(self.moved(old), span);
                }
            }
            Statement::Block(inner) => {
                let inner = self.block(inner);
                out.push(Statement::Block(inner), span);
            }
            Statement::If { condition, accept, reject } => {
                let (accept, reject) = (self.block(accept), self.block(reject));
                out.push(Statement::If { condition: self.moved(*condition), accept, reject }, span);
            }
            Statement::Switch { selector, cases } => {
                let mut cases = cases.clone();
                for case in &mut cases {
                    case.body = self.block(&case.body);
                }
                out.push(Statement::Switch { selector: self.moved(*selector), cases }, span);
            }
            Statement::Loop { body, continuing, break_if } => {
                let number = self.loops;
                self.loops += 1;
                let body = self.block(body);
                let mut rest = Emitter::default();
                self.fill(continuing, &mut rest);
                let mut break_if = break_if.map(|condition| self.moved(condition));
                if self.plan.endless.get(number).copied().unwrap_or(true) {
                    break_if = Some(self.count_turns(out, &mut rest, break_if, span));
                }
                out.push(Statement::Loop { body, continuing: rest.finish(), break_if }, span);
            }
            Statement::Store { pointer, .. }
            | Statement::CooperativeStore { data: CooperativeData { pointer, .. }, .. } => {
                self.where_in_range(*pointer, statement, span, out);
            }
            Statement::Atomic { pointer, result, .. } => {
                match result.filter(|result| self.results.contains_key(result)) {
                    None => self.where_in_range(*pointer, statement, span, out),
                    Some(result) => self.atomic(*pointer, result, statement, span, out),
                }
            }
            _ => {
                let same = self.same(statement);
                out.push(same, span);
            }
        }
    }

    /// Returns a statement of the old function with the operands and the result of the new function.
    fn same(&self, statement: &Statement) -> Statement {
        let mut statement = statement.clone();
        map_statement_operands(&mut statement, |operand| self.moved(operand));
        if let Some(result) = statement_result_mut(&mut statement) {
            *result = self.results.get(result).map_or_else(|| self.moved(*result), |kept| kept.result);
        }
        statement
    }

    /// Writes a statement that stores through a pointer. If the pointer may be out of range, the statement is inside an
    /// `if`.
    fn where_in_range(&mut self, pointer: Handle<Expression>, statement: &Statement, span: Span, out: &mut Emitter) {
        let same = self.same(statement);
        match self.in_range(pointer, span) {
            None => out.push(same, span),
            Some((condition, compared)) => {
                compared.into_iter().for_each(|handle| out.emit(handle, span));
                let accept = block_of([same], span);
                out.push(Statement::If { condition, accept, reject: Block::new() }, span);
            }
        }
    }

    /// Writes an atomic whose result is zero if the pointer is out of range.
    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        result: Handle<Expression>,
        statement: &Statement,
        span: Span,
        out: &mut Emitter,
    ) {
        let kept = self.results[&result];
        let same = self.same(statement);
        out.push(Statement::Store { pointer: kept.variable, value: kept.zero }, span);
        if let Some((condition, compared)) = self.in_range(pointer, span) {
            compared.into_iter().for_each(|handle| out.emit(handle, span));
            let keep = Statement::Store { pointer: kept.variable, value: kept.result };
            let accept = block_of([same, keep], span);
            out.push(Statement::If { condition, accept, reject: Block::new() }, span);
        }
        out.emit(self.moved(result), span);
    }
}

/// Returns a block of statements that all have the same span.
fn block_of<const N: usize>(statements: [Statement; N], span: Span) -> Block {
    let mut block = Block::with_capacity(N);
    for statement in statements {
        block.push(statement, span);
    }
    block
}
