//! Texts that the macro refuses, with their errors.

use super::kernels;

/// Returns the result for a module with this text.
fn inline(wgsl: &str) -> Result<String, String> {
    kernels(&format!("mod inline {{ r##\"{wgsl}\"## }}"))
}

/// Checks that the result `made` is an error that contains all of `parts`.
fn refused(what: &str, made: Result<String, String>, parts: &[&str]) {
    let error = made.expect_err(what);
    for part in parts {
        assert!(error.contains(part), "{what}: '{part}' is not in the error:\n{error}");
    }
}

#[test]
fn texts() {
    const MAIN: &str = "@compute @workgroup_size(1) fn main()";
    let cases: &[(&str, &str, &[&str])] = &[
        ("a syntax error", "fn main( {", &["inline is not valid WGSL", "inline:1:10", "fn main( {", "^"]),
        ("a type error", &format!("{MAIN} {{\n  let a: f32 = 1u;\n}}"), &["inline:2:16", "let a: f32 = 1u;"]),
        ("an empty text", " \n", &["inline is empty"]),
        ("no entry point", "fn f() {}", &["inline has no compute entry point", "@compute"]),
        (
            "a texture",
            &format!("@group(0) @binding(0) var t: texture_2d<f32>; {MAIN} {{ _ = textureLoad(t, vec2(0, 0), 0); }}"),
            &["'t' has no counterpart in Rust", "inline:1:23", "textures"],
        ),
        (
            "a struct that ends in a runtime-sized array",
            &format!(
                "struct S {{ n: u32, data: array<f32> }}\n@group(0) @binding(0) var<storage> s: S; {MAIN} {{ _ = s.n; }}"
            ),
            &["'S' ends in a runtime-sized array", "inline:2:", "two bindings", "Device::kernel"],
        ),
        (
            "a bool in a uniform",
            &format!("struct S {{ on: bool }} @group(0) @binding(0) var<uniform> s: S; {MAIN} {{ _ = s.on; }}"),
            &["inline is not valid WGSL", "'s' is in `uniform`", "a `bool` has no layout"],
        ),
        (
            "a struct with the name of a kernel",
            &format!("struct Main {{ n: u32 }} @group(0) @binding(0) var<uniform> m: Main; {MAIN} {{ _ = m.n; }}"),
            &["`Main`", "the struct 'Main'", "the entry point 'main'", "rename"],
        ),
        (
            "two kernels with the same name",
            "@compute @workgroup_size(1) fn add_up() {} @compute @workgroup_size(1) fn addUp() {}",
            &["`AddUp`", "'add_up'", "'addUp'"],
        ),
        (
            "an entry point with the name of another constructor",
            "override n: u32 = 1; @compute @workgroup_size(n) fn a() {} @compute @workgroup_size(1) fn a_with() {}",
            &["`a_with`", "rename"],
        ),
        (
            "an entry point with the name of the function `source`",
            "@compute @workgroup_size(1) fn source() {}",
            &["`source`", "the entry point 'source'"],
        ),
    ];
    for (what, wgsl, parts) in cases {
        refused(what, inline(wgsl), parts);
    }
}

#[test]
fn a_text_that_nests_too_deeply() {
    let (open, close) = ("(".repeat(3000), ")".repeat(3000));
    let text = format!("@compute @workgroup_size(1) fn main() {{ let a = {open}1{close}; }}");
    refused("deep brackets", inline(&text), &["inline:1", "nested 3", "the limit is 2000"]);
}

#[test]
fn files() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "a missing file",
            "src/none.wgsl",
            &["'src/none.wgsl' cannot be read", "expected it at", "macros/src/none.wgsl"],
        ),
        ("a folder", "src", &["'src' cannot be read"]),
        ("a file of another crate", "../examples/shaders/saxpy.wgsl", &["not within the crate", "relative"]),
        ("a file of the system", "/etc/hostname", &["not within the crate"]),
        ("a file that is not WGSL", "Cargo.toml", &["Cargo.toml is not valid WGSL", "Cargo.toml:1:1"]),
    ];
    for (what, path, parts) in cases {
        refused(what, kernels(&format!("mod m = \"{path}\"")), parts);
    }
}

#[test]
fn composition() {
    const HERE: &str = "src/tests/shaders";
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "files that import each other",
            "circle.wgsl\"",
            &["src/tests/shaders/circle.wgsl", "shared/circle.wgsl", "^"],
        ),
        ("a missing module", "missing.wgsl\"", &["src/tests/shaders/missing.wgsl:2:", "shared::none"]),
        (
            "a mistake in an imported file",
            "mistaken.wgsl\"",
            &["src/tests/shaders/shared/mistaken.wgsl:2:", "let a: f32 = 1u;"],
        ),
        ("a feature that is not set", "feature.wgsl\"", &["feature.wgsl:1:", "fast"]),
        ("an element with an unknown type", "feature.wgsl\", element T = vec2", &["'T' cannot be 'vec2'", "f16, f32"]),
        ("an unknown element", "feature.wgsl\", feature fast = true, element T = f16", &["alias T"]),
        ("a missing root", "feature.wgsl\", root = \"src/none\"", &["'src/none' cannot be read"]),
        ("a root elsewhere", "feature.wgsl\", root = \"src/emit\"", &["is not in 'src/emit'"]),
        ("a root outside of the crate", "feature.wgsl\", root = \"..\"", &["not within the crate"]),
    ];
    for (what, rest, parts) in cases {
        refused(what, kernels(&format!("mod m = \"{HERE}/{rest}")), parts);
    }
}

#[test]
fn inputs() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("an empty input", "", &["expected the path of a WGSL file", "mod NAME"]),
        ("another item", "pub struct S;", &["expected the path of a WGSL file"]),
        ("a module without a text", "mod m", &["expected `= \"PATH\"`"]),
        ("WGSL without quotes", "mod m { fn main() {} }", &["one string literal"]),
        ("two texts", "mod m { \"\" \"\" }", &["remove the rest"]),
        ("a file whose name is not an identifier", "\"src/3d.wgsl\"", &["'3d' is not a valid module name", "mod NAME"]),
        ("an unknown option", "\"a.wgsl\", fast = true", &["unknown option 'fast'", "feature NAME"]),
        ("a feature that is not a bool", "\"a.wgsl\", feature fast = 1", &["boolean"]),
        ("two roots", "\"a.wgsl\", root = \"a\", root = \"b\"", &["given twice"]),
    ];
    for (what, input, parts) in cases {
        refused(what, kernels(input), parts);
    }
}
