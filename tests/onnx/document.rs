//! The document with the tables of a report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::{Counts, NotRun, PARTS, Report};

const HEAD: &str = "\
# ONNX node tests

The operators of `anywarp::ops` are compared with results that this project has not computed: the node tests of
[ONNX](https://github.com/onnx/onnx), from the Python package `onnx` 1.22.0. A case is a graph of one node, or of several
nodes for a function that ONNX defines by simpler operators. `tests/onnx` maps each node to calls of public operators,
where a kernel of one line counts as one. Integers must be equal; floats may differ by 1e-3 of the expected value plus 1e-7,
as in ONNX's own runner. Results of `DFT` may also differ by 1e-6 of the greatest one, as the files have exact zeros where
sums of `f32` cancel.

The counts are those of the device `cpu`. CI fails if a case fails, or if fewer cases pass than this page says. It runs
the cases on Vulkan as well, without those that need exponentials of `f64`, which SPIR-V does not have.

```text
pip download --no-deps onnx==1.22.0 && unzip -q onnx-1.22.0-*.whl 'onnx/backend/test/data/node/*'
cargo test --test onnx -- onnx/backend/test/data/node                           # on the CPU
cargo test --test onnx -- --device vulkan onnx/backend/test/data/node
cargo test --test onnx -- --write docs/onnx.md onnx/backend/test/data/node      # renews this page
```

CI also compares layers of real sizes with onnxruntime 1.32.0: 25 of ResNet-50 for one image and 12 of a transformer of 512
numbers, in `f32` and `f16`, a block of each, made by `tests/onnx/layers.py`. Sums of convolutions and products are exact;
other floats may differ by 1e-3 of the expected value plus 1e-5.

```text
pip install onnx==1.22.0 onnxruntime==1.32.0 && python tests/onnx/layers.py layers
cargo test --test onnx -- --absolute 1e-5 layers
```
";

/// The text of the whole document.
pub(crate) fn document(report: &Report) -> String {
    let mut text = HEAD.to_owned();
    for (part, heading) in PARTS.iter().enumerate() {
        let _ = write!(text, "\n## {heading}\n\n| family | cases | passed | not run |\n|---|---|---|---|\n");
        for (family, counts) in report.rows(part) {
            let _ = writeln!(text, "| {family} | {} | {} | {} |", counts.cases, counts.passed, counts.not_run());
        }
    }
    text.push_str("\n## Not run\n\n");
    text.push_str("Element types that no operator has, with the number of cases:\n\n");
    let is_type = |reason: &str| reason.starts_with("no type ");
    for (reason, cases) in report.not_run.iter().filter(|(reason, _)| is_type(reason)) {
        let _ = writeln!(text, "- `{}`: {}", reason.trim_start_matches("no type "), cases.len());
    }
    text.push_str("\nOperators that do not exist yet. A case with several of them is counted at the first one.\n\n");
    text.push_str("| operator | single nodes | expanded functions |\n|---|---|---|\n");
    let is_operator = |reason: &str| reason.starts_with("no operator for ");
    for (reason, cases) in report.not_run.iter().filter(|(reason, _)| is_operator(reason)) {
        let expanded = cases.iter().filter(|case| case.expanded).count();
        let name = reason.trim_start_matches("no operator for ");
        let _ = writeln!(text, "| `{name}` | {} | {expanded} |", cases.len() - expanded);
    }
    text.push_str("\nOther reasons:\n\n");
    for (reason, cases) in report.not_run.iter().filter(|(reason, _)| !is_type(reason) && !is_operator(reason)) {
        let _ = writeln!(text, "- {reason}: {}", listed(cases));
    }
    text
}

/// The names of the cases, grouped by family.
fn listed(cases: &[NotRun]) -> String {
    let mut families = BTreeMap::<&str, Vec<String>>::new();
    for case in cases {
        families.entry(case.family).or_default().push(format!("`{}`", case.name));
    }
    let families = families.iter().map(|(family, names)| format!("{family} ({}): {}", names.len(), names.join(", ")));
    families.collect::<Vec<String>>().join("; ")
}

/// Compares the report with the tables of a document; returns a text for each family with fewer cases, or fewer that
/// passed, than in the document.
pub(crate) fn check(report: &Report, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (part, heading) in PARTS.iter().enumerate() {
        let rows = table(text, heading);
        if rows.is_empty() {
            problems.push(format!("expected a table below '## {heading}'"));
        }
        let found: BTreeMap<&str, Counts> = report.rows(part).into_iter().collect();
        for (family, [cases, passed]) in rows {
            let counts = found.get(family).copied().unwrap_or_default();
            if counts.cases < cases || counts.passed < passed {
                let (now, all) = (counts.passed, counts.cases);
                problems
                    .push(format!("{heading}, {family}: {now} of {all} cases pass; the table has {passed} of {cases}"));
            }
        }
    }
    problems
}

/// The families of a table, with the numbers of cases and of those that passed.
fn table<'t>(text: &'t str, heading: &str) -> Vec<(&'t str, [usize; 2])> {
    let section = text.split("\n## ").find(|section| section.lines().next() == Some(heading)).unwrap_or_default();
    let row = |line: &'t str| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        Some((cells.next()?, [cells.next()?.parse().ok()?, cells.next()?.parse().ok()?]))
    };
    section.lines().filter_map(row).collect()
}
