//! Active and lost lanes: the sums of segments, branches and loops.

use anywarp_backend::{BranchCounts, LaneCounts, WARP_SIZES};
use rustc_hash::FxHashMap;

use super::{Instance, Key, WARP};
use crate::checker::Checks;
use crate::ir::CheckKind;

/// The lanes of one warp of a size that divides [`WARP`].
fn warps(size: u32) -> impl Iterator<Item = u64> {
    let ones = if size == 64 { u64::MAX } else { (1 << size) - 1 };
    (0..WARP as u32 / size).map(move |warp| ones << (warp * size))
}

/// The numbers of active lanes, and of all lanes in warps with an active lane.
pub(super) fn active_and_issued(active: u64, size: u32) -> (u64, u64) {
    let issued = warps(size).filter(|warp| active & warp != 0).count() as u64 * u64::from(size);
    (u64::from(active.count_ones()), issued)
}

/// Adds `instructions` instructions that the lanes `active` execute.
pub(super) fn execute(active: u64, instructions: u64, lanes: &mut [LaneCounts; 4]) {
    for (size, counts) in WARP_SIZES.iter().zip(lanes) {
        let (executed, issued) = active_and_issued(active, *size);
        *counts += LaneCounts { executed: executed * instructions, issued: issued * instructions };
    }
}

/// Adds the arrival of a warp at a branch, or the start of an iteration of a loop that the lanes `entered` entered.
pub(super) fn branch(instance: &Instance, entered: Option<u64>, counts: &mut [BranchCounts; 4]) {
    let (all, some) = match entered {
        Some(entered) => (entered, instance.active),
        None => (instance.active, instance.taken),
    };
    for (size, counts) in WARP_SIZES.iter().zip(counts) {
        for warp in warps(*size) {
            // No warp begins an iteration that none of its lanes makes.
            if all & warp == 0 || entered.is_some() && some & warp == 0 {
                continue;
            }
            let differ = some & warp != 0 && some & warp != all & warp;
            *counts += BranchCounts { warps: 1, diverged: u64::from(differ), lost: 0 };
        }
    }
}

/// Adds the lane instructions that a segment of a workgroup lost in each of the branches and loops around it.
pub(super) fn lose(
    checks: &Checks,
    instances: &FxHashMap<Key, Instance>,
    key: Key,
    instance: &Instance,
    instructions: u64,
    branches: &mut FxHashMap<u32, [BranchCounts; 4]>,
) {
    let (mut inner, mut around) = (instance.active, instance.around);
    let mut at = checks.specs[key.check as usize].within;
    while let Some(number) = at {
        let spec = &checks.specs[number as usize];
        let here = Key { check: number, iterations: around, warp: key.warp };
        let Some(outer) = instances.get(&here) else { return };
        // Lanes that leave an iteration early are lost to the loop, too: its start is the next level.
        let owner = if matches!(spec.kind, CheckKind::Iteration) { spec.within.unwrap_or(number) } else { number };
        let counts = branches.entry(owner).or_default();
        for (size, counts) in WARP_SIZES.iter().zip(counts) {
            for warp in warps(*size).filter(|warp| instance.active & warp != 0) {
                let lanes = (outer.active & warp & !inner).count_ones();
                counts.lost += u64::from(lanes) * instructions;
            }
        }
        (inner, around, at) = (outer.active, outer.around, spec.within);
    }
}
