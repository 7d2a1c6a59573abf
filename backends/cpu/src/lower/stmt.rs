//! Lowers statements.

use naga::{Barrier, Block, Expression, Handle, Span, Statement};

use super::call::Returns;
use super::checks::{declared, without_value};
use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::pointer::Pointer;
use super::value::Data;
use crate::ir::{CheckKind, Order, Stmt};

/// The largest number of expressions among which the user of a read is searched: operands come shortly before their
/// user.
const MAX_BETWEEN: usize = 256;

impl<'a> Lowering<'a> {
    /// Lowers the statements of a block, and appends the result to the current list.
    pub(super) fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Result<()> {
        self.nest(|lowering| {
            frame.depth += 1;
            let mut statements = block.span_iter().peekable();
            while let Some((statement, span)) = statements.next() {
                lowering.next = statements.peek().map_or(Span::UNDEFINED, |(_, span)| **span);
                lowering.spend(1).map_err(|error| error.at(*span))?;
                lowering.statement(frame, statement, *span).map_err(|error| error.at(*span))?;
            }
            frame.depth -= 1;
            Ok(())
        })
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement, span: Span) -> Result<()> {
        if span.is_defined() {
            self.here = span;
        }
        match statement {
            Statement::Emit(range) => {
                let places = if self.checked || self.observed { self.places(frame, range.clone()) } else { Vec::new() };
                for (position, handle) in range.clone().enumerate() {
                    self.here = places.get(position).copied().unwrap_or_default();
                    self.emit(frame, handle)?;
                }
                Ok(())
            }
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
                let data = self.operand(frame, *value)?;
                if self.checked
                    && declared(frame.function, *pointer, span).is_some()
                    && without_value(frame.function, *value, span)
                {
                    self.store(&Pointer { tracking: None, ..to.clone() }, &data)?;
                    self.forget(&to, false);
                    return Ok(());
                }
                self.store(&to, &data)
            }
            Statement::Call { function, arguments, result } => self.call(frame, *function, arguments, *result),
            _ => self.together(frame, statement, span),
        }
    }

    /// Lowers statements that involve other invocations.
    fn together(&mut self, frame: &mut Frame<'a>, statement: &'a Statement, span: Span) -> Result<()> {
        match statement {
            Statement::ControlBarrier(barrier) => {
                // A subgroup barrier needs no code, because the lanes of a subgroup run in lockstep.
                let order = Order {
                    workgroup: barrier.contains(Barrier::WORK_GROUP),
                    storage: barrier.contains(Barrier::STORAGE),
                    subgroup: *barrier == Barrier::SUB_GROUP,
                };
                if order.subgroup {
                    self.report(CheckKind::Arrival(order), "", Vec::new());
                } else {
                    self.barrier(span, order);
                }
                Ok(())
            }
            Statement::MemoryBarrier(_) => Ok(()),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let from = self.pointer(frame, *pointer)?;
                let order = Order { workgroup: true, ..Order::default() };
                self.barrier(span, order);
                let value = self.load(&from)?;
                self.barrier(span, order);
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

    /// The positions of a statement's expressions. naga gives a read of a local variable or an argument the position of
    /// the declaration; such a read gets the position of the expression that uses its value.
    fn places(&self, frame: &Frame<'a>, range: naga::Range<Expression>) -> Vec<Span> {
        let expressions = &frame.function.expressions;
        let handles: Vec<Handle<Expression>> = range.collect();
        let first = handles.first().copied();
        let place = |handle: Handle<Expression>| match expressions[handle] {
            // In naga, each use of a module's variable is an expression with its own position.
            Expression::Load { pointer } if matches!(expressions[pointer], Expression::GlobalVariable(_)) => {
                frame.span(handle)
            }
            Expression::Load { pointer } if Some(pointer) < first => Span::UNDEFINED,
            _ => frame.span(handle),
        };
        let last = if self.next.is_defined() { self.next } else { self.here };
        let mut places: Vec<Span> = handles.iter().map(|handle| place(*handle)).chain([last]).collect();
        for position in (0..handles.len()).rev() {
            if !places[position].is_defined() {
                let user = self.user_of(frame, handles[position]);
                let here = user.and_then(|user| handles.iter().position(|handle| *handle == user));
                let found = match (here, user) {
                    (Some(later), _) => places[later],
                    (None, Some(user)) => frame.span(user),
                    (None, None) => Span::UNDEFINED,
                };
                places[position] = if found.is_defined() { found } else { places[position + 1] };
            }
        }
        places
    }

    /// The expression that uses a value; `None` for a value with a name, which may be used anywhere.
    fn user_of(&self, frame: &Frame<'a>, of: Handle<Expression>) -> Option<Handle<Expression>> {
        if frame.function.named_expressions.contains_key(&of) {
            return None;
        }
        let later = frame.function.expressions.iter().skip(of.index() + 1).take(MAX_BETWEEN);
        let is_of = |(_, expression): &(Handle<Expression>, &Expression)| {
            operands(expression).into_iter().flatten().any(|operand| operand == of)
        };
        later.into_iter().find(is_of).map(|(user, _)| user)
    }

    fn barrier(&mut self, span: Span, order: Order) {
        self.report(CheckKind::Arrival(order), "", Vec::new());
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

/// The operands of an operator, an access or a function, for the search of positions.
fn operands(expression: &Expression) -> [Option<Handle<Expression>>; 4] {
    match *expression {
        Expression::Unary { expr: a, .. }
        | Expression::As { expr: a, .. }
        | Expression::Swizzle { vector: a, .. }
        | Expression::Splat { value: a, .. }
        | Expression::AccessIndex { base: a, .. }
        | Expression::Relational { argument: a, .. }
        | Expression::Load { pointer: a } => [Some(a), None, None, None],
        Expression::Binary { left, right, .. } => [Some(left), Some(right), None, None],
        Expression::Access { base, index } => [Some(base), Some(index), None, None],
        Expression::Select { condition, accept, reject } => [Some(condition), Some(accept), Some(reject), None],
        Expression::Math { arg, arg1, arg2, arg3, .. } => [Some(arg), arg1, arg2, arg3],
        _ => [None; 4],
    }
}
