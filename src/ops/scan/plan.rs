//! The passes of a scan. This module is pure.

use std::fmt;

use super::super::choices::powers;
use super::super::plan::Plan;
use super::super::scanning::form::ScanForm;
use super::super::scanning::sizes::{WIDTH, state_words, tile_length};
use super::super::scanning::target::Target;

/// The number of elements of which the length of a part of a walk is a multiple: whole vectors.
const VECTOR: u64 = 4;

/// The properties of a scan on which its plan depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of lines; each line is scanned separately.
    pub(super) lines: u64,
    /// The number of elements of a line.
    pub(super) length: u64,
    /// The distance between the elements of a line, in elements.
    pub(super) inner: u64,
    /// The size of an element in bytes.
    pub(super) element: u64,
    /// The size in bytes of a value that the scan's operation combines.
    pub(super) value: u64,
    /// The number of bytes of head flags, keys and offsets that the scan reads.
    pub(super) heads: u64,
    /// The number of offsets of segments, if there are any; a first pass sets a bit for each offset.
    pub(super) offsets: Option<u64>,
    /// Whether results replace the elements.
    pub(super) in_place: bool,
    /// Whether the arrays consist of whole, aligned vectors of four words, and there are no segments.
    pub(super) vectors: bool,
    /// If an array is too large for one binding: the greatest number of elements of a window, and the alignment of a
    /// binding's offset in bytes.
    pub(super) window: Option<[u64; 2]>,
}

/// The form in which elements are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One pass over tiles: each tile looks back at the tiles before it for their sum.
    Chained,
    /// Three passes over tiles: the sum of each tile, the sum of all elements before each tile, the results.
    Tiles,
    /// One pass over tiles if `chained`, otherwise three. Each invocation holds `each` vectors of four elements in
    /// registers.
    Vectors { each: u64, chained: bool },
    /// An invocation scans one of `parts` parts of one line, without workgroup memory. Several parts take three passes.
    Lines { parts: u64 },
    /// A workgroup of one invocation scans one of `parts` parts of one line of neighbouring elements.
    Walks { parts: u64 },
}

/// One launch, or the clearing of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Clears the bits that mark the heads of segments.
    ClearMarks,
    /// Sets the bit of each offset.
    Marks {
        groups: u64,
    },
    /// Clears the memory through which workgroups exchange sums.
    ClearStates,
    /// Scans all tiles in one pass.
    Chained {
        groups: u64,
    },
    /// Scans all elements, which fit into one tile.
    Tile,
    SumTiles {
        groups: u64,
    },
    /// Scans the sums of all tiles, in one workgroup.
    ScanTileSums,
    ScanTiles {
        groups: u64,
    },
    /// As `Chained`, over vectors of four elements; likewise the next two passes.
    ChainedVectors {
        groups: u64,
        each: u64,
    },
    SumVectors {
        groups: u64,
        each: u64,
    },
    ScanVectors {
        groups: u64,
        each: u64,
    },
    /// One of the passes `SumTiles` and `SumVectors` if `sums`, otherwise `ScanTiles` and `ScanVectors`, over only
    /// `groups` tiles from tile `first` on.
    Window {
        first: u64,
        groups: u64,
        sums: bool,
        each: Option<u64>,
    },
    /// Scans all lines, each of which is one part.
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
    /// Scans all lines, each of which is one part of a workgroup of one invocation. The walks are over vectors of four
    /// elements if `vectors`; likewise in the passes below.
    Rows {
        lines: u64,
        vectors: bool,
    },
    SumWalks {
        parts: u64,
        lines: u64,
        vectors: bool,
    },
    ScanWalkSums {
        lines: u64,
    },
    ScanWalks {
        parts: u64,
        lines: u64,
        vectors: bool,
    },
}

impl Pass {
    /// Returns the number of vectors of each invocation, if this is a pass over vectors of four elements.
    pub(super) fn vectors(self) -> Option<u64> {
        match self {
            Self::ChainedVectors { each, .. } | Self::SumVectors { each, .. } | Self::ScanVectors { each, .. } => {
                Some(each)
            }
            _ => None,
        }
    }

    /// Whether arrays are bound as vectors of four elements.
    pub(super) fn in_vectors(self) -> bool {
        let of_walk = matches!(
            self,
            Self::Rows { vectors: true, .. }
                | Self::SumWalks { vectors: true, .. }
                | Self::ScanWalks { vectors: true, .. }
        );
        of_walk || self.vectors().is_some()
    }

    /// Returns the pass whose kernel runs, and the first tile if `self` is a window.
    pub(super) fn of_window(self) -> (Self, Option<u64>) {
        match self {
            Self::Window { first, groups, sums, each } => {
                let pass = match (sums, each) {
                    (true, None) => Self::SumTiles { groups },
                    (false, None) => Self::ScanTiles { groups },
                    (true, Some(each)) => Self::SumVectors { groups, each },
                    (false, Some(each)) => Self::ScanVectors { groups, each },
                };
                (pass, Some(first))
            }
            pass => (pass, None),
        }
    }

    /// Returns the numbers of workgroups along both axes of the grid.
    pub(super) fn groups(self) -> [u64; 2] {
        match self {
            Self::Tile | Self::ScanTileSums => [1, 1],
            Self::Marks { groups }
            | Self::Chained { groups }
            | Self::SumTiles { groups }
            | Self::ScanTiles { groups }
            | Self::ChainedVectors { groups, .. }
            | Self::SumVectors { groups, .. }
            | Self::ScanVectors { groups, .. }
            | Self::Window { groups, .. }
            | Self::Lines { groups }
            | Self::SumParts { groups }
            | Self::ScanPartSums { groups }
            | Self::ScanParts { groups } => [groups, 1],
            Self::Rows { lines, .. } => [1, lines],
            Self::SumWalks { parts, lines, .. } | Self::ScanWalks { parts, lines, .. } => [parts, lines],
            Self::ScanWalkSums { lines } => [lines, 1],
            Self::ClearMarks | Self::ClearStates => [0, 0],
        }
    }

    /// The number of elements of a tile, for values of `bytes` bytes.
    pub(super) fn tile_length(self, bytes: u64) -> u64 {
        match self {
            Self::SumVectors { each, .. } | Self::ScanVectors { each, .. } => 4 * WIDTH * each,
            _ => tile_length(bytes),
        }
    }
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

impl Planned {
    /// The number of sums that passes keep for later ones: one for each tile, or for each part of each of `lines` lines.
    pub(super) fn sums(&self, lines: u64) -> u64 {
        let of_pass = |pass: &Pass| match pass.of_window().0 {
            Pass::SumTiles { .. } | Pass::SumVectors { .. } => self.tiles,
            Pass::SumParts { .. } | Pass::SumWalks { .. } => lines.saturating_mul(self.tiles),
            _ => 0,
        };
        self.plan.passes.iter().map(of_pass).max().unwrap_or(0)
    }
}

impl Shape {
    /// Whether the elements are one line without segments, which can be scanned in windows.
    pub(super) fn is_one_line(self) -> bool {
        self.lines == 1 && self.inner == 1 && self.heads == 0 && self.offsets.is_none()
    }

    pub(super) fn elements(&self) -> u64 {
        self.lines.saturating_mul(self.length)
    }

    /// Returns the number of words with one bit for each element; 0 if there are no offsets.
    pub(super) fn mark_words(&self) -> u64 {
        self.offsets.map_or(0, |_| self.elements().div_ceil(32))
    }
}

impl Choice {
    /// Returns all choices; the plan replaces one that does not fit the shape.
    pub(super) fn all(shape: Shape, target: Target) -> Vec<Self> {
        let lines = shape.lines.max(1);
        let most = (4096 / lines).min(shape.length / 32).max(1);
        if target.walks && shape.inner == 1 {
            return powers(256.min(most)).map(|parts| Self::Walks { parts }).collect();
        }
        // Loops of software are limited, see below.
        let least = if target.software { shape.length.div_ceil(1 << 15).max(1) } else { 1 };
        let mut all: Vec<Self> = Vec::new();
        if target.software || shape.inner > 1 || lines >= 256 {
            let most = if target.software { most } else { most.min(256) };
            all.extend(powers(most).filter(|parts| *parts >= least).map(|parts| Self::Lines { parts }));
        }
        if !target.software && shape.inner == 1 {
            let may_chain = !shape.in_place && shape.value == 4;
            let is_long = shape.elements() > tile_length(shape.value);
            all.push(Self::Tiles);
            if may_chain && is_long {
                all.push(Self::Chained);
            }
            if shape.vectors && is_long {
                for each in [1, 2, 4, 8] {
                    all.extend([false, true].map(|chained| Self::Vectors { each, chained }));
                }
                all.retain(|choice| may_chain || !matches!(choice, Self::Vectors { chained: true, .. }));
            }
        }
        all
    }

    /// Whether the choice, which was made for another scan, keeps to the limits of software.
    pub(super) fn is_possible(self, shape: Shape, target: Target) -> bool {
        match self {
            Self::Lines { parts } if target.software => shape.length.div_ceil(parts.max(1)) <= 1 << 15,
            _ => true,
        }
    }

    /// Returns the default choice for this shape and device.
    pub(super) fn default_for(shape: Shape, target: Target) -> Self {
        let lines = shape.lines.max(1);
        if target.walks && shape.inner == 1 {
            // Parts have at least 2 048 elements. All lines together have up to 256 parts, enough for every thread of
            // the CPU.
            return Self::Walks { parts: (256 / lines).min(shape.length / 2048).max(1) };
        }
        if target.software {
            // Parts have at least 512 elements. All lines together have up to 4 096 parts: 16 workgroups, one for each
            // thread. More than 4 096 lines are not split, so that one pass reads the elements once. Parts have at most
            // 32 768 elements, as llvmpipe ends loops after 65 535 iterations.
            let parts = (4096 / lines).min(shape.length / 512).max(shape.length.div_ceil(1 << 15));
            return Self::Lines { parts: parts.max(1) };
        }
        if shape.inner > 1 {
            // Neighbouring invocations scan neighbouring lines. 2^16 invocations fill a large device. One invocation
            // scans the sums of all parts of a line, so a line has at most 256 parts.
            return Self::Lines { parts: ((1 << 16) / lines).min(shape.length / 32).clamp(1, 256) };
        }
        // On an H200, for 2^26 elements: with CUDA, one pass takes 0.90 of the time of three passes, in vectors and in
        // tiles. With Vulkan, one pass takes from 0.8 to 1.8 of that time. Vectors take 0.75 to 0.83 of the time of
        // tiles.
        let each = if shape.length < 1 << 22 { 2 } else { 8 };
        match (shape.vectors && shape.length > tile_length(4), target.cuda && !shape.in_place && shape.value == 4) {
            (true, chained) => Self::Vectors { each, chained },
            (false, true) if shape.elements() > tile_length(4) => Self::Chained,
            (false, _) => Self::Tiles,
        }
    }
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chained => f.write_str("chained"),
            Self::Tiles => f.write_str("tiles"),
            Self::Vectors { each, chained: true } => write!(f, "chained_vectors each={each}"),
            Self::Vectors { each, chained: false } => write!(f, "vectors each={each}"),
            Self::Lines { parts } => write!(f, "lines parts={parts}"),
            Self::Walks { parts } => write!(f, "walks parts={parts}"),
        }
    }
}

impl From<ScanForm> for Choice {
    fn from(form: ScanForm) -> Self {
        match form {
            ScanForm::Chained => Self::Chained,
            ScanForm::Tiles => Self::Tiles,
            ScanForm::Vectors { each, chained } => Self::Vectors { each: each.into(), chained },
            ScanForm::Lines { parts } => Self::Lines { parts: parts.into() },
        }
    }
}

/// Plans the passes of a choice, or of another choice if the shape does not permit the first.
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
    if let Some((tiles, passes)) = windows(shape, choice) {
        let bytes = elements.saturating_mul(2 * shape.element);
        return Planned { plan: Plan { passes, scratch: sums(tiles), flops: elements, bytes }, tiles, chunk: 0 };
    }
    let (count, chunk) = match choice {
        Choice::Chained if shape.inner == 1 && !shape.in_place && shape.value == 4 => {
            scratch += 4 * state_words(tiles);
            passes.extend([Pass::ClearStates, Pass::Chained { groups: tiles }]);
            (tiles, 0)
        }
        Choice::Vectors { each, chained } if shape.vectors => {
            let tiles = elements.div_ceil(4 * WIDTH * each);
            let groups = tiles;
            if chained && !shape.in_place {
                scratch += 4 * state_words(tiles);
                passes.extend([Pass::ClearStates, Pass::ChainedVectors { groups, each }]);
            } else {
                scratch += sums(tiles);
                passes.extend([
                    Pass::SumVectors { groups, each },
                    Pass::ScanTileSums,
                    Pass::ScanVectors { groups, each },
                ]);
            }
            (tiles, 0)
        }
        Choice::Chained | Choice::Tiles | Choice::Vectors { .. } if shape.inner == 1 => {
            if tiles == 1 {
                passes.push(Pass::Tile);
            } else {
                scratch += sums(tiles);
                let groups = tiles;
                passes.extend([Pass::SumTiles { groups }, Pass::ScanTileSums, Pass::ScanTiles { groups }]);
            }
            (tiles, 0)
        }
        Choice::Walks { parts } if shape.inner == 1 => {
            let Shape { lines, vectors, .. } = shape;
            let chunk = shape.length.div_ceil(parts.clamp(1, shape.length)).next_multiple_of(VECTOR);
            let parts = shape.length.div_ceil(chunk);
            if parts == 1 {
                passes.push(Pass::Rows { lines, vectors });
            } else {
                scratch += sums(lines * parts);
                passes.extend([
                    Pass::SumWalks { parts, lines, vectors },
                    Pass::ScanWalkSums { lines },
                    Pass::ScanWalks { parts, lines, vectors },
                ]);
            }
            (parts, chunk)
        }
        choice => {
            let wanted = if let Choice::Lines { parts } | Choice::Walks { parts } = choice { parts } else { 1 };
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

/// Returns the number of tiles and the three passes of one long line; the first and the last pass take one launch for
/// each window. `None` if no window is needed, or if windows are not possible: segments and several lines would refer
/// to elements of other windows.
fn windows(shape: Shape, choice: Choice) -> Option<(u64, Vec<Pass>)> {
    let [elements, alignment] = shape.window?;
    if !shape.is_one_line() {
        return None;
    }
    let each = match choice {
        Choice::Vectors { each, .. } if shape.vectors => Some(each),
        _ => None,
    };
    let tile = each.map_or(tile_length(shape.value), |each| 4 * WIDTH * each);
    // The sums of each window must begin at an offset that the device can bind, so windows have a multiple of so many
    // tiles.
    let most = (elements / tile).checked_div(alignment.div_ceil(4))? * alignment.div_ceil(4);
    let tiles = shape.length.div_ceil(tile);
    let all = |sums| {
        let begins = (0..tiles).step_by(usize::try_from(most).unwrap_or(usize::MAX).max(1));
        begins.map(move |first| Pass::Window { first, groups: most.min(tiles - first), sums, each })
    };
    (most > 0).then(|| (tiles, all(true).chain([Pass::ScanTileSums]).chain(all(false)).collect()))
}

#[cfg(test)]
mod tests;
