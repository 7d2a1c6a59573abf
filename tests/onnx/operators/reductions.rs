//! Reductions along axes, and operators that are computed from them.

use anywarp::Device;
use anywarp::ops::{ReductionKernel, reduce, shaped};
use anywarp_testing_devices::outcome::TestResult;

use super::arrange::flipped;
use super::line::{Line, converted, expect_functions, wide};
use crate::array::{Array, Type, by_type};
use crate::graph::{Call, axis};

/// Reduces axes, whose size becomes 1.
pub(crate) fn along(device: &Device, operator: &str, x: &Array, axes: &[usize]) -> TestResult<Array> {
    let (kind, x) = (x.kind, wide(device, x)?);
    let functions = if operator.starts_with("ReduceLog") { "exp, log" } else { "" };
    expect_functions(device, x.kind, functions)?;
    let mut shape = x.shape.clone();
    axes.iter().for_each(|axis| shape[*axis] = 1);
    let own = |map: &str, finish: &str| {
        Ok(ReductionKernel::new("x: T", "y: T")?
            .map(map)
            .combine("a + b")
            .finish(finish)
            .identity("T(0)")
            .name(operator))
    };
    let y = by_type!(x.kind, [F32: f32, F64: f64, F16: half::f16, I32: i32, I64: i64, U32: u32, U64: u64], T => {
        let kernel: TestResult<ReductionKernel> = match operator {
            "ReduceSum" => Ok(reduce::sum().clone()),
            "ReduceProd" => Ok(reduce::product().clone()),
            "ReduceMax" => Ok(reduce::max::<T>().clone()),
            "ReduceMin" => Ok(reduce::min::<T>().clone()),
            "ReduceMean" => Ok(reduce::mean().clone()),
            "ReduceL2" => Ok(reduce::norm().clone()),
            "ReduceLogSumExp" => Ok(reduce::logsumexp().clone()),
            "ReduceL1" => own("abs(x)", "a"),
            "ReduceLogSum" => own("x", "log(a)"),
            "ReduceSumSquare" => own("x * x", "a"),
            _ => fail!("{operator} is no reduction"),
        };
        let input = shaped(x.get::<T>()?, x.shape.clone());
        Ok(Array::new(x.kind, shape, kernel?.call(device).axes(axes).apply::<T>(input)?))
    })?;
    converted(device, &y, kind)
}

pub(super) fn reduction(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let rank = x.shape.len();
    let axes = match call.integers_of("axes", 1)? {
        Some(axes) if !axes.is_empty() => axes.iter().map(|at| axis(*at, rank)).collect::<TestResult<Vec<usize>>>()?,
        _ if call.flag("noop_with_empty_axes", false) => return Ok(vec![x.clone()]),
        _ => (0..rank).collect(),
    };
    let y = along(call.device, &call.node.operator, x, &axes)?;
    Ok(vec![if call.flag("keepdims", true) { y } else { without(&y, &axes)? }])
}

fn without(y: &Array, axes: &[usize]) -> TestResult<Array> {
    let left = y.shape.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, size)| *size);
    y.reshaped(left.collect::<Vec<usize>>())
}

/// The index of the least or greatest element along an axis, as `u32`; the size of the axis becomes 1.
fn place(device: &Device, x: &Array, axis: usize, greatest: bool) -> TestResult<Array> {
    let x = wide(device, x)?;
    let kernel = if greatest { reduce::argmax() } else { reduce::argmin() };
    let mut shape = x.shape.clone();
    shape[axis] = 1;
    by_type!(x.kind, [F32: f32, F64: f64, F16: half::f16, I32: i32, I64: i64, U32: u32, U64: u64], T => {
        let input = shaped(x.get::<T>()?, x.shape.clone());
        Ok(Array::new(Type::U32, shape, kernel.call(device).axis(axis).apply::<u32>(input)?))
    })
}

/// Computes `ArgMax` and `ArgMin`: the index of the first least or greatest element or, on request, of the last one.
pub(super) fn arg(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, greatest) = (call.input(0)?, call.node.operator == "ArgMax");
    let axis = call.axis(0, x.shape.len())?;
    let found = if call.flag("select_last_index", false) {
        let back = place(call.device, &flipped(call.device, x, axis)?, axis, greatest)?;
        let last = x.shape[axis].saturating_sub(1) as f32;
        Line::new("y = u32(p) - a", Type::U32).values(&[last]).apply(call.device, &[&back])?
    } else {
        place(call.device, x, axis, greatest)?
    };
    let found = converted(call.device, &found, Type::I64)?;
    Ok(vec![if call.flag("keepdims", true) { found } else { without(&found, &[axis])? }])
}

/// Computes an array with 1 at the first greatest element along an axis, and 0 elsewhere.
pub(super) fn hardmax(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let axis = call.axis(-1, x.shape.len())?;
    let place = place(call.device, x, axis, true)?;
    let mut sizes = vec![1; x.shape.len()];
    sizes[axis] = x.shape[axis];
    let places = super::arrange::iota(call.device, &sizes, Type::U32)?;
    Ok(vec![Line::new("y = select(Y(0), Y(1), a == b)", x.kind).apply(call.device, &[&places, &place])?])
}

/// Divides by a norm along an axis; the result is 0 where the norm is 0.
pub(super) fn lp_normalisation(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let axis = call.axis(-1, x.shape.len())?;
    let norm = if call.integer("p") == Some(1) { "ReduceL1" } else { "ReduceL2" };
    let norm = along(call.device, norm, x, &[axis])?;
    Ok(vec![Line::new("y = select(a / b, T(0), b == T(0))", x.kind).apply(call.device, &[x, &norm])?])
}

/// Computes a mean or a maximum over all axes except the first two.
pub(super) fn global_pool(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let operator = if call.node.operator == "GlobalMaxPool" { "ReduceMax" } else { "ReduceMean" };
    let axes: Vec<usize> = (2..x.shape.len()).collect();
    Ok(vec![along(call.device, operator, x, &axes)?])
}
