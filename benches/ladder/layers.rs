//! Layers: the convolutions of ResNet-50 in f16 with the channels last, beside a matrix product of the same size, those
//! with kernels of 3 x 3 in f32, also by Winograd's filtering, and the attention of a transformer in f16.

use anywarp::ops::{Attention, Conv, Cost, FloatElement, Matmul, MatmulMethod};
use anywarp::{Recording, UnifiedBuffer, f16};
use rayon::prelude::*;

use crate::rungs::{Ladder, close, is_host, numbers};
use crate::shared::Outcome;

struct Arrays<T> {
    x: UnifiedBuffer<T>,
    weights: UnifiedBuffer<T>,
    y: UnifiedBuffer<T>,
}

/// A layer: examples of x, positions along each of two axes, channels of x and y, taps along each axis.
#[derive(Clone, Copy)]
struct Layer {
    examples: usize,
    side: usize,
    inputs: usize,
    outputs: usize,
    size: usize,
}

pub(crate) fn climb(ladder: &mut Ladder, _elements: usize) -> Outcome<()> {
    let examples = if is_host(&ladder.device) { 1 } else { 32 };
    for (side, [inputs, outputs], size) in
        [(56, [64, 64], 3), (56, [256, 64], 1), (28, [128, 128], 3), (14, [256, 256], 3), (7, [512, 512], 3)]
    {
        let layer = Layer { examples, side, inputs, outputs, size };
        let (operator, cost, mut arrays) = convolve::<f16>(ladder, layer, f16::from_f32)?;
        multiply(ladder, layer, (&operator, cost), &mut arrays)?;
        if size == 3 {
            convolve::<f32>(ladder, layer, |number| number)?;
        }
    }
    let [planes, positions] = if is_host(&ladder.device) { [2, 256] } else { [32, 4096] };
    attend(ladder, planes, positions, 128)?;
    attend(ladder, planes * 8, positions / 4, 64)
}

fn rounded(count: usize, seed: usize) -> Vec<f16> {
    numbers(count, seed).into_iter().map(|number| f16::from_f32(number / 4.0)).collect()
}

/// Some elements of a result; computing all of them would take the host too long.
fn samples(count: usize) -> impl Iterator<Item = usize> {
    (0..499).map(move |at| at * 7919 % count)
}

/// Measures a layer; returns its name, its cost and its arrays.
fn convolve<T: FloatElement>(ladder: &mut Ladder, layer: Layer, of: fn(f32) -> T) -> Outcome<(String, Cost, Arrays<T>)>
where
    f64: From<T>,
{
    let Layer { examples, side, inputs, outputs, size } = layer;
    let device = ladder.device.clone();
    let (image, kernel) = ([examples, side, side, inputs], [outputs, size, size, inputs]);
    let pad = size / 2;
    let (depth, positions) = (inputs * size * size, examples * side * side);
    let [x, weights] = [(positions * inputs, 3), (outputs * depth, 4)]
        .map(|(count, seed)| numbers(count, seed).into_iter().map(|number| of(number / 4.0)).collect::<Vec<T>>());
    let plain = || Conv::<T>::new(image, kernel).channels_last().padding(&[[pad, pad], [pad, pad]]);
    let cost = plain().cost(&device)?;
    let word = if size_of::<T>() == 2 { "f16" } else { "f32" };
    let operator = format!("conv {size}x{size} {inputs} -> {outputs}, {examples} x {side} x {side} {word}");
    let sum = |at: usize| -> f32 {
        let (position, channel) = (at / outputs, at % outputs);
        let (example, row, column) = (position / side / side, position / side % side, position % side);
        let product = |k: usize| {
            let (tap, input) = (k / inputs, k % inputs);
            let (down, along) = (row + tap / size, column + tap % size);
            let inside = (pad..side + pad).contains(&down) && (pad..side + pad).contains(&along);
            let place =
                ((example * side + down.saturating_sub(pad)) * side + along.saturating_sub(pad)) * inputs + input;
            if inside { f64::from(x[place]) * f64::from(weights[channel * depth + k]) } else { 0.0 }
        };
        (0..depth).map(product).sum::<f64>() as f32
    };
    let wanted: Vec<f32> = samples(positions * outputs).map(sum).collect();
    if is_host(&device) && size_of::<T>() == 4 {
        let [x, weights] = [&x, &weights].map(|array| array.iter().map(|at| f64::from(*at) as f32).collect::<Vec<_>>());
        let y = by_hand(layer, &x, &weights);
        close(&samples(y.len()).map(|at| y[at]).collect::<Vec<_>>(), &wanted, 1e-2)?;
        ladder.host_rung((&operator, "rayon"), cost, || {
            std::hint::black_box(by_hand(layer, &x, &weights));
            Ok(())
        })?;
    }
    let (x, weights) = (device.buffer_from(&x)?, device.buffer_from(&weights)?);
    let mut arrays = Arrays { x, weights, y: device.buffer(positions * outputs)? };
    let check = |arrays: &Arrays<T>| {
        let y = arrays.y.read()?;
        close(&samples(y.len()).map(|at| f64::from(y[at]) as f32).collect::<Vec<_>>(), &wanted, 1e-2)
    };
    let record = |Arrays { x, weights, y }: &mut Arrays<T>, recording: &mut Recording| {
        Ok(plain().record(recording).run(&*x, &*weights, y)?)
    };
    ladder.rung((&operator, "Conv"), cost, &mut arrays, record, check)?;
    if plain().winograd().cost(&device).is_ok() {
        arrays.y = device.buffer(positions * outputs)?;
        let record = |Arrays { x, weights, y }: &mut Arrays<T>, recording: &mut Recording| {
            Ok(plain().winograd().record(recording).run(&*x, &*weights, y)?)
        };
        ladder.rung((&operator, "Conv, Winograd"), cost, &mut arrays, record, check)?;
    }
    Ok((operator, cost, arrays))
}

/// A layer as one would write it with rayon: a thread for each row of positions, and sums of all channels side by side.
fn by_hand(Layer { examples, side, inputs, outputs, size }: Layer, x: &[f32], weights: &[f32]) -> Vec<f32> {
    let depth = inputs * size * size;
    let mut across = vec![0.0; depth * outputs];
    for (k, line) in across.chunks_mut(outputs).enumerate() {
        line.iter_mut().enumerate().for_each(|(channel, weight)| *weight = weights[channel * depth + k]);
    }
    let mut y = vec![0.0f32; examples * side * side * outputs];
    y.par_chunks_mut(side * outputs).enumerate().for_each(|(line, y)| {
        let (example, row) = (line / side, line % side);
        for (column, sums) in y.chunks_mut(outputs).enumerate() {
            for tap in 0..size * size {
                let (down, along) = (row + tap / size, column + tap % size);
                let (Some(down), Some(along)) = (down.checked_sub(size / 2), along.checked_sub(size / 2)) else {
                    continue;
                };
                if down >= side || along >= side {
                    continue;
                }
                let from = &x[((example * side + down) * side + along) * inputs..][..inputs];
                for (x, line) in from.iter().zip(across[tap * inputs * outputs..].chunks(outputs)) {
                    sums.iter_mut().zip(line).for_each(|(sum, weight)| *sum += x * weight);
                }
            }
        }
    });
    y
}

/// Measures a matrix product of the size of a layer.
fn multiply(
    ladder: &mut Ladder,
    Layer { examples, side, inputs, outputs, size }: Layer,
    (operator, cost): (&str, Cost),
    arrays: &mut Arrays<f16>,
) -> Outcome<()> {
    let device = ladder.device.clone();
    let (depth, positions) = (inputs * size * size, examples * side * side);
    let product = || Matmul::<f16>::new([positions, depth, outputs]).transpose_b().method(MatmulMethod::Cooperative);
    if product().chosen(&device).is_err() {
        return Ok(());
    }
    arrays.x = device.buffer_from(&rounded(positions * depth, 5))?;
    let record = |Arrays { x, weights, y }: &mut Arrays<f16>, recording: &mut Recording| {
        Ok(product().record(recording).run(&*x, &*weights, y)?)
    };
    // Its result is checked by `matmul`.
    ladder.rung((operator, "Matmul, its size"), cost, arrays, record, |_| Ok(()))
}

fn attend(ladder: &mut Ladder, planes: usize, positions: usize, size: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let shape = [1, planes, positions, size];
    let operator = format!("attention {planes} x {positions} x {size} f16");
    let count = planes * positions * size;
    let [q, k, v] = [1, 2, 3].map(|seed| rounded(count, seed));
    let result = |at: usize| -> f32 {
        let (row, element) = (at / size, at % size);
        let first = row / positions * positions;
        let product = |key: usize| -> f64 {
            let pairs = q[row * size..][..size].iter().zip(&k[(first + key) * size..][..size]);
            pairs.map(|(q, k)| q.to_f64() * k.to_f64()).sum::<f64>() / (size as f64).sqrt()
        };
        let weights: Vec<f64> = (0..positions).map(|key| product(key).exp()).collect();
        let value = |key: usize| v[(first + key) * size + element].to_f64();
        let sum: f64 = weights.iter().enumerate().map(|(key, weight)| weight * value(key)).sum();
        (sum / weights.iter().sum::<f64>()) as f32
    };
    let wanted: Vec<f32> = samples(count).map(result).collect();
    let plain = || Attention::<f16>::new(shape, shape);
    let cost = plain().cost(&device)?;
    let [q, k, v] = [q, k, v].map(|array| device.buffer_from(&array));
    let mut arrays = (q?, k?, v?, device.buffer::<f16>(count)?);
    type Four = (UnifiedBuffer<f16>, UnifiedBuffer<f16>, UnifiedBuffer<f16>, UnifiedBuffer<f16>);
    let check = |arrays: &Four| {
        let y = arrays.3.read()?;
        close(&samples(count).map(|at| y[at].to_f32()).collect::<Vec<_>>(), &wanted, 1e-3)
    };
    let record =
        |(q, k, v, y): &mut Four, recording: &mut Recording| Ok(plain().record(recording).run(&*q, &*k, &*v, y)?);
    ladder.rung((&operator, "Attention"), cost, &mut arrays, record, check)
}
