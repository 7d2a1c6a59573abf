//! Statements.

use naga::{Barrier, Block, Span, Statement};

use super::call::Returns;
use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::value::Data;
use crate::ir::Stmt;

impl<'a> Lowering<'a> {
    /// The statements of a block, appended to the current list.
    pub(super) fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Result<()> {
        self.nest(|lowering| {
            frame.depth += 1;
            for (statement, span) in block.span_iter() {
                lowering.spend(1).map_err(|error| error.at(*span))?;
                lowering.statement(frame, statement, *span).map_err(|error| error.at(*span))?;
            }
            frame.depth -= 1;
            Ok(())
        })
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement, span: Span) -> Result<()> {
        match statement {
            Statement::Emit(range) => range.clone().try_for_each(|handle| self.emit(frame, handle)),
            Statement::Block(inner) => self.block(frame, inner),
            Statement::If { condition, accept, reject } => self.branch(frame, *condition, accept, reject),
            Statement::Switch { selector, cases } => self.switch(frame, *selector, cases),
            Statement::Loop { body, continuing, break_if } => self.repeat(frame, body, continuing, *break_if),
            Statement::Break => {
                let label = frame.breaks.last().copied();
                self.b.push(Stmt::Exit(label.ok_or_else(|| LowerError::invalid("break outside of a loop"))?));
                Ok(())
            }
            Statement::Continue => {
                let label = frame.continues.last().copied();
                self.b.push(Stmt::Exit(label.ok_or_else(|| LowerError::invalid("continue outside of a loop"))?));
                Ok(())
            }
            Statement::Return { value } => {
                let value = value.map(|value| self.operand(frame, value)).transpose()?;
                self.leave(frame, value)
            }
            Statement::Store { pointer, value } => {
                let to = self.pointer(frame, *pointer)?;
                let value = self.operand(frame, *value)?;
                self.store(&to, &value)
            }
            Statement::Call { function, arguments, result } => self.call(frame, *function, arguments, *result),
            _ => self.together(frame, statement, span),
        }
    }

    /// Statements that concern other invocations.
    fn together(&mut self, frame: &mut Frame<'a>, statement: &'a Statement, span: Span) -> Result<()> {
        match statement {
            Statement::ControlBarrier(barrier) => {
                // The lanes of a subgroup run in step.
                if *barrier != Barrier::SUB_GROUP {
                    self.barrier(span);
                }
                Ok(())
            }
            Statement::MemoryBarrier(_) => Ok(()),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let from = self.pointer(frame, *pointer)?;
                self.barrier(span);
                let value = self.load(&from)?;
                self.barrier(span);
                self.bind(frame, *result, value);
                Ok(())
            }
            Statement::Atomic { pointer, fun, value, result } => self.atomic(frame, *pointer, fun, *value, *result),
            Statement::SubgroupBallot { result, predicate } => self.ballot(frame, *result, *predicate),
            Statement::SubgroupGather { mode, argument, result } => self.gather(frame, *mode, *argument, *result),
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.collective(frame, *op, *collective_op, *argument, *result)
            }
            Statement::CooperativeStore { target, data } => self.cooperative_store(frame, *target, data),
            Statement::Kill => Err(LowerError::unsupported("discard")),
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => Err(LowerError::unsupported("a texture")),
            _ => Err(LowerError::unsupported("ray tracing")),
        }
    }

    fn barrier(&mut self, span: Span) {
        let site = self.site(span, "");
        self.b.push(Stmt::Barrier(site));
    }

    fn leave(&mut self, frame: &mut Frame<'a>, value: Option<Data>) -> Result<()> {
        match &mut frame.returns {
            Returns::AtEnd(result) => *result = value,
            Returns::Exit { label, to } => {
                let label = *label;
                if let (Some(to), Some(value)) = (to.clone(), value) {
                    self.store(&to, &value)?;
                }
                self.b.push(Stmt::Exit(label));
            }
        }
        Ok(())
    }
}
