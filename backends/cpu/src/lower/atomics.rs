//! Atomic built-in functions.

use naga::{AtomicFunction, Expression, Handle, Scalar, ScalarKind};

use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::pointer::Root;
use super::shape::{Shape, mem_type};
use super::value::Data;
use crate::ir::{Access, AtomicOp, CompareOp};

impl<'a> Lowering<'a> {
    pub(super) fn atomic(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: Handle<Expression>,
        function: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let to = self.pointer(frame, pointer)?;
        let (Shape::Atomic(scalar), Root::Memory(space)) = (to.shape, &to.root) else {
            return Err(LowerError::invalid("an atomic operation on a value that is not atomic"));
        };
        let place = to.place(*space, 0);
        let ty = mem_type(scalar)?;
        let value = self.scalar(frame, value)?;
        let (op, compare) = match function {
            AtomicFunction::Exchange { compare: Some(compare) } => {
                (AtomicOp::CompareExchange, Some(self.scalar(frame, *compare)?))
            }
            other => (operation(other, scalar)?, None),
        };
        self.tell_access(&to, Access::AtomicWrite)?;
        let old = self.b.atomic(op, place, ty, value, compare);
        let Some(result) = result else { return Ok(()) };
        let data = match compare {
            // The result is a struct with the members `old_value` and `exchanged`.
            Some(compare) => vec![old, self.b.compare(CompareOp::Eq, old, compare)].into(),
            None => Data::one(old),
        };
        self.bind(frame, result, data);
        Ok(())
    }
}

fn operation(function: &AtomicFunction, scalar: Scalar) -> Result<AtomicOp> {
    let is_signed = scalar.kind == ScalarKind::Sint;
    Ok(match function {
        AtomicFunction::Add => AtomicOp::Add,
        AtomicFunction::Subtract => AtomicOp::Sub,
        AtomicFunction::Exchange { .. } => AtomicOp::Exchange,
        _ if scalar.kind == ScalarKind::Float => {
            return Err(LowerError::unsupported("this atomic operation on a float"));
        }
        AtomicFunction::And => AtomicOp::And,
        AtomicFunction::ExclusiveOr => AtomicOp::Xor,
        AtomicFunction::InclusiveOr => AtomicOp::Or,
        AtomicFunction::Min if is_signed => AtomicOp::MinS,
        AtomicFunction::Min => AtomicOp::MinU,
        AtomicFunction::Max if is_signed => AtomicOp::MaxS,
        AtomicFunction::Max => AtomicOp::MaxU,
    })
}
