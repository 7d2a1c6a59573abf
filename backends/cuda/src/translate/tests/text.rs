//! Properties of the translated text.

use anywarp_backend::Program;

use super::super::{Form, Options, Parameter, translate};
use super::{body, options, program, translated};

const SAXPY: &str = "struct Params { a: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&y) { y[id.x] += params.a * x[id.x]; }
}";

fn parameters(program: &Program, form: Form) -> Vec<Parameter> {
    translate(program, &Options { form, ..options() }).expect("it is supported").parameters
}

#[test]
fn parameters_follow_the_bindings() {
    use Parameter::{Address, Count, Groups, Value};
    let program = program(SAXPY);
    let rest = [Address { binding: 1 }, Count { binding: 1 }, Address { binding: 2 }, Count { binding: 2 }];
    let given = parameters(&program, Form::default());
    assert_eq!(given[0], Value { binding: 0, bytes: 4 });
    assert_eq!(given[1..], rest);
    let given = parameters(&program, Form { addressed: 1, looped: true });
    assert_eq!(given[0], Address { binding: 0 });
    assert_eq!(given[1..5], rest);
    assert_eq!(given[5..], [Groups]);
}

#[test]
fn limits_are_asked_for_where_loops_have_them() {
    assert!(body("loop { data[0] += 1u; }").parameters.ends_with(&[Parameter::Status]));
    assert!(!body("data[i] = 1u;").parameters.contains(&Parameter::Status));
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        fn inner() { loop { data[0] += 1u; } }
        @compute @workgroup_size(1) fn main() { inner(); }";
    assert!(translated(text).parameters.ends_with(&[Parameter::Status]));
}

/// The struct of variables names those of functions without calls, too.
#[test]
fn variables_of_functions_without_calls_are_declared() {
    let text = translated(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<private> count: u32;
        fn next() -> u32 { count += 1u; return count; }
        @compute @workgroup_size(1) fn main() { data[0] = 1u; }",
    );
    assert!(text.text.contains("u32 count = u32{};"), "{}", text.text);
}

#[test]
fn lines_of_the_wgsl_are_told() {
    let text = translated(SAXPY).text;
    assert!(text.contains("// if id.x < arrayLength(&y) { y[id.x] += params.a * x[id.x]; }\n#line 6 \"test.wgsl\"\n"));
    // A backslash must not make the next line part of the comment.
    let text = body("data[0] = 1u; // \\\n    data[1] = 2u;").text;
    assert!(!text.contains("\\\n#line"), "{text}");
}

#[test]
fn names_are_kept_where_cpp_allows() {
    let text = translated(
        "struct long { int: u32, template_: f32, float: f32 }
        @group(0) @binding(0) var<storage, read_write> double: long;
        fn sin_(vec2_: u32) -> u32 { return vec2_; }
        fn max_of(x: u32) -> u32 { let short = x; var x_ = short; { var x_ = 2u; x_ += short; return x_; } }
        @compute @workgroup_size(1) fn atan2f() { double.int = sin_(1u) + max_of(2u); }",
    );
    for expected in ["struct long_1 {", "u32 int_1;", "f32 template_;", "long_1* const double_1", "u32 x__1 ="] {
        assert!(text.text.contains(expected), "{expected}\n{}", text.text);
    }
}

#[test]
fn much_workgroup_memory_is_asked_for_at_launch() {
    let kernel = |words: u32| {
        translated(&format!(
            "var<workgroup> first: f32; var<workgroup> tile: array<u32, {words}>;
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(1) fn main() {{ tile[data[0]] = u32(first); data[1] = tile[data[2]]; }}"
        ))
    };
    assert_eq!(kernel(1024).dynamic_shared, 0);
    assert_eq!(kernel(16384).dynamic_shared, 65536 + 16);
    assert!(kernel(16384).text.contains("reinterpret_cast<array<u32, 16384, 4>*>(aw_shared + 16)"));
}

#[test]
fn an_unsupported_feature_is_refused_with_its_line() {
    let program = program(
        "@group(0) @binding(0) var image: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> data: array<f32>;
        @compute @workgroup_size(1) fn main() { data[0] = textureLoad(image, vec2u(0u), 0).x; }",
    );
    let message = translate(&program, &options()).expect_err("there are no textures").to_string();
    assert!(message.contains("a texture cannot be used"), "{message}");
}

#[test]
fn padding_without_end_is_refused() {
    let program = program(
        "struct S { @align(2147483648) a: u32, b: u32 }
        @group(0) @binding(0) var<storage, read_write> s: S;
        @compute @workgroup_size(1) fn main() { s.b = 1u; }",
    );
    let message = translate(&program, &options()).expect_err("it would be as long in the text").to_string();
    assert!(message.contains("bytes of padding"), "{message}");
}
