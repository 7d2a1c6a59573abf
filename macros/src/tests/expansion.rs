//! Tests of generated modules: one as a whole, others in parts.

use proc_macro2::TokenStream;

use super::kernels;

/// Returns the text of the tokens without white space.
fn dense(text: &str) -> String {
    let dense = text.replace(char::is_whitespace, "").replace("=r\"", "=\"");
    // Trailing commas are removed, because they have no effect.
    [")", "]", "}", ">"].iter().fold(dense, |text, end| text.replace(&format!(",{end}"), end))
}

#[test]
fn saxpy_as_a_whole() {
    let made = kernels(r#"pub(crate) mod saxpy = "src/tests/saxpy.wgsl""#).unwrap();
    let wanted: TokenStream = include_str!("saxpy.expanded.rs").parse().unwrap();
    let wanted = wanted.to_string();
    assert!(dense(&made) == dense(&wanted), "the macro makes\n{made}\ninstead of\n{wanted}");
}

#[test]
fn parts_of_modules() {
    // The claim, the input, and texts that the module must contain.
    for (what, input, wanted) in [
        ("the module is named for the file", r#""src/tests/saxpy.wgsl""#, &["mod saxpy {"][..]),
        (
            "attributes are copied",
            r#"#[doc(hidden)] pub mod m { "@compute @workgroup_size(1) fn main() {}" }"#,
            &["#[doc(hidden)] #[doc", "pub mod m {", "pub struct MainArgs {}", "_: MainArgs"][..],
        ),
        (
            "a struct named `Args` suppresses the alias",
            r#"mod m { "struct Args { a: u32 } var<immediate> args: Args; @compute @workgroup_size(1) fn main() { _ = args.a; }" }"#,
            &["pub struct Args {", "pub struct MainArgs {", "pub args: Args"],
        ),
        (
            "a variable that is only read is taken by `Reads`, whatever its declared access",
            r#"mod m { "@group(0) @binding(0) var<storage, read_write> a: array<vec3<f32>>;
                @compute @workgroup_size(1) fn main() { _ = a[0]; }" }"#,
            &["A: ::anywarp::typed::Reads<'a, [f32; 4], __bindings::a>", "`array<vec3<f32>>`, read."],
        ),
        (
            "a type parameter does not have the name of a struct",
            r#"mod m { "struct A { v: u32 } @group(0) @binding(0) var<storage, read_write> a: array<A>;
                @compute @workgroup_size(1) fn main() { a[0].v = 1u; }" }"#,
            &["ABound: ::anywarp::typed::Writes<'a, A, __bindings::a>", "pub struct MainArgs<ABound> {"],
        ),
        (
            "an override without a default suppresses `Default`",
            r#"mod m { "override n: u32; @compute @workgroup_size(n) fn main() {}" }"#,
            &["pub fn main_with(", "pub struct Overrides { ", "pub n: u32"],
        ),
    ] {
        let made = kernels(input).unwrap_or_else(|error| panic!("{what}: {error}"));
        for part in wanted {
            assert!(dense(&made).contains(&dense(part)), "{what}: '{part}' is not in\n{made}");
        }
    }
}

#[test]
fn texts_of_several_files() {
    let made = kernels(
        r#"mod m = "src/tests/shaders/parts/imports.wgsl", root = "src/tests/shaders", feature fast = true, element T = f16"#,
    )
    .unwrap();
    let text = |path: &str| {
        format!(
            r#"::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/src/tests/shaders/{path}"))"#
        )
    };
    let wanted = format!(
        r#"::anywarp::typed::composed({}, &["parts", "imports"], &[
            ("shared::scale", "src/tests/shaders/shared/scale.wgsl", {})
        ]).file("src/tests/shaders/parts/imports.wgsl").feature("fast", true).element::<::anywarp::f16>("T")"#,
        text("parts/imports.wgsl"),
        text("shared/scale.wgsl"),
    );
    assert!(dense(&made).contains(&dense(&wanted)), "the macro makes\n{made}\nwithout\n{wanted}");
    assert!(dense(&made).contains("Writes<'a,::anywarp::f16,"), "the element is not f16 in\n{made}");
}

#[test]
fn an_override_without_default_suppresses_main_and_default() {
    let made = kernels(r#"mod m { "override n: u32; @compute @workgroup_size(n) fn main() {}" }"#).unwrap();
    for absent in ["fn main (", "Default for Overrides"] {
        assert!(!made.contains(absent), "'{absent}' is in\n{made}");
    }
}

#[test]
fn comments_become_documentation() {
    let made = kernels(
        r##"mod m { r#"//! About the module.
        /// About the struct.
        struct P {
            /// About the member.
            a: f32,
        }
        /// About the binding.
        @group(0) @binding(0) var<uniform> p: P;
        /// About the entry point.
        @compute @workgroup_size(1) fn main() { _ = p.a; }"# }"##,
    )
    .unwrap();
    for of in ["module", "struct", "member", "binding", "entry point"] {
        assert!(made.contains(&format!("doc = \" About the {of}.\"")), "the comment of the {of} is not in\n{made}");
    }
    let odd = "mod m { \"@compute @workgroup_size(1) fn main() { /// nothing to be about\n }\" }";
    assert!(kernels(odd).is_ok(), "a comment in an unexpected position is accepted");
}
