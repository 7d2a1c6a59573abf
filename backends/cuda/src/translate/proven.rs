//! The proofs about a program, which the middle end has made.

#[cfg(test)]
mod tests;

use anywarp_backend::{Checks, FunctionProofs, Program, Proofs, loops};
use naga::{Block, Expression, Function, Handle};
use rustc_hash::FxHashSet;

use super::names::FunctionKey;

/// Returns the proofs about a program; `None` if its checks must not be omitted because of them.
pub(super) fn proofs(program: &Program) -> Option<&Proofs> {
    program.proofs.as_deref().filter(|_| program.leave.checks == Checks::Proven)
}

/// The proofs about one function.
pub(super) struct Proven<'a> {
    proofs: Option<&'a FunctionProofs>,
    /// The bodies of loops that end.
    ends: FxHashSet<*const Block>,
}

impl<'a> Proven<'a> {
    pub(super) fn of(proofs: Option<&'a Proofs>, key: FunctionKey, function: &Function) -> Self {
        let proofs = proofs.map(|proofs| match key {
            FunctionKey::Entry => &proofs.entry,
            FunctionKey::Function(handle) => proofs.function(handle),
        });
        let numbered = proofs.map_or_else(Vec::new, |_| loops(function)).into_iter().enumerate();
        let ending = numbered.filter(|(number, _)| proofs.is_some_and(|proofs| proofs.ends(*number)));
        Self { proofs, ends: ending.map(|(_, body)| std::ptr::from_ref(body)).collect() }
    }

    /// Returns whether the index of an access is in range at every evaluation.
    pub(super) fn in_range(&self, access: Handle<Expression>) -> bool {
        self.proofs.is_some_and(|proofs| proofs.in_range(access))
    }

    /// Returns whether the loop with this body ends after finitely many iterations.
    pub(super) fn ends(&self, body: &Block) -> bool {
        self.ends.contains(&std::ptr::from_ref(body))
    }
}
