//! Tests of the checks for each kind of access and loop, as WGSL. The modules must stay valid, and naga must be able to
//! write them for every driver.

mod kernels;

use anywarp_backend::{FunctionProofs, Proofs};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Expression, Module, back, front::wgsl};

use super::explicit;

const VARIABLES: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @group(0) @binding(1) var<storage, read_write> wide: Tail;
    @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
    @group(0) @binding(3) var<uniform> table: array<vec4<f32>, 4>;
    var<workgroup> shared_data: array<u32, 16>;
    struct Tail { head: u32, rows: array<array<u32, 4>> }
";

fn parsed(source: &str) -> (Module, ModuleInfo) {
    let module = wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let info = validated(&module);
    (module, info)
}

fn validated(module: &Module) -> ModuleInfo {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).unwrap_or_else(|error| panic!("{error:?}\n{module:#?}"))
}

/// Returns a kernel with these statements, in which `i` and `n` are `u32` and `s` is `i32`.
fn kernel(statements: &str) -> String {
    format!(
        "{VARIABLES}
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let i = id.x; let n = id.y; let s = bitcast<i32>(id.z);
             {statements}
         }}"
    )
}

/// Returns the body of `main` with its checks, on one line.
fn written(source: &str, proofs: &Proofs) -> String {
    let (module, info) = parsed(source);
    let checked = explicit(&module, &info, proofs).unwrap_or(module);
    let info = validated(&checked);
    let text = back::wgsl::write_string(&checked, &info, back::wgsl::WriterFlags::empty()).expect("WGSL");
    let (_, body) = text.split_once("fn main(").expect("main");
    body.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asserts that `text` contains all `parts` in this order.
fn assert_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { panic!("'{part}' is missing or too early in:\n{text}") };
        rest = after;
    }
}

/// Returns proofs of all accesses and loops except the accesses numbered in `but_accesses` and the loops numbered in
/// `but_loops`.
fn proven(module: &Module, but_accesses: &[usize], but_loops: &[usize]) -> Proofs {
    let function = &module.entry_points[0].function;
    let mut number = 0;
    let mut in_range = Vec::new();
    for (_, expression) in function.expressions.iter() {
        let is_access = matches!(expression, Expression::Access { .. });
        in_range.push(is_access && !but_accesses.contains(&number));
        number += usize::from(is_access);
    }
    let ends = (0..16).map(|number| !but_loops.contains(&number)).collect();
    Proofs { functions: Vec::new(), entry: FunctionProofs { in_range, ends, turns: Vec::new() } }
}

#[test]
fn proven_accesses_and_loops_have_no_check() {
    let source = kernel("data[i] = shared_data[n] + shared_data[s]; loop { if n == 3 { break; } }");
    let (module, info) = parsed(&source);
    let checked = explicit(&module, &info, &proven(&module, &[], &[]));
    assert!(checked.is_none(), "changed, although everything is proven");

    let text = written(&source, &proven(&module, &[1], &[]));
    assert_in_order(&text, &["data[i] = ("]);
    assert_in_order(&text, &["shared_data[min(n, 15u)]"]);
    assert_in_order(&text, &["shared_data[s]"]);
    assert!(!text.contains("turns"), "a loop that ends is counted: {text}");
}

#[test]
fn only_the_unproven_loop_is_counted() {
    let source = kernel(
        "while data[0] != 1u { while data[0] != 2u { data[0] = 2u; } while data[0] != 3u { data[0] = 3u; } }
         while data[0] != 4u { data[0] = 4u; }",
    );
    let (module, _) = parsed(&source);
    // Loop 0 is the outer loop; loops 1 and 2 are the inner loops.
    for (number, marks) in
        [(0, ["turns_low = 4", "!= 1u"]), (1, ["turns_low = 4", "!= 2u"]), (2, ["= 2u;", "turns_low = 4"])]
    {
        let text = written(&source, &proven(&module, &[], &[number]));
        assert_in_order(&text, &marks);
        assert_eq!(text.matches("break if").count(), 1, "loops that are counted in {text}");
    }
    let all = written(&source, &proven(&module, &[], &[0, 1, 2, 3]));
    assert_eq!(all.matches("break if").count(), 4, "loops that are counted in {all}");
}

#[test]
fn functions_are_checked_like_entry_points() {
    let source = format!(
        "{VARIABLES}
         fn change(place: ptr<function, array<u32, 4>>, at: u32) {{ (*place)[at] = 1u; }}
         fn one(place: ptr<function, u32>) {{ *place = 1u; }}
         fn fine(x: u32) -> u32 {{ return x + 1u; }}
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             var own: array<u32, 4>;
             change(&own, id.x);
             one(&own[id.y]);
             data[0] = fine(own[0]);
         }}"
    );
    let (module, info) = parsed(&source);
    let checked = explicit(&module, &info, &Proofs::default()).expect("checks");
    let info = validated(&checked);
    let text = back::wgsl::write_string(&checked, &info, back::wgsl::WriterFlags::empty()).expect("WGSL");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_in_order(&text, &["if (at <= 3u)", "(*place)[min(at, 3u)] = 1u;", "one((&own[min("]);
    let same = |number: usize| {
        let of = |module: &Module| format!("{:?}", module.functions.iter().nth(number).map(|(_, function)| function));
        of(&checked) == of(&module)
    };
    assert_eq!([0, 1, 2].map(same), [false, true, true], "unchanged functions");
}

#[test]
fn arrays_sized_by_overrides_have_constant_bounds() {
    let (module, info) = parsed(
        "override LENGTH = 3;
         @group(0) @binding(0) var<storage, read_write> data: array<u32>;
         var<workgroup> several: array<u32, LENGTH>;
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             data[0] = several[id.x] + several[2] + several[5];
         }",
    );
    let values = [("LENGTH".to_owned(), 4.0)].into_iter().collect();
    let (module, info) = back::pipeline_constants::process_overrides(&module, &info, None, &values).expect("overrides");
    let checked = explicit(&module, &info, &Proofs::default()).expect("checks");
    validated(&checked);
    let text = format!("{:?}", checked.entry_points[0].function.expressions);
    let clamps = text.matches("fun: Min").count();
    assert_eq!(clamps, 2, "clamps of a computed index and of a constant one out of range, in {text}");
}

#[test]
fn results_of_compare_and_exchange_are_zero_out_of_range() {
    let (module, info) = parsed(&kernel(
        "let old = atomicCompareExchangeWeak(&counts[i], 1u, 2u); if old.exchanged { data[0] = old.old_value; }",
    ));
    let checked = explicit(&module, &info, &Proofs::default()).expect("checks");
    kernels::assert_writable("compare and exchange", &checked, &validated(&checked), &module, &info);
}

#[test]
fn spans_are_kept() {
    let source = kernel("data[i] = data[n]; while data[0] != i { data[0] = i; }");
    let (module, info) = parsed(&source);
    let checked = explicit(&module, &info, &Proofs::default()).expect("checks");
    let function = &checked.entry_points[0].function;
    for (handle, expression) in function.expressions.iter() {
        let needs_none = expression.needs_pre_emit() || matches!(expression, Expression::ArrayLength(_));
        let of_last = matches!(expression, Expression::Binary { left, .. }
            if matches!(function.expressions[*left], Expression::ArrayLength(_)));
        let is_defined = function.expressions.get_span(handle).is_defined();
        assert!(is_defined || needs_none || of_last, "no span: {expression:?}");
    }
    for (statement, span) in function.body.span_iter() {
        let of_last = matches!(statement, naga::Statement::Emit(_) | naga::Statement::Return { .. });
        assert!(span.is_defined() || of_last, "no span: {statement:?}");
    }
}
