//! The passes of an attention. This module is pure.

use std::fmt;

use super::super::choices::{Question, powers};
use super::super::plan::Plan;
use super::super::rows::plan::Target;

/// The number of queries in a tile.
const TILE: u64 = 64;
/// The number of keys that an invocation of `Choice::Rows` processes in a step of its loop, and the number that a
/// workgroup of `Choice::Keys` processes.
const STEP_OF_ROWS: u64 = 4;
const STEP_OF_KEYS: u64 = 64;
/// The queries of a subgroup of cooperative matrices.
const ROWS_OF_MATRICES: u64 = 16;
/// The greatest number of elements that all partial results of a call have together.
const MAX_PARTIAL: u64 = 1 << 30;

/// The sizes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Batches times heads of queries.
    pub(super) planes: u64,
    pub(super) queries: u64,
    pub(super) keys: u64,
    /// The elements of a query and a key, and those of a value.
    pub(super) size: u64,
    pub(super) size_of_value: u64,
    /// Whether all arrays of numbers are `f16` and begin at multiples of four elements.
    pub(super) fours: bool,
    /// The bytes of all arrays.
    pub(super) bytes: u64,
}

/// Subgroups that multiply cooperative matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Matrices {
    /// The invocations of a subgroup.
    pub(super) lanes: u32,
    /// Whether a barrier of a subgroup orders workgroup memory, as it does for a warp on CUDA, and arithmetic is that of
    /// IEEE 754. naga's SPIR-V has no such barrier.
    pub(super) warps: bool,
}

impl Matrices {
    /// The workgroup memory of the kernel.
    pub(super) const fn memory(warps: bool) -> u32 {
        if warps { 78_848 } else { 48_160 }
    }

    /// The subgroups of a workgroup. An invocation has up to 230 registers for a head size of 128, so that an H100 runs eight
    /// subgroups at a time; with twelve the compiler keeps to 168, and runs at 178 TFLOP/s instead of 166. With sixteen it spills.
    fn subgroups(self, size: u64) -> u32 {
        if self.warps && size > 64 { 12 } else { 8 }
    }
}

impl Shape {
    /// Whether cooperative matrices can compute the call.
    fn has_matrices(&self) -> bool {
        self.fours && self.size == self.size_of_value && self.size.is_multiple_of(32) && self.size <= 128
    }

    fn rows(&self) -> u64 {
        self.planes.saturating_mul(self.queries)
    }
}

/// The invocations that compute an attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One invocation for each row, or for each of `parts` parts of the row's keys.
    Rows { parts: u64 },
    /// Workgroups for one of `parts` parts of the keys of a row.
    Keys { parts: u64 },
    /// Workgroups for 64 queries.
    Tiles,
    /// Workgroups for 128 or 192 queries, by cooperative matrices.
    Cooperative(Matrices),
}

/// One dispatch of an attention, with the size of its grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    WholeRows { threads: [u64; 2] },
    PartsOfRows { threads: [u64; 2] },
    WholeKeys { groups: u64 },
    PartsOfKeys { groups: [u64; 2] },
    Tiles { groups: [u64; 2] },
    Cooperative { groups: [u64; 2], matrices: Matrices, subgroups: u32 },
    Combine { threads: u64 },
}

/// A plan with the numbers that kernels need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) plan: Plan<Pass>,
    /// The number of parts of the keys, and the number of keys in a part.
    pub(super) parts: u64,
    pub(super) chunk: u64,
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows { parts } => write!(f, "rows parts={parts}"),
            Self::Keys { parts } => write!(f, "keys parts={parts}"),
            Self::Tiles => f.write_str("tiles"),
            Self::Cooperative(Matrices { lanes, warps }) => write!(f, "cooperative lanes={lanes} warps={warps}"),
        }
    }
}

impl Shape {
    /// The number of keys in the parts of rows for which software does not exceed its limit of iterations.
    fn longest(&self, target: Target) -> u64 {
        // Each step has an iteration for four elements of keys, and one for four elements of values.
        let iterations = self.size.div_ceil(4) + self.size_of_value.div_ceil(4) + 4;
        (target.max_iterations() / iterations).saturating_mul(STEP_OF_ROWS)
    }
}

impl Choice {
    /// All choices that compute in `f32`, beside the default one.
    pub(super) fn all(shape: &Shape, target: Target) -> Vec<Self> {
        if target.software {
            let parts = powers((shape.keys / 16).clamp(1, 64));
            return parts
                .map(|parts| Self::Rows { parts })
                .filter(|choice| choice.is_possible(shape, target))
                .collect();
        }
        let keys = powers((shape.keys / 64).clamp(1, 64)).map(|parts| Self::Keys { parts });
        keys.chain([Self::Tiles]).collect()
    }

    /// Whether the choice, which was made for another call, is possible.
    pub(super) fn is_possible(self, shape: &Shape, target: Target) -> bool {
        match self {
            Self::Rows { parts } => !target.software || shape.keys.div_ceil(parts.max(1)) <= shape.longest(target),
            Self::Cooperative(_) => shape.has_matrices(),
            Self::Keys { .. } | Self::Tiles => !target.software,
        }
    }

    /// The properties on which the choice depends.
    pub(super) fn question(shape: &Shape, halves: bool) -> Question {
        let Shape { planes, queries, keys, size, size_of_value, .. } = *shape;
        let question = Question::new("attention", &[planes, queries, keys, size, size_of_value]);
        question.form(if halves { "f16" } else { "f32" }).form_if(shape.fours, "fours")
    }

    /// The choice without tuning.
    pub(super) fn default_for(shape: &Shape, target: Target, matrices: Option<Matrices>) -> Self {
        if let Some(matrices) = matrices.filter(|_| shape.has_matrices() && shape.queries >= ROWS_OF_MATRICES) {
            return Self::Cooperative(matrices);
        }
        let rows = shape.rows().max(1);
        if target.software {
            let longest = shape.longest(target);
            // Neighbouring invocations compute queries or, if there are few queries, parts of at least 16 keys.
            let parts = if shape.queries >= 8 { 1 } else { (512 / rows).clamp(8, 64).min(shape.keys / 16).max(1) };
            return Self::Rows { parts: parts.max(shape.keys.div_ceil(longest)) };
        }
        if shape.queries >= TILE / 4 {
            return Self::Tiles;
        }
        // 1 024 workgroups fill a large device; parts of at least 256 keys are worth a second pass.
        Self::Keys { parts: (1024 / rows).min(shape.keys / 256).clamp(1, 64) }
    }
}

/// The passes for a choice, as far as the shape permits it.
pub(super) fn plan(shape: &Shape, choice: Choice) -> Planned {
    let Shape { planes, queries, keys, size, size_of_value, bytes, .. } = *shape;
    let rows = shape.rows();
    if rows == 0 {
        return Planned { plan: Plan::nothing(), parts: 1, chunk: 0 };
    }
    let numbers_of_part = size_of_value + 2;
    let split = |parts: u64, step: u64| {
        let most = MAX_PARTIAL / rows.saturating_mul(numbers_of_part).max(1);
        let chunk = keys.div_ceil(parts.min(most).max(1)).next_multiple_of(step).max(step);
        [keys.div_ceil(chunk).max(1), chunk]
    };
    let combine = Pass::Combine { threads: rows.saturating_mul(size_of_value) };
    let ([parts, chunk], passes) = match choice {
        Choice::Rows { parts } => match split(parts, STEP_OF_ROWS) {
            [1, chunk] => ([1, chunk], vec![Pass::WholeRows { threads: [queries, planes] }]),
            [parts, chunk] => ([parts, chunk], vec![Pass::PartsOfRows { threads: [parts, rows] }, combine]),
        },
        Choice::Keys { parts } => match split(parts, STEP_OF_KEYS) {
            [1, chunk] => ([1, chunk], vec![Pass::WholeKeys { groups: rows }]),
            [parts, chunk] => ([parts, chunk], vec![Pass::PartsOfKeys { groups: [parts, rows] }, combine]),
        },
        Choice::Cooperative(matrices) if shape.has_matrices() => {
            let subgroups = matrices.subgroups(size);
            let groups = [queries.div_ceil(ROWS_OF_MATRICES * u64::from(subgroups)), planes];
            ([1, keys], vec![Pass::Cooperative { groups, matrices, subgroups }])
        }
        Choice::Tiles | Choice::Cooperative(_) => {
            ([1, keys], vec![Pass::Tiles { groups: [queries.div_ceil(TILE), planes] }])
        }
    };
    let scratch = if parts > 1 { 4 * rows * parts * numbers_of_part } else { 0 };
    let flops = rows.saturating_mul(keys).saturating_mul(2 * (size + size_of_value));
    Planned { plan: Plan { passes, scratch, flops, bytes }, parts, chunk }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const PROCESSOR: Target = Target { software: true, strips: true };
    const LLVMPIPE: Target = Target { software: true, strips: false };

    fn shape(planes: u64, queries: u64, keys: u64) -> Shape {
        Shape { planes, queries, keys, size: 64, size_of_value: 64, fours: false, bytes: 1000 }
    }

    #[test]
    fn the_table_uses_every_choice() {
        let of = |planes, queries, keys, target| Choice::default_for(&shape(planes, queries, keys), target, None);
        assert_eq!(of(8, 1024, 1024, GPU), Choice::Tiles);
        assert_eq!([of(8, 16, 9, GPU), of(8, 15, 9, GPU)], [Choice::Tiles, Choice::Keys { parts: 1 }]);
        assert_eq!(of(32, 1, 8192, GPU), Choice::Keys { parts: 32 });
        assert_eq!(of(1, 1, 1 << 20, GPU), Choice::Keys { parts: 64 });
        assert_eq!(of(8, 1024, 1024, PROCESSOR), Choice::Rows { parts: 1 });
        assert_eq!(of(32, 1, 8192, PROCESSOR), Choice::Rows { parts: 16 });
        assert_eq!([of(1, 1, 100, PROCESSOR), of(1, 1, 9, PROCESSOR)], [6, 1].map(|parts| Choice::Rows { parts }));
        assert_eq!(of(1, 100, 6665, LLVMPIPE), Choice::Rows { parts: 2 });
        assert_eq!(of(1, 100, 6664, LLVMPIPE), Choice::Rows { parts: 1 });
    }

    #[test]
    fn matrices_take_whole_blocks_of_elements() {
        let matrices = Matrices { lanes: 32, warps: true };
        let of = |shape: Shape| Choice::default_for(&shape, GPU, Some(matrices));
        let fours = |size, size_of_value| Shape { fours: true, size, size_of_value, ..shape(8, 1024, 1024) };
        for size in [32, 64, 96, 128] {
            assert_eq!(of(fours(size, size)), Choice::Cooperative(matrices));
        }
        for shape in [fours(48, 48), fours(64, 32), fours(160, 160), shape(8, 1024, 1024)] {
            assert_eq!(of(shape), Choice::Tiles);
            let passes = plan(&shape, Choice::Cooperative(matrices)).plan.passes;
            assert_eq!(passes, [Pass::Tiles { groups: [16, 8] }]);
        }
        assert_eq!(of(Shape { queries: 15, ..fours(64, 64) }), Choice::Keys { parts: 4 });
        for (size, warps, groups, subgroups) in [(64, true, 2, 8), (128, true, 2, 12), (128, false, 3, 8)] {
            let matrices = Matrices { lanes: 32, warps };
            let shape = Shape { queries: if warps { 200 } else { 257 }, ..fours(size, size) };
            let passes = plan(&shape, Choice::Cooperative(matrices)).plan.passes;
            assert_eq!(passes, [Pass::Cooperative { groups: [groups, 8], matrices, subgroups }]);
        }
    }

    #[test]
    fn passes_cover_rows_and_keys() {
        let passes = |shape, choice| plan(&shape, choice).plan.passes;
        assert_eq!(passes(shape(6, 65, 9), Choice::Tiles), [Pass::Tiles { groups: [2, 6] }]);
        assert_eq!(passes(shape(6, 65, 9), Choice::Rows { parts: 1 }), [Pass::WholeRows { threads: [65, 6] }]);
        let parts = plan(&shape(6, 5, 100), Choice::Rows { parts: 7 });
        assert_eq!((parts.parts, parts.chunk, parts.plan.scratch), (7, 16, 4 * 30 * 7 * 66));
        let combine = Pass::Combine { threads: 30 * 64 };
        assert_eq!(parts.plan.passes, [Pass::PartsOfRows { threads: [7, 30] }, combine]);
        assert_eq!(passes(shape(6, 5, 64), Choice::Keys { parts: 7 }), [Pass::WholeKeys { groups: 30 }]);
        let two = passes(shape(6, 5, 65), Choice::Keys { parts: 7 });
        assert_eq!(two, [Pass::PartsOfKeys { groups: [2, 30] }, combine]);
        for keys in [0, 1, 63, 64, 65, 1000, 1 << 30] {
            for choice in
                [1, 3, 64, u64::MAX].into_iter().flat_map(|parts| [Choice::Rows { parts }, Choice::Keys { parts }])
            {
                let Planned { parts, chunk, .. } = plan(&shape(3, 2, keys), choice);
                assert!(parts * chunk >= keys && (parts - 1) * chunk < keys.max(1), "{keys} {choice:?}");
            }
        }
        assert_eq!(passes(shape(6, 0, 9), Choice::Tiles), []);
        let cost = plan(&shape(6, 5, 9), Choice::Tiles).plan.cost();
        assert_eq!((cost.flops, cost.bytes), (6 * 5 * 9 * 2 * 128, 1000));
        assert_eq!(plan(&shape(1 << 31, 1 << 31, 1 << 31), Choice::Tiles).plan.flops, u64::MAX);
    }
}
