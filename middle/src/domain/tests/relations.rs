//! Tests of comparisons, unions, intersections, casts, and of whether operations wrap.

use super::super::bits::Bits;
use super::super::{Comparison, Int, Known};
use super::concrete::{holds, wrap};
use super::sets::{Set, Values, all, parts, sample, values};

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessEqual,
    Comparison::Greater,
    Comparison::GreaterEqual,
];

/// The families of sets from which the tests form pairs: all sets of three bits, and a sample of the sets of eight
/// bits, each for unsigned and for signed types.
fn families() -> [Vec<Set>; 4] {
    let small = |signed| all(Int { signed, width: 3 });
    [small(false), small(true), sample(false), sample(true)]
}

#[test]
fn sets_are_reduced() {
    for width in 1..=5 {
        for ty in [Int { signed: false, width }, Int { signed: true, width }] {
            for zeros in 0..=ty.mask() {
                for ones in 0..=ty.mask() {
                    for low in ty.least()..=ty.most() {
                        for high in low..=ty.most() {
                            assert_reduced(ty, low, high, Bits { zeros, ones });
                        }
                    }
                }
            }
        }
    }
}

/// Asserts that the set of an interval and bits is the smallest possible, or that no set is returned if no value is in
/// it.
fn assert_reduced(ty: Int, low: i64, high: i64, bits: Bits) {
    let mut wanted = Values::default();
    for value in low..=high {
        let pattern = ty.pattern(value);
        if pattern & bits.zeros == 0 && pattern & bits.ones == bits.ones {
            wanted.insert(ty, value);
        }
    }
    let reduced = Known::reduced(ty, low, high, bits);
    assert_eq!(reduced.map(parts), wanted.smallest_set(ty), "{low} to {high} of {ty:?} with {bits:x?}");
    if let Some(known) = reduced {
        let only = known.value().is_some();
        assert_eq!(only, wanted.iter(ty).count() == 1, "the value of {known:?}");
        assert_eq!(values(known), wanted, "the values of {known:?}");
    }
}

#[test]
fn constructors_give_the_set_they_name() {
    for ty in [Int::I32, Int::U32] {
        let any = Known::any(ty);
        assert_eq!(parts(any), (ty.least(), ty.most(), 0, 0));
        assert_eq!(Known::between(ty, ty.least(), ty.most()), any);
        assert_eq!(Known::with_bits(ty, 0, 0), Some(any));
        assert_eq!(Known::with_bits(ty, 4, 6), None, "a bit cannot be both");
        assert_eq!(
            Known::with_bits(ty, 0x8000_0000, 0).map(|known| (known.low(), known.high())),
            Some((0, 0x7fff_ffff))
        );
        assert_eq!(parts(Known::exactly(ty, 5)), (5, 5, !5, 5));
        assert_eq!(Known::exactly(ty, 5).value(), Some(5));
        assert_eq!(any.within(-100, -1).is_some(), ty.signed, "negative values");
        assert_eq!(any.within(i64::MAX, i64::MAX), None);
    }
    assert_eq!((Int::I32.least(), Int::I32.most()), (i32::MIN.into(), i32::MAX.into()));
    assert_eq!((Int::U32.least(), Int::U32.most()), (0, u32::MAX.into()));
    assert_eq!(parts(Known::exactly(Int::I32, -2)), (-2, -2, 1, !1));
    // Bits above the width of the type are ignored, so they are no contradiction.
    assert!(Known::with_bits(Int { signed: false, width: 8 }, 0x100, 0x100).is_some());
}

#[test]
fn unions_and_intersections_are_exact() {
    for sets in families() {
        for left in &sets {
            for right in &sets {
                let ty = left.known.ty();
                let mut either = left.values;
                either.add(&right.values);
                let join = left.known.join(right.known);
                assert_eq!(Some(parts(join)), either.smallest_set(ty), "{:?} or {:?}", left.known, right.known);
                let both = left.values.intersection(&right.values).smallest_set(ty);
                let meet = left.known.meet(right.known);
                assert_eq!(meet.map(parts), both, "{:?} and {:?}", left.known, right.known);
            }
        }
    }
}

#[test]
fn comparisons_are_exact() {
    for sets in families() {
        for left in &sets {
            for right in &sets {
                for op in COMPARISONS {
                    assert_compared(op, left, right);
                }
            }
        }
    }
}

/// Asserts that the result of a comparison is known if it is the same for all values, and that its operands are
/// narrowed exactly.
fn assert_compared(op: Comparison, left: &Set, right: &Set) {
    let ty = left.known.ty();
    let lefts = where_it_holds(op, left, right);
    let rights = where_it_holds(op.mirrored(), right, left);
    let [lefts, rights] = [lefts, rights].map(|values| values.smallest_set(ty));
    let what = || format!("{:?} {op:?} {:?}", left.known, right.known);
    let refined = Known::refine(op, left.known, right.known);
    assert_eq!(refined.map(|(left, _)| parts(left)), lefts, "the left side of {}", what());
    assert_eq!(refined.map(|(_, right)| parts(right)), rights, "the right side of {}", what());
    let fails = where_it_holds(op.negated(), left, right) != Values::default();
    let wanted = (lefts.is_some() != fails).then_some(lefts.is_some());
    assert_eq!(Known::compare(op, left.known, right.known), wanted, "{}", what());
}

/// The left values for which the comparison holds with some right value.
fn where_it_holds(op: Comparison, left: &Set, right: &Set) -> Values {
    let ty = left.known.ty();
    let (low, high) = (right.known.low(), right.known.high());
    let mut values = Values::default();
    for value in left.values.iter(ty) {
        // If a comparison other than `==` holds for any value of a set, the comparison holds for one of the ends of its
        // interval, which are in the set.
        let holds = match op {
            Comparison::Equal => right.known.contains(value),
            _ => holds(op, value, low) || holds(op, value, high),
        };
        if holds {
            values.insert(ty, value);
        }
    }
    values
}

#[test]
fn negated_and_mirrored_comparisons_match() {
    for op in COMPARISONS {
        for (x, y) in [(0, 1), (1, 0), (1, 1)] {
            assert_eq!(holds(op.negated(), x, y), !holds(op, x, y), "not {op:?} of {x} and {y}");
            assert_eq!(holds(op.mirrored(), y, x), holds(op, x, y), "mirrored {op:?} of {x} and {y}");
        }
    }
}

#[test]
fn wrapping_is_predicted_exactly() {
    type Wraps = fn(&Known, Known) -> bool;
    type Values = fn(i64, i64) -> i64;
    let operations: [(&str, Wraps, Values); 3] = [
        ("+", Known::wraps_add, |x, y| x + y),
        ("-", Known::wraps_sub, |x, y| x - y),
        ("*", Known::wraps_mul, |x, y| x * y),
    ];
    for sets in families() {
        for left in &sets {
            for right in &sets {
                let ty = left.known.ty();
                for (name, wraps, operation) in operations {
                    // All three operations are extreme at the ends of the operands, and the ends are in the sets.
                    let ends = [left.known.low(), left.known.high()];
                    let results = ends.map(|x| [right.known.low(), right.known.high()].map(|y| operation(x, y)));
                    let leaves = results.iter().flatten().any(|result| wrap(ty, (*result).into()) != *result);
                    let what = format!("{:?} {name} {:?}", left.known, right.known);
                    assert_eq!(wraps(&left.known, right.known), leaves, "{what}");
                }
            }
        }
    }
    let most = Known::exactly(Int::U32, Int::U32.most());
    assert!(most.wraps_mul(most) && most.wraps_add(Known::exactly(Int::U32, 1)), "the largest of 32 bits");
    let least = Known::exactly(Int::I32, Int::I32.least());
    assert!(least.wraps_mul(Known::exactly(Int::I32, -1)) && !least.wraps_mul(Known::exactly(Int::I32, 1)));
}

#[test]
fn casts_contain_every_value() {
    let types = [1, 2, 3, 4, 5, 8].map(|width| [false, true].map(|signed| Int { signed, width }));
    for sets in families() {
        for set in &sets {
            for to in types.into_iter().flatten() {
                let mut wanted = Values::default();
                for value in set.values.iter(set.known.ty()) {
                    wanted.insert(to, wrap(to, value.into()));
                }
                let result = set.known.convert(to);
                let has = values(result);
                assert_eq!(wanted.missing_from(to, &has), None, "{:?} as {to:?} is {result:?}", set.known);
                // A cast to a narrower type or to the other signedness may split an interval.
                let from = set.known.ty();
                if to.width > from.width && (to.signed || !from.signed || set.known.low() >= 0) || to == from {
                    assert_eq!(Some(parts(result)), wanted.smallest_set(to), "{:?} as {to:?}", set.known);
                }
                if to.width == from.width {
                    assert_eq!(set.known.bitcast(to), result, "the same bits");
                }
            }
        }
    }
}
