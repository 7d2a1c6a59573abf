//! Adds checks to a module, for accesses and loops without a proof.
//!
//! The pass is for backends that can only switch all of their own checks on or off.
//!
//! | without a proof | replaced by |
//! |---|---|
//! | index of a read | `min(index, count - 1)`, unsigned: an index out of range reads the last element |
//! | index of a store | the clamped index, inside `if index <= count - 1` |
//! | index of an atomic | as for a store; the result out of range is zero |
//! | end of a loop | a count of the loop's iterations, up to 2^64 |
//!
//! Indices of a pointer that is passed to a function are only clamped. So are those of `workgroupUniformLoad`, whose
//! barriers need uniform control flow. Divisions are left to the backend: wgpu's check of the divisor costs almost
//! nothing.

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

/// Adds checks for all indices and loops without a proof, so that a backend needs no checks of its own. Returns `None`
/// if no check is needed.
///
/// Expressions and statements keep their spans, and functions keep their handles.
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

/// Returns a function with its checks; `None` if the function needs no checks.
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
