//! The amount of code that a driver compiles for a statement: roughly its instructions of SPIR-V.

use anywarp_backend::for_each_block;
use naga::{Block, Expression, Handle, Statement};

use super::memory::Target;
use super::rewrite::Rewriter;

/// The SPIR-V instructions that a loop has besides those of its body: labels, jumps and merge instructions.
pub(super) const OF_A_LOOP: usize = 10;

/// The SPIR-V instructions that an `if` has besides those of its blocks.
pub(super) const OF_A_BRANCH: usize = 5;

/// The amount of code, in SPIR-V instructions, of a block whose loops are not unrolled.
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

/// The amount of code, in SPIR-V instructions, of an expression that is not folded.
pub(super) fn of_expression(rewriter: &Rewriter<'_>, old: Handle<Expression>) -> usize {
    match rewriter.source.expressions[old] {
        Expression::Load { pointer } => of_access(rewriter, pointer),
        // A pointer has no code of its own, because its code counts with the load or store.
        _ => usize::from(rewriter.space(old).is_none()),
    }
}

/// The amount of code, in SPIR-V instructions, of a load or a store.
pub(super) fn of_access(rewriter: &Rewriter<'_>, pointer: Handle<Expression>) -> usize {
    match rewriter.target(pointer) {
        Target::Local(_, true) => 1,
        _ => 2,
    }
}

/// The amount of code, in SPIR-V instructions, of a statement without its blocks, for statements other than loops,
/// stores and emissions.
pub(super) fn of_statement(rewriter: &Rewriter<'_>, statement: &Statement) -> usize {
    match statement {
        Statement::If { .. } => OF_A_BRANCH,
        Statement::Switch { cases, .. } => OF_A_BRANCH + cases.len(),
        // Drivers inline functions, so a call counts as the code of the function.
        Statement::Call { function, .. } => rewriter.module.functions[*function].expressions.len(),
        Statement::Block(_) | Statement::Break | Statement::Continue => 0,
        _ => 1,
    }
}
