//! Fixes that change a few words of the WGSL and nothing else: the lines as they would be.
//!
//! A change is made only where the text shows that the kernel does the same as before. Texts of several files are left
//! alone.

mod padding;
mod swap;
mod words;

use anywarp_backend::Source;

use self::words::Words;
use super::{Problem, Suspicion};
use crate::backend::{ObservedAccess, ObservedKernel};

/// A line of the WGSL as a fix would have it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// The number of the line, counted from 1.
    pub line: u32,
    /// The text of the line with the fix, without the line break.
    pub text: String,
}

/// A replacement of some bytes of the text.
struct Edit {
    start: usize,
    end: usize,
    by: String,
}

/// Returns the changed lines that fix a finding, in order; none where the fix is not mechanical.
pub(super) fn of(finding: &Suspicion, kernel: &ObservedKernel, source: &Source) -> Vec<Change> {
    if !source.is_plain() {
        return Vec::new();
    }
    let words = Words::of(source.text());
    // Another entry point may use the same variables in other ways.
    if words.all("compute").count() != 1 {
        return Vec::new();
    }
    let same = |access: &&ObservedAccess| access.at == finding.at && access.variable == finding.variable;
    let stride = kernel.accesses.iter().find(same).and_then(|access| access.stride);
    let edits = match (finding.problem, stride) {
        (Problem::BankConflict, Some(stride)) => {
            padding::edits(&words, kernel, &finding.variable, stride.unsigned_abs())
        }
        (Problem::Scattered, _) => swap::edits(&words),
        _ => None,
    };
    let changes = edits.map(|edits| lines(source.text(), edits)).unwrap_or_default();
    // A swap elsewhere does not help here. The rows of workgroup memory may be declared elsewhere.
    let is_here =
        finding.problem == Problem::BankConflict || changes.iter().any(|change| change.line == finding.at.line);
    if is_here { changes } else { Vec::new() }
}

/// The lines that edits change, with all their edits.
fn lines(text: &str, mut edits: Vec<Edit>) -> Vec<Change> {
    edits.sort_by_key(|edit| edit.start);
    let mut changes = Vec::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        let end = start + line.len();
        let mut changed = line.to_owned();
        for edit in edits.iter().filter(|edit| edit.start >= start && edit.end <= end).rev() {
            changed.replace_range(edit.start - start..edit.end - start, &edit.by);
        }
        if changed != line {
            changes.push(Change { line: number, text: changed.trim_end_matches('\r').to_owned() });
        }
        start = end + 1;
    }
    changes
}

#[cfg(test)]
mod tests;
