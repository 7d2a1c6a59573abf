//! Findings of a dispatch, each mistake once.

use std::sync::Arc;

use anywarp_backend::{Finding, FindingKind, Findings};
use rustc_hash::FxHashMap;

use super::places::Checks;

/// What makes two findings the same: kind, variable, and the lines of both places.
type Key = (FindingKind, Arc<str>, u32, u32);

/// More different mistakes than this in one dispatch are not kept apart.
const MOST: usize = 1024;

/// The findings so far.
#[derive(Default)]
pub(super) struct Record {
    list: Vec<Finding>,
    /// By kind and the numbers of both checks, which is quick; `MOST` for what is not kept.
    seen: FxHashMap<(FindingKind, u32, u32), usize>,
    /// By what the user would call the same.
    like: FxHashMap<Key, usize>,
}

impl Record {
    /// Counts what `check` (and `other`, for races) has shown; `make` is asked for the example.
    pub(super) fn add(
        &mut self,
        checks: &Checks,
        kind: FindingKind,
        check: u32,
        other: u32,
        make: impl FnOnce() -> Finding,
    ) {
        let pair = (kind, check.min(other), check.max(other));
        if let Some(index) = self.seen.get(&pair) {
            if let Some(known) = self.list.get_mut(*index) {
                known.occurrences += 1;
            }
            return;
        }
        let line = |check: u32| checks.place(check).map_or(0, |place| place.spot.line);
        let (one, two) = (line(check), if other == u32::MAX { 0 } else { line(other) });
        let variable = checks.place(check).map_or_else(|| "".into(), |place| Arc::clone(&place.variable));
        let next = self.list.len();
        let index = *self.like.entry((kind, variable, one.max(two), one.min(two))).or_insert(next);
        self.seen.insert(pair, index.min(MOST));
        if index < next {
            self.list[index].occurrences += 1;
        } else if index < MOST {
            self.list.push(make());
        }
    }

    /// Adds a finding that there is only one of.
    pub(super) fn add_once(&mut self, finding: Finding) {
        self.list.push(finding);
    }

    /// All findings.
    pub(super) fn take(&mut self) -> Findings {
        let mut findings = Findings::default();
        std::mem::take(&mut self.list).into_iter().for_each(|finding| findings.add(finding));
        self.seen.clear();
        self.like.clear();
        findings
    }
}
