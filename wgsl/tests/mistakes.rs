//! The messages for the most common mistakes in WGSL compute kernels.
//!
//! `mistakes/TOPIC.wgsl` holds the mistakes. Each begins with a line `//// NAME`, followed by statements of an entry
//! point, or by a line `// module` and declarations. `snapshots/mistakes__TOPIC.snap` holds the messages.

use std::fmt::Write;

use anywarp_backend::{Piece, Source, SourceFile};
use anywarp_wgsl::{diagnostic, module, rules};

/// The bindings that precede the statements or declarations of each mistake.
const BINDINGS: &str = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
                        @group(0) @binding(1) var<storage, read_write> words: array<u32>;\n";
const ENTRY: &str = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n";

/// Returns the first error of the parser, of the rules that browsers check, or of the validator, in this order.
fn error(source: &Source) -> Option<String> {
    let module = match module::parse(source) {
        Ok(module) => module,
        Err(error) => return Some(error.to_string()),
    };
    if let Some(breach) = rules::breaches(source, &module).first() {
        return Some(breach.diagnostic(source));
    }
    module::validate(module).err().map(|refused| diagnostic::of_refused(source, &refused).to_string())
}

/// Returns the names and the whole texts of the mistakes of a topic.
fn cases(topic: &str) -> impl Iterator<Item = (&str, String)> {
    topic.split("//// ").skip(1).map(|case| {
        let (name, text) = case.split_once('\n').unwrap_or((case, ""));
        let text = text.trim_end();
        let text = match text.strip_prefix("// module\n") {
            Some(declarations) => format!("{BINDINGS}{declarations}"),
            None => format!("{BINDINGS}{ENTRY}{text}\n}}\n"),
        };
        (name, text)
    })
}

/// Returns the messages for all mistakes of a topic, each without its first line, which is the same in all of them.
fn said(topic: &str) -> String {
    let mut said = String::new();
    for (name, text) in cases(topic) {
        let Some(error) = error(&Source::new("kernel.wgsl", text)) else { panic!("{name}: the text is valid") };
        let error = error.strip_prefix("kernel.wgsl is not valid WGSL\n").unwrap_or(&error);
        assert!(error.contains("kernel.wgsl:") && error.contains('^'), "{name}: no position:\n{error}");
        for internal in ["naga", "TypeInner", "Scalar {", "Some(", "TypeFlags", "{Abstract", "Handle", "see msg"] {
            assert!(!error.contains(internal), "{name}: {internal}:\n{error}");
        }
        let handle = error.split('[').skip(1).any(|rest| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            // An index in the author's text directly follows a name, without a space.
            digits > 0
                && rest.as_bytes().get(digits) == Some(&b']')
                && error.contains(&format!(" [{}", &rest[..=digits]))
        });
        assert!(!handle, "{name}: a handle:\n{error}");
        let lines: Vec<&str> = error.lines().filter(|line| line.trim() != "│" && !line.is_empty()).collect();
        let _ = writeln!(said, "{name}\n{}\n", lines.join("\n"));
    }
    said
}

fn check(name: &str, topic: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => true, omit_expression => true }, {
        insta::assert_snapshot!(name, said(topic));
    });
}

#[test]
fn types() {
    check("types", include_str!("mistakes/types.wgsl"));
}

#[test]
fn syntax() {
    check("syntax", include_str!("mistakes/syntax.wgsl"));
}

#[test]
fn names() {
    check("names", include_str!("mistakes/names.wgsl"));
}

#[test]
fn declarations() {
    check("declarations", include_str!("mistakes/declarations.wgsl"));
}

#[test]
fn functions() {
    check("functions", include_str!("mistakes/functions.wgsl"));
}

#[test]
fn rules_of_browsers() {
    check("rules", include_str!("mistakes/rules.wgsl"));
}

/// Mistakes in an imported file are reported with that file's name, lines and text.
#[test]
fn composed_texts_are_quoted_from_their_own_files() {
    let file = |name: &str, text: &str| SourceFile { name: name.to_owned(), text: text.to_owned() };
    let imported = "fn scale(n: u32) -> f32 {\n    return n * 0.5;\n}";
    let own = "@compute @workgroup_size(1) fn main() { let x = scale(1u); }";
    // `scale` is called `b_scale` in the composed text.
    let text = format!("fn b_{}\n{own}", &imported[3..]);
    let pieces = vec![
        Piece { at: 0, file: 1, offset: 0, copied: true },
        Piece { at: 3, file: 1, offset: 3, copied: false },
        Piece { at: 10, file: 1, offset: 8, copied: true },
        Piece { at: imported.len() + 3, file: 0, offset: 0, copied: true },
    ];
    let text = text.replace("= scale(", "= b_scale(");
    let source = Source::composed(vec![file("main.wgsl", own), file("b.wgsl", imported)], text, pieces);
    let said = error(&source).expect("the text has a mistake");
    assert!(said.contains("b.wgsl:2:12") && said.contains("`f32(n) * 0.5`"), "{said}");
}
