//! The state of the checker during a dispatch, and the evaluation of each report.

mod found;

use std::sync::Arc;

use anywarp_backend::{Finding, FindingKind, Findings, Other};
use rustc_hash::FxHashMap;

use super::places::Checks;
use super::record::Record;
use super::shadow::{Mark, Shared, Storage};
use crate::abi::{LANES, Slot, Stop};
use crate::ir::{Access, CheckKind, Count, Order, Range, Reach, SiteId, Space};
use crate::reports::Lanes;

/// The numbers of barriers that a lane group has passed.
#[derive(Clone, Copy, Default)]
struct Passed {
    /// The barriers that order workgroup memory, those that order storage, and those that order both within a subgroup.
    workgroup: u32,
    storage: u32,
    subgroup: u16,
    /// The barriers of the whole workgroup, and the mask of lanes that arrived at the last of them.
    barriers: u32,
    arrived: u32,
}

/// A read of a word of workgroup memory that no invocation had written.
struct Early {
    mark: Mark,
    index: Option<i64>,
}

/// The largest number of reads of unwritten workgroup memory that are kept until it is known whether a write follows.
const MAX_EARLY: usize = 1 << 16;

/// The checker of one dispatch.
pub(crate) struct Checker {
    checks: Arc<Checks>,
    /// The current workgroup: its number in order of execution, and its coordinates.
    group: u32,
    workgroup: [u32; 3],
    /// The numbers of workgroups of the dispatch along each axis.
    groups: [u32; 3],
    passed: Vec<Passed>,
    shared: Shared,
    storage: Storage,
    /// The scalars of private memory that were written: one bit per 4 bytes, for one invocation after the other.
    written: Vec<u64>,
    early: FxHashMap<usize, Vec<Early>>,
    early_count: usize,
    /// The report of the last loop iteration that began: the check, the lane group and the active lanes.
    iteration: Option<(u32, u32, u32)>,
    record: Record,
}

/// A report that is being evaluated.
#[derive(Clone, Copy)]
struct Report<'a> {
    number: u32,
    group: u32,
    active: u32,
    operands: &'a [Lanes],
}

impl Report<'_> {
    fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let active = self.active;
        (0..LANES).filter(move |lane| active >> lane & 1 == 1)
    }

    fn local(&self, lane: usize) -> u16 {
        (self.group as usize * LANES + lane) as u16
    }
}

impl Checker {
    /// Creates the checker of a dispatch of this kernel.
    pub(crate) fn new(checks: &Arc<Checks>, groups: [u32; 3]) -> Self {
        let lane_groups = checks.invocations().div_ceil(LANES as u32) as usize;
        let words = words_of(checks) * lane_groups * LANES;
        Self {
            group: u32::MAX,
            workgroup: [0; 3],
            groups,
            passed: vec![Passed::default(); lane_groups],
            shared: Shared::new((checks.workgroup_bytes >> checks.shift) as usize + 2),
            storage: Storage::default(),
            written: vec![0; words],
            early: FxHashMap::default(),
            early_count: 0,
            iteration: None,
            record: Record::default(),
            checks: Arc::clone(checks),
        }
    }

    /// Resets the state for the next workgroup, which has these coordinates.
    pub(crate) fn begin(&mut self, workgroup: [u32; 3]) {
        self.group = self.group.wrapping_add(1);
        self.workgroup = workgroup;
        self.passed.fill(Passed::default());
    }

    /// Ends a workgroup that the kernel completed: reads of memory that is still unwritten become findings.
    pub(crate) fn end(&mut self) {
        let mut early: Vec<_> = std::mem::take(&mut self.early).into_iter().collect();
        early.sort_unstable_by_key(|(number, _)| *number);
        for (_, reads) in early {
            for early in reads {
                self.unwritten(early.mark.check(), early.mark.local, early.index);
            }
        }
        self.early_count = 0;
    }

    /// Ends a workgroup that was stopped at `site` for the reason `stop`. Returns the site for the error message.
    pub(crate) fn stopped(&mut self, stop: u32, site: u32, steps: u64) -> u32 {
        let checks = Arc::clone(&self.checks);
        if stop == Stop::DivergentBarrier as u32 {
            if let Some(place) = checks.site(SiteId(site)) {
                let (waits, missing) = self.apart();
                let at = place.spot.clone();
                let other =
                    missing.map(|local| Other { at: at.clone(), touch: None, invocation: self.invocation(local) });
                let finding = self.finding(FindingKind::DivergentBarrier, at, "", waits);
                self.record.add_once(Finding { other, ..finding });
            }
        } else if stop == Stop::StepLimit as u32
            && let Some((check, group, active)) = self.iteration
            && let Some(spec) = checks.specs.get(check as usize)
            && let Some(place) = checks.site(spec.site)
        {
            let local = (group as usize * LANES) as u16 + active.trailing_zeros() as u16;
            let finding = self.finding(FindingKind::StepLimit, place.spot.clone(), "", Some(local));
            self.record.add_once(Finding { count: Some(steps), ..finding });
            return spec.site.0;
        }
        site
    }

    /// Returns the first invocation that arrived at the last barrier, and the first that did not.
    fn apart(&self) -> (Option<u16>, Option<u16>) {
        let last = self.passed.iter().map(|passed| passed.barriers).max().unwrap_or(0);
        let (mut waits, mut missing) = (None, None);
        for local in 0..self.checks.invocations() as u16 {
            let passed = &self.passed[usize::from(local) / LANES];
            let arrived = passed.barriers == last && passed.arrived >> (usize::from(local) % LANES) & 1 == 1;
            let slot = if arrived { &mut waits } else { &mut missing };
            slot.get_or_insert(local);
        }
        (waits, missing)
    }

    /// Takes all findings.
    pub(crate) fn findings(&mut self) -> Findings {
        self.record.take()
    }

    /// The number of operands of the check with this number.
    pub(crate) fn operands(&self, number: u32) -> usize {
        self.checks.operands(number)
    }

    /// Evaluates a report. `slot` returns the slot of a binding.
    pub(crate) fn report(
        &mut self,
        number: u32,
        group: u32,
        active: u32,
        operands: &[Lanes],
        slot: &dyn Fn(u32) -> Slot,
    ) {
        let checks = Arc::clone(&self.checks);
        let Some(spec) = checks.specs.get(number as usize) else { return };
        let report = Report { number, group, active, operands };
        match &spec.kind {
            CheckKind::Bounds(range) => {
                for lane in report.lanes() {
                    self.in_range(&report, lane, operands[0][lane], *range, 1);
                }
            }
            CheckKind::Divisor => {
                for lane in report.lanes().filter(|lane| operands[0][*lane] != 0) {
                    self.found(FindingKind::DivisionByZero, number, report.local(lane), None, None);
                }
            }
            CheckKind::Written => {
                for lane in report.lanes().filter(|lane| operands[0][*lane] == 0) {
                    self.unwritten(number, report.local(lane), None);
                }
            }
            CheckKind::Access(reach) => self.access(&report, reach, slot),
            CheckKind::Iteration => self.iteration = Some((number, group, active)),
            CheckKind::Arrival(order) => self.arrival(group, active, *order),
            // Only observed kernels make these reports.
            CheckKind::Branch | CheckKind::Loop | CheckKind::Segment(_) => {}
        }
    }

    fn arrival(&mut self, group: u32, active: u32, order: Order) {
        let Some(passed) = self.passed.get_mut(group as usize) else { return };
        passed.workgroup += u32::from(order.workgroup);
        passed.storage += u32::from(order.storage);
        if order.subgroup {
            passed.subgroup = passed.subgroup.wrapping_add(1);
        } else {
            passed.barriers += 1;
            passed.arrived = active;
        }
    }

    /// Returns whether an index is in range; if not, adds a finding. `length` is the array length of the binding.
    fn in_range(&mut self, report: &Report<'_>, lane: usize, index: u32, range: Range, length: u32) -> bool {
        let count = match range.count {
            Count::Fixed(count) => count,
            Count::Runtime => length,
        };
        if index < count {
            return true;
        }
        let shown = if range.signed { i64::from(index.cast_signed()) } else { i64::from(index) };
        self.found(FindingKind::OutOfRange, report.number, report.local(lane), Some(shown), Some(u64::from(count)));
        false
    }

    fn access(&mut self, report: &Report<'_>, reach: &Reach, slot: &dyn Fn(u32) -> Slot) {
        let (base, length) = match reach.space {
            Space::Binding(binding) => {
                let slot = slot(binding);
                (slot.start as usize, slot.length)
            }
            _ => (0, 1),
        };
        for lane in report.lanes() {
            let (mut offset, mut fits) = (0u64, true);
            for ((stride, range), lanes) in reach.indices.iter().zip(report.operands) {
                fits &= self.in_range(report, lane, lanes[lane], *range, length);
                offset = offset.wrapping_add(u64::from(*stride) * u64::from(lanes[lane]));
            }
            if !fits || !(reach.races || reach.starts_unwritten) {
                continue;
            }
            let index = report.operands[usize::from(reach.based)..]
                .last()
                .map(|lanes| lanes[lane])
                .or(reach.constant)
                .map(i64::from);
            for (start, bytes) in &reach.pieces {
                let start = base.wrapping_add(offset as usize).wrapping_add(*start as usize);
                self.touch(report, lane, reach, start, *bytes as usize, index);
            }
        }
    }

    /// Records the access of one lane to `bytes` bytes at `start`, which are in range.
    fn touch(
        &mut self,
        report: &Report<'_>,
        lane: usize,
        reach: &Reach,
        start: usize,
        bytes: usize,
        index: Option<i64>,
    ) {
        let local = report.local(lane);
        if reach.space.is_private() {
            return self.touch_private(report.number, local, reach.access, start, bytes, index);
        }
        let Some(passed) = self.passed.get(report.group as usize) else { return };
        let shared = reach.space == Space::Workgroup;
        let epoch = if shared { passed.workgroup } else { passed.storage };
        let now = Mark::new(report.number, reach.access.is_atomic(), self.group, local, epoch, passed.subgroup);
        let shift = self.checks.shift;
        for number in start >> shift..(start + bytes).div_ceil(1 << shift) {
            let cell = if shared {
                let Some(cell) = self.shared.cell(number, self.group) else { continue };
                cell
            } else {
                self.storage.cell(number)
            };
            let before = cell.is_written_by(self.group);
            let race = match (reach.access.writes(), reach.races) {
                (true, true) => cell.write(now),
                (true, false) => {
                    cell.write(now);
                    None
                }
                (false, true) => cell.read(now),
                (false, false) => None,
            };
            if let Some(other) = race {
                self.race(now, reach.access, other, index);
            }
            if shared && !before {
                if reach.access.writes() {
                    self.written_late(number, now);
                } else if reach.starts_unwritten && self.early_count < MAX_EARLY {
                    self.early_count += 1;
                    self.early.entry(number).or_default().push(Early { mark: now, index });
                }
            }
        }
    }

    /// Handles the first write of a word. Each earlier read of the word either races with the write, which is already
    /// recorded, or was a read of unwritten memory.
    fn written_late(&mut self, number: usize, now: Mark) {
        for early in self.early.remove(&number).unwrap_or_default() {
            if early.mark.epoch != now.epoch || early.mark.local == now.local {
                self.unwritten(early.mark.check(), early.mark.local, early.index);
            }
        }
    }

    fn touch_private(
        &mut self,
        check: u32,
        local: u16,
        access: Access,
        start: usize,
        bytes: usize,
        index: Option<i64>,
    ) {
        let first = usize::from(local) * words_of(&self.checks);
        let mut unwritten = false;
        for scalar in start / 4..(start + bytes).div_ceil(4) {
            let Some(word) = self.written.get_mut(first + scalar / 64) else { return };
            let bit = 1 << (scalar % 64);
            match access {
                Access::Forget => *word &= !bit,
                _ if access.writes() => *word |= bit,
                _ => unwritten |= *word & bit == 0,
            }
        }
        if unwritten {
            self.unwritten(check, local, index);
        }
    }
}

fn words_of(checks: &Checks) -> usize {
    (checks.private_bytes as usize).div_ceil(4 * 64)
}
