//! Tests of exact results for typical computations of indices.

use super::super::{Comparison, Int, Known};
use super::sets::parts;

fn u32s(low: i64, high: i64) -> Known {
    Known::between(Int::U32, low, high)
}

fn i32s(low: i64, high: i64) -> Known {
    Known::between(Int::I32, low, high)
}

fn number(value: u32) -> Known {
    Known::exactly(Int::U32, value.into())
}

fn any() -> Known {
    Known::any(Int::U32)
}

const MAX: i64 = u32::MAX as i64;
const LEAST: i64 = i32::MIN as i64;

/// The name of a set, the set, its expected interval, and its expected known zeros and ones.
type Case = (&'static str, Known, (i64, i64), (u32, u32));

/// Asserts that sets have the listed intervals and at least the listed bits.
fn assert_known(cases: &[Case]) {
    for (name, known, interval, (zeros, ones)) in cases {
        assert_eq!((known.low(), known.high()), *interval, "the interval of {name}: {known:x?}");
        assert_eq!((known.zeros() & zeros, known.ones() & ones), (*zeros, *ones), "the bits of {name}: {known:x?}");
    }
}

#[test]
fn sums_and_products_are_exact() {
    let lane = u32s(0, 63);
    let group = u32s(0, 65_534);
    assert_known(&[
        ("64 group + lane", group.mul(number(64)).add(lane), (0, 65_534 * 64 + 63), (0xffc0_0000, 0)),
        ("4 lane", lane.mul(number(4)), (0, 252), (0xffff_ff03, 0)),
        ("4 lane + 3", lane.mul(number(4)).add(number(3)), (3, 255), (0xffff_ff00, 3)),
        ("12 lane", lane.mul(number(12)), (0, 756), (3, 0)),
        ("6 times a multiple of 4", lane.mul(number(4)).mul(number(6)), (0, 1512), (7, 0)),
        ("8 any", any().mul(number(8)), (0, MAX - 7), (7, 0)),
        ("8 any + 5", any().mul(number(8)).add(number(5)), (5, MAX - 2), (2, 5)),
        ("63 - lane", number(63).sub(lane), (0, 63), (!63, 0)),
        ("lane - 1, which may wrap", lane.sub(number(1)), (0, MAX), (0, 0)),
        ("lane + 1 - 1", lane.add(number(1)).sub(number(1)), (0, 63), (!63, 0)),
        ("lane - 64, which always wraps", lane.sub(number(64)), (MAX - 63, MAX), (0, !63)),
        ("lane + 2^32 - 64", lane.add(u32s(MAX - 63, MAX - 63)), (MAX - 63, MAX), (0, !63)),
        ("a product that always wraps once", u32s(0x8000_0000, 0x8000_0003).mul(number(2)), (0, 6), (1, 0)),
        ("the largest product", u32s(65_530, 65_535).mul(u32s(1, 65_537)), (65_530, MAX), (0, 0)),
        ("i32 product of signs", i32s(-3, 5).mul(i32s(-7, 2)), (-35, 21), (0, 0)),
        ("i32 sum", i32s(-3, 5).add(i32s(1, 2)), (-2, 7), (0, 0)),
        ("i32 difference", i32s(-3, 5).sub(i32s(1, 2)), (-5, 4), (0, 0)),
        ("-[-3, 5]", i32s(-3, 5).neg(), (-5, 3), (0, 0)),
        ("abs [-3, 2]", i32s(-3, 2).abs(), (0, 3), (!3, 0)),
        ("abs [-9, -3]", i32s(-9, -3).abs(), (3, 9), (!15, 0)),
        ("abs of the least", i32s(LEAST, LEAST).abs(), (LEAST, LEAST), (0, 1 << 31)),
        ("sign [-3, 0]", i32s(-3, 0).sign(), (-1, 0), (0, 0)),
        ("sign [4, 9]", i32s(4, 9).sign(), (1, 1), (!1, 1)),
        ("sign of an odd number", i32s(-3, 5).or(i32s(1, 1)).sign(), (-1, 1), (0, 1)),
    ]);
}

#[test]
fn quotients_and_remainders_are_exact() {
    let index = u32s(0, 1000);
    let zero_to = |high| (0, high);
    assert_known(&[
        ("index / 8", index.div(number(8)), zero_to(125), (!127, 0)),
        ("index / 0", index.div(number(0)), zero_to(1000), (0, 0)),
        ("index / [0, 3]", index.div(u32s(0, 3)), zero_to(1000), (0, 0)),
        ("[100, 200] / [3, 7]", u32s(100, 200).div(u32s(3, 7)), (14, 66), (0, 0)),
        ("a multiple of 64, / 16", index.mul(number(64)).div(number(16)), zero_to(4000), (3, 0)),
        ("i32 [-7, 9] / 2", i32s(-7, 9).div(i32s(2, 2)), (-3, 4), (0, 0)),
        ("i32 [-7, 9] / -2", i32s(-7, 9).div(i32s(-2, -2)), (-4, 3), (0, 0)),
        ("least / -1", i32s(LEAST, LEAST).div(i32s(-1, -1)), (LEAST, LEAST), (0, 0)),
        ("[least, least + 2] / -2", i32s(LEAST, LEAST + 2).div(i32s(-2, -2)), ((1 << 30) - 1, 1 << 30), (0, 0)),
        ("index % 64", index.rem(number(64)), zero_to(63), (!63, 0)),
        ("any % 10", any().rem(number(10)), zero_to(9), (!15, 0)),
        ("index % 0", index.rem(number(0)), (0, 0), (!0, 0)),
        ("index % 2000", index.rem(number(2000)), zero_to(1000), (0, 0)),
        ("index % [1001, any]", index.rem(u32s(1001, MAX)), zero_to(1000), (0, 0)),
        ("any % [0, 10]", any().rem(u32s(0, 10)), zero_to(9), (!15, 0)),
        ("[70, 75] % 64", u32s(70, 75).rem(number(64)), (6, 11), (!15, 0)),
        ("4 any % 100", any().mul(number(4)).rem(number(100)), (0, 96), (3, 0)),
        ("(4 any + 1) % 64", any().mul(number(4)).add(number(1)).rem(number(64)), (1, 61), (!61, 1)),
        ("i32 any % 8", Known::any(Int::I32).rem(i32s(8, 8)), (-7, 7), (0, 0)),
        ("i32 any % -8", Known::any(Int::I32).rem(i32s(-8, -8)), (-7, 7), (0, 0)),
        ("i32 [-3, 20] % 8", i32s(-3, 20).rem(i32s(8, 8)), (-3, 7), (0, 0)),
        ("i32 [0, any] % 8", i32s(0, i32::MAX.into()).rem(i32s(8, 8)), (0, 7), (!7, 0)),
        ("least % -1", i32s(LEAST, LEAST).rem(i32s(-1, -1)), (0, 0), (!0, 0)),
    ]);
}

#[test]
fn bitwise_operations_are_exact() {
    assert_known(&[
        ("any & 63", any().and(number(63)), (0, 63), (!63, 0)),
        ("any & ~3", any().and(number(!3)), (0, MAX - 3), (3, 0)),
        ("any & [0, 5]", any().and(u32s(0, 5)), (0, 5), (!7, 0)),
        ("i32 any & 7", Known::any(Int::I32).and(i32s(7, 7)), (0, 7), (!7, 0)),
        ("i32 any & -8", Known::any(Int::I32).and(i32s(-8, -8)), (LEAST, (1 << 31) - 8), (7, 0)),
        ("i32 [-8, -1] & [0, 100]", i32s(-8, -1).and(i32s(0, 100)), (0, 100), (!127, 0)),
        ("[250, 255] & [250, 255]", u32s(250, 255).and(u32s(250, 255)), (248, 255), (!255, 248)),
        ("[0, 255] ^ [0, 15]", u32s(0, 255).xor(u32s(0, 15)), (0, 255), (!255, 0)),
        ("[0, 10] ^ [0, 3]", u32s(0, 10).xor(u32s(0, 3)), (0, 13), (!15, 0)),
        ("lane ^ 32", u32s(0, 63).xor(number(32)), (0, 63), (!63, 0)),
        ("64 [0, 10] | lane", u32s(0, 10).mul(number(64)).or(u32s(0, 63)), (0, 703), (!1023, 0)),
        ("64 [2, 10] ^ lane", u32s(2, 10).mul(number(64)).xor(u32s(5, 63)), (133, 703), (!1023, 0)),
        ("[0, 62] | 1", u32s(0, 62).or(number(1)), (1, 63), (!63, 1)),
        ("[4, 7] | [0, 2]", u32s(4, 7).or(u32s(0, 2)), (4, 7), (!7, 4)),
        ("i32 [-4, 3] | 1", i32s(-4, 3).or(i32s(1, 1)), (-3, 3), (0, 1)),
        ("~[0, 5]", u32s(0, 5).not(), (MAX - 5, MAX), (0, !7)),
        ("~i32 [-3, 5]", i32s(-3, 5).not(), (-6, 2), (0, 0)),
    ]);
}

#[test]
fn shifts_are_exact() {
    let lane = u32s(0, 63);
    assert_known(&[
        ("lane << 2", lane.shl(number(2)), (0, 252), (0xffff_ff03, 0)),
        ("lane << 34", lane.shl(number(34)), (0, 252), (0xffff_ff03, 0)),
        ("1 << [0, 5]", number(1).shl(u32s(0, 5)), (1, 32), (!63, 0)),
        ("1 << [32, 33]", number(1).shl(u32s(32, 33)), (1, 2), (!3, 0)),
        ("any << 4", any().shl(number(4)), (0, MAX - 15), (15, 0)),
        ("lane >> 3", lane.shr(number(3)), (0, 7), (!7, 0)),
        ("lane >> [1, 2]", lane.shr(u32s(1, 2)), (0, 31), (!31, 0)),
        ("any >> 24", any().shr(number(24)), (0, 255), (!255, 0)),
        ("any >> any", any().shr(any()), (0, MAX), (0, 0)),
        ("4 lane >> 1", lane.shl(number(2)).shr(number(1)), (0, 126), (1, 0)),
        ("i32 [-9, 5] >> 1", i32s(-9, 5).shr(number(1)), (-5, 2), (0, 0)),
        ("i32 [-9, 5] << 1", i32s(-9, 5).shl(number(1)), (-18, 10), (1, 0)),
        ("i32 any >> 31", Known::any(Int::I32).shr(number(31)), (-1, 0), (0, 0)),
    ]);
}

#[test]
fn minimum_and_maximum_are_exact() {
    assert_known(&[
        ("min(any, 99)", any().min(number(99)), (0, 99), (!127, 0)),
        ("max(any, 99)", any().max(number(99)), (99, MAX), (0, 0)),
        ("min([3, 9], [5, 7])", u32s(3, 9).min(u32s(5, 7)), (3, 7), (!7, 0)),
        ("max([3, 9], [5, 7])", u32s(3, 9).max(u32s(5, 7)), (5, 9), (!15, 0)),
        ("clamp(any, 2, 9)", any().max(number(2)).min(number(9)), (2, 9), (!15, 0)),
        ("clamp(any, 9, 2)", any().max(number(9)).min(number(2)), (2, 2), (!2, 2)),
        ("clamp(i32 any, 0, 7)", Known::any(Int::I32).max(i32s(0, 0)).min(i32s(7, 7)), (0, 7), (!7, 0)),
        ("min(4 any, 64)", any().mul(number(4)).min(number(64)), (0, 64), (3, 0)),
    ]);
}

#[test]
fn counts_and_fields_are_exact() {
    let bits = |known: Known| known.extract_bits(number(8), number(4));
    assert_known(&[
        ("countOneBits(any)", any().count_one_bits(), (0, 32), (!63, 0)),
        ("countOneBits(any | 3)", any().or(number(3)).count_one_bits(), (2, 32), (0, 0)),
        ("countLeadingZeros([1, 255])", u32s(1, 255).count_leading_zeros(), (24, 31), (!31, 24)),
        ("countTrailingZeros([1, 255])", u32s(1, 255).count_trailing_zeros(), (0, 7), (!7, 0)),
        ("countTrailingZeros(4 any)", any().mul(number(4)).count_trailing_zeros(), (2, 32), (0, 0)),
        ("firstLeadingBit([1, 255])", u32s(1, 255).first_leading_bit(), (0, 7), (!7, 0)),
        ("firstLeadingBit(i32 [-9, 5])", i32s(-9, 5).first_leading_bit(), (-1, 3), (0, 0)),
        ("firstTrailingBit([1, 255])", u32s(1, 255).first_trailing_bit(), (0, 7), (!7, 0)),
        ("firstTrailingBit(i32 [0, 255])", i32s(0, 255).first_trailing_bit(), (-1, 7), (0, 0)),
        ("reverseBits([0, 1])", u32s(0, 1).reverse_bits(), (0, 1 << 31), (!(1 << 31), 0)),
        ("extractBits(any, 8, 4)", bits(any()), (0, 15), (!15, 0)),
        ("extractBits(i32 any, 8, 4)", bits(Known::any(Int::I32)), (-8, 7), (0, 0)),
        ("extractBits([0xabc, 0xabf], 8, 4)", bits(u32s(0xabc, 0xabf)), (10, 10), (0, 10)),
        ("extractBits(any, any, 4)", any().extract_bits(any(), number(4)), (0, 15), (!15, 0)),
        ("extractBits(any, any, [0, 6])", any().extract_bits(any(), u32s(0, 6)), (0, 63), (!63, 0)),
        ("extractBits(any, 30, any)", any().extract_bits(number(30), any()), (0, 3), (!3, 0)),
        ("insertBits(0, any, 4, 2)", number(0).insert_bits(any(), number(4), number(2)), (0, 48), (!48, 0)),
        ("insertBits(9, any, [4, 5], any)", number(9).insert_bits(any(), u32s(4, 5), any()), (9, MAX - 6), (6, 9)),
        ("insertBits(9, any, any, [0, 1])", number(0).insert_bits(any(), u32s(3, 31), any()), (0, MAX - 7), (7, 0)),
    ]);
}

#[test]
fn casts_are_exact() {
    let i8s = Int { signed: true, width: 8 };
    let u3s = Int { signed: false, width: 3 };
    assert_known(&[
        ("i32 [0, 7] as u32", i32s(0, 7).bitcast(Int::U32), (0, 7), (!7, 0)),
        ("i32 [-8, -1] as u32", i32s(-8, -1).bitcast(Int::U32), (MAX - 7, MAX), (0, !7)),
        ("u32 above i32's, as i32", u32s(MAX - 7, MAX).bitcast(Int::I32), (-8, -1), (0, !7)),
        ("u32 any as i32", any().bitcast(Int::I32), (LEAST, -LEAST - 1), (0, 0)),
        ("i8 [-8, 7] as i32", Known::between(i8s, -8, 7).convert(Int::I32), (-8, 7), (0, 0)),
        ("i8 [-8, -1] as u32", Known::between(i8s, -8, -1).convert(Int::U32), (MAX - 7, MAX), (0, !7)),
        ("u32 [256, 263] as i8", u32s(256, 263).convert(i8s), (0, 7), (0xf8, 0)),
        ("1 << [1, 2], of three bits", Known::exactly(u3s, 1).shl(Known::between(u3s, 1, 2)), (2, 4), (0, 0)),
        ("1 << [4, 5], of three bits", Known::exactly(u3s, 1).shl(Known::between(u3s, 4, 5)), (2, 4), (0, 0)),
        ("4 any as i8", any().mul(number(4)).convert(i8s), (-128, 124), (3, 0)),
    ]);
}

#[test]
fn comparisons_narrow_their_operands() {
    use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let index = u32s(0, 99);
    // A comparison, its two operands, and the expected intervals of the operands if the comparison holds.
    let cases = [
        (Less, any(), u32s(0, 100), Some(((0, 99), (1, 100)))),
        (Less, any(), number(0), None),
        (LessEqual, any(), index, Some(((0, 99), (0, 99)))),
        (Greater, index, number(9), Some(((10, 99), (9, 9)))),
        (Greater, index, number(99), None),
        (GreaterEqual, index, u32s(90, 200), Some(((90, 99), (90, 99)))),
        (Equal, index, u32s(90, 200), Some(((90, 99), (90, 99)))),
        (Equal, index, number(100), None),
        (NotEqual, index, number(0), Some(((1, 99), (0, 0)))),
        (NotEqual, index, number(99), Some(((0, 98), (99, 99)))),
        (NotEqual, index, number(50), Some(((0, 99), (50, 50)))),
        (NotEqual, number(5), number(5), None),
        (NotEqual, index.mul(number(4)), number(0), Some(((4, 396), (0, 0)))),
        (Less, index.mul(number(4)), number(15), Some(((0, 12), (15, 15)))),
    ];
    for (op, left, right, wanted) in cases {
        let refined = Known::refine(op, left, right);
        let found = refined.map(|(left, right)| ((left.low(), left.high()), (right.low(), right.high())));
        assert_eq!(found, wanted, "{left:x?} {op:?} {right:x?}");
    }
    assert_eq!(Known::compare(Less, index, number(100)), Some(true));
    assert_eq!(Known::compare(Less, index, number(99)), None);
    assert_eq!(Known::compare(Equal, index.mul(number(2)), number(7)), Some(false), "an even number is not 7");
    assert_eq!(parts(index).0, 0);
}
