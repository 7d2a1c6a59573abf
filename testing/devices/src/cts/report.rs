//! Counts outcomes and prints them.

use std::collections::BTreeMap;
use std::fmt;

use super::case_file::Name;
use super::outcome::{Failure, Outcome};

/// The numbers of passed, failed and skipped traces.
#[derive(Debug, Default)]
pub struct Tally {
    passed: usize,
    failures: Vec<(Name, Failure)>,
    /// The number of skipped traces, by reason.
    skipped: BTreeMap<String, usize>,
}

impl Tally {
    pub fn add(&mut self, name: &Name, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(failure) => self.failures.push((name.clone(), failure)),
            Outcome::Skipped { reason } => *self.skipped.entry(reason).or_default() += 1,
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
    }

    pub fn failed(&self) -> usize {
        self.failures.len()
    }

    /// The text that lists every failure with its details.
    pub fn failures(&self) -> String {
        let mut text = String::new();
        for (Name { query, sub }, Failure { cause, details }) in &self.failures {
            text += &format!("FAILED {query}\n  sub: {sub}\n  {cause}\n");
            for detail in details {
                text += &format!("    {detail}\n");
            }
        }
        text
    }

    /// The reasons of skipped traces, the most frequent first.
    pub fn reasons(&self) -> String {
        let mut reasons: Vec<_> = self.skipped.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        reasons.iter().map(|(reason, count)| format!("{count:>7} skipped: {reason}\n")).collect()
    }
}

/// Formats as `P passed, F failed, S skipped`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: usize = self.skipped.values().sum();
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failures.len())
    }
}
