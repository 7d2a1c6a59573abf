//! The passes of a scan. This module is pure.

use super::super::plan::Plan;
use super::super::scanning::sizes::{WIDTH, state_words, tile_length};

/// The number of invocations that walk a strip.
const LANES: u64 = 8;

/// The size of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of lines, each of which is scanned apart.
    pub(super) lines: u64,
    /// The number of elements of a line.
    pub(super) length: u64,
    /// The distance between the elements of a line, in elements.
    pub(super) inner: u64,
    /// The size of an element, and of a combined value, in bytes.
    pub(super) element: u64,
    pub(super) value: u64,
    /// The bytes of head flags, keys and offsets, which are read.
    pub(super) heads: u64,
    /// The number of offsets of segments, for which bits are set first.
    pub(super) offsets: Option<u64>,
    /// Whether results replace the elements.
    pub(super) in_place: bool,
}

/// The way in which the elements are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One pass over tiles, each of which looks back for the sum of those before it.
    Chained,
    /// Three passes over tiles: their sums, the sums before them, the results.
    Tiles,
    /// An invocation walks one of `parts` parts of one line, without workgroup memory. Several parts take three passes.
    Lines { parts: u64 },
    /// A subgroup of eight walks one of `parts` parts of one line of neighbouring elements.
    Strips { parts: u64 },
}

/// The properties of a device on which a choice depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Whether the device is a processor, which runs barriers slowly.
    pub(super) software: bool,
    /// Whether kernels are compiled by this project for a processor, in subgroups of eight.
    pub(super) strips: bool,
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Zeros for the bits of segments, then a bit for each offset.
    ClearMarks,
    Marks {
        groups: u64,
    },
    /// Zeros for the memory through which workgroups exchange sums, then the scan.
    ClearStates,
    Chained {
        groups: u64,
    },
    /// The only tile.
    Tile,
    SumTiles {
        groups: u64,
    },
    /// The sums of all tiles, in one workgroup.
    ScanTileSums,
    ScanTiles {
        groups: u64,
    },
    /// All lines, each of which is one part.
    Lines {
        groups: u64,
    },
    SumParts {
        groups: u64,
    },
    ScanPartSums {
        groups: u64,
    },
    ScanParts {
        groups: u64,
    },
    /// All lines, each of which is one part of a subgroup.
    Rows {
        lines: u64,
    },
    SumStrips {
        parts: u64,
        lines: u64,
    },
    ScanStrips {
        parts: u64,
        lines: u64,
    },
}

/// A plan with the numbers that kernels need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) plan: Plan<Pass>,
    /// The number of tiles, or of parts of a line.
    pub(super) tiles: u64,
    /// The number of elements of a part.
    pub(super) chunk: u64,
}

impl Shape {
    pub(super) fn elements(&self) -> u64 {
        self.lines.saturating_mul(self.length)
    }

    /// The words with a bit for each element, if there are offsets.
    pub(super) fn mark_words(&self) -> u64 {
        self.offsets.map_or(0, |_| self.elements().div_ceil(32))
    }
}

impl Choice {
    /// The choice without tuning.
    pub(super) fn default_for(shape: Shape, target: Target) -> Self {
        let lines = shape.lines.max(1);
        if target.strips && shape.inner == 1 {
            // Parts of at least 2 048 elements, and enough of them for every processor.
            return Self::Strips { parts: (256 / lines).min(shape.length / 2048).max(1) };
        }
        if target.software {
            // Parts of at least 512 elements, 4 096 for all lines: 16 workgroups, one for each thread. More lines than
            // that need no parts, and one pass reads the elements once. Parts have at most 32 768 elements, as llvmpipe
            // ends loops after 65 535 iterations.
            let parts = (4096 / lines).min(shape.length / 512).max(shape.length.div_ceil(1 << 15));
            return Self::Lines { parts: parts.max(1) };
        }
        if shape.inner > 1 {
            // Neighbouring invocations walk neighbouring lines. 2^16 invocations fill a large device; sums of parts are
            // scanned by one invocation for each line, so there are at most 256.
            return Self::Lines { parts: ((1 << 16) / lines).min(shape.length / 32).clamp(1, 256) };
        }
        // On an H200 the chained form takes at least 1.4 times as long, for 2^26 elements.
        Self::Tiles
    }
}

/// The passes for a choice, as far as the shape permits it.
pub(super) fn plan(shape: Shape, choice: Choice) -> Planned {
    let elements = shape.elements();
    if elements == 0 {
        return Planned { plan: Plan::nothing(), tiles: 0, chunk: 0 };
    }
    let tiles = elements.div_ceil(tile_length(shape.value));
    let mut passes = Vec::new();
    if let Some(offsets) = shape.offsets {
        passes.extend([Pass::ClearMarks, Pass::Marks { groups: offsets.div_ceil(WIDTH) }]);
    }
    let mut scratch = 4 * shape.mark_words();
    let sums = |count: u64| count * (shape.value + 4);
    let (count, chunk) = match choice {
        Choice::Chained if shape.inner == 1 && !shape.in_place && shape.value == 4 => {
            scratch += 4 * state_words(tiles);
            passes.extend([Pass::ClearStates, Pass::Chained { groups: tiles }]);
            (tiles, 0)
        }
        Choice::Chained | Choice::Tiles if shape.inner == 1 => {
            if tiles == 1 {
                passes.push(Pass::Tile);
            } else {
                scratch += sums(tiles);
                let groups = tiles;
                passes.extend([Pass::SumTiles { groups }, Pass::ScanTileSums, Pass::ScanTiles { groups }]);
            }
            (tiles, 0)
        }
        Choice::Strips { parts } if shape.inner == 1 => {
            let lines = shape.lines;
            let chunk = shape.length.div_ceil(parts.clamp(1, shape.length)).next_multiple_of(LANES);
            let parts = shape.length.div_ceil(chunk);
            if parts == 1 {
                passes.push(Pass::Rows { lines });
            } else {
                scratch += sums(lines * parts);
                let groups = lines.div_ceil(WIDTH);
                passes.extend([
                    Pass::SumStrips { parts, lines },
                    Pass::ScanPartSums { groups },
                    Pass::ScanStrips { parts, lines },
                ]);
            }
            (parts, chunk)
        }
        choice => {
            let wanted = if let Choice::Lines { parts } | Choice::Strips { parts } = choice { parts } else { 1 };
            let chunk = shape.length.div_ceil(wanted.clamp(1, shape.length));
            let parts = shape.length.div_ceil(chunk);
            let [jobs, lines] = [shape.lines * parts, shape.lines].map(|count| count.div_ceil(WIDTH));
            if parts == 1 {
                passes.push(Pass::Lines { groups: lines });
            } else {
                scratch += sums(shape.lines * parts);
                passes.extend([
                    Pass::SumParts { groups: jobs },
                    Pass::ScanPartSums { groups: lines },
                    Pass::ScanParts { groups: jobs },
                ]);
            }
            (parts, chunk)
        }
    };
    let bytes = elements.saturating_mul(2 * shape.element).saturating_add(shape.heads);
    Planned { plan: Plan { passes, scratch, flops: elements, bytes }, tiles: count, chunk }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const LLVMPIPE: Target = Target { software: true, strips: false };
    const CPU: Target = Target { software: true, strips: true };

    fn line(length: u64) -> Shape {
        Shape { lines: 1, length, inner: 1, element: 4, value: 4, heads: 0, offsets: None, in_place: false }
    }

    fn passes(shape: Shape, target: Target) -> Vec<Pass> {
        plan(shape, Choice::default_for(shape, target)).plan.passes
    }

    #[test]
    fn a_long_scan_takes_three_passes_and_a_short_one_takes_one_tile() {
        assert_eq!(passes(line(0), GPU), []);
        assert_eq!(passes(line(1), GPU), [Pass::Tile]);
        assert_eq!(passes(line(3328), GPU), [Pass::Tile]);
        let three = [Pass::SumTiles { groups: 2 }, Pass::ScanTileSums, Pass::ScanTiles { groups: 2 }];
        assert_eq!(passes(line(3329), GPU), three);
        let chained = plan(line(3329), Choice::Chained).plan.passes;
        assert_eq!(chained, [Pass::ClearStates, Pass::Chained { groups: 2 }]);
    }

    #[test]
    fn what_cannot_be_chained_takes_three_passes() {
        let three = |groups| vec![Pass::SumTiles { groups }, Pass::ScanTileSums, Pass::ScanTiles { groups }];
        let in_place = Shape { in_place: true, ..line(10_000) };
        assert_eq!(passes(in_place, GPU), three(4));
        assert_eq!(plan(in_place, Choice::Chained).plan.passes, three(4));
        let wide = Shape { element: 8, value: 8, ..line(10_000) };
        assert_eq!(passes(wide, GPU), three(8));
        assert_eq!(plan(wide, Choice::Chained).plan.passes, three(8));
    }

    #[test]
    fn columns_and_the_processor_walk_lines() {
        let columns = Shape { lines: 1 << 16, inner: 1 << 10, ..line(1 << 10) };
        assert_eq!(passes(columns, GPU), [Pass::Lines { groups: 256 }]);
        assert_eq!(plan(columns, Choice::Chained).plan.passes, [Pass::Lines { groups: 256 }]);
        let few = plan(Shape { lines: 4, inner: 4, ..line(1 << 20) }, Choice::Lines { parts: 256 });
        assert_eq!((few.tiles, few.chunk), (256, 4096));
        let groups = 4;
        let wanted = [Pass::SumParts { groups }, Pass::ScanPartSums { groups: 1 }, Pass::ScanParts { groups }];
        assert_eq!(few.plan.passes, wanted);
        assert_eq!(passes(line(1023), LLVMPIPE), [Pass::Lines { groups: 1 }]);
        assert_eq!(passes(line(1024), LLVMPIPE).len(), 3);
        assert_eq!(passes(Shape { lines: 6000, ..line(1 << 15) }, LLVMPIPE).len(), 1);
        assert_eq!(passes(Shape { lines: 6000, ..line((1 << 15) + 1) }, LLVMPIPE).len(), 3);
        assert_eq!(passes(columns, CPU), [Pass::Lines { groups: 256 }]);
    }

    #[test]
    fn the_processor_walks_neighbouring_elements_in_strips() {
        assert_eq!(passes(line(4095), CPU), [Pass::Rows { lines: 1 }]);
        let strips = plan(line(4097), Choice::default_for(line(4097), CPU));
        let (sums, scans) = (Pass::SumStrips { parts: 2, lines: 1 }, Pass::ScanStrips { parts: 2, lines: 1 });
        assert_eq!(strips.plan.passes, [sums, Pass::ScanPartSums { groups: 1 }, scans]);
        assert_eq!((strips.tiles, strips.chunk), (2, 2056));
        assert_eq!(passes(Shape { lines: 600, ..line(1 << 20) }, CPU), [Pass::Rows { lines: 600 }]);
        assert_eq!(passes(Shape { lines: 4, ..line(1 << 20) }, CPU)[0], Pass::SumStrips { parts: 64, lines: 4 });
    }

    #[test]
    fn offsets_set_bits_first() {
        let shape = Shape { offsets: Some(300), heads: 1200, ..line(10_000) };
        let planned = plan(shape, Choice::Chained).plan;
        assert_eq!(planned.passes[..2], [Pass::ClearMarks, Pass::Marks { groups: 2 }]);
        assert_eq!(planned.scratch, 4 * 313 + 4 * (1 + 4 * 4));
        assert_eq!((planned.flops, planned.bytes), (10_000, 2 * 4 * 10_000 + 1200));
    }

    #[test]
    fn every_element_is_in_one_part_and_nothing_overflows() {
        for length in [1, 2, 1023, 1024, 1025, 65_537, (1 << 32) - (1 << 16)] {
            for parts in [0, 1, 2, 3, 512, u64::MAX] {
                for choice in [Choice::Lines { parts }, Choice::Strips { parts }] {
                    let planned = plan(line(length), choice);
                    let (tiles, chunk) = (planned.tiles, planned.chunk);
                    assert!(tiles * chunk >= length && (tiles - 1) * chunk < length, "{length} {choice:?}");
                }
            }
            for choice in [Choice::Chained, Choice::Tiles] {
                let tiles = plan(line(length), choice).tiles;
                assert!(tiles * 3328 >= length && tiles * 3328 < 1 << 32, "{length}");
            }
        }
    }
}
