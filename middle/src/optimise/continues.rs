//! Replaces `continue` by branches, so that loops with a `continue` can be unrolled.
//!
//! ```text
//! if c { a; continue; } b    becomes    if c { a } else { b }
//! ```

use anywarp_backend::statements;
use naga::{Block, Function, Statement};

/// The largest number of `continue`s that are replaced in a loop: each replaced `continue` nests the statements after
/// it one block deeper.
const MAX_CONTINUES: usize = 8;

/// Returns the function with branches in place of `continue`s; `None` if no `continue` can be replaced.
pub(super) fn branch(function: &Function) -> Option<Function> {
    if !has_continue(&function.body) {
        return None;
    }
    let mut changed = false;
    let body = within(function.body.clone(), &mut changed);
    changed.then(|| Function { body, ..function.clone() })
}

fn has_continue(block: &Block) -> bool {
    statements(block).any(|(statement, _)| matches!(statement, Statement::Continue))
}

/// Replaces the `continue`s of all loops in a block.
fn within(block: Block, changed: &mut bool) -> Block {
    let mut made = Block::with_capacity(block.len());
    for (statement, span) in block.span_into_iter() {
        let statement = match statement {
            // The nested block is dissolved, so that its last statement may become the last statement of an iteration.
            Statement::Block(inner) => {
                made.append(&mut within(inner, changed));
                continue;
            }
            Statement::If { condition, accept, reject } => {
                Statement::If { condition, accept: within(accept, changed), reject: within(reject, changed) }
            }
            Statement::Switch { selector, mut cases } => {
                for case in &mut cases {
                    case.body = within(std::mem::take(&mut case.body), changed);
                }
                Statement::Switch { selector, cases }
            }
            Statement::Loop { body, continuing, break_if } => {
                let mut left = MAX_CONTINUES;
                let body = tail(within(body, changed), &mut left);
                *changed |= left < MAX_CONTINUES;
                Statement::Loop { body, continuing: within(continuing, changed), break_if }
            }
            other => other,
        };
        made.push(statement, span);
    }
    made
}

/// Replaces the `continue`s of a block that ends an iteration.
fn tail(block: Block, left: &mut usize) -> Block {
    let mut made = Block::with_capacity(block.len());
    let mut statements = block.span_into_iter().peekable();
    while let Some((statement, span)) = statements.next() {
        match statement {
            Statement::Continue => {
                *left = left.saturating_sub(1);
                break;
            }
            Statement::If { condition, mut accept, mut reject } if *left > 0 => {
                let continues = [&accept, &reject].map(|side| matches!(side.last(), Some(Statement::Continue)));
                if continues == [false, false] {
                    if statements.peek().is_none() {
                        accept = tail(accept, left);
                        reject = tail(reject, left);
                    }
                    made.push(Statement::If { condition, accept, reject }, span);
                    continue;
                }
                *left -= 1;
                let rest = statements.by_ref();
                match continues {
                    [true, true] => rest.for_each(drop),
                    [true, false] => rest.for_each(|(statement, span)| reject.push(statement, span)),
                    _ => rest.for_each(|(statement, span)| accept.push(statement, span)),
                }
                let (accept, reject) = (tail(accept, left), tail(reject, left));
                made.push(Statement::If { condition, accept, reject }, span);
            }
            other => made.push(other, span),
        }
    }
    made
}
