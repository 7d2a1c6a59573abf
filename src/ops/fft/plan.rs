//! The passes of Fourier transforms. This module is pure.

use std::fmt;

use super::super::plan::Plan;
use super::chain::{Form, Half, Pass, Reals, Work, assign, axis_passes, is_library};
use super::cosine::kind::DctKind;
use super::cosine::passes::cosine_passes;

/// The numbers that a transform reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Complex numbers, which results replace if `in_place`.
    Complex { in_place: bool },
    /// Real numbers on one side, whose lines begin at whole complex numbers if `aligned`. The other side has the first
    /// half of each line's transform.
    Real { aligned: bool },
    /// Real numbers on both sides, transformed by cosines or sines along each axis.
    Cosine { kind: DctKind, orthogonal: bool },
}

/// The arrays and the axes of a transform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) inverse: bool,
    /// The sizes of the array; of the real one, if there is one.
    pub(super) sizes: Vec<u64>,
    /// The axes to transform. The last one is that of the halves, if there are any.
    pub(super) axes: Vec<usize>,
    /// The size in bytes of a complex number in scratch memory.
    pub(super) number: u64,
    /// Whether the arrays have numbers of half that size, and no room for those of scratch memory.
    pub(super) halves: bool,
}

impl Shape {
    /// The numbers of scratch memory for which an array of `count` numbers has room.
    fn room(&self, count: u64) -> u64 {
        if self.halves { 0 } else { count }
    }
}

/// The choice between passes that compute the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// An invocation computes a small transform, of at most `widest` numbers if that is a power of two: 4, 8 or 16.
    Lanes { widest: u32 },
    /// A workgroup, with memory for `capacity` numbers, computes transforms of this length, or of up to `longest`
    /// numbers in several passes.
    Lines { capacity: u32, longest: u32 },
    /// The device's library transforms an axis of at least `least` lines, or of short ones. Invocations compute other axes,
    /// as in `Lanes`.
    Library { widest: u32, least: u32 },
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lanes { widest } => write!(f, "lanes widest={widest}"),
            Self::Lines { capacity, longest } => write!(f, "lines capacity={capacity} longest={longest}"),
            Self::Library { widest, least } => write!(f, "library widest={widest} least={least}"),
        }
    }
}

impl Choice {
    /// All choices, beside the default one.
    pub(super) fn all() -> Vec<Self> {
        [4, 8, 16].map(|widest| Self::Lanes { widest }).to_vec()
    }

    /// The choice that a call uses without tuning, for numbers of `number` bytes on a device with a number of threads for
    /// its library, or without one, and with this many bytes of workgroup memory.
    pub(super) fn default_for(software: bool, library: Option<u32>, workgroup_memory: u32, number: u64) -> Self {
        if let Some(threads) = library {
            // A line is the work of one thread.
            return Self::Library { widest: 8, least: threads };
        }
        if software {
            // Processors have no fast workgroup memory, and hold few numbers in registers.
            return Self::Lanes { widest: 8 };
        }
        // Both halves of the workgroup memory hold all numbers of a workgroup. Neighbouring lines of passes together
        // have 32 bytes or more, a sector of memory.
        let capacity = if workgroup_memory >= 32 << 10 { 2048 } else { 1024 } * 8 / number as u32;
        Self::Lines { capacity, longest: capacity / 4 }
    }
}

/// The numbers of a half line: with the first number of a line, and the middle one of an even line.
pub(super) fn half(length: u64) -> u64 {
    length / 2 + 1
}

pub(super) fn plan(shape: &Shape, choice: Choice) -> Plan<Pass> {
    let count = shape.sizes.iter().product::<u64>();
    if count == 0 {
        return Plan::nothing();
    }
    let planned = match shape.kind {
        Kind::Complex { in_place } => complex(shape, in_place, choice),
        Kind::Real { aligned } => real(shape, aligned, choice),
        Kind::Cosine { kind, orthogonal } => cosine(shape, kind, orthogonal, choice),
    };
    // The usual count of a transform by powers of two, as published rates use it.
    let logarithm: f64 = shape.axes.iter().map(|axis| (shape.sizes[*axis] as f64).log2()).sum();
    let flops = 5.0 * count as f64 * logarithm / if planned.is_real { 2.0 } else { 1.0 };
    let stored = if shape.halves { shape.number / 2 } else { shape.number };
    let bytes = match shape.kind {
        Kind::Complex { .. } => count.saturating_mul(2 * stored),
        Kind::Cosine { .. } => count.saturating_mul(stored),
        Kind::Real { .. } => (count / 2 + planned.capacity).saturating_mul(stored),
    };
    Plan { passes: planned.passes, scratch: planned.scratch.saturating_mul(shape.number), flops: flops as u64, bytes }
}

struct Planned {
    passes: Vec<Pass>,
    scratch: u64,
    /// The complex numbers of the array that has complex numbers.
    capacity: u64,
    is_real: bool,
}

fn complex(shape: &Shape, in_place: bool, choice: Choice) -> Planned {
    let count = shape.sizes.iter().product::<u64>();
    let mut passes = Vec::new();
    for axis in &shape.axes {
        let [lines, length, inner] = around(&shape.sizes, *axis);
        axis_passes(&mut passes, [lines, length, inner], choice, shape.inverse);
    }
    let done = in_place && passes.iter().all(is_library);
    if !done && passes.len() <= usize::from(in_place) {
        // A copy: each small transform has one number.
        let work = Work::Radix { radix: 1, distance: count, span: count, step: 0, form: Form::Any };
        passes.push(Pass::new(work, count, 1, count));
    }
    let scratch = assign(&mut passes, in_place, shape.room(count));
    Planned { passes, scratch, capacity: count, is_real: false }
}

/// The lines of an array along an axis: their number before the axis, their length, and the distance of neighbours.
fn around(sizes: &[u64], axis: usize) -> [u64; 3] {
    let product = |sizes: &[u64]| sizes.iter().product();
    [product(&sizes[..axis]), sizes[axis], product(&sizes[axis + 1..])]
}

fn real(shape: &Shape, aligned: bool, choice: Choice) -> Planned {
    let (last, others) = shape.axes.split_last().expect("transforms of real numbers have an axis");
    let [lines, length, inner] = around(&shape.sizes, *last);
    let mut halves = shape.sizes.clone();
    halves[*last] = half(length);
    let capacity = halves.iter().product::<u64>();
    // Two neighbours of an even line are one complex number: where the array has them in this form, without a pass.
    let (packed, direct) = (length % 2 == 0, aligned && length % 2 == 0 && inner == 1);
    let (whole, [into, out]) =
        if packed { (length / 2, [Half::Pack, Half::Unpack]) } else { (length, [Half::Extend, Half::Cut]) };
    let mut passes = Vec::new();
    let convert =
        |half: Half, from: u64, to: u64| Pass::new(Work::Half { half, from, to }, lines * to * inner, length, inner);
    let reals = Reals::plain(packed, whole);
    if shape.inverse {
        for axis in others {
            axis_passes(&mut passes, around(&halves, *axis), choice, true);
        }
        passes.push(convert(into, half(length), whole));
        axis_passes(&mut passes, [lines, whole, inner], choice, true);
        if !direct {
            passes.push(Pass::new(Work::ToReals(reals), lines * length * inner, length, inner));
            if shape.halves {
                // Two lines can share a word of two elements.
                passes.push(Pass::new(Work::Narrow, lines * length * inner, length, inner));
            }
        }
        let scratch = assign(&mut passes, false, if direct { shape.room(lines * whole) } else { 0 });
        return Planned { passes, scratch, capacity, is_real: true };
    }
    if !direct {
        passes.push(Pass::new(Work::FromReals(reals), lines * whole * inner, length, inner));
    }
    axis_passes(&mut passes, [lines, whole, inner], choice, false);
    passes.push(convert(out, whole, half(length)));
    for axis in others {
        axis_passes(&mut passes, around(&halves, *axis), choice, false);
    }
    let scratch = assign(&mut passes, false, shape.room(capacity));
    Planned { passes, scratch, capacity, is_real: true }
}

fn cosine(shape: &Shape, kind: DctKind, orthogonal: bool, choice: Choice) -> Planned {
    let mut passes = Vec::new();
    for axis in &shape.axes {
        cosine_passes(&mut passes, around(&shape.sizes, *axis), (kind, orthogonal), choice);
    }
    let scratch = assign(&mut passes, false, 0);
    Planned { passes, scratch, capacity: 0, is_real: true }
}

#[cfg(test)]
mod tests {
    use super::super::chain::{Factors, Place, Radices};
    use super::*;

    fn shape(sizes: &[u64], axes: &[usize], in_place: bool) -> Shape {
        let kind = Kind::Complex { in_place };
        Shape { kind, inverse: false, sizes: sizes.to_vec(), axes: axes.to_vec(), number: 8, halves: false }
    }

    fn works(plan: &Plan<Pass>) -> Vec<Work> {
        plan.passes.iter().map(|pass| pass.work).collect()
    }

    const EIGHT: Choice = Choice::Lanes { widest: 8 };

    #[test]
    fn passes_pass_on_what_they_write() {
        let kinds = [false, true].map(|in_place| Kind::Complex { in_place });
        let real = [false, true].map(|aligned| Kind::Real { aligned });
        let cosines = [DctKind::Dct1, DctKind::Dct2, DctKind::Dst3, DctKind::Dct4];
        let cosines = cosines.map(|kind| Kind::Cosine { kind, orthogonal: true });
        for sizes in
            [vec![1], vec![2], vec![8], vec![64], vec![512], vec![4096], vec![17], vec![3, 17, 2], vec![4, 4, 4]]
        {
            for kind in kinds.into_iter().chain(real).chain(cosines) {
                if kind == cosines[0] && sizes == [1] {
                    continue; // refused before it is planned
                }
                for inverse in [false, true] {
                    let axes = (0..sizes.len()).collect::<Vec<_>>();
                    let shape = Shape { kind, inverse, sizes: sizes.clone(), axes, number: 8, halves: false };
                    let passes = plan(&shape, EIGHT).passes;
                    let in_place = kind == Kind::Complex { in_place: true };
                    if sizes == [1] && in_place {
                        assert_eq!(passes, []);
                        continue;
                    }
                    let (first, last) = (passes[0], passes[passes.len() - 1]);
                    assert_eq!((first.source, last.target), (Place::X, Place::Y), "{shape:?}");
                    assert!(!in_place || first.target != Place::Y, "{shape:?}");
                    for pair in passes.windows(2) {
                        assert_eq!(pair[0].target, pair[1].source, "{shape:?}");
                        assert_ne!(pair[1].source, pair[1].target, "{shape:?}");
                        assert_ne!(pair[1].source, Place::X, "{shape:?}");
                        assert!(pair[0].target != Place::Y || pair[0].written == last.written, "{shape:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_axis_of_512_takes_three_passes() {
        let plan = plan(&shape(&[2, 512, 3], &[1], false), EIGHT);
        let radix = |span, step| Work::Radix { radix: 8, distance: 192, span, step, form: Form::Any };
        assert_eq!(works(&plan), [radix(3, 64), radix(24, 8), radix(192, 1)]);
        assert_eq!((plan.scratch, plan.flops, plan.bytes), (3072 * 8, 5 * 3072 * 9, 3072 * 16));
    }

    #[test]
    fn neighbours_are_computed_together() {
        let radix = |span, step, form| Work::Radix { radix: 8, distance: 64, span, step, form };
        let lines = plan(&shape(&[3, 512], &[1], false), EIGHT);
        assert_eq!(works(&lines), [radix(1, 64, Form::First), radix(8, 1, Form::Lines), radix(64, 1, Form::Lines)]);
        assert_eq!(lines.passes.iter().map(|pass| pass.length).collect::<Vec<_>>(), [512, 64, 512]);
        let columns = plan(&shape(&[64, 16], &[0], false), EIGHT);
        let radix = |span, step| Work::Radix { radix: 8, distance: 128, span, step, form: Form::Columns };
        assert_eq!(works(&columns), [radix(16, 8), radix(128, 1)]);
    }

    #[test]
    fn lines_of_a_workgroup_take_one_pass() {
        let lines = Choice::default_for(false, None, 48 << 10, 8);
        assert_eq!(lines, Choice::Lines { capacity: 2048, longest: 512 });
        assert_eq!(Choice::default_for(false, None, 16 << 10, 16), Choice::Lines { capacity: 512, longest: 128 });
        let work = |line, radices: &[u32], distance, span, step| {
            let radices = Radices::of(radices);
            Work::Lines { line, capacity: 2048, radices, distance, span, step }
        };
        let one = plan(&shape(&[3, 1024], &[1], false), lines);
        assert_eq!(works(&one), [work(1024, &[16, 8, 8], 1, 1, 1)]);
        let two = plan(&shape(&[1 << 16, 2], &[0], false), lines);
        let radices = [16, 16];
        assert_eq!(works(&two), [work(256, &radices, 512, 2, 256), work(256, &radices, 512, 512, 1)]);
        assert_eq!(Radices::of(&[16, 8, 3]), Radices { count: 3, codes: 0x380 });
        let short = Choice::Lines { capacity: 2048, longest: 16 };
        let three = plan(&shape(&[1 << 12], &[0], false), short);
        let works_of_three = [work(16, &[16], 256, 1, 256), work(16, &[16], 256, 16, 16), work(16, &[16], 256, 256, 1)];
        assert_eq!(works(&three), works_of_three);
        assert!(three.passes.iter().all(|pass| pass.length == 1 << 12));
    }

    #[test]
    fn a_library_transforms_axes_of_many_lines_in_place() {
        assert_eq!(Choice::default_for(true, Some(4), 16 << 10, 8), Choice::Library { widest: 8, least: 4 });
        let library = Choice::Library { widest: 8, least: 4 };
        let places = |plan: &Plan<Pass>| plan.passes.iter().map(|pass| (pass.source, pass.target)).collect::<Vec<_>>();
        let both = plan(&shape(&[64, 1031], &[0, 1], false), library);
        assert_eq!(works(&both), [Work::Library { lines: 1 }, Work::Library { lines: 64 }]);
        assert_eq!((places(&both), both.scratch), (vec![(Place::X, Place::Y), (Place::Y, Place::Y)], 0));
        let in_place = plan(&shape(&[64, 1031], &[1], true), library);
        assert_eq!((places(&in_place), in_place.scratch), (vec![(Place::X, Place::Y)], 0));
        // Few lines are divided among the threads by kernels, unless they are short.
        let few = plan(&shape(&[3, 1 << 15], &[1], false), library);
        assert!(few.passes.iter().all(|pass| matches!(pass.work, Work::Radix { .. })), "{few:?}");
        assert_eq!(works(&plan(&shape(&[1 << 14], &[0], false), library)), [Work::Library { lines: 1 }]);
        // Kernels read other places than they write, also before and behind a library.
        let mixed = plan(&shape(&[3, 1 << 15], &[0, 1], true), library);
        assert_eq!(works(&mixed)[0], Work::Library { lines: 1 });
        assert_eq!(
            places(&mixed)[0],
            (Place::X, if mixed.passes.len() % 2 == 1 { Place::Y } else { Place::Scratch(0) })
        );
        let inverse = Shape { inverse: true, ..shape(&[8, 16], &[1], false) };
        assert_eq!(plan(&inverse, library).passes[0].swap, [true; 2]);
    }

    #[test]
    fn a_prime_is_a_convolution() {
        let plan = plan(&shape(&[17], &[0], false), EIGHT);
        let chirp = |factors, from, to, used| Work::Chirp { factors, from, to, used };
        let works = works(&plan);
        assert_eq!(works.len(), 7);
        assert_eq!(works[0], chirp(Factors::Inputs, 17, 64, 17));
        assert_eq!(works[3], chirp(Factors::Filter, 64, 64, 64));
        assert_eq!(works[6], chirp(Factors::Results, 64, 17, 17));
        assert_eq!(plan.scratch, 128 * 8);
    }

    #[test]
    fn real_lines_of_even_length_are_packed() {
        let real = |sizes: &[u64], aligned, inverse| {
            let kind = Kind::Real { aligned };
            let shape =
                Shape { kind, inverse, sizes: sizes.to_vec(), axes: vec![sizes.len() - 1], number: 8, halves: false };
            plan(&shape, EIGHT)
        };
        let radix = Work::Radix { radix: 8, distance: 1, span: 1, step: 1, form: Form::Any };
        let whole = real(&[5, 16], true, false);
        assert_eq!(works(&whole), [radix, Work::Half { half: Half::Unpack, from: 8, to: 9 }]);
        assert_eq!((whole.flops, whole.bytes), (5 * 80 * 4 / 2, 80 * 4 + 45 * 8));
        assert_eq!(works(&real(&[5, 16], true, true)), [Work::Half { half: Half::Pack, from: 9, to: 8 }, radix]);
        assert_eq!(
            works(&real(&[5, 8], false, false)),
            [
                Work::FromReals(Reals::plain(true, 4)),
                Work::Radix { radix: 4, distance: 1, span: 1, step: 1, form: Form::Any },
                Work::Half { half: Half::Unpack, from: 4, to: 5 }
            ]
        );
        assert_eq!(works(&real(&[5, 3], true, true)).len(), 3);
    }

    #[test]
    fn arrays_of_halves_are_read_first_and_written_last() {
        let halves = |kind, sizes: &[u64], inverse| {
            let axes = (0..sizes.len()).collect();
            plan(&Shape { kind, inverse, sizes: sizes.to_vec(), axes, number: 8, halves: true }, EIGHT)
        };
        for sizes in [&[1][..], &[2], &[5], &[64], &[4096], &[17], &[3, 17, 2]] {
            for kind in [
                Kind::Complex { in_place: false },
                Kind::Complex { in_place: true },
                Kind::Real { aligned: true },
                Kind::Real { aligned: false },
            ] {
                for inverse in [false, true] {
                    let passes = halves(kind, sizes, inverse).passes;
                    for (at, pass) in passes.iter().enumerate() {
                        assert_eq!(pass.source == Place::X, at == 0, "{kind:?} {sizes:?} {passes:?}");
                        assert_eq!(pass.target == Place::Y, at + 1 == passes.len(), "{kind:?} {sizes:?} {passes:?}");
                    }
                }
            }
        }
        let back = halves(Kind::Real { aligned: true }, &[3], true);
        assert_eq!(back.passes.last().map(|pass| pass.work), Some(Work::Narrow));
        assert_eq!(halves(Kind::Complex { in_place: false }, &[512], false).bytes, 512 * 8);
        assert_eq!(halves(Kind::Real { aligned: true }, &[512], false).bytes, 512 * 2 + 257 * 4);
    }

    #[test]
    fn nothing_to_transform_is_a_copy_or_nothing() {
        assert_eq!(plan(&shape(&[3, 0], &[0], false), EIGHT), Plan::nothing());
        let copy = plan(&shape(&[3, 5], &[], false), EIGHT);
        assert_eq!(works(&copy), [Work::Radix { radix: 1, distance: 15, span: 15, step: 0, form: Form::Any }]);
    }
}
