//! The passes of a product of a sparse and a dense matrix. This module is pure.

use std::fmt;

use super::super::moving::MAX_ELEMENTS;
use super::super::plan::Plan;
use super::super::rows::plan::Target;
use super::format::SparseFormat;

/// The number of items of a tile that a workgroup computes: the constant `TILE` of the kernel.
const TILE: u64 = 1024;
/// The number of sums of products of a workgroup of blocks: the constant `DOTS` of the kernel.
pub(super) const DOTS: u64 = 16;
/// The number of items that an invocation computes without others.
const ALONE: u64 = 1 << 12;
/// The number of invocations of a workgroup of teams, and of rows of a block.
const GROUP: u64 = 256;

/// The sizes of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) rows: u64,
    pub(super) columns: u64,
    pub(super) entries: u64,
    /// The number of entries of the longest row.
    pub(super) longest: u64,
    /// The number of columns of the dense matrices.
    pub(super) width: u64,
    /// The size of an element, in bytes.
    pub(super) size: u64,
    /// Whether the old elements of the result are read.
    pub(super) accumulate: bool,
}

/// The assignment of invocations to entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// An invocation computes an element of the result.
    Lines,
    /// A workgroup computes 256 neighbouring rows, whose terms pass through workgroup memory.
    Blocks,
    /// `lanes` invocations compute an element of the result: a power of two, from 2 to 256.
    Teams { lanes: u32 },
    /// A workgroup computes a tile of entries and ends of rows.
    Tiles,
    /// An invocation computes a column of a tile of `items` entries and ends of rows.
    Walk { items: u64 },
    /// A workgroup of one invocation computes all columns of some rows.
    Runs { rows: u64 },
    /// A workgroup of one invocation computes all columns of a tile of `items` entries and ends of rows.
    Alone { items: u64 },
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines => f.write_str("lines"),
            Self::Blocks => f.write_str("blocks"),
            Self::Teams { lanes } => write!(f, "teams lanes={lanes}"),
            Self::Tiles => f.write_str("tiles"),
            Self::Walk { items } => write!(f, "walk items={items}"),
            Self::Runs { rows } => write!(f, "runs rows={rows}"),
            Self::Alone { items } => write!(f, "alone items={items}"),
        }
    }
}

impl Choice {
    /// All choices; the plan replaces one that does not fit the shape.
    pub(super) fn all(target: Target) -> Vec<Self> {
        let walks = [64, 128, 256, 512, 1024, 2048].map(|items| Self::Walk { items });
        let teams = (1..=8).filter(|_| !target.software).map(|exponent| Self::Teams { lanes: 1 << exponent });
        let groups = [Self::Blocks, Self::Tiles].into_iter().filter(|_| !target.software);
        let alone = (10..=16).step_by(2).filter(|_| target.strips).map(|exponent| Self::Alone { items: 1 << exponent });
        let runs = (5..=11).step_by(2).filter(|_| target.strips).map(|exponent| Self::Runs { rows: 1 << exponent });
        [Self::Lines].into_iter().chain(groups).chain(teams).chain(walks).chain(alone).chain(runs).collect()
    }

    /// The default choice.
    pub(super) fn default_for(shape: Shape, target: Target) -> Self {
        let Shape { rows, entries, longest, width, .. } = shape;
        let mean = entries / rows.max(1);
        if target.strips {
            // Eight rows take as long as the longest of them; tiles take equally long, but twice as long for each entry.
            // Tiles divide the work evenly among the threads, as a row of lines is the work of one thread.
            let uneven = longest > 8 * mean.max(8) || (rows * width < 64 && longest >= 1 << 14);
            if width < 8 {
                // Neighbouring rows read unrelated elements of `x`, so that lanes have nothing in common.
                let rows = (ALONE / (mean + 1)).max(1);
                return if uneven { Self::Alone { items: ALONE } } else { Self::Runs { rows } };
            }
            return if uneven { Self::Walk { items: 1 << 10 } } else { Self::Lines };
        }
        // The longest row delays its workgroup while all others have finished.
        let uneven = longest >= 2048 && (longest / 32 > mean || rows * width < 256);
        if uneven {
            // With several columns, neighbouring invocations read neighbouring elements of the dense matrix.
            return if width < 16 { Self::Tiles } else { Self::Walk { items: 128 } };
        }
        // The rows of a workgroup have up to 2048 entries, which are in its memory at once, and no row delays the others
        // for long. Lanes read memory in twice as many steps as entries of a short row.
        if width == 1 && (3..=8).contains(&mean) && longest <= 128 {
            return Self::Blocks;
        }
        // Lanes read neighbouring entries; columns already share entries and read neighbouring elements.
        match (mean / width.max(1)).min(256) {
            0..=2 => Self::Lines,
            lanes => Self::Teams { lanes: (lanes as u32).next_power_of_two() / 2 },
        }
    }

    /// Returns the choice that the shape permits in place of this one.
    fn fitting(self, shape: Shape, target: Target) -> Self {
        let limit = target.max_iterations();
        let chosen = match self {
            Self::Lines if shape.longest > limit => Self::Walk { items: TILE },
            Self::Teams { lanes } if shape.longest / u64::from(lanes) >= limit => Self::Tiles,
            Self::Blocks if shape.longest >= limit => Self::Tiles,
            Self::Alone { items } if !target.strips => Self::Walk { items },
            Self::Runs { .. } if !target.strips => Self::Lines,
            other => other,
        };
        let fits = |tile: u64| tiles(shape, tile).saturating_mul(2 * shape.width) <= MAX_ELEMENTS;
        match chosen {
            Self::Tiles if !fits(TILE) => Self::Walk { items: larger(TILE, fits) },
            Self::Walk { items } => Self::Walk { items: larger(items.clamp(1, limit / 2), fits) },
            Self::Alone { items } => Self::Alone { items: larger(items.max(1), fits) },
            other => other,
        }
    }
}

/// Doubles a number of items until it fits.
fn larger(mut items: u64, fits: impl Fn(u64) -> bool) -> u64 {
    while items < 1 << 31 && !fits(items) {
        items *= 2;
    }
    items
}

fn tiles(shape: Shape, tile: u64) -> u64 {
    (shape.rows + shape.entries).div_ceil(tile)
}

/// One launch, with its number of invocations or of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Lines {
        threads: u64,
    },
    /// Rows of a matrix in slices.
    Slices {
        threads: u64,
    },
    /// Rows of a matrix of dense blocks.
    DenseBlocks {
        threads: u64,
    },
    Blocks {
        groups: u64,
    },
    Teams {
        groups: u64,
        lanes: u32,
    },
    /// Finds the rows of tiles.
    Divide {
        threads: u64,
    },
    Tiles {
        groups: u64,
    },
    Walk {
        threads: u64,
    },
    Alone {
        groups: u64,
    },
    Runs {
        groups: u64,
        rows: u64,
    },
    FinishLines {
        threads: u64,
    },
    FinishTeams {
        groups: u64,
    },
}

/// A plan with the numbers that kernels need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) plan: Plan<Pass>,
    pub(super) tiles: u64,
    /// The number of items of a tile.
    pub(super) tile: u64,
}

/// The plan for a matrix in another format than rows, whose arrays of columns and of values have these lengths.
pub(super) fn of_format(shape: Shape, format: SparseFormat, [columns, values]: [u64; 2]) -> Planned {
    let Shape { rows, entries, width, size, .. } = shape;
    let threads = rows.saturating_mul(width);
    let mut planned = planned(Shape { entries: columns, ..shape }, threads, (0, 0), Vec::new());
    if threads > 0 {
        // The rows to which an offset belongs.
        let (pass, of_offset) = match format {
            SparseFormat::Blocks { rows, .. } => (Pass::DenseBlocks { threads }, rows as u64),
            SparseFormat::Csr | SparseFormat::Sliced => (Pass::Slices { threads }, 32),
        };
        planned.plan.passes = vec![pass];
        planned.plan.flops = entries.saturating_mul(2 * width);
        planned.plan.bytes = planned.plan.bytes.saturating_add((values - columns).saturating_mul(size));
        planned.plan.bytes -= 4 * (rows - rows.div_ceil(of_offset));
    }
    planned
}

pub(super) fn plan(shape: Shape, choice: Choice, target: Target) -> Planned {
    let Shape { rows, longest, width, .. } = shape;
    let elements = rows.saturating_mul(width);
    if elements == 0 {
        return Planned { plan: Plan::nothing(), tiles: 0, tile: 1 };
    }
    let tile = match choice.fitting(shape, target) {
        Choice::Tiles => TILE,
        Choice::Walk { items } | Choice::Alone { items } => items,
        Choice::Lines | Choice::Blocks | Choice::Teams { .. } | Choice::Runs { .. } => 0,
    };
    let count = if tile == 0 { 0 } else { tiles(shape, tile) };
    let of_tiles = count * width;
    let mut passes = match choice.fitting(shape, target) {
        Choice::Lines => vec![Pass::Lines { threads: elements }],
        Choice::Blocks => vec![Pass::Blocks { groups: rows.div_ceil(GROUP) * width }],
        Choice::Teams { lanes } => {
            vec![Pass::Teams { groups: elements.div_ceil(GROUP / u64::from(lanes)), lanes }]
        }
        Choice::Tiles => vec![Pass::Divide { threads: count + 1 }, Pass::Tiles { groups: of_tiles }],
        Choice::Walk { .. } => vec![Pass::Walk { threads: of_tiles }],
        Choice::Alone { .. } => vec![Pass::Alone { groups: count }],
        Choice::Runs { rows: run } => vec![Pass::Runs { groups: rows.div_ceil(run.max(1)), rows: run.max(1) }],
    };
    if count > 1 {
        // Few rows continue in more tiles than a team has invocations. Barriers are slow on the CPU.
        let few = target.strips || longest / tile < 64;
        passes.push(if few && count < target.max_iterations() {
            Pass::FinishLines { threads: of_tiles }
        } else {
            Pass::FinishTeams { groups: of_tiles }
        });
    }
    planned(shape, elements, (tile, count), passes)
}

/// The plan of passes for some elements, with tiles of a size and in a number.
fn planned(shape: Shape, elements: u64, (tile, count): (u64, u64), passes: Vec<Pass>) -> Planned {
    let Shape { rows, columns, entries, width, size, accumulate, .. } = shape;
    if elements == 0 {
        return Planned { plan: Plan::nothing(), tiles: 0, tile: 1 };
    }
    let of_tiles = count * width;
    let dense = columns.saturating_mul(width).saturating_add(elements.saturating_mul(1 + u64::from(accumulate)));
    let bytes = entries * (4 + size) + (rows + 1) * 4;
    Planned {
        plan: Plan {
            passes,
            scratch: 2 * of_tiles * size + 4 * (count + if count == 0 { 0 } else { count + 1 }),
            flops: entries.saturating_mul(2 * width),
            bytes: bytes.saturating_add(dense.saturating_mul(size)),
        },
        tiles: count,
        tile: tile.max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const CPU: Target = Target { software: true, strips: true };
    const LLVMPIPE: Target = Target { software: true, strips: false };

    fn shape(rows: u64, entries: u64, longest: u64) -> Shape {
        Shape { rows, columns: 10, entries, longest, width: 1, size: 4, accumulate: false }
    }

    #[test]
    fn lanes_follow_the_mean_length_of_rows() {
        let choice = |mean: u64| Choice::default_for(shape(10_000, mean * 10_000, mean), GPU);
        assert_eq!([choice(0), choice(2)], [Choice::Lines; 2]);
        assert_eq!([choice(3), choice(8)], [Choice::Blocks; 2]);
        assert_eq!(choice(9), Choice::Teams { lanes: 8 });
        assert_eq!(Choice::default_for(shape(10_000, 30_000, 129), GPU), Choice::Teams { lanes: 2 });
        assert_eq!(
            Choice::default_for(Shape { width: 2, ..shape(10_000, 60_000, 6) }, GPU),
            Choice::Teams { lanes: 2 }
        );
        assert_eq!(choice(32), Choice::Teams { lanes: 16 });
        assert_eq!(choice(100_000), Choice::Teams { lanes: 128 });
        let wide = Shape { width: 32, ..shape(10_000, 320_000, 32) };
        assert_eq!(Choice::default_for(wide, GPU), Choice::Lines);
    }

    #[test]
    fn uneven_rows_are_computed_in_tiles() {
        assert_eq!(Choice::default_for(shape(10_000, 40_000, 2047), GPU), Choice::Teams { lanes: 2 });
        assert_eq!(Choice::default_for(shape(10_000, 40_000, 2048), GPU), Choice::Tiles);
        let wide = Shape { width: 16, ..shape(10_000, 40_000, 2048) };
        assert_eq!(Choice::default_for(wide, GPU), Choice::Walk { items: 128 });
        assert_eq!(Choice::default_for(shape(1, 1 << 20, 1 << 20), GPU), Choice::Tiles);
        assert_eq!(Choice::default_for(shape(10_000, 40_000, 64), CPU), Choice::Runs { rows: 819 });
        assert_eq!(Choice::default_for(shape(10_000, 40_000, 65), CPU), Choice::Alone { items: 4096 });
        let on_cpu =
            |rows, entries, longest| Choice::default_for(Shape { width: 8, ..shape(rows, entries, longest) }, CPU);
        assert_eq!(on_cpu(10_000, 40_000, 64), Choice::Lines);
        assert_eq!(on_cpu(10_000, 40_000, 65), Choice::Walk { items: 1024 });
        assert_eq!(on_cpu(1, 1 << 14, 1 << 14), Choice::Walk { items: 1024 });
        assert_eq!(on_cpu(1, 1 << 13, 1 << 13), Choice::Lines);
    }

    #[test]
    fn passes_cover_all_elements() {
        let passes = |shape, choice| plan(shape, choice, GPU).plan.passes;
        assert_eq!(plan(shape(0, 0, 0), Choice::Tiles, GPU).plan, Plan::nothing());
        assert_eq!(plan(Shape { width: 0, ..shape(4, 9, 3) }, Choice::Lines, GPU).plan, Plan::nothing());
        assert_eq!(passes(shape(5, 0, 0), Choice::Lines), [Pass::Lines { threads: 5 }]);
        assert_eq!(passes(shape(65, 0, 0), Choice::Teams { lanes: 4 }), [Pass::Teams { groups: 2, lanes: 4 }]);
        assert_eq!(passes(shape(257, 900, 5), Choice::Blocks), [Pass::Blocks { groups: 2 }]);
        let divided = |tiles| [Pass::Divide { threads: tiles + 1 }, Pass::Tiles { groups: tiles }];
        assert_eq!(passes(shape(24, 1000, 900), Choice::Tiles), divided(1));
        let two = [Pass::Divide { threads: 3 }, Pass::Tiles { groups: 2 }, Pass::FinishLines { threads: 2 }];
        assert_eq!(passes(shape(25, 1000, 900), Choice::Tiles), two);
        let long = [Pass::Divide { threads: 66 }, Pass::Tiles { groups: 65 }, Pass::FinishTeams { groups: 65 }];
        assert_eq!(passes(shape(1, 1 << 16, 1 << 16), Choice::Tiles), long);
        let wide = Shape { width: 3, ..shape(4, 9, 3) };
        assert_eq!(
            passes(wide, Choice::Walk { items: 4 }),
            [Pass::Walk { threads: 12 }, Pass::FinishLines { threads: 12 }]
        );
        assert_eq!(plan(wide, Choice::Walk { items: 4 }, GPU).tiles, 4);
    }

    #[test]
    fn loops_have_few_iterations_where_they_must() {
        let passes = |choice| plan(shape(1, 1 << 26, 1 << 26), choice, LLVMPIPE).plan.passes[0];
        assert_eq!(passes(Choice::Lines), Pass::Walk { threads: (1 << 16) + 1 });
        assert_eq!(passes(Choice::Teams { lanes: 2 }), Pass::Divide { threads: (1 << 16) + 2 });
        assert_eq!(passes(Choice::Blocks), Pass::Divide { threads: (1 << 16) + 2 });
        assert_eq!(plan(shape(1, 1 << 26, 1 << 26), Choice::Walk { items: 1 << 20 }, LLVMPIPE).tile, 30_000);
    }

    #[test]
    fn partial_sums_can_be_counted() {
        let wide = Shape { width: 1 << 20, ..shape(1000, 1 << 30, 1 << 30) };
        let planned = plan(wide, Choice::Tiles, GPU);
        assert!(planned.tiles * wide.width * 2 <= MAX_ELEMENTS && planned.tile > TILE, "{planned:?}");
    }

    #[test]
    fn other_formats_are_read_once() {
        assert_eq!(of_format(shape(0, 0, 0), SparseFormat::Sliced, [0, 0]).plan, Plan::nothing());
        let planned = of_format(shape(65, 130, 3), SparseFormat::Sliced, [3 * 96; 2]).plan;
        assert_eq!(planned.passes, [Pass::Slices { threads: 65 }]);
        assert_eq!((planned.flops, planned.bytes), (260, 288 * 8 + 4 * 4 + 4 * (10 + 65)));
        let planned = of_format(shape(6, 9, 3), SparseFormat::Blocks { rows: 3, columns: 2 }, [4, 24]).plan;
        assert_eq!(planned.passes, [Pass::DenseBlocks { threads: 6 }]);
        assert_eq!((planned.flops, planned.bytes), (18, 4 * 4 + 24 * 4 + 3 * 4 + 4 * (10 + 6)));
    }

    #[test]
    fn costs_count_each_element_once() {
        let cost = plan(Shape { accumulate: true, width: 2, ..shape(4, 9, 3) }, Choice::Lines, GPU).plan;
        assert_eq!((cost.flops, cost.scratch), (36, 0));
        assert_eq!(cost.bytes, 9 * 8 + 5 * 4 + 4 * (10 * 2 + 2 * 4 * 2));
        assert_eq!(plan(shape(25, 1000, 900), Choice::Tiles, GPU).plan.scratch, 2 * 2 * 4 + (2 + 3) * 4);
    }
}
