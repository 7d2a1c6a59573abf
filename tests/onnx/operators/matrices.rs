//! Products of matrices, and quantisation.

use anywarp::Device;
use anywarp::ops;
use anywarp_testing_devices::outcome::{TestResult, skip};

use super::arrange::{iota, permuted, taken};
use super::line::{Line, broadcast, converted};
use super::reductions::along;
use crate::array::{Array, Type, by_type};
use crate::graph::Call;

/// Computes NumPy's `matmul`: products of matrices for all indices of the axes before the last two.
pub(super) fn product(device: &Device, a: &Array, b: &Array) -> TestResult<Array> {
    // Vectors are treated as rows or columns; the added axis is removed from the result.
    let (is_row, is_column) = (a.shape.len() == 1, b.shape.len() == 1);
    let a = if is_row { a.reshaped([1, a.len()])? } else { a.clone() };
    let b = if is_column { b.reshaped([b.len(), 1])? } else { b.clone() };
    let ([.., m, k], [.., n]) = (&a.shape[..], &b.shape[..]) else { return fail!("a scalar is no matrix") };
    let (m, k, n) = (*m, *k, *n);
    let (batches_a, batches_b) = (&a.shape[..a.shape.len() - 2], &b.shape[..b.shape.len() - 2]);
    let batches = broadcast(batches_a, batches_b)?;
    let shape = [&batches[..], &[m, n]].concat();
    let c = if matches!(a.kind, Type::F32 | Type::F16 | Type::Bf16) {
        let a = super::arrange::broadcast(device, &a, &[&batches[..], &[m, k]].concat())?;
        let b = super::arrange::broadcast(device, &b, &[&batches[..], &[k, n]].concat())?;
        by_type!(a.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
            let (kind, a, b) = (a.kind, a.get::<T>()?, b.get::<T>()?);
            Array::written::<T>(device, kind, shape.clone(), |c| {
                for at in 0..batches.iter().product() {
                    let (a, b) = (a.slice(at * m * k..(at + 1) * m * k), b.slice(at * k * n..(at + 1) * k * n));
                    ops::matmul(a, b, c.slice_mut(at * m * n..(at + 1) * m * n), [m, k, n])?;
                }
                Ok(())
            })
        })?
    } else {
        // For other types, all products are computed and then summed.
        let a = a.reshaped([batches_a, &[m, k, 1]].concat())?;
        let b = b.reshaped([batches_b, &[1, k, n]].concat())?;
        let products = Line::new("y = a * b", a.kind).apply(device, &[&a, &b])?;
        along(device, "ReduceSum", &products, &[batches.len() + 1])?.reshaped(shape.clone())?
    };
    let kept = shape.len() - 2;
    let rows = if is_row { &[][..] } else { &shape[kept..=kept] };
    let columns = if is_column { &[][..] } else { &shape[kept + 1..] };
    c.reshaped([&shape[..kept], rows, columns].concat())
}

pub(super) fn matmul(call: &Call<'_>) -> TestResult<Vec<Array>> {
    Ok(vec![product(call.device, call.input(0)?, call.input(1)?)?])
}

/// An input as `i32`, minus the zero point that another input has.
fn centred(call: &Call<'_>, at: usize, zero: usize) -> TestResult<Array> {
    let x = converted(call.device, call.input(at)?, Type::I32)?;
    match call.optional(zero) {
        None => Ok(x),
        Some(zero) if zero.len() == 1 => {
            let zero = converted(call.device, &zero.reshaped([])?, Type::I32)?;
            Line::new("y = a - b", Type::I32).apply(call.device, &[&x, &zero])
        }
        Some(_) => skip("zero points by rows"),
    }
}

pub(super) fn matmul_integer(call: &Call<'_>) -> TestResult<Vec<Array>> {
    Ok(vec![integers(call, [0, 2], [1, 3])?])
}

/// A product of integers, each given by the numbers of its input and of its zero point.
fn integers(call: &Call<'_>, a: [usize; 2], b: [usize; 2]) -> TestResult<Array> {
    let bytes = |at: usize| matches!(call.input(at).map(|x| x.kind), Ok(Type::I8 | Type::U8));
    let (of_a, of_b) = (call.input(a[0])?, call.input(b[0])?);
    if bytes(a[0]) && bytes(b[0]) && [of_a, of_b].iter().all(|matrix| matrix.shape.len() == 2) {
        let ([m, k], [_, n]) = (&of_a.shape[..], &of_b.shape[..]) else { return fail!("no matrices") };
        let product = ops::IntegerMatmul::new([*m, *k, *n]).zeros([zero(call, a[1])?, zero(call, b[1])?]);
        return by_type!(of_a.kind, [I8: i8, U8: u8], A => by_type!(of_b.kind, [I8: i8, U8: u8], B => {
            let (a, b) = (of_a.get::<A>()?, of_b.get::<B>()?);
            Array::written::<i32>(call.device, Type::I32, [*m, *n], |c| Ok(product.run(a, b, c)?))
        }));
    }
    // Stacks of matrices.
    product(call.device, &centred(call, a[0], a[1])?, &centred(call, b[0], b[1])?)
}

/// A zero point that is one number.
fn zero(call: &Call<'_>, at: usize) -> TestResult<i32> {
    let Some(zero) = call.optional(at) else { return Ok(0) };
    if zero.len() != 1 {
        return skip("zero points by rows");
    }
    let zero = converted(call.device, &zero.reshaped([])?, Type::I32)?;
    Ok(zero.get::<i32>()?.read()?[0])
}

/// Computes a quantised product of quantised matrices: each of the three has a scale and a zero point.
pub(super) fn quantised_matmul(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let sums = integers(call, [0, 2], [3, 5])?;
    let one = |at: usize| converted(call.device, &call.input(at)?.reshaped([])?, Type::F32);
    let line = Line::new("y = round(f32(a) * (b * c / d)) + e", Type::F32);
    let y = line.apply(call.device, &[&sums, &one(1)?, &one(4)?, &one(6)?, &one(7)?])?;
    Ok(vec![converted(call.device, &y, call.input(7)?.kind)?])
}

pub(super) fn gemm(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let device = call.device;
    let operand = |at: usize, name| {
        let x = call.input(at)?;
        if call.flag(name, false) { permuted(device, x, &[1, 0]) } else { Ok(x.clone()) }
    };
    let product = product(device, &operand(0, "transA")?, &operand(1, "transB")?)?;
    let values = [call.float("alpha", 1.0), call.float("beta", 1.0)];
    let y = match call.optional(2) {
        Some(c) => Line::new("y = T(p) * a + T(q) * b", product.kind).values(&values).apply(device, &[&product, c])?,
        None => Line::new("y = T(p) * a", product.kind).values(&values[..1]).apply(device, &[&product])?,
    };
    Ok(vec![y])
}

/// Reshapes a scale or a zero point so that it is broadcast to the shape of `x`: one for all elements, one for each
/// index along an axis, or one for each block along the axis.
fn spread(call: &Call<'_>, x: &Array, scale: &Array) -> TestResult<Array> {
    if scale.len() == 1 {
        return scale.reshaped([]);
    }
    let axis = call.axis(1, x.shape.len())?;
    let block = call.integer("block_size").unwrap_or(0).unsigned_abs() as f32;
    if block != 0.0 {
        let places = iota(call.device, &[x.shape[axis]], Type::U32)?;
        let blocks = Line::new("y = a / u32(p)", Type::U32).values(&[block]).apply(call.device, &[&places])?;
        return taken(call.device, scale, &blocks, axis);
    }
    let mut shape = vec![1; x.shape.len()];
    shape[axis] = scale.len();
    scale.reshaped(shape)
}

pub(super) fn dequantise(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, scale) = (call.input(0)?, call.input(1)?);
    let spread_scale = spread(call, x, scale)?;
    let y = match call.optional(2) {
        Some(zero) => {
            let zero = spread(call, x, zero)?;
            Line::new("y = (Y(a) - Y(c)) * b", scale.kind).apply(call.device, &[x, &spread_scale, &zero])?
        }
        None => Line::new("y = Y(a) * b", scale.kind).apply(call.device, &[x, &spread_scale])?,
    };
    Ok(vec![y])
}

/// Computes rounded quotients plus the zero point; the conversion to an integer clamps to the range of the type.
pub(super) fn quantise(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, scale) = (call.input(0)?, call.input(1)?);
    let spread_scale = spread(call, x, scale)?;
    let named = call.kind("output_dtype")?.unwrap_or(Type::U8);
    let (kind, y) = match call.optional(2) {
        Some(zero) => {
            let spread_zero = spread(call, x, zero)?;
            let line = Line::new("y = round(a / b) + T(c)", x.kind);
            (zero.kind, line.apply(call.device, &[x, &spread_scale, &spread_zero])?)
        }
        None => (named, Line::new("y = round(a / b)", x.kind).apply(call.device, &[x, &spread_scale])?),
    };
    Ok(vec![converted(call.device, &y, kind)?])
}

/// Quantises to bytes, with the scale and the zero point for a range that includes all elements and 0.
pub(super) fn dynamic(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let axes: Vec<usize> = (0..x.shape.len()).collect();
    let [least, greatest] = ["ReduceMin", "ReduceMax"].map(|name| along(device, name, x, &axes)?.reshaped([]));
    let (least, greatest) = (least?, greatest?);
    let line = Line::new("y = (max(b, 0.0) - min(a, 0.0)) / 255.0", Type::F32);
    let scale = line.apply(device, &[&least, &greatest])?;
    let line = Line::new("y = round(clamp(-min(a, 0.0) / b, 0.0, 255.0))", Type::F32);
    let zero = line.apply(device, &[&least, &scale])?;
    let y = Line::new("y = round(a / b) + c", Type::F32).apply(device, &[x, &scale, &zero])?;
    Ok(vec![converted(device, &y, Type::U8)?, scale, converted(device, &zero, Type::U8)?])
}
