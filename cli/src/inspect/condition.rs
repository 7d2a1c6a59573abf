//! The conditions of `--fail-on`: a measure, a comparison and a number.

use anywarp::backend::{ObservedKernel, ObservedSpace};
use anywarp::insight::Report;

/// A quantity that conditions compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    SectorsPerRequest,
    WavefrontsPerRequest,
    ActiveLanes,
    Findings,
    Share,
}

/// The measures by name.
const MEASURES: [(&str, Measure); 5] = [
    ("sectors/request", Measure::SectorsPerRequest),
    ("wavefronts/request", Measure::WavefrontsPerRequest),
    ("active", Measure::ActiveLanes),
    ("findings", Measure::Findings),
    ("gain", Measure::Share),
];

/// Compares a value with a limit.
type Holds = fn(f64, f64) -> bool;

/// The comparisons by sign, those with two characters first.
const SIGNS: [(&str, Holds); 4] =
    [(">=", |a, b| a >= b), ("<=", |a, b| a <= b), (">", |a, b| a > b), ("<", |a, b| a < b)];

/// A parsed condition, such as `sectors/request > 8`.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    text: String,
    measure: Measure,
    holds: Holds,
    limit: f64,
}

/// Reads a condition.
pub(crate) fn parse(text: &str) -> Result<Condition, String> {
    let wrong = |what: &str| {
        let names: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
        format!(
            "expected {what}, found '{text}': write MEASURE > NUMBER, with >, >=, < or <=; measures are {}",
            names.join(", ")
        )
    };
    let found = SIGNS.iter().find_map(|(sign, holds)| Some((text.split_once(sign)?, *holds)));
    let ((name, limit), holds) = found.ok_or_else(|| wrong("a comparison"))?;
    let measure = MEASURES.iter().find(|(known, _)| *known == name.trim()).ok_or_else(|| wrong("a measure"))?.1;
    let limit = limit.trim().trim_end_matches('%').trim_end();
    let limit = limit.parse().ok().filter(|limit: &f64| limit.is_finite()).ok_or_else(|| wrong("a number"))?;
    Ok(Condition { text: text.trim().to_owned(), measure, holds, limit })
}

impl Condition {
    /// A line for each place of a report where the condition holds.
    pub(super) fn places(&self, report: &Report) -> Vec<String> {
        let whole = |value: f64| ("the report".to_owned(), value);
        let values: Vec<(String, f64)> = match self.measure {
            Measure::Findings => vec![whole(report.findings.len() as f64)],
            Measure::Share => {
                let place = |at: &dyn std::fmt::Display, share: f64| (at.to_string(), share * 100.0);
                report.findings.iter().map(|finding| place(&finding.at, finding.share)).collect()
            }
            Measure::ActiveLanes => {
                let efficiency = |kernel: &ObservedKernel| kernel.lanes[super::column(report)].efficiency() * 100.0;
                report.kernels.iter().map(|(kernel, _)| (kernel.kernel.to_string(), efficiency(kernel))).collect()
            }
            Measure::SectorsPerRequest => of_accesses(report, false),
            Measure::WavefrontsPerRequest => of_accesses(report, true),
        };
        let holds = values.into_iter().filter(|(_, value)| (self.holds)(*value, self.limit));
        holds.map(|(place, value)| format!("{place}: {} holds, with {value:.2}", self.text)).collect()
    }
}

fn of_accesses(report: &Report, in_workgroups: bool) -> Vec<(String, f64)> {
    let all = report.kernels.iter().flat_map(|(kernel, _)| &kernel.accesses);
    let chosen = all.filter(|access| (access.space == ObservedSpace::Workgroup) == in_workgroups);
    chosen
        .map(|access| {
            let counts = &access.counts[super::column(report)];
            let value = if in_workgroups { counts.wavefronts_per_request() } else { counts.sectors_per_request() };
            (access.at.to_string(), value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let read = parse("sectors/request > 8").unwrap();
        assert_eq!((read.measure, read.limit), (Measure::SectorsPerRequest, 8.0));
        assert!((read.holds)(8.5, read.limit) && !(read.holds)(8.0, read.limit));
        let read = parse(" active<=90 % ").unwrap();
        assert_eq!((read.measure, read.limit), (Measure::ActiveLanes, 90.0));
        assert!((read.holds)(90.0, read.limit));
    }

    #[test]
    fn wrong_conditions_say_what_was_expected() {
        for (text, expected) in [("sectors", "a comparison"), ("speed > 3", "a measure"), ("gain > x", "a number")] {
            let said = parse(text).unwrap_err();
            assert!(said.starts_with(&format!("expected {expected}, found '{text}'")), "{said}");
        }
    }
}
