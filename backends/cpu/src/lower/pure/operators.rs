//! Unary and binary operators, and functions that reduce or classify components.

use naga::{BinaryOperator, RelationalFunction, Scalar, ScalarKind, UnaryOperator};

use super::operand::{fit, float_like};
use super::{Operand, matrix};
use crate::ir::{BinaryOp, Builder, Class, CompareOp, Convert, UnaryOp, Value};

/// Lowers an operator with one operand.
pub(crate) fn unary(b: &mut Builder, op: UnaryOperator, a: Operand<'_>) -> Result<Vec<Value>, String> {
    let scalar = a.scalar()?;
    let op = match op {
        UnaryOperator::Negate => UnaryOp::Neg,
        UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => UnaryOp::Not,
    };
    let components = a.values.iter().map(|value| {
        let result = b.unary(op, *value);
        // Negation of an `f16` is exact, so it needs no rounding.
        if scalar.kind == ScalarKind::Float { result } else { fit(b, scalar, result) }
    });
    Ok(components.collect())
}

/// Lowers a binary operator; a scalar operand applies to each component of a vector or matrix.
pub(crate) fn binary(
    b: &mut Builder,
    op: BinaryOperator,
    left: Operand<'_>,
    right: Operand<'_>,
) -> Result<Vec<Value>, String> {
    let scalar = left.scalar()?;
    right.scalar()?;
    if op == BinaryOperator::Multiply
        && let Some(product) = matrix::product(b, left, right)?
    {
        return Ok(product);
    }
    let count = left.values.len().max(right.values.len());
    (0..count)
        .map(|index| {
            let (x, y) = (left.component(index)?, right.component(index)?);
            Ok(component(b, op, scalar, x, y))
        })
        .collect()
}

/// Lowers a function that tests components, such as `all` and `any`.
pub(crate) fn relational(b: &mut Builder, fun: RelationalFunction, a: Operand<'_>) -> Result<Vec<Value>, String> {
    a.scalar()?;
    let reduce = |b: &mut Builder, op: BinaryOp| a.values.iter().copied().reduce(|x, y| b.binary(op, x, y));
    Ok(match fun {
        RelationalFunction::All => reduce(b, BinaryOp::And).into_iter().collect(),
        RelationalFunction::Any => reduce(b, BinaryOp::Or).into_iter().collect(),
        RelationalFunction::IsNan => a.values.iter().map(|x| b.compare(CompareOp::Ne, *x, *x)).collect(),
        RelationalFunction::IsInf => {
            let is_inf = |x: &Value| {
                let magnitude = b.unary(UnaryOp::Abs, *x);
                let infinity = float_like(b, *x, f64::INFINITY);
                b.compare(CompareOp::Eq, magnitude, infinity)
            };
            a.values.iter().map(is_inf).collect()
        }
    })
}

fn component(b: &mut Builder, op: BinaryOperator, scalar: Scalar, x: Value, y: Value) -> Value {
    use BinaryOperator as Op;
    let (float, signed) = (scalar.kind == ScalarKind::Float, scalar.kind == ScalarKind::Sint);
    let by_kind = |of_floats, of_signed, of_unsigned| match scalar.kind {
        ScalarKind::Float => of_floats,
        ScalarKind::Sint => of_signed,
        _ => of_unsigned,
    };
    let compare_by_kind = |of_floats, of_signed, of_unsigned| match scalar.kind {
        ScalarKind::Float => of_floats,
        ScalarKind::Sint => of_signed,
        _ => of_unsigned,
    };
    let less = compare_by_kind(CompareOp::Lt, CompareOp::LtS, CompareOp::LtU);
    let less_or_equal = compare_by_kind(CompareOp::Le, CompareOp::LeS, CompareOp::LeU);
    let result = match op {
        Op::Add => b.binary(BinaryOp::Add, x, y),
        Op::Subtract => b.binary(BinaryOp::Sub, x, y),
        Op::Multiply => b.binary(BinaryOp::Mul, x, y),
        Op::Divide => b.binary(by_kind(BinaryOp::Div, BinaryOp::DivS, BinaryOp::DivU), x, y),
        Op::Modulo if float => remainder(b, x, y),
        Op::Modulo => b.binary(if signed { BinaryOp::RemS } else { BinaryOp::RemU }, x, y),
        Op::ShiftLeft | Op::ShiftRight => {
            let amount = shift_amount(b, scalar, x, y);
            let right = if signed { BinaryOp::ShrS } else { BinaryOp::ShrU };
            b.binary(if op == Op::ShiftLeft { BinaryOp::Shl } else { right }, x, amount)
        }
        Op::Equal => return b.compare(CompareOp::Eq, x, y),
        Op::NotEqual => return b.compare(CompareOp::Ne, x, y),
        Op::Less => return b.compare(less, x, y),
        Op::LessEqual => return b.compare(less_or_equal, x, y),
        Op::Greater => return b.compare(less, y, x),
        Op::GreaterEqual => return b.compare(less_or_equal, y, x),
        Op::And | Op::LogicalAnd => return b.binary(BinaryOp::And, x, y),
        Op::InclusiveOr | Op::LogicalOr => return b.binary(BinaryOp::Or, x, y),
        Op::ExclusiveOr => return b.binary(BinaryOp::Xor, x, y),
    };
    fit(b, scalar, result)
}

/// `x - y * trunc(x / y)`, as WGSL defines `%`. For `f16` only the result is rounded: if the quotient were rounded up
/// to an integer, the remainder would have the wrong sign.
fn remainder(b: &mut Builder, x: Value, y: Value) -> Value {
    let quotient = b.binary(BinaryOp::Div, x, y);
    let whole = b.unary(UnaryOp::Trunc, quotient);
    let product = b.binary(BinaryOp::Mul, y, whole);
    b.binary(BinaryOp::Sub, x, product)
}

/// The amount of a shift of `x`, in the class of `x`. Instructions take the amount modulo the register's width, so that
/// for 16-bit types it must be reduced here.
fn shift_amount(b: &mut Builder, scalar: Scalar, x: Value, amount: Value) -> Value {
    let amount = match (b.class(x), b.class(amount)) {
        (Class::I64, Class::I32) => b.convert(Convert::I32ToI64U, amount),
        (Class::I32, Class::I64) => b.convert(Convert::I64ToI32, amount),
        _ => amount,
    };
    if scalar.width != 2 {
        return amount;
    }
    let mask = b.u32(15);
    b.binary(BinaryOp::And, amount, mask)
}
