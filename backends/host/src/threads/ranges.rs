//! Units of work, given to threads range by range.

use std::ops::Range;

use super::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The units that are left for several threads to process. Each unit is in one range only.
pub(super) struct Ranges {
    next: AtomicU64,
    end: u64,
    threads: u64,
    halted: AtomicBool,
}

impl Ranges {
    pub(super) fn new(units: Range<u64>, threads: u64) -> Self {
        Self { next: AtomicU64::new(units.start), end: units.end, threads, halted: AtomicBool::new(false) }
    }

    /// Takes the next range. Ranges become shorter towards the end, so that all threads end at about the same time. A
    /// range has at least `shortest` units, unless it is the last range, and at most `longest` units.
    pub(super) fn take(&self, shortest: u64, longest: u64) -> Option<Range<u64>> {
        if self.halted.load(Ordering::Relaxed) {
            return None;
        }
        let left = self.end.saturating_sub(self.next.load(Ordering::Relaxed));
        let size = (left / (2 * self.threads)).min(longest).max(shortest);
        // Relaxed ordering is enough: the threads share only this number, and the door's lock publishes the results.
        let first = self.next.fetch_add(size, Ordering::Relaxed);
        (first < self.end).then(|| first..self.end.min(first.saturating_add(size)))
    }

    /// Ends the work: no more ranges are taken.
    pub(super) fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
    }
}
