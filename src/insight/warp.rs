//! The memory accesses and the active lanes of one warp.

use std::collections::{BTreeMap, BTreeSet};

/// The size in bytes of a sector, the unit of transfers between memory and caches.
const SECTOR: u64 = 32;
/// The size in bytes of a cache line.
const LINE: u64 = 128;
/// The number of banks of workgroup memory, and the size in bytes of a word of a bank.
const BANKS: u64 = 32;
const WORD: u64 = 4;

/// The access of one active lane: its first byte and its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes.
    pub width: u32,
}

/// The global memory that one load or store of a warp touches.
///
/// ```
/// use anywarp::insight::{Access, Request};
///
/// let lanes = |stride: u64| (0..32).map(move |lane| Access { address: lane * stride, width: 4 });
/// assert_eq!(Request::of(lanes(4)), Request { bytes: 128, sectors: 4, lines: 1 });
/// assert_eq!(Request::of(lanes(128)), Request { bytes: 128, sectors: 32, lines: 32 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The number of different bytes.
    pub bytes: u64,
    /// The number of different sectors of 32 bytes.
    pub sectors: u64,
    /// The number of different lines of 128 bytes.
    pub lines: u64,
}

impl Request {
    /// Counts the accesses of the active lanes. Inactive lanes are left out.
    pub fn of(accesses: impl IntoIterator<Item = Access>) -> Self {
        let bytes: BTreeSet<u64> = accesses.into_iter().flat_map(bytes_of).collect();
        let units = |size| bytes.iter().map(|byte| byte / size).collect::<BTreeSet<_>>().len() as u64;
        Self { bytes: bytes.len() as u64, sectors: units(SECTOR), lines: units(LINE) }
    }

    /// The least number of sectors that can hold as many bytes.
    #[must_use]
    pub fn ideal_sectors(&self) -> u64 {
        self.bytes.div_ceil(SECTOR)
    }

    /// The share of the transferred bytes that lanes access, from 0 to 1. It is 1 if nothing is accessed.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        if self.sectors == 0 { 1.0 } else { self.bytes as f64 / (SECTOR * self.sectors) as f64 }
    }
}

/// The passes that one load or store of a warp needs in workgroup memory.
///
/// A pass reads one word of each bank, for any number of lanes. Accesses of 8 bytes are made by halves of 32 lanes,
/// those of 16 bytes by quarters.
///
/// ```
/// use anywarp::insight::{Access, Wavefronts};
///
/// let column = |row: u64| (0..32).map(|lane| Some(Access { address: 4 * lane * row, width: 4 })).collect::<Vec<_>>();
/// assert_eq!(Wavefronts::of(&column(32)), Wavefronts { count: 32, ideal: 1 });
/// assert_eq!(Wavefronts::of(&column(33)), Wavefronts { count: 1, ideal: 1 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// The number of passes.
    pub count: u64,
    /// The number of passes if no two words conflict.
    pub ideal: u64,
}

impl Wavefronts {
    /// Counts the passes of a warp, whose lanes are given in order; inactive lanes are `None`.
    #[must_use]
    pub fn of(lanes: &[Option<Access>]) -> Self {
        let widest = lanes.iter().flatten().map(|access| access.width).max().unwrap_or(0);
        let together = match widest {
            0..=4 => 32,
            5..=8 => 16,
            _ => 8,
        };
        let mut all = Self::default();
        for part in lanes.chunks(together) {
            let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for word in part.iter().flatten().flat_map(|access| bytes_of(*access)).map(|byte| byte / WORD) {
                banks.entry(word % BANKS).or_default().insert(word);
            }
            let passes = banks.values().map(|words| words.len() as u64).max().unwrap_or(0);
            all.count += passes;
            all.ideal += u64::from(passes > 0);
        }
        all
    }

    /// The passes that conflicts of banks cause.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.count.saturating_sub(self.ideal)
    }
}

/// The active lanes of the instructions that warps executed.
///
/// ```
/// use anywarp::insight::Lanes;
///
/// let mut lanes = Lanes::new(32);
/// lanes.add(8, 10); // ten instructions of one side of a branch
/// lanes.add(24, 10); // and ten of the other
/// assert_eq!((lanes.efficiency(), lanes.lost()), (0.5, 320));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    warp: u32,
    active: u64,
    issued: u64,
}

impl Lanes {
    /// Starts to count for warps of this number of lanes.
    #[must_use]
    pub fn new(warp: u32) -> Self {
        Self { warp, active: 0, issued: 0 }
    }

    /// Adds instructions of one warp, which `active` of its lanes executed.
    pub fn add(&mut self, active: u32, instructions: u64) {
        self.active += u64::from(active.min(self.warp)) * instructions;
        self.issued += instructions;
    }

    /// The share of lanes that were active, from 0 to 1. It is 1 if nothing was executed.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        let all = self.issued * u64::from(self.warp);
        if all == 0 { 1.0 } else { self.active as f64 / all as f64 }
    }

    /// The lane instructions that inactive lanes did not execute.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.issued * u64::from(self.warp) - self.active
    }
}

fn bytes_of(access: Access) -> std::ops::Range<u64> {
    access.address..access.address.saturating_add(access.width.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(stride: u64, width: u32) -> impl Iterator<Item = Access> {
        (0..32).map(move |lane| Access { address: lane * stride, width })
    }

    #[test]
    fn sectors_follow_stride_and_width() {
        // Stride and width in bytes; different bytes, sectors, ideal sectors, lines.
        let table = [
            (0, 4, [4, 1, 1, 1]),
            (4, 4, [128, 4, 4, 1]),
            (8, 4, [128, 8, 4, 2]),
            (32, 4, [128, 32, 4, 8]),
            (256, 4, [128, 32, 4, 32]),
            (8, 8, [256, 8, 8, 2]),
            (16, 16, [512, 16, 16, 4]),
            (64, 16, [512, 32, 16, 16]),
        ];
        for (stride, width, expected) in table {
            let request = Request::of(lanes(stride, width));
            let found = [request.bytes, request.sectors, request.ideal_sectors(), request.lines];
            assert_eq!(found, expected, "stride {stride}, width {width}");
        }
        let misaligned = Request::of(lanes(4, 4).map(|access| Access { address: access.address + 4, ..access }));
        assert_eq!(misaligned, Request { bytes: 128, sectors: 5, lines: 2 });
        assert_eq!(misaligned.efficiency(), 0.8);
        assert_eq!(Request::of([]), Request::default());
    }

    #[test]
    fn wavefronts_follow_stride_and_width() {
        // Stride and width in bytes; passes, and passes without conflicts.
        let table = [
            (0, 4, [1, 1]),
            (4, 4, [1, 1]),
            (8, 4, [2, 1]),
            (12, 4, [1, 1]),
            (64, 4, [16, 1]),
            (128, 4, [32, 1]),
            (132, 4, [1, 1]),
            (8, 8, [2, 2]),
            (16, 8, [4, 2]),
            (16, 16, [4, 4]),
            (32, 16, [8, 4]),
        ];
        for (stride, width, [count, ideal]) in table {
            let all: Vec<_> = lanes(stride, width).map(Some).collect();
            assert_eq!(Wavefronts::of(&all), Wavefronts { count, ideal }, "stride {stride}, width {width}");
        }
        let half: Vec<_> = lanes(128, 4).enumerate().map(|(lane, access)| (lane < 16).then_some(access)).collect();
        assert_eq!(Wavefronts::of(&half).conflicts(), 15);
        assert_eq!(Wavefronts::of(&[None; 32]), Wavefronts::default());
    }

    #[test]
    fn divergence_follows_the_lanes_on_each_side() {
        for warp in [8, 16, 32, 64] {
            for taken in 0..=warp {
                let mut lanes = Lanes::new(warp);
                for side in [taken, warp - taken] {
                    lanes.add(side, if side > 0 { 7 } else { 0 });
                }
                let diverges = taken > 0 && taken < warp;
                assert_eq!(lanes.efficiency(), if diverges { 0.5 } else { 1.0 }, "{taken}/{warp}");
                assert_eq!(lanes.lost(), if diverges { 7 * u64::from(warp) } else { 0 }, "{taken}/{warp}");
            }
        }
        assert_eq!(Lanes::new(32).efficiency(), 1.0);
    }
}
