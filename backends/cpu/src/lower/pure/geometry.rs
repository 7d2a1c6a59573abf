//! Functions of whole vectors. For `f16` only the results are rounded, not the intermediate values.

use naga::{MathFunction, Scalar};

use super::Operand;
use super::operand::{fit, float_like};
use crate::ir::{BinaryOp, Builder, Class, CompareOp, TernaryOp, UnaryOp, Value};

/// Lowers a function of whole vectors.
pub(super) fn geometry(
    b: &mut Builder,
    fun: MathFunction,
    scalar: Scalar,
    args: &[Operand<'_>],
) -> Result<Vec<Value>, String> {
    use MathFunction as Mf;
    let result = match (fun, args) {
        (Mf::Dot, [x, y]) => vec![sum_of_products(b, x.values, y.values)],
        (Mf::Cross, [x, y]) => cross(b, x.values, y.values)?,
        (Mf::Length, [x]) => vec![length(b, x.values)],
        (Mf::Distance, [x, y]) => {
            let between = zip(b, BinaryOp::Sub, x.values, y.values);
            vec![length(b, &between)]
        }
        (Mf::Normalize, [x]) => {
            let length = length(b, x.values);
            x.values.iter().map(|x| b.binary(BinaryOp::Div, *x, length)).collect()
        }
        (Mf::FaceForward, [x, incident, normal]) => {
            let cosine = sum_of_products(b, incident.values, normal.values);
            let zero = float_like(b, cosine, 0.0);
            let facing = b.compare(CompareOp::Lt, cosine, zero);
            let flip = |x: &Value| {
                let opposite = b.unary(UnaryOp::Neg, *x);
                b.select(facing, *x, opposite)
            };
            return Ok(x.values.iter().map(flip).collect());
        }
        (Mf::Reflect, [incident, normal]) => {
            let cosine = sum_of_products(b, normal.values, incident.values);
            let two = float_like(b, cosine, 2.0);
            let twice = b.binary(BinaryOp::Mul, two, cosine);
            let shift = scale(b, twice, normal.values);
            zip(b, BinaryOp::Sub, incident.values, &shift)
        }
        (Mf::Refract, [incident, normal, ratio]) => refract(b, incident.values, normal.values, ratio.component(0)?),
        _ => return Err(format!("the function {fun:?} is not valid with {} operands", args.len())),
    };
    Ok(result.into_iter().map(|value| fit(b, scalar, value)).collect())
}

/// `x[0] * y[0] + x[1] * y[1] + ...`, from the left. Each sum is rounded once, with the product that it adds, if the
/// processor can: WGSL permits what is more accurate.
pub(super) fn sum_of_products(b: &mut Builder, x: &[Value], y: &[Value]) -> Value {
    let floats = x.first().is_some_and(|x| matches!(b.function().class(*x), Class::F32 | Class::F64));
    let mut sum = None;
    for (x, y) in x.iter().zip(y) {
        sum = Some(match sum {
            Some(sum) if b.fused && floats => b.ternary(TernaryOp::Fma, *x, *y, sum),
            _ => {
                let product = b.binary(BinaryOp::Mul, *x, *y);
                sum.map_or(product, |sum| b.binary(BinaryOp::Add, sum, product))
            }
        });
    }
    // The default is never used, because operands have at least one component.
    sum.unwrap_or_else(|| b.f32(0.0))
}

fn zip(b: &mut Builder, op: BinaryOp, x: &[Value], y: &[Value]) -> Vec<Value> {
    x.iter().zip(y).map(|(x, y)| b.binary(op, *x, *y)).collect()
}

fn scale(b: &mut Builder, factor: Value, x: &[Value]) -> Vec<Value> {
    x.iter().map(|x| b.binary(BinaryOp::Mul, factor, *x)).collect()
}

/// Lowers `length`. For a scalar the result is its absolute value, because its square might overflow or underflow.
fn length(b: &mut Builder, x: &[Value]) -> Value {
    if let [x] = x {
        return b.unary(UnaryOp::Abs, *x);
    }
    let square = sum_of_products(b, x, x);
    b.unary(UnaryOp::Sqrt, square)
}

fn cross(b: &mut Builder, x: &[Value], y: &[Value]) -> Result<Vec<Value>, String> {
    let (&[x0, x1, x2], &[y0, y1, y2]) = (x, y) else {
        return Err("a cross product needs three components".to_owned());
    };
    let mut minor = |a, b_, c, d| {
        let left = b.binary(BinaryOp::Mul, a, b_);
        let right = b.binary(BinaryOp::Mul, c, d);
        b.binary(BinaryOp::Sub, left, right)
    };
    Ok(vec![minor(x1, y2, y1, x2), minor(x2, y0, y2, x0), minor(x0, y1, y0, x1)])
}

/// Lowers `refract`. The result is zero in the case of total reflection.
fn refract(b: &mut Builder, incident: &[Value], normal: &[Value], ratio: Value) -> Vec<Value> {
    let (zero, one) = (float_like(b, ratio, 0.0), float_like(b, ratio, 1.0));
    let cosine = sum_of_products(b, normal, incident);
    let square = b.binary(BinaryOp::Mul, cosine, cosine);
    let sine_square = b.binary(BinaryOp::Sub, one, square);
    let ratio_square = b.binary(BinaryOp::Mul, ratio, ratio);
    let refracted = b.binary(BinaryOp::Mul, ratio_square, sine_square);
    let k = b.binary(BinaryOp::Sub, one, refracted);
    let total = b.compare(CompareOp::Lt, k, zero);
    let root = b.unary(UnaryOp::Sqrt, k);
    let along = b.binary(BinaryOp::Mul, ratio, cosine);
    let along = b.binary(BinaryOp::Add, along, root);
    let kept = scale(b, ratio, incident);
    let turned = scale(b, along, normal);
    let difference = zip(b, BinaryOp::Sub, &kept, &turned);
    difference.into_iter().map(|value| b.select(total, zero, value)).collect()
}
