//! Operators that create arrays.

use anywarp::ops;
use anywarp_testing::onnx::Attribute;
use anywarp_testing_devices::outcome::{TestResult, skip};

use super::arrange::iota;
use super::line::Line;
use crate::array::{Array, Type, by_type};
use crate::graph::Call;

pub(super) fn constant(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let device = call.device;
    let array = match call.node.attributes.iter().next() {
        Some((_, Attribute::Tensor(tensor))) => Array::upload(device, tensor)?,
        Some((_, Attribute::Float(value))) => Array::from(device, Type::F32, [], &[*value])?,
        Some((_, Attribute::Integer(value))) => Array::from(device, Type::I64, [], &[*value])?,
        Some((_, Attribute::Floats(values))) => Array::from(device, Type::F32, [values.len()], values)?,
        Some((_, Attribute::Integers(values))) => Array::from(device, Type::I64, [values.len()], values)?,
        _ => return skip("constants of other types"),
    };
    Ok(vec![array])
}

pub(super) fn constant_of_shape(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let shape: Vec<usize> = call.input(0)?.integers()?.iter().map(|size| size.unsigned_abs() as usize).collect();
    let value = match call.node.attributes.get("value") {
        Some(Attribute::Tensor(tensor)) => Array::upload(call.device, tensor)?,
        _ => Array::from(call.device, Type::F32, [1], &[0f32])?,
    };
    let y = by_type!(value.kind, T => {
        let Some(number) = value.get::<T>()?.read()?.first().copied() else { return fail!("the value is empty") };
        Array::written::<T>(call.device, value.kind, shape, |y| Ok(ops::full(number, y)?))
    })?;
    Ok(vec![y])
}

pub(super) fn range(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (start, step) = (call.input(0)?, call.input(2)?);
    let [first, limit, distance] = [0, 1, 2].map(|at| call.input(at).and_then(Array::number));
    let (first, distance) = (first?, distance?);
    let count = ((limit? - first) / distance).ceil().max(0.0) as usize;
    let kind = start.kind;
    if kind.is_float() {
        let places = iota(call.device, &[count], Type::U32)?;
        let line = Line::new("y = Y(b) + Y(a) * Y(c)", kind);
        return Ok(vec![line.apply(call.device, &[&places, start, step])?]);
    }
    let y = by_type!(kind, [I16: i16, I32: i32, I64: i64], T => {
        Array::written::<T>(call.device, kind, [count], |y| Ok(ops::arange(first as T, distance as T, y)?))
    })?;
    Ok(vec![y])
}

/// Computes a matrix with 1 on a diagonal and 0 elsewhere.
pub(super) fn eye(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let kind = call.kind("dtype")?.unwrap_or(x.kind);
    let columns = x.shape.last().copied().unwrap_or(0) as f32;
    let diagonal = call.integer("k").unwrap_or(0) as f32;
    let line = Line::new("y = select(Y(0), Y(1), i32(a % u32(p)) - i32(a / u32(p)) == i32(q))", kind);
    Ok(vec![line.values(&[columns, diagonal]).apply(call.device, &[&iota(call.device, &x.shape, Type::U32)?])?])
}

/// Keeps the elements on one side of a diagonal.
pub(super) fn triangle(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let Some((_, matrix)) = x.shape.split_at_checked(x.shape.len().saturating_sub(2)) else {
        return fail!("no matrix");
    };
    let diagonal = call.optional(1).map(Array::number).transpose()?.unwrap_or(0.0) as f32;
    let columns = matrix.last().copied().unwrap_or(0) as f32;
    let operation = match call.flag("upper", true) {
        true => "y = select(T(0), a, i32(b % u32(p)) - i32(b / u32(p)) >= i32(q))",
        false => "y = select(T(0), a, i32(b % u32(p)) - i32(b / u32(p)) <= i32(q))",
    };
    let places = iota(call.device, matrix, Type::U32)?;
    Ok(vec![Line::new(operation, x.kind).values(&[columns, diagonal]).apply(call.device, &[x, &places])?])
}

/// Computes window functions that are sums of one or two cosines.
pub(super) fn window(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let size = call.input(0)?.number()? as usize;
    let kind = call.kind("output_datatype")?.unwrap_or(Type::F32);
    let [a, b, c] = match &call.node.operator[..] {
        "HannWindow" => [0.5, 0.5, 0.0],
        "HammingWindow" => [25.0 / 46.0, 21.0 / 46.0, 0.0],
        _ => [0.42, 0.5, 0.08],
    };
    let period = if call.flag("periodic", true) { size } else { size.saturating_sub(1).max(1) } as f32;
    let line = Line::new("let turn = 6.283185307 * a / s; y = Y(p - q * cos(turn) + r * cos(2.0 * turn))", kind);
    let places = iota(call.device, &[size], Type::F32)?;
    Ok(vec![line.values(&[a, b, c, period]).apply(call.device, &[&places])?])
}
