//! The submissions that use the bytes of a memory, and for which later submissions may have to wait.
//!
//! The list stays short: uses that have ended are removed, and so are uses that a later write covers (that write has
//! waited for them). If the list still grows, ranges are widened, which can add waits but never omit one.

use anywarp_backend::Access;
use smallvec::SmallVec;

use crate::streams::state::{Point, STREAMS};

/// The number of uses above which their ranges are widened.
const MAX_USES: usize = 16;

/// A range of bytes, from `start` up to `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Span {
    pub(crate) const WHOLE: Self = Self { start: 0, end: u64::MAX };

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether the two spans together are one range without a gap.
    pub(crate) fn touches(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    pub(crate) fn hull(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One submission's use of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) point: Point,
    pub(crate) access: Access,
    pub(crate) span: Span,
}

impl Use {
    /// Returns whether a wait for this use also covers every conflict with `older`.
    fn replaces(&self, older: &Self) -> bool {
        let in_order = self.point.stream == older.point.stream && older.access == Access::Read;
        self.span.covers(older.span) && (self.access == Access::Write || in_order)
    }
}

/// The uses of one memory, valid for one period (see `dependencies`).
#[derive(Default)]
pub(crate) struct Uses {
    period: u64,
    list: SmallVec<[Use; 2]>,
}

impl Uses {
    /// Returns the uses of a memory whose first use in the period is `first`.
    pub(crate) fn beginning(period: u64, first: Use) -> Self {
        Self { period, list: SmallVec::from_slice(&[first]) }
    }

    /// Begins a period, unless the list is already of this period: older uses are in the first stream, up to submission
    /// `last`.
    pub(crate) fn enter(&mut self, period: u64, last: u64) {
        if self.period != period {
            self.period = period;
            self.list.clear();
            let point = Point { stream: 0, sequence: last };
            self.list.push(Use { point, access: Access::Write, span: Span::WHOLE });
        }
    }

    /// Raises `needed` to the submissions of other streams that an access of `stream` must come after.
    pub(crate) fn conflicts(&self, stream: usize, access: Access, span: Span, needed: &mut [u64; STREAMS]) {
        for other in &self.list {
            let hazard = access == Access::Write || other.access == Access::Write;
            if other.point.stream != stream && hazard && other.span.overlaps(span) {
                let needed = &mut needed[other.point.stream];
                *needed = other.point.sequence.max(*needed);
            }
        }
    }

    /// Adds a use that comes after all uses that it conflicts with.
    pub(crate) fn note(&mut self, new: Use, is_over: impl Fn(Point) -> bool) {
        self.list.retain(|older| !new.replaces(older) && !is_over(older.point));
        let same = |last: &&mut Use| last.point == new.point && last.access == new.access;
        match self.list.last_mut().filter(same).filter(|last| last.span.touches(new.span)) {
            Some(last) => last.span = last.span.hull(new.span),
            None => self.list.push(new),
        }
        if self.list.len() > MAX_USES {
            self.widen();
        }
    }

    /// Reduces the list to one range of reads and one range of writes for each stream.
    fn widen(&mut self) {
        let mut wide: SmallVec<[Use; 2]> = SmallVec::new();
        for narrow in &self.list {
            let same = |wide: &&mut Use| wide.point.stream == narrow.point.stream && wide.access == narrow.access;
            match wide.iter_mut().find(same) {
                Some(wide) => {
                    wide.span = wide.span.hull(narrow.span);
                    wide.point.sequence = wide.point.sequence.max(narrow.point.sequence);
                }
                None => wide.push(*narrow),
            }
        }
        self.list = wide;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(stream: usize, sequence: u64, access: Access, start: u64, end: u64) -> Use {
        Use { point: Point { stream, sequence }, access, span: Span { start, end } }
    }

    fn needed(uses: &Uses, stream: usize, access: Access, start: u64, end: u64) -> Vec<(usize, u64)> {
        let mut needed = [0; STREAMS];
        uses.conflicts(stream, access, Span { start, end }, &mut needed);
        needed.into_iter().enumerate().filter(|(_, sequence)| *sequence != 0).collect()
    }

    fn list(all: &[Use]) -> Uses {
        let mut uses = Uses::default();
        all.iter().for_each(|new| uses.note(*new, |_| false));
        uses
    }

    use Access::{Read, Write};

    /// A name, the earlier uses, a new access, and the streams that the access waits for, with their last submissions.
    type Case<'a> = (&'a str, &'a [Use], (usize, Access, u64, u64), &'a [(usize, u64)]);

    #[test]
    fn reads_wait_for_writes_and_writes_for_both() {
        let cases: &[Case<'_>] = &[
            ("read after write", &[used(1, 4, Write, 0, 8)], (2, Read, 4, 12), &[(1, 4)]),
            ("write after write", &[used(1, 4, Write, 0, 8)], (2, Write, 4, 12), &[(1, 4)]),
            ("write after read", &[used(1, 4, Read, 0, 8)], (2, Write, 4, 12), &[(1, 4)]),
            ("read after read", &[used(1, 4, Read, 0, 8)], (2, Read, 4, 12), &[]),
            ("a range apart", &[used(1, 4, Write, 0, 8)], (2, Write, 8, 12), &[]),
            ("the same stream", &[used(1, 4, Write, 0, 8)], (1, Write, 0, 8), &[]),
            (
                "a write replaces the uses it waited for",
                &[used(1, 4, Read, 2, 8), used(2, 5, Write, 0, 8)],
                (3, Write, 0, 8),
                &[(2, 5)],
            ),
            (
                "a write of a part does not",
                &[used(1, 4, Read, 0, 8), used(2, 5, Write, 0, 4)],
                (3, Write, 0, 8),
                &[(1, 4), (2, 5)],
            ),
            (
                "a read does not replace a write",
                &[used(1, 4, Write, 0, 8), used(1, 5, Read, 0, 8)],
                (2, Read, 0, 8),
                &[(1, 4)],
            ),
            ("all readers", &[used(1, 4, Read, 0, 8), used(2, 5, Read, 0, 8)], (3, Write, 0, 8), &[(1, 4), (2, 5)]),
        ];
        for (case, uses, (stream, access, start, end), wanted) in cases {
            assert_eq!(needed(&list(uses), *stream, *access, *start, *end), *wanted, "{case}");
        }
    }

    #[test]
    fn the_list_stays_short_and_loses_nothing() {
        let all: Vec<Use> = (0..200).map(|n| used(1 + n as usize % 3, n + 1, Write, 32 * n, 32 * n + 16)).collect();
        let uses = list(&all);
        assert!(uses.list.len() <= MAX_USES, "{}", uses.list.len());
        for one in &all {
            let found = needed(&uses, 0, Read, one.span.start, one.span.end);
            let enough = |(stream, upto): &(usize, u64)| *stream == one.point.stream && *upto >= one.point.sequence;
            assert!(found.iter().any(enough), "{one:?} is not among {found:?}");
        }
        let mut ended = list(&all);
        ended.note(used(1, 300, Read, 0, 4), |point| point.sequence <= 200);
        assert_eq!(ended.list.len(), 1);
    }

    #[test]
    fn uses_from_before_a_period_lie_in_the_first_stream() {
        let mut uses = list(&[used(3, 9, Write, 0, 8)]);
        uses.enter(2, 12);
        assert_eq!(needed(&uses, 1, Read, 100, 104), [(0, 12)]);
        uses.note(used(1, 13, Write, 0, u64::MAX), |_| false);
        uses.enter(2, 99);
        assert_eq!(needed(&uses, 0, Read, 0, 4), [(1, 13)]);
    }
}
