//! Norms of rows.

use anywarp::ops::{Norm, OperationError, group_norm, instance_norm, layer_norm, rms_norm};
use anywarp::{Device, Error, ErrorClass};
use half::{bf16, f16};

use super::{Float, close, close_between_nines, numbers, same_again, wide};
use crate::Unnamed;
use crate::outcome::{TestResult, ensure, equal, refused, same, skip};

#[path = "../../../src/ops/norm/reference.rs"]
mod reference;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("norm::f32", lengths::<f32>),
        ("norm::f16", lengths::<f16>),
        ("norm::bf16", lengths::<bf16>),
        ("norm::groups", groups),
        ("norm::long", long),
        ("norm::many_rows", many_rows),
        ("norm::large_mean", large_mean),
        ("norm::not_finite", not_finite),
        ("norm::slices::f32", slices::<f32>),
        ("norm::slices::f16", slices::<f16>),
        ("norm::slices::bf16", slices::<bf16>),
        ("norm::same_bits", same_bits),
        ("norm::recorded", recorded),
        ("norm::streams", streams),
        ("norm::refusals", refusals),
        ("norm_backward::f32", derivatives::<f32>),
        ("norm_backward::f16", derivatives::<f16>),
        ("norm_backward::bf16", derivatives::<bf16>),
        ("norm_backward::groups", group_derivatives),
        ("norm_backward::weights_of_groups::f32", group_weights::<f32>),
        ("norm_backward::weights_of_groups::bf16", group_weights::<bf16>),
        ("norm_backward::recorded", derivatives_recorded),
        ("norm_backward::refusals", derivatives_refused),
    ]
}

/// The tolerance for sums of up to some ten thousand numbers, in parts.
const TOLERANCE: [f64; 2] = [2e-5, 1e-5];

fn check<T: Float>(device: &Device, rows: usize, length: usize) -> TestResult {
    let (x, scale, bias): (Vec<T>, Vec<T>, Vec<T>) =
        (numbers(rows * length, 1), numbers(length, 2), numbers(length, 3));
    let (input, scales, biases) = (device.buffer_from(&x)?, device.buffer_from(&scale)?, device.buffer_from(&bias)?);
    let (wide_x, scale, bias) = (wide(&x), wide(&scale), wide(&bias));
    let (mut means, mut inverses) = (device.buffer::<f32>(rows)?, device.buffer::<f32>(rows)?);
    for centred in [true, false] {
        let norm = || if centred { Norm::<T>::layer(length) } else { Norm::rms(length) }.epsilon(0.1);
        let epsilon = f64::from(0.1f32);
        let what = format!("{rows} rows of {length}, centred {centred}");
        let mut y = device.buffer::<T>(x.len())?;
        norm().scale(&scales).bias(&biases).statistics(&mut means, &mut inverses).run(&input, &mut y)?;
        let [all, mean, inverse] =
            reference::norm(&wide_x, length.max(1), centred, epsilon, |at| [scale[at % length], bias[at % length]]);
        close(&y.read()?, &all, TOLERANCE, &format!("{what}, weights"))?;
        close(&means.read()?, &mean, TOLERANCE, &format!("{what}, means"))?;
        close(&inverses.read()?, &inverse, TOLERANCE, &format!("{what}, inverses"))?;
        norm().run(&input, &mut y)?;
        let [all, ..] = reference::norm(&wide_x, length.max(1), centred, epsilon, |_| [1.0, 0.0]);
        close(&y.read()?, &all, TOLERANCE, &format!("{what}, no weights"))?;
    }
    Ok(())
}

fn lengths<T: Float>(device: &Device) -> TestResult {
    for length in [1, 2, 3, 4, 5, 16, 31, 32, 33, 127, 128, 129, 257, 1000, 1024, 1025, 2048, 2049, 4096, 4100] {
        check::<T>(device, 3, length)?;
    }
    check::<T>(device, 0, 5)?;
    check::<T>(device, 300, 10)
}

fn long(device: &Device) -> TestResult {
    check::<f32>(device, 2, 8192)?;
    check::<f32>(device, 2, 8196)?;
    check::<f32>(device, 1, 70_001)?;
    check::<f16>(device, 2, 40_000)?;
    check::<bf16>(device, 1, 33_333)
}

/// Norms of groups and of instances have weights for each channel.
fn groups(device: &Device) -> TestResult {
    for (shape, groups) in
        [([2, 6, 35], 2), ([3, 4, 1], 4), ([2, 8, 16], 1), ([1, 3, 3000], 3), ([0, 4, 9], 2), ([2, 4, 0], 2)]
    {
        let [_, channels, inner] = shape;
        let x: Vec<f32> = numbers(shape.iter().product(), 4);
        let (scale, bias): (Vec<f32>, Vec<f32>) = (numbers(channels, 5), numbers(channels, 6));
        let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
        let (scales, biases) = (device.buffer_from(&scale)?, device.buffer_from(&bias)?);
        group_norm(&input, &scales, &biases, &mut y, shape, groups, 0.25)?;
        let weights = |at: usize| [&scale, &bias].map(|weights| f64::from(weights[at / inner % channels]));
        let row = (channels / groups * inner).max(1);
        let [wanted, ..] = reference::norm(&wide(&x), row, true, 0.25, weights);
        close(&y.read()?, &wanted, TOLERANCE, &format!("{shape:?}, {groups} groups"))?;
        instance_norm(&input, &scales, &biases, &mut y, shape, 0.25)?;
        let [wanted, ..] = reference::norm(&wide(&x), inner.max(1), true, 0.25, weights);
        close(&y.read()?, &wanted, TOLERANCE, &format!("{shape:?}, instances"))?;
    }
    Ok(())
}

/// Results are right for more workgroups than one dimension of a grid has.
fn many_rows(device: &Device) -> TestResult {
    for (rows, length) in [(70_001, 2), (66_000, 40)] {
        let x: Vec<f32> =
            (0..rows * length).map(|at| (at / length % 9) as f32 + if at % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let mut y = device.buffer::<f32>(x.len())?;
        Norm::layer(length).epsilon(0.0).run(&device.buffer_from(&x)?, &mut y)?;
        let wrong = y.read()?.iter().zip([1.0, -1.0].iter().cycle()).position(|(y, wanted)| (y - wanted).abs() > 1e-5);
        ensure(wrong.is_none(), || format!("{rows} rows of {length}: element {wrong:?}"))?;
    }
    Ok(())
}

/// A norm is right if the mean is ten thousand times the differences of the elements, which are exact.
fn large_mean(device: &Device) -> TestResult {
    for length in [1000, 30_000] {
        let x: Vec<f32> = (0..length).map(|at| 10_000.0 + (at % 2) as f32).collect();
        let mut y = device.buffer::<f32>(length)?;
        Norm::layer(length).epsilon(0.0).run(&device.buffer_from(&x)?, &mut y)?;
        let wanted: Vec<f64> = (0..length).map(|at| (at % 2) as f64 * 2.0 - 1.0).collect();
        // Half a unit in the last place of the mean is 0.0005, and twice that after the division.
        close(&y.read()?, &wanted, [1e-3, 2e-3], &format!("{length} elements"))?;
    }
    Ok(())
}

fn not_finite(device: &Device) -> TestResult {
    let mut x = vec![0.5f32; 4 * 40];
    (x[3], x[45], x[119]) = (f32::NAN, f32::NEG_INFINITY, 1e30);
    let x = device.buffer_from(&x)?;
    for norm in [Norm::layer(40), Norm::rms(40)] {
        let mut y = device.buffer::<f32>(160)?;
        norm.run(&x, &mut y)?;
        let is_nan: Vec<u8> = y.read()?.iter().map(|y| y.is_nan().into()).collect();
        same(&is_nan, &[vec![1; 120], vec![0; 40]].concat(), "NaN")?;
    }
    Ok(())
}

fn slices<T: Float>(device: &Device) -> TestResult {
    let all: Vec<T> = numbers(9000, 7);
    let (x, weights) = (device.buffer_from(&all)?, device.buffer_from(&all)?);
    for (begin, to, at, rows, length) in [
        (1, 3, 5, 3, 5),
        (3, 4, 4, 7, 64),
        (64, 65, 7, 2, 3000),
        (4, 4, 8, 5, 100),
        (4, 4, 3, 5, 100),
        (2, 1, 0, 999, 2),
    ] {
        let count = rows * length;
        let mut y = device.buffer_from(&[T::of(9.0); 7000])?;
        let (source, weights) = (x.slice(begin..begin + count), weights.slice(at..at + length));
        Norm::rms(length).scale(weights).run(source, y.slice_mut(to..to + count))?;
        let wide_all = wide(&all);
        let weight = |k: usize| [wide_all[at + k % length], 0.0];
        let [wanted, ..] = reference::norm(&wide_all[begin..begin + count], length, false, 1e-5, weight);
        let what = format!("{rows} rows of {length}, from {begin} to {to}");
        close_between_nines(&y.read()?, to, &wanted, TOLERANCE, &what)?;
    }
    Ok(())
}

fn same_bits(device: &Device) -> TestResult {
    for (rows, length) in [(30, 1000), (1, 40_000)] {
        let x = device.buffer_from(&numbers::<f32>(rows * length, 4))?;
        same_again(device, x.len(), &format!("{rows} rows of {length}"), |y| Norm::layer(length).run(&x, y))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, mut y) = (device.buffer_from(&[1.0f32, 3.0, 4.0, 8.0])?, device.buffer::<f32>(4)?);
    let scale = device.buffer_from(&[1.0f32, 10.0])?;
    let mut recording = device.recording();
    Norm::layer(2).epsilon(0.0).scale(&scale).record(&mut recording).run(&x, &mut y)?;
    same(&y.read()?, &[0.0; 4], "before it was submitted")?;
    recording.submit()?;
    close(&y.read()?, &[-1.0, 10.0, -1.0, 10.0], TOLERANCE, "submitted")?;
    x.copy_from_slice(&[5.0, 1.0, 1.0, 2.0])?;
    recording.submit()?;
    close(&y.read()?, &[1.0, -10.0, -1.0, 10.0], TOLERANCE, "submitted again")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let x = device.buffer_from(&[2.0f32; 4000])?;
    let (mut y, mut z) = (device.buffer::<f32>(4000)?, device.buffer::<f32>(4000)?);
    for _ in 0..4 {
        Norm::rms(4).epsilon(0.0).on(&first).run(&x, &mut y)?;
        Norm::layer(4).on(&second).run(&x, &mut z)?;
    }
    close(&y.read()?, &[1.0; 4000], TOLERANCE, "on one stream")?;
    same(&z.read()?, &[0.0; 4000], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let (x, weights) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[1.0f32; 3])?);
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(Norm::layer(4).run(&x, &mut y), is_length, &["norm: 'x' has 6 elements", "[1, 4] needs 4"])?;
    refused(rms_norm(&x, &weights, y.slice_mut(1..), 0.0), is_length, &["norm: 'y' has 5 elements", "needs 6"])?;
    let short = weights.slice(1..);
    refused(Norm::layer(3).bias(short).run(&x, &mut y), is_length, &["norm: 'bias' has 2 elements", "needs 3"])?;
    refused(layer_norm(&x, &weights, short, &mut y, 0.0), is_length, &["norm: 'bias' has 2 elements"])?;
    let (mut means, mut inverses) = (device.buffer::<f32>(2)?, device.buffer::<f32>(3)?);
    let statistics = Norm::layer(3).statistics(&mut means, &mut inverses).run(&x, &mut y);
    refused(statistics, is_length, &["norm: 'inverses' has 3 elements", "needs 2"])?;
    refused(instance_norm(&x, &weights, &weights, &mut y, [2, 3, 2], 0.0), is_length, &["'x'", "[2, 3, 2] needs 12"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(Norm::layer(0).run(&x, &mut y), is_choice, &["norm: a row of 0", "at least one"])?;
    refused(Norm::group([1, 6, 1], 4).run(&x, &mut y), is_choice, &["a number of groups of 4", "divisor of the 6"])?;
    refused(Norm::group([1, 6, 1], 0).run(&x, &mut y), is_choice, &["a number of groups of 0"])?;
    for epsilon in [-1.0, f32::NAN, f32::INFINITY] {
        refused(Norm::layer(3).epsilon(epsilon).run(&x, &mut y), is_choice, &["norm: an epsilon of", "finite"])?;
    }
    let is_slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(Norm::layer(3).run(x.slice(4..10), &mut y), is_slice, &["norm: 'x'", "4..10"])?;
    refused(Norm::layer(3).scale(weights.slice(1..4)).run(&x, &mut y), is_slice, &["norm: 'scale'", "1..4"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Norm::<f32>::layer(2).cost(device, 1 << 40), is_large, &["norm: x", "1099511627776"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(Norm::layer(3).scale(&other.buffer::<f32>(3)?).run(&x, &mut y), is_foreign, &["norm", "'scale'"])?;
    let guard = weights.read()?;
    let is_in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    refused(rms_norm(&x, &weights, &mut y, 0.0), is_in_use, &["norm: 'scale' is in use"])?;
    drop(guard);
    let class = Error::from(Norm::layer(4).run(&x, &mut y).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    same(&y.read()?, &[7.0; 6], "nothing has run")
}

fn check_backward<T: Float>(device: &Device, rows: usize, length: usize) -> TestResult {
    let (x, dy, scale): (Vec<T>, Vec<T>, Vec<T>) =
        (numbers(rows * length, 1), numbers(rows * length, 2), numbers(length, 3));
    let (input, derivatives, scales) = (device.buffer_from(&x)?, device.buffer_from(&dy)?, device.buffer_from(&scale)?);
    let (x, dy, scale) = (wide(&x), wide(&dy), wide(&scale));
    let (mut means, mut inverses) = (device.buffer::<f32>(rows)?, device.buffer::<f32>(rows)?);
    let (mut y, mut dx) = (device.buffer::<T>(rows * length)?, device.buffer::<T>(rows * length)?);
    let (mut dscale, mut dbias) = (device.buffer::<f32>(length)?, device.buffer::<f32>(length)?);
    for centred in [true, false] {
        let norm = || if centred { Norm::<T>::layer(length) } else { Norm::rms(length) }.epsilon(0.5).scale(&scales);
        norm().statistics(&mut means, &mut inverses).run(&input, &mut y)?;
        norm().backward(&input, &derivatives, &means, &inverses, &mut dx)?;
        norm().backward_weights(&input, &derivatives, &means, &inverses, &mut dscale, &mut dbias)?;
        let wanted = reference::backward(&x, &dy, length, centred, 0.5, |at| scale[at % length]);
        let what = format!("{rows} rows of {length}, centred {centred}");
        close(&dx.read()?, &wanted[0], [1e-4, 1e-4], &format!("{what}, dx"))?;
        // The derivatives of weights are sums of as many products as there are rows.
        let tolerance = [1e-4, 1e-5 * (rows + 10) as f64];
        close(&dscale.read()?, &wanted[1], tolerance, &format!("{what}, dscale"))?;
        close(&dbias.read()?, &wanted[2], tolerance, &format!("{what}, dbias"))?;
    }
    Ok(())
}

fn derivatives<T: Float>(device: &Device) -> TestResult {
    for (rows, length) in [(0, 5), (1, 1), (300, 10), (3, 33), (2, 4096), (2, 9001), (2000, 64)] {
        check_backward::<T>(device, rows, length)?;
    }
    Ok(())
}

fn group_derivatives(device: &Device) -> TestResult {
    let (shape, groups) = ([2, 6, 35], 3);
    let length = 2 * 6 * 35;
    let (x, dy, scale) = (numbers::<f32>(length, 1), numbers::<f32>(length, 2), numbers::<f32>(6, 3));
    let (input, derivatives, scales) = (device.buffer_from(&x)?, device.buffer_from(&dy)?, device.buffer_from(&scale)?);
    let (mut means, mut inverses) = (device.buffer::<f32>(6)?, device.buffer::<f32>(6)?);
    let (mut y, mut dx) = (device.buffer::<f32>(length)?, device.buffer::<f32>(length)?);
    Norm::group(shape, groups).statistics(&mut means, &mut inverses).run(&input, &mut y)?;
    Norm::group(shape, groups).scale(&scales).backward(&input, &derivatives, &means, &inverses, &mut dx)?;
    let of_channel = |at: usize| f64::from(scale[at / 35 % 6]);
    let [wanted, ..] = reference::backward(&wide(&x), &wide(&dy), 2 * 35, true, f64::from(1e-5f32), of_channel);
    close(&dx.read()?, &wanted, [1e-4, 1e-4], "groups")
}

/// Weights of channels: sums over the examples and the elements of each channel.
fn group_weights<T: Float>(device: &Device) -> TestResult {
    for (shape @ [examples, channels, inner], groups) in
        [([2, 6, 35], 3), ([3, 4, 1], 4), ([40, 6, 5], 1), ([1, 130, 33], 65), ([0, 4, 3], 2)]
    {
        let count = examples * channels * inner;
        let (x, dy): (Vec<T>, Vec<T>) = (numbers(count, 1), numbers(count, 2));
        let (wide_x, wide_dy) = (wide(&x), wide(&dy));
        let (x, dy) = (device.buffer_from(&x)?, device.buffer_from(&dy)?);
        let rows = examples * groups;
        let (mut means, mut inverses) = (device.buffer::<f32>(rows)?, device.buffer::<f32>(rows)?);
        let nines = || device.buffer_from(&vec![9.0f32; channels + 5]);
        let (mut y, mut dscale, mut dbias) = (device.buffer::<T>(count)?, nines()?, nines()?);
        let norm = || Norm::<T>::group(shape, groups).epsilon(0.5);
        norm().statistics(&mut means, &mut inverses).run(&x, &mut y)?;
        norm().backward_weights(
            &x,
            &dy,
            &means,
            &inverses,
            dscale.slice_mut(1..=channels),
            dbias.slice_mut(..channels),
        )?;
        let [n, ..] = reference::norm(&wide_x, channels / groups * inner, true, 0.5, |_| [1.0, 0.0]);
        let (mut by_scale, mut by_bias) = (vec![0.0; channels], vec![0.0; channels]);
        for (at, dy) in wide_dy.iter().enumerate() {
            by_scale[at / inner % channels] += dy * n[at];
            by_bias[at / inner % channels] += dy;
        }
        let tolerance = [1e-4, 1e-5 * (examples * inner + 10) as f64];
        close_between_nines(&dscale.read()?, 1, &by_scale, tolerance, &format!("{shape:?}, dscale"))?;
        close_between_nines(&dbias.read()?, 0, &by_bias, tolerance, &format!("{shape:?}, dbias"))?;
    }
    Ok(())
}

fn derivatives_recorded(device: &Device) -> TestResult {
    let (x, mut dy) = (device.buffer_from(&[3.0f32, 4.0])?, device.buffer_from(&[1.0f32, 0.0])?);
    let (means, inverses) = (device.buffer::<f32>(1)?, device.buffer_from(&[0.2f32])?);
    let mut dx = device.buffer::<f32>(2)?;
    let mut recording = device.recording();
    Norm::rms(2).record(&mut recording).backward(&x, &dy, &means, &inverses, &mut dx)?;
    same(&dx.read()?, &[0.0; 2], "before it was submitted")?;
    for derivatives in [[1.0f32, 0.0], [0.0, 2.0]] {
        dy.copy_from_slice(&derivatives)?;
        recording.submit()?;
        // The normalised elements n are (0.6, 0.8).
        let mean = f64::from(0.6 * derivatives[0] + 0.8 * derivatives[1]) / 2.0;
        let wanted = [0.6, 0.8].iter().zip(derivatives).map(|(n, dy)| 0.2 * (f64::from(dy) - n * mean));
        close(&dx.read()?, &wanted.collect::<Vec<f64>>(), [1e-5, 1e-6], "submitted")?;
    }
    Ok(())
}

fn derivatives_refused(device: &Device) -> TestResult {
    let (x, two) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[1.0f32; 2])?);
    let mut dx = device.buffer_from(&[7.0f32; 6])?;
    let (mut means, mut inverses) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let norm = || Norm::<f32>::layer(3);
    refused(norm().backward(&x, x.slice(1..), &two, &two, &mut dx), is_length, &["norm: 'dy' has 5 elements"])?;
    refused(norm().backward(&x, &x, &x, &two, &mut dx), is_length, &["norm: 'means' has 6 elements", "needs 2"])?;
    refused(norm().scale(&two).backward(&x, &x, &two, &two, &mut dx), is_length, &["norm: 'scale' has 2 elements"])?;
    let weights = norm().backward_weights(&x, &x, &two, &two, dx.slice_mut(..3), means.slice_mut(..));
    refused(weights, is_length, &["norm: 'dbias' has 2 elements", "needs 3"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let groups = Norm::<f32>::group([2, 3, 1], 1);
    let weights = groups.backward_weights(&x, &x, &two, &two, dx.slice_mut(..3), means.slice_mut(..));
    refused(weights, is_length, &["norm: 'dbias' has 2 elements", "3"])?;
    let statistics = norm().statistics(&mut means, &mut inverses).backward(&x, &x, &two, &two, &mut dx);
    refused(statistics, is_choice, &["norm: statistics as outputs"])?;
    same(&dx.read()?, &[7.0; 6], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for (rows, length) in [(3, 5), (3, 100), (2, 9000)] {
        check::<f32>(&device, rows, length)?;
        check::<bf16>(&device, rows, length)?;
        check_backward::<f32>(&device, rows, length)?;
        groups(&device)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{rows} rows of {length}:\n{findings}"))?;
    }
    Ok(())
}
