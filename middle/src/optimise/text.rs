//! How much text statements are for a driver: about the instructions of SPIR-V that are written for them.

use anywarp_backend::for_each_block;
use naga::{Block, Expression, Handle, Statement};

use super::memory::Target;
use super::rewrite::Rewriter;

/// A loop's labels, jumps and marks.
pub(super) const OF_A_LOOP: usize = 10;

/// Those of a branch.
pub(super) const OF_A_BRANCH: usize = 5;

/// That of a block as it stands.
pub(super) fn of(rewriter: &Rewriter<'_>, block: &Block) -> usize {
    let of_one = |statement: &Statement| {
        let own = match statement {
            Statement::Emit(range) => range.clone().map(|handle| of_expression(rewriter, handle)).sum(),
            Statement::Store { pointer, .. } => of_access(rewriter, *pointer),
            Statement::Loop { .. } => OF_A_LOOP,
            _ => of_statement(rewriter, statement),
        };
        let mut inner = 0;
        for_each_block(statement, |block| inner += of(rewriter, block));
        own + inner
    };
    block.iter().map(of_one).sum()
}

/// That of an expression of which nothing is known.
pub(super) fn of_expression(rewriter: &Rewriter<'_>, old: Handle<Expression>) -> usize {
    match rewriter.source.expressions[old] {
        Expression::Load { pointer } => of_access(rewriter, pointer),
        // Part of what reads or writes there.
        _ => usize::from(rewriter.space(old).is_none()),
    }
}

/// That of a load or a store.
pub(super) fn of_access(rewriter: &Rewriter<'_>, pointer: Handle<Expression>) -> usize {
    match rewriter.target(pointer) {
        Target::Local(_, true) => 1,
        _ => 2,
    }
}

/// That of a statement without what is in its blocks; no loop, store or emission.
pub(super) fn of_statement(rewriter: &Rewriter<'_>, statement: &Statement) -> usize {
    match statement {
        Statement::If { .. } => OF_A_BRANCH,
        Statement::Switch { cases, .. } => OF_A_BRANCH + cases.len(),
        // Drivers write the function in its place.
        Statement::Call { function, .. } => rewriter.module.functions[*function].expressions.len(),
        Statement::Block(_) | Statement::Break | Statement::Continue => 0,
        _ => 1,
    }
}
