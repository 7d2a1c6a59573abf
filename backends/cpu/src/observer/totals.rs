//! The sums over all observed workgroups, and the result of a dispatch.

use std::sync::Arc;

use anywarp_backend::{
    BranchCounts, LaneCounts, Mix, ObservedAccess, ObservedBranch, ObservedKernel, ObservedSpace, RequestCounts, Touch,
};
use rustc_hash::FxHashMap;

use super::accesses::{Room, Stride, Sums};
use super::buffers::Buffers;
use super::{Instance, Key, lanes};
use crate::checker::Checks;
use crate::ir::{Access, CheckKind, Reach, Space, Work};

/// The sums over the observed workgroups of a dispatch.
pub(super) struct Totals {
    checks: Arc<Checks>,
    pub(super) buffers: Buffers,
    accesses: FxHashMap<u32, Sums>,
    branches: FxHashMap<u32, [BranchCounts; 4]>,
    lanes: [LaneCounts; 4],
    mix: Mix,
    observed: u64,
    room: Room,
}

impl Totals {
    pub(super) fn new(checks: &Arc<Checks>) -> Self {
        Self {
            checks: Arc::clone(checks),
            buffers: Buffers::default(),
            accesses: FxHashMap::default(),
            branches: FxHashMap::default(),
            lanes: [LaneCounts::default(); 4],
            mix: Mix::default(),
            observed: 0,
            room: Room::default(),
        }
    }

    /// Adds a workgroup. `reported` has for each check the lanes of all its reports, also of those that are not kept.
    pub(super) fn add(&mut self, instances: &FxHashMap<Key, Instance>, reported: &[u64]) {
        let checks = Arc::clone(&self.checks);
        self.observed += 1;
        let mut segments: FxHashMap<u32, Segment> = FxHashMap::default();
        // By report: the counts of the branch or loop that it belongs to, and the lanes of kept instances.
        let mut arrivals: FxHashMap<u32, (u32, [BranchCounts; 4], u64)> = FxHashMap::default();
        for (key, instance) in instances {
            match &checks.specs[key.check as usize].kind {
                CheckKind::Access(reach) => {
                    self.buffers.add(instance, reach);
                    self.accesses.entry(key.check).or_default().add(key.iterations, instance, reach, &mut self.room);
                }
                CheckKind::Branch => {
                    let (_, counts, kept) = arrivals.entry(key.check).or_insert((key.check, Default::default(), 0));
                    *kept += u64::from(instance.active.count_ones());
                    lanes::branch(instance, None, counts);
                }
                CheckKind::Iteration => {
                    let start = checks.specs[key.check as usize].within;
                    let start = start.map(|check| Key { check, iterations: instance.around, warp: key.warp });
                    if let Some((start, entered)) = start.and_then(|start| Some((start, instances.get(&start)?))) {
                        let new = (start.check, Default::default(), 0);
                        let (_, counts, kept) = arrivals.entry(key.check).or_insert(new);
                        *kept += u64::from(instance.active.count_ones());
                        lanes::branch(instance, Some(entered.active), counts);
                    }
                }
                CheckKind::Segment(work) => {
                    let segment = segments.entry(key.check).or_default();
                    segment.kept += u64::from(instance.active.count_ones());
                    let instructions = u64::from(work.instructions);
                    lanes::execute(instance.active, instructions, &mut segment.lanes);
                    lanes::lose(&checks, instances, *key, instance, instructions, &mut segment.lost);
                }
                _ => {}
            }
        }
        for (check, (owner, counts, kept)) in arrivals {
            self.add_branch(owner, counts, reported[check as usize], kept);
        }
        for (check, Segment { lanes, lost, kept }) in segments {
            let all = reported[check as usize];
            for (total, sum) in self.lanes.iter_mut().zip(lanes) {
                *total +=
                    LaneCounts { executed: scaled(sum.executed, all, kept), issued: scaled(sum.issued, all, kept) };
            }
            for (owner, counts) in lost {
                self.add_branch(owner, counts, all, kept);
            }
            if let CheckKind::Segment(work) = &checks.specs[check as usize].kind {
                self.mix += mix(work, all);
            }
        }
        self.buffers.end();
        for (check, sums) in &mut self.accesses {
            sums.reported += reported[*check as usize];
        }
    }

    /// Adds counts of a branch or loop, scaled from the `kept` lanes of a report to `all`.
    fn add_branch(&mut self, owner: u32, counts: [BranchCounts; 4], all: u64, kept: u64) {
        let of_all = |count| scaled(count, all, kept);
        for (total, counts) in self.branches.entry(owner).or_default().iter_mut().zip(counts) {
            let BranchCounts { warps, diverged, lost } = counts;
            *total += BranchCounts { warps: of_all(warps), diverged: of_all(diverged), lost: of_all(lost) };
        }
    }

    /// Returns the counts of a dispatch of `workgroups` workgroups.
    pub(super) fn finish(self, workgroups: u64) -> ObservedKernel {
        let checks = self.checks;
        let mut kernel = ObservedKernel {
            kernel: Arc::clone(&checks.kernel),
            workgroup_size: checks.workgroup_size,
            workgroup_bytes: checks.workgroup_bytes,
            dispatches: 1,
            workgroups,
            observed: self.observed,
            buffers: self.buffers.finish(&checks),
            accesses: Vec::new(),
            branches: Vec::new(),
            lanes: self.lanes,
            mix: self.mix,
        };
        for (check, sums) in self.accesses {
            let (Some(place), CheckKind::Access(reach)) = (checks.place(check), &checks.specs[check as usize].kind)
            else {
                continue;
            };
            let bytes: u32 = reach.pieces.iter().map(|(_, bytes)| bytes).sum();
            let space = space(reach, &checks);
            if space != ObservedSpace::Workgroup {
                let all = sums.reported.saturating_mul(u64::from(bytes));
                let (read, written) = match reach.access {
                    Access::Read | Access::AtomicRead => (all, 0),
                    Access::Write => (0, all),
                    Access::AtomicWrite | Access::Forget => (all, all),
                };
                kernel.mix += Mix { read, written, ..Mix::default() };
            }
            kernel.add_access(ObservedAccess {
                at: place.spot.clone(),
                variable: Arc::clone(&place.variable),
                space,
                touch: touch(reach.access),
                bytes,
                stride: match sums.stride {
                    Stride::Always(stride) => Some(stride),
                    Stride::Unknown | Stride::Differs => None,
                },
                extent: sums.extent.unwrap_or_default(),
                common: !sums.differs,
                invocations: sums.reported,
                counts: sums.counts.map(|counts| complete(counts, sums.reported, sums.kept)),
            });
        }
        for (check, counts) in self.branches {
            let Some(place) = checks.place(check) else { continue };
            let is_loop = matches!(checks.specs[check as usize].kind, CheckKind::Loop);
            kernel.add_branch(ObservedBranch { at: place.spot.clone(), is_loop, counts });
        }
        kernel
    }
}

/// The sums of one segment in a workgroup.
#[derive(Default)]
struct Segment {
    lanes: [LaneCounts; 4],
    /// By branch or loop around it: the lane instructions that it lost there.
    lost: FxHashMap<u32, [BranchCounts; 4]>,
    /// The lanes of kept instances.
    kept: u64,
}

/// Returns the counts of all reports of a site from those of the kept ones.
fn complete(counts: RequestCounts, reported: u64, kept: u64) -> RequestCounts {
    let all = |count| scaled(count, reported, kept);
    RequestCounts {
        requests: all(counts.requests),
        lanes: all(counts.lanes),
        sectors: all(counts.sectors),
        ideal_sectors: all(counts.ideal_sectors),
        wavefronts: all(counts.wavefronts),
        ideal_wavefronts: all(counts.ideal_wavefronts),
        uniform: all(counts.uniform),
        contention: all(counts.contention),
    }
}

/// Returns `count * all / kept`, rounded; `count` if all are kept.
fn scaled(count: u64, all: u64, kept: u64) -> u64 {
    if all <= kept || kept == 0 {
        return count;
    }
    u64::try_from(u128::from(count) * u128::from(all) / u128::from(kept)).unwrap_or(u64::MAX)
}

fn mix(work: &Work, invocations: u64) -> Mix {
    let all = |count: u32| u64::from(count).saturating_mul(invocations);
    Mix { float: all(work.float), integer: all(work.integer), special: all(work.special), ..Mix::default() }
}

fn space(reach: &Reach, checks: &Checks) -> ObservedSpace {
    match reach.space {
        Space::Binding(binding) if checks.bindings.get(binding as usize).is_some_and(|(_, uniform)| *uniform) => {
            ObservedSpace::Uniform
        }
        Space::Binding(_) => ObservedSpace::Storage,
        _ => ObservedSpace::Workgroup,
    }
}

fn touch(access: Access) -> Touch {
    match access {
        Access::Read => Touch::Read,
        Access::Write | Access::Forget => Touch::Write,
        Access::AtomicRead | Access::AtomicWrite => Touch::Atomic,
    }
}
