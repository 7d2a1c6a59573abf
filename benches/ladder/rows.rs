//! Softmax and norms of rows of 4,096 elements: a kernel with an invocation for each row, anywarp's operators, and
//! loops on the host.

use anywarp::ops::{Cost, Norm, Softmax};
use anywarp::{Recording, UnifiedBuffer};
use rayon::prelude::*;

use crate::rungs::{Ladder, close, is_host, numbers};
use crate::shared::Outcome;

anywarp::kernels!(mod naive = "benches/ladder/rows.wgsl");

const LENGTH: usize = 4096;

struct Arrays {
    x: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let rows = elements / LENGTH;
    let x = numbers(rows * LENGTH, 1);
    let device = ladder.device.clone();
    softmax(ladder, rows, &x)?;
    let cost = Norm::<f32>::layer(LENGTH).cost(&device, x.len())?;
    norm(ladder, &format!("layer norm {rows} x {LENGTH} f32"), cost, &x, true)?;
    let cost = Norm::<f32>::rms(LENGTH).cost(&device, x.len())?;
    norm(ladder, &format!("RMS norm {rows} x {LENGTH} f32"), cost, &x, false)
}

fn softmax(ladder: &mut Ladder, rows: usize, x: &[f32]) -> Outcome<()> {
    let (device, operator) = (ladder.device.clone(), format!("softmax {rows} x {LENGTH} f32"));
    let cost = Softmax::new([rows, LENGTH], 1).cost::<f32>(&device)?;
    let mut wanted = vec![0.0; x.len()];
    wanted.chunks_mut(LENGTH).zip(x.chunks(LENGTH)).for_each(|(y, x)| softmax_of(x, y));
    let mut arrays = Arrays { x: device.buffer_from(x)?, y: device.buffer(x.len())? };
    // Results are scaled to be near 1, because small values are compared by their absolute difference.
    let scaled = |y: &[f32]| -> Vec<f32> { y.iter().map(|y| y * LENGTH as f32).collect() };
    let check = |arrays: &Arrays| close(&scaled(&arrays.y.read()?), &scaled(&wanted), 1e-3);
    let record = |Arrays { x, y }: &mut Arrays, recording: &mut Recording| {
        let sizes = naive::Sizes { rows: rows as u32, length: LENGTH as u32 };
        let kernel = naive::softmax(&device)?;
        kernel.launch(naive::SoftmaxArgs { sizes, x: &*x, y }).record(recording).threads(rows as u64)?;
        Ok(())
    };
    ladder.rung((&operator, "naive: an invocation a row"), cost, &mut arrays, record, check)?;
    arrays.y.fill(0.0)?;
    let record = |Arrays { x, y }: &mut Arrays, recording: &mut Recording| {
        Ok(Softmax::new([rows, LENGTH], 1).record(recording).run(&*x, y)?)
    };
    ladder.rung((&operator, "Softmax"), cost, &mut arrays, record, check)?;
    host(ladder, &operator, cost, x, softmax_of)
}

fn norm(ladder: &mut Ladder, operator: &str, cost: Cost, x: &[f32], centred: bool) -> Outcome<()> {
    let device = ladder.device.clone();
    let of_row = if centred { layer_norm_of } else { rms_norm_of };
    let mut wanted = vec![0.0; x.len()];
    wanted.chunks_mut(LENGTH).zip(x.chunks(LENGTH)).for_each(|(y, x)| of_row(x, y));
    let mut arrays = Arrays { x: device.buffer_from(x)?, y: device.buffer(x.len())? };
    let check = |arrays: &Arrays| close(&arrays.y.read()?, &wanted, 1e-3);
    let record = |Arrays { x, y }: &mut Arrays, recording: &mut Recording| {
        let (rows, length) = (x.len() / LENGTH, LENGTH as u32);
        let sizes = naive::Sizes { rows: rows as u32, length };
        let kernel = naive::norm_with(&device, naive::Overrides { centred })?;
        kernel.launch(naive::NormArgs { sizes, x: &*x, y }).record(recording).threads(rows as u64)?;
        Ok(())
    };
    ladder.rung((operator, "naive: an invocation a row"), cost, &mut arrays, record, check)?;
    arrays.y.fill(0.0)?;
    let record = |Arrays { x, y }: &mut Arrays, recording: &mut Recording| {
        let norm = if centred { Norm::layer(LENGTH) } else { Norm::rms(LENGTH) };
        Ok(norm.record(recording).run(&*x, y)?)
    };
    ladder.rung((operator, "Norm"), cost, &mut arrays, record, check)?;
    host(ladder, operator, cost, x, of_row)
}

/// Measures a plain loop on the host, and one loop for each thread.
fn host(ladder: &mut Ladder, operator: &str, cost: Cost, x: &[f32], of_row: fn(&[f32], &mut [f32])) -> Outcome<()> {
    if !is_host(&ladder.device) {
        return Ok(());
    }
    let mut y = vec![0.0; x.len()];
    ladder.host_rung((operator, "one thread of Rust"), cost, || {
        y.chunks_mut(LENGTH).zip(x.chunks(LENGTH)).for_each(|(y, x)| of_row(x, y));
        std::hint::black_box(&mut y);
        Ok(())
    })?;
    ladder.host_rung((operator, "rayon"), cost, || {
        y.par_chunks_mut(LENGTH).zip(x.par_chunks(LENGTH)).for_each(|(y, x)| of_row(x, y));
        std::hint::black_box(&mut y);
        Ok(())
    })
}

/// A sum that is computed as several sums at a time, so that the compiler can use vectors.
fn sum(x: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; 16];
    for x in x.chunks(16) {
        sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += of(*x));
    }
    sums.iter().sum()
}

fn softmax_of(x: &[f32], y: &mut [f32]) {
    let greatest = x.iter().fold(f32::MIN, |a, b| a.max(*b));
    y.iter_mut().zip(x).for_each(|(y, x)| *y = (x - greatest).exp());
    let factor = 1.0 / sum(y, |y| y);
    y.iter_mut().for_each(|y| *y *= factor);
}

fn layer_norm_of(x: &[f32], y: &mut [f32]) {
    let mean = sum(x, |x| x) / x.len() as f32;
    let inverse = 1.0 / (sum(x, |x| (x - mean) * (x - mean)) / x.len() as f32 + 1e-5).sqrt();
    y.iter_mut().zip(x).for_each(|(y, x)| *y = (x - mean) * inverse);
}

fn rms_norm_of(x: &[f32], y: &mut [f32]) {
    let inverse = 1.0 / (sum(x, |x| x * x) / x.len() as f32 + 1e-5).sqrt();
    y.iter_mut().zip(x).for_each(|(y, x)| *y = x * inverse);
}
