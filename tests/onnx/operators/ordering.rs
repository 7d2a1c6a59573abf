//! Operators that sort and select, and scans.

use anywarp::Device;
use anywarp::ops::{self, Scan, TopK};
use anywarp_testing_devices::outcome::TestResult;

use super::arrange::{axis_moved, concatenated, iota, range, taken};
use super::line::{Line, converted, wide_type};
use super::reductions::along;
use crate::array::{Array, Type, by_type};
use crate::graph::{Call, axis};

/// Computes `CumSum` and `CumProd`.
pub(super) fn scan(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let axis = axis(call.input(1)?.number()? as i64, x.shape.len())?;
    // Types with which kernels cannot compute are skipped; scans support all others.
    wide_type(call.device, x.kind)?;
    let mut scan = if call.node.operator == "CumSum" { Scan::sum() } else { Scan::product() };
    scan = scan.axis(x.shape.clone(), axis);
    scan = if call.flag("exclusive", false) { scan.exclusive() } else { scan };
    scan = if call.flag("reverse", false) { scan.reverse() } else { scan };
    let y = by_type!(x.kind, [F32: f32, F64: f64, F16: half::f16, I32: i32, I64: i64, U32: u32, U64: u64], T => {
        Array::written::<T>(call.device, x.kind, x.shape.clone(), |y| Ok(scan.run(x.get::<T>()?, y)?))
    })?;
    Ok(vec![y])
}

pub(super) fn top_k(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let k = call.integers_of("k", 1)?.and_then(|k| k.first().copied()).unwrap_or(0).unsigned_abs() as usize;
    let (axis, last) = (call.axis(-1, x.shape.len())?, x.shape.len() - 1);
    let rows = axis_moved(device, x, axis, last)?;
    let mut shape = rows.shape.clone();
    shape[last] = k;
    let count = shape[..last].iter().product();
    let (values, indices) = by_type!(x.kind, T => {
        let length = shape.iter().product();
        let (mut values, mut indices) = (device.buffer::<T>(length)?, device.buffer::<u32>(length)?);
        let top = TopK::new(k).rows(count).largest(call.flag("largest", true));
        top.run(rows.get::<T>()?, &mut values, &mut indices)?;
        Ok((Array::new(x.kind, shape.clone(), values), Array::new(Type::U32, shape, indices)))
    })?;
    let indices = converted(device, &indices, Type::I64)?;
    Ok(vec![axis_moved(device, &values, last, axis)?, axis_moved(device, &indices, last, axis)?])
}

/// The indices of the elements that are not 0 in an array with one axis, as `u32`.
fn places(device: &Device, x: &Array) -> TestResult<Array> {
    let flags = Line::new("y = u32(a != T(0))", Type::U32).apply(device, &[x])?;
    let mut places = device.buffer::<u32>(x.len())?;
    let count = ops::nonzero(flags.get::<u32>()?, &mut places)?.read()? as usize;
    range(device, &Array::new(Type::U32, [x.len()], places), 0, 0..count)
}

pub(super) fn nonzero(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let found = places(device, &x.reshaped([x.len()])?)?;
    let rank = x.shape.len();
    let strides: Vec<u32> = (0..rank).map(|axis| x.shape[axis + 1..].iter().product::<usize>() as u32).collect();
    let sizes: Vec<u32> = x.shape.iter().map(|size| *size as u32).collect();
    let strides = Array::from(device, Type::U32, [rank, 1], &strides)?;
    let sizes = Array::from(device, Type::U32, [rank, 1], &sizes)?;
    let line = Line::new("y = (a / b) % c", Type::U32);
    Ok(vec![converted(device, &line.apply(device, &[&found, &strides, &sizes])?, Type::I64)?])
}

pub(super) fn compress(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let places = places(call.device, call.input(1)?)?;
    let x = call.input(0)?;
    match call.integer("axis") {
        Some(along) => Ok(vec![taken(call.device, x, &places, axis(along, x.shape.len())?)?]),
        None => Ok(vec![taken(call.device, &x.reshaped([x.len()])?, &places, 0)?]),
    }
}

fn sorted_by(device: &Device, keys: &Array) -> TestResult<Array> {
    by_type!(keys.kind, T => {
        Array::written::<u32>(device, Type::U32, [keys.len()], |order| Ok(ops::argsort(keys.get::<T>()?, order)?))
    })
}

/// Returns the distinct elements, or rows along an axis: from the smallest, or in the order of their first occurrences.
pub(super) fn unique(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let device = call.device;
    let x = match call.integer("axis") {
        Some(_) => call.input(0)?.clone(),
        None => call.input(0)?.reshaped([call.input(0)?.len()])?,
    };
    let along_axis = call.axis(0, x.shape.len())?;
    let front = axis_moved(device, &x, along_axis, 0)?;
    let count = front.shape[0];
    let columns = front.shape[1..].iter().product();
    let rows = front.reshaped([count, columns])?;

    // The rows are sorted by stable sorts by each column, from the last column to the first.
    let mut order = iota(device, &[count], Type::U32)?;
    for column in (0..columns).rev() {
        let keys = range(device, &rows, 1, column..column + 1)?.reshaped([count])?;
        let keys = taken(device, &keys, &order, 0)?;
        order = taken(device, &order, &sorted_by(device, &keys)?, 0)?;
    }
    let starts = places(device, &heads(device, &taken(device, &rows, &order, 0)?)?)?;
    let groups = starts.len();

    let mut first = taken(device, &order, &starts, 0)?;
    let end = Array::from(device, Type::U32, [1], &[count as u32])?;
    let ends = concatenated(device, &[&range(device, &starts, 0, 1..groups)?, &end], 0)?;
    let mut counts = Line::new("y = a - b", Type::U32).apply(device, &[&ends, &starts])?;
    let mut inverse = labels(device, &starts, &order)?;
    if !call.flag("sorted", true) {
        let by_place = sorted_by(device, &first)?;
        first = taken(device, &first, &by_place, 0)?;
        counts = taken(device, &counts, &by_place, 0)?;
        inverse = taken(device, &sorted_by(device, &by_place)?, &inverse, 0)?;
    }
    let y = taken(device, &x, &first, along_axis)?;
    let others = [first, inverse, counts].map(|array| converted(device, &array, Type::I64));
    std::iter::once(Ok(y)).chain(others).collect()
}

/// An array with 1 for the first row and each row that differs from the row before it, and 0 for other rows.
fn heads(device: &Device, rows: &Array) -> TestResult<Array> {
    let count = rows.shape[0];
    let (before, behind) = (range(device, rows, 0, 0..count - 1)?, range(device, rows, 0, 1..count)?);
    let differ = Line::new("y = u32(a != b)", Type::U32).apply(device, &[&before, &behind])?;
    let differ = along(device, "ReduceMax", &differ, &[1])?.reshaped([count - 1])?;
    concatenated(device, &[&Array::from(device, Type::U32, [1], &[1u32])?, &differ], 0)
}

/// The number of the group of each element, where the groups of an order begin at `starts`.
fn labels(device: &Device, starts: &Array, order: &Array) -> TestResult<Array> {
    let count = order.len();
    let mut marks = device.buffer::<u32>(count)?;
    let ones = device.buffer_from(&vec![1u32; starts.len()])?;
    ops::scatter(&ones, starts.get::<u32>()?, &mut marks)?;
    let mut sums = device.buffer::<u32>(count)?;
    ops::cumulative_sum(&marks, &mut sums)?;
    let sums = Line::new("y = a - 1u", Type::U32).apply(device, &[&Array::new(Type::U32, [count], sums)])?;
    Array::written::<u32>(device, Type::U32, [count], |y| Ok(ops::scatter(sums.get::<u32>()?, order.get::<u32>()?, y)?))
}
