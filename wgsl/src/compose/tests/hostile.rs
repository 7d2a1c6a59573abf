//! Hostile texts: composing them neither panics nor takes long.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::Options;
use super::{composed, features};

#[test]
fn nesting_has_a_limit_and_long_texts_are_fast() {
    let many = |part: &str, count: usize| part.repeat(count);
    let texts = [
        format!("@if({}on{}) const x = 1;", many("(", 100_000), many(")", 100_000)),
        format!("@if({}on) const x = 1;", many("!", 1_000_000)),
        format!("@if({}on) const x = 1;", many("on && ", 200_000)),
        format!("import {}a{};", many("package::{", 1000), many("}", 1000)),
        format!("import package::{{{}}};", many("a::{b, c}, ", 100_000)),
        format!("import {}a;", many("package::", 100_000)),
        format!("fn f() {{ {}{} }}", many("@if(on) { ", 80_000), many("}", 80_000)),
        format!("fn f() {{ if a {{ }} {} }}", many("@if(on) else if b { } ", 50_000)),
        format!("fn f() {{ @if(off) if a {{ }} {} }}", many("else if b { } ", 50_000)),
        format!("fn f() {{ {} }}", many("@if(on) a = b; @else c = d; ", 40_000)),
        format!("struct S {{ {} }}", many("@if(off) a: array<u32, 2>, ", 40_000)),
        format!("@if(on) fn f() {{ {} }}", many("package::m::x; ", 60_000)),
        many("@if(on) ", 100_000),
        many("@", 1_000_000),
        many("@if(on)@else@elif(off)", 40_000),
        many("import package::m::x; ", 50_000),
        many("// anywarp:debug\n", 60_000) + "@if(off) const a = 1;",
        many("{", 500_000) + "::",
        many("a::", 300_000),
        many("const x = 1; ", 80_000) + "fn f() { package::m::x; }",
        many("/*", 500_000) + "::",
        many("alias T = f32; ", 60_000) + "@if(T_f16) const x = 1;",
    ];
    for text in texts {
        let start = Instant::now();
        let result = composed(&text, &[("m", "const x = 1;")], &features(&[("on", true), ("off", false)]));
        drop(result);
        let limit = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 20 });
        assert!(start.elapsed() < limit, "{:?} for {}..", start.elapsed(), &text[..40]);
    }
}

#[test]
fn chains_of_imports_have_a_limit() {
    for (length, fits) in [(60, true), (70, false)] {
        let link = |at: usize| {
            (format!("m{at}"), format!("import super::m{}::x{}; const x{at} = x{};", at + 1, at + 1, at + 1))
        };
        let mut modules: Vec<(String, String)> = (0..length).map(link).collect();
        modules.push((format!("m{length}"), format!("const x{length} = 1;")));
        let modules: Vec<(&str, &str)> = modules.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let result = composed("import package::m0::x0; const y = x0;", &modules, &Options::default());
        assert_eq!(result.is_ok(), fits, "{length}: {result:?}");
        assert!(fits || result.is_err_and(|error| error.to_string().contains("longer than 64 files")));
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let parts = [
        "import ",
        "package",
        "super",
        "::",
        "a",
        "b",
        "x",
        "f",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        ";",
        ",",
        "@if",
        "@elif",
        "@else",
        "(on)",
        "(off)",
        "fn ",
        "struct ",
        "alias ",
        "const ",
        "var",
        "let ",
        " = ",
        ":",
        ".",
        "/*",
        "*/",
        "//",
        "\n",
        " ",
        "é",
        "as ",
        "1",
        "@group(0)",
        "@binding(0)",
        "@compute ",
        "enable f16;",
        "diagnostic",
        "if ",
        "else ",
        "\u{85}",
        "\"",
        "#",
        "_",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn nothing_panics(text in any_text(), module in any_text()) {
        let mut options = features(&[("on", true), ("off", false)]);
        let modules = [("a", module.as_str()), ("b", "fn x() { }"), ("a::b", "const f = 1;")];
        for elements in [vec![], vec![("x".to_owned(), anywarp_backend::Scalar { kind: anywarp_backend::ScalarKind::Float, width: 2 })]] {
            options.elements = elements;
            if let Ok(source) = composed(&text, &modules, &options) {
                // Every byte has a source position.
                for at in 0..=source.text().len() {
                    prop_assert!(source.position(at).is_some(), "{at}");
                }
            }
        }
    }
}
