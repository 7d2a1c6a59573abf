//! Normalisations by channel, the second axis.

use anywarp::ops::BatchNorm;
use anywarp_testing_devices::outcome::TestResult;

use super::arrange::iota;
use super::line::Line;
use super::matrices::product;
use super::reductions::along;
use crate::array::{Array, Type};
use crate::graph::Call;

/// Shifts and scales channels by means and variances: those of the inputs or, in training, those of the batch, for
/// which running means and variances are returned as well.
pub(super) fn batch_norm(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let mut channels = vec![1; x.shape.len().max(2)];
    channels[1] = x.shape.get(1).copied().unwrap_or(1);
    let [scale, bias, mean, variance] = [1, 2, 3, 4].map(|at| call.input(at)?.reshaped(channels.clone()));
    let (scale, bias, mean, variance) = (scale?, bias?, mean?, variance?);
    let line = Line::new("y = (a - T(d)) / sqrt(T(e) + T(p)) * T(b) + T(c)", x.kind);
    let values = [call.float("epsilon", 1e-5)];
    let line = line.values(&values);
    let trains = call.flag("training_mode", false);
    if x.shape.len() > 1 && [x, &scale, &bias, &mean, &variance].iter().all(|array| array.kind == Type::F32) {
        let norm = BatchNorm::new([x.shape[0], x.shape[1], x.shape[2..].iter().product()]).epsilon(values[0]);
        let norm = norm.scale(scale.get::<f32>()?).bias(bias.get::<f32>()?);
        if !trains {
            let (mean, variance) = (mean.get::<f32>()?, variance.get::<f32>()?);
            let y = Array::written::<f32>(device, x.kind, x.shape.clone(), |y| {
                Ok(norm.run(x.get::<f32>()?, mean, variance, y)?)
            })?;
            return Ok(vec![y]);
        }
        return trained(call, norm, x, [&mean, &variance]);
    }
    if !trains {
        return Ok(vec![line.apply(device, &[x, &scale, &bias, &mean, &variance])?]);
    }
    let others: Vec<usize> = (0..x.shape.len()).filter(|axis| *axis != 1).collect();
    let own_mean = along(device, "ReduceMean", x, &others)?;
    let squares = Line::new("y = (a - b) * (a - b)", x.kind).apply(device, &[x, &own_mean])?;
    let own_variance = along(device, "ReduceMean", &squares, &others)?;
    let y = line.apply(device, &[x, &scale, &bias, &own_mean, &own_variance])?;
    let momentum = [call.float("momentum", 0.9)];
    let running = |old: &Array, new: &Array| {
        let mixed =
            Line::new("y = a * T(p) + b * (T(1) - T(p))", old.kind).values(&momentum).apply(device, &[old, new])?;
        mixed.reshaped([channels[1]])
    };
    Ok(vec![y, running(&mean, &own_mean)?, running(&variance, &own_variance)?])
}

/// The results of a batch norm in training, and the running means and variances, where ONNX has the variance of all
/// elements in place of that of a sample, and the share of the old ones as momentum.
fn trained(
    call: &Call<'_>,
    norm: BatchNorm<'_, f32>,
    x: &Array,
    [mean, variance]: [&Array; 2],
) -> TestResult<Vec<Array>> {
    let (device, channels) = (call.device, x.shape[1]);
    let momentum = call.float("momentum", 0.9);
    let count = (x.len() / channels.max(1)) as f32;
    let (mut means, mut inverses) = (device.buffer::<f32>(channels)?, device.buffer::<f32>(channels)?);
    let copy = |array: &Array| TestResult::Ok(device.buffer_from(&array.get::<f32>()?.read()?)?);
    let (mut running_means, mut running_variances) = (copy(mean)?, copy(variance)?);
    let y = Array::written::<f32>(device, x.kind, x.shape.clone(), |y| {
        let norm = norm.running(&mut running_means, &mut running_variances, 1.0 - momentum);
        Ok(norm.train(x.get::<f32>()?, y, &mut means, &mut inverses)?)
    })?;
    let running = |buffer| Array::new(Type::F32, [channels], buffer);
    let (means, of_sample) = (running(running_means), running(running_variances));
    let old = variance.reshaped([channels])?;
    let line = Line::new("y = a * T(p) + (b - a * T(p)) * T(q)", Type::F32);
    let values = [momentum, (count - 1.0) / count];
    let variances = line.values(&values).apply(device, &[&old, &of_sample])?;
    Ok(vec![y, means, variances])
}

/// Divides each element by a power of the sum of squares over neighbouring channels, which is a product with a matrix
/// that has ones for neighbours.
pub(super) fn local_response(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let [batch, channels, ref places @ ..] = x.shape[..] else { return fail!("no channels") };
    let size = call.integer("size").unwrap_or(1).unsigned_abs() as f32;
    let before = ((size - 1.0) / 2.0).floor();
    let numbers = iota(device, &[channels, channels], Type::U32)?;
    let neighbours = Line::new(
        "let row = i32(a / u32(p)); let column = i32(a % u32(p)); \
         y = select(Y(0), Y(1), column >= row - i32(q) && column <= row + i32(r))",
        x.kind,
    );
    let neighbours = neighbours.values(&[channels as f32, before, size - 1.0 - before]).apply(device, &[&numbers])?;
    let squares = Line::new("y = a * a", x.kind).apply(device, &[x])?;
    let squares = squares.reshaped([batch, channels, places.iter().product()])?;
    let sums = product(device, &neighbours, &squares)?.reshaped(x.shape.clone())?;
    let values = [call.float("alpha", 1e-4) / size, call.float("bias", 1.0), call.float("beta", 0.75)];
    let line = Line::new("y = a / pow(T(q) + T(p) * b, T(r))", x.kind).values(&values);
    Ok(vec![line.apply(device, &[x, &sums])?])
}
