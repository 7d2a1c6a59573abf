//! Makes a function smaller and straighter before code is made of it: small counted loops are
//! unrolled, what is constant then is folded, and private arrays that only constant indices reach
//! become registers.
//!
//! | file | concept |
//! |---|---|
//! | `rewrite` | one walk over a function that copies, folds and forwards |
//! | `knowledge` | what variables hold at a point |
//! | `unroll`, `count` | loops; how often they run |
//! | `choose` | `&&` and `||` without branches |
//! | `fold` | instructions whose operands are constants |
//! | `operands` | the operands of instructions and statements |
//! | `promote` | private memory as registers |
//! | `prune` | without what nothing uses |
//!
//! Floats are never computed here, so every result keeps its bits.

mod choose;
mod count;
mod fold;
mod knowledge;
mod operands;
mod promote;
mod prune;
mod rewrite;
#[cfg(test)]
mod tests;
mod unroll;

use super::{Function, Stmt};
use rewrite::Rewriter;

/// A loop is unrolled if its iterations together have no more steps than this.
const MOST_STEPS_OF_A_LOOP: usize = 600;

/// How many steps unrolling may add to a function in all.
const MOST_GROWTH: usize = 4_000;

/// Loops with more iterations stay loops.
const MOST_TRIPS: usize = 64;

/// Loops in more loops than this are left as they are.
const MOST_NESTED_LOOPS: usize = 8;

/// Optimises a kernel and what it calls. One that is checked stays as it is: checks speak of every access.
pub(crate) fn run(kernel: &mut Function) {
    let mut callees = std::mem::take(&mut kernel.callees);
    let all = || std::iter::once(&*kernel).chain(&callees);
    if all().any(|function| has_checks(&function.body)) {
        kernel.callees = callees;
        return;
    }
    // A kernel of several functions is long as it is.
    let growth = MOST_GROWTH / (1 + callees.len());
    for callee in &mut callees {
        optimise(callee, growth);
    }
    let of_callees = callees.iter().map(|callee| callee.private_bytes).max().unwrap_or(0);
    optimise(kernel, growth);
    // They share one frame.
    kernel.private_bytes = kernel.private_bytes.max(of_callees);
    kernel.callees = callees;
}

fn optimise(function: &mut Function, growth: usize) {
    Rewriter::new(function, growth).run();
    if promote::run(function) {
        // What was in memory is now known, and may count loops.
        Rewriter::new(function, growth / 4).run();
    }
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
