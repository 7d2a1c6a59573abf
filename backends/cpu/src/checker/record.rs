//! Findings of a dispatch, each mistake once.

use std::sync::Arc;

use anywarp_backend::{Finding, FindingKind, Findings};
use rustc_hash::FxHashMap;

use super::places::Checks;

/// The properties in which two findings of the same mistake are equal: kind, variable, and the source lines of both
/// accesses.
type Key = (FindingKind, Arc<str>, u32, u32);

/// The largest number of different mistakes that are recorded per dispatch.
const MAX_FINDINGS: usize = 1024;

/// The findings of a dispatch so far.
#[derive(Default)]
pub(super) struct Record {
    list: Vec<Finding>,
    /// The index in `list` by a finding's kind and the numbers of its checks, for quick look-up; `MAX_FINDINGS` for
    /// findings that are not recorded.
    seen: FxHashMap<(FindingKind, u32, u32), usize>,
    /// The index in `list` by the properties that identify a mistake for a user.
    like: FxHashMap<Key, usize>,
}

impl Record {
    /// Counts a finding of `check`, and of `other` for races (otherwise `u32::MAX`). For a mistake that has no finding
    /// yet, `make` creates the finding.
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
        self.seen.insert(pair, index.min(MAX_FINDINGS));
        if index < next {
            self.list[index].occurrences += 1;
        } else if index < MAX_FINDINGS {
            self.list.push(make());
        }
    }

    /// Adds a finding without a search for an equal finding.
    pub(super) fn add_once(&mut self, finding: Finding) {
        self.list.push(finding);
    }

    /// Takes all findings.
    pub(super) fn take(&mut self) -> Findings {
        let mut findings = Findings::default();
        std::mem::take(&mut self.list).into_iter().for_each(|finding| findings.add(finding));
        self.seen.clear();
        self.like.clear();
        findings
    }
}
