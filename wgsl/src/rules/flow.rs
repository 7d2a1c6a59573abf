//! Endless loops, and statements that exist only in naga.

use naga::{Barrier, Block, Statement};

use super::Breach;
use crate::uniformity::Behavior;

/// Adds a mistake for each loop that never ends and for each statement that exists only in naga. Returns the ways in
/// which execution can leave the block.
pub(super) fn block(statements: &Block, found: &mut Vec<Breach>) -> Behavior {
    let mut behavior = Behavior::NEXT;
    for (statement, span) in statements.span_iter() {
        let next = match statement {
            Statement::Block(inner) => block(inner, found),
            Statement::If { accept, reject, .. } => block(accept, found).or(block(reject, found)),
            Statement::Switch { cases, .. } => {
                let cases = cases.iter().filter(|case| !case.fall_through);
                cases.fold(Behavior::NONE, |all, case| all.or(block(&case.body, found))).of_switch()
            }
            Statement::Loop { body, continuing, break_if } => {
                let inner = block(body, found).or(block(continuing, found));
                let inner = if break_if.is_some() { inner.or(Behavior::BREAK) } else { inner };
                if inner.of_loop() == Behavior::NONE {
                    found.push(Breach {
                        at: *span,
                        message: "this loop never ends".to_owned(),
                        help: "add a `break` or a `return` that can be reached",
                    });
                    Behavior::NEXT
                } else {
                    inner.of_loop()
                }
            }
            Statement::ControlBarrier(barrier) if barrier.contains(Barrier::SUB_GROUP) => {
                found.push(Breach {
                    at: *span,
                    message: "`subgroupBarrier` is not a function of WGSL".to_owned(),
                    help: "use `workgroupBarrier`, which also orders memory within a subgroup",
                });
                Behavior::NEXT
            }
            Statement::SubgroupBallot { predicate: None, .. } => {
                found.push(Breach {
                    at: *span,
                    message: "`subgroupBallot` needs a condition".to_owned(),
                    help: "`subgroupBallot(true)` returns the active invocations",
                });
                Behavior::NEXT
            }
            Statement::Break => Behavior::BREAK,
            Statement::Continue => Behavior::CONTINUE,
            Statement::Return { .. } => Behavior::RETURN,
            _ => Behavior::NEXT,
        };
        if behavior.has(Behavior::NEXT) {
            behavior = behavior.then(next);
        }
    }
    behavior
}
