//! What statements and expressions consist of.

use naga::{AtomicFunction, Block, Expression, GatherMode, Handle, Statement};
use rustc_hash::FxHashSet;

/// Calls `visit` for each statement of a block, those within others included.
pub(super) fn statements<'a>(block: &'a Block, mut visit: impl FnMut(&'a Statement)) {
    // A list of what is left instead of recursion: `else if` nests as deep as the source is long.
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

/// Whether a loop's body holds a `continue` of that loop.
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

/// The expressions whose values are made by the statements of a block.
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

/// Adds what a statement reads itself, without that of the blocks within it.
pub(super) fn operands_of_statement(statement: &Statement, out: &mut Vec<Handle<Expression>>) {
    match statement {
        Statement::If { condition, .. } => out.push(*condition),
        Statement::Switch { selector, .. } => out.push(*selector),
        Statement::Loop { break_if, .. } => out.extend(*break_if),
        Statement::Return { value } => out.extend(*value),
        Statement::Store { pointer, value } => out.extend([*pointer, *value]),
        Statement::Atomic { pointer, fun, value, .. } => {
            out.extend([*pointer, *value]);
            if let AtomicFunction::Exchange { compare } = fun {
                out.extend(*compare);
            }
        }
        Statement::WorkGroupUniformLoad { pointer, .. } => out.push(*pointer),
        Statement::Call { arguments, .. } => out.extend(arguments),
        Statement::SubgroupBallot { predicate, .. } => out.extend(*predicate),
        Statement::SubgroupGather { mode, argument, .. } => {
            out.push(*argument);
            match mode {
                GatherMode::Broadcast(index)
                | GatherMode::Shuffle(index)
                | GatherMode::ShuffleDown(index)
                | GatherMode::ShuffleUp(index)
                | GatherMode::ShuffleXor(index)
                | GatherMode::QuadBroadcast(index) => out.push(*index),
                GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => {}
            }
        }
        Statement::SubgroupCollectiveOperation { argument, .. } => out.push(*argument),
        Statement::CooperativeStore { target, data } => out.extend([*target, data.pointer, data.stride]),
        _ => {}
    }
}

/// Adds the operands of an expression.
pub(super) fn operands(expression: &Expression, out: &mut Vec<Handle<Expression>>) {
    match expression {
        Expression::Compose { components, .. } => out.extend(components),
        Expression::Access { base, index } => out.extend([*base, *index]),
        Expression::AccessIndex { base, .. } => out.push(*base),
        Expression::Splat { value, .. } => out.push(*value),
        Expression::Swizzle { vector, .. } => out.push(*vector),
        Expression::Load { pointer } | Expression::ArrayLength(pointer) => out.push(*pointer),
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => out.push(*expr),
        Expression::Binary { left, right, .. } => out.extend([*left, *right]),
        Expression::Select { condition, accept, reject } => out.extend([*condition, *accept, *reject]),
        Expression::Relational { argument, .. } => out.push(*argument),
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            out.push(*arg);
            out.extend([arg1, arg2, arg3].into_iter().copied().flatten());
        }
        Expression::CooperativeLoad { data, .. } => out.extend([data.pointer, data.stride]),
        Expression::CooperativeMultiplyAdd { a, b, c } => out.extend([*a, *b, *c]),
        _ => {}
    }
}
