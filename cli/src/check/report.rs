//! Reports of checked files, as text and as JSON.

use std::sync::Arc;

use anywarp::Explanation;
use anywarp_backend::Source;
use serde_json::json;

use super::Target;
use super::arguments::Format;
use super::finding::{Finding, Severity};

/// The result for one file.
pub(super) struct Report {
    pub(super) file: String,
    /// The entry points that were checked, with any result.
    pub(super) entries: Vec<String>,
    pub(super) findings: Vec<Finding>,
    /// Whether an entry point needs a feature that the baseline lacks.
    pub(super) lacks_feature: bool,
    /// The source, once an entry point has passed.
    pub(super) source: Option<Arc<Source>>,
    /// The proofs of entry points for each target, with `--explain`.
    pub(super) explanations: Vec<Explanation>,
}

impl Report {
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    pub(super) fn add_entry(&mut self, entry: Option<String>) {
        self.entries.extend(entry.filter(|entry| !self.entries.contains(entry)));
    }

    pub(super) fn add(&mut self, finding: Finding) {
        self.add_entry(finding.entry.clone());
        // A finding on every device occurs once for each target.
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// A line that says whether the file passes.
    fn summary(&self) -> String {
        let counted = |severity, word: &str| match self.count(severity) {
            0 => None,
            1 => Some(format!("1 {word}")),
            many => Some(format!("{many} {word}s")),
        };
        let counts = [counted(Severity::Error, "error"), counted(Severity::Warning, "warning")];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let said = match (counts.as_slice(), self.entries.as_slice()) {
            ([], []) => "nothing to check".to_owned(),
            ([], entries) => format!("passes ({})", entries.join(", ")),
            (counts, _) => counts.join(", "),
        };
        format!("{}: {said}", self.file)
    }
}

pub(super) fn as_text(reports: &[Report], format: Format) -> String {
    let mut lines = Vec::new();
    for report in reports {
        lines.extend(report.findings.iter().map(|finding| match format {
            Format::Text => finding.as_text(),
            Format::Github => finding.as_annotation(),
        }));
        lines.push(report.summary());
        lines.extend(report.explanations.iter().map(ToString::to_string));
    }
    lines.join("\n")
}

pub(super) fn as_json(reports: &[Report], targets: &[Target]) -> String {
    let files = reports.iter().map(|report| {
        let mut file = json!({
            "file": report.file,
            "entries": report.entries,
            "errors": report.count(Severity::Error),
            "warnings": report.count(Severity::Warning),
        });
        if !report.explanations.is_empty() {
            file["explained"] = report.explanations.iter().map(explained).collect();
        }
        file
    });
    let findings: Vec<&Finding> = reports.iter().flat_map(|report| &report.findings).collect();
    let against: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    format!("{:#}", json!({ "against": against, "files": files.collect::<Vec<_>>(), "findings": findings }))
}

/// An explanation as a value of JSON.
fn explained(explanation: &Explanation) -> serde_json::Value {
    let accesses = explanation.accesses.iter().map(|access| {
        json!({
            "place": access.place, "text": access.text, "proven": access.proven,
            "verdict": access.verdict().name(), "conditions": access.conditions,
            "range": access.range, "count": access.count, "advice": access.advice,
        })
    });
    let loops = explanation.loops.iter().map(|one| {
        json!({
            "place": one.place, "proven": one.proven, "counter": one.counter,
            "range": one.range, "advice": one.advice,
        })
    });
    let counts = explanation.counts();
    json!({
        "kernel": explanation.kernel, "gave_up": explanation.gave_up,
        "counts": { "proven": counts.proven, "at_launch": counts.at_launch, "checked": counts.checked },
        "accesses": accesses.collect::<Vec<_>>(), "loops": loops.collect::<Vec<_>>(),
    })
}
