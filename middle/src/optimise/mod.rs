//! Makes modules faster: unrolls loops, takes private arrays apart, folds, hoists, removes.
//!
//! A function is written anew a few times, each time in one walk that does most of it together, as one thing makes
//! another possible: a loop's counter is known, so an index is constant, so an array is a few variables, so their
//! values are known.
//!
//! | file | concept |
//! |---|---|
//! | `rewrite`, `loops` | the walk: statements |
//! | `express` | the walk: expressions, common ones shared, those that a loop does not change moved before it |
//! | `simplify`, `fold` | what an expression is, if its operands say |
//! | `known` | what is known of every launch, as constants |
//! | `memory` | what variables hold; which memory has changed since |
//! | `scope` | where expressions may be used |
//! | `count` | how often loops run, and what remains of their turns |
//! | `worth` | which of them are unrolled |
//! | `text` | how much statements are for a driver to read |
//! | `scalars` | arrays and structures as variables, one for each element |
//! | `stores` | stores that nothing reads |
//! | `continues` | a `continue` as a branch |
//! | `bind` | what `coopStore` reads, evaluated before it |
//! | `name` | expressions that nest too deeply for readers of text |
//!
//! Floats are never computed here, so every result keeps its bits. Nothing is read that would not have been, but of
//! uniforms and immediates, and nothing changes its order that others can see.

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

/// Functions of more expressions stay as they are, and none becomes larger.
const MOST_EXPRESSIONS: usize = 30_000;

/// How many expressions unrolling may add to a function.
const MOST_GROWTH: usize = 8_000;

/// How many expressions finding out how often loops run may evaluate, in each walk over a function.
const MOST_EFFORT: usize = 100_000;

/// How often a function is written anew, while that changes it.
const MOST_ROUNDS: usize = 6;

/// The module made faster for what is known of its launches; `None` if nothing changes, or it is too large to try.
///
/// The module has to be valid. What comes out is to be validated again before it is used: this only rearranges what
/// is there, and a validator knows best.
#[must_use]
pub fn optimise(module: &Module, info: &ModuleInfo, circumstances: &Circumstances) -> Option<Module> {
    optimise_and_count(module, info, circumstances).0
}

/// As [`optimise`], with the loops that were unrolled.
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
    if function.expressions.len() > MOST_EXPRESSIONS || nests_too_deeply(&function.body) {
        return None;
    }
    let mut made: Option<Function> = None;
    for pass in [bind::bind, without_unused, continues::branch] {
        if let Some(function) = pass(made.as_ref().unwrap_or(function)) {
            made = Some(function);
        }
    }
    let mut growth = MOST_GROWTH;
    for _ in 0..MOST_ROUNDS {
        let source = made.as_ref().unwrap_or(function);
        let splits = scalars::find(module, source);
        match rewrite(module, circumstances, source, &splits, growth) {
            // A constant index out of range, say, in a turn that does not come so far.
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

/// The function without what nothing uses, if there is any.
fn without_unused(function: &Function) -> Option<Function> {
    let mut made: Option<Function> = None;
    for _ in 0..MOST_ROUNDS {
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
