//! The operands of expressions and statements.
//!
//! Every match lists all variants, so that a variant that naga adds is a compile error here.

use naga::{
    AtomicFunction, CooperativeData, Expression, GatherMode, Handle, ImageQuery, RayPipelineFunction, RayQueryFunction,
    SampleLevel, Statement,
};

/// Whether an [`Emit`](Statement::Emit) statement has to evaluate the expression. Other expressions are available from
/// the start of the function, or are results of statements.
pub(crate) fn needs_emit(expression: &Expression) -> bool {
    !expression.needs_pre_emit() && !is_result(expression)
}

/// Whether the expression is the result of a statement.
pub(crate) fn is_result(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::RayQueryProceedResult
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
    )
}

/// Calls `visit` with each operand of an expression, in the order of the source.
pub fn for_each_operand(expression: &Expression, mut visit: impl FnMut(Handle<Expression>)) {
    // A copy of the expression is passed to `map_operands`, so that both functions share one match.
    if let Expression::Compose { components, .. } = expression {
        components.iter().for_each(|component| visit(*component));
        return;
    }
    map_operands(&mut expression.clone(), |operand| {
        visit(operand);
        operand
    });
}

/// Replaces each operand of an expression by the result of `map`.
pub(crate) fn map_operands(expression: &mut Expression, mut map: impl FnMut(Handle<Expression>) -> Handle<Expression>) {
    let mut map = |operand: &mut Handle<Expression>| *operand = map(*operand);
    match expression {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::Override(_)
        | Expression::ZeroValue(_)
        | Expression::FunctionArgument(_)
        | Expression::GlobalVariable(_)
        | Expression::LocalVariable(_)
        | Expression::CallResult(_)
        | Expression::AtomicResult { .. }
        | Expression::WorkGroupUniformLoadResult { .. }
        | Expression::RayQueryProceedResult
        | Expression::SubgroupBallotResult
        | Expression::SubgroupOperationResult { .. } => {}
        Expression::Compose { components, .. } => components.iter_mut().for_each(map),
        Expression::Access { base, index } => [base, index].into_iter().for_each(map),
        Expression::AccessIndex { base, .. } => map(base),
        Expression::Splat { value, .. } => map(value),
        Expression::Swizzle { vector, .. } => map(vector),
        Expression::Load { pointer } => map(pointer),
        Expression::ImageSample { image, sampler, coordinate, array_index, offset, level, depth_ref, .. } => {
            [image, sampler, coordinate].into_iter().for_each(&mut map);
            [array_index, offset].into_iter().flatten().for_each(&mut map);
            match level {
                SampleLevel::Auto | SampleLevel::Zero => {}
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => map(level),
                SampleLevel::Gradient { x, y } => [x, y].into_iter().for_each(&mut map),
            }
            depth_ref.iter_mut().for_each(map);
        }
        Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
            [image, coordinate].into_iter().for_each(&mut map);
            [array_index, sample, level].into_iter().flatten().for_each(map);
        }
        Expression::ImageQuery { image, query } => {
            map(image);
            match query {
                ImageQuery::Size { level } => level.iter_mut().for_each(map),
                ImageQuery::NumLevels | ImageQuery::NumLayers | ImageQuery::NumSamples => {}
            }
        }
        Expression::Unary { expr, .. } | Expression::Derivative { expr, .. } | Expression::As { expr, .. } => map(expr),
        Expression::Binary { left, right, .. } => [left, right].into_iter().for_each(map),
        Expression::Select { condition, accept, reject } => [condition, accept, reject].into_iter().for_each(map),
        Expression::Relational { argument, .. } => map(argument),
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            map(arg);
            [arg1, arg2, arg3].into_iter().flatten().for_each(map);
        }
        Expression::ArrayLength(pointer) => map(pointer),
        Expression::RayQueryVertexPositions { query, .. } | Expression::RayQueryGetIntersection { query, .. } => {
            map(query);
        }
        Expression::CooperativeLoad { data, .. } => map_data(data, map),
        Expression::CooperativeMultiplyAdd { a, b, c } => [a, b, c].into_iter().for_each(map),
    }
}

/// Calls `visit` with each operand of a statement, in the order of the source. The operands in nested blocks, the
/// expressions that the statement emits, and the result of the statement do not count as its operands.
pub fn for_each_statement_operand(statement: &Statement, visit: impl FnMut(Handle<Expression>)) {
    let mut visit = visit;
    match statement {
        Statement::Emit(_)
        | Statement::Block(_)
        | Statement::Break
        | Statement::Continue
        | Statement::Kill
        | Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_) => {}
        Statement::If { condition: operand, .. } | Statement::Switch { selector: operand, .. } => visit(*operand),
        Statement::Loop { break_if: operand, .. } | Statement::Return { value: operand } => {
            operand.iter().for_each(|operand| visit(*operand));
        }
        Statement::Call { arguments, .. } => arguments.iter().for_each(|argument| visit(*argument)),
        // These statements have no blocks, so they are cheap to copy.
        Statement::Store { .. }
        | Statement::ImageStore { .. }
        | Statement::Atomic { .. }
        | Statement::ImageAtomic { .. }
        | Statement::WorkGroupUniformLoad { .. }
        | Statement::RayQuery { .. }
        | Statement::RayPipelineFunction(_)
        | Statement::SubgroupBallot { .. }
        | Statement::SubgroupGather { .. }
        | Statement::SubgroupCollectiveOperation { .. }
        | Statement::CooperativeStore { .. } => map_statement_operands(&mut statement.clone(), |operand| {
            visit(operand);
            operand
        }),
    }
}

/// Replaces each operand of a statement by the result of `map`. Nested blocks, the expressions that the statement
/// emits, and the result of the statement stay the same.
pub(crate) fn map_statement_operands(
    statement: &mut Statement,
    mut map: impl FnMut(Handle<Expression>) -> Handle<Expression>,
) {
    let mut map = |operand: &mut Handle<Expression>| *operand = map(*operand);
    match statement {
        Statement::Emit(_)
        | Statement::Block(_)
        | Statement::Break
        | Statement::Continue
        | Statement::Kill
        | Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_) => {}
        Statement::If { condition, .. } => map(condition),
        Statement::Switch { selector, .. } => map(selector),
        Statement::Loop { break_if, .. } => break_if.iter_mut().for_each(map),
        Statement::Return { value } => value.iter_mut().for_each(map),
        Statement::Store { pointer, value } => [pointer, value].into_iter().for_each(map),
        Statement::ImageStore { image, coordinate, array_index, value } => {
            [image, coordinate].into_iter().for_each(&mut map);
            array_index.iter_mut().for_each(&mut map);
            map(value);
        }
        Statement::Atomic { pointer, fun, value, result: _ } => {
            map(pointer);
            map_function(fun, &mut map);
            map(value);
        }
        Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
            [image, coordinate].into_iter().for_each(&mut map);
            array_index.iter_mut().for_each(&mut map);
            map_function(fun, &mut map);
            map(value);
        }
        Statement::WorkGroupUniformLoad { pointer, result: _ } => map(pointer),
        Statement::Call { function: _, arguments, result: _ } => arguments.iter_mut().for_each(map),
        Statement::RayQuery { query, fun } => {
            map(query);
            match fun {
                RayQueryFunction::Initialize { acceleration_structure, descriptor } => {
                    [acceleration_structure, descriptor].into_iter().for_each(map);
                }
                RayQueryFunction::GenerateIntersection { hit_t } => map(hit_t),
                RayQueryFunction::Proceed { result: _ }
                | RayQueryFunction::ConfirmIntersection
                | RayQueryFunction::Terminate => {}
            }
        }
        Statement::RayPipelineFunction(RayPipelineFunction::TraceRay {
            acceleration_structure,
            descriptor,
            payload,
        }) => [acceleration_structure, descriptor, payload].into_iter().for_each(map),
        Statement::SubgroupBallot { result: _, predicate } => predicate.iter_mut().for_each(map),
        Statement::SubgroupGather { mode, argument, result: _ } => {
            match mode {
                GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => {}
                GatherMode::Broadcast(lane)
                | GatherMode::Shuffle(lane)
                | GatherMode::ShuffleDown(lane)
                | GatherMode::ShuffleUp(lane)
                | GatherMode::ShuffleXor(lane)
                | GatherMode::QuadBroadcast(lane) => map(lane),
            }
            map(argument);
        }
        Statement::SubgroupCollectiveOperation { argument, .. } => map(argument),
        Statement::CooperativeStore { target, data } => {
            map(target);
            map_data(data, map);
        }
    }
}

/// The result of a statement; `None` if the statement has no result.
#[must_use]
pub fn statement_result(statement: &Statement) -> Option<Handle<Expression>> {
    match statement {
        Statement::Atomic { result, .. } | Statement::Call { result, .. } => *result,
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::RayQuery { fun: RayQueryFunction::Proceed { result }, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. } => Some(*result),
        _ => None,
    }
}

/// The result of a statement, for replacement; `None` if the statement has no result.
pub(crate) fn statement_result_mut(statement: &mut Statement) -> Option<&mut Handle<Expression>> {
    match statement {
        Statement::Atomic { result, .. } | Statement::Call { result, .. } => result.as_mut(),
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::RayQuery { fun: RayQueryFunction::Proceed { result }, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. } => Some(result),
        _ => None,
    }
}

fn map_data(data: &mut CooperativeData, map: impl FnMut(&mut Handle<Expression>)) {
    let CooperativeData { pointer, stride, row_major: _ } = data;
    [pointer, stride].into_iter().for_each(map);
}

fn map_function(function: &mut AtomicFunction, map: impl FnMut(&mut Handle<Expression>)) {
    match function {
        AtomicFunction::Exchange { compare } => compare.iter_mut().for_each(map),
        AtomicFunction::Add
        | AtomicFunction::Subtract
        | AtomicFunction::And
        | AtomicFunction::ExclusiveOr
        | AtomicFunction::InclusiveOr
        | AtomicFunction::Min
        | AtomicFunction::Max => {}
    }
}
