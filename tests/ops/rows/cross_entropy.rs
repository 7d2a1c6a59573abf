//! Cross-entropy, and its derivatives.

use anywarp::Device;
use anywarp::ops::{CrossEntropy, IndexElement, OperationError, cross_entropy};
use half::{bf16, f16};

use super::{Float, close, numbers, same_again, wide};
use crate::Unnamed;
use crate::outcome::{TestResult, ensure, refused, same, skip};

#[path = "../../../src/ops/cross_entropy/reference.rs"]
mod reference;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("cross_entropy::f32", |device| shapes::<f32, i32>(device, |target| target as i32)),
        ("cross_entropy::f16", |device| shapes::<f16, i64>(device, |target| target)),
        ("cross_entropy::bf16", |device| shapes::<bf16, i32>(device, |target| target as i32)),
        ("cross_entropy::unsigned", unsigned),
        ("cross_entropy::without_rows", without_rows),
        ("cross_entropy::not_numbers", not_numbers),
        ("cross_entropy::same_bits", same_bits),
        ("cross_entropy::recorded", recorded),
        ("cross_entropy::refusals", refusals),
    ]
}

const TOLERANCE: [f64; 2] = [2e-5, 2e-5];

/// Compares each loss, the sum and the mean, and their derivatives with the reference.
fn check<T: Float, I: IndexElement>(
    device: &Device,
    shape: &[usize],
    axis: usize,
    [normalised, weighted]: [bool; 2],
    narrow: fn(i64) -> I,
) -> TestResult {
    let lines = [shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()];
    let [outer, classes, inner]: [usize; 3] = lines;
    let rows = outer * inner;
    let x: Vec<T> = numbers(rows * classes, 1);
    let targets: Vec<i64> = (0..rows).map(|row| if row % 5 == 3 { -1 } else { (row * 7 % classes) as i64 }).collect();
    let weights: Vec<f32> = (0..classes).map(|class| 0.25 + (class % 3) as f32).collect();
    let input = device.buffer_from(&x)?;
    let targets_of = device.buffer_from(&targets.iter().map(|target| narrow(*target)).collect::<Vec<I>>())?;
    let weights_of = device.buffer_from(&weights)?;
    let weight = |class: usize| if weighted { f64::from(weights[class]) } else { 1.0 };
    let [losses, factors] = reference::cross_entropy(&wide(&x), lines, normalised, &targets, Some(-1), weight);
    let entropy = |kind: &str| {
        let mut entropy = CrossEntropy::new(shape, axis).ignore(-1);
        if weighted {
            entropy = entropy.weights(&weights_of);
        }
        if normalised {
            entropy = entropy.logarithms();
        }
        match kind {
            "each" => entropy.each(),
            "sum" => entropy.sum(),
            _ => entropy,
        }
    };
    let (sum, all): (f64, f64) = (losses.iter().sum(), factors.iter().sum());
    for (kind, losses, share) in
        [("each", losses.clone(), 1.0), ("sum", vec![sum], 1.0), ("mean", vec![sum / all], 1.0 / all)]
    {
        let what = format!("{shape:?}, axis {axis}, normalised {normalised}, weighted {weighted}, {kind}");
        let mut loss = device.buffer::<f32>(losses.len() + 1)?;
        entropy(kind).run(&input, &targets_of, loss.slice_mut(1..))?;
        close(&loss.read()?[1..], &losses, TOLERANCE, &what)?;
        let by_loss: Vec<f32> = (0..losses.len()).map(|row| 1.0 + (row % 4) as f32).collect();
        let mut dx = device.buffer::<T>(x.len() + 1)?;
        entropy(kind).backward(&input, &targets_of, &device.buffer_from(&by_loss)?, dx.slice_mut(1..))?;
        let of_row = |row: usize| share * f64::from(by_loss[if kind == "each" { row } else { 0 }]);
        let wanted = reference::backward(&wide(&x), lines, normalised, &targets, &factors, of_row);
        close(&dx.read()?[1..], &wanted, [1e-4, 1e-7], &format!("{what}, derivatives"))?;
    }
    Ok(())
}

fn shapes<T: Float, I: IndexElement>(device: &Device, narrow: fn(i64) -> I) -> TestResult {
    for (shape, axis) in [
        (vec![7, 3], 1),
        (vec![2, 5, 9], 1),
        (vec![40, 3], 0),
        (vec![3, 64], 1),
        (vec![6, 4096], 1),
        (vec![2, 9001], 1),
        (vec![500, 10], 1),
    ] {
        for options in [[false, false], [false, true], [true, true]] {
            check::<T, I>(device, &shape, axis, options, narrow)?;
        }
    }
    Ok(())
}

fn unsigned(device: &Device) -> TestResult {
    let x = device.buffer_from(&[0.0f32; 6])?;
    let mut loss = device.buffer::<f32>(3)?;
    let ln = 2f64.ln();
    let targets = device.buffer_from(&[1u32, 7, u32::MAX])?;
    CrossEntropy::new([3, 2], 1).ignore(7).each().run(&x, &targets, &mut loss)?;
    close(&loss.read()?, &[ln, 0.0, f64::NAN], TOLERANCE, "u32")?;
    // The low words of these targets are valid classes, but the targets are not.
    let targets = device.buffer_from(&[1u64, 1 << 32, (1 << 33) + 1])?;
    CrossEntropy::new([3, 2], 1).ignore(1 << 32).each().run(&x, &targets, &mut loss)?;
    close(&loss.read()?, &[ln, 0.0, f64::NAN], TOLERANCE, "u64")
}

/// Without rows, or if all rows are ignored, the sum is 0 and the mean is NaN.
fn without_rows(device: &Device) -> TestResult {
    let (x, targets) = (device.buffer::<f32>(4)?, device.buffer_from(&[-1i32; 2])?);
    let mut loss = device.buffer_from(&[7.0f32; 2])?;
    CrossEntropy::new([0, 5], 1).run(x.slice(..0), targets.slice(..0), loss.slice_mut(..1))?;
    CrossEntropy::new([0, 5], 1).sum().run(x.slice(..0), targets.slice(..0), loss.slice_mut(1..))?;
    close(&loss.read()?, &[f64::NAN, 0.0], TOLERANCE, "no rows")?;
    CrossEntropy::new([2, 2], 1).ignore(-1).run(&x, &targets, loss.slice_mut(..1))?;
    CrossEntropy::new([2, 2], 1).ignore(-1).sum().run(&x, &targets, loss.slice_mut(1..))?;
    close(&loss.read()?, &[f64::NAN, 0.0], TOLERANCE, "no rows that count")
}

/// Losses are right for rows with NaN, for classes that do not exist, and for elements of negative infinity.
fn not_numbers(device: &Device) -> TestResult {
    let inf = f32::INFINITY;
    let x = device.buffer_from(&[0.0f32, f32::NAN, 0.0, 0.0, 0.0, -inf, 0.0, -inf, -inf, -inf, f32::NAN, inf])?;
    let targets = device.buffer_from(&[0i32, 2, 0, 1, 0, -5])?;
    let (mut loss, mut dx) = (device.buffer::<f32>(6)?, device.buffer::<f32>(12)?);
    CrossEntropy::new([6, 2], 1).ignore(-5).each().run(&x, &targets, &mut loss)?;
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    close(&loss.read()?, &[nan, nan, 0.0, infinite, nan, 0.0], TOLERANCE, "losses")?;
    let by_loss = device.buffer_from(&[1.0f32; 6])?;
    CrossEntropy::new([6, 2], 1).ignore(-5).each().backward(&x, &targets, &by_loss, &mut dx)?;
    let wanted = [nan, nan, nan, nan, 0.0, 0.0, 1.0, -1.0, nan, nan, 0.0, 0.0];
    close(&dx.read()?, &wanted, TOLERANCE, "derivatives")
}

fn same_bits(device: &Device) -> TestResult {
    let (rows, classes) = (3000, 10);
    let x = device.buffer_from(&numbers::<f32>(rows * classes, 4))?;
    let targets = device.buffer_from(&(0..rows as u32).map(|row| row % 10).collect::<Vec<u32>>())?;
    same_again(device, 1, "the same call", |loss| cross_entropy(&x, &targets, loss, [rows, classes], 1))
}

fn recorded(device: &Device) -> TestResult {
    let (x, mut targets) = (device.buffer_from(&[0.0f32, 0.0, 100.0, 0.0])?, device.buffer_from(&[0i32, 0])?);
    let (by_loss, stream) = (device.buffer_from(&[1.0f32])?, device.stream());
    let (mut loss, mut dx) = (device.buffer::<f32>(1)?, device.buffer::<f32>(4)?);
    let mut recording = device.recording();
    CrossEntropy::new([2, 2], 1).record(&mut recording).run(&x, &targets, &mut loss)?;
    CrossEntropy::new([2, 2], 1).record(&mut recording).backward(&x, &targets, &by_loss, &mut dx)?;
    same(&loss.read()?, &[0.0], "before it was submitted")?;
    recording.submit()?;
    close(&loss.read()?, &[2f64.ln() / 2.0], TOLERANCE, "submitted")?;
    close(&dx.read()?, &[-0.25, 0.25, 0.0, 0.0], TOLERANCE, "submitted")?;
    targets.copy_from_slice(&[1, 1])?;
    recording.submit()?;
    close(&loss.read()?, &[(2f64.ln() + 100.0) / 2.0], TOLERANCE, "submitted again")?;
    close(&dx.read()?, &[0.25, -0.25, 0.5, -0.5], TOLERANCE, "submitted again")?;
    CrossEntropy::new([2, 2], 1).sum().on(&stream).run(&x, &targets, &mut loss)?;
    close(&loss.read()?, &[2f64.ln() + 100.0], TOLERANCE, "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let (x, targets) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[0u32; 2])?);
    let mut loss = device.buffer_from(&[7.0f32; 2])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let entropy = || CrossEntropy::new([2, 3], 1);
    let mean = entropy().run(&x, &targets, &mut loss);
    refused(mean, is_length, &["cross-entropy: 'loss' has 2 elements", "needs 1"])?;
    let short = entropy().each().run(&x, targets.slice(1..), &mut loss);
    refused(short, is_length, &["cross-entropy: 'targets' has 1 elements", "needs 2"])?;
    let weights = entropy().each().weights(x.slice(..2)).run(&x, &targets, &mut loss);
    refused(weights, is_length, &["cross-entropy: 'weights' has 2 elements", "needs 3"])?;
    let mut dx = device.buffer_from(&[7.0f32; 6])?;
    let derivatives = entropy().backward(&x, &targets, x.slice(..2), &mut dx);
    refused(derivatives, is_length, &["cross-entropy: 'dloss' has 2 elements", "needs 1"])?;
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(cross_entropy(&x, &targets, &mut loss, [2, 3], 2), is_axis, &["cross-entropy: axis 2"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let none = cross_entropy(x.slice(..0), &targets, loss.slice_mut(..1), [2, 0], 1);
    refused(none, is_choice, &["cross-entropy: a number of classes of 0"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let foreign = entropy().each().run(&x, &other.buffer::<u32>(2)?, &mut loss);
    refused(foreign, is_foreign, &["cross-entropy", "'targets'"])?;
    same(&loss.read()?, &[7.0; 2], "nothing has run")?;
    same(&dx.read()?, &[7.0; 6], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for (shape, axis) in [(vec![7, 3], 1), (vec![2, 5, 9], 1), (vec![3, 100], 1), (vec![2, 9001], 1)] {
        check::<f32, i64>(&device, &shape, axis, [false, true], |target| target)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{shape:?}:\n{findings}"))?;
    }
    Ok(())
}
