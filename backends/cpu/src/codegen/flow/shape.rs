//! The shape of control flow: the statements after which fewer lanes may be active, and the loops without a step count.

use super::super::generator::Generator;
use crate::ir::{Label, Stmt};

impl Generator<'_, '_> {
    /// Whether some lanes may leave a statement for a point outside of the statement while other lanes stay.
    pub(super) fn leaves_lanes(&self, statement: &Stmt) -> bool {
        match statement {
            Stmt::If { accept, reject, .. } => self.list_parts(accept) || self.list_parts(reject),
            Stmt::Block { label, body } => self.block_leaks(*label, body),
            Stmt::Loop { body, .. } => self.list_parts(body),
            _ => false,
        }
    }

    /// Whether some lanes may leave the block `label` for a point other than the end of this block.
    pub(super) fn block_leaks(&self, label: Label, body: &[Stmt]) -> bool {
        exits(body, &mut vec![label], &mut |label| self.facts.parting[label.0 as usize])
    }

    /// Whether lanes may leave a list at different times.
    pub(super) fn list_parts(&self, list: &[Stmt]) -> bool {
        exits(list, &mut Vec::new(), &mut |label| self.facts.parting[label.0 as usize])
    }
}

/// The largest number of loop iterations that may run between two counted steps.
const MAX_UNCOUNTED: u32 = 256;

/// Whether a list contains an exit to an enclosing block for which `wanted` holds.
fn exits(list: &[Stmt], inner: &mut Vec<Label>, wanted: &mut impl FnMut(Label) -> bool) -> bool {
    list.iter().any(|statement| match statement {
        Stmt::Exit(label) => !inner.contains(label) && wanted(*label),
        Stmt::If { accept, reject, .. } => exits(accept, inner, wanted) || exits(reject, inner, wanted),
        Stmt::Loop { body, .. } => exits(body, inner, wanted),
        Stmt::Block { label, body } => {
            inner.push(*label);
            let found = exits(body, inner, wanted);
            inner.pop();
            found
        }
        _ => false,
    })
}

/// The largest number of iterations of a loop and its inner loops together; `None` if the loop must be counted, because
/// the number is unknown or above the limit.
pub(super) fn turns_within(body: &[Stmt], turns: Option<u32>) -> Option<u32> {
    let all = turns?.checked_mul(uncounted(body).saturating_add(1))?;
    (all <= MAX_UNCOUNTED).then_some(all)
}

/// The largest number of iterations in a list that are not counted as steps.
fn uncounted(list: &[Stmt]) -> u32 {
    list.iter()
        .map(|statement| match statement {
            Stmt::If { accept, reject, .. } => uncounted(accept).max(uncounted(reject)),
            Stmt::Block { body, .. } => uncounted(body),
            Stmt::Loop { body, turns, .. } => turns_within(body, *turns).unwrap_or(0),
            _ => 0,
        })
        .fold(0, u32::saturating_add)
}

/// Whether a test that skips a list costs less than the list without active lanes. Lists with loops always need the
/// test: a loop without active lanes might not end.
pub(in crate::codegen) fn is_heavy(list: &[Stmt]) -> bool {
    list.len() > 12
        || list.iter().any(|statement| match statement {
            Stmt::Let(_) | Stmt::Declare(..) | Stmt::Write(..) | Stmt::Exit(_) => false,
            Stmt::Store { .. } | Stmt::Loop { .. } | Stmt::Barrier(_) | Stmt::Check(_) | Stmt::Call { .. } => true,
            Stmt::If { accept, reject, .. } => is_heavy(accept) || is_heavy(reject),
            Stmt::Block { body, .. } => is_heavy(body),
        })
}
