//! The passes of a merge sort. This module is pure.

use std::fmt;

use super::super::plan::Plan;

/// The number of elements of a run that one invocation sorts.
pub(super) const RUN: u64 = 32;
/// The number of elements that an invocation merges: the search for the first of them costs about as much as the merge.
const SPAN: u64 = 8;

/// The sizes of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) length: u64,
    /// The size of an element, in bytes.
    pub(super) element: u64,
    pub(super) in_place: bool,
}

/// An array that a pass reads or writes: the caller's input, the result, or scratch memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Given,
    Result,
    Spare,
}

/// One launch or copy of a merge sort, from one array to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Copies the elements from the result to the scratch memory.
    Copy,
    /// Sorts runs of this length, each in one invocation.
    Runs { run: u64, arrays: [From; 2] },
    /// Sorts tiles of this length, each in one workgroup.
    Tiles { tile: u64, arrays: [From; 2] },
    /// Merges pairs of runs, `span` elements in each invocation.
    Merge { run: u64, span: u64, arrays: [From; 2] },
}

/// The choice of how elements are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Tiles are sorted in workgroup memory, and many invocations merge them.
    Tiles,
    /// Runs are sorted without workgroup memory, and about `most` invocations merge them.
    Runs { most: u64 },
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tiles => f.write_str("tiles"),
            Self::Runs { most } => write!(f, "runs most={most}"),
        }
    }
}

impl Choice {
    /// Returns the default choice for these sizes.
    pub(super) fn default_for(shape: Shape, processor: bool) -> Self {
        if processor {
            // On the CPU, barriers take much longer than the work between them. Spans are long, so that the search for
            // their beginning is a small part of the work.
            return Self::Runs { most: (shape.length / 1024).clamp(1, 1024) };
        }
        Self::Tiles
    }
}

/// Returns the number of elements of a tile: the elements and their positions fit into 16 KiB of workgroup memory.
pub(super) fn tile(element: u64) -> u64 {
    if element <= 16 { 512 } else { 256 }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Plan<Pass> {
    let Shape { length, element, in_place } = shape;
    if length == 0 {
        return Plan::nothing();
    }
    let (first, span) = match choice {
        Choice::Tiles => (tile(element), SPAN),
        Choice::Runs { most } => (RUN, length.div_ceil(most.max(1)).clamp(SPAN, 1 << 31).next_power_of_two()),
    };
    let mut runs = Vec::new();
    let mut run = first;
    while run < length {
        runs.push(run);
        run *= 2;
    }
    // Arrays are chosen backwards from the result, so that the last pass writes the result.
    let array = |at: usize| if (runs.len() - at).is_multiple_of(2) { From::Result } else { From::Spare };
    let mut passes = Vec::new();
    let given = match (in_place, array(0)) {
        (false, _) => From::Given,
        (true, From::Spare) => From::Result,
        (true, _) => {
            passes.push(Pass::Copy);
            From::Spare
        }
    };
    let arrays = [given, array(0)];
    passes.push(match choice {
        Choice::Tiles => Pass::Tiles { tile: first, arrays },
        Choice::Runs { .. } => Pass::Runs { run: first, arrays },
    });
    for (at, run) in runs.iter().copied().enumerate() {
        passes.push(Pass::Merge { run, span: span.min(run), arrays: [array(at), array(at + 1)] });
    }
    let spare = in_place || !runs.is_empty();
    let bytes = length.saturating_mul(element);
    let scratch = if spare { bytes } else { 0 };
    Plan { passes, scratch, flops: length, bytes: bytes.saturating_mul(2) }
}

#[cfg(test)]
mod tests {
    use super::From::{Given, Result, Spare};
    use super::*;

    fn of(length: u64, in_place: bool, choice: Choice) -> Vec<Pass> {
        plan(Shape { length, element: 4, in_place }, choice).passes
    }

    #[test]
    fn the_last_pass_writes_the_result() {
        let tile = 512;
        assert_eq!(of(0, false, Choice::Tiles), []);
        assert_eq!(of(512, false, Choice::Tiles), [Pass::Tiles { tile, arrays: [Given, Result] }]);
        assert_eq!(of(512, true, Choice::Tiles), [Pass::Copy, Pass::Tiles { tile, arrays: [Spare, Result] }]);
        let merge = |run, arrays| Pass::Merge { run, span: 8, arrays };
        let two = [Pass::Tiles { tile, arrays: [Result, Spare] }, merge(512, [Spare, Result])];
        assert_eq!(of(513, true, Choice::Tiles), two);
        let three =
            [Pass::Tiles { tile, arrays: [Given, Result] }, merge(512, [Result, Spare]), merge(1024, [Spare, Result])];
        assert_eq!(of(1025, false, Choice::Tiles), three);
    }

    #[test]
    fn spans_divide_runs() {
        for length in [33, 1000, 1 << 20, (1 << 32) - (1 << 16)] {
            for most in [0, 1, 7, 1024, u64::MAX] {
                for pass in of(length, false, Choice::Runs { most }) {
                    if let Pass::Merge { run, span, .. } = pass {
                        assert!(run.is_multiple_of(span) && run < 1 << 32, "{pass:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn each_kind_of_device_has_its_way() {
        let choice = |length, processor| Choice::default_for(Shape { length, element: 4, in_place: false }, processor);
        assert_eq!((choice(9, false), choice(1 << 20, true)), (Choice::Tiles, Choice::Runs { most: 1024 }));
    }

    #[test]
    fn elements_are_read_and_written_once() {
        let cost = plan(Shape { length: 1000, element: 8, in_place: false }, Choice::Tiles).cost();
        assert_eq!((cost.passes, cost.flops, cost.bytes, cost.scratch), (2, 1000, 16_000, 8000));
        for element in [4, 8, 16, 32] {
            assert!(tile(element) * (element + 4) <= 16 << 10, "{element}");
        }
    }
}
