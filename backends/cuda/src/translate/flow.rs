//! Properties of the statements of a block.

use anywarp_backend::statements;
use anywarp_middle::operands::statement_result;
use naga::{Block, Expression, Handle, Statement};
use rustc_hash::FxHashSet;

/// Returns whether a loop's body contains a `continue` of that loop.
pub(super) fn continues(body: &Block) -> bool {
    let mut left = vec![body];
    while let Some(block) = left.pop() {
        for statement in block {
            match statement {
                Statement::Continue => return true,
                Statement::Block(inner) => left.push(inner),
                Statement::If { accept, reject, .. } => left.extend([accept, reject]),
                Statement::Switch { cases, .. } => left.extend(cases.iter().map(|case| &case.body)),
                _ => {}
            }
        }
    }
    false
}

/// Returns the expressions that the statements of a block evaluate.
pub(super) fn evaluated(block: &Block) -> FxHashSet<Handle<Expression>> {
    let mut made = FxHashSet::default();
    for (statement, _) in statements(block) {
        match statement {
            Statement::Emit(range) => made.extend(range.clone()),
            _ => made.extend(statement_result(statement)),
        }
    }
    made
}
