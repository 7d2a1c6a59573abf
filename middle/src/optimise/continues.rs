//! A `continue` as the branch that it is, so that what it skips can be seen and loops with one can be unrolled.
//!
//! ```text
//! if c { a; continue; } b    if c { a } else { b }
//! ```

use anywarp_backend::statements;
use naga::{Block, Function, Statement};

/// Loops with more of them keep them, as each puts what follows one block deeper.
const MOST_OF_A_LOOP: usize = 8;

/// The function with fewer `continue`s; `None` if there are none to do without.
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

/// Looks for loops.
fn within(block: Block, changed: &mut bool) -> Block {
    let mut made = Block::with_capacity(block.len());
    for (statement, span) in block.span_into_iter() {
        let statement = match statement {
            // What comes last in it may come last in a turn.
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
                let mut left = MOST_OF_A_LOOP;
                let body = tail(within(body, changed), &mut left);
                *changed |= left < MOST_OF_A_LOOP;
                Statement::Loop { body, continuing: within(continuing, changed), break_if }
            }
            other => other,
        };
        made.push(statement, span);
    }
    made
}

/// A block behind which nothing comes in a turn of a loop.
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
