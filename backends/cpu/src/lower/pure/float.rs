//! Component-wise functions of floats.

use naga::{MathFunction, Scalar};

use super::exponent;
use super::operand::{fit, float_like};
use crate::ir::{BinaryOp, Builder, Class, CompareOp, TernaryOp, UnaryOp, Value};
use crate::math::LaneFunction;

/// Returns one component of the result of a function of floats; `None` if there is no function `fun` of floats.
pub(super) fn component(b: &mut Builder, fun: MathFunction, scalar: Scalar, args: &[Value]) -> Option<Value> {
    if let Some(value) = exact(b, fun, args) {
        return Some(value);
    }
    if let (MathFunction::Ldexp, &[x, power]) = (fun, args) {
        return Some(exponent::ldexp(b, scalar, x, power));
    }
    let value = called(b, fun, args).or_else(|| rounded(b, fun, args))?;
    Some(fit(b, scalar, value))
}

/// Lowers functions that need no rounding: with `f16` operands, the result is always an `f16`.
fn exact(b: &mut Builder, fun: MathFunction, args: &[Value]) -> Option<Value> {
    use MathFunction as Mf;
    Some(match (fun, args) {
        (Mf::Abs, &[x]) => b.unary(UnaryOp::Abs, x),
        (Mf::Min, &[x, y]) => b.binary(BinaryOp::Min, x, y),
        (Mf::Max, &[x, y]) => b.binary(BinaryOp::Max, x, y),
        (Mf::Clamp, &[x, low, high]) => clamp(b, x, low, high),
        (Mf::Saturate, &[x]) => saturate(b, x),
        (Mf::Ceil, &[x]) => b.unary(UnaryOp::Ceil, x),
        (Mf::Floor, &[x]) => b.unary(UnaryOp::Floor, x),
        (Mf::Round, &[x]) => b.unary(UnaryOp::Nearest, x),
        (Mf::Trunc, &[x]) => b.unary(UnaryOp::Trunc, x),
        (Mf::QuantizeToF16, &[x]) => b.unary(UnaryOp::RoundF16, x),
        (Mf::Sign, &[x]) => {
            let (zero, one, minus_one) = (float_like(b, x, 0.0), float_like(b, x, 1.0), float_like(b, x, -1.0));
            let below = b.compare(CompareOp::Lt, x, zero);
            let above = b.compare(CompareOp::Lt, zero, x);
            let not_above = b.select(below, minus_one, zero);
            b.select(above, one, not_above)
        }
        (Mf::Step, &[edge, x]) => {
            let (zero, one) = (float_like(b, x, 0.0), float_like(b, x, 1.0));
            let reached = b.compare(CompareOp::Le, edge, x);
            b.select(reached, one, zero)
        }
        _ => return None,
    })
}

/// Lowers functions that consist of a few operations, whose result must be rounded for `f16`.
fn rounded(b: &mut Builder, fun: MathFunction, args: &[Value]) -> Option<Value> {
    use MathFunction as Mf;
    Some(match (fun, args) {
        (Mf::Radians, &[x]) => scaled(b, x, std::f64::consts::PI / 180.0),
        (Mf::Degrees, &[x]) => scaled(b, x, 180.0 / std::f64::consts::PI),
        (Mf::Fract, &[x]) => {
            let floor = b.unary(UnaryOp::Floor, x);
            b.binary(BinaryOp::Sub, x, floor)
        }
        (Mf::Sqrt, &[x]) => b.unary(UnaryOp::Sqrt, x),
        (Mf::InverseSqrt, &[x]) => {
            let root = b.unary(UnaryOp::Sqrt, x);
            let one = float_like(b, x, 1.0);
            b.binary(BinaryOp::Div, one, root)
        }
        (Mf::Fma, &[x, y, z]) => b.ternary(TernaryOp::Fma, x, y, z),
        (Mf::Mix, &[x, y, t]) => {
            let one = float_like(b, t, 1.0);
            let rest = b.binary(BinaryOp::Sub, one, t);
            let left = b.binary(BinaryOp::Mul, x, rest);
            let right = b.binary(BinaryOp::Mul, y, t);
            b.binary(BinaryOp::Add, left, right)
        }
        (Mf::SmoothStep, &[low, high, x]) => {
            let above = b.binary(BinaryOp::Sub, x, low);
            let range = b.binary(BinaryOp::Sub, high, low);
            let ratio = b.binary(BinaryOp::Div, above, range);
            let t = saturate(b, ratio);
            let square = b.binary(BinaryOp::Mul, t, t);
            let (two, three) = (float_like(b, t, 2.0), float_like(b, t, 3.0));
            let twice = b.binary(BinaryOp::Mul, two, t);
            let slope = b.binary(BinaryOp::Sub, three, twice);
            b.binary(BinaryOp::Mul, square, slope)
        }
        _ => return None,
    })
}

/// Lowers functions that [`crate::math`] implements.
fn called(b: &mut Builder, fun: MathFunction, args: &[Value]) -> Option<Value> {
    use LaneFunction as Lf;
    use MathFunction as Mf;
    let (single, double) = match fun {
        Mf::Cos => (Lf::Cos, Lf::CosF64),
        Mf::Cosh => (Lf::Cosh, Lf::CoshF64),
        Mf::Sin => (Lf::Sin, Lf::SinF64),
        Mf::Sinh => (Lf::Sinh, Lf::SinhF64),
        Mf::Tan => (Lf::Tan, Lf::TanF64),
        Mf::Tanh => (Lf::Tanh, Lf::TanhF64),
        Mf::Acos => (Lf::Acos, Lf::AcosF64),
        Mf::Asin => (Lf::Asin, Lf::AsinF64),
        Mf::Atan => (Lf::Atan, Lf::AtanF64),
        Mf::Atan2 => (Lf::Atan2, Lf::Atan2F64),
        Mf::Asinh => (Lf::Asinh, Lf::AsinhF64),
        Mf::Acosh => (Lf::Acosh, Lf::AcoshF64),
        Mf::Atanh => (Lf::Atanh, Lf::AtanhF64),
        Mf::Exp => (Lf::Exp, Lf::ExpF64),
        Mf::Exp2 => (Lf::Exp2, Lf::Exp2F64),
        Mf::Log => (Lf::Log, Lf::LogF64),
        Mf::Log2 => (Lf::Log2, Lf::Log2F64),
        Mf::Pow => (Lf::Pow, Lf::PowF64),
        _ => return None,
    };
    let two = matches!(fun, Mf::Atan2 | Mf::Pow);
    let (x, y) = match *args {
        [x] if !two => (x, x),
        [x, y] if two => (x, y),
        _ => return None,
    };
    let function = if b.class(x) == Class::F64 { double } else { single };
    Some(b.call2(function, x, y))
}

pub(super) fn clamp(b: &mut Builder, x: Value, low: Value, high: Value) -> Value {
    let raised = b.binary(BinaryOp::Max, x, low);
    b.binary(BinaryOp::Min, raised, high)
}

fn saturate(b: &mut Builder, x: Value) -> Value {
    let (zero, one) = (float_like(b, x, 0.0), float_like(b, x, 1.0));
    clamp(b, x, zero, one)
}

fn scaled(b: &mut Builder, x: Value, factor: f64) -> Value {
    let factor = float_like(b, x, factor);
    b.binary(BinaryOp::Mul, x, factor)
}
