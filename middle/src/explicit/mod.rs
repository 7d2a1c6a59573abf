//! The checks that are left, as part of the module.
//!
//! For backends that can only switch all of their checks on or off: here they are in the module itself, and only where
//! nothing has proven that they are needless.
//!
//! | what is not proven | what it becomes |
//! |---|---|
//! | an access's index | `min(index, count - 1)`, as an unsigned integer: out of range it is the last element |
//! | a store's index | the same, inside of `if index <= count - 1` |
//! | an atomic's index | the same; out of range its result is zero |
//! | a loop's end | a count of its turns, up to 2^64 |
//!
//! A pointer that is passed to a function, and `workgroupUniformLoad`, whose barriers need uniform control flow, only
//! have the clamp. Divisions are left to the backend: what wgpu does about a divisor of zero costs next to nothing.

mod plan;
mod statements;
#[cfg(test)]
mod tests;
mod turns;
mod writer;

use anywarp_backend::{FunctionProofs, Proofs};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Function, Module, Type, UniqueArena};

use plan::Plan;
use writer::Writer;

/// The module with a check for whatever is not proven of it, so that no backend needs checks of indices and loops;
/// `None` where all is proven, or certain without a proof.
///
/// Expressions and statements keep their spans, functions their handles.
#[must_use]
pub fn explicit(module: &Module, info: &ModuleInfo, proofs: &Proofs) -> Option<Module> {
    let mut changed = false;
    let mut checked = module.clone();
    let Module { types, functions, entry_points, .. } = &mut checked;
    for (handle, function) in functions.iter_mut() {
        let old = &module.functions[handle];
        if let Some(new) = written(module, old, &info[handle], proofs.function(handle), types) {
            (*function, changed) = (new, true);
        }
    }
    for (at, entry) in entry_points.iter_mut().enumerate() {
        let old = &module.entry_points[at].function;
        if let Some(new) = written(module, old, info.get_entry_point(at), &proofs.entry, types) {
            (entry.function, changed) = (new, true);
        }
    }
    changed.then_some(checked)
}

/// A function with its checks; `None` where it needs none.
fn written(
    module: &Module,
    function: &Function,
    info: &FunctionInfo,
    proofs: &FunctionProofs,
    types: &mut UniqueArena<Type>,
) -> Option<Function> {
    let plan = Plan::new(module, function, info, proofs);
    (!plan.is_empty()).then(|| Writer::new(function, &plan, types).write())
}
