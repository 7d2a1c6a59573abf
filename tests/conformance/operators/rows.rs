//! Softmax, norms and cross-entropy of inputs whose results are known.

use anywarp::Device;
use anywarp::ops::{Activate, ActivationFunction, BatchNorm, CrossEntropy, Norm, Softmax};
use half::f16;

use super::{LENGTHS, floats};
use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, ensure};

pub(crate) const CASES: &[Case] = cases![
    softmax_of_rows,
    softmax_down_columns,
    softmax_of_halves,
    softmax_of_infinities,
    layer_norm_of_rows,
    rms_norm_of_halves,
    group_norm_of_channels,
    batch_norm_of_channels,
    activations,
    derivatives_of_softmax,
    derivatives_of_norms,
    cross_entropy_of_even_rows,
];

fn near(got: &[f32], wanted: impl Fn(usize) -> f64, what: &str) -> TestResult {
    let wrong = |(at, y): &(usize, &f32)| (f64::from(**y) - wanted(*at)).abs() > 2e-5 * wanted(*at).abs().max(1e-6);
    match got.iter().enumerate().find(wrong) {
        Some((at, y)) => ensure(false, || format!("{what}, element {at}: {y}, expected {}", wanted(at))),
        None => Ok(()),
    }
}

/// The softmax of the numbers in `f64`.
fn shares(x: &[f32]) -> Vec<f64> {
    let sum: f64 = x.iter().map(|x| f64::from(*x).exp()).sum();
    x.iter().map(|x| f64::from(*x).exp() / sum).collect()
}

fn small(length: usize) -> Vec<f32> {
    floats(length).iter().map(|x| x / 256.0).collect()
}

async fn softmax_of_rows(device: &Device) -> TestResult {
    for length in LENGTHS {
        let x = small(3 * length);
        let mut y = device.buffer::<f32>(x.len())?;
        Softmax::new([3, length], 1).run(&device.buffer_from(&x)?, &mut y)?;
        let wanted: Vec<f64> = (0..3).flat_map(|row| shares(&x[row * length..(row + 1) * length])).collect();
        near(&y.read_here().await?, |at| wanted[at], &format!("rows of {length}"))?;
    }
    Ok(())
}

async fn softmax_down_columns(device: &Device) -> TestResult {
    let (rows, columns) = (301, 37);
    let x = small(rows * columns);
    let mut y = device.buffer::<f32>(x.len())?;
    Softmax::new([rows, columns], 0).run(&device.buffer_from(&x)?, &mut y)?;
    let column = |at: usize| shares(&(0..rows).map(|row| x[row * columns + at]).collect::<Vec<f32>>());
    let wanted: Vec<Vec<f64>> = (0..columns).map(column).collect();
    near(&y.read_here().await?, |at| wanted[at % columns][at / columns], "columns")
}

async fn softmax_of_halves(device: &Device) -> TestResult {
    for length in [3, 64, 1000] {
        let x = vec![f16::ONE; 4 * length];
        let mut y = device.buffer::<f16>(x.len())?;
        Softmax::new([4, length], 1).run(&device.buffer_from(&x)?, &mut y)?;
        let wanted = 1.0 / length as f32;
        let wrong = y.read_here().await?.iter().position(|y| (y.to_f32() - wanted).abs() > wanted / 1000.0);
        ensure(wrong.is_none(), || format!("rows of {length}: element {wrong:?}"))?;
    }
    Ok(())
}

async fn softmax_of_infinities(device: &Device) -> TestResult {
    for length in [4, 300] {
        let mut x = vec![1.0f32; 4 * length];
        (x[0], x[length], x[2 * length]) = (f32::NEG_INFINITY, f32::NAN, f32::INFINITY);
        x[3 * length..].fill(f32::NEG_INFINITY);
        let mut y = device.buffer::<f32>(x.len())?;
        Softmax::new([4, length], 1).run(&device.buffer_from(&x)?, &mut y)?;
        let y = y.read_here().await?;
        near(&y[1..length], |_| 1.0 / (length - 1) as f64, &format!("rows of {length}"))?;
        let right = y[0] == 0.0 && y[length..].iter().all(|y| y.is_nan());
        ensure(right, || format!("rows of {length}: {y:?}"))?;
    }
    Ok(())
}

async fn layer_norm_of_rows(device: &Device) -> TestResult {
    for length in LENGTHS.into_iter().filter(|length| *length > 1) {
        // Half of the elements are above the mean by 2, and the others below it by 2.
        let even = length / 2 * 2;
        let x: Vec<f32> = (0..3 * even).map(|at| 100.0 + if at % 2 == 0 { 2.0 } else { -2.0 }).collect();
        let (mut means, mut inverses) = (device.buffer::<f32>(3)?, device.buffer::<f32>(3)?);
        let mut y = device.buffer::<f32>(x.len())?;
        let norm = Norm::layer(even).epsilon(0.0).statistics(&mut means, &mut inverses);
        norm.run(&device.buffer_from(&x)?, &mut y)?;
        let what = format!("rows of {even}");
        near(&y.read_here().await?, |at| if at % 2 == 0 { 1.0 } else { -1.0 }, &what)?;
        near(&means.read_here().await?, |_| 100.0, &what)?;
        near(&inverses.read_here().await?, |_| 0.5, &what)?;
    }
    Ok(())
}

async fn rms_norm_of_halves(device: &Device) -> TestResult {
    for length in [2, 64, 1000] {
        let x: Vec<f16> = (0..4 * length).map(|at| f16::from_f32(if at % 2 == 0 { 3.0 } else { -3.0 })).collect();
        let scale = vec![f16::from_f32(2.0); length];
        let mut y = device.buffer::<f16>(x.len())?;
        let (x, scale) = (device.buffer_from(&x)?, device.buffer_from(&scale)?);
        Norm::rms(length).epsilon(0.0).scale(&scale).run(&x, &mut y)?;
        let y: Vec<f32> = y.read_here().await?.iter().map(|y| y.to_f32()).collect();
        let wrong = (0..y.len()).find(|at| (y[*at] - if at % 2 == 0 { 2.0 } else { -2.0 }).abs() > 2e-3);
        ensure(wrong.is_none(), || format!("rows of {length}: element {wrong:?}"))?;
    }
    Ok(())
}

async fn group_norm_of_channels(device: &Device) -> TestResult {
    // A group has two channels, one above the mean and one below it.
    let shape = [2, 6, 35];
    let x: Vec<f32> = (0..2 * 6 * 35).map(|at| if at / 35 % 2 == 0 { 7.0 } else { 5.0 }).collect();
    let scale: Vec<f32> = (0..6).map(|channel| channel as f32).collect();
    let mut y = device.buffer::<f32>(x.len())?;
    let (x, scale) = (device.buffer_from(&x)?, device.buffer_from(&scale)?);
    Norm::group(shape, 3).epsilon(0.0).scale(&scale).run(&x, &mut y)?;
    let wanted = |at: usize| (at / 35 % 6) as f64 * if (at / 35).is_multiple_of(2) { 1.0 } else { -1.0 };
    near(&y.read_here().await?, wanted, "groups")
}

/// If all results of a row are equal, the derivative of an element is that of its result minus the row's mean, divided
/// by the length.
async fn derivatives_of_softmax(device: &Device) -> TestResult {
    for length in [2, 64, 1000, 9000] {
        let (y, dy) = (vec![1.0 / length as f32; 3 * length], small(3 * length));
        let mean =
            |row: usize| dy[row * length..][..length].iter().map(|dy| f64::from(*dy)).sum::<f64>() / length as f64;
        let means: Vec<f64> = (0..3).map(mean).collect();
        let wanted = |at: usize| f64::from(dy[at]) - means[at / length];
        let (results, derivatives) = (device.buffer_from(&y)?, device.buffer_from(&dy)?);
        let mut dx = device.buffer::<f32>(y.len())?;
        Softmax::new([3, length], 1).backward(&results, &derivatives, &mut dx)?;
        let dx: Vec<f32> = dx.read_here().await?.iter().map(|dx| dx * length as f32).collect();
        let wrong = (0..dx.len()).find(|at| (f64::from(dx[*at]) - wanted(*at)).abs() > 1e-3);
        ensure(wrong.is_none(), || format!("rows of {length}: element {wrong:?}"))?;
    }
    Ok(())
}

/// The derivatives of the elements are 0 if the derivatives of the results are a multiple of the normalised elements
/// plus a constant.
async fn derivatives_of_norms(device: &Device) -> TestResult {
    for length in [2, 64, 1000, 9000] {
        let x: Vec<f32> = (0..3 * length).map(|at| if at % 2 == 0 { 3.0 } else { 1.0 }).collect();
        let dy: Vec<f32> = x.iter().map(|x| 5.0 * (x - 2.0) + 7.0).collect();
        let (x, dy) = (device.buffer_from(&x)?, device.buffer_from(&dy)?);
        let (means, inverses) = (device.buffer_from(&[2.0f32; 3])?, device.buffer_from(&[1.0f32; 3])?);
        let mut dx = device.buffer::<f32>(3 * length)?;
        let (mut dscale, mut dbias) = (device.buffer::<f32>(length)?, device.buffer::<f32>(length)?);
        Norm::layer(length).backward(&x, &dy, &means, &inverses, &mut dx)?;
        Norm::layer(length).backward_weights(&x, &dy, &means, &inverses, &mut dscale, &mut dbias)?;
        let largest = dx.read_here().await?.iter().fold(0.0f32, |largest, dx| largest.max(dx.abs()));
        ensure(largest < 1e-3, || format!("rows of {length}: a derivative of {largest}"))?;
        let even = |at: usize| at.is_multiple_of(2);
        near(&dscale.read_here().await?, |at| if even(at) { 36.0 } else { -6.0 }, "dscale")?;
        near(&dbias.read_here().await?, |at| if even(at) { 36.0 } else { 6.0 }, "dbias")?;
    }
    Ok(())
}

/// Channels of two numbers in equal shares: their results are -1 and 1, and derivatives by such channels 0.
async fn batch_norm_of_channels(device: &Device) -> TestResult {
    for shape @ [examples, channels, inner] in [[2, 1, 1], [300, 5, 1], [4, 3, 1000]] {
        let count = examples * channels * inner;
        let is_high = |at: usize| (at / (channels * inner)).is_multiple_of(2);
        let x: Vec<f32> = (0..count).map(|at| if is_high(at) { 1003.0 } else { 1001.0 }).collect();
        let (x, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(count)?);
        let (mut means, mut inverses) = (device.buffer::<f32>(channels)?, device.buffer::<f32>(channels)?);
        BatchNorm::new(shape).epsilon(0.0).train(&x, &mut y, &mut means, &mut inverses)?;
        near(&y.read_here().await?, |at| if is_high(at) { 1.0 } else { -1.0 }, &format!("{shape:?}"))?;
        near(&means.read_here().await?, |_| 1002.0, "means")?;
        let (mut dscale, mut dbias) = (device.buffer::<f32>(channels)?, device.buffer::<f32>(channels)?);
        let mut dx = device.buffer::<f32>(count)?;
        let by_weights = [&mut dscale, &mut dbias];
        BatchNorm::new(shape).backward(&x, &y, &means, &inverses, &mut dx, by_weights)?;
        near(&dscale.read_here().await?, |_| (examples * inner) as f64, "dscale")?;
        let largest = dx.read_here().await?.iter().fold(0.0f32, |largest, dx| largest.max(dx.abs()));
        ensure(largest < 1e-3, || format!("{shape:?}: a derivative of {largest}"))?;
    }
    Ok(())
}

/// Functions where their values are simple; all are 0 at 0 or a half of 1.
async fn activations(device: &Device) -> TestResult {
    let x = device.buffer_from(&[-8.0f32, 0.0, 16.0])?;
    let mut y = device.buffer::<f32>(3)?;
    for (function, wanted) in [
        (ActivationFunction::Relu, [0.0, 0.0, 16.0]),
        (ActivationFunction::Gelu, [0.0, 0.0, 16.0]),
        (ActivationFunction::GeluTanh, [0.0, 0.0, 16.0]),
        (ActivationFunction::Silu, [-8.0 / (1.0 + 8f64.exp()), 0.0, 16.0]),
        (ActivationFunction::Sigmoid, [1.0 / (1.0 + 8f64.exp()), 0.5, 1.0]),
        (ActivationFunction::Tanh, [-1.0, 0.0, 1.0]),
        (ActivationFunction::Softplus, [(-8f64).exp().ln_1p(), 2f64.ln(), 16.0]),
        (ActivationFunction::Elu(2.0), [2.0 * (-8f64).exp_m1(), 0.0, 16.0]),
        (ActivationFunction::LeakyRelu(0.5), [-4.0, 0.0, 16.0]),
        (ActivationFunction::Hardswish, [0.0, 0.0, 16.0]),
        (ActivationFunction::Mish, [-8.0 * (-8f64).exp().ln_1p().tanh(), 0.0, 16.0]),
    ] {
        Activate::new(function).run(&x, &mut y)?;
        near(&y.read_here().await?, |at| wanted[at], &format!("{function:?}"))?;
    }
    Ok(())
}

async fn cross_entropy_of_even_rows(device: &Device) -> TestResult {
    for classes in [2, 64, 1000, 9000] {
        let (x, targets) = (device.buffer_from(&vec![3.0f32; 3 * classes])?, device.buffer_from(&[1i32, -1, 0])?);
        let mut loss = device.buffer::<f32>(1)?;
        CrossEntropy::new([3, classes], 1).ignore(-1).run(&x, &targets, &mut loss)?;
        near(&loss.read_here().await?, |_| (classes as f64).ln(), &format!("{classes} classes"))?;
        let mut dx = device.buffer::<f32>(3 * classes)?;
        let by_loss = device.buffer_from(&[2.0f32])?;
        CrossEntropy::new([3, classes], 1).ignore(-1).backward(&x, &targets, &by_loss, &mut dx)?;
        let share = 1.0 / classes as f64;
        let wanted = |at: usize| match (at / classes, at % classes) {
            (1, _) => 0.0,
            (0, 1) | (2, 0) => share - 1.0,
            _ => share,
        };
        near(&dx.read_here().await?, wanted, &format!("derivatives of {classes} classes"))?;
    }
    Ok(())
}
