//! Kernels that are refused, and their error messages.

use std::fmt::Write;

use super::lowered;

fn refusal(source: &str) -> String {
    match lowered(source) {
        Ok(_) => panic!("this was lowered:\n{source}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn refusals_say_why() {
    let cases = [
        (
            "@group(0) @binding(0) var t: texture_2d<f32>;
            @compute @workgroup_size(1) fn main() { _ = textureLoad(t, vec2u(0), 0); }",
            "texture",
        ),
        ("@fragment fn main() { discard; }", "@compute"),
        (
            "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
                var a: array<u32, 300000>; a[i] = 1; }",
            "1048576 bytes",
        ),
        (
            "enable wgpu_cooperative_matrix;
            @group(0) @binding(0) var<storage, read_write> c: array<f32>;
            @compute @workgroup_size(12) fn main() {
                let m = coopLoad<coop_mat8x8<f32, C>>(&c[0], 8); coopStore(m, &c[64], 8); }",
            "multiple of 8",
        ),
    ];
    for (source, part) in cases {
        let message = refusal(source);
        assert!(message.contains(part), "'{message}' does not contain '{part}'");
    }
}

#[test]
fn calls_that_double_at_each_level_are_refused_and_do_not_take_forever() {
    // Functions with a barrier are always inlined.
    for leaf in ["fn f0() { x += 1; workgroupBarrier(); }", "fn f0() { workgroupBarrier(); }"] {
        let mut source = format!("var<private> x: u32; {leaf}");
        for level in 1..60 {
            let _ = write!(source, "fn f{level}() {{ f{0}(); f{0}(); }}", level - 1);
        }
        source += "@compute @workgroup_size(1) fn main() { f59(); }";
        assert!(refusal(&source).contains("400000 instructions"));
    }
}

#[test]
fn a_long_chain_of_calls_is_refused() {
    let mut source = "var<private> x: u32; fn f0() { x += 1; }".to_owned();
    for level in 1..1000 {
        let _ = write!(source, "fn f{level}() {{ f{0}(); }}", level - 1);
    }
    source += "@compute @workgroup_size(1) fn main() { f999(); }";
    assert!(refusal(&source).contains("nested"));
}
