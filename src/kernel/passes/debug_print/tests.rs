//! The results of the pass for small kernels, as WGSL.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, ResourceBinding};

use super::super::fold_grid::fold_grid;
use super::{Misfit, Printing, debug_print};

const FREE: ResourceBinding = ResourceBinding { group: 0, binding: 7 };

fn parse(source: &str) -> Module {
    naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)))
}

/// Runs the pass with `print` as the only debug function, and sites numbered from 40.
fn printing(source: &str) -> Result<Option<Printing>, Misfit> {
    debug_print(&parse(source), &["print".to_owned()], FREE, |_| 40)
}

/// The module as WGSL, after validation.
fn text(module: &Module) -> String {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).unwrap_or_else(|error| panic!("{}", error.emit_to_string("")));
    naga::back::wgsl::write_string(module, &info, naga::back::wgsl::WriterFlags::empty()).unwrap()
}

#[test]
fn a_call_becomes_a_record() {
    let source = "
        fn print(a: u32, b: vec2<f32>) {}
        @compute @workgroup_size(1) fn main() { print(3u, vec2(1.0, 2.0)); }";
    insta::assert_snapshot!(text(&printing(source).unwrap().unwrap().module));
}

#[test]
fn every_call_has_a_number_in_the_order_of_the_text() {
    let source = "fn print() {}
        fn inner(x: u32) { if x > 1 { print(); } else { loop { print(); continuing { print(); break if x == 0; } } } }
        fn outer(x: u32) { switch x { case 0: { print(); } default: { { inner(x); } } } }
        @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) x: u32) { outer(x); print(); }";
    let made = printing(source).unwrap().unwrap();
    let text = text(&made.module);
    let numbers: Vec<_> =
        text.lines().filter_map(|line| line.trim().strip_prefix("print(")?.strip_suffix("u);")).collect();
    assert_eq!(numbers, ["40", "41", "42", "43", "44"], "{text}");
    let calls: Vec<_> = made.sites.iter().map(|site| &source[site.span.to_range().unwrap()]).collect();
    assert!(calls.iter().all(|call| call.starts_with("print(")), "{calls:?}");
    let lines: Vec<_> = made.sites.iter().map(|site| site.span.location(source).line_number).collect();
    assert_eq!(lines, [2, 2, 2, 3, 4]);
}

#[test]
fn the_invocation_s_id_is_the_one_that_the_kernel_declares() {
    for arguments in ["@builtin(global_invocation_id) id: vec3<u32>", "input: Input", ""] {
        let input = "struct Input {
            @builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>
        }";
        let input = if arguments.starts_with("input") { input } else { "" };
        let source = format!(
            "{input}
             fn print(a: bool) {{}}
             @compute @workgroup_size(4) fn main({arguments}) {{ print(true); }}"
        );
        let made = printing(&source).unwrap().unwrap();
        let written = text(&made.module);
        assert_eq!(written.matches("global_invocation_id").count(), 1, "{written}");
        // In the folded module, the stored id is the logical one.
        let folded = fold_grid(&made.module, "main", ResourceBinding { group: 0, binding: 8 }).unwrap();
        let folded = text(&folded);
        assert!(!folded.contains("main(@builtin(global_invocation_id)"), "{folded}");
        assert!(folded.contains("anywarp_invocation = "), "{folded}");
    }
}

#[test]
fn every_scalar_has_bits() {
    let scalars = ["bool", "i32", "u32", "f32", "f16", "i64", "u64", "f64"];
    let each = |scalar: &str| {
        format!(
            "enable f16;
             var<private> x: {scalar};
             fn print(s: {scalar}, v: vec4<{scalar}>) {{}}
             @compute @workgroup_size(1) fn main() {{ print(x, vec4<{scalar}>(x)); }}"
        )
    };
    for scalar in scalars {
        let made = printing(&each(scalar)).unwrap().unwrap();
        let words = if scalar.ends_with("64") { 10 } else { 5 };
        assert_eq!(made.functions[0].words(), words, "{scalar}");
        text(&made.module);
    }
}

#[test]
fn without_a_call_nothing_changes() {
    let uncalled = "fn print(a: u32) {} @compute @workgroup_size(1) fn main() {}";
    assert!(printing(uncalled).unwrap().is_none());
    let unmarked = "fn other(a: u32) {} @compute @workgroup_size(1) fn main() { other(1); }";
    assert!(printing(unmarked).unwrap().is_none());
}

#[test]
fn functions_that_cannot_print_are_refused() {
    let name = || "a".to_owned();
    for (function, misfit) in [
        ("fn print(a: u32) { other(); }", Misfit::Body),
        ("fn print(a: u32) { var b: u32; }", Misfit::Body),
        ("fn print(a: u32) -> u32 { return a; }", Misfit::Result),
        ("fn print(a: ptr<function, u32>) {}", Misfit::Parameter(name())),
        ("fn print(a: mat2x2<f32>) {}", Misfit::Parameter(name())),
        ("fn print(a: array<u32, 4>) {}", Misfit::Parameter(name())),
        ("fn print(a: vec4<i64>, b: vec4<i64>, c: bool) {}", Misfit::Words(17)),
    ] {
        let module = parse(&format!("fn other() {{}} {function}"));
        let (_, function) = module.functions.iter().last().unwrap();
        assert_eq!(super::signature(&module, function), Err(misfit));
    }
    let most = parse("fn print(a: vec4<i64>, b: vec4<u64>) {}");
    let (_, function) = most.functions.iter().last().unwrap();
    assert_eq!(super::signature(&most, function).unwrap().words(), 16);
}
