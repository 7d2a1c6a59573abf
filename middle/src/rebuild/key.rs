//! Keys that are equal for expressions with the same value.

use naga::{Expression, Handle, Literal};
use smallvec::{SmallVec, smallvec};

use super::operands::for_each_operand;

/// The key of an expression. Expressions of one function with equal keys have the same value. Loads with equal keys
/// have the same value only while the memory that they read does not change.
pub(crate) type Key = SmallVec<[u32; 6]>;

/// The key of an expression; `None` for expressions that never have the same value.
pub(crate) fn key(expression: &Expression) -> Option<Key> {
    let index = |handle: Handle<Expression>| word(handle.index());
    Some(match *expression {
        Expression::Literal(literal) => {
            let (tag, bits) = literal_bits(literal);
            smallvec![0, tag, low(bits), low(bits >> 32)]
        }
        Expression::Constant(constant) => smallvec![1, word(constant.index())],
        Expression::Override(constant) => smallvec![2, word(constant.index())],
        Expression::ZeroValue(ty) => smallvec![3, word(ty.index())],
        Expression::FunctionArgument(argument) => smallvec![4, argument],
        Expression::GlobalVariable(variable) => smallvec![5, word(variable.index())],
        Expression::LocalVariable(variable) => smallvec![6, word(variable.index())],
        Expression::Compose { ty, .. } => with_operands(expression, &[7, word(ty.index())]),
        Expression::Access { base, index: at } => smallvec![8, index(base), index(at)],
        Expression::AccessIndex { base, index: at } => smallvec![9, index(base), at],
        Expression::Splat { size, value } => smallvec![10, size as u32, index(value)],
        Expression::Swizzle { size, vector, pattern } => {
            let pattern = pattern.iter().fold(0, |word, component| (word << 2) | *component as u32);
            smallvec![11, size as u32, index(vector), pattern]
        }
        Expression::Load { pointer } => smallvec![12, index(pointer)],
        Expression::Unary { op, expr } => smallvec![13, op as u32, index(expr)],
        Expression::Binary { op, left, right } => smallvec![14, op as u32, index(left), index(right)],
        Expression::Select { condition, accept, reject } => {
            smallvec![15, index(condition), index(accept), index(reject)]
        }
        Expression::Relational { fun, argument } => smallvec![16, fun as u32, index(argument)],
        Expression::Math { fun, .. } => with_operands(expression, &[17, fun as u32]),
        Expression::As { expr, kind, convert } => {
            smallvec![18, index(expr), kind as u32, convert.map_or(0, u32::from)]
        }
        Expression::ArrayLength(pointer) => smallvec![19, index(pointer)],
        _ => return None,
    })
}

fn with_operands(expression: &Expression, start: &[u32]) -> Key {
    let mut key = Key::from_slice(start);
    for_each_operand(expression, |operand| key.push(word(operand.index())));
    key
}

/// A number for the type of a literal, and its bits.
fn literal_bits(literal: Literal) -> (u32, u64) {
    match literal {
        Literal::F64(value) => (0, value.to_bits()),
        Literal::F32(value) => (1, value.to_bits().into()),
        Literal::F16(value) => (2, value.to_bits().into()),
        Literal::U16(value) => (3, value.into()),
        Literal::I16(value) => (4, i64::from(value).cast_unsigned()),
        Literal::U32(value) => (5, value.into()),
        Literal::I32(value) => (6, i64::from(value).cast_unsigned()),
        Literal::U64(value) => (7, value),
        Literal::I64(value) => (8, value.cast_unsigned()),
        Literal::Bool(value) => (9, value.into()),
        Literal::AbstractInt(value) => (10, value.cast_unsigned()),
        Literal::AbstractFloat(value) => (11, value.to_bits()),
    }
}

/// Converts the index of a handle to `u32`, which it fits in because handles have 32 bits.
fn word(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "only the low half is used")]
fn low(bits: u64) -> u32 {
    bits as u32
}
