//! How the work of a reduction is shared out: always the same for the same shapes on the same kind
//! of device, so that sums come out the same. Pure.

use super::super::operation::preface::WORKGROUP;

/// Cells that an invocation has under way.
pub(super) const UNROLLED: u32 = 4;

/// Invocations that the processor runs as one, each group to its end or to a barrier: more of them
/// on one part would walk the same memory again and again.
const LANES: u32 = 8;

/// Below this many elements vectors save nothing.
const LEAST_FOR_VECTORS: u64 = 1 << 12;

/// How the work is done, where there is more than one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Inputs are read four elements at a time.
    pub(super) vectors: bool,
    /// Of the first pass: the elements.
    pub(super) first: Scheme,
    /// Of the second, if there is one: what the first has left.
    pub(super) second: Scheme,
}

/// How one pass goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scheme {
    /// Neighbouring invocations make neighbouring results, each by itself. Else `width` of them make
    /// one result together.
    pub(super) columns: bool,
    /// Invocations that work on one part of one result; a power of two, 1 for columns.
    pub(super) width: u32,
    /// Parts that a result is made of; several take a second pass.
    pub(super) splits: u64,
    /// Cells of a part.
    pub(super) chunk: u64,
}

/// What a choice is made by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Results.
    pub(super) results: u64,
    /// Elements that each result is made of.
    pub(super) reduced: u64,
    /// Those of a result lie side by side.
    pub(super) contiguous: bool,
    /// All inputs can be read four elements at a time.
    pub(super) aligned: bool,
    /// The device is the processor.
    pub(super) software: bool,
}

impl Choice {
    /// The choice without a tuner.
    pub(super) fn default_for(work: Work) -> Self {
        let vectors = work.aligned && work.reduced >= LEAST_FOR_VECTORS;
        let first = work.scheme(if vectors { work.reduced / 4 } else { work.reduced });
        // As the first pass has left them: results side by side, or the parts of each.
        let width = if first.columns { 1 } else { Work { contiguous: true, ..work }.scheme(first.splits).width };
        let second = Scheme { columns: first.columns, width, splits: 1, chunk: first.splits };
        Self { vectors, first, second }
    }
}

impl Work {
    /// For `cells` of each result: elements, vectors of four, or parts.
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
    // Whole steps of all parts but the last.
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
