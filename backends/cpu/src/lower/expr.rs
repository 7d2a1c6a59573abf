//! Expressions, in the order in which naga emits them.

use std::rc::Rc;

use naga::{BinaryOperator, Expression, Handle, SwizzleComponent, TypeInner};

use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::pointer::Root;
use super::pure::{self, Operand};
use super::shape::Shape;
use super::value::Data;
use crate::ir::{Input, Space, Value};

/// An operand of an operator: its type and its scalars.
struct Typed<'a> {
    inner: &'a TypeInner,
    values: Rc<[Value]>,
}

impl Typed<'_> {
    fn operand(&self) -> Operand<'_> {
        Operand { inner: self.inner, values: &self.values }
    }
}

impl<'a> Lowering<'a> {
    /// Evaluates an expression where it is emitted.
    pub(super) fn emit(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<()> {
        let span = frame.span(handle);
        self.spend(1).map_err(|error| error.at(span))?;
        let mut data = self.evaluate(frame, handle).map_err(|error| error.at(span))?;
        if frame.plan.spilled.contains(&handle) && matches!(data, Data::Scalars(_)) {
            let shape = self.types.resolved(&frame.info[handle].ty)?;
            data = Data::Memory(self.spill(shape, &data).map_err(|error| error.at(span))?);
        }
        self.bind(frame, handle, data);
        Ok(())
    }

    /// The value of an expression that naga never emits: a constant, an argument or a variable.
    pub(super) fn unemitted(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Data> {
        let span = frame.span(handle);
        let data = self.nest(|lowering| lowering.evaluate(frame, handle)).map_err(|error| error.at(span))?;
        if frame.function.expressions[handle].needs_pre_emit() {
            frame.values[handle.index()] = Some(data.clone());
        }
        Ok(data)
    }

    fn typed(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Typed<'a>> {
        let values = self.scalars(frame, handle)?;
        Ok(Typed { inner: frame.info[handle].ty.inner_with(&self.module.types), values })
    }

    fn evaluate(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Data> {
        match frame.function.expressions[handle] {
            Expression::Literal(literal) => Ok(Data::one(pure::literal(&mut self.b, literal)?)),
            Expression::Constant(constant) => self.constant(self.module.constants[constant].init),
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::Compose { ty, ref components } => {
                let parts = components.iter().map(|part| self.operand(frame, *part)).collect::<Result<Vec<_>>>()?;
                self.compose(ty, &parts)
            }
            Expression::Splat { size, value } => {
                let value = self.scalar(frame, value)?;
                Ok(vec![value; size as usize].into())
            }
            Expression::Swizzle { size, vector, pattern } => {
                let values = self.scalars(frame, vector)?;
                let chosen: Option<Vec<Value>> =
                    pattern[..size as usize].iter().map(|part| component(&values, *part)).collect();
                chosen.map(Data::from).ok_or_else(|| LowerError::invalid("a swizzle"))
            }
            Expression::FunctionArgument(index) => {
                let argument = frame.arguments.get(index as usize).cloned();
                argument.ok_or_else(|| LowerError::invalid("an argument"))
            }
            Expression::GlobalVariable(global) => {
                let pointer = self.globals.get(global.index()).cloned().flatten();
                pointer.map(Data::Pointer).ok_or_else(|| LowerError::invalid("a variable that is not bound"))
            }
            Expression::LocalVariable(local) => {
                let pointer = frame.locals.get(local.index()).cloned();
                pointer.map(Data::Pointer).ok_or_else(|| LowerError::invalid("a variable"))
            }
            Expression::Access { base, index } => self.access(frame, handle, base, index),
            Expression::AccessIndex { base, index } => self.access_index(frame, handle, base, index),
            Expression::Load { pointer } => {
                let pointer = self.pointer(frame, pointer)?;
                self.load(&pointer)
            }
            Expression::ArrayLength(array) => {
                let pointer = self.pointer(frame, array)?;
                match pointer.root {
                    Root::Memory(Space::Binding(slot)) => Ok(Data::one(self.b.input(Input::ArrayLength(slot)))),
                    _ => Err(LowerError::invalid("arrayLength of a value outside of a buffer")),
                }
            }
            _ => self.operation(frame, handle),
        }
    }

    /// Lowers operators and built-in functions.
    fn operation(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Data> {
        let function = frame.function;
        match function.expressions[handle] {
            Expression::Unary { op, expr } => {
                if let Some(result) = self.cooperative_unary(frame, op, expr)? {
                    return Ok(result);
                }
                let a = self.typed(frame, expr)?;
                Ok(pure::unary(&mut self.b, op, a.operand())?.into())
            }
            Expression::Binary { op, left, right } => {
                if let Some(result) = self.cooperative_binary(frame, op, left, right)? {
                    return Ok(result);
                }
                let (a, b) = (self.typed(frame, left)?, self.typed(frame, right)?);
                if matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo) {
                    self.tell_divisor(b.inner, &b.values);
                }
                Ok(pure::binary(&mut self.b, op, a.operand(), b.operand())?.into())
            }
            Expression::Select { condition, accept, reject } => {
                let conditions = self.scalars(frame, condition)?;
                let (a, b) = (self.scalars(frame, accept)?, self.scalars(frame, reject)?);
                let one = conditions.len() == 1;
                let chosen: Vec<Value> = (0..a.len().min(b.len()))
                    .map(|index| self.b.select(conditions[if one { 0 } else { index }], a[index], b[index]))
                    .collect();
                Ok(chosen.into())
            }
            Expression::Relational { fun, argument } => {
                let a = self.typed(frame, argument)?;
                Ok(pure::relational(&mut self.b, fun, a.operand())?.into())
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let mut arguments = Vec::with_capacity(4);
                for argument in [Some(arg), arg1, arg2, arg3].into_iter().flatten() {
                    arguments.push(self.typed(frame, argument)?);
                }
                let operands: Vec<Operand<'_>> = arguments.iter().map(Typed::operand).collect();
                Ok(pure::math(&mut self.b, fun, &operands)?.into())
            }
            Expression::As { expr, kind, convert } => {
                let a = self.typed(frame, expr)?;
                Ok(pure::cast(&mut self.b, a.operand(), kind, convert)?.into())
            }
            Expression::CooperativeLoad { columns, rows, role, ref data } => {
                let shape = self.types.resolved(&frame.info[handle].ty)?;
                debug_assert!(matches!(
                    shape,
                    Shape::Cooperative { columns: c, rows: r, role: k, .. }
                        if c == columns as u32 && r == rows as u32 && k == role
                ));
                self.cooperative_load(frame, shape, data)
            }
            Expression::CooperativeMultiplyAdd { a, b, c } => self.cooperative_multiply_add(frame, a, b, c),
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. } => {
                Err(LowerError::invalid("a result that is used before its statement"))
            }
            Expression::Override(_) => Err(LowerError::invalid("an override without a value")),
            Expression::Derivative { .. } => Err(LowerError::unsupported("a derivative")),
            Expression::ImageSample { .. } | Expression::ImageLoad { .. } | Expression::ImageQuery { .. } => {
                Err(LowerError::unsupported("a texture"))
            }
            _ => Err(LowerError::unsupported("a ray query")),
        }
    }
}

fn component(values: &[Value], part: SwizzleComponent) -> Option<Value> {
    values.get(part as usize).copied()
}
