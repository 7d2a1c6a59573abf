//! Tests of operands, of keys, and of the removal of unused code.

use anywarp_backend::statements;
use naga::{Expression, Function, Module, Span, Statement};
use rustc_hash::FxHashSet;

use super::key::key;
use super::operands::{
    for_each_operand, for_each_statement_operand, is_result, map_operands, map_statement_operands, needs_emit,
    statement_result, statement_result_mut,
};
use super::prune::{prune, uses};

const KERNEL: &str = "
    struct Pair { a: vec4<f32>, b: array<u32, 4> }
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
    @group(0) @binding(2) var<uniform> pair: Pair;
    var<workgroup> shared_sum: u32;
    fn twice(a: u32) -> u32 { return a * 2u; }
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        var unused = 5u;
        unused = id.y;
        let never = id.x + id.z;
        let kept = id.x * 7u;
        var a = array<u32, 3>(1u, 2u, 3u);
        for (var i = 0u; i < arrayLength(&out); i++) {
            if i == kept { continue; }
            a[i % 3u] = twice(i) + select(1u, 2u, i > 4u);
            out[i] = a[2] + u32(pair.a.zyx.x) + min(pair.b[i & 3u], 9u);
        }
        let old = atomicAdd(&count, a[0]);
        switch old { case 1u: { out[0] = ~old; } default: { out[1] = u32(-1 * i32(old)); } }
        workgroupBarrier();
        out[2] = workgroupUniformLoad(&shared_sum);
        if kept > 3u { unused = 2u; }
        out[3] = 1u;
    }";

fn module() -> Module {
    naga::front::wgsl::parse_str(KERNEL).unwrap_or_else(|error| panic!("{}", error.emit_to_string(KERNEL)))
}

#[test]
fn visitors_and_mappers_see_the_same_operands() {
    let module = module();
    let function = &module.entry_points[0].function;
    for (handle, expression) in function.expressions.iter() {
        let (mut visited, mut mapped) = (Vec::new(), Vec::new());
        for_each_operand(expression, |operand| visited.push(operand));
        let mut copy = expression.clone();
        map_operands(&mut copy, |operand| {
            mapped.push(operand);
            operand
        });
        assert_eq!(visited, mapped, "of {expression:?}");
        assert_eq!(key(&copy), key(expression), "the copy of {expression:?}");
        assert!(visited.iter().all(|operand| *operand < handle), "{expression:?} comes after its operands");
        assert!(!(needs_emit(expression) && is_result(expression)), "{expression:?} is emitted or a result, not both");
    }
    for (statement, _) in statements(&function.body) {
        let (mut visited, mut mapped) = (Vec::new(), Vec::new());
        for_each_statement_operand(statement, |operand| visited.push(operand));
        let mut copy = statement.clone();
        map_statement_operands(&mut copy, |operand| {
            mapped.push(operand);
            operand
        });
        assert_eq!(visited, mapped, "of {statement:?}");
        assert_eq!(statement_result_mut(&mut copy).copied(), statement_result(statement), "of {statement:?}");
        if let Some(result) = statement_result(statement) {
            assert!(is_result(&function.expressions[result]), "the result of {statement:?}");
        }
    }
}

#[test]
fn keys_are_equal_for_equal_expressions_only() {
    let module = module();
    let function = &module.entry_points[0].function;
    for (a, first) in function.expressions.iter() {
        for (b, second) in function.expressions.iter() {
            let same = key(first).is_some() && key(first) == key(second);
            let text = |expression: &Expression| format!("{expression:?}");
            assert_eq!(same, key(first).is_some() && text(first) == text(second), "{a:?} {first:?}, {b:?} {second:?}");
        }
    }
}

#[test]
fn used_parts_stay_with_their_spans_and_names() {
    let module = module();
    let function = &module.entry_points[0].function;
    let names = |function: &Function| {
        let mut names: Vec<_> = function.named_expressions.values().cloned().collect();
        names.extend(function.local_variables.iter().filter_map(|(_, local)| local.name.clone()));
        names
    };
    let places = |function: &Function| -> FxHashSet<(u32, u32)> {
        let stores = statements(&function.body).filter(|(statement, _)| {
            matches!(statement, Statement::Store { .. } | Statement::Call { .. } | Statement::Atomic { .. })
        });
        let range = |span: Span| span.to_range().map_or((0, 0), |range| (word(range.start), word(range.end)));
        let emitted = function.expressions.iter().filter(|(_, expression)| needs_emit(expression));
        stores
            .map(|(_, span)| range(span))
            .chain(emitted.map(|(handle, _)| range(function.expressions.get_span(handle))))
            .collect()
    };
    let none = FxHashSet::default();
    let pruned = |function: &Function| prune(function, uses(function, &none), &none);
    let mut made = pruned(function).expect("some parts are unused").function;
    while let Some(again) = pruned(&made) {
        made = again.function;
    }
    assert!(names(function).iter().any(|name| name == "never"), "the kernel has an unused name");
    for gone in ["never", "unused"] {
        assert!(!names(&made).iter().any(|name| name == gone), "{gone} is not used");
    }
    for kept in ["kept", "old", "a", "i"] {
        assert!(names(&made).iter().any(|name| name == kept), "{kept} is used, and keeps its name");
    }
    assert!(places(&made).is_subset(&places(function)), "every statement and expression keeps its span");
    assert!(made.expressions.len() < function.expressions.len());
}

fn word(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}
