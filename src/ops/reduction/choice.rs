//! The distribution of a reduction's work. It is the same for the same shapes on the same kind of device, so that sums
//! are reproducible. This module is pure.

use super::super::operation::preface::WORKGROUP;

/// The number of cells that an invocation processes at the same time.
pub(super) const UNROLLED: u32 = 4;

/// The number of invocations that the CPU runs together, each group to its end or to a barrier: more of them on one
/// part would read the same memory repeatedly.
const LANES: u32 = 8;

/// Below this number of elements vectors save nothing.
const MIN_FOR_VECTORS: u64 = 1 << 12;

/// The choice between several ways to do the work.
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
    /// Whether neighbouring invocations compute neighbouring results, each alone. Otherwise `width` invocations compute
    /// one result together.
    pub(super) columns: bool,
    /// The number of invocations for one part of one result; a power of two, 1 for columns.
    pub(super) width: u32,
    /// The number of parts of a result; more than one needs a second pass.
    pub(super) splits: u64,
    /// The number of cells of a part.
    pub(super) chunk: u64,
}

/// The properties on which a choice depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// The number of results.
    pub(super) results: u64,
    /// The number of elements of each result.
    pub(super) reduced: u64,
    /// Whether the elements of a result are adjacent.
    pub(super) contiguous: bool,
    /// Whether all inputs can be read four elements at a time.
    pub(super) aligned: bool,
    /// Whether the device is the CPU.
    pub(super) software: bool,
}

impl Choice {
    /// The choice without tuning.
    pub(super) fn default_for(work: Work) -> Self {
        let vectors = work.aligned && work.reduced >= MIN_FOR_VECTORS;
        let first = work.scheme(if vectors { work.reduced / 4 } else { work.reduced });
        // The partial results of the first pass are adjacent: by result, or by part of each.
        let width = if first.columns { 1 } else { Work { contiguous: true, ..work }.scheme(first.splits).width };
        let second = Scheme { columns: first.columns, width, splits: 1, chunk: first.splits };
        Self { vectors, first, second }
    }
}

impl Work {
    /// The scheme for `cells` of each result: elements, vectors of four, or parts.
    fn scheme(self, cells: u64) -> Scheme {
        if !self.contiguous && self.results >= 32 { self.columns(cells) } else { self.rows(cells) }
    }

    fn columns(self, cells: u64) -> Scheme {
        let (invocations, least) = if self.software { (1 << 12, 1 << 10) } else { (1 << 16, 32) };
        let wanted = (invocations / self.results.max(1)).clamp(1, 256).min((cells / least).max(1));
        split(cells, true, 1, wanted)
    }

    fn rows(self, cells: u64) -> Scheme {
        let (widest, groups, least) = if self.software { (LANES, 64, 64) } else { (WORKGROUP, 1024, 16) };
        let width = cells.div_ceil(16).next_power_of_two().clamp(1, u64::from(widest));
        let taken = (self.results * width).div_ceil(u64::from(WORKGROUP));
        let wanted = (groups / taken.max(1)).clamp(1, 1024).min((cells / (least * width)).max(1));
        split(cells, false, width as u32, wanted)
    }
}

fn split(cells: u64, columns: bool, width: u32, splits: u64) -> Scheme {
    // All parts but the last one consist of whole steps.
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
                    let Scheme { columns, width, splits, chunk } = Choice::default_for(work).first;
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

    #[test]
    fn long_sums_have_many_parts_and_short_ones_none() {
        let splits = |results, reduced| {
            let work = Work { results, reduced, contiguous: true, aligned: false, software: false };
            Choice::default_for(work).first.splits
        };
        assert_eq!(splits(1, 1 << 24), 1024);
        assert_eq!(splits(1, 4096), 1);
        assert_eq!(splits(1 << 12, 1 << 12), 1);
    }
}
