//! The reference of the tests: the operations of WGSL on single values of any width.

use super::super::{Comparison, Int};

/// The value of a type that equals `value` modulo 2 to the width.
pub(super) fn wrap(ty: Int, value: i128) -> i64 {
    let values = 1_i128 << ty.width;
    let value = value.rem_euclid(values);
    (if ty.signed && value >= values / 2 { value - values } else { value }) as i64
}

/// Whether the bit of a value at this position is 1.
pub(super) fn bit(value: i64, place: u8) -> bool {
    value >> place & 1 == 1
}

/// The value whose bits are 1 at the positions for which `set` returns true.
fn from_bits(ty: Int, set: impl Fn(u8) -> bool) -> i64 {
    wrap(ty, (0..ty.width).map(|place| i128::from(set(place)) << place).sum())
}

pub(super) fn add(ty: Int, x: i64, y: i64) -> i64 {
    wrap(ty, i128::from(x) + i128::from(y))
}

pub(super) fn sub(ty: Int, x: i64, y: i64) -> i64 {
    wrap(ty, i128::from(x) - i128::from(y))
}

pub(super) fn mul(ty: Int, x: i64, y: i64) -> i64 {
    wrap(ty, i128::from(x) * i128::from(y))
}

pub(super) fn div(ty: Int, x: i64, y: i64) -> i64 {
    if y == 0 { x } else { wrap(ty, i128::from(x / y)) }
}

pub(super) fn rem(_: Int, x: i64, y: i64) -> i64 {
    if y == 0 { 0 } else { x % y }
}

pub(super) fn min(_: Int, x: i64, y: i64) -> i64 {
    if x < y { x } else { y }
}

pub(super) fn max(_: Int, x: i64, y: i64) -> i64 {
    if x < y { y } else { x }
}

pub(super) fn and(ty: Int, x: i64, y: i64) -> i64 {
    from_bits(ty, |place| bit(x, place) && bit(y, place))
}

pub(super) fn or(ty: Int, x: i64, y: i64) -> i64 {
    from_bits(ty, |place| bit(x, place) || bit(y, place))
}

pub(super) fn xor(ty: Int, x: i64, y: i64) -> i64 {
    from_bits(ty, |place| bit(x, place) != bit(y, place))
}

/// The effective amount of a shift by `y`, which is taken modulo the width.
fn amount(ty: Int, y: i64) -> u8 {
    (wrap(Int { signed: false, ..ty }, y.into()) % i64::from(ty.width)) as u8
}

pub(super) fn shl(ty: Int, x: i64, y: i64) -> i64 {
    let by = amount(ty, y);
    from_bits(ty, |place| place >= by && bit(x, place - by))
}

pub(super) fn shr(ty: Int, x: i64, y: i64) -> i64 {
    let by = amount(ty, y);
    // Above the width, the bits of the `i64` are copies of the sign bit, or zeros for an unsigned type.
    from_bits(ty, |place| bit(x, place + by))
}

pub(super) fn neg(ty: Int, x: i64) -> i64 {
    wrap(ty, -i128::from(x))
}

pub(super) fn abs(ty: Int, x: i64) -> i64 {
    wrap(ty, i128::from(x).abs())
}

pub(super) fn sign(_: Int, x: i64) -> i64 {
    i64::from(x > 0) - i64::from(x < 0)
}

pub(super) fn not(ty: Int, x: i64) -> i64 {
    from_bits(ty, |place| !bit(x, place))
}

pub(super) fn count_one_bits(ty: Int, x: i64) -> i64 {
    wrap(ty, (0..ty.width).filter(|place| bit(x, *place)).count() as i128)
}

pub(super) fn count_leading_zeros(ty: Int, x: i64) -> i64 {
    wrap(ty, (0..ty.width).rev().take_while(|place| !bit(x, *place)).count() as i128)
}

pub(super) fn count_trailing_zeros(ty: Int, x: i64) -> i64 {
    wrap(ty, (0..ty.width).take_while(|place| !bit(x, *place)).count() as i128)
}

pub(super) fn first_leading_bit(ty: Int, x: i64) -> i64 {
    wrap(ty, (0..ty.width).rev().find(|place| bit(x, *place) != (x < 0)).map_or(-1, i128::from))
}

pub(super) fn first_trailing_bit(ty: Int, x: i64) -> i64 {
    wrap(ty, (0..ty.width).find(|place| bit(x, *place)).map_or(-1, i128::from))
}

pub(super) fn reverse_bits(ty: Int, x: i64) -> i64 {
    from_bits(ty, |place| bit(x, ty.width - 1 - place))
}

/// The offset and the length of a field, which ends at the width at the latest.
fn field(ty: Int, offset: i64, count: i64) -> (u8, u8) {
    let offset = offset.min(ty.width.into()) as u8;
    (offset, count.min((ty.width - offset).into()) as u8)
}

pub(super) fn extract_bits(ty: Int, x: i64, offset: i64, count: i64) -> i64 {
    let (offset, count) = field(ty, offset, count);
    let sign = ty.signed && count > 0 && bit(x, offset + count - 1);
    from_bits(ty, |place| if place < count { bit(x, offset + place) } else { sign })
}

pub(super) fn insert_bits(ty: Int, x: i64, new: i64, offset: i64, count: i64) -> i64 {
    let (offset, count) = field(ty, offset, count);
    let inside = |place: u8| offset <= place && place < offset + count;
    from_bits(ty, |place| if inside(place) { bit(new, place - offset) } else { bit(x, place) })
}

pub(super) fn holds(op: Comparison, x: i64, y: i64) -> bool {
    match op {
        Comparison::Equal => x == y,
        Comparison::NotEqual => x != y,
        Comparison::Less => x < y,
        Comparison::LessEqual => x <= y,
        Comparison::Greater => x > y,
        Comparison::GreaterEqual => x >= y,
    }
}
