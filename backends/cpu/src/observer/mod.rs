//! The observed mode: a kernel reports its accesses, branches and loops ([`crate::ir::Check`]), and the observer counts
//! them by warps, for each of [`WARP_SIZES`](anywarp_backend::WARP_SIZES).
//!
//! A kernel runs in groups of eight lanes, one after the other, where a GPU runs warps of up to 64. Reports of different
//! lane groups belong to one *instance*, an instruction of a warp, if they come from the same place in the same
//! iteration of all loops around it. So warps are put together by iteration and not by time, as if lanes that have left
//! a loop wait at its end, which is what GPUs do.
//!
//! Some workgroups are observed ([`Sample`]): the first, the last, and thirty between them. Others run without reports.
//! At each place, the first [`MOST_INSTANCES`] instances of a workgroup are kept; totals of longer loops are scaled.
//!
//! Addresses are offsets from the start of the binding, as bindings of GPUs start at multiples of 256 bytes.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the reports of one workgroup |
//! | `sample` | which workgroups are observed |
//! | `requests` | sectors and passes over banks of one access |
//! | `accesses` | the sums of access sites |
//! | `buffers` | the sectors of buffers that workgroups touch |
//! | `lanes` | active and lost lanes of segments, branches and loops |
//! | `totals` | the result of a dispatch |

mod accesses;
mod buffers;
mod lanes;
mod requests;
mod sample;
#[cfg(test)]
mod tests;
mod totals;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use crate::abi::{LANES, Slot};
use crate::checker::Checks;
use crate::ir::{CheckKind, Count, Reach, Space};
use crate::reports::Lanes;
pub(crate) use sample::Sample;
use totals::Totals;

/// The largest number of instances of a place that are kept in one workgroup.
const MOST_INSTANCES: u32 = 1024;

/// The lanes that are put together: the largest warp.
const WARP: usize = 64;

/// Names an instance within a workgroup: the place, the iterations of the loops around it, and the largest warp.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    check: u32,
    iterations: u64,
    warp: u32,
}

/// The execution of one place by the lanes of a warp.
struct Instance {
    /// The key's `iterations` of the branch or loop around the place.
    around: u64,
    /// The lanes that executed it.
    active: u64,
    /// For a branch, the lanes that took it.
    taken: u64,
    /// For an access, the offset of each lane; lanes whose access has no effect are not in `active`.
    offsets: Option<Box<[u64; WARP]>>,
}

/// The observer of one dispatch.
pub(crate) struct Observer {
    checks: Arc<Checks>,
    /// By check: the report of the iterations of a loop, by that of the loop's start.
    iterations_of: Vec<Option<u32>>,
    /// By lane group and check: the number of the current iteration.
    counters: Vec<FxHashMap<u32, u32>>,
    instances: FxHashMap<Key, Instance>,
    /// By check: the number of instances that are kept, and the lanes of all reports of the workgroup.
    kept: Vec<u32>,
    reported: Vec<u64>,
    totals: Totals,
}

impl Observer {
    /// Creates the observer of a dispatch of this kernel.
    pub(crate) fn new(checks: &Arc<Checks>) -> Self {
        let count = checks.specs.len();
        let mut iterations_of = vec![None; count];
        for (number, spec) in checks.specs.iter().enumerate() {
            if let (CheckKind::Iteration, Some(start)) = (&spec.kind, spec.within) {
                iterations_of[start as usize] = u32::try_from(number).ok();
            }
        }
        let groups = checks.invocations().div_ceil(LANES as u32) as usize;
        Self {
            iterations_of,
            counters: vec![FxHashMap::default(); groups],
            instances: FxHashMap::default(),
            kept: vec![0; count],
            reported: vec![0; count],
            totals: Totals::new(checks),
            checks: Arc::clone(checks),
        }
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
        match &spec.kind {
            CheckKind::Loop => {
                if let Some(iterations) = self.iterations_of[number as usize] {
                    self.counters[group as usize].remove(&iterations);
                }
            }
            CheckKind::Iteration => *self.counters[group as usize].entry(number).or_insert(0) += 1,
            _ => {}
        }
        self.reported[number as usize] += u64::from(active.count_ones());
        if let CheckKind::Access(Reach { space: Space::Binding(binding), .. }) = &spec.kind {
            self.totals.buffers.lengths.entry(*binding).or_insert_with(|| slot(*binding).length);
        }
        let Some((instance, shift)) = self.instance(number, group) else { return };
        match &spec.kind {
            CheckKind::Access(reach) => access(instance, shift, active, operands, reach, slot),
            CheckKind::Branch => {
                let taken = (0..LANES).filter(|lane| active >> lane & 1 == 1 && operands[0][*lane] != 0);
                instance.taken |= taken.fold(0, |mask, lane| mask | 1 << (shift + lane));
                instance.active |= u64::from(active) << shift;
            }
            _ => instance.active |= u64::from(active) << shift,
        }
    }

    /// Returns the instance of a report, and the first lane of its lane group; `None` if enough of them are kept.
    fn instance(&mut self, number: u32, group: u32) -> Option<(&mut Instance, usize)> {
        let around = self.checks.specs[number as usize].within.map_or(0, |around| self.iterations(around, group));
        let groups = (WARP / LANES) as u32;
        let key = Key { check: number, iterations: self.iterations(number, group), warp: group / groups };
        let shift = (group % groups) as usize * LANES;
        let kept = &mut self.kept[number as usize];
        if *kept >= MOST_INSTANCES && !self.instances.contains_key(&key) {
            return None;
        }
        let new = || {
            *kept += 1;
            Instance { around, active: 0, taken: 0, offsets: None }
        };
        Some((self.instances.entry(key).or_insert_with(new), shift))
    }

    /// Returns a number for the current iterations of all loops around a place, and of itself if it is one.
    fn iterations(&self, check: u32, group: u32) -> u64 {
        let mut hasher = FxHasher::default();
        let mut at = Some(check);
        while let Some(number) = at {
            let Some(spec) = self.checks.specs.get(number as usize) else { break };
            if matches!(spec.kind, CheckKind::Iteration) {
                self.counters[group as usize].get(&number).hash(&mut hasher);
            }
            at = spec.within;
        }
        hasher.finish()
    }

    /// Ends a workgroup: its instances are added to the sums.
    pub(crate) fn end(&mut self) {
        self.totals.add(&self.instances, &self.reported);
        self.instances.clear();
        self.kept.fill(0);
        self.reported.fill(0);
        self.counters.iter_mut().for_each(FxHashMap::clear);
    }

    /// Returns the counts of a dispatch of `workgroups` workgroups.
    pub(crate) fn finish(self, workgroups: u64) -> anywarp_backend::ObservedKernel {
        self.totals.finish(workgroups)
    }
}

/// Records the offsets of the lanes of one lane group.
fn access(
    instance: &mut Instance,
    shift: usize,
    active: u32,
    operands: &[Lanes],
    reach: &Reach,
    slot: &dyn Fn(u32) -> Slot,
) {
    let length = match reach.space {
        Space::Binding(binding) => slot(binding).length,
        _ => 1,
    };
    let offsets = instance.offsets.get_or_insert_with(|| Box::new([0; WARP]));
    for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
        let (mut offset, mut has_effect) = (0u64, true);
        for ((stride, range), lanes) in reach.indices.iter().zip(operands) {
            let count = match range.count {
                Count::Fixed(count) => count,
                Count::Runtime => length,
            };
            // Out of range, a read returns the last element and a write has no effect.
            has_effect &= lanes[lane] < count || !reach.access.writes();
            offset += u64::from(*stride) * u64::from(lanes[lane].min(count.saturating_sub(1)));
        }
        if has_effect {
            offsets[shift + lane] = offset;
            instance.active |= 1 << (shift + lane);
        }
    }
}
