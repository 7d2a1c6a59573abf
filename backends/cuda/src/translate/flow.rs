//! The structure of statements.

use naga::{Block, Expression, Handle, Statement};
use rustc_hash::FxHashSet;

/// Calls `visit` for each statement of a block, including nested ones.
pub(super) fn statements<'a>(block: &'a Block, mut visit: impl FnMut(&'a Statement)) {
    // A work list in place of recursion: `else if` nests as deep as the source is long.
    let mut left = vec![block];
    while let Some(block) = left.pop() {
        for statement in block {
            visit(statement);
            match statement {
                Statement::Block(inner) => left.push(inner),
                Statement::If { accept, reject, .. } => left.extend([accept, reject]),
                Statement::Switch { cases, .. } => left.extend(cases.iter().map(|case| &case.body)),
                Statement::Loop { body, continuing, .. } => left.extend([body, continuing]),
                _ => {}
            }
        }
    }
}

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
    statements(block, |statement| match statement {
        Statement::Emit(range) => made.extend(range.clone()),
        Statement::Call { result, .. } | Statement::Atomic { result, .. } => made.extend(*result),
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. } => {
            made.insert(*result);
        }
        _ => {}
    });
    made
}
