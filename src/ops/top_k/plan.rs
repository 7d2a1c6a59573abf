//! The passes of a selection. This module is pure.

use std::fmt;

use super::super::ordering::rows::MAX_ROW;
use super::super::plan::Plan;

/// The number of values of a digit.
pub(super) const RADIX: u64 = 256;

/// The sizes of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of rows.
    pub(super) rows: u64,
    /// The number of elements of each row.
    pub(super) length: u64,
    pub(super) k: u64,
    pub(super) key_bits: u64,
}

/// The distribution of a row: blocks of `span` neighbouring keys, one block for each workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Blocks {
    pub(super) span: u64,
    pub(super) count: u64,
}

/// A digit of a key: the index of its word, counted from the highest word, its lowest bit in this word, and masks of
/// the bits of both words that are above the digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digit {
    pub(super) word: u32,
    pub(super) shift: u32,
    pub(super) above: [u32; 2],
}

/// One step of a selection: a launch, or a call of another operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Orders each row in a workgroup.
    OrderRows,
    /// Sets the counts of digits to zero.
    ClearCounts,
    /// Counts the keys by a digit.
    CountDigit { digit: Digit },
    /// Finds the digit of the last selected key.
    Narrow { digit: Digit },
    /// Counts the keys of each block that are before or equal to the last selected key; `known` masks a key's bits in
    /// two words.
    CountKept { known: [u32; 2] },
    /// Sums the counts of all blocks before each block of a row.
    PlaceKept,
    /// Collects the positions of the selected keys.
    Collect { known: [u32; 2] },
    /// Orders the collected keys of each row in a workgroup.
    OrderCollected,
    /// Turns the keys into unsigned integers in the same order.
    RankAll,
    /// Sorts the integers that `RankAll` writes.
    Sort,
    /// Copies the first sorted positions of each row to the indices.
    Take,
    /// Writes the selected elements.
    Gather,
}

/// The choice of how elements are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Sorts short rows in workgroups.
    Rows,
    /// Finds the last selected key of each row, collects the selected keys, and sorts only these.
    Select,
    /// Sorts all keys.
    Sort,
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows => f.write_str("rows"),
            Self::Select => f.write_str("select"),
            Self::Sort => f.write_str("sort"),
        }
    }
}

impl Choice {
    /// Returns the default choice for these sizes.
    pub(super) fn default_for(shape: Shape, processor: bool) -> Self {
        if processor {
            // On the CPU, barriers take much longer than the work between them.
            Self::Sort
        } else if shape.length <= MAX_ROW {
            Self::Rows
        } else if shape.k <= MAX_ROW {
            Self::Select
        } else {
            Self::Sort
        }
    }
}

/// Returns the blocks of each row.
pub(super) fn blocks(shape: Shape) -> Blocks {
    // The workgroups are enough to fill a large device, and each has enough keys that its counters cost little.
    let most = (4096 / shape.rows.max(1)).max(1);
    let span = shape.length.div_ceil(most).next_multiple_of(256).max(4096);
    Blocks { span, count: shape.length.div_ceil(span) }
}

/// Returns the digits of a key, from the highest on. A key shorter than a word is in the upper bits of the word.
fn digits(key_bits: u64) -> Vec<Digit> {
    let above = |digits: u64| if digits >= 4 { u32::MAX } else { !(u32::MAX >> (8 * digits)) };
    let digit = |number: u64| Digit {
        word: (number / 4) as u32,
        shift: (24 - number % 4 * 8) as u32,
        above: [above(number), above(number.saturating_sub(4))],
    };
    (0..key_bits / 8).map(digit).collect()
}

/// Returns masks of the bits that a key has in its two words.
fn known(key_bits: u64) -> [u32; 2] {
    match key_bits {
        64 => [u32::MAX; 2],
        bits => [u32::MAX << (32 - bits), 0],
    }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Plan<Pass> {
    let Shape { rows, length, k, key_bits } = shape;
    if rows * k == 0 {
        return Plan::nothing();
    }
    let keys = rows * length;
    let (mut passes, scratch) = match choice {
        Choice::Rows if length <= MAX_ROW => (vec![Pass::OrderRows], 0),
        Choice::Select if k <= MAX_ROW => {
            let mut passes = vec![Pass::ClearCounts];
            for digit in digits(key_bits) {
                passes.extend([Pass::CountDigit { digit }, Pass::Narrow { digit }]);
            }
            let known = known(key_bits);
            passes.extend([Pass::CountKept { known }, Pass::PlaceKept, Pass::Collect { known }, Pass::OrderCollected]);
            (passes, 4 * rows * (RADIX + 4 + 4 * blocks(shape).count + k))
        }
        // The scratch memory is for the keys as integers, and for their sorted positions; the sort allocates further
        // memory.
        _ => (vec![Pass::RankAll, Pass::Sort, Pass::Take], keys * (key_bits.max(32) / 8 + 4)),
    };
    passes.push(Pass::Gather);
    let bytes = keys * (key_bits / 8) + rows * k * (key_bits / 8 + 4);
    Plan { passes, scratch, flops: 0, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rows: u64, length: u64, k: u64) -> Shape {
        Shape { rows, length, k, key_bits: 32 }
    }

    #[test]
    fn the_way_depends_on_rows_and_device() {
        let of = |length, k| Choice::default_for(shape(3, length, k), false);
        assert_eq!([of(1024, 1024), of(1025, 1024), of(1025, 1025)], [Choice::Rows, Choice::Select, Choice::Sort]);
        assert_eq!(Choice::default_for(shape(3, 10, 1), true), Choice::Sort);
    }

    #[test]
    fn a_choice_that_does_not_fit_sorts() {
        let passes = |length, k, choice| plan(shape(2, length, k), choice).passes;
        let sort = [Pass::RankAll, Pass::Sort, Pass::Take, Pass::Gather];
        assert_eq!(passes(1024, 3, Choice::Rows), [Pass::OrderRows, Pass::Gather]);
        assert_eq!(passes(1025, 3, Choice::Rows), sort);
        assert_eq!(passes(5000, 1025, Choice::Select), sort);
        assert_eq!(passes(5000, 1024, Choice::Select).len(), 1 + 2 * 4 + 4 + 1);
        assert_eq!(passes(5000, 0, Choice::Sort), []);
    }

    #[test]
    fn digits_are_from_the_highest() {
        let of = |bits| digits(bits).iter().map(|digit| (digit.word, digit.shift, digit.above)).collect::<Vec<_>>();
        assert_eq!(of(16), [(0, 24, [0, 0]), (0, 16, [0xff00_0000, 0])]);
        assert_eq!(of(64)[3..6], [(0, 0, [0xffff_ff00, 0]), (1, 24, [u32::MAX, 0]), (1, 16, [u32::MAX, 0xff00_0000])]);
        assert_eq!((known(8), known(32), known(64)), ([0xff00_0000, 0], [u32::MAX, 0], [u32::MAX; 2]));
    }

    #[test]
    fn blocks_cover_a_row() {
        for rows in [1, 7, 5000] {
            for length in [1, 4096, 4097, 1 << 20, (1 << 26) + 1] {
                let Blocks { span, count } = blocks(shape(rows, length, 1));
                assert!(span * count >= length && span * (count - 1) < length, "{rows} of {length}");
                assert!(rows * count <= 4096 + rows, "{rows} of {length}");
            }
        }
    }

    #[test]
    fn elements_are_read_once_and_the_selected_ones_written() {
        let cost = plan(shape(2, 5000, 10), Choice::Select).cost();
        assert_eq!((cost.passes, cost.flops, cost.bytes), (14, 0, 4 * 10_000 + 20 * 8));
        assert_eq!(cost.scratch, 4 * 2 * (256 + 4 + 4 * 2 + 10));
    }
}
