//! Known faults of drivers or of naga: a trace that a fault affects must fail, and its failure is not counted.

use super::case_file::Name;
use super::outcome::{Failure, Outcome};

/// The list of this project; its first lines describe the format.
pub const LIST: &str = include_str!("../../../../tests/cts/known_failures.txt");

/// An entry of the list. It applies to every trace and every device that match its patterns.
#[derive(Debug, PartialEq)]
pub struct KnownFailure {
    /// The line in the list, counted from 1.
    line: usize,
    /// A text that the device's description contains, in upper or lower case; `*` matches every device.
    device: String,
    /// The text with which the query of a trace begins.
    query: String,
    /// Texts that must all occur in the sub-parameters.
    sub: Vec<String>,
    reason: String,
    /// A text that the failure contains: a part of its cause or of one of its details.
    failure: String,
}

/// Reads a list.
///
/// # Errors
///
/// The text names the line that is not an entry.
pub fn parse(text: &str) -> Result<Vec<KnownFailure>, String> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(i, line)| entry(i, line)).collect()
}

/// The first entry that applies to a trace.
pub fn find<'a>(list: &'a [KnownFailure], device: &str, name: &Name) -> Option<&'a KnownFailure> {
    let device = device.to_lowercase();
    list.iter().find(|known| {
        (known.device == "*" || device.contains(&known.device.to_lowercase()))
            && name.query.starts_with(&known.query)
            && known.sub.iter().all(|part| name.sub.contains(part))
    })
}

impl KnownFailure {
    /// The outcome of a trace that is listed as failing: the listed failure becomes a skip, and a pass becomes a
    /// failure. Any other failure, such as a crash or other wrong values, remains a failure.
    pub fn judge(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Failed(mut failure) if !failure.contains(&self.failure) => {
                let expected = format!("known to fail otherwise (line {}): '{}'", self.line, self.failure);
                failure.details.push(expected);
                Outcome::Failed(failure)
            }
            Outcome::Failed(_) => Outcome::Skipped { reason: format!("known failure: {}", self.reason) },
            Outcome::Passed => Outcome::Failed(Failure {
                cause: format!("known failure now passes: remove line {} of known_failures.txt", self.line),
                details: vec![format!("its reason was: {}", self.reason)],
            }),
            skipped @ Outcome::Skipped { .. } => skipped,
        }
    }
}

fn entry(line: usize, text: &str) -> Result<KnownFailure, String> {
    let wrong = |what: &str| {
        format!("known failures, line {line}: {what}; an entry is 'device | query [sub ..] | reason | failure'")
    };
    // Devices, reasons and failures never contain a bar between blanks; sub-parameters may.
    let (device, rest) = text.split_once(" | ").ok_or_else(|| wrong("no query"))?;
    let (rest, failure) = rest.rsplit_once(" | ").ok_or_else(|| wrong("no failure"))?;
    let (names, reason) = rest.rsplit_once(" | ").ok_or_else(|| wrong("no reason"))?;
    let mut parts = names.split_whitespace().map(str::to_owned);
    let query = parts.next().unwrap_or_default();
    if [device, &query, reason, failure].iter().any(|field| field.trim().is_empty()) {
        return Err(wrong("a field is empty"));
    }
    Ok(KnownFailure {
        line,
        device: device.trim().to_owned(),
        query,
        sub: parts.collect(),
        reason: reason.trim().to_owned(),
        failure: failure.trim().to_owned(),
    })
}
