//! The sums of buffers: the different sectors that each workgroup touches.

use anywarp_backend::ObservedBuffer;
use rustc_hash::{FxHashMap, FxHashSet};

use super::requests::sectors;
use super::{Instance, WARP};
use crate::checker::Checks;
use crate::ir::{Access, CheckKind, Count, Reach, Space};

/// The sums of all buffers.
#[derive(Default)]
pub(super) struct Buffers {
    /// By binding: the sectors that the current workgroup reads and writes.
    touched: FxHashMap<u32, [FxHashSet<u64>; 2]>,
    /// By binding: the sums over workgroups.
    sums: FxHashMap<u32, [u64; 2]>,
    /// By binding: the length of its runtime-sized array.
    pub(super) lengths: FxHashMap<u32, u32>,
}

impl Buffers {
    /// Adds an access to a buffer.
    pub(super) fn add(&mut self, instance: &Instance, reach: &Reach) {
        let (Space::Binding(binding), Some(offsets)) = (reach.space, &instance.offsets) else { return };
        let sets = self.touched.entry(binding).or_default();
        let chosen: &[usize] = match reach.access {
            Access::Read | Access::AtomicRead => &[0],
            Access::Write | Access::Forget => &[1],
            Access::AtomicWrite => &[0, 1],
        };
        for lane in (0..WARP).filter(|lane| instance.active >> lane & 1 == 1) {
            for (start, bytes) in &reach.pieces {
                for set in chosen {
                    sets[*set].extend(sectors(offsets[lane] + u64::from(*start), *bytes));
                }
            }
        }
    }

    /// Ends a workgroup.
    pub(super) fn end(&mut self) {
        for (binding, sets) in &mut self.touched {
            let sums = self.sums.entry(*binding).or_default();
            for (sum, set) in sums.iter_mut().zip(sets) {
                *sum += set.len() as u64;
                set.clear();
            }
        }
    }

    /// Returns the buffers that were accessed.
    pub(super) fn finish(&self, checks: &Checks) -> Vec<ObservedBuffer> {
        let mut found = Vec::new();
        for (binding, (name, _)) in (0..).zip(&checks.bindings) {
            let Some([read, written]) = self.sums.get(&binding).copied() else { continue };
            let reaches = checks.specs.iter().filter_map(|spec| match &spec.kind {
                CheckKind::Access(reach) if reach.space == Space::Binding(binding) => Some(reach),
                _ => None,
            });
            let length = self.lengths.get(&binding).copied().unwrap_or(0);
            let bytes = reaches.map(|reach| size(reach, length)).max().unwrap_or(0);
            found.push(ObservedBuffer { name: name.clone(), bytes, read, written });
        }
        found
    }
}

/// The bytes up to the end of the last element that an access can reach.
fn size(reach: &Reach, length: u32) -> u64 {
    let end = reach.pieces.iter().map(|(offset, bytes)| u64::from(offset + bytes)).max().unwrap_or(0);
    let steps = reach.indices.iter().map(|(stride, range)| {
        let count = match range.count {
            Count::Fixed(count) => count,
            Count::Runtime => length,
        };
        u64::from(*stride) * u64::from(count.saturating_sub(1))
    });
    steps.fold(end, u64::saturating_add)
}
