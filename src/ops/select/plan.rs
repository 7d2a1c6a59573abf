//! The passes of a selection. This module is pure.

use std::fmt;

use super::super::choices::powers;
use super::super::plan::Plan;
use super::super::scanning::form::ScanForm;
use super::super::scanning::sizes::{WIDTH, state_words, tile_length};
use super::super::scanning::target::Target;

/// The properties of a selection on which its plan depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of elements.
    pub(super) length: u64,
    /// The number of bytes that are read for each element.
    pub(super) read: u64,
    /// The number of bytes that are certainly written for each element.
    pub(super) written: u64,
    /// Whether elements are compared with their neighbours, which takes two reads for each element.
    pub(super) changes: bool,
}

/// The form in which the kept elements are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One pass over tiles: each tile looks back at the tiles before it for their number of kept elements.
    Chained,
    /// Three passes over tiles: the number of kept elements in each tile, their number before each tile, the results.
    Tiles,
    /// An invocation processes one of `parts` parts, without workgroup memory. Several parts take three passes.
    Lines { parts: u64 },
    /// As `Lines`, but a workgroup counts the elements of a part, and another one of one invocation moves them.
    Walks { parts: u64 },
}

/// One launch, or the clearing of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Clears the memory through which workgroups exchange counts.
    ClearStates,
    /// Writes the results of all tiles in one pass.
    Chained {
        groups: u64,
    },
    /// Writes the results of all elements, which fit into one tile.
    Tile,
    CountTiles {
        groups: u64,
    },
    ScanTileCounts,
    Tiles {
        groups: u64,
    },
    /// Writes the results of all elements, as one part.
    Line,
    CountParts {
        groups: u64,
    },
    ScanPartCounts,
    Parts {
        groups: u64,
    },
    /// As `Line`, in a workgroup of one invocation.
    Row,
    CountWalks {
        parts: u64,
    },
    ScanWalkCounts,
    Walks {
        parts: u64,
    },
}

/// A plan with the numbers that kernels need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) plan: Plan<Pass>,
    /// The number of tiles or parts.
    pub(super) tiles: u64,
    /// The number of elements of a part.
    pub(super) chunk: u64,
}

impl Choice {
    /// Returns all choices.
    pub(super) fn all(shape: Shape, target: Target) -> Vec<Self> {
        if target.walks {
            return powers((shape.length / 256).clamp(1, 256)).map(|parts| Self::Walks { parts }).collect();
        }
        if target.software {
            let least = shape.length.div_ceil(1 << 15);
            let parts = powers((shape.length / 64).clamp(1, 4096)).filter(|parts| *parts >= least);
            return parts.map(|parts| Self::Lines { parts }).collect();
        }
        vec![Self::Tiles, Self::Chained]
    }

    /// Whether the choice, which was made for another selection, keeps to the limits of software.
    pub(super) fn is_possible(self, shape: Shape, target: Target) -> bool {
        match self {
            Self::Lines { parts } if target.software => shape.length.div_ceil(parts.max(1)) <= 1 << 15,
            _ => true,
        }
    }

    /// Returns the default choice for these sizes.
    pub(super) fn default_for(shape: Shape, target: Target) -> Self {
        if target.walks {
            // Parts have at least 2 048 elements, and there are enough of them for every thread of the CPU.
            return Self::Walks { parts: (shape.length / 2048).clamp(1, 256) };
        }
        if target.software {
            // As for scans, parts have 512 to 32 768 elements. A workgroup processes 256 parts, and several workgroups
            // are needed to occupy all threads.
            return Self::Lines { parts: (shape.length / 512).clamp(1, 4096).max(shape.length.div_ceil(1 << 15)) };
        }
        // On an H200, for 2^26 elements: one pass takes 1.07 to 1.2 times as long as three passes for a predicate, and
        // 0.76 to 0.87 of their time for changes.
        if shape.changes && shape.length > tile_length(4) { Self::Chained } else { Self::Tiles }
    }
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chained => f.write_str("chained"),
            Self::Tiles => f.write_str("tiles"),
            Self::Lines { parts } => write!(f, "lines parts={parts}"),
            Self::Walks { parts } => write!(f, "walks parts={parts}"),
        }
    }
}

impl From<ScanForm> for Choice {
    fn from(form: ScanForm) -> Self {
        match form {
            ScanForm::Chained => Self::Chained,
            ScanForm::Tiles | ScanForm::Vectors { .. } => Self::Tiles,
            ScanForm::Lines { parts } => Self::Lines { parts: parts.into() },
        }
    }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Planned {
    let length = shape.length;
    if length == 0 {
        return Planned { plan: Plan::nothing(), tiles: 0, chunk: 0 };
    }
    let groups = length.div_ceil(tile_length(4));
    let (passes, scratch, tiles, chunk) = match choice {
        Choice::Chained => (vec![Pass::ClearStates, Pass::Chained { groups }], 4 * state_words(groups), groups, 0),
        Choice::Tiles if groups == 1 => (vec![Pass::Tile], 0, 1, 0),
        Choice::Tiles => {
            let passes = vec![Pass::CountTiles { groups }, Pass::ScanTileCounts, Pass::Tiles { groups }];
            (passes, 8 * groups, groups, 0)
        }
        Choice::Lines { parts } | Choice::Walks { parts } => {
            let chunk = length.div_ceil(parts.clamp(1, length));
            let parts = length.div_ceil(chunk);
            let groups = parts.div_ceil(WIDTH);
            let (one, three) = match choice {
                Choice::Walks { .. } => {
                    (Pass::Row, [Pass::CountWalks { parts }, Pass::ScanWalkCounts, Pass::Walks { parts }])
                }
                _ => (Pass::Line, [Pass::CountParts { groups }, Pass::ScanPartCounts, Pass::Parts { groups }]),
            };
            if parts == 1 { (vec![one], 0, 1, chunk) } else { (three.to_vec(), 8 * parts, parts, chunk) }
        }
    };
    let bytes = length.saturating_mul(shape.read + shape.written);
    Planned { plan: Plan { passes, scratch, flops: length, bytes }, tiles, chunk }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, walks: false, cuda: false };
    const SOFTWARE: Target = Target { software: true, ..GPU };
    const CPU: Target = Target { walks: true, ..SOFTWARE };

    fn shape(length: u64) -> Shape {
        Shape { length, read: 8, written: 4, changes: false }
    }

    #[test]
    fn a_long_selection_takes_three_passes_and_a_short_one_takes_one_tile() {
        let passes = |length, target| plan(shape(length), Choice::default_for(shape(length), target)).plan.passes;
        assert_eq!(passes(0, GPU), []);
        assert_eq!(passes(3328, GPU), [Pass::Tile]);
        let groups = 2;
        assert_eq!(passes(3329, GPU), [Pass::CountTiles { groups }, Pass::ScanTileCounts, Pass::Tiles { groups }]);
        let changes = Shape { changes: true, ..shape(3329) };
        let chained = plan(changes, Choice::default_for(changes, GPU)).plan.passes;
        assert_eq!(chained, [Pass::ClearStates, Pass::Chained { groups }]);
        assert_eq!(passes(1023, SOFTWARE), [Pass::Line]);
        let groups = 1;
        assert_eq!(passes(1024, SOFTWARE), [Pass::CountParts { groups }, Pass::ScanPartCounts, Pass::Parts { groups }]);
        assert_eq!(passes(4095, CPU), [Pass::Row]);
        let parts = 2;
        assert_eq!(passes(4096, CPU), [Pass::CountWalks { parts }, Pass::ScanWalkCounts, Pass::Walks { parts }]);
    }

    #[test]
    fn cost_and_scratch_are_counted() {
        let planned = plan(shape(10_000), Choice::Tiles).plan;
        assert_eq!((planned.flops, planned.bytes, planned.scratch), (10_000, 120_000, 4 * 8));
        assert_eq!(plan(shape(10_000), Choice::Chained).plan.scratch, 4 * 16);
    }

    #[test]
    fn every_element_is_in_one_part() {
        for length in [1, 2, 1023, 1024, 65_537, (1 << 32) - (1 << 16)] {
            for parts in [0, 1, 2, 3, 512, u64::MAX] {
                for choice in [Choice::Lines { parts }, Choice::Walks { parts }] {
                    let Planned { tiles, chunk, .. } = plan(shape(length), choice);
                    assert!(tiles * chunk >= length && (tiles - 1) * chunk < length, "{length} {choice:?}");
                }
            }
        }
    }
}
