//! Cells: the recorded accesses of each word, and the test for races.

use rustc_hash::FxHashMap;

use crate::abi::LANES;

/// One access: invocation, time, and the check that reported it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of the workgroup in order of execution.
    pub(super) group: u32,
    /// The number of barriers that the invocation had passed, of those that order the accessed memory.
    pub(super) epoch: u32,
    /// The number of the check that reported the access, with bit [`ATOMIC`] set for an atomic access; all ones for no
    /// access.
    flagged_check: u32,
    /// The invocation's `local_invocation_index`.
    pub(super) local: u16,
    /// The number of subgroup barriers that the invocation had passed.
    pub(super) step: u16,
}

const ATOMIC: u32 = 1 << 31;

impl Mark {
    /// The mark that stands for no access.
    pub(super) const NONE: Self = Self { group: 0, epoch: 0, flagged_check: u32::MAX, local: 0, step: 0 };

    /// Returns the mark of an access.
    pub(super) fn new(check: u32, atomic: bool, group: u32, local: u16, epoch: u32, step: u16) -> Self {
        // A kernel has fewer checks than instructions, which are far fewer than 2^31.
        let flagged_check = check & (ATOMIC - 1) | if atomic { ATOMIC } else { 0 };
        Self { group, epoch, flagged_check, local, step }
    }

    /// Returns the number of the check that reported the access.
    pub(super) fn check(self) -> u32 {
        self.flagged_check & (ATOMIC - 1)
    }

    fn is_none(self) -> bool {
        self.flagged_check == u32::MAX
    }

    pub(super) fn is_atomic(self) -> bool {
        self.flagged_check & ATOMIC != 0
    }

    fn is_same_invocation(self, other: Self) -> bool {
        (self.group, self.local) == (other.group, other.local)
    }

    /// Whether this access is by another invocation than `now`, and no barrier orders the two accesses.
    fn is_concurrent(self, now: Self) -> bool {
        if self.group != now.group {
            return true;
        }
        let lane_group = |mark: Self| mark.local / LANES as u16;
        let stepped = lane_group(self) == lane_group(now) && self.step != now.step;
        self.epoch == now.epoch && self.local != now.local && !stepped
    }

    /// Whether this access races with `now`; one of the two must be a write.
    fn races(self, now: Self) -> bool {
        let both_atomic = self.is_atomic() && now.is_atomic();
        !self.is_none() && !both_atomic && self.is_concurrent(now)
    }
}

/// The recorded accesses of one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    write: Mark,
    /// Two reads by different invocations: the invocation of a later write can be that of at most one of them.
    reads: [Mark; 2],
}

impl Cell {
    const EMPTY: Self = Self { write: Mark::NONE, reads: [Mark::NONE; 2] };

    /// Whether the last write of the word was by workgroup `group`.
    pub(super) fn is_written_by(&self, group: u32) -> bool {
        !self.write.is_none() && self.write.group == group
    }

    /// Removes the accesses of other workgroups than `group`: each workgroup has its own workgroup memory.
    fn begin(&mut self, group: u32) {
        let [first, second] = &mut self.reads;
        for mark in [&mut self.write, first, second] {
            if mark.group != group {
                *mark = Mark::NONE;
            }
        }
    }

    /// Records the read `now`; returns the write that it races with.
    pub(super) fn read(&mut self, now: Mark) -> Option<Mark> {
        let race = self.write.races(now).then_some(self.write);
        let done_with = |mark: Mark| mark.is_none() || !mark.is_concurrent(now);
        let [first, second] = &mut self.reads;
        if done_with(*first) && !keeps(*first, now) {
            *first = now;
            return race;
        }
        let replaced = done_with(*second) || second.is_same_invocation(now) || second.is_atomic() && !now.is_atomic();
        if replaced && !first.is_same_invocation(now) {
            *second = now;
        }
        race
    }

    /// Records the write `now`; returns the access that it races with.
    pub(super) fn write(&mut self, now: Mark) -> Option<Mark> {
        let [first, second] = self.reads;
        let race = [self.write, first, second].into_iter().find(|mark| mark.races(now));
        if !keeps(self.write, now) {
            self.write = now;
        }
        race
    }
}

/// Whether the recorded access `before` stays in place of the later access `now` by the same invocation: a plain access
/// races with more accesses than an atomic one.
fn keeps(before: Mark, now: Mark) -> bool {
    let same_time = (before.group, before.epoch, before.step) == (now.group, now.epoch, now.step);
    !before.is_none() && !before.is_atomic() && now.is_atomic() && same_time && before.local == now.local
}

/// The number of cells per page of [`Storage`].
const PAGE: usize = 512;

/// The cells of storage buffers, in pages that are created at their first use.
#[derive(Default)]
pub(super) struct Storage {
    pages: Vec<Box<[Cell; PAGE]>>,
    numbers: FxHashMap<usize, usize>,
    last: Option<(usize, usize)>,
}

impl Storage {
    /// Returns the cell with this number: the address divided by the bytes per cell.
    pub(super) fn cell(&mut self, number: usize) -> &mut Cell {
        let page = number / PAGE;
        let index = match self.last {
            Some((known, index)) if known == page => index,
            _ => {
                let index = *self.numbers.entry(page).or_insert_with(|| {
                    self.pages.push(Box::new([Cell::EMPTY; PAGE]));
                    self.pages.len() - 1
                });
                self.last = Some((page, index));
                index
            }
        };
        &mut self.pages[index][number % PAGE]
    }
}

/// The cells of workgroup memory.
pub(super) struct Shared(Vec<Cell>);

impl Shared {
    /// Creates `count` empty cells.
    pub(super) fn new(count: usize) -> Self {
        Self(vec![Cell::EMPTY; count])
    }

    /// Returns the cell with this number, with only the accesses of workgroup `group`.
    pub(super) fn cell(&mut self, number: usize, group: u32) -> Option<&mut Cell> {
        let cell = self.0.get_mut(number)?;
        cell.begin(group);
        Some(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(group: u32, local: u16, epoch: u32) -> Mark {
        Mark::new(7, false, group, local, epoch, 0)
    }

    fn atomic(group: u32, local: u16, epoch: u32) -> Mark {
        Mark::new(7, true, group, local, epoch, 0)
    }

    #[test]
    fn a_barrier_orders_a_workgroup_and_nothing_orders_two() {
        let mut cell = Cell::EMPTY;
        assert_eq!(cell.write(mark(0, 1, 0)), None);
        assert_eq!(cell.read(mark(0, 1, 0)), None);
        assert_eq!(cell.read(mark(0, 2, 0)), Some(mark(0, 1, 0)));
        assert_eq!(cell.read(mark(0, 2, 1)), None);
        assert_eq!(cell.read(mark(1, 2, 9)), Some(mark(0, 1, 0)));
    }

    #[test]
    fn a_write_races_with_any_earlier_reader() {
        let mut cell = Cell::EMPTY;
        for reader in 0..5 {
            assert_eq!(cell.read(mark(0, reader, 3)), None);
        }
        assert!(cell.write(mark(0, 0, 3)).is_some());
        let mut cell = Cell::EMPTY;
        assert_eq!(cell.read(mark(0, 0, 3)), None);
        assert_eq!(cell.write(mark(0, 0, 3)), None);
        assert_eq!(cell.write(mark(0, 1, 4)), None);
    }

    #[test]
    fn atomics_race_only_with_others() {
        let mut cell = Cell::EMPTY;
        assert_eq!(cell.write(atomic(0, 1, 0)), None);
        assert_eq!(cell.write(atomic(1, 1, 0)), None);
        assert!(cell.read(mark(1, 2, 0)).is_some());
        assert!(cell.write(atomic(2, 0, 0)).is_some());
    }

    #[test]
    fn a_subgroup_barrier_orders_its_lanes_only() {
        let step = |local, step| Mark::new(7, false, 0, local, 0, step);
        let mut cell = Cell::EMPTY;
        assert_eq!(cell.write(step(1, 0)), None);
        assert_eq!(cell.read(step(2, 1)), None);
        assert!(cell.read(step(9, 1)).is_some());
    }

    #[test]
    fn workgroup_memory_begins_anew() {
        let mut shared = Shared::new(4);
        let Some(cell) = shared.cell(2, 0) else { panic!("cell 2 of 4") };
        cell.write(mark(0, 1, 0));
        assert!(cell.is_written_by(0));
        assert!(shared.cell(2, 1).is_some_and(|cell| cell.read(mark(1, 5, 0)).is_none() && !cell.is_written_by(1)));
        assert!(shared.cell(4, 1).is_none());
    }
}
