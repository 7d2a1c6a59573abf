//! Operators that read and write elements by indices.

use anywarp::Device;
use anywarp::ops::{self, Rearrange, Scatter};
use anywarp_testing_devices::outcome::{TestResult, skip};

use super::arrange::{axis_moved, iota, taken, taken_along};
use super::line::{Line, broadcast, converted};
use super::reductions::along;
use crate::array::{Array, Type, by_type};
use crate::graph::{Call, axis};

pub(super) fn gather(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    Ok(vec![taken(call.device, x, call.input(1)?, call.axis(0, x.shape.len())?)?])
}

pub(super) fn gather_elements(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    Ok(vec![taken_along(call.device, x, call.input(1)?, call.axis(0, x.shape.len())?)?])
}

/// Converts tuples of indices along the last axis to indices into the flat array with these sizes. The first `batch`
/// sizes are not indexed.
fn flat(device: &Device, indices: &Array, sizes: &[usize], batch: usize) -> TestResult<Array> {
    let (batches, sizes) = sizes.split_at(batch);
    let strides: Vec<i32> = (0..sizes.len()).map(|axis| sizes[axis + 1..].iter().product::<usize>() as i32).collect();
    let lengths: Vec<i32> = sizes.iter().map(|size| *size as i32).collect();
    let lengths = Array::from(device, Type::I32, [sizes.len()], &lengths)?;
    let strides = Array::from(device, Type::I32, [sizes.len()], &strides)?;
    let indices = converted(device, indices, Type::I32)?;
    let last = indices.shape.len() - 1;
    let line = Line::new("y = select(a, a + b, a < 0) * c", Type::I32);
    let scaled = line.apply(device, &[&indices, &lengths, &strides])?;
    let sums = along(device, "ReduceSum", &scaled, &[last])?.reshaped(&indices.shape[..last])?;
    if batch == 0 {
        return Ok(sums);
    }
    let mut shape = batches.to_vec();
    shape.resize(last, 1);
    let size = sizes.iter().product::<usize>() as f32;
    Line::new("y = a + b * i32(p)", Type::I32)
        .values(&[size])
        .apply(device, &[&sums, &iota(device, &shape, Type::I32)?])
}

pub(super) fn gather_nd(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, indices) = (call.input(0)?, call.input(1)?);
    let batch = call.integer("batch_dims").unwrap_or(0).unsigned_abs() as usize;
    let Some((&depth, outer)) = indices.shape.split_last() else { return fail!("indices have no axis") };
    let (indexed, inner) = x.shape.split_at(batch + depth);
    let flat = flat(call.device, indices, indexed, batch)?;
    let parts = x.reshaped([indexed.iter().product::<usize>(), inner.iter().product()])?;
    let y = taken(call.device, &parts, &flat, 0)?;
    Ok(vec![y.reshaped([outer, inner].concat())?])
}

pub(super) fn scatter_nd(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, indices) = (call.input(0)?, call.input(1)?);
    let depth = indices.shape.last().copied().unwrap_or(0);
    let (indexed, inner) = x.shape.split_at(depth);
    let flat = flat(call.device, indices, indexed, 0)?;
    let shape = [indexed.iter().product(), inner.iter().product()];
    written(call, call.input(2)?, &flat, || Scatter::new(shape, 0))
}

pub(super) fn scatter_elements(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, indices) = (call.input(0)?, call.input(1)?);
    let axis = call.axis(0, x.shape.len())?;
    if (0..x.shape.len()).any(|other| other != axis && x.shape[other] != indices.shape[other]) {
        return skip("updates for a part of the other axes");
    }
    written(call, call.input(2)?, indices, || Scatter::new(x.shape.clone(), axis).along())
}

/// Writes lines into a cache along an axis, from a position that each part of the batch has; in a circular cache, lines
/// beyond the end continue at the beginning.
pub(super) fn tensor_scatter(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x, updates) = (call.device, call.input(0)?, call.input(1)?);
    let axis = call.axis(-2, x.shape.len())?;
    let one = |axis: usize| {
        let mut shape = vec![1; updates.shape.len()];
        shape[axis] = updates.shape[axis];
        shape
    };
    let steps = iota(device, &one(axis), Type::I32)?;
    let places = match call.optional(2) {
        Some(first) => {
            let first = converted(device, first, Type::I32)?.reshaped(one(0))?;
            Line::new("y = a + b", Type::I32).apply(device, &[&steps, &first])?
        }
        None => steps,
    };
    let places = super::arrange::broadcast(device, &places, &updates.shape)?;
    let circular = call.text("mode", "linear") == "circular";
    written(call, updates, &places, || {
        let scatter = Scatter::new(x.shape.clone(), axis).along();
        if circular { scatter.wrap() } else { scatter }
    })
}

/// Scatters updates into a copy of the first input.
fn written<'s>(
    call: &Call<'_>,
    updates: &Array,
    indices: &Array,
    scatter: impl Fn() -> Scatter<'s>,
) -> TestResult<Vec<Array>> {
    let (x, indices) = (call.input(0)?, converted(call.device, indices, Type::I32)?);
    let (device, kind, shape) = (call.device, x.kind, x.shape.clone());
    let at = indices.get::<i32>()?;
    let reduction = call.text("reduction", "none");
    let y = if reduction == "none" {
        by_type!(kind, T => Array::written::<T>(device, kind, shape, |y| {
            Rearrange::part([x.len()], &[]).run(x.get::<T>()?, &mut *y)?;
            Ok(scatter().set(updates.get::<T>()?, at, y)?)
        }))?
    } else {
        by_type!(kind, T => Array::written::<T>(device, kind, shape, |y| {
            Rearrange::part([x.len()], &[]).run(x.get::<T>()?, &mut *y)?;
            let (scatter, updates) = (scatter(), updates.get::<T>()?);
            match &reduction[..] {
                "add" => scatter.add(updates, at, y)?,
                "mul" => scatter.multiply(updates, at, y)?,
                "min" => scatter.min(updates, at, y)?,
                _ => scatter.max(updates, at, y)?,
            }
            Ok(())
        }))?
    };
    Ok(vec![y])
}

pub(super) fn one_hot(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (indices, values) = (converted(call.device, call.input(0)?, Type::I32)?, call.input(2)?);
    let classes = call.input(1)?.number()? as usize;
    let rank = indices.shape.len();
    let shape = [&indices.shape[..], &[classes]].concat();
    let rows = by_type!(values.kind, T => {
        let both: [T; 2] = match values.get::<T>()?.read()?[..] {
            [off, on] => [off, on],
            _ => return fail!("expected two values"),
        };
        Array::written::<T>(call.device, values.kind, shape, |y| Ok(ops::one_hot(indices.get::<i32>()?, y, classes, both)?))
    })?;
    let axis = axis(call.integer("axis").unwrap_or(-1), rank + 1)?;
    Ok(vec![axis_moved(call.device, &rows, rank, axis)?])
}

/// Reverses the first elements of each line; the second input has their number in each line.
pub(super) fn reverse_sequence(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let rank = x.shape.len();
    let time = axis(call.integer("time_axis").unwrap_or(0), rank)?;
    let batch = axis(call.integer("batch_axis").unwrap_or(1), rank)?;
    let one = |axis: usize| {
        let mut shape = vec![1; rank];
        shape[axis] = x.shape[axis];
        shape
    };
    let lengths = converted(device, call.input(1)?, Type::I32)?.reshaped(one(batch))?;
    let steps = iota(device, &one(time), Type::I32)?;
    let line = Line::new("y = select(a, b - 1 - a, a < b)", Type::I32);
    let places = line.apply(device, &[&steps, &lengths])?;
    let all = broadcast(&places.shape, &x.shape)?;
    let places = super::arrange::broadcast(device, &places, &all)?;
    Ok(vec![taken_along(device, x, &places, time)?])
}
