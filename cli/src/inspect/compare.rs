//! The comparison of a report with an earlier one, which `--json` wrote.

use std::collections::BTreeSet;
use std::path::Path;

use anywarp::insight::Report;
use serde_json::Value;

use crate::failure::Failure;

/// An earlier report.
pub(super) struct Base {
    path: String,
    report: Value,
}

/// Reads an earlier report.
pub(super) fn read(path: &Path) -> Result<Base, Failure> {
    let refused = |why: &dyn std::fmt::Display| Failure::File(format!("--compare {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(&error))?;
    let report: Value = serde_json::from_str(&text).map_err(|error| refused(&error))?;
    if !report["kernels"].is_array() || !report["findings"].is_array() {
        return Err(refused(&"expected a report that `anywarp inspect --json` wrote, found other JSON"));
    }
    Ok(Base { path: path.display().to_string(), report })
}

/// A finding without its numbers: problem, kernel and variable. Lines change when a file is edited.
type Known = (String, String, String);

impl Base {
    /// The differences as text: estimated times, findings that are gone, and new ones.
    pub(super) fn differences(&self, report: &Report) -> String {
        let mut lines = vec![format!("compared with {}:", self.path)];
        let model = self.report["model"]["name"].as_str().unwrap_or_default();
        let measured = self.report["model"]["measured"].as_str();
        if model != report.model.name || measured != report.model.measured.as_deref() {
            let rates = match (measured, &report.model.measured) {
                (Some(_), _) => " (measured)",
                (None, Some(_)) => " (data sheet)",
                (None, None) => "",
            };
            lines.push(format!("  the model was {model}{rates}, so times cannot be compared"));
        }
        for (kernel, estimate) in &report.kernels {
            let before = self.kernels().find(|before| before["kernel"] == *kernel.kernel);
            let now = estimate.time() * 1e6;
            lines.push(match before.and_then(|before| before["seconds"].as_f64()) {
                Some(before) => {
                    let before = before * 1e6;
                    format!("  {}: {before:.2} us before, {now:.2} us now ({:.2})", kernel.kernel, now / before)
                }
                None => format!("  {}: new, {now:.2} us", kernel.kernel),
            });
        }
        let before: BTreeSet<Known> = self.findings();
        let now: BTreeSet<Known> = report
            .findings
            .iter()
            .map(|finding| {
                (finding.problem.name().to_owned(), finding.kernel.to_string(), finding.variable.to_string())
            })
            .collect();
        let said = |word: &str, known: &Known| {
            let (problem, kernel, variable) = known;
            let of = if variable.is_empty() { String::new() } else { format!(" of '{variable}'") };
            format!("  {word}: {problem}{of} in {kernel}")
        };
        lines.extend(before.difference(&now).map(|known| said("gone", known)));
        lines.extend(now.difference(&before).map(|known| said("new", known)));
        if before == now {
            lines.push("  the same findings".to_owned());
        }
        lines.join("\n")
    }

    fn kernels(&self) -> impl Iterator<Item = &Value> {
        self.report["kernels"].as_array().into_iter().flatten()
    }

    fn findings(&self) -> BTreeSet<Known> {
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let findings = self.report["findings"].as_array().into_iter().flatten();
        findings.map(|finding| (text(finding, "problem"), text(finding, "kernel"), text(finding, "variable"))).collect()
    }
}
