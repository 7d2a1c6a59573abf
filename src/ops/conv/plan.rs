//! The passes of a convolution. This module is pure.

use std::fmt;

use super::super::choices::Question;
use super::super::plan::Plan;
use super::super::rows::plan::Target;
use super::columns;

/// The channels, and the positions, that a workgroup of tiles computes.
const TILE: u64 = 64;
/// The channels that an invocation of rows computes.
const BLOCK: u64 = 4;
/// The positions of a workgroup of cooperative matrices, and its channels.
const TILE_OF_MATRICES: u64 = 128;
const NARROW_TILE_OF_MATRICES: u64 = 64;
/// The most taps of a kernel for cooperative matrices.
pub(super) const MAX_TAPS: u64 = 31;

/// The sizes of a job, and of its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) examples: u64,
    pub(super) groups: u64,
    /// The channels of a group in the source and in the result.
    pub(super) inputs: u64,
    pub(super) outputs: u64,
    /// The positions of the result: depth, height, width.
    pub(super) output: [u64; 3],
    /// The positions of the kernel.
    pub(super) taps: u64,
    /// Whether elements have 16 bits, and whether the result begins with the second half of a word.
    pub(super) halves: bool,
    pub(super) odd: bool,
    /// Whether each array is `f16`, has its channels last, in fours, and begins at a multiple of four elements, and whether
    /// a result reads weights one after the other, and an element of the source as often as it is.
    pub(super) fours: bool,
    /// Whether each position of the result reads one position of the source, the one with the same number, and arrays
    /// are matrices of positions and channels.
    pub(super) is_whole: bool,
    /// The elements of all arrays.
    pub(super) elements: u64,
}

impl Shape {
    /// Whether cooperative matrices can compute the job.
    fn has_matrices(&self) -> bool {
        self.fours && self.taps <= MAX_TAPS
    }

    fn positions(&self) -> u64 {
        self.output.iter().product()
    }

    /// The properties on which the choice depends.
    pub(super) fn question(&self, channels_last: bool) -> Question {
        let positions = self.examples.saturating_mul(self.positions());
        Question::new("conv", &[positions, self.groups, self.inputs, self.outputs, self.taps])
            .form(if self.halves { "f16" } else { "f32" })
            .form(if channels_last { "channels_last" } else { "channels_first" })
            .form_if(self.fours, "fours")
    }

    fn results(&self) -> u64 {
        self.examples * self.groups * self.outputs * self.positions()
    }
}

/// The invocations that compute a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One invocation for each result.
    Elements,
    /// One invocation for four channels of a position, with neighbouring invocations along a row of positions; f32
    /// only.
    Rows,
    /// Products of matrices, of the elements that so many rows of the result read; f32 only.
    Columns { rows: u64 },
    /// Workgroups for 64 channels and 64 positions.
    Tiles,
    /// Workgroups of four subgroups or more, of this size, for 128 positions and 128 channels, or 64 if they are narrow,
    /// by cooperative matrices in `f16`.
    Cooperative { lanes: u32, narrow: bool },
}

/// One step of a convolution: a dispatch with the size of its grid, or a step of products of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Elements { threads: u64 },
    Rows { threads: [u64; 3] },
    Columns(columns::Pass),
    Tiles { groups: [u64; 2] },
    Cooperative { groups: [u64; 2], lanes: u32, narrow: bool },
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements => f.write_str("elements"),
            Self::Rows => f.write_str("rows"),
            Self::Columns { rows } => write!(f, "columns rows={rows}"),
            Self::Tiles => f.write_str("tiles"),
            Self::Cooperative { lanes, narrow } => {
                write!(f, "cooperative lanes={lanes} channels={}", if *narrow { 64 } else { 128 })
            }
        }
    }
}

impl Choice {
    /// All choices; the plan replaces one that does not fit the shape.
    pub(super) fn all(shape: &Shape, matrices: Option<u32>, library: bool) -> Vec<Self> {
        let lanes = matrices.filter(|_| shape.has_matrices());
        let cooperative = lanes.map(|lanes| [false, true].map(|narrow| Self::Cooperative { lanes, narrow }));
        let columns = columns::rows_for(shape).filter(|_| library).map(|rows| Self::Columns { rows });
        let words = [Some(Self::Rows), columns].into_iter().flatten().filter(|_| !shape.halves);
        [Self::Elements, Self::Tiles].into_iter().chain(words).chain(cooperative.into_iter().flatten()).collect()
    }

    /// The choice without tuning, for a device with a size of subgroups for cooperative matrices, and with a library of
    /// matrix products.
    pub(super) fn default_for(shape: &Shape, target: Target, matrices: Option<u32>, library: bool) -> Self {
        // Steps of a few channels, or tiles of a few, would leave most of the matrices empty.
        let fills = shape.inputs * shape.taps >= 32 && shape.outputs >= 16;
        if let Some(lanes) = matrices.filter(|_| shape.has_matrices() && fills) {
            // Wide tiles load less for each product, but a device needs enough workgroups of them.
            let tiles = |columns: u64| {
                (shape.examples * shape.positions()).div_ceil(TILE_OF_MATRICES)
                    * shape.groups
                    * shape.outputs.div_ceil(columns)
            };
            let narrow = !shape.outputs.is_multiple_of(TILE_OF_MATRICES) || tiles(TILE_OF_MATRICES) < 192;
            return Self::Cooperative { lanes, narrow };
        }
        // Products of a few numbers cost less than gathering these.
        let is_deep = shape.inputs * shape.taps >= 8 && shape.outputs >= 8;
        if let (true, Some(rows)) = (library && target.strips && !shape.halves && is_deep, columns::rows_for(shape)) {
            return Self::Columns { rows };
        }
        // A processor has no use for tiles in workgroup memory; rows of a few positions fill less than a lane group.
        if target.strips && !shape.halves && shape.output[2] >= 4 {
            return Self::Rows;
        }
        // Most of a tile would be empty, or would be read for a few products.
        let fits = shape.outputs >= TILE / 4 && shape.inputs * shape.taps >= TILE / 4;
        if !target.software && fits && shape.examples * shape.positions() >= TILE {
            Self::Tiles
        } else {
            Self::Elements
        }
    }
}

/// The pass of a job.
pub(super) fn plan(shape: Shape, choice: Choice, channels_last: bool) -> Plan<Pass> {
    let results = shape.results();
    if results == 0 {
        return Plan::nothing();
    }
    let element = if shape.halves { 2 } else { 4 };
    let each = 4 / element;
    let flops = results.saturating_mul(2 * shape.inputs).saturating_mul(shape.taps);
    let bytes = shape.elements.saturating_mul(element);
    let pass = match choice {
        Choice::Columns { rows } if !shape.halves => {
            let (passes, scratch) = columns::passes(&shape, rows, channels_last);
            return Plan { passes, scratch, flops, bytes };
        }
        Choice::Rows if !shape.halves => {
            let [depth, height, width] = shape.output;
            let blocks = shape.examples * shape.groups * shape.outputs.div_ceil(BLOCK);
            Pass::Rows { threads: [width, depth * height, blocks] }
        }
        Choice::Tiles => {
            let channels = shape.groups * shape.outputs.div_ceil(TILE);
            let positions = (shape.examples * shape.positions()).div_ceil(TILE);
            Pass::Tiles { groups: if channels_last { [channels, positions] } else { [positions, channels] } }
        }
        Choice::Cooperative { lanes, narrow } if shape.has_matrices() => {
            let tile = if narrow { NARROW_TILE_OF_MATRICES } else { TILE_OF_MATRICES };
            let channels = shape.groups * shape.outputs.div_ceil(tile);
            let positions = (shape.examples * shape.positions()).div_ceil(TILE_OF_MATRICES);
            Pass::Cooperative { groups: [channels, positions], lanes, narrow }
        }
        _ => Pass::Elements { threads: (u64::from(shape.odd) + results).div_ceil(each) },
    };
    Plan { passes: vec![pass], scratch: 0, flops, bytes }
}

/// The division of the positions for derivatives by weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) parts: u64,
    /// The positions of a part.
    pub(super) chunk: u64,
}

impl Parts {
    /// The division without tuning, for sums of `positions` products for each weight.
    pub(super) fn default_for(weights: u64, positions: u64, target: Target) -> Self {
        // Enough invocations for a device, but no parts of a few positions, whose sums cost as much again.
        let wanted = if target.software { 1 << 12 } else { 1 << 17 };
        let parts = (wanted / weights.max(1)).min(positions / 64).clamp(1, 1 << 12);
        Self::of(parts, positions)
    }

    pub(super) fn of(parts: u64, positions: u64) -> Self {
        let chunk = positions.div_ceil(parts).max(1);
        Self { parts: positions.div_ceil(chunk).max(1), chunk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const PROCESSOR: Target = Target { software: true, strips: true };

    fn shape(inputs: u64, outputs: u64, output: [u64; 3], taps: u64) -> Shape {
        let [halves, odd, fours, is_whole] = [false; 4];
        Shape { examples: 2, groups: 3, inputs, outputs, output, taps, halves, odd, fours, is_whole, elements: 1000 }
    }

    #[test]
    fn the_table_uses_every_choice() {
        let wide = shape(64, 64, [1, 14, 14], 9);
        assert_eq!(Choice::default_for(&wide, GPU, None, false), Choice::Tiles);
        assert_eq!(Choice::default_for(&wide, Target { software: true, strips: false }, None, false), Choice::Elements);
        assert_eq!(Choice::default_for(&wide, PROCESSOR, None, false), Choice::Rows);
        assert_eq!(Choice::default_for(&Shape { halves: true, ..wide }, PROCESSOR, None, false), Choice::Elements);
        assert_eq!(Choice::default_for(&shape(64, 64, [9, 9, 3], 9), PROCESSOR, None, false), Choice::Elements);
        let by_library = |shape: &Shape| Choice::default_for(shape, PROCESSOR, None, true);
        assert_eq!(by_library(&wide), Choice::Columns { rows: (1 << 21) / (4 * 3 * (64 * 9 + 64) * 14) });
        assert_eq!(by_library(&Shape { halves: true, ..wide }), Choice::Elements);
        assert_eq!(by_library(&shape(1, 1, [1, 14, 14], 9)), Choice::Rows);
        assert_eq!(by_library(&shape(64, 64, [1, 1, 1 << 20], 9)), Choice::Rows);
        // Depthwise, few channels, few products, few positions.
        assert_eq!(Choice::default_for(&shape(1, 1, [1, 14, 14], 9), GPU, None, false), Choice::Elements);
        assert_eq!(Choice::default_for(&shape(64, 15, [1, 14, 14], 9), GPU, None, false), Choice::Elements);
        assert_eq!(Choice::default_for(&shape(15, 64, [1, 14, 14], 1), GPU, None, false), Choice::Elements);
        assert_eq!(Choice::default_for(&shape(64, 64, [1, 1, 31], 9), GPU, None, false), Choice::Elements);
        assert_eq!(Choice::default_for(&shape(64, 64, [1, 1, 32], 9), GPU, None, false), Choice::Tiles);
    }

    #[test]
    fn cooperative_matrices_need_fours_and_few_taps() {
        let fours =
            |outputs, width, taps| Shape { halves: true, fours: true, ..shape(64, outputs, [1, 56, width], taps) };
        let of = |shape: &Shape| Choice::default_for(shape, GPU, Some(32), false);
        // Tiles are wide where the channels fill them and there are enough.
        assert_eq!(of(&fours(128, 79, 9)), Choice::Cooperative { lanes: 32, narrow: false });
        assert_eq!(of(&fours(64, 79, 9)), Choice::Cooperative { lanes: 32, narrow: true });
        assert_eq!(of(&fours(128, 7, 9)), Choice::Cooperative { lanes: 32, narrow: true });
        let groups = |shape: &Shape| plan(*shape, of(shape), true).passes;
        let pass = |groups, narrow| [Pass::Cooperative { groups, lanes: 32, narrow }];
        assert_eq!(groups(&fours(256, 79, 31)), pass([3 * 2, 70], false));
        assert_eq!(groups(&fours(68, 79, 31)), pass([3 * 2, 70], true));
        for shape in [Shape { fours: false, ..fours(64, 79, 9) }, fours(64, 79, 32)] {
            assert_eq!(of(&shape), Choice::Tiles);
            let asked = plan(shape, Choice::Cooperative { lanes: 32, narrow: true }, true);
            assert!(matches!(asked.passes[..], [Pass::Elements { .. }]));
        }
        // Few channels, and few products.
        assert_eq!(of(&fours(12, 79, 9)), Choice::Elements);
        assert_eq!(of(&Shape { inputs: 4, ..fours(64, 79, 4) }), Choice::Tiles);
    }

    #[test]
    fn passes_cover_the_results() {
        let wide = shape(8, 65, [1, 7, 5], 9);
        let pass = |shape, choice, last| plan(shape, choice, last).passes;
        assert_eq!(pass(wide, Choice::Elements, false), [Pass::Elements { threads: 2 * 3 * 65 * 35 }]);
        assert_eq!(pass(wide, Choice::Rows, true), [Pass::Rows { threads: [5, 7, 2 * 3 * 17] }]);
        assert_eq!(pass(wide, Choice::Tiles, false), [Pass::Tiles { groups: [2, 6] }]);
        assert_eq!(pass(wide, Choice::Tiles, true), [Pass::Tiles { groups: [6, 2] }]);
        let halves = Shape { examples: 1, halves: true, odd: true, ..shape(1, 1, [1, 1, 5], 3) };
        assert_eq!(pass(halves, Choice::Rows, false), [Pass::Elements { threads: 8 }]);
        assert_eq!(plan(Shape { examples: 0, ..wide }, Choice::Tiles, false), Plan::nothing());
        let cost = plan(wide, Choice::Tiles, false).cost();
        assert_eq!((cost.flops, cost.bytes), (2 * 3 * 65 * 35 * 2 * 8 * 9, 4000));
        let huge = Shape { inputs: 1 << 31, taps: 1 << 40, ..wide };
        assert_eq!(plan(huge, Choice::Elements, false).flops, u64::MAX);
    }

    #[test]
    fn parts_cover_the_positions() {
        for target in [GPU, PROCESSOR] {
            for weights in [1, 27, 4096, 1 << 24] {
                for positions in [0, 1, 63, 64, 12_544, 1 << 30] {
                    let Parts { parts, chunk } = Parts::default_for(weights, positions, target);
                    assert!(parts * chunk >= positions && (parts - 1) * chunk < positions.max(1));
                }
            }
        }
        assert_eq!(Parts::default_for(1 << 12, 1 << 16, GPU), Parts { parts: 32, chunk: 2048 });
    }
}
