use anywarp_backend::{Scalar, ScalarKind};

use super::super::Options;
use super::{composed, features};
use crate::TextError;

/// A text, its modules, the position of the error, and texts that the message contains.
type Row = (&'static str, &'static [(&'static str, &'static str)], &'static str, &'static [&'static str]);

#[test]
fn errors_name_the_position_and_the_remedy() {
    const A: (&str, &str) = ("a", "fn f() { } const g = 1;");
    let table: &[Row] = &[
        // Imports.
        (
            "import package::a::nothing;",
            &[A],
            "main.wgsl:1:20",
            &["a.wgsl declares no 'nothing'", "it declares: f, g", "^^^^^^^"],
        ),
        ("import package::b::f;", &[A], "main.wgsl:1:20", &["no module 'b::f'", "b/f.wgsl"]),
        ("import package::b;", &[A], "main.wgsl:1:17", &["no module 'b'"]),
        ("import b::f;", &[A], "main.wgsl:1:11", &["no package is called 'b'", "'package'"]),
        ("import super::super::a;", &[A], "main.wgsl:1:22", &["leads out of the package", "too many 'super'"]),
        ("import package::super::a;", &[A], "main.wgsl:1:24", &["does not name a module"]),
        ("import package;", &[A], "main.wgsl:1:8", &["expected the name of a module"]),
        ("import super as x;", &[A], "main.wgsl:1:8", &["does not name a module"]),
        ("import package::a::f as;", &[A], "main.wgsl:1:24", &["expected a name in the import, found ';'"]),
        ("import package::a::{f g};", &[A], "main.wgsl:1:23", &["expected ',' or '}' in the import, found 'g'"]),
        (
            "import package::a::{f};\nimport package::a::{g, f};",
            &[A],
            "main.wgsl:2:24",
            &["'f' is imported twice", "as .."],
        ),
        ("import package::a::{f, g as f};", &[A], "main.wgsl:1:29", &["'f' is imported twice"]),
        (
            "import package::a::f;\n\nfn f() { }",
            &[A],
            "main.wgsl:1:20",
            &["'f' is imported, but is also declared in line 3"],
        ),
        ("import package::a::{f;", &[A], "main.wgsl:1:20", &["'{' is never closed"]),
        ("import package::a::f", &[A], "main.wgsl:1:20", &["expected ';' in the import, found the end of the file"]),
        ("import ;", &[A], "main.wgsl:1:8", &["expected a name in the import"]),
        ("const x = 1;\nimport package::a::f;", &[A], "main.wgsl:2:1", &["after the declaration of 'x'", "come first"]),
        // Paths in the text.
        ("fn x() { package::a::h(); }", &[A], "main.wgsl:1:22", &["a.wgsl declares no 'h'"]),
        ("fn x() {\n  package::b::h(); }", &[A], "main.wgsl:2:12", &["no module 'b'"]),
        ("fn x() { b::h(); }", &[A], "main.wgsl:1:10", &["no package is called 'b'"]),
        ("import package::a::f; fn x() { f::h(); }", &[A], "main.wgsl:1:32", &["'f' is not a module"]),
        ("fn x() { package::a(); }", &[A], "main.wgsl:1:19", &["names no declaration of a module"]),
        // Several files.
        (
            "import package::a::x;",
            &[("a", "import super::b::x; const x = 1;"), ("b", "const x = 2;")],
            "a.wgsl:1:18",
            &["declared in line 1"],
        ),
        (
            "import package::a::x;",
            &[("a", "import super::b::y; const x = 1;"), ("b", "import super::a::x; const y = 1;")],
            "b.wgsl:1:18",
            &["import cycle: a.wgsl -> b.wgsl -> a.wgsl"],
        ),
        (
            "import package::a::x; const z = 1;",
            &[("a", "import super::main::z; const x = 1;")],
            "a.wgsl:1:21",
            &["import cycle: main.wgsl -> a.wgsl -> main.wgsl"],
        ),
        ("import package::main::z; const z = 1;", &[], "main.wgsl:1:23", &["declared in line 1"]),
        ("fn f() { package::main::f(); }", &[], "main.wgsl:1:10", &["import cycle: main.wgsl -> main.wgsl"]),
        (
            "import package::a::x; fn f() { y(); }",
            &[("a", "fn y() { } fn x() { }")],
            "main.wgsl:1:32",
            &["'y' is neither declared nor imported", "import package::a::y;"],
        ),
        (
            "import package::a::x; fn y() { }",
            &[("a", "fn x() { y(); }")],
            "a.wgsl:1:10",
            &["'y' is neither declared nor imported", "main.wgsl declares it"],
        ),
        (
            "import package::a::x; @group(0) @binding(0) var<storage> max: u32;",
            &[("a", "fn x() { max(1, 2); }")],
            "a.wgsl:1:10",
            &["'max' that hides the predeclared one"],
        ),
        (
            "import package::a::x;\n@group(0) @binding(1) var<uniform> p: u32;",
            &[("a", "@group(0) @binding(1) var<uniform> q: u32; fn x() { }")],
            "a.wgsl:1:36",
            &["'p' and 'q' both have @group(0) @binding(1)", "main.wgsl:2:36"],
        ),
        ("import package::a::x;", &[("a", "fn x() { (")], "a.wgsl:1:10", &["'(' is never closed"]),
        // Conditions.
        (
            "@if(fast) const x = 1;",
            &[],
            "main.wgsl:1:5",
            &["the feature 'fast' is not set", "set: other, slow", "Wgsl::feature(\"fast\", true)"],
        ),
        ("@if(T_f16) const x = 1;", &[], "main.wgsl:1:5", &["the feature 'T_f16' is not set"]),
        ("@if const x = 1;", &[], "main.wgsl:1:1", &["@if has no condition"]),
        (
            "@if() const x = 1;",
            &[],
            "main.wgsl:1:5",
            &["expected the name of a feature, found the end of the condition"],
        ),
        ("@if(1) const x = 1;", &[], "main.wgsl:1:5", &["found the number 1"]),
        ("@if(slow slow) const x = 1;", &[], "main.wgsl:1:10", &["expected '&&', '||' or the end"]),
        ("@if((slow) const x = 1;", &[], "main.wgsl:1:4", &["never closed"]),
        ("@if(slow & slow) const x = 1;", &[], "main.wgsl:1:10", &["found '&'"]),
        ("@if(slow) @if(other) const x = 1;", &[], "main.wgsl:1:11", &["two conditions", "@if(a && b)"]),
        ("@else const x = 1;", &[], "main.wgsl:1:1", &["@else without an @if"]),
        ("@if(slow) const x = 1; const y = 1; @else const z = 1;", &[], "main.wgsl:1:37", &["@else without an @if"]),
        (
            "@if(slow) const x = 1; @else const y = 1; @else const z = 1;",
            &[],
            "main.wgsl:1:43",
            &["@else without an @if"],
        ),
        ("@if(slow) const x = 1; @elif const y = 1;", &[], "main.wgsl:1:24", &["@elif has no condition"]),
        ("const x = @if(slow) 1;", &[], "main.wgsl:1:11", &["is not allowed here", "members of structs"]),
        ("fn f() { g(@if(slow) 1); }", &[], "main.wgsl:1:12", &["is not allowed here"]),
        ("fn f() -> @if(slow) u32 { }", &[], "main.wgsl:1:11", &["is not allowed here"]),
        ("fn f() { @if(slow) }", &[], "main.wgsl:1:10", &["applies to nothing"]),
        ("@if(slow)", &[], "main.wgsl:1:1", &["applies to nothing"]),
    ];
    let options = features(&[("slow", true), ("other", false)]);
    for (text, modules, place, said) in table {
        let error = match composed(text, modules, &options) {
            Err(error) => error.to_string(),
            Ok(source) => panic!("{text} became {}", source.text()),
        };
        assert!(error.contains(place), "{text}: not at {place}:\n{error}");
        for part in *said {
            assert!(error.contains(part), "{text}: '{part}' is missing:\n{error}");
        }
        assert!(error.contains('^'), "{text}: no caret:\n{error}");
    }
}

#[test]
fn element_types_must_be_aliases_of_scalars() {
    let half = Scalar { kind: ScalarKind::Float, width: 2 };
    let options = |scalar| Options { elements: vec![("T".to_owned(), scalar)], ..Options::default() };
    let two: &[(&str, &str)] = &[("a", "alias T = f32; const x = 1;"), ("b", "alias T = f32; const y = 1;")];
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], Scalar, &'a str);
    let table: &[Row<'_>] = &[
        ("const x = 1;", &[], half, "no 'alias T = ..;' to replace with f16"),
        ("", &[], half, "no 'alias T"),
        ("alias T = vec2<f32>;", &[], half, "main.wgsl:1:7"),
        ("struct T { }", &[], half, "not an alias of a scalar"),
        ("alias T = f32;", &[], Scalar { kind: ScalarKind::Float, width: 1 }, "f8, which WGSL does not have"),
        ("import package::{a::x, b::y};", two, half, "two files declare the element type 'T'"),
    ];
    for (text, modules, scalar, said) in table {
        let error = composed(text, modules, &options(*scalar)).unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn the_error_holds_file_and_line() {
    let modules = [("shared::a", "\n\nimport package::b::c;")];
    let error = composed("import package::shared::a;", &modules, &Options::default()).unwrap_err();
    assert!(matches!(&error, TextError::Compose { file, line: 3, .. } if file == "shared/a.wgsl"), "{error:?}");
}
