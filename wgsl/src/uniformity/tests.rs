//! Tests of messages. `tests/verdicts` compares the findings with Chromium's.

use anywarp_backend::{Piece, Source, SourceFile};

use super::{Failure, Language, failures};
use crate::filters::Severity;
use crate::module::parse;

const DECLARATIONS: &str = "
    enable subgroups;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @group(0) @binding(1) var<uniform> n: u32;
    var<workgroup> tile: array<u32, 64>;
    ";

fn found(functions: &str, body: &str, language: Language) -> (Source, Vec<Failure>) {
    let text = format!(
        "{DECLARATIONS}{functions}
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lid: u32, @builtin(subgroup_id) subgroup: u32) {{ {body} }}"
    );
    let source = Source::new("kernel.wgsl", text);
    let module = parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let found = failures(&source, &module, language);
    (source, found)
}

/// Returns the texts at the links of the only failure, each with the message of its link.
fn links(functions: &str, body: &str) -> Vec<(String, String)> {
    let (source, found) = found(functions, body, Language::Common);
    let [failure] = &found[..] else { panic!("{body}: {found:?}") };
    let text = |at: naga::Span| source.text()[at.to_range().unwrap()].to_owned();
    let links = failure.links.iter().map(|link| (text(link.at), link.text.clone()));
    std::iter::once((text(failure.at), failure.summary())).chain(links).collect()
}

#[test]
fn a_chain_goes_from_the_operation_to_the_cause() {
    let together = "must be reached by all invocations of a workgroup together";
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);
    let cases: &[Case<'_>] = &[
        (
            "",
            "let m = data[0]; if m > n { workgroupBarrier(); }",
            &[
                ("workgroupBarrier", together),
                ("if m > n", "this `if` depends on `m`"),
                ("data[0]", "`m` is read from the read_write buffer `data`"),
            ],
        ),
        (
            "",
            "if lid > 3u { return; } storageBarrier();",
            &[
                ("storageBarrier", together),
                ("if lid > 3u", "depends on `lid`"),
                ("lid", "`lid` is `local_invocation_index`"),
            ],
        ),
        (
            "",
            "var x = n; if n > 1u { x = tile[0]; } while x > 3u { workgroupBarrier(); }",
            &[
                ("workgroupBarrier", together),
                ("x > 3u", "this condition of a loop depends on `x`"),
                ("x = tile[0]", "`x` depends on `tile[0]`"),
                ("tile[0]", "`tile[0]` is read from the workgroup variable `tile`"),
            ],
        ),
        (
            "fn inner() { workgroupBarrier(); } fn outer() { inner(); }",
            "switch lid { case 1u: { outer(); } default: {} }",
            &[
                ("workgroupBarrier", together),
                ("outer()", "the operation is in this call of `outer`"),
                ("inner()", "the operation is in this call of `inner`"),
                ("switch lid", "this `switch` depends on `lid`"),
                ("lid", "differs between invocations"),
            ],
        ),
        (
            "fn value(i: u32) -> u32 { return data[i]; }",
            "if value(n) > 3u { workgroupBarrier(); }",
            &[
                ("workgroupBarrier", together),
                ("if value(n) > 3u", "this `if` depends on `value`"),
                ("value(n)", "the result of `value` depends on `data[i]`"),
                ("data[i]", "`data[i]` is read from the read_write buffer `data`"),
            ],
        ),
        (
            "fn decides(a: u32) { if a > 1u { workgroupBarrier(); } }",
            "decides(lid);",
            &[
                ("workgroupBarrier", together),
                ("decides(lid)", "the operation depends on an argument of this call of `decides`"),
                ("lid", "differs between invocations"),
            ],
        ),
        (
            "",
            "let a = n > 1u && (lid > 3u && workgroupUniformLoad(&tile[0]) > 1u);",
            &[
                ("workgroupUniformLoad", together),
                ("lid > 3u && workgroupUniformLoad(&tile[0]) > 1u", "this operator depends on `lid`"),
                ("lid", "differs between invocations"),
            ],
        ),
        (
            "",
            "let a = workgroupUniformLoad(&tile[lid]);",
            &[
                (
                    "workgroupUniformLoad",
                    "an argument of `workgroupUniformLoad` must be the same for all invocations of a workgroup",
                ),
                ("lid", "differs between invocations"),
            ],
        ),
        (
            "fn gives(p: ptr<function, u32>) { *p = data[1]; }",
            "var x = n; gives(&x); if x > 3u { workgroupBarrier(); }",
            &[
                ("workgroupBarrier", together),
                ("if x > 3u", "depends on `x`"),
                ("gives(&x)", "the value stored by `gives` depends on"),
                ("data[1]", "read from the read_write buffer `data`"),
            ],
        ),
    ];
    for (functions, body, expected) in cases {
        let links = links(functions, body);
        let mut rest = links.iter();
        for (text, said) in *expected {
            let is_meant = |(at, link): &&(String, String)| at == text && link.contains(said);
            assert!(rest.any(|link| is_meant(&link)), "{body}: no {text:?} with {said:?} in {links:#?}");
        }
    }
}

#[test]
fn help_matches_the_cause() {
    let help = |body| found("", body, Language::Common).1.remove(0).help.join("\n");
    assert!(help("if tile[3] > 1u { workgroupBarrier(); }").contains("workgroupUniformLoad(&tile[3])"));
    assert!(help("if data[3] > 1u { workgroupBarrier(); }").contains("`var<storage, read>`"));
    assert!(help("if lid > 1u { workgroupBarrier(); }").contains("early `return`"));
}

#[test]
fn operations_in_whole_subgroups_pass_with_the_language_extension() {
    let body = "if subgroup > 1u { data[lid] = subgroupAdd(1u); }";
    let (source, common) = found("", body, Language::Common);
    assert!(common[0].message(&source).contains("requires subgroup_uniformity;"), "{}", common[0].message(&source));
    assert!(found("", body, Language::SubgroupUniformity).1.is_empty());
    assert_eq!(Language::required_by("requires subgroup_uniformity;"), Language::SubgroupUniformity);
    assert_eq!(Language::required_by("requires something;"), Language::Common);
    let (source, both) = found("", "if lid > 1u { data[lid] = subgroupAdd(1u); }", Language::Common);
    assert!(!both[0].message(&source).contains("requires"), "{}", both[0].message(&source));
}

#[test]
fn failures_have_the_severity_of_their_filter() {
    let severity = |filter: &str| {
        let body =
            format!("if lid > 1u {{ @diagnostic({filter}, subgroup_uniformity) {{ data[lid] = subgroupAdd(1u); }} }}");
        found("", &body, Language::Common).1.first().map(|failure| failure.severity)
    };
    assert_eq!(
        ["off", "info", "warning", "error"].map(severity),
        [None, Some(Severity::Info), Some(Severity::Warning), Some(Severity::Error)]
    );
}

#[test]
fn spans_are_those_of_the_authors_files() {
    let text = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lid: u32) {\nif lid > 1u {\nworkgroupBarrier();\n}}";
    let files = ["own.wgsl", "other.wgsl"].map(|name| SourceFile { name: name.to_owned(), text: format!("\n{text}") });
    let pieces = vec![Piece { at: 0, file: 1, offset: 1, copied: true }];
    let source = Source::composed(files.to_vec(), text.to_owned(), pieces);
    let found = failures(&source, &parse(&source).unwrap(), Language::Common);
    let place = found[0].spot(&source).unwrap();
    assert_eq!((&*place.file, place.line), ("other.wgsl", 4));
    assert!(found[0].message(&source).contains("other.wgsl:4:1"), "{}", found[0].message(&source));
}

#[test]
fn kernels_without_uniformity_requirements_have_no_failures() {
    let (_, found) = found("", "if lid > 3u { data[lid] = tile[lid]; }", Language::Common);
    assert!(found.is_empty());
}

#[test]
fn a_function_that_naga_lacks_is_reported_at_its_call() {
    let found = links("", "if lid > 3u { let first = subgroupElect(); }");
    let [(at, summary), (branch, _), ..] = &found[..] else { panic!("{found:?}") };
    assert!(at.starts_with("subgroupElect") && branch.starts_with("if lid > 3u"), "{found:?}");
    assert!(summary.contains("`subgroupElect` must be reached"), "{found:?}");
    // The same holds within a function of the author's text.
    let found = links("fn first() -> bool { return subgroupElect(); }", "if lid > 3u { let a = first(); }");
    assert!(found[0].0.starts_with("subgroupElect"), "{found:?}");
}
