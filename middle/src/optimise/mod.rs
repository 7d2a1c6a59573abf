//! Optimisation of modules: unrolls loops, splits private arrays, folds, hoists, removes dead code.
//!
//! Each function is rewritten several times. One pass does most of the work, because one simplification enables the
//! next: a loop is unrolled, so its counter is constant, so an index is constant, so an array can become variables, so
//! their values are known.
//!
//! | file | concept |
//! |---|---|
//! | `rewrite`, `loops` | the pass over statements |
//! | `express` | the pass over expressions: shares common expressions, moves invariant expressions out of loops |
//! | `simplify`, `fold` | simpler forms of expressions with known operands |
//! | `known` | values that are the same in every launch, as constants |
//! | `memory` | contents of variables, and versions of memory |
//! | `scope` | the blocks in which an expression can be used |
//! | `count` | the number of iterations of a loop, and the code that remains of the iterations |
//! | `worth` | the choice of loops to unroll |
//! | `text` | the amount of code that a driver compiles |
//! | `scalars` | arrays and structs replaced by one variable for each element |
//! | `stores` | dead stores |
//! | `continues` | `continue` replaced by branches |
//! | `bind` | operands of `coopStore`, evaluated before it |
//! | `name` | names for expressions that nest too deeply for compilers of text |
//!
//! No pass computes floats, so every result keeps its bits. No pass adds a read, except of uniforms and immediates, or
//! changes the order of visible effects.

mod bind;
mod continues;
mod count;
mod express;
mod fold;
mod known;
mod loops;
mod memory;
mod name;
mod rewrite;
mod scalars;
mod scope;
mod simplify;
mod stores;
#[cfg(test)]
mod tests;
mod text;
mod worth;

use naga::{Function, Module, valid::ModuleInfo};
use rustc_hash::FxHashSet;

use crate::Circumstances;
use crate::rebuild::depth::nests_too_deeply;
use crate::rebuild::prune::{prune, uses};
use rewrite::{GaveUp, rewrite};
pub use worth::Unrolled;

/// The largest number of expressions of a function: larger functions are not optimised, and no function grows beyond
/// this number.
const MAX_EXPRESSIONS: usize = 30_000;

/// The largest number of expressions that unrolling may add to a function.
const MAX_GROWTH: usize = 8_000;

/// The largest number of expressions that one pass over a function evaluates to count the iterations of loops.
const MAX_EFFORT: usize = 100_000;

/// The largest number of times that a function is rewritten. Rewriting ends earlier if one rewrite changes nothing.
const MAX_ROUNDS: usize = 6;

/// Optimises a module for the launches that `circumstances` describe; `None` if nothing changes.
///
/// The module must be valid. Callers validate the result before they use it.
#[must_use]
pub fn optimise(module: &Module, info: &ModuleInfo, circumstances: &Circumstances) -> Option<Module> {
    optimise_and_count(module, info, circumstances).0
}

/// Optimises a module, as [`optimise`] does, and counts the loops that were unrolled.
#[must_use]
pub fn optimise_and_count(
    module: &Module,
    _info: &ModuleInfo,
    circumstances: &Circumstances,
) -> (Option<Module>, Unrolled) {
    let mut made: Option<Module> = None;
    let mut unrolled = Unrolled::default();
    for (handle, function) in module.functions.iter() {
        if let Some(function) = faster(module, circumstances, function, &mut unrolled) {
            *made.get_or_insert_with(|| module.clone()).functions.get_mut(handle) = function;
        }
    }
    for (at, entry) in module.entry_points.iter().enumerate() {
        if let Some(function) = faster(module, circumstances, &entry.function, &mut unrolled) {
            made.get_or_insert_with(|| module.clone()).entry_points[at].function = function;
        }
    }
    (made, unrolled)
}

fn faster(
    module: &Module,
    circumstances: &Circumstances,
    function: &Function,
    unrolled: &mut Unrolled,
) -> Option<Function> {
    if function.expressions.len() > MAX_EXPRESSIONS || nests_too_deeply(&function.body) {
        return None;
    }
    let mut made: Option<Function> = None;
    for pass in [bind::bind, without_unused, continues::branch] {
        if let Some(function) = pass(made.as_ref().unwrap_or(function)) {
            made = Some(function);
        }
    }
    let mut growth = MAX_GROWTH;
    for _ in 0..MAX_ROUNDS {
        let source = made.as_ref().unwrap_or(function);
        let splits = scalars::find(module, source);
        match rewrite(module, circumstances, source, &splits, growth) {
            // Unrolling may fail: for example, an unrolled iteration that never runs has a constant index out of range.
            Err(GaveUp) if growth > 0 => growth = 0,
            Err(GaveUp) | Ok(None) => break,
            Ok(Some((rewritten, loops))) => {
                *unrolled += loops;
                growth = growth.saturating_sub(rewritten.expressions.len().saturating_sub(source.expressions.len()));
                made = Some(without_unused(&rewritten).unwrap_or(rewritten));
            }
        }
    }
    made.iter_mut().for_each(name::name_nested);
    made
}

/// Returns the function without unused code; `None` if the function has no unused code.
fn without_unused(function: &Function) -> Option<Function> {
    let mut made: Option<Function> = None;
    for _ in 0..MAX_ROUNDS {
        let source = made.as_ref().unwrap_or(function);
        let all = uses(source, &FxHashSet::default());
        let (dead, all) = stores::dead(source, all);
        let left = if dead.is_empty() { all } else { uses(source, &dead) };
        let Some(pruned) = prune(source, left, &dead) else { break };
        made = Some(pruned.function);
        if !pruned.again {
            break;
        }
    }
    made
}

/// Returns the pass over one function with this name, for tests of the pass alone.
#[cfg(test)]
pub(crate) fn pass_over_function(name: &str) -> Option<fn(&Function) -> Option<Function>> {
    Some(match name {
        "bind" => bind::bind,
        "continues" => continues::branch,
        "unused" => without_unused,
        _ => return None,
    })
}
