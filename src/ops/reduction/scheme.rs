//! How the work of a reduction is shared out: always the same for the same shapes on the same kind
//! of device, so that sums come out the same. Pure.

use super::super::operation::preface::WORKGROUP;

/// Cells that an invocation has under way.
pub(super) const UNROLLED: u32 = 4;

/// Invocations that the processor runs as one, each group to its end or to a barrier: more of them
/// on one part would walk the same memory again and again.
const LANES: u32 = 8;

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

/// What a scheme is chosen by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Results.
    pub(super) results: u64,
    /// What each result is made of: elements, or vectors of four.
    pub(super) cells: u64,
    /// The cells of a result lie side by side.
    pub(super) contiguous: bool,
    /// The device is the processor.
    pub(super) software: bool,
}

impl Work {
    pub(super) fn scheme(self) -> Scheme {
        if !self.contiguous && self.results >= 32 { self.columns() } else { self.rows() }
    }

    fn columns(self) -> Scheme {
        let (invocations, least) = if self.software { (1 << 12, 1 << 10) } else { (1 << 16, 32) };
        let wanted = (invocations / self.results).clamp(1, 256).min((self.cells / least).max(1));
        self.split(true, 1, wanted)
    }

    fn rows(self) -> Scheme {
        let (widest, groups, least) = if self.software { (LANES, 64, 64) } else { (WORKGROUP, 1024, 16) };
        let width = self.cells.div_ceil(16).next_power_of_two().clamp(1, u64::from(widest));
        let taken = (self.results * width).div_ceil(u64::from(WORKGROUP));
        let wanted = (groups / taken.max(1)).clamp(1, 1024).min((self.cells / (least * width)).max(1));
        self.split(false, width as u32, wanted)
    }

    fn split(self, columns: bool, width: u32, splits: u64) -> Scheme {
        // Whole steps of all parts but the last.
        let step = u64::from(width * UNROLLED);
        let chunk = self.cells.div_ceil(splits).next_multiple_of(step).max(step);
        Scheme { columns, width, splits: self.cells.div_ceil(chunk).max(1), chunk }
    }
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
                    let work = Work { results, cells, contiguous, software };
                    let Scheme { columns, width, splits, chunk } = work.scheme();
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
        let splits = |results, cells| Work { results, cells, contiguous: true, software: false }.scheme().splits;
        assert_eq!(splits(1, 1 << 24), 1024);
        assert_eq!(splits(1, 4096), 1);
        assert_eq!(splits(1 << 12, 1 << 12), 1);
    }
}
