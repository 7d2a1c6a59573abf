use anywarp_backend::Scalar;
use anywarp_backend::ScalarKind::{Float, Signed, Unsigned};

use super::super::Options;
use super::{composed, features, squeezed};

const REDUCE: (&str, &str) = (
    "shared::reduce",
    "fn sum(a: f32) -> f32 { return a + one; } const one = 1.0; fn largest() { let m = max(1, 2); }",
);

/// A text, its modules, and the expected composed text with white space squeezed.
type Row = (&'static str, &'static [(&'static str, &'static str)], &'static str);

fn check(table: &[Row]) {
    for (text, modules, expected) in table {
        let got = composed(text, modules, &Options::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(squeezed(got.text()), squeezed(expected), "{text}");
    }
}

#[test]
fn a_text_without_imports_is_unchanged() {
    for text in ["", "fn f() { }", "// import nothing, @if or a::b\nfn f() { ((( }", "@compute fn f() {}", "import"] {
        match composed(text, &[], &Options::default()) {
            Ok(source) => assert!(source.is_plain() && source.text() == text, "{text}"),
            Err(error) => {
                assert!(!["", "fn f() { }", "@compute fn f() {}"].contains(&text), "{text}: {error}");
            }
        }
    }
}

#[test]
fn imports_have_many_forms() {
    const SUM: &str = "fn sum(a: f32) -> f32 { return a + one; } const one = 1.0; fn largest() { let m = max(1, 2); }";
    let table: &[(&str, &str)] = &[
        ("import package::shared::reduce::sum; fn f() { sum(1); }", "fn f() { sum(1); }"),
        ("import package::shared::reduce::{sum, one as single}; fn f() { sum(single); }", "fn f() { sum(one); }"),
        ("import package::{shared::{reduce::{sum,},}}; fn f() { sum(1); }", "fn f() { sum(1); }"),
        ("import package::shared::reduce; fn f() { reduce::sum(1); }", "fn f() { sum(1); }"),
        ("import package::shared::reduce as r; fn f() { r::sum(r::one); }", "fn f() { sum(one); }"),
        ("fn f() { package::shared::reduce::sum(1); }", "fn f() { sum(1); }"),
        ("import super::shared::reduce::sum; fn f() { sum(super::shared::reduce::one); }", "fn f() { sum(one); }"),
        ("import /* a */ package :: shared\n::reduce // b\n::sum ; fn f() { sum(1); }", "fn f() { sum(1); }"),
        ("import {package::shared::reduce::sum}; fn f() { sum(1); }", "fn f() { sum(1); }"),
    ];
    for (text, expected) in table {
        let got = composed(text, &[REDUCE], &Options::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let got = squeezed(&got.text().replace("/* a */", "").replace("// b", ""));
        assert_eq!(got, format!("{expected} {SUM}"), "{text}");
    }
}

#[test]
fn modules_import_modules() {
    check(&[
        (
            "import package::a::one::f; fn g() { f(); }",
            &[
                ("a::one", "import super::two::h; fn f() { h(); }"),
                ("a::two", "fn h() { package::b::i(); }"),
                ("b", "fn i() { }"),
            ],
            "fn g() { f(); } fn i() { } fn h() { i(); } fn f() { h(); }",
        ),
        // A module that two modules import appears once.
        (
            "import package::{a::f, b::g}; fn h() { f(); g(); }",
            &[
                ("a", "import super::c::x; fn f() { x(); }"),
                ("b", "import super::c; fn g() { c::x(); }"),
                ("c", "fn x() { }"),
            ],
            "fn h() { f(); g(); } fn x() { } fn f() { x(); } fn g() { x(); }",
        ),
        // An item of a module takes precedence over a module in a folder.
        (
            "import package::a::b; fn f() { b(); }",
            &[("a", "fn b() { }"), ("a::b", "fn c() { }")],
            "fn f() { b(); } fn b() { }",
        ),
        (
            "import package::a::b; fn f() { b::c(); }",
            &[("a", "fn d() { }"), ("a::b", "fn c() { }")],
            "fn f() { c(); } fn c() { }",
        ),
        // Module `a` imports `package::a::b` itself.
        (
            "import package::a::f; fn g() { f(); }",
            &[("a", "import package::a::b::c; fn f() { c(); }"), ("a::b", "fn c() { }")],
            "fn g() { f(); } fn c() { } fn f() { c(); }",
        ),
    ]);
}

#[test]
fn names_change_only_where_two_would_clash() {
    check(&[
        // The name in the author's own file does not change.
        (
            "import package::m::f; fn load() { f(); }",
            &[("m", "fn load() { } fn f() { load(); }")],
            "fn load() { f(); } fn m_load() { } fn f() { m_load(); }",
        ),
        // If two modules declare the same name, both declarations are renamed.
        (
            "import package::{a, b}; fn f() { a::load(); b::load(); }",
            &[("a", "fn load() { }"), ("b", "fn load() { }")],
            "fn f() { a_load(); b_load(); } fn a_load() { } fn b_load() { }",
        ),
        // The new name is already used, too.
        (
            "import package::a; fn load() { let a_load = 1; a::load(); }",
            &[("a", "fn load() { }")],
            "fn load() { let a_load = 1; a_load_2(); } fn a_load_2() { }",
        ),
        // Another file uses the predeclared name that the module declares.
        (
            "import package::a; fn f() { a::max(1, max(2, 3)); }",
            &[("a", "fn max(a: u32, b: u32) { }")],
            "fn f() { a_max(1, max(2, 3)); } fn a_max(a: u32, b: u32) { }",
        ),
        (
            "import package::a::g; fn max(a: u32) { g(); }",
            &[("a", "fn g() { max(1, 2); }")],
            "fn main_max(a: u32) { g(); } fn g() { max(1, 2); }",
        ),
        // A local variable would hide the imported name.
        (
            "import package::a; fn f() { let sum = a::sum(); a::sum(); }",
            &[("a", "fn sum() { }")],
            "fn f() { let sum = a_sum(); a_sum(); } fn a_sum() { }",
        ),
        // The local variable hides no name that its file imports.
        (
            "import package::a::g; fn f() { let sum = g(); }",
            &[("a", "fn sum() { } fn g() { sum(); }")],
            "fn f() { let sum = g(); } fn sum() { } fn g() { sum(); }",
        ),
        // Local variables with the name of a renamed item are renamed as well.
        (
            "import package::a::f; const n = 1;",
            &[("a", "const n = 2; fn f(v: vec2<f32>) { let m = n; var n = v.n; n = S(n).n; } struct S { n: u32 }")],
            "const n = 1; const a_n = 2; fn f(v: vec2<f32>) { let m = a_n; var a_n = v.n; a_n = S(a_n).n; } struct S { n: u32 }",
        ),
        // Renaming also applies to types and template lists.
        (
            "import package::a::S; struct T { } const N = 1; fn f(s: S) { }",
            &[(
                "a",
                "struct T { N: u32 } const N = 2; struct S { @align(N) t: array<T, N>, N: T } fn g(p: ptr<function, T>) -> vec2<f32> { return T(N).N; }",
            )],
            "struct T { } const N = 1; fn f(s: S) { } struct a_T { N: u32 } const a_N = 2; struct S { @align(a_N) t: array<a_T, a_N>, N: a_T } \
             fn g(p: ptr<function, a_T>) -> vec2<f32> { return a_T(a_N).N; }",
        ),
        // Attributes and address spaces are not names.
        (
            "import package::a::f; const position = 1; const compute = 2;",
            &[(
                "a",
                "const position = 3; const storage = 4; @group(0) @binding(0) var<storage, read_write> b: u32; fn f(@builtin(position) p: u32) { let x = position; }",
            )],
            "const position = 1; const compute = 2; const a_position = 3; const storage = 4; \
             @group(0) @binding(0) var<storage, read_write> b: u32; fn f(@builtin(position) p: u32) { let x = a_position; }",
        ),
        // Bindings of modules keep their names although another file has a local variable with that name.
        (
            "import package::a::f; fn g() { let data = 1; let length = length(v); }",
            &[(
                "a",
                "@group(0) @binding(0) var<storage> data: u32; @group(0) @binding(1) var<storage> length: u32; fn f() { }",
            )],
            "fn g() { let data = 1; let length = length(v); } @group(0) @binding(0) var<storage> data: u32; \
             @group(0) @binding(1) var<storage> length: u32; fn f() { }",
        ),
        // Names may contain letters beyond ASCII.
        (
            "import package::größe::é; fn f() { é(); } const ü = 1;",
            &[("größe", "fn é() { ü; } const ü = 2;")],
            "fn f() { é(); } const ü = 1; fn é() { größe_ü; } const größe_ü = 2;",
        ),
    ]);
}

#[test]
fn entry_points_of_modules_stay_only_if_imported() {
    let module = ("a", "fn f() { } /// Runs.\n@compute @workgroup_size(1) fn main() { package::b::g(); }");
    let b = ("b", "fn g() { }");
    let main = "import package::a::f; @compute @workgroup_size(1) fn main() { f(); }";
    let got = composed(main, &[module, b], &Options::default()).unwrap();
    assert_eq!(squeezed(got.text()), "@compute @workgroup_size(1) fn main() { f(); } fn g() { } fn f() { }");
    let got = composed("import package::a::main;", &[module, b], &Options::default()).unwrap();
    assert_eq!(squeezed(got.text()), "fn g() { } fn f() { } /// Runs. @compute @workgroup_size(1) fn main() { g(); }");
}

#[test]
fn directives_go_to_the_top_once() {
    check(&[
        (
            "// first\nimport package::a::f;\nenable f16; fn g() { }",
            &[("a", "enable f16, dual_source_blending; requires x; diagnostic(off, a.b); fn f() { }")],
            "// first enable dual_source_blending; requires x; diagnostic(off,a.b); enable f16; fn g() { } fn f() { }",
        ),
        (
            "/* a */ fn g() { package::a::f(); }",
            &[("a", "enable f16; import super::b::h; fn f() { }"), ("b", "enable f16; fn h() { }")],
            "/* a */ enable f16; fn g() { f(); } fn h() { } fn f() { }",
        ),
    ]);
    // The author's line numbers do not change.
    let got =
        composed("\n\nimport package::a::f;\nfn g() { }", &[("a", "enable f16;\nfn f() { }")], &Options::default());
    assert_eq!(got.unwrap().text().lines().nth(3), Some("fn g() { }"));
}

#[test]
fn parts_that_are_off_become_blanks() {
    let options = features(&[("on", true), ("off", false)]);
    let table = [
        ("@if(off) const a = 1; const b = 2;", "const b = 2;"),
        ("@if(on) const a = 1;", "const a = 1;"),
        ("@if(off) const a = 1; @else const a = 2;", "const a = 2;"),
        ("@if(on) const a = 1; @else const a = 2;", "const a = 1;"),
        ("@if(off) const a = 1; @elif(on) const a = 2; @elif(on) const a = 3; @else const a = 4;", "const a = 2;"),
        ("@if(off) const a = 1; @elif(off) const a = 2; @else const a = 4;", "const a = 4;"),
        ("@if(!on || (on && !off)) const a = 1;", "const a = 1;"),
        ("@if(off || on && off) const a = 1;", ""),
        ("@if(!!on, ) const a = 1; @if(false) const b = 1; @if(true) const c = 1;", "const a = 1; const c = 1;"),
        ("@compute @if(off) @workgroup_size(1) fn f() { } fn g() { }", "fn g() { }"),
        ("@compute @if(on) @workgroup_size(1) fn f() { }", "@compute @workgroup_size(1) fn f() { }"),
        (
            "@if(off) enable f16; @if(on) requires x; struct S { @if(off) a: array<vec2<u32>, 2>, @if(on) b: u32, @if(off) c: u32 }",
            "requires x; struct S { b: u32, }",
        ),
        (
            "fn f(@if(off) a: array<u32, 2>, @if(on) @builtin(x) b: u32, @if(off) c: ptr<function, u32>) { }",
            "fn f( @builtin(x) b: u32, ) { }",
        ),
        ("fn f() { @if(off) a = 1; @if(on) { @if(off) b(); @else c(); } @else { d(); } }", "fn f() { { c(); } }"),
        (
            "fn f() { @if(off) if a { b(); } else if c { d(); } else { e(); } @if(off) (*p) = 1; g(); }",
            "fn f() { g(); }",
        ),
        ("fn f() { if a { } @if(off) else if b { } @if(on) else { c(); } }", "fn f() { if a { } else { c(); } }"),
        (
            "fn f() { @if(off) for (var i = 0; i < 2; i++) { a(); } @if(off) while b { } @if(off) loop { continuing { } } c(); }",
            "fn f() { c(); }",
        ),
        (
            "fn f() { switch x { @if(off) case 1, 2: { a(); } @if(on) case 3 { } @if(off) default: { } } }",
            "fn f() { switch x { case 3 { } } }",
        ),
        ("/// Removed.\n// anywarp:debug\n@if(off) fn f() { } // stays\nfn g() { }", "// stays fn g() { }"),
        ("// anywarp:send\n@if(off) fn f() { }\n// anywarp:emit\n@if(off) fn g() { }\nfn h() { }", "fn h() { }"),
        ("@if(off) @else const a = 1;", ""),
    ];
    for (text, expected) in table {
        let Ok(got) = composed(text, &[], &options) else {
            assert_eq!(expected, "", "{text}");
            continue;
        };
        assert_eq!(squeezed(got.text()), expected, "{text}");
        let breaks = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(breaks(got.text().trim_end_matches('\n')), breaks(text), "line breaks moved: {text}");
    }
}

#[test]
fn imports_have_conditions() {
    let modules = [("a", "fn f() { }"), ("b", "fn f() { x(); } @if(deep) import super::nowhere::y;")];
    let text = "@if(first) import package::a::f; @else import package::b::f; fn g() { f(); }";
    let got = composed(text, &modules, &features(&[("first", true)])).unwrap();
    assert_eq!(squeezed(got.text()), "fn g() { f(); } fn f() { }");
    let got = composed(text, &modules, &features(&[("first", false), ("deep", false)])).unwrap();
    assert_eq!(squeezed(got.text()), "fn g() { f(); } fn f() { x(); }");
}

#[test]
fn element_types_are_replaced() {
    let scalar = |kind, width| Scalar { kind, width };
    let options = |scalar| Options { elements: vec![("T".to_owned(), scalar)], ..Options::default() };
    let table = [
        (scalar(Float, 2), "enable f16; alias T = f16; const x = 1;"),
        (scalar(Float, 4), "alias T = f32; const x = 2;"),
        (scalar(Float, 8), "alias T = f64; const x = 2;"),
        (scalar(Signed, 2), "enable wgpu_int16; alias T = i16; const x = 2;"),
        (scalar(Unsigned, 8), "alias T = u64; const x = 2;"),
    ];
    for (scalar, expected) in table {
        let own = composed("alias T = f32; @if(T_f16) const x = 1; @else const x = 2;", &[], &options(scalar));
        assert_eq!(squeezed(own.unwrap().text()), expected, "{scalar}");
        let module = ("a", "alias T = i32; @if(T_f16) const x = 1; @else const x = 2;");
        let imported = composed("import package::a::T;", &[module], &options(scalar));
        assert_eq!(squeezed(imported.unwrap().text()), expected, "{scalar}, imported");
    }
    // The author's own alias takes precedence; its scalar as written also sets the features of imported files.
    let module = ("a", "alias T = i32; @if(T_i32) const n = 1; @else const n = 2;");
    let own = "import package::a::n; alias T = u32; @if(T_u32) const x = n;";
    let got = composed(own, &[module], &Options::default()).unwrap();
    assert_eq!(squeezed(got.text()), "alias T = u32; const x = n; alias a_T = i32; const n = 1;");
    let got = composed(own, &[module], &options(scalar(Unsigned, 4))).unwrap();
    assert_eq!(squeezed(got.text()), "alias T = u32; const x = n; alias a_T = i32; const n = 2;");
}
