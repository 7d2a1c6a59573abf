//! Counts of outcomes by family.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::{Case, Outcome};
use crate::families;

/// The outcomes of all cases.
#[derive(Default)]
pub(crate) struct Report {
    /// The counts of each family, for single nodes and for expanded functions.
    counts: [BTreeMap<&'static str, Counts>; 2],
    /// The cases that were not run, by their reasons.
    pub(crate) not_run: BTreeMap<String, Vec<NotRun>>,
    failures: Vec<(String, String)>,
}

/// A case that was not run.
pub(crate) struct NotRun {
    pub(crate) name: String,
    pub(crate) family: &'static str,
    pub(crate) expanded: bool,
}

/// The numbers of cases and of passed cases.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) cases: usize,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Counts {
    pub(crate) fn not_run(self) -> usize {
        self.cases - self.passed - self.failed
    }

    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// The headings of the two tables.
pub(crate) const PARTS: [&str; 2] = ["Single nodes", "Functions, expanded to simpler operators"];

impl Report {
    pub(crate) fn add(&mut self, case: &Case, outcome: Outcome) {
        let family = families::of(&case.operator);
        let mut counts = Counts { cases: 1, ..Counts::default() };
        match outcome {
            Outcome::Passed => counts.passed = 1,
            Outcome::NotRun(reason) => {
                let not_run = NotRun { name: case.name.clone(), family, expanded: case.expanded };
                self.not_run.entry(reason).or_default().push(not_run);
            }
            Outcome::Failed(text) => {
                counts.failed = 1;
                self.failures.push((case.name.clone(), text));
            }
        }
        self.counts[usize::from(case.expanded)].entry(family).or_default().add(counts);
    }

    pub(crate) fn failures(&self) -> usize {
        self.failures.len()
    }

    /// The rows of a part: each family with cases, in the order of the table, and the total.
    pub(crate) fn rows(&self, part: usize) -> Vec<(&'static str, Counts)> {
        let mut total = Counts::default();
        let mut rows = Vec::new();
        for family in families::names() {
            if let Some(counts) = self.counts[part].get(family) {
                total.add(*counts);
                rows.push((family, *counts));
            }
        }
        rows.push(("all", total));
        rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (part, heading) in PARTS.iter().enumerate() {
            writeln!(f, "{:42} cases passed not run failed", format!("{heading}:"))?;
            for (family, counts) in self.rows(part) {
                let Counts { cases, passed, failed } = counts;
                writeln!(f, "  {family:40} {cases:5} {passed:6} {:7} {failed:6}", counts.not_run())?;
            }
        }
        for (reason, cases) in &self.not_run {
            writeln!(f, "not run, {}: {reason}", cases.len())?;
        }
        for (name, text) in &self.failures {
            writeln!(f, "FAILED {name}: {text}")?;
        }
        Ok(())
    }
}
