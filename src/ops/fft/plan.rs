//! The passes of a Fourier transform. This module is pure.

use super::super::plan::Plan;
use super::factors::{convolution_length, radices};

/// The arrays and the axes of a transform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) sizes: Vec<u64>,
    /// The axes to transform, in the order of their transforms.
    pub(super) axes: Vec<usize>,
    /// Whether results replace inputs.
    pub(super) in_place: bool,
    /// The size of a number in bytes.
    pub(super) number: u64,
}

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
    /// The number of elements that the pass writes.
    pub(super) written: u64,
    /// The length of the axis, which names the table.
    pub(super) length: u64,
    /// The distance between neighbours along the axis.
    pub(super) inner: u64,
}

/// The computation of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Small transforms of `radix` numbers. Their inputs are `distance` apart, their results `span`; the root of the
    /// second input of the second small transform has the exponent `step`.
    Radix { radix: u32, distance: u64, span: u64, step: u64 },
    /// Products with factors of a line, which is cut or extended by zeros: the lengths of source and target, and the
    /// number of products.
    Chirp { factors: Factors, from: u64, to: u64, used: u64 },
}

/// The factors of products, and whether the parts of results are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factors {
    /// The factors of inputs.
    Inputs,
    /// The transformed filter. Results are exchanged, so that the next transform is an inverse one.
    Filter,
    /// The factors of results, whose sources are exchanged.
    Results,
}

/// The choice between passes that compute the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The greatest power of two that one small transform has: 4, 8 or 16.
    pub(super) widest: u32,
}

impl Choice {
    /// The choice that a call uses without tuning.
    pub(super) fn default_for(cpu: bool) -> Self {
        // Vectors of the processor hold few numbers in registers.
        Self { widest: if cpu { 8 } else { 16 } }
    }
}

pub(super) fn plan(shape: &Shape, choice: Choice) -> Plan<Pass> {
    let count = shape.sizes.iter().product::<u64>();
    if count == 0 {
        return Plan::nothing();
    }
    let mut passes = Vec::new();
    let mut flops = 0u64;
    for axis in &shape.axes {
        let length = shape.sizes[*axis];
        let inner = shape.sizes[axis + 1..].iter().product();
        let lines = count / length / inner;
        // The usual count of a transform by powers of two, as published rates use it.
        let logarithm = (length as f64).log2();
        flops = flops.saturating_add((5.0 * count as f64 * logarithm) as u64);
        if length > 1 {
            axis_passes(&mut passes, [lines, length, inner], choice);
        }
    }
    if passes.is_empty() && shape.in_place {
        return Plan::nothing();
    }
    if passes.is_empty() || (shape.in_place && passes.len() == 1) {
        // A copy: each small transform has one number.
        let work = Work::Radix { radix: 1, distance: count, span: count, step: 0 };
        passes.push(Pass { work, source: Place::X, target: Place::Y, written: count, length: 1, inner: count });
    }
    let scratch = assign(&mut passes, shape.in_place, count).saturating_mul(shape.number);
    Plan { passes, scratch, flops, bytes: count.saturating_mul(2 * shape.number) }
}

/// Appends the passes for an axis of `length` elements, which are `inner` apart, in `lines` parts of the array.
fn axis_passes(passes: &mut Vec<Pass>, [lines, length, inner]: [u64; 3], choice: Choice) {
    let new = |work, written| Pass { work, source: Place::X, target: Place::Y, written, length, inner };
    let small = |passes: &mut Vec<Pass>, whole: u64, radices: Vec<u32>| {
        let mut before = 1;
        for radix in radices {
            let (distance, span) = (whole / u64::from(radix) * inner, before * inner);
            before *= u64::from(radix);
            let work = Work::Radix { radix, distance, span, step: whole / before };
            passes.push(new(work, lines * whole * inner));
        }
    };
    if let Some(radices) = radices(length, choice.widest) {
        small(passes, length, radices);
        return;
    }
    let padded = convolution_length(length);
    let powers = || radices(padded, choice.widest).unwrap_or_default();
    let chirp = |factors, from, to, used| new(Work::Chirp { factors, from, to, used }, lines * to * inner);
    passes.push(chirp(Factors::Inputs, length, padded, length));
    small(passes, padded, powers());
    passes.push(chirp(Factors::Filter, padded, padded, padded));
    small(passes, padded, powers());
    passes.push(chirp(Factors::Results, padded, length, length));
}

/// Chooses source and target of each pass, and returns the number of elements in both scratch areas.
///
/// Passes alternate between two arrays, backwards from y. The array y is one of them where it is large enough.
fn assign(passes: &mut [Pass], in_place: bool, count: u64) -> u64 {
    let mut areas = [0u64; 2];
    let mut next = Place::Y;
    for at in (0..passes.len()).rev() {
        passes[at].target = next;
        if let Place::Scratch(area) = next {
            areas[area] = areas[area].max(passes[at].written);
        }
        let is_first = at == 0;
        if is_first {
            break;
        }
        let reads_y = at == 1 && in_place;
        let fits = passes[at - 1].written == count && !reads_y;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(sizes: &[u64], axes: &[usize], in_place: bool) -> Shape {
        Shape { sizes: sizes.to_vec(), axes: axes.to_vec(), in_place, number: 8 }
    }

    #[test]
    fn passes_pass_on_what_they_write() {
        let eight = Choice { widest: 8 };
        for sizes in
            [vec![1], vec![2], vec![8], vec![64], vec![512], vec![4096], vec![17], vec![3, 17, 2], vec![4, 4, 4]]
        {
            for in_place in [false, true] {
                let shape = shape(&sizes, &(0..sizes.len()).collect::<Vec<_>>(), in_place);
                let passes = plan(&shape, eight).passes;
                if sizes == [1] && in_place {
                    assert_eq!(passes, []);
                    continue;
                }
                let count = sizes.iter().product::<u64>();
                let (first, last) = (passes[0], passes[passes.len() - 1]);
                assert_eq!((first.source, last.target, last.written), (Place::X, Place::Y, count), "{shape:?}");
                assert!(!in_place || first.target != Place::Y, "{shape:?}");
                for pair in passes.windows(2) {
                    assert_eq!(pair[0].target, pair[1].source, "{shape:?}");
                    assert_ne!(pair[1].source, pair[1].target, "{shape:?}");
                    assert!(pair[0].target != Place::Y || pair[0].written == count, "{shape:?}");
                }
            }
        }
    }

    #[test]
    fn an_axis_of_512_takes_three_passes() {
        let plan = plan(&shape(&[2, 512, 3], &[1], false), Choice { widest: 8 });
        let works: Vec<Work> = plan.passes.iter().map(|pass| pass.work).collect();
        let radix = |span, step| Work::Radix { radix: 8, distance: 192, span, step };
        assert_eq!(works, [radix(3, 64), radix(24, 8), radix(192, 1)]);
        assert_eq!((plan.scratch, plan.flops, plan.bytes), (3072 * 8, 5 * 3072 * 9, 3072 * 16));
    }

    #[test]
    fn a_prime_is_a_convolution() {
        let plan = plan(&shape(&[17], &[0], false), Choice { widest: 8 });
        assert_eq!(plan.passes.len(), 7);
        let chirp = |factors, from, to, used| Work::Chirp { factors, from, to, used };
        assert_eq!(plan.passes[0].work, chirp(Factors::Inputs, 17, 64, 17));
        assert_eq!(plan.passes[3].work, chirp(Factors::Filter, 64, 64, 64));
        assert_eq!(plan.passes[6].work, chirp(Factors::Results, 64, 17, 17));
        assert_eq!(plan.scratch, 128 * 8);
    }

    #[test]
    fn nothing_to_transform_is_a_copy_or_nothing() {
        assert_eq!(plan(&shape(&[3, 0], &[0], false), Choice { widest: 8 }), Plan::nothing());
        let copy = plan(&shape(&[3, 5], &[], false), Choice { widest: 8 });
        assert_eq!(copy.passes[0].work, Work::Radix { radix: 1, distance: 15, span: 15, step: 0 });
    }
}
