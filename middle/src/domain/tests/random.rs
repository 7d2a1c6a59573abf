//! Tests of operations of 8 and 32 bits with random sets and values.

use proptest::prelude::*;

use super::super::bits::Bits;
use super::super::{Comparison, Int, Known};
use super::concrete::{self, holds};
use super::operations::{BINARY, UNARY};

/// A random set of a type, and a value in it.
///
/// The ends of the interval are near the value, near zero, near the ends of the type, or anywhere. Few bits, many bits
/// or the lowest bits are known.
fn set_and_value(ty: Int) -> impl Strategy<Value = (Known, i64)> {
    let all = ty.least()..=ty.most();
    let near = prop_oneof![Just(0_i64), 0_i64..5, 0_i64..300, all.clone()];
    let value = prop_oneof![all.clone(), -4_i64..40, Just(ty.least()), Just(ty.most()), all];
    let bits =
        prop_oneof![Just(0_u32), (0_u32..32).prop_map(|count| (1_u32 << count) - 1), any::<u32>(), Just(u32::MAX << 8)];
    (value, near.clone(), near, bits).prop_map(move |(value, below, above, bits)| {
        let value = value.clamp(ty.least(), ty.most());
        let low = value.saturating_sub(below.saturating_abs()).max(ty.least());
        let high = value.saturating_add(above.saturating_abs()).min(ty.most());
        let bits = Bits::exactly(ty.pattern(value)).within(bits & ty.mask());
        (Known::reduced(ty, low, high, bits).expect("the set has the value"), value)
    })
}

fn types() -> impl Strategy<Value = Int> {
    prop_oneof![
        Just(Int::U32),
        Just(Int::I32),
        Just(Int { signed: false, width: 8 }),
        Just(Int { signed: true, width: 8 }),
        (any::<bool>(), 1_u8..=32).prop_map(|(signed, width)| Int { signed, width })
    ]
}

fn of_a_type<const COUNT: usize>() -> impl Strategy<Value = [(Known, i64); COUNT]> {
    types().prop_flat_map(|ty| std::array::from_fn(|_| set_and_value(ty)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn operations([(left, x), (right, y)] in of_a_type()) {
        let ty = left.ty();
        prop_assert!(left.contains(x), "{left:?} has {x}");
        for operation in UNARY {
            let (set, value) = ((operation.sets)(left), (operation.values)(ty, x));
            prop_assert!(set.contains(value), "{} of {left:?} is {set:?}; of {x} it is {value}", operation.name);
        }
        for operation in BINARY {
            let (set, value) = ((operation.sets)(left, right), (operation.values)(ty, x, y));
            let name = operation.name;
            prop_assert!(set.contains(value), "{left:?} {name} {right:?} is {set:?}; {x} {name} {y} is {value}");
        }
        prop_assert!(left.join(right).contains(x) && left.join(right).contains(y));
        if right.contains(x) {
            prop_assert!(left.meet(right).is_some_and(|both| both.contains(x)), "{x} is in both");
        }
    }

    #[test]
    fn relations([(left, x), (right, y)] in of_a_type()) {
        use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        for op in [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual] {
            let holds = holds(op, x, y);
            prop_assert!(Known::compare(op, left, right).is_none_or(|known| known == holds), "{x} {op:?} {y}");
            let refined = Known::refine(op, left, right);
            let has = refined.is_some_and(|(left, right)| left.contains(x) && right.contains(y));
            prop_assert!(has || !holds, "{left:?} {op:?} {right:?}, with {x} and {y}, is {refined:?}");
        }
        let fits = |value: i128| i128::from(left.ty().least()) <= value && value <= i128::from(left.ty().most());
        let (wide_x, wide_y) = (i128::from(x), i128::from(y));
        prop_assert!(left.wraps_add(right) || fits(wide_x + wide_y));
        prop_assert!(left.wraps_sub(right) || fits(wide_x - wide_y));
        prop_assert!(left.wraps_mul(right) || fits(wide_x * wide_y));
    }

    #[test]
    fn fields(
        [(set, value), (other, new)] in of_a_type(),
        (offset, from) in set_and_value(Int::U32),
        (count, most) in set_and_value(Int::U32),
    ) {
        let ty = set.ty();
        let (extracted, field) = (set.extract_bits(offset, count), concrete::extract_bits(ty, value, from, most));
        prop_assert!(extracted.contains(field), "{most} from {from} of {value} are {field}, not in {extracted:?}");
        let (inserted, whole) =
            (set.insert_bits(other, offset, count), concrete::insert_bits(ty, value, new, from, most));
        prop_assert!(inserted.contains(whole), "{new} in {value}, {most} from {from}, is {whole}, not in {inserted:?}");
        for shift in [Known::shl, Known::shr].into_iter().zip([concrete::shl, concrete::shr]) {
            // Amounts of shifts are always `u32`.
            let by = from % i64::from(ty.width);
            let (result, shifted) = ((shift.0)(set, offset), (shift.1)(ty, value, concrete::wrap(ty, by.into())));
            prop_assert!(result.contains(shifted), "{value} shifted by {from} is {shifted}, not in {result:?}");
        }
    }

    #[test]
    fn other_types([(set, value)] in of_a_type(), to in types()) {
        let converted = set.convert(to);
        let value = concrete::wrap(to, value.into());
        prop_assert!(converted.contains(value), "{set:?} as {to:?} is {converted:?}, without {value}");
    }
}
