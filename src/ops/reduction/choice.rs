//! The distribution of a reduction's work. The distribution is the same for the same shapes on the same kind of device,
//! so that sums are reproducible. This module is pure.

use std::fmt;

use super::super::operation::preface::WORKGROUP;

/// The number of cells (elements, vectors or partial results) that an invocation processes in one iteration of its
/// loop.
pub(super) const UNROLLED: u32 = 4;

/// The number of invocations that the CPU runs together, to the end of the kernel or to a barrier. With more
/// invocations for one part, the CPU would traverse the memory of this part several times.
const LANES: u32 = 8;

/// The least number of elements of a result for which the inputs are read as vectors: for fewer, vectors save no time.
const MIN_FOR_VECTORS: u64 = 1 << 12;

/// The choice of how the work of a reduction is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Whether inputs are read four elements at a time.
    pub(super) vectors: bool,
    /// The scheme of the first pass, over the elements.
    pub(super) first: Scheme,
    /// The scheme of the second pass, if there is one, over the partial results of the first.
    pub(super) second: Scheme,
}

/// The scheme of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scheme {
    /// Whether each invocation works on a result alone, and neighbouring invocations on neighbouring results. Otherwise
    /// `width` invocations work on one result together.
    pub(super) columns: bool,
    /// The number of invocations for one part of one result; a power of two, 1 for columns.
    pub(super) width: u32,
    /// The number of parts of a result; more than one part needs a second pass.
    pub(super) splits: u64,
    /// The number of cells of a part.
    pub(super) chunk: u64,
}

/// The properties of a reduction on which a choice depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// The number of results.
    pub(super) results: u64,
    /// The number of elements that are combined into each result.
    pub(super) reduced: u64,
    /// Whether the elements of one result are adjacent in memory.
    pub(super) contiguous: bool,
    /// Whether all inputs can be read four elements at a time.
    pub(super) aligned: bool,
    /// Whether the device is the CPU.
    pub(super) software: bool,
}

/// How far the work of a pass is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    /// The number of workgroups that results are split for, if there are fewer results.
    pub(super) groups: u32,
    /// The greatest number of invocations that work on one result together; a power of two.
    pub(super) widest: u32,
}

/// The name by which results of tuning are kept.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "groups={} width={}", self.groups, self.widest)
    }
}

impl Spread {
    /// The spread without tuning.
    pub(super) fn default_for(software: bool) -> Self {
        if software { Self { groups: 64, widest: LANES } } else { Self { groups: 1024, widest: WORKGROUP } }
    }

    /// All spreads.
    pub(super) fn all(software: bool) -> Vec<Self> {
        if software {
            return [1, 4, 16, 64, 256].map(|groups| Self { groups, widest: LANES }).to_vec();
        }
        let widths = [64, 128, WORKGROUP];
        [128, 256, 512, 1024, 2048, 4096]
            .iter()
            .flat_map(|&groups| widths.map(|widest| Self { groups, widest }))
            .collect()
    }
}

impl Choice {
    /// Returns the choice for this work.
    pub(super) fn of(work: Work, spread: Spread) -> Self {
        let vectors = work.aligned && work.reduced >= MIN_FOR_VECTORS;
        let first = work.scheme(if vectors { work.reduced / 4 } else { work.reduced }, spread);
        // The partial results of the first pass are contiguous: in the order of the results, or for columns in the
        // order of the parts.
        let width =
            if first.columns { 1 } else { Work { contiguous: true, ..work }.scheme(first.splits, spread).width };
        let second = Scheme { columns: first.columns, width, splits: 1, chunk: first.splits };
        Self { vectors, first, second }
    }
}

impl Work {
    /// Returns the scheme of a pass that combines `cells` elements, vectors of four elements, or partial results into
    /// each result.
    fn scheme(self, cells: u64, spread: Spread) -> Scheme {
        if !self.contiguous && self.results >= 32 { self.columns(cells, spread) } else { self.rows(cells, spread) }
    }

    fn columns(self, cells: u64, spread: Spread) -> Scheme {
        let least = if self.software { 1 << 10 } else { 32 };
        let invocations = u64::from(spread.groups) * 64;
        let wanted = (invocations / self.results.max(1)).clamp(1, 256).min((cells / least).max(1));
        split(cells, true, 1, wanted)
    }

    fn rows(self, cells: u64, spread: Spread) -> Scheme {
        let least = if self.software { 64 } else { 16 };
        let width = cells.div_ceil(16).next_power_of_two().clamp(1, u64::from(spread.widest));
        let taken = (self.results * width).div_ceil(u64::from(WORKGROUP));
        let wanted = (u64::from(spread.groups) / taken.max(1)).clamp(1, 1024).min((cells / (least * width)).max(1));
        split(cells, false, width as u32, wanted)
    }
}

fn split(cells: u64, columns: bool, width: u32, splits: u64) -> Scheme {
    // All parts except the last one consist of whole iterations of the kernel's loop.
    let step = u64::from(width * UNROLLED);
    let chunk = cells.div_ceil(splits).next_multiple_of(step).max(step);
    Scheme { columns, width, splits: cells.div_ceil(chunk).max(1), chunk }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_part() {
        let counts = [0, 1, 2, 15, 16, 17, 255, 256, 4095, 65_537, 1 << 20, (1 << 26) + 3, (1 << 32) - (1 << 16)];
        for cells in counts {
            for results in [1, 2, 31, 32, 1000, 1 << 20] {
                for (contiguous, software) in [(false, false), (false, true), (true, false), (true, true)] {
                    let work = Work { results, reduced: cells, contiguous, aligned: false, software };
                    for spread in Spread::all(software) {
                        let Scheme { columns, width, splits, chunk } = Choice::of(work, spread).first;
                        assert!(
                            width.is_power_of_two()
                                && width <= WORKGROUP
                                && !(software && width > LANES)
                                && !(columns && width > 1),
                            "{work:?}"
                        );
                        assert!(splits * chunk >= cells && (splits - 1) * chunk <= cells, "{work:?}");
                        assert!(splits <= 1024 && results * splits <= 1 << 21, "{work:?}");
                        assert!(chunk + cells < 1 << 33, "{work:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn defaults_are_candidates() {
        assert!([false, true].iter().all(|software| Spread::all(*software).contains(&Spread::default_for(*software))));
    }

    #[test]
    fn long_sums_have_many_parts_and_short_ones_none() {
        let splits = |results, reduced| {
            let work = Work { results, reduced, contiguous: true, aligned: false, software: false };
            Choice::of(work, Spread::default_for(false)).first.splits
        };
        assert_eq!(splits(1, 1 << 24), 1024);
        assert_eq!(splits(1, 4096), 1);
        assert_eq!(splits(1 << 12, 1 << 12), 1);
    }
}
