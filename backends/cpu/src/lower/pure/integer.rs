//! Component-wise functions of integers. 16-bit integers are extended to 32 bits, and results are reduced to their
//! range.

use naga::{MathFunction, Scalar, ScalarKind};

use super::operand::{fit, integer_like};
use crate::ir::{BinaryOp, Builder, Class, CompareOp, Convert, UnaryOp, Value};

/// Returns one component of the result of a function of integers; `None` if there is no function `fun` of integers.
pub(super) fn component(b: &mut Builder, fun: MathFunction, scalar: Scalar, args: &[Value]) -> Option<Value> {
    use MathFunction as Mf;
    let signed = match scalar.kind {
        ScalarKind::Sint => true,
        ScalarKind::Uint => false,
        _ => return None,
    };
    let (min, max) = if signed { (BinaryOp::MinS, BinaryOp::MaxS) } else { (BinaryOp::MinU, BinaryOp::MaxU) };
    let value = match (fun, args) {
        (Mf::Abs, &[x]) if signed => {
            let opposite = b.unary(UnaryOp::Neg, x);
            b.binary(BinaryOp::MaxS, x, opposite)
        }
        (Mf::Abs, &[x]) => return Some(x),
        (Mf::Min, &[x, y]) => return Some(b.binary(min, x, y)),
        (Mf::Max, &[x, y]) => return Some(b.binary(max, x, y)),
        (Mf::Clamp, &[x, low, high]) => {
            let raised = b.binary(max, x, low);
            return Some(b.binary(min, raised, high));
        }
        (Mf::Sign, &[x]) => {
            let one = integer_like(b, x, 1);
            let lowered = b.binary(min, x, one);
            let minus_one = integer_like(b, x, -1);
            return Some(if signed { b.binary(max, lowered, minus_one) } else { lowered });
        }
        (Mf::CountOneBits, &[x]) => {
            let x = zero_extended(b, scalar, x);
            return Some(b.unary(UnaryOp::Popcount, x));
        }
        (Mf::CountLeadingZeros, &[x]) => {
            let x = zero_extended(b, scalar, x);
            let zeros = b.unary(UnaryOp::Clz, x);
            let unused = integer_like(b, x, i64::from(register_bits(b, x)) - bits(scalar));
            return Some(b.binary(BinaryOp::Sub, zeros, unused));
        }
        (Mf::CountTrailingZeros, &[x]) => {
            let stop = integer_like(b, x, if scalar.width == 2 { 1 << 16 } else { 0 });
            let stopped = b.binary(BinaryOp::Or, x, stop);
            return Some(b.unary(UnaryOp::Ctz, stopped));
        }
        (Mf::ReverseBits, &[x]) => {
            let reversed = b.unary(UnaryOp::ReverseBits, x);
            let unused = integer_like(b, x, i64::from(register_bits(b, x)) - bits(scalar));
            let shift = if signed { BinaryOp::ShrS } else { BinaryOp::ShrU };
            return Some(b.binary(shift, reversed, unused));
        }
        (Mf::FirstTrailingBit, &[x]) => {
            let (zero, none) = (integer_like(b, x, 0), integer_like(b, x, -1));
            let is_zero = b.compare(CompareOp::Eq, x, zero);
            let position = b.unary(UnaryOp::Ctz, x);
            b.select(is_zero, none, position)
        }
        (Mf::FirstLeadingBit, &[x]) => first_leading_bit(b, signed, x),
        (Mf::ExtractBits, &[x, offset, count]) => extract(b, scalar, x, offset, count),
        (Mf::InsertBits, &[x, new, offset, count]) => insert(b, scalar, x, new, offset, count),
        _ => return None,
    };
    Some(fit(b, scalar, value))
}

/// The width of the type in bits.
fn bits(scalar: Scalar) -> i64 {
    i64::from(scalar.width) * 8
}

/// The width in bits of the register that contains a value.
fn register_bits(b: &Builder, x: Value) -> u32 {
    b.class(x).bytes() * 8
}

/// The value zero-extended if it is an `i16`; other values are returned unchanged.
fn zero_extended(b: &mut Builder, scalar: Scalar, x: Value) -> Value {
    if scalar == Scalar::I16 { fit(b, Scalar::U16, x) } else { x }
}

/// Lowers `firstLeadingBit`: the position of the highest bit that is 1 or, for negative numbers, 0. The result is -1
/// (all ones for unsigned types) if there is none. Sign and zero extension to 32 bits keep the position.
fn first_leading_bit(b: &mut Builder, signed: bool, x: Value) -> Value {
    let last = integer_like(b, x, i64::from(register_bits(b, x)) - 1);
    let x = if signed {
        let sign = b.binary(BinaryOp::ShrS, x, last);
        b.binary(BinaryOp::Xor, x, sign)
    } else {
        x
    };
    let zeros = b.unary(UnaryOp::Clz, x);
    b.binary(BinaryOp::Sub, last, zeros)
}

/// The range of bits of `extractBits` and `insertBits`, clamped as WGSL defines it, in the class of the operand.
struct Field {
    offset: Value,
    count: Value,
    /// All ones, or 0 if the range is empty.
    some: Value,
}

impl Field {
    fn new(b: &mut Builder, scalar: Scalar, x: Value, offset: Value, count: Value) -> Self {
        let mut bound = |value| {
            if b.class(x) == Class::I64 && b.class(value) == Class::I32 {
                b.convert(Convert::I32ToI64U, value)
            } else {
                value
            }
        };
        let (offset, count) = (bound(offset), bound(count));
        let width = integer_like(b, x, bits(scalar));
        let offset = b.binary(BinaryOp::MinU, offset, width);
        let left = b.binary(BinaryOp::Sub, width, offset);
        let count = b.binary(BinaryOp::MinU, count, left);
        // This arithmetic instead of a comparison is folded at compile time if the count is constant.
        let (zero, one) = (integer_like(b, x, 0), integer_like(b, x, 1));
        let some = b.binary(BinaryOp::MinU, count, one);
        let some = b.binary(BinaryOp::Sub, zero, some);
        Self { offset, count, some }
    }

    /// The number of register bits outside of the range, which is the shift that moves its bits to the top.
    fn unused(&self, b: &mut Builder, x: Value) -> Value {
        let width = integer_like(b, x, i64::from(register_bits(b, x)));
        b.binary(BinaryOp::Sub, width, self.count)
    }

    /// A mask whose low bits are ones, as many as the range has bits.
    fn mask(&self, b: &mut Builder, x: Value) -> Value {
        let unused = self.unused(b, x);
        let ones = integer_like(b, x, -1);
        // An empty range shifts by the full width, which leaves all ones; `some` clears them.
        let mask = b.binary(BinaryOp::ShrU, ones, unused);
        b.binary(BinaryOp::And, mask, self.some)
    }
}

fn extract(b: &mut Builder, scalar: Scalar, x: Value, offset: Value, count: Value) -> Value {
    let field = Field::new(b, scalar, x, offset, count);
    if scalar.kind == ScalarKind::Sint {
        let unused = field.unused(b, x);
        let up = b.binary(BinaryOp::Sub, unused, field.offset);
        let top = b.binary(BinaryOp::Shl, x, up);
        let value = b.binary(BinaryOp::ShrS, top, unused);
        b.binary(BinaryOp::And, value, field.some)
    } else {
        let low = b.binary(BinaryOp::ShrU, x, field.offset);
        let mask = field.mask(b, x);
        b.binary(BinaryOp::And, low, mask)
    }
}

fn insert(b: &mut Builder, scalar: Scalar, x: Value, new: Value, offset: Value, count: Value) -> Value {
    let field = Field::new(b, scalar, x, offset, count);
    let mask = field.mask(b, x);
    let mask = b.binary(BinaryOp::Shl, mask, field.offset);
    let new = b.binary(BinaryOp::Shl, new, field.offset);
    let different = b.binary(BinaryOp::Xor, x, new);
    let different = b.binary(BinaryOp::And, different, mask);
    b.binary(BinaryOp::Xor, x, different)
}
