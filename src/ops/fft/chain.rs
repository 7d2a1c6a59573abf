//! The passes of one axis, and the arrays between passes. This module is pure.

use super::factors::{convolution_length, groups, radices};
use super::plan::Choice;
use super::tables::Key;

/// An array of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    X,
    Y,
    /// One of two scratch areas.
    Scratch(usize),
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) work: Work,
    pub(super) source: Place,
    pub(super) target: Place,
    /// The number of elements that the pass writes; the number of reals if it converts from or to reals.
    pub(super) written: u64,
    /// The length of the axis, whose roots or factors the pass reads.
    pub(super) length: u64,
    /// The distance between neighbours along the axis.
    pub(super) inner: u64,
    /// Whether real and imaginary parts are exchanged in inputs, and in results. A transform of exchanged parts is an
    /// inverse one.
    pub(super) swap: [bool; 2],
}

impl Pass {
    /// A pass from x to y.
    pub(super) fn new(work: Work, written: u64, length: u64, inner: u64) -> Self {
        Self { work, source: Place::X, target: Place::Y, written, length, inner, swap: [false; 2] }
    }

    /// The table that the pass reads.
    pub(super) fn key(&self) -> Option<Key> {
        match self.work {
            Work::Radix { radix: 1, .. } | Work::Narrow | Work::Library { .. } => None,
            Work::Lines { .. } | Work::Radix { .. } | Work::Half { .. } => Some(Key::Roots(self.length)),
            Work::Chirp { .. } => Some(Key::Convolution(self.length)),
            // Kernels that read no roots bind a table of one.
            Work::FromReals(reals) | Work::ToReals(reals) => Some(Key::Roots(reals.roots)),
        }
    }

    /// The complex numbers of memory that the results need.
    pub(super) fn room(&self) -> u64 {
        match self.work {
            Work::ToReals(_) => self.written.div_ceil(2),
            _ => self.written,
        }
    }
}

/// The computation of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Small transforms of `radix` numbers. Their inputs are `distance` apart, their results `span`; the root of the
    /// second input of the second small transform has the exponent `step`.
    Radix { radix: u32, distance: u64, span: u64, step: u64, form: Form },
    /// Transforms of lines of `line` numbers, whose inputs and results are placed as those of small transforms. A
    /// workgroup, with memory for `capacity` numbers, transforms several lines, by small transforms of the lengths
    /// `radices`.
    Lines { line: u32, capacity: u32, radices: Radices, distance: u64, span: u64, step: u64 },
    /// Transforms of the lines in `lines` parts of the array by the device's library, also in place.
    Library { lines: u64 },
    /// Products with factors of a line, which is cut or extended by zeros: the lengths of source and target, and the
    /// number of products.
    Chirp { factors: Factors, from: u64, to: u64, used: u64 },
    /// A conversion from or to halves, with the lengths of source and target.
    Half { half: Half, from: u64, to: u64 },
    /// Complex numbers from lines of real ones.
    FromReals(Reals),
    /// Lines of real numbers from complex ones.
    ToReals(Reals),
    /// Real numbers of half the size from others.
    Narrow,
}

/// The form of a pass of small transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An invocation computes its place.
    Any,
    /// Eight invocations compute neighbours: in the first pass along lines of neighbours, in a later one, or along an axis
    /// whose inner distance is a multiple of eight.
    First,
    Lines,
    Columns,
}

impl Form {
    fn of(distance: u64, span: u64, inner: u64) -> Self {
        match inner {
            // With fewer neighbours, most of the eight invocations would have nothing to do.
            1 if span == 1 && distance >= 8 => Self::First,
            1 if span >= 5 => Self::Lines,
            inner if inner.is_multiple_of(8) => Self::Columns,
            _ => Self::Any,
        }
    }
}

/// The lengths of up to eight small transforms, four bits each, with 0 for 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Radices {
    pub(super) count: u32,
    pub(super) codes: u32,
}

impl Radices {
    pub(super) fn of(radices: &[u32]) -> Self {
        let codes = radices.iter().rev().fold(0, |codes, radix| (codes << 4) | (radix % 16));
        Self { count: radices.len() as u32, codes }
    }
}

/// A conversion between lines of real numbers, as many as the pass's `length`, and lines of complex ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reals {
    pub(super) order: Order,
    /// Whether a complex number has two neighbours of a line, in place of one.
    pub(super) packed: bool,
    /// The complex numbers of a line.
    pub(super) complex: u64,
    /// The roots that the kernel reads are those of this length.
    pub(super) roots: u64,
    /// Whether lines of real numbers are reversed, and whether numbers at odd places are negated.
    pub(super) backwards: bool,
    pub(super) alternates: bool,
    /// Whether numbers at ends of a line are weighted, which makes the transform orthogonal.
    pub(super) weighted: bool,
}

impl Reals {
    pub(super) fn plain(packed: bool, complex: u64) -> Self {
        Self { order: Order::Plain, packed, complex, roots: 1, backwards: false, alternates: false, weighted: false }
    }
}

/// The order of real numbers; the numbers are those of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Plain = 0,
    EvensFirst = 1,
    Mirrored = 2,
    NegatedMirror = 3,
    ByEights = 4,
    Halves = 5,
    BothEnds = 6,
}

/// The factors of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factors {
    Inputs,
    /// The transformed filter.
    Filter,
    Results,
}

/// A conversion between the first half of a line's transform and other forms; the numbers are those of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The first half of a line.
    Cut = 0,
    /// A line from its first half.
    Extend = 1,
    /// A half, from the transform of pairs of neighbours as complex numbers.
    Unpack = 2,
    /// The transform of pairs of neighbours as complex numbers, times 2.
    Pack = 3,
}

/// The numbers of a line that one thread transforms faster than several threads do in passes.
const SHORT: u64 = 1 << 14;

/// Appends the passes for an axis of `length` elements, which are `inner` apart, in `lines` parts of the array.
pub(super) fn axis_passes(passes: &mut Vec<Pass>, [lines, length, inner]: [u64; 3], choice: Choice, inverse: bool) {
    if length == 1 {
        return;
    }
    let choice = match choice {
        Choice::Library { least, .. } if lines * inner >= u64::from(least) || length <= SHORT => {
            let pass = Pass::new(Work::Library { lines }, lines * length * inner, length, inner);
            passes.push(Pass { swap: [inverse; 2], ..pass });
            return;
        }
        Choice::Library { widest, .. } => Choice::Lanes { widest },
        other => other,
    };
    let begin = passes.len();
    let small = |passes: &mut Vec<Pass>, whole: u64, stages: Vec<Vec<u32>>| {
        let mut before = 1;
        for radices in stages {
            let line: u32 = radices.iter().product();
            let (distance, span) = (whole / u64::from(line) * inner, before * inner);
            before *= u64::from(line);
            let step = whole / before;
            let (work, length) = match choice {
                Choice::Lanes { .. } | Choice::Library { .. } => {
                    let form = Form::of(distance, span, inner);
                    // Roots of neighbours are next to each other in a table for the numbers so far.
                    let (step, length) = if form == Form::Lines { (1, before) } else { (step, whole) };
                    (Work::Radix { radix: line, distance, span, step, form }, length)
                }
                Choice::Lines { capacity, .. } => {
                    let radices = Radices::of(&radices);
                    (Work::Lines { line, capacity, radices, distance, span, step }, whole)
                }
            };
            passes.push(Pass::new(work, lines * whole * inner, length, inner));
        }
    };
    match stages(length, choice) {
        Some(stages) => small(passes, length, stages),
        None => {
            let padded = convolution_length(length);
            let powers = || stages(padded, choice).unwrap_or_default();
            let chirp = |factors, from, to, used, swap| {
                let work = Work::Chirp { factors, from, to, used };
                Pass { swap, ..Pass::new(work, lines * to * inner, length, inner) }
            };
            // The second transform is inverse.
            passes.push(chirp(Factors::Inputs, length, padded, length, [false, false]));
            small(passes, padded, powers());
            passes.push(chirp(Factors::Filter, padded, padded, padded, [false, true]));
            small(passes, padded, powers());
            passes.push(chirp(Factors::Results, padded, length, length, [true, false]));
        }
    }
    if inverse {
        let last = passes.len() - 1;
        passes[begin].swap[0] ^= true;
        passes[last].swap[1] ^= true;
    }
}

/// The lengths of the small transforms of each pass; `None` if a prime factor is too great for them.
fn stages(length: u64, choice: Choice) -> Option<Vec<Vec<u32>>> {
    match choice {
        Choice::Lanes { widest } | Choice::Library { widest, .. } => {
            Some(radices(length, widest)?.into_iter().map(|radix| vec![radix]).collect())
        }
        Choice::Lines { capacity, longest } => {
            let limit = if length <= u64::from(capacity) { capacity } else { longest };
            Some(groups(&radices(length, 16)?, limit))
        }
    }
}

pub(super) fn is_library(pass: &Pass) -> bool {
    matches!(pass.work, Work::Library { .. })
}

/// Chooses source and target of each pass, and returns the number of complex numbers in both scratch areas.
///
/// Passes alternate between two arrays, backwards from y, except that a library reads what it replaces. The array y is one
/// of them for passes that write as many numbers as it has room for, its `capacity`.
pub(super) fn assign(passes: &mut [Pass], in_place: bool, capacity: u64) -> u64 {
    let mut areas = [0u64; 2];
    let mut next = Place::Y;
    for at in (0..passes.len()).rev() {
        passes[at].target = next;
        if let Place::Scratch(area) = next {
            areas[area] = areas[area].max(passes[at].room());
        }
        if at == 0 {
            break;
        }
        // A library replaces its inputs as well.
        if is_library(&passes[at]) && (at > 1 || !in_place || is_library(&passes[0])) {
            passes[at].source = next;
            continue;
        }
        let is_input = at == 1 && in_place && !is_library(&passes[0]);
        let fits = passes[at - 1].written == capacity && !is_input;
        let other = match next {
            Place::Scratch(0) if fits => Place::Y,
            Place::Scratch(0) => Place::Scratch(1),
            _ => Place::Scratch(0),
        };
        passes[at].source = other;
        next = other;
    }
    areas[0] + areas[1]
}
