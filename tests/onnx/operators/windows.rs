//! Convolutions and pooling.

use anywarp::ops::{Activation, Columns, Conv, FloatElement, Pad, Pool, steps};
use anywarp_testing_devices::outcome::{TestResult, skip};

use super::arrange::{concatenated, padded, part};
use super::line::{Line, converted};
use crate::array::{Array, Type, by_type};
use crate::graph::Call;

/// The parameters of a node's windows, along each axis of positions.
struct Windows {
    stride: Vec<usize>,
    dilation: Vec<usize>,
    padding: Vec<[usize; 2]>,
}

fn sizes(call: &Call<'_>, name: &str, missing: usize, axes: usize) -> Vec<usize> {
    let given = call.integers(name);
    given.map_or_else(|| vec![missing; axes], |sizes| sizes.iter().map(|size| size.unsigned_abs() as usize).collect())
}

/// Splits a padding between both ends: the larger part is at the end for `SAME_UPPER`.
fn halves(all: usize, is_upper: bool) -> [usize; 2] {
    let small = all / 2;
    if is_upper { [small, all - small] } else { [all - small, small] }
}

fn windows(call: &Call<'_>, input: &[usize], kernel: &[usize]) -> Windows {
    let axes = input.len();
    let (stride, dilation) = (sizes(call, "strides", 1, axes), sizes(call, "dilations", 1, axes));
    let pads = sizes(call, "pads", 0, 2 * axes);
    let auto = call.text("auto_pad", "NOTSET");
    let padding = (0..axes).map(|at| match &auto[..] {
        "SAME_UPPER" | "SAME_LOWER" => {
            let span = (kernel[at] - 1) * dilation[at] + 1;
            let last = (input[at].div_ceil(stride[at]) - 1) * stride[at];
            halves((last + span).saturating_sub(input[at]), auto == "SAME_UPPER")
        }
        "VALID" => [0, 0],
        _ => [pads[at], pads[axes + at]],
    });
    let padding = padding.collect();
    Windows { stride, dilation, padding }
}

impl Windows {
    fn of<'r, T: FloatElement>(&self, conv: Conv<'r, T>) -> Conv<'r, T> {
        conv.stride(&self.stride).dilation(&self.dilation).padding(&self.padding)
    }
}

fn groups(call: &Call<'_>) -> usize {
    call.integer("group").map_or(1, |groups| groups.unsigned_abs() as usize)
}

/// Computes the convolution of two arrays, with an optional bias.
fn convolved(call: &Call<'_>, x: &Array, weights: &Array, bias: Option<&Array>) -> TestResult<Array> {
    let windows = windows(call, &x.shape[2..], &weights.shape[2..]);
    by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let mut conv = windows.of(Conv::<T>::new(x.shape.clone(), weights.shape.clone())).groups(groups(call));
        if let Some(bias) = bias {
            conv = conv.bias(bias.get::<T>()?);
        }
        Array::written::<T>(call.device, x.kind, conv.shape()?, |y| {
            Ok(conv.run(x.get::<T>()?, weights.get::<T>()?, y)?)
        })
    })
}

pub(super) fn conv(call: &Call<'_>) -> TestResult<Vec<Array>> {
    Ok(vec![convolved(call, call.input(0)?, call.input(1)?, call.optional(2))?])
}

/// An 8-bit operand minus its zero point, for which sums of products in `f32` are exact.
fn centred(call: &Call<'_>, at: usize, zero: usize) -> TestResult<Array> {
    let x = converted(call.device, call.input(at)?, Type::F32)?;
    match call.optional(zero) {
        None => Ok(x),
        Some(zero) if zero.len() == 1 => {
            let zero = converted(call.device, &zero.reshaped([])?, Type::F32)?;
            Line::new("y = a - b", Type::F32).apply(call.device, &[&x, &zero])
        }
        Some(_) => skip("zero points of channels"),
    }
}

pub(super) fn conv_integer(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let y = convolved(call, &centred(call, 0, 2)?, &centred(call, 1, 3)?, None)?;
    Ok(vec![converted(call.device, &y, Type::I32)?])
}

pub(super) fn quantised_conv(call: &Call<'_>) -> TestResult<Vec<Array>> {
    if call.input(4)?.len() > 1 || call.optional(8).is_some() {
        return skip("scales of channels, or a bias");
    }
    let sums = convolved(call, &centred(call, 0, 2)?, &centred(call, 3, 5)?, None)?;
    let scalar = |at: usize| call.input(at)?.reshaped([]);
    let zero = scalar(7)?;
    let line = Line::new("y = round(a * b * c / d) + f32(e)", Type::F32);
    let y = line.apply(call.device, &[&sums, &scalar(1)?, &scalar(4)?, &scalar(6)?, &zero])?;
    Ok(vec![converted(call.device, &y, zero.kind)?])
}

pub(super) fn conv_transposed(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, weights) = (call.input(0)?, call.input(1)?);
    let (input, kernel) = (&x.shape[2..], &weights.shape[2..]);
    let mut windows = windows(call, input, kernel);
    let axes = input.len();
    let mut more = sizes(call, "output_padding", 0, axes);
    let auto = call.text("auto_pad", "NOTSET");
    let wanted = match call.integers("output_shape") {
        Some(shape) => Some(shape.iter().map(|size| size.unsigned_abs() as usize).collect::<Vec<usize>>()),
        None if auto.starts_with("SAME") => Some(input.iter().zip(&windows.stride).map(|(a, b)| a * b).collect()),
        None => None,
    };
    for (at, wanted) in wanted.iter().flatten().enumerate() {
        let covered = (input[at] - 1) * windows.stride[at] + more[at] + (kernel[at] - 1) * windows.dilation[at] + 1;
        windows.padding[at] = halves(covered.saturating_sub(*wanted), auto == "SAME_UPPER");
        more[at] += wanted.saturating_sub(covered);
    }
    let y = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let conv = windows.of(Conv::<T>::transposed(x.shape.clone(), weights.shape.clone())).groups(groups(call));
        let mut conv = conv.output_padding(&more);
        if let Some(bias) = call.optional(2) {
            conv = conv.bias(bias.get::<T>()?);
        }
        Array::written::<T>(call.device, x.kind, conv.shape()?, |y| {
            Ok(conv.run(x.get::<T>()?, weights.get::<T>()?, y)?)
        })
    })?;
    Ok(vec![y])
}

/// Computes a depthwise convolution in which each result depends on earlier positions, with zeros or given positions
/// before `x`. The second output is the last of these positions.
pub(super) fn causal_conv(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x, weights) = (call.device, call.input(0)?, call.input(1)?);
    let ([_, channels, _], Some(kernel)) = (&x.shape[..], weights.shape.last()) else {
        return fail!("expected three axes, got {:?}", x.shape);
    };
    let before = kernel - 1;
    let joined = match call.optional(3) {
        Some(past) => concatenated(device, &[past, x], 2)?,
        None => by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
            padded::<T>(device, x, &[[0, 0], [0, 0], [before, 0]], Pad::Constant(bytemuck::Zeroable::zeroed()))
        })?,
    };
    let length = joined.shape[2];
    let last = part(device, &joined, &[steps(.., 1), steps(.., 1), steps((length - before) as isize.., 1)])?;
    let y = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let mut conv = Conv::<T>::new(joined.shape.clone(), weights.shape.clone()).groups(*channels);
        if let Some(bias) = call.optional(2) {
            conv = conv.bias(bias.get::<T>()?);
        }
        if matches!(&call.text("activation", "none")[..], "silu" | "swish") {
            conv = conv.activation(Activation::Silu);
        }
        Array::written::<T>(device, x.kind, conv.shape()?, |y| {
            Ok(conv.run(joined.get::<T>()?, weights.get::<T>()?, y)?)
        })
    })?;
    Ok(vec![y, last])
}

/// Computes `MaxPool`, with indices as `i64`, `AveragePool` and `LpPool`.
pub(super) fn pool(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let device = call.device;
    let given = call.input(0)?;
    // Bytes are converted to floats, which have the same order.
    let bytes = matches!(given.kind, Type::U8 | Type::I8);
    let x = &if bytes { converted(device, given, Type::F16)? } else { given.clone() };
    let input = &x.shape[2..];
    let kernel = sizes(call, "kernel_shape", 1, input.len());
    let windows = windows(call, input, &kernel);
    let name = &call.node.operator[..];
    let with_indices = call.node.outputs.len() > 1;
    let (y, indices) = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let shape = x.shape.clone();
        let mut pool = match name {
            "MaxPool" => Pool::<T>::max(shape, &kernel),
            "AveragePool" => Pool::average(shape, &kernel),
            _ => Pool::norm(shape, &kernel, call.integer("p").unwrap_or(2) as f32),
        };
        pool = pool.stride(&windows.stride).dilation(&windows.dilation).padding(&windows.padding);
        if call.flag("ceil_mode", false) {
            pool = pool.ceil();
        }
        if call.flag("count_include_pad", false) {
            pool = pool.count_padding();
        }
        let shape = pool.shape()?;
        let count = if with_indices { shape.iter().product() } else { 0 };
        let mut indices = device.buffer::<u32>(count)?;
        if with_indices {
            pool = pool.indices(&mut indices);
        }
        let y = Array::written::<T>(device, x.kind, shape.clone(), |y| Ok(pool.run(x.get::<T>()?, y)?))?;
        Ok((y, with_indices.then(|| Array::new(Type::U32, shape, indices))))
    })?;
    let y = converted(device, &y, given.kind)?;
    let Some(mut indices) = indices else { return Ok(vec![y]) };
    if call.flag("storage_order", false) {
        let [.., h, w] = x.shape[..] else { return fail!("expected two axes of positions") };
        // The case counts positions column by column.
        let operation = "let within = a % u32(p); y = a - within + within / u32(q) + within % u32(q) * u32(r)";
        let values = [(h * w) as f32, w as f32, h as f32];
        indices = Line::new(operation, Type::U32).values(&values).apply(device, &[&indices])?;
    }
    Ok(vec![y, converted(device, &indices, Type::I64)?])
}

/// Computes `Col2Im`: the sums of columns.
pub(super) fn columns(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let natural = |at: usize| -> TestResult<Vec<usize>> {
        Ok(call.input(at)?.integers()?.iter().map(|size| size.unsigned_abs() as usize).collect())
    };
    let (image, kernel) = (natural(1)?, natural(2)?);
    let windows = windows(call, &image, &kernel);
    let channels = x.shape[1] / kernel.iter().product::<usize>();
    let shape = [&[x.shape[0], channels], &image[..]].concat();
    let y = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let columns = Columns::<T>::new(shape.clone(), &kernel).stride(&windows.stride).dilation(&windows.dilation);
        Array::written::<T>(call.device, x.kind, shape, |y| {
            Ok(columns.padding(&windows.padding).sum(x.get::<T>()?, y)?)
        })
    })?;
    Ok(vec![y])
}
