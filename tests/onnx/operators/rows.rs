//! Softmax, norms and losses.

use anywarp::Device;
use anywarp::ops::{CrossEntropy, Norm, Softmax};
use anywarp_testing_devices::outcome::TestResult;

use super::arrange::{broadcast, permuted};
use super::line::{Line, converted};
use super::reductions::along;
use crate::array::{Array, Type, by_type};
use crate::graph::{Call, axis};

/// Computes `Softmax` and `LogSoftmax`; in versions before 13, over all elements from an axis on.
pub(super) fn softmax(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let (mut shape, mut axis) = (x.shape.clone(), call.axis(if call.opset < 13 { 1 } else { -1 }, x.shape.len())?);
    if call.opset < 13 {
        shape = vec![x.shape[..axis].iter().product(), x.shape[axis..].iter().product()];
        axis = 1;
    }
    if x.kind == Type::F64 {
        return Ok(vec![wide_softmax(call, &x.reshaped(shape)?, axis)?.reshaped(x.shape.clone())?]);
    }
    let mut softmax = Softmax::new(shape, axis);
    if call.node.operator == "LogSoftmax" {
        softmax = softmax.logarithm();
    }
    let y = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        Array::written::<T>(call.device, x.kind, x.shape.clone(), |y| Ok(softmax.run(x.get::<T>()?, y)?))
    })?;
    Ok(vec![y])
}

/// Softmax along an axis.
pub(super) fn softmaxed(device: &Device, x: &Array, axis: usize) -> TestResult<Array> {
    by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let softmax = Softmax::new(x.shape.clone(), axis);
        Array::written::<T>(device, x.kind, x.shape.clone(), |y| Ok(softmax.run(x.get::<T>()?, y)?))
    })
}

/// Computes softmax or its logarithm for `f64`, from the logarithm of the sum of exponentials.
fn wide_softmax(call: &Call<'_>, x: &Array, axis: usize) -> TestResult<Array> {
    let sum = along(call.device, "ReduceLogSumExp", x, &[axis])?;
    let operation = if call.node.operator == "Softmax" { "y = exp(a - b)" } else { "y = a - b" };
    Line::new(operation, x.kind).apply(call.device, &[x, &sum])
}

/// The arguments of a normalisation of rows: the elements, the number of rows, and optional weights.
struct Rows<'a> {
    x: &'a Array,
    rows: usize,
    scale: Option<Array>,
    bias: Option<Array>,
    epsilon: f32,
}

macro_rules! norm {
    ($call:expr, $rows:expr, $T:ident => $norm:expr) => {{
        let Rows { x, rows, scale, bias, epsilon } = &$rows;
        by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], $T => {
            let device = $call.device;
            let (mut means, mut inverses) = (device.buffer::<f32>(*rows)?, device.buffer::<f32>(*rows)?);
            let mut norm = $norm.epsilon(*epsilon).statistics(&mut means, &mut inverses);
            if let Some(scale) = scale {
                norm = norm.scale(scale.get::<$T>()?);
            }
            if let Some(bias) = bias {
                norm = norm.bias(bias.get::<$T>()?);
            }
            let y = Array::written::<$T>(device, x.kind, x.shape.clone(), |y| Ok(norm.run(x.get::<$T>()?, y)?))?;
            Ok([y, Array::new(Type::F32, [*rows], means), Array::new(Type::F32, [*rows], inverses)])
        })
    }};
}

/// Computes `LayerNormalization` and `RMSNormalization`, in which a row is all elements from an axis on.
pub(super) fn layer_norm(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let axis = call.axis(-1, x.shape.len())?;
    let row = &x.shape[axis..];
    let weights = |at| call.optional(at).map(|weights| broadcast(call.device, weights, row)).transpose();
    let (rows, length) = (x.shape[..axis].iter().product(), row.iter().product());
    let epsilon = call.float("epsilon", 1e-5);
    let rows = Rows { x, rows, scale: weights(1)?, bias: weights(2)?, epsilon };
    let centred = call.node.operator == "LayerNormalization";
    let [y, means, inverses] =
        norm!(call, rows, T => if centred { Norm::<T>::layer(length) } else { Norm::rms(length) })?;
    let shape: Vec<usize> = x.shape.iter().enumerate().map(|(at, size)| if at < axis { *size } else { 1 }).collect();
    Ok(vec![y, means.reshaped(shape.clone())?, inverses.reshaped(shape)?])
}

/// Computes `GroupNormalization` and `InstanceNormalization` over the channels of each example.
pub(super) fn group_norm(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let [examples, channels, rest @ ..] = &x.shape[..] else { return fail!("there are no channels") };
    let shape = [*examples, *channels, rest.iter().product()];
    let groups = call.integer("num_groups").map_or(*channels, |groups| groups.unsigned_abs() as usize);
    let (scale, bias) = (call.optional(1).cloned(), call.optional(2).cloned());
    let rows = Rows { x, rows: examples * groups, scale, bias, epsilon: call.float("epsilon", 1e-5) };
    let [y, ..] = norm!(call, rows, T => Norm::<T>::group(shape, groups))?;
    Ok(vec![y])
}

/// Normalises to zero mean and unit variance over axes. The axes are moved to the end, so that the elements to
/// normalise are rows.
pub(super) fn mean_variance(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let rank = x.shape.len();
    let axes = call.integers("axes").unwrap_or_else(|| vec![0, 2, 3]);
    let axes = axes.into_iter().map(|at| axis(at, rank)).collect::<TestResult<Vec<usize>>>()?;
    let order: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).chain(axes.iter().copied()).collect();
    let moved = permuted(call.device, x, &order)?;
    let length: usize = axes.iter().map(|axis| x.shape[*axis]).product();
    // ONNX adds 1e-9 to the square root of the variance.
    let rows = Rows { x: &moved, rows: x.len() / length, scale: None, bias: None, epsilon: 1e-18 };
    let [y, ..] = norm!(call, rows, T => Norm::<T>::layer(length))?;
    let back: Vec<usize> = (0..rank).map(|axis| order.iter().position(|at| *at == axis).unwrap_or(axis)).collect();
    Ok(vec![permuted(call.device, &y, &back)?])
}

/// Computes `SoftmaxCrossEntropyLoss` and `NegativeLogLikelihoodLoss` for classes along the second axis. The second
/// output is the logarithm of softmax.
pub(super) fn loss(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (x, targets) = (call.input(0)?, call.input(1)?);
    let (shape, device) = (x.shape.clone(), call.device);
    let reduction = call.text("reduction", "mean");
    let weights = call.optional(2).map(|weights| converted(device, weights, Type::F32)).transpose()?;
    let mut entropy = CrossEntropy::new(shape.clone(), 1);
    let losses = if reduction == "none" { targets.shape.clone() } else { Vec::new() };
    match &*reduction {
        "none" => entropy = entropy.each(),
        "sum" => entropy = entropy.sum(),
        _ => {}
    }
    if let Some(ignored) = call.integer("ignore_index") {
        entropy = entropy.ignore(ignored);
    }
    if let Some(weights) = &weights {
        entropy = entropy.weights(weights.get::<f32>()?);
    }
    if call.node.operator == "NegativeLogLikelihoodLoss" {
        entropy = entropy.logarithms();
    }
    let mut loss = device.buffer::<f32>(losses.iter().product())?;
    let logarithms = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        by_type!(targets.kind, [I32: i32, I64: i64], I => {
            entropy.run(x.get::<T>()?, targets.get::<I>()?, &mut loss)?;
            Array::written::<T>(device, x.kind, shape.clone(), |y| {
                Ok(Softmax::new(shape.clone(), 1).logarithm().run(x.get::<T>()?, y)?)
            })
        })
    })?;
    let loss = converted(device, &Array::new(Type::F32, losses, loss), x.kind)?;
    Ok(vec![loss, logarithms])
}
