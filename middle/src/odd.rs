//! Replaces `atanh` of overrides, which naga may evaluate inexactly near -1.
//!
//! naga evaluates expressions of overrides when their values are known, `atanh` by the standard library if any crate of the
//! program turns on the feature `std` of `num-traits`. The library loses digits by cancellation near -1: 4 % of the result for the
//! `f32` after -1. Near 1 it is exact. So [`from_positive`] writes the function as the odd one that it is:
//!
//! ```text
//! atanh(x)    becomes    sign(x) * atanh(abs(x))
//! ```
//!
//! Calls whose arguments are known at run time only stay as they are. Those of constants are replaced in the text, because
//! naga evaluates them while it reads it.

use anywarp_backend::for_each_block_mut;
use naga::{Arena, BinaryOperator, Block, Expression, Function, Handle, MathFunction, Module, Range, Statement};

use crate::rebuild::operands::{for_each_operand, map_operands, map_statement_operands, statement_result_mut};

/// Replaces `atanh` of overrides. Returns `None` if there is none.
#[must_use]
pub fn from_positive(module: &Module) -> Option<Module> {
    let has =
        |expressions: &Arena<Expression>| expressions.iter().any(|(_, expression)| argument(expression).is_some());
    let functions = || module.functions.iter().map(|(_, function)| function);
    let entries = || module.entry_points.iter().map(|entry| &entry.function);
    let found =
        has(&module.global_expressions) || functions().chain(entries()).any(|function| has(&function.expressions));
    if module.overrides.is_empty() || !found {
        return None;
    }
    let mut made = module.clone();
    let globals = Rebuilt::of(&module.global_expressions);
    let map = |handle: &mut Handle<Expression>| *handle = globals.last(*handle);
    for (_, function) in made.functions.iter_mut() {
        rebuild(function);
    }
    for entry in &mut made.entry_points {
        rebuild(&mut entry.function);
        entry.workgroup_size_overrides.iter_mut().flatten().flatten().for_each(map);
    }
    made.constants.iter_mut().for_each(|(_, constant)| map(&mut constant.init));
    for (_, item) in made.overrides.iter_mut() {
        item.init.iter_mut().for_each(map);
    }
    for (_, variable) in made.global_variables.iter_mut() {
        variable.init.iter_mut().for_each(map);
    }
    made.global_expressions = globals.expressions;
    Some(made)
}

/// The argument of a call of `atanh`.
fn argument(expression: &Expression) -> Option<Handle<Expression>> {
    match *expression {
        Expression::Math { fun: MathFunction::Atanh, arg, .. } => Some(arg),
        _ => None,
    }
}

/// Expressions with replacements, and the new handles of the old ones.
struct Rebuilt {
    expressions: Arena<Expression>,
    /// By the index of an old expression: the first and the last of the new ones in its place.
    places: Vec<[Handle<Expression>; 2]>,
}

impl Rebuilt {
    fn of(old: &Arena<Expression>) -> Self {
        let mut made = Self { expressions: Arena::new(), places: Vec::new() };
        // Whether the values of expressions are known with those of the overrides.
        let mut known: Vec<bool> = Vec::new();
        for (handle, expression) in old.iter() {
            let mut operands_known = true;
            for_each_operand(expression, |operand| operands_known &= known[operand.index()]);
            known.push(operands_known && is_pure(expression));
            let mut expression = expression.clone();
            map_operands(&mut expression, |operand| made.last(operand));
            let span = old.get_span(handle);
            let mut add = |expression| made.expressions.append(expression, span);
            let place = match argument(&expression) {
                Some(x) if operands_known => {
                    let of = |fun, arg| Expression::Math { fun, arg, arg1: None, arg2: None, arg3: None };
                    let distance = add(of(MathFunction::Abs, x));
                    let right = add(of(MathFunction::Atanh, distance));
                    let left = add(of(MathFunction::Sign, x));
                    [distance, add(Expression::Binary { op: BinaryOperator::Multiply, left, right })]
                }
                _ => [add(expression); 2],
            };
            made.places.push(place);
        }
        made
    }

    fn first(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.places[old.index()][0]
    }

    fn last(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.places[old.index()][1]
    }
}

/// Whether an expression depends on nothing but its operands, constants and overrides.
fn is_pure(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::Override(_)
            | Expression::ZeroValue(_)
            | Expression::Compose { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::AccessIndex { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Select { .. }
            | Expression::Relational { .. }
            | Expression::Math { .. }
            | Expression::As { .. }
    )
}

fn rebuild(function: &mut Function) {
    let made = Rebuilt::of(&function.expressions);
    for (_, variable) in function.local_variables.iter_mut() {
        variable.init.iter_mut().for_each(|init| *init = made.last(*init));
    }
    let names = std::mem::take(&mut function.named_expressions);
    function.named_expressions = names.into_iter().map(|(handle, name)| (made.last(handle), name)).collect();
    rebuild_block(&mut function.body, &made);
    function.expressions = made.expressions;
}

fn rebuild_block(block: &mut Block, made: &Rebuilt) {
    for statement in block.iter_mut() {
        if let Statement::Emit(range) = statement
            && let Some((first, last)) = range.first_and_last()
        {
            *range = Range::new_from_bounds(made.first(first), made.last(last));
        }
        map_statement_operands(statement, |operand| made.last(operand));
        if let Some(result) = statement_result_mut(statement) {
            *result = made.last(*result);
        }
        for_each_block_mut(statement, |inner| rebuild_block(inner, made));
    }
}

#[cfg(test)]
mod tests {
    use naga::back::PipelineConstants;
    use naga::back::pipeline_constants::process_overrides;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use naga::{Literal, ShaderStage};

    use super::*;

    fn validated(module: &Module) -> naga::valid::ModuleInfo {
        Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).unwrap()
    }

    /// The literals of a module in which all overrides have their values.
    fn literals(module: &Module) -> Vec<f32> {
        let info = validated(module);
        let entry = Some((ShaderStage::Compute, "main"));
        let (module, _) = process_overrides(module, &info, entry, &PipelineConstants::default()).unwrap();
        let of = |expressions: &Arena<Expression>| -> Vec<f32> {
            let literal = |(_, expression): (_, &Expression)| match expression {
                Expression::Literal(Literal::F32(value)) => Some(*value),
                _ => None,
            };
            expressions.iter().filter_map(literal).collect()
        };
        [of(&module.global_expressions), of(&module.entry_points[0].function.expressions)].concat()
    }

    const TEXT: &str = "
        override near = -0.99999994;
        override both = atanh(near);
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            let own = atanh(vec2(near, 0.5));
            var turns = 2u;
            loop { if turns == 0u { break; } turns -= 1u; out[turns] = own.x + own.y + both; }
            out[id.x] = atanh(out[id.x]) + f32(atomicAdd(&count, 1u));
        }
        var<workgroup> count: atomic<u32>;";

    #[test]
    fn near_minus_one() {
        let made = from_positive(&naga::front::wgsl::parse_str(TEXT).unwrap()).unwrap();
        let found = literals(&made);
        let exact = -8.664_34_f32;
        let right = found.iter().filter(|value| (**value - exact).abs() < 1e-5).count();
        assert!(right >= 2, "in an override and in the function: {found:?}");
        assert!(found.iter().any(|value| (value - 0.549_306_15).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn calls_of_values_at_run_time_stay() {
        let at_run_time = "override x = 1.0; @group(0) @binding(0) var<storage, read_write> out: array<f32>;
            @compute @workgroup_size(1) fn main() { out[0] = atanh(out[0]) * x; }";
        let module = naga::front::wgsl::parse_str(at_run_time).unwrap();
        let made = from_positive(&module).unwrap();
        validated(&made);
        assert_eq!(made.entry_points[0].function.expressions.len(), module.entry_points[0].function.expressions.len());
        let without = "@compute @workgroup_size(1) fn main() {}";
        assert!(from_positive(&naga::front::wgsl::parse_str(without).unwrap()).is_none());
    }
}
