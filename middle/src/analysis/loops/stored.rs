//! The variables that a loop stores to, and the values in them.

use naga::{Block, Expression, Handle, Statement};
use rustc_hash::FxHashSet;

use super::super::state::{Root, Value};
use super::super::values::Id;
use super::super::walk::{Frame, Walker};

impl<'a> Walker<'a> {
    /// Adds the indices in `slots` of the variables that the statements of a block may store to.
    pub(super) fn stored(&mut self, frame: &mut Frame<'a>, block: &'a Block, found: &mut FxHashSet<usize>) {
        for statement in block {
            self.work += 1;
            match statement {
                Statement::Store { pointer, .. } => self.stored_through(frame, *pointer, found),
                Statement::Call { arguments, .. } => {
                    for argument in arguments {
                        if frame.info[*argument].ty.inner_with(&self.module.types).pointer_space().is_some() {
                            self.stored_through(frame, *argument, found);
                        }
                    }
                    // Any function may store to private variables of the module.
                    found.extend(self.private.values());
                }
                Statement::Block(inner) => self.stored(frame, inner, found),
                Statement::If { accept, reject, .. } => {
                    self.stored(frame, accept, found);
                    self.stored(frame, reject, found);
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.stored(frame, &case.body, found);
                    }
                }
                Statement::Loop { body, continuing, .. } => {
                    self.stored(frame, body, found);
                    self.stored(frame, continuing, found);
                }
                _ => {}
            }
        }
    }

    fn stored_through(&mut self, frame: &Frame<'a>, pointer: Handle<Expression>, found: &mut FxHashSet<usize>) {
        self.work += 1;
        let mut at = pointer;
        let root = loop {
            match frame.function.expressions[at] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                Expression::LocalVariable(local) => break Root::Slot(frame.first_slot + local.index()),
                Expression::GlobalVariable(global) => {
                    break self.private.get(&global).map_or(Root::Unknown, |slot| Root::Slot(*slot));
                }
                Expression::FunctionArgument(index) => match self.argument(frame, index) {
                    Value::Pointer(place) => break place.root,
                    _ => break Root::Unknown,
                },
                _ => break Root::Unknown,
            }
        };
        if let Root::Slot(slot) = root {
            found.insert(slot);
        }
    }

    pub(super) fn name_of_slot(&self, frame: &Frame<'a>, slot: usize) -> Option<String> {
        let index = slot.checked_sub(frame.first_slot)?;
        let (_, local) = frame.function.local_variables.iter().nth(index)?;
        local.name.clone()
    }
}

pub(super) fn collect(value: &Value, found: &mut Vec<Id>) {
    match value {
        Value::Scalar(id) => found.push(*id),
        Value::Parts(parts) => parts.iter().for_each(|part| collect(part, found)),
        Value::Pointer(_) | Value::Opaque => {}
    }
}

/// Adds the scalars of `value` at the positions at which `shape` has scalars; `None` where `value` has no scalar.
pub(super) fn aligned(shape: &Value, value: &Value, found: &mut Vec<Option<Id>>) {
    match shape {
        Value::Scalar(_) => found.push(value.scalar()),
        Value::Parts(parts) => {
            let fits = matches!(value, Value::Parts(others) if others.len() == parts.len());
            for (index, part) in parts.iter().enumerate() {
                let other = if fits { value.part(index) } else { Value::Opaque };
                aligned(part, &other, found);
            }
        }
        Value::Pointer(_) | Value::Opaque => {}
    }
}

/// Returns a value with its scalars replaced by `ids`, in order.
pub(super) fn replaced(value: &Value, ids: &mut impl Iterator<Item = Id>) -> Value {
    match value {
        Value::Scalar(_) => ids.next().map_or(Value::Opaque, Value::Scalar),
        Value::Parts(parts) => Value::Parts(parts.iter().map(|part| replaced(part, ids)).collect()),
        Value::Pointer(_) | Value::Opaque => Value::Opaque,
    }
}
