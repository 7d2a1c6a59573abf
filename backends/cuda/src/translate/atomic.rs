//! Atomic built-in functions.

use naga::{AtomicFunction, Expression, Handle, TypeInner};

use super::access::{Purpose, either};
use super::error::{Result, TranslateError};
use super::expr::bare;
use super::writer::FunctionWriter;

impl FunctionWriter<'_, '_> {
    /// Writes an atomic operation. If an index is out of range, the operation has no effect and its result is zero.
    pub(super) fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let Some(scalar) = self.atomic_scalar(pointer)? else {
            return Err(TranslateError::invalid("an atomic operation on a value that is not atomic"));
        };
        let scalar = self.m.inner_name(&TypeInner::Scalar(scalar));
        let value = self.value(value)?;
        let value = bare(&value);
        let place = self.place(pointer, Purpose::Change)?;
        let address = place.address();
        let (call, zero) = match *function {
            AtomicFunction::Exchange { compare: Some(compare) } => {
                let compare = self.value(compare)?;
                let call = format!("aw_atomicCompareExchangeWeak({address}, {}, {value})", bare(&compare));
                // With an index out of range, the result is that of an atomic that is zero and cannot be changed.
                (call, format!("aw_cas_result<{scalar}>{{{scalar}(0), {compare} == {scalar}(0)}}"))
            }
            _ => (format!("aw_atomic{}({address}, {value})", name(*function)), format!("{scalar}(0)")),
        };
        match result.filter(|result| self.info[*result].ref_count > 0) {
            Some(result) => {
                let text = either(place.test(), call, &zero);
                self.declare(result, &text.text);
            }
            None => self.line(&place.guarded(&call)),
        }
        Ok(())
    }
}

fn name(function: AtomicFunction) -> &'static str {
    match function {
        AtomicFunction::Add => "Add",
        AtomicFunction::Subtract => "Sub",
        AtomicFunction::And => "And",
        AtomicFunction::ExclusiveOr => "Xor",
        AtomicFunction::InclusiveOr => "Or",
        AtomicFunction::Min => "Min",
        AtomicFunction::Max => "Max",
        AtomicFunction::Exchange { .. } => "Exchange",
    }
}
