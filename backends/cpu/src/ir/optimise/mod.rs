//! Optimises a function before code generation: small counted loops are unrolled, constants are folded, repeated
//! arithmetic is done once, and private arrays that only constant indices access become registers.
//!
//! | file | content |
//! |---|---|
//! | `rewrite` | one traversal of a function that copies, folds and forwards |
//! | `knowledge` | the known values of variables at a point |
//! | `repeats` | the available results at a point |
//! | `unroll`, `count` | loops and their numbers of iterations |
//! | `choose` | `&&` and `||` without branches |
//! | `fold` | instructions whose operands are constants |
//! | `operands` | the operands of instructions and statements |
//! | `promote` | conversion of private memory to registers |
//! | `tails` | exits and stores at the ends of branches |
//! | `prune` | removal of unused code |
//!
//! Floats are never computed at compile time, so every result keeps its bits.

mod choose;
mod count;
mod fold;
mod knowledge;
mod operands;
mod promote;
mod prune;
mod repeats;
mod rewrite;
mod tails;
#[cfg(test)]
mod tests;
mod unroll;

pub(crate) use fold::{Folded, fold};

use super::{Function, Stmt};
use rewrite::Rewriter;

/// The largest number of steps that a loop may have after unrolling, in all iterations together; see `unroll`.
const MAX_LOOP_STEPS: usize = 600;

/// The largest number of steps that unrolling may add to a function.
const MAX_GROWTH: usize = 4_000;

/// The largest number of iterations of a loop that is unrolled.
const MAX_TRIPS: usize = 64;

/// The largest nesting depth of loops that may be unrolled.
const MAX_NESTED_LOOPS: usize = 8;

/// Optimises a kernel and its callees. A checked kernel is not changed, because checks report every access.
pub(crate) fn run(kernel: &mut Function) {
    let mut callees = std::mem::take(&mut kernel.callees);
    let all = || std::iter::once(&*kernel).chain(&callees);
    if all().any(|function| has_checks(&function.body)) {
        kernel.callees = callees;
        return;
    }
    // A kernel has several functions only if it is long, so unrolling may add less to each.
    let growth = MAX_GROWTH / (1 + callees.len());
    for callee in &mut callees {
        optimise(callee, growth);
    }
    let of_callees = callees.iter().map(|callee| callee.private_bytes).max().unwrap_or(0);
    optimise(kernel, growth);
    // The kernel and its callees share one frame.
    kernel.private_bytes = kernel.private_bytes.max(of_callees);
    kernel.callees = callees;
}

fn optimise(function: &mut Function, growth: usize) {
    Rewriter::new(function, growth).run();
    if promote::run(function) {
        // Values that were in memory may be known now, and determine numbers of iterations.
        Rewriter::new(function, growth / 4).run();
    }
    tails::run(function);
    prune::run(function);
}

fn has_checks(list: &[Stmt]) -> bool {
    list.iter().any(|statement| match statement {
        Stmt::Check(_) => true,
        Stmt::If { accept, reject, .. } => has_checks(accept) || has_checks(reject),
        Stmt::Block { body, .. } | Stmt::Loop { body, .. } => has_checks(body),
        _ => false,
    })
}
