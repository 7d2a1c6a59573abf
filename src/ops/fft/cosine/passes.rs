//! The passes of a transform by cosines or sines along one axis. This module is pure.

use super::super::chain::{Half, Order, Pass, Reals, Work, axis_passes};
use super::super::plan::{Choice, half};
use super::kind::DctKind;

/// Appends the passes for an axis of `length` real numbers, which are `inner` apart, in `lines` parts of the array.
///
/// A transform by sines is one by cosines of the line in another order, or with other signs.
pub(in super::super) fn cosine_passes(
    passes: &mut Vec<Pass>,
    [lines, length, inner]: [u64; 3],
    (kind, weighted): (DctKind, bool),
    choice: Choice,
) {
    let (sines, number) = (kind.has_sines(), kind.number());
    let reals = |order, packed, complex, roots, [backwards, alternates]: [bool; 2]| {
        let [backwards, alternates] = [backwards, alternates].map(|is_so| is_so && sines);
        Reals { order, packed, complex, roots, backwards, alternates, weighted }
    };
    let (before, after) = match number {
        2 => ([false, true], [true, false]),
        3 | 4 => ([true, false], [false, true]),
        _ => ([false, false], [false, false]),
    };
    let from = |order, packed, complex, roots| {
        let work = Work::FromReals(reals(order, packed, complex, roots, before));
        Pass::new(work, lines * complex * inner, length, inner)
    };
    let to = |order, packed, complex, roots| {
        let work = Work::ToReals(reals(order, packed, complex, roots, after));
        Pass::new(work, lines * length * inner, length, inner)
    };
    // A real number in the last pass of an even line, or a line of the half length, is that of two neighbours.
    let convert = |half: Half, from: u64, to: u64, whole: u64| {
        Pass::new(Work::Half { half, from, to }, lines * to * inner, whole, inner)
    };
    let is_even = length.is_multiple_of(2);
    let (order, whole, roots) = match kind {
        DctKind::Dct1 => (Order::Mirrored, 2 * (length - 1), 1),
        DctKind::Dst1 => (Order::NegatedMirror, 2 * (length + 1), 1),
        DctKind::Dct2 | DctKind::Dst2 => (Order::EvensFirst, length, 4 * length),
        DctKind::Dct3 | DctKind::Dst3 => (Order::Halves, length, 4 * length),
        DctKind::Dct4 | DctKind::Dst4 if is_even => (Order::BothEnds, length, 8 * length),
        DctKind::Dct4 | DctKind::Dst4 => (Order::ByEights, length, 1),
    };
    let packed = whole.is_multiple_of(2);
    let complex = if packed { whole / 2 } else { whole };
    match order {
        Order::Halves => {
            let way = if packed { Half::Pack } else { Half::Extend };
            passes.push(from(order, false, half(length), roots));
            passes.push(convert(way, half(length), complex, length));
            axis_passes(passes, [lines, complex, inner], choice, true);
            passes.push(to(order, packed, complex, 1));
        }
        Order::BothEnds => {
            passes.push(from(order, false, complex, roots));
            axis_passes(passes, [lines, complex, inner], choice, false);
            passes.push(to(order, false, complex, roots));
        }
        _ => {
            passes.push(from(order, packed, complex, 1));
            axis_passes(passes, [lines, complex, inner], choice, false);
            if packed {
                passes.push(convert(Half::Unpack, complex, half(whole), whole));
            }
            passes.push(to(order, false, if packed { half(whole) } else { whole }, roots));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::chain::Form;
    use super::*;

    fn works(kind: DctKind, length: u64) -> Vec<Work> {
        let mut passes = Vec::new();
        cosine_passes(&mut passes, [3, length, 1], (kind, false), Choice::Lanes { widest: 8 });
        passes.iter().map(|pass| pass.work).collect()
    }

    #[test]
    fn lines_of_even_length_are_transformed_as_half_as_many_numbers() {
        let radix = |radix: u32| Work::Radix { radix, distance: 1, span: 1, step: 1, form: Form::Any };
        for kind in [DctKind::Dct2, DctKind::Dst3, DctKind::Dct4] {
            assert!(works(kind, 16).contains(&radix(8)), "{kind:?}");
            assert!(works(kind, 5).contains(&radix(5)), "{kind:?}");
        }
        // The line and its mirror image have twice as many.
        assert!(works(DctKind::Dct1, 9).contains(&radix(8)));
        assert!(works(DctKind::Dst1, 3).contains(&radix(4)));
    }

    #[test]
    fn sines_are_cosines_in_another_order() {
        let ends = |kind| match (works(kind, 8).first(), works(kind, 8).last()) {
            (Some(Work::FromReals(from)), Some(Work::ToReals(to))) => {
                [from.backwards, from.alternates, to.backwards, to.alternates]
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(ends(DctKind::Dct2), [false; 4]);
        assert_eq!(ends(DctKind::Dst2), [false, true, true, false]);
        assert_eq!(ends(DctKind::Dst3), [true, false, false, true]);
        assert_eq!(ends(DctKind::Dst4), [true, false, false, true]);
    }
}
