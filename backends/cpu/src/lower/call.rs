//! Inlined calls: the callee's statements replace the call.

use std::rc::Rc;

use anywarp_backend::FunctionProofs;
use naga::valid::FunctionInfo;
use naga::{Block, Expression, Function, Handle, Statement};

use super::control::drop_exit;
use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::plan::{Home, Plan};
use super::pointer::Pointer;
use super::value::Data;
use crate::ir::{Label, Stmt};

/// The effect of the `return` statements of an inlined function.
pub(super) enum Returns {
    /// The only `return` is the function's last statement, and its value is the result of the call.
    AtEnd(Option<Data>),
    /// A `return` leaves the block `label`, after it has stored its value in `to`.
    Exit { label: Label, to: Option<Pointer> },
}

impl<'a> Lowering<'a> {
    pub(super) fn call(
        &mut self,
        frame: &mut Frame<'a>,
        function: Handle<Function>,
        handles: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let callee = &self.module.functions[function];
        let info = &self.program.module.info()[function];
        let plan = self.plans.functions.get(function.index()).cloned();
        let plan = plan.ok_or_else(|| LowerError::invalid("a call of a function that comes later"))?;
        let arguments = handles.iter().map(|argument| self.operand(frame, *argument)).collect::<Result<Vec<_>>>()?;
        // The callee's expressions cost time even if none of them becomes an instruction.
        self.spend(1 + callee.expressions.len() / 8)?;
        let value = if self.inlining.is_apart(function) {
            self.call_apart(frame, function, handles, &arguments)?
        } else {
            let proofs = self.proofs.map(|proofs| proofs.function(function));
            self.inline(callee, info, proofs, plan, arguments)?
        };
        if let Some(result) = result {
            let value = value.ok_or_else(|| LowerError::invalid("a function without a result"))?;
            self.bind(frame, result, value);
        }
        Ok(())
    }

    /// Appends the statements of a function; returns its result.
    pub(super) fn inline(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        proofs: Option<&'a FunctionProofs>,
        plan: Rc<Plan>,
        mut arguments: Vec<Data>,
    ) -> Result<Option<Data>> {
        let returns = if returns_at_end(&function.body) {
            Returns::AtEnd(None)
        } else {
            let to = match &function.result {
                Some(result) => {
                    let shape = self.types.of(result.ty)?;
                    let zero = self.zero_of(shape)?;
                    Some(if self.is_large(shape) {
                        self.reserve(shape)?
                    } else {
                        self.declare(shape, Home::Registers, &zero)?
                    })
                }
                None => None,
            };
            Returns::Exit { label: self.b.label(), to }
        };
        // The mark follows the memory for the result, which must outlive the callee's own memory.
        let mark = self.private.mark();
        for handle in &plan.spilled {
            if let Expression::FunctionArgument(index) = function.expressions[*handle]
                && let Some(argument) = arguments.get_mut(index as usize)
            {
                let shape = self.types.of(function.arguments[index as usize].ty)?;
                *argument = Data::Memory(self.spill(shape, argument)?);
            }
        }
        let mut frame = Frame::new(function, info, proofs, plan, arguments, returns);
        self.nest(|lowering| lowering.body(&mut frame))?;
        match frame.returns {
            Returns::AtEnd(result) => {
                if !matches!(result, Some(Data::Memory(_))) {
                    self.private.release(mark);
                }
                Ok(result)
            }
            Returns::Exit { to, .. } => {
                self.private.release(mark);
                match to {
                    Some(to) if self.is_large(to.shape) => Ok(Some(Data::Memory(to))),
                    Some(to) => Ok(Some(self.read(&to)?.into())),
                    None => Ok(None),
                }
            }
        }
    }

    fn body(&mut self, frame: &mut Frame<'a>) -> Result<()> {
        let function = frame.function;
        let Returns::Exit { label, .. } = frame.returns else {
            self.declare_locals(frame)?;
            return self.block(frame, &function.body);
        };
        self.b.open();
        self.declare_locals(frame)?;
        self.block(frame, &function.body)?;
        let mut list = self.b.close();
        drop_exit(&mut list, label);
        self.b.push(Stmt::Block { label, body: list });
        Ok(())
    }
}

/// Whether a function returns only at its end.
fn returns_at_end(body: &Block) -> bool {
    let mut left: Vec<(&Block, bool)> = vec![(body, true)];
    while let Some((block, last)) = left.pop() {
        for (position, statement) in block.iter().enumerate() {
            let end = last && position + 1 == block.len();
            match statement {
                Statement::Return { .. } if !end => return false,
                // A `return` may end an inner block, if that block is the last statement of the function.
                Statement::Block(inner) => left.push((inner, end)),
                Statement::If { accept, reject, .. } => left.extend([(accept, false), (reject, false)]),
                Statement::Switch { cases, .. } => left.extend(cases.iter().map(|case| (&case.body, false))),
                Statement::Loop { body, continuing, .. } => left.extend([(body, false), (continuing, false)]),
                _ => {}
            }
        }
    }
    true
}
