//! The contents of tracked variables.

use std::rc::Rc;

use super::super::state::{Place, Root, Value};
use super::super::values::{Id, Part};
use super::Walker;
use crate::domain::Known;

impl Walker<'_> {
    /// The content of a memory location; `None` if the analysis does not track that content.
    pub(in super::super) fn held(&mut self, place: &Place) -> Option<Value> {
        let Root::Slot(slot) = place.root else { return None };
        let mut value = self.slots.get(slot)?.clone();
        for part in &place.path {
            value = match part {
                Part::At(index) => value.part(*index as usize),
                Part::Index(index) => self.one_part(&value, *index)?,
            };
        }
        Some(value)
    }

    /// The component or element of a value at an index. For an index out of range, the kernel also reads one of the
    /// components or elements.
    pub(in super::super) fn one_part(&mut self, value: &Value, index: Id) -> Option<Value> {
        let Value::Parts(parts) = value else { return None };
        if let Some(known) = self.values.constant_of(index) {
            return parts.get(usize::try_from(known).ok()?).cloned();
        }
        let ids: Option<Vec<Id>> = parts.iter().map(Value::scalar).collect();
        let known = ids?.into_iter().map(|id| self.facts.range(&self.values, id)).reduce(Known::join)?;
        Some(Value::Scalar(self.values.unknown(known)))
    }

    pub(super) fn store(&mut self, place: &Rc<Place>, value: Value) {
        let Root::Slot(slot) = place.root else { return };
        let Some(held) = self.slots.get(slot).cloned() else { return };
        self.slots[slot] = match place.path.iter().position(|part| matches!(part, Part::Index(_))) {
            None => held.with(&place.path, value),
            // The index is unknown, so any of the elements may have changed.
            Some(at) => held.with(&place.path[..at], Value::Opaque),
        };
    }
}
