//! The sums of one access site.

use anywarp_backend::{RequestCounts, WARP_SIZES};
use rustc_hash::FxHashMap;

use super::requests::{Request, parts};
use super::{Instance, WARP};
use crate::ir::{Reach, Space};

/// The distance of neighbouring lanes, as far as it is known.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Stride {
    #[default]
    Unknown,
    Always(i64),
    Differs,
}

/// The sums of one access site over all observed workgroups.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) counts: [RequestCounts; 4],
    pub(super) stride: Stride,
    /// The first byte that was accessed, and the end of the last one.
    pub(super) extent: Option<[u64; 2]>,
    /// By the iterations of the loops around the site: the offset that all lanes access, as long as there is one.
    common: FxHashMap<u64, u64>,
    /// Whether lanes access different offsets in the same iteration.
    pub(super) differs: bool,
    /// The lanes of kept instances and of all reports.
    pub(super) kept: u64,
    pub(super) reported: u64,
}

/// Memory that is reused from request to request.
#[derive(Default)]
pub(super) struct Room {
    addresses: Vec<u64>,
    numbers: Vec<u64>,
}

impl Sums {
    /// Adds an instance of the site, in these iterations of the loops around it.
    pub(super) fn add(&mut self, iterations: u64, instance: &Instance, reach: &Reach, room: &mut Room) {
        let Some(offsets) = &instance.offsets else { return };
        self.kept += u64::from(instance.active.count_ones());
        self.note_stride(instance.active, offsets);
        self.note_extent(instance.active, offsets, reach);
        self.note_common(iterations, instance.active, offsets);
        // All elements of an access are aligned as its stride is.
        let align = reach.indices.iter().fold(256, |align, (stride, _)| align.min(1 << stride.trailing_zeros().min(8)));
        let pieces = reach.pieces.iter().flat_map(|(offset, bytes)| parts(*offset, *bytes, align));
        for (start, bytes) in pieces {
            for (size, counts) in WARP_SIZES.iter().zip(&mut self.counts) {
                for warp in 0..WARP / *size as usize {
                    room.addresses.clear();
                    let lanes = warp * *size as usize..(warp + 1) * *size as usize;
                    let active = lanes.filter(|lane| instance.active >> lane & 1 == 1);
                    room.addresses.extend(active.map(|lane| offsets[lane] + u64::from(start)));
                    if room.addresses.is_empty() {
                        continue;
                    }
                    let request = Request { addresses: &room.addresses, bytes, is_atomic: reach.access.is_atomic() };
                    *counts += match reach.space {
                        Space::Workgroup => request.of_workgroup(&mut room.numbers),
                        _ => request.of_buffer(&mut room.numbers),
                    };
                }
            }
        }
    }

    fn note_extent(&mut self, active: u64, offsets: &[u64; WARP], reach: &Reach) {
        let starts = || reach.pieces.iter().map(|(offset, _)| u64::from(*offset));
        let ends = reach.pieces.iter().map(|(offset, bytes)| u64::from(offset + bytes));
        let (Some(start), Some(end)) = (starts().min(), ends.max()) else { return };
        for lane in (0..WARP).filter(|lane| active >> lane & 1 == 1) {
            let [first, last] = self.extent.unwrap_or([u64::MAX, 0]);
            self.extent = Some([first.min(offsets[lane] + start), last.max(offsets[lane] + end)]);
        }
    }

    fn note_common(&mut self, iterations: u64, active: u64, offsets: &[u64; WARP]) {
        if self.differs || active == 0 {
            return;
        }
        let offset = *self.common.entry(iterations).or_insert(offsets[active.trailing_zeros() as usize]);
        self.differs = (0..WARP).any(|lane| active >> lane & 1 == 1 && offsets[lane] != offset);
        if self.differs {
            self.common = FxHashMap::default();
        }
    }

    fn note_stride(&mut self, active: u64, offsets: &[u64; WARP]) {
        // Across the boundary of two warps of 32, ids may jump.
        let both = |lane: &usize| active >> lane & 3 == 3 && lane % 32 != 31;
        for lane in (0..WARP - 1).filter(both) {
            let step = offsets[lane + 1].wrapping_sub(offsets[lane]).cast_signed();
            self.stride = match self.stride {
                Stride::Unknown => Stride::Always(step),
                Stride::Always(known) if known == step => Stride::Always(step),
                _ => Stride::Differs,
            };
        }
    }
}
