//! Channels, normalised by the statistics of all examples.

use anywarp::Device;
use anywarp::ops::{BatchNorm, OperationError, batch_norm};
use half::{bf16, f16};

use super::{Float, close, close_between_nines, numbers, same_again, wide};
use crate::Unnamed;
use crate::outcome::{TestResult, ensure, refused, same, skip};

#[path = "../../../src/ops/batch_norm/reference.rs"]
mod reference;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("batch_norm::f32", shapes::<f32>),
        ("batch_norm::f16", shapes::<f16>),
        ("batch_norm::bf16", shapes::<bf16>),
        ("batch_norm::running", running),
        ("batch_norm::large_mean", large_mean),
        ("batch_norm::not_finite", not_finite),
        ("batch_norm::slices::f32", slices::<f32>),
        ("batch_norm::slices::f16", slices::<f16>),
        ("batch_norm::same_bits", same_bits),
        ("batch_norm::finite_differences", finite_differences),
        ("batch_norm::recorded", recorded),
        ("batch_norm::refusals", refusals),
    ]
}

/// Both forms of sums: below and from 32 elements of a channel on; channels and parts around a workgroup.
const SHAPES: [[usize; 3]; 12] = [
    [1, 1, 1],
    [2, 3, 1],
    [7, 65, 1],
    [300, 5, 1],
    [3, 4, 31],
    [3, 4, 32],
    [1, 2, 5000],
    [40, 3, 65],
    [5, 130, 33],
    [0, 3, 2],
    [2, 0, 3],
    [2, 3, 0],
];

/// Sums of up to some thousand numbers, in parts; differences of numbers of about the same size.
const TOLERANCE: [f64; 2] = [2e-5, 1e-4];

fn check<T: Float>(device: &Device, shape: [usize; 3]) -> TestResult {
    let [examples, channels, inner] = shape;
    let count = shape.iter().product::<usize>();
    let (x, dy): (Vec<T>, Vec<T>) = (numbers(count, 1), numbers(count, 2));
    let (scale, bias): (Vec<T>, Vec<T>) = (numbers(channels, 3), numbers(channels, 4));
    let given: Vec<f32> = numbers::<f32>(channels, 5).into_iter().map(f32::abs).collect();
    let (wide_x, wide_dy, wide_scale, wide_bias) = (wide(&x), wide(&dy), wide(&scale), wide(&bias));
    let weights = |channel: usize| [wide_scale[channel], wide_bias[channel]];
    let (x, dy) = (device.buffer_from(&x)?, device.buffer_from(&dy)?);
    let (scale, bias) = (device.buffer_from(&scale)?, device.buffer_from(&bias)?);
    let (variances, mut y) = (device.buffer_from(&given)?, device.buffer::<T>(count)?);
    let norm = || BatchNorm::new(shape).epsilon(0.5).scale(&scale).bias(&bias);
    let what = |part: &str| format!("{shape:?}, {part}");

    norm().run(&x, &variances, &variances, &mut y)?;
    let statistics: Vec<[f64; 2]> = wide(&given).into_iter().map(|number| [number; 2]).collect();
    close(&y.read()?, &reference::batch_norm(&wide_x, shape, &statistics, 0.5, weights), TOLERANCE, &what("given"))?;
    batch_norm(&x, &variances, &variances, &mut y, shape, 0.5)?;
    let plain = reference::batch_norm(&wide_x, shape, &statistics, 0.5, |_| [1.0, 0.0]);
    close(&y.read()?, &plain, TOLERANCE, &what("given, without weights"))?;

    if examples * inner == 0 {
        return Ok(());
    }
    let (mut means, mut inverses) = (device.buffer::<f32>(channels)?, device.buffer::<f32>(channels)?);
    norm().train(&x, &mut y, &mut means, &mut inverses)?;
    let statistics = reference::statistics(&wide_x, shape);
    close(&y.read()?, &reference::batch_norm(&wide_x, shape, &statistics, 0.5, weights), TOLERANCE, &what("trained"))?;
    let wanted: Vec<f64> = statistics.iter().map(|[mean, _]| *mean).collect();
    close(&means.read()?, &wanted, TOLERANCE, &what("means"))?;
    let wanted: Vec<f64> = statistics.iter().map(|[_, variance]| 1.0 / (variance + 0.5).sqrt()).collect();
    close(&inverses.read()?, &wanted, TOLERANCE, &what("inverses"))?;

    let (mut dscale, mut dbias) = (device.buffer::<f32>(channels)?, device.buffer::<f32>(channels)?);
    norm().backward(&x, &dy, &means, &inverses, &mut y, [&mut dscale, &mut dbias])?;
    let [dx, by_scale, by_bias] = reference::backward(&wide_x, &wide_dy, shape, 0.5, |channel| weights(channel)[0]);
    // Sums of as many products as a channel has elements.
    let tolerance = [1e-4, 1e-5 * (examples * inner + 10) as f64];
    close(&dscale.read()?, &by_scale, tolerance, &what("dscale"))?;
    close(&dbias.read()?, &by_bias, tolerance, &what("dbias"))?;
    close(&y.read()?, &dx, [1e-4, 5e-4], &what("dx"))
}

fn shapes<T: Float>(device: &Device) -> TestResult {
    SHAPES.iter().try_for_each(|shape| check::<T>(device, *shape))
}

/// Running statistics have the variance of a sample; a single element has the variance 0.
fn running(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32, 10.0, 3.0, 20.0])?;
    let (mut means, mut inverses) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
    let (mut running_means, mut running_variances) =
        (device.buffer_from(&[4.0f32; 2])?, device.buffer_from(&[2.0f32; 2])?);
    let mut y = device.buffer::<f32>(4)?;
    for momentum in [0.0, 0.25] {
        let norm = BatchNorm::new([2, 2, 1]).running(&mut running_means, &mut running_variances, momentum);
        norm.train(&x, &mut y, &mut means, &mut inverses)?;
    }
    close(&running_means.read()?, &[3.5, 6.75], [1e-6; 2], "running means")?;
    close(&running_variances.read()?, &[2.0, 14.0], [1e-6; 2], "running variances")?;
    let norm = BatchNorm::new([1, 2, 1]).running(&mut running_means, &mut running_variances, 1.0);
    norm.train(x.slice(..2), y.slice_mut(..2), &mut means, &mut inverses)?;
    close(&running_variances.read()?, &[0.0, 0.0], [0.0; 2], "the variance of one element")
}

/// A mean of 10^6 times the distances from it costs no digits, and a mean whose square overflows no result.
fn large_mean(device: &Device) -> TestResult {
    let (mut means, mut inverses) = (device.buffer::<f32>(1)?, device.buffer::<f32>(1)?);
    let mut y = device.buffer_from(&[9.0f32; 2])?;
    let x = device.buffer_from(&[3e19f32; 2])?;
    BatchNorm::new([2, 1, 1]).epsilon(0.25).train(&x, &mut y, &mut means, &mut inverses)?;
    close(&y.read()?, &[0.0; 2], [1e-6; 2], "elements equal to a large mean")?;
    close(&inverses.read()?, &[2.0], [1e-6; 2], "the inverse of such elements")?;
    for shape @ [examples, channels, inner] in [[400, 3, 1], [4, 3, 100]] {
        let x: Vec<f32> = (0..examples * channels * inner).map(|at| 1e6 + (at % 8) as f32).collect();
        let (mut means, mut inverses) = (device.buffer::<f32>(channels)?, device.buffer::<f32>(channels)?);
        let mut y = device.buffer::<f32>(x.len())?;
        BatchNorm::new(shape).epsilon(0.0).train(&device.buffer_from(&x)?, &mut y, &mut means, &mut inverses)?;
        let statistics = reference::statistics(&wide(&x), shape);
        let wanted: Vec<f64> = statistics.iter().map(|[_, variance]| 1.0 / variance.sqrt()).collect();
        // The mean itself has a rounding error of 2^-5, 1e-2 of the standard deviation.
        close(&inverses.read()?, &wanted, [1e-3, 0.0], &format!("{shape:?}"))?;
    }
    Ok(())
}

/// NaN and infinities stay in their channel.
fn not_finite(device: &Device) -> TestResult {
    for shape @ [examples, _, inner] in [[50, 3, 1], [2, 3, 40]] {
        for bad in [f32::NAN, f32::INFINITY] {
            let mut x: Vec<f32> = numbers(examples * 3 * inner, 1);
            let last = x.len() - inner - 1;
            x[last] = bad;
            let (mut means, mut inverses) = (device.buffer::<f32>(3)?, device.buffer::<f32>(3)?);
            let mut y = device.buffer::<f32>(x.len())?;
            BatchNorm::new(shape).train(&device.buffer_from(&x)?, &mut y, &mut means, &mut inverses)?;
            for (at, y) in y.read()?.iter().enumerate() {
                ensure(y.is_nan() == (at / inner % 3 == 1), || format!("{shape:?} with {bad}, element {at}: {y}"))?;
            }
        }
    }
    Ok(())
}

/// Arrays at odd elements; elements around them are unchanged.
fn slices<T: Float>(device: &Device) -> TestResult {
    let shape = [3, 5, 7];
    for begin in [1, 2, 3] {
        let (x, scale): (Vec<T>, Vec<T>) = (numbers(105 + begin, 1), numbers(5 + begin, 2));
        let (wide_x, wide_scale) = (wide(&x[begin..]), wide(&scale[begin..]));
        let (x, scale) = (device.buffer_from(&x)?, device.buffer_from(&scale)?);
        let mut y = device.buffer_from(&[T::of(9.0); 110])?;
        let (mut means, mut inverses) = (device.buffer_from(&[9.0f32; 9])?, device.buffer_from(&[9.0f32; 9])?);
        let (end, channels) = (begin + 105, begin..begin + 5);
        BatchNorm::new(shape).epsilon(0.5).scale(scale.slice(begin..)).train(
            x.slice(begin..),
            y.slice_mut(begin..end),
            means.slice_mut(channels.clone()),
            inverses.slice_mut(channels),
        )?;
        let statistics = reference::statistics(&wide_x, shape);
        let wanted = reference::batch_norm(&wide_x, shape, &statistics, 0.5, |channel| [wide_scale[channel], 0.0]);
        close_between_nines(&y.read()?, begin, &wanted, TOLERANCE, &format!("from element {begin}"))?;
        let wanted: Vec<f64> = statistics.iter().map(|[mean, _]| *mean).collect();
        close_between_nines(&means.read()?, begin, &wanted, TOLERANCE, &format!("means from element {begin}"))?;
    }
    Ok(())
}

fn same_bits(device: &Device) -> TestResult {
    let x = device.buffer_from(&numbers::<f32>(9 * 4 * 1000, 1))?;
    for shape in [[9, 4, 1000], [9000, 4, 1]] {
        let (mut means, mut inverses) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
        let inputs = [&mut means, &mut inverses].map(std::cell::RefCell::new);
        same_again(device, 36_000, "results", |y| {
            let [mut means, mut inverses] = inputs.each_ref().map(std::cell::RefCell::borrow_mut);
            BatchNorm::new(shape).train(&x, y, &mut **means, &mut **inverses)
        })?;
    }
    Ok(())
}

/// The derivatives of the reference are those of its results, by differences in `f64`.
fn finite_differences(_: &Device) -> TestResult {
    let shape = [3, 2, 4];
    let (mut x, dy) = (wide(&numbers::<f32>(24, 1)), wide(&numbers::<f32>(24, 2)));
    let scale = |channel: usize| 1.5 - channel as f64;
    let [dx, ..] = reference::backward(&x, &dy, shape, 0.5, scale);
    let loss = |x: &[f64]| {
        let y = reference::batch_norm(x, shape, &reference::statistics(x, shape), 0.5, |channel| [scale(channel), 0.0]);
        y.iter().zip(&dy).map(|(y, dy)| y * dy).sum::<f64>()
    };
    for at in 0..24 {
        let step = 1e-5;
        let [above, below] = [step, -2.0 * step].map(|step| {
            x[at] += step;
            loss(&x)
        });
        x[at] += step;
        close(&[(above - below) as f32 / (2.0 * step) as f32], &[dx[at]], [1e-4, 1e-4], &format!("element {at}"))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, stream) = (device.buffer_from(&[1.0f32, 3.0])?, device.stream());
    let (mut means, mut inverses) = (device.buffer::<f32>(1)?, device.buffer::<f32>(1)?);
    let (mut y, mut recording) = (device.buffer::<f32>(2)?, device.recording());
    let norm = || BatchNorm::new([2, 1, 1]).epsilon(0.0);
    norm().record(&mut recording).train(&x, &mut y, &mut means, &mut inverses)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&means.read()?, &[2.0], "submitted")?;
    x.copy_from_slice(&[10.0, 2.0])?;
    recording.submit()?;
    same(&y.read()?, &[1.0, -1.0], "submitted again")?;
    norm().on(&stream).run(&x, &means, &means, &mut y)?;
    close(&y.read()?, &[4.0 / 6f64.sqrt(), -4.0 / 6f64.sqrt()], [1e-6; 2], "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let (x, two) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[1.0f32; 2])?);
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let (mut means, mut inverses) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
    let (mut more, mut most) = (device.buffer::<f32>(2)?, device.buffer::<f32>(3)?);
    let norm = || BatchNorm::<f32>::new([3, 2, 1]);
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(norm().run(x.slice(1..), &two, &two, &mut y), is_length, &["batch norm: 'x' has 5 elements", "[3, 2, 1]"])?;
    refused(norm().run(&x, &x, &two, &mut y), is_length, &["batch norm: 'means' has 6 elements", "2"])?;
    refused(norm().scale(&x).run(&x, &two, &two, &mut y), is_length, &["batch norm: 'scale' has 6 elements"])?;
    let running = norm().running(&mut more, &mut most, 0.1).train(&x, &mut y, &mut means, &mut inverses);
    refused(running, is_length, &["batch norm: 'running variances' has 3 elements"])?;
    let weights = norm().backward(&x, &x, &two, &two, &mut y, [&mut means, &mut most]);
    refused(weights, is_length, &["batch norm: 'dbias' has 3 elements"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(norm().epsilon(-1.0).run(&x, &two, &two, &mut y), is_choice, &["batch norm: an epsilon of -1"])?;
    let running = norm().running(&mut more, &mut inverses, 1.5).train(&x, &mut y, &mut means, &mut most);
    refused(running, is_choice, &["batch norm: a momentum of 1.5", "from 0 to 1"])?;
    let running = norm().running(&mut more, &mut inverses, 0.5).run(&x, &two, &two, &mut y);
    refused(running, is_choice, &["batch norm: running statistics without `train`"])?;
    let nothing = device.buffer::<f32>(0)?;
    let empty = BatchNorm::new([0, 2, 1]).train(&nothing, y.slice_mut(..0), &mut means, &mut inverses);
    refused(empty, is_choice, &["batch norm: the elements of a channel", "[0, 2, 1]"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let large = BatchNorm::new([1 << 20, 1 << 20, 2]).run(&x, &two, &two, &mut y);
    refused(large, is_large, &["batch norm: x has the shape"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let foreign = norm().run(&x, &other.buffer::<f32>(2)?, &two, &mut y);
    refused(foreign, is_foreign, &["batch norm", "'means'"])?;
    same(&y.read()?, &[7.0; 6], "nothing has run")
}

/// No race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for shape in [[7, 65, 1], [3, 4, 40]] {
        check::<f32>(&device, shape)?;
        check::<bf16>(&device, shape)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{shape:?}:\n{findings}"))?;
    }
    Ok(())
}
