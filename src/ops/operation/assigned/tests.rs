//! Tests of which statements count as an assignment of an output.

use super::*;

/// The error about the output `z: vec2<f32>` of the operation `statements`, if there is one.
fn said(kind: Kind, statements: &str) -> Option<String> {
    let mut text = Text::new();
    text.user(
        "preamble",
        "fn put(p: ptr<function, vec2<f32>>) { *p = vec2f(1); }\nfn add(p: ptr<function, vec2<f32>>) { *p += vec2f(1); }",
    );
    text.line("fn operation(x: f32, before: vec2<f32>) -> vec2<f32> {");
    text.line(if kind == Kind::InPlace { "var z: vec2<f32> = before;" } else { "var z: vec2<f32>;" });
    text.statements("", statements);
    text.line("return z;\n}");
    let output = Output { name: "z".to_owned(), declared: "z: vec2<f32>".to_owned(), lanes: 2, kind };
    let statements = Statements { function: "operation", said: "the operation" };
    check(&text, "k", statements, &[output]).err().map(|error| error.to_string())
}

#[test]
fn an_output_assigned_on_every_path_is_accepted() {
    for statements in [
        "z = vec2f(x)",
        "z.x = x; z.y = z.x",
        "if x > 0 { z = vec2f(x); } else { z = vec2f(); z += vec2f(1); }",
        "switch u32(x) { case 0u, 1u: { z = vec2f(x); } default: { z = vec2f(1); } }",
        "z = vec2f(); for (var k = 0; k < 3; k++) { z += vec2f(x); }",
        "loop { z = vec2f(x); if x > 1 { break; } }",
        "loop { if x > 1 { z = vec2f(x); break; } }",
        "for (var k = 0; ; k++) { if k > 3 { z = vec2f(2); break; } if x < 0 { continue; } }",
        "if x < 0 { return vec2f(); } z = vec2f(x)",
        "put(&z); add(&z)",
        "let p = &z; *p = vec2f(x); (*p).x += 1.0",
        "{ let y = x; { z = vec2f(y); } }",
    ] {
        assert_eq!(said(Kind::New, statements), None, "{statements}");
    }
    for statements in ["z += vec2f(x)", "if x > 0 { z.x = x; }", "add(&z)"] {
        assert_eq!(said(Kind::InPlace, statements), None, "{statements}");
    }
}

#[test]
fn an_output_without_a_value_is_named() {
    for (statements, words) in [
        (
            "z = z + vec2f(x)",
            "reads the output `z`, which is not an input, before it has a value; put `z: vec2<f32>` in",
        ),
        ("z += vec2f(x)", "k:1:1"),
        ("let y = x;\n  z.x = x; z.x = z.y", "k:2:12"),
        ("for (var k = 0; k < 3; k++) { z += vec2f(x); }", "reads the output `z`"),
        ("let y = z.x", "reads the output `z`"),
        ("add(&z)", "k, preamble:2"),
        ("let y = x", "never assigns the output `z`; write `z = ..`"),
        ("{ var z = 1.0; z = x; }", "never assigns the output `z`"),
        ("if x > 0 { z = vec2f(x); }", "assigns the output `z` on some paths only"),
        ("z.x = x", "on some paths only"),
        ("for (var k = 0; k < 3; k++) { z = vec2f(x); }", "a loop may run zero iterations"),
        ("for (var k = 0u; k < 2u; k++) { z[k] = x; }", "on some paths only"),
        ("switch u32(x) { case 0u: { z = vec2f(x); } default: { } }", "on some paths only"),
        ("loop { if x > 1 { break; } z = vec2f(x); }", "on some paths only"),
    ] {
        let said = said(Kind::New, statements).unwrap_or_default();
        assert!(said.contains(words), "{statements}: {said}");
    }
    assert!(said(Kind::InPlace, "let y = z").unwrap_or_default().contains("never assigns"));
    assert!(!said(Kind::Result, "z += vec2f(x)").unwrap_or_default().contains("both lists"));
}

#[test]
fn an_indexed_output_must_be_written_somewhere() {
    let said = |statements: &str| {
        let mut text = Text::new();
        text.line("@group(0) @binding(0) var<storage, read_write> z: array<f32>;");
        text.user("preamble", "fn put(p: ptr<storage, array<f32>, read_write>) { (*p)[0] = 1; }");
        text.line("fn operation(i: u32) {");
        text.statements("", statements);
        text.line("}");
        let output = Output { name: "z".to_owned(), declared: "raw z: f32".to_owned(), lanes: 1, kind: Kind::Raw };
        let statements = Statements { function: "operation", said: "the operation" };
        check(&text, "k", statements, &[output]).err().map(|error| error.to_string())
    };
    assert_eq!(said("if i > 2u { z[i] = 1; }"), None);
    assert_eq!(said("put(&z)"), None);
    let error = said("let y = z[i]").unwrap_or_default();
    assert_eq!(
        error,
        "k: the operation never assigns the output `z`; write `z[i] = ..`, or remove `raw z: f32` from the list of outputs"
    );
}
