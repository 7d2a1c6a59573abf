//! Activation functions and their derivatives, against references in `f64` and their differences.

use anywarp::Device;
use anywarp::ops::{ACTIVATION_FUNCTIONS, Activate, ActivationFunction, ElementwiseKernel, OperationError};
use anywarp::ops::{activate, activate_backward};
use half::{bf16, f16};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::rows::{Float, close, close_between_nines, wide};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/activation/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 9] = [
        ("activation::f32", values::<f32>),
        ("activation::f16", values::<f16>),
        ("activation::bf16", values::<bf16>),
        ("activation::small_results", small_results),
        ("activation::not_finite", not_finite),
        ("activation::slices", slices),
        ("activation::fused", fused),
        ("activation::recorded", recorded),
        ("activation::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::activation".to_owned(), Box::new(clean))
}

const FUNCTIONS: [ActivationFunction; 11] = [
    ActivationFunction::Relu,
    ActivationFunction::Gelu,
    ActivationFunction::GeluTanh,
    ActivationFunction::Silu,
    ActivationFunction::Sigmoid,
    ActivationFunction::Tanh,
    ActivationFunction::Softplus,
    ActivationFunction::Elu(1.25),
    ActivationFunction::LeakyRelu(0.125),
    ActivationFunction::Hardswish,
    ActivationFunction::Mish,
];

/// The reference of a function, with its parameter.
fn exact(function: ActivationFunction) -> impl Fn(f64) -> f64 {
    let name = format!("{function:?}");
    let (name, parameter) = name.split_once('(').unwrap_or((&name, "0)"));
    let parameter: f64 = parameter.trim_end_matches(')').parse().unwrap();
    let (_, value) = reference::FUNCTIONS.into_iter().find(|(known, _)| *known == name).unwrap();
    move |x| value(x, parameter)
}

/// The derivative of the reference, by a difference; from below at 0 and at the bends of hardswish.
fn derivative(f: &impl Fn(f64) -> f64, x: f64) -> f64 {
    let step = 1e-5;
    if [0.0, -3.0, 3.0].contains(&x) {
        return (f(x - 2.0 * step) - 4.0 * f(x - step) + 3.0 * f(x)) / (2.0 * step);
    }
    (f(x + step) - f(x - step)) / (2.0 * step)
}

/// A few roundings; exponentials of numbers up to 20 have a relative error of some 1e-6.
const TOLERANCE: [f64; 2] = [5e-6, 2e-6];

fn values<T: Float>(device: &Device) -> TestResult {
    for count in [0, 1, 2, 255, 513] {
        let x: Vec<T> = (0..count).map(|at| T::of((at as f64 - count as f64 / 2.0) / 16.0)).collect();
        let dy: Vec<T> = (0..count).map(|at| T::of((at % 7) as f64 - 2.5)).collect();
        let (wide_x, wide_dy) = (wide(&x), wide(&dy));
        let (x, dy) = (device.buffer_from(&x)?, device.buffer_from(&dy)?);
        let mut y = device.buffer::<T>(count)?;
        for function in FUNCTIONS {
            let f = exact(function);
            activate(function, &x, &mut y)?;
            let wanted: Vec<f64> = wide_x.iter().map(|x| f(*x)).collect();
            close(&y.read()?, &wanted, TOLERANCE, &format!("{function:?} of {count}"))?;
            activate_backward(function, &x, &dy, &mut y)?;
            let wanted: Vec<f64> = wide_x.iter().zip(&wide_dy).map(|(x, dy)| derivative(&f, *x) * dy).collect();
            // Differences of the reference have errors of 1e-10 divided by the step.
            close(&y.read()?, &wanted, [2e-5, 5e-5], &format!("the derivative of {function:?} of {count}"))?;
        }
    }
    Ok(())
}

/// Results near 0 keep their relative precision: `1 - e` and `log(1 + e)` would lose it.
fn small_results(device: &Device) -> TestResult {
    let x: Vec<f32> = (0..24).flat_map(|at| [0.7f32.powi(at), -(0.7f32.powi(at))]).collect();
    let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
    for function in [ActivationFunction::Tanh, ActivationFunction::Elu(1.0), ActivationFunction::Mish] {
        activate(function, &input, &mut y)?;
        let wanted: Vec<f64> = x.iter().map(|x| exact(function)(f64::from(*x))).collect();
        close(&y.read()?, &wanted, [1e-5, 0.0], &format!("{function:?}"))?;
    }
    let x: Vec<f32> = (0..40).map(|at| -2.0 * at as f32).collect();
    let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(x.len())?);
    for function in [ActivationFunction::Softplus, ActivationFunction::Sigmoid] {
        activate(function, &input, &mut y)?;
        let wanted: Vec<f64> = x.iter().map(|x| exact(function)(f64::from(*x))).collect();
        close(&y.read()?, &wanted, [5e-5, 0.0], &format!("{function:?}"))?;
    }
    Ok(())
}

fn not_finite(device: &Device) -> TestResult {
    let x = device.buffer_from(&[f32::NAN, -f32::NAN, f32::INFINITY, 1e30, -1e30])?;
    let ones = device.buffer_from(&[1.0f32; 5])?;
    let mut y = device.buffer::<f32>(5)?;
    for function in FUNCTIONS {
        activate(function, &x, &mut y)?;
        let y = y.read()?;
        ensure(y[0].is_nan() && y[1].is_nan(), || format!("{function:?} of NaN: {y:?}"))?;
        let bounded = matches!(function, ActivationFunction::Sigmoid | ActivationFunction::Tanh);
        let wanted = if bounded { [1.0; 2] } else { [f32::INFINITY, 1e30] };
        ensure(y[2..4] == wanted, || format!("{function:?} of infinity and 1e30: {y:?}"))?;
        let below = exact(function)(-1e30) as f32;
        ensure((y[4] - below).abs() <= below.abs() * 1e-6, || format!("{function:?} of -1e30: {y:?}"))?;

        let mut dx = device.buffer::<f32>(5)?;
        activate_backward(function, &x, &ones, &mut dx)?;
        let dx = dx.read()?;
        ensure(dx[0].is_nan() && dx[1].is_nan(), || format!("the derivative of {function:?} of NaN: {dx:?}"))?;
        let above = if bounded { 0.0 } else { 1.0 };
        let below = if let ActivationFunction::LeakyRelu(slope) = function { slope } else { 0.0 };
        ensure(dx[2..] == [above, above, below], || format!("the derivative of {function:?} far from 0: {dx:?}"))?;
    }
    Ok(())
}

/// Halves at odd places; elements around the results are unchanged.
fn slices(device: &Device) -> TestResult {
    let x: Vec<f16> = (0..40).map(|at| f16::from_f32(at as f32 / 4.0 - 5.0)).collect();
    let input = device.buffer_from(&x)?;
    for begin in 1..5 {
        for length in [1, 2, 31] {
            let mut y = device.buffer_from(&[f16::from_f32(9.0); 40])?;
            activate(
                ActivationFunction::Silu,
                input.slice(begin..begin + length),
                y.slice_mut(5 - begin..5 - begin + length),
            )?;
            let f = exact(ActivationFunction::Silu);
            let wanted: Vec<f64> = wide(&x[begin..begin + length]).into_iter().map(f).collect();
            close_between_nines(&y.read()?, 5 - begin, &wanted, TOLERANCE, &format!("{length} from {begin}"))?;
        }
    }
    Ok(())
}

/// The text in a kernel of one line has the bits of the operator.
fn fused(device: &Device) -> TestResult {
    let x: Vec<f32> = (0..100).map(|at| at as f32 / 8.0 - 6.0).collect();
    let (x, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(100)?);
    for (function, text) in [(ActivationFunction::Mish, "mish(x)"), (ActivationFunction::Elu(1.25), "elu(x, 1.25)")] {
        let kernel = ElementwiseKernel::new("x: f32", "y: f32", &format!("y = {text}"))?.preamble(ACTIVATION_FUNCTIONS);
        activate(function, &x, &mut y)?;
        let fused = wide(&kernel.apply::<f32>(device, &x)?.read()?);
        close(&y.read()?, &fused, [1e-6, 1e-7], text)?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, stream) = (device.buffer_from(&[-1.0f32, 2.0])?, device.stream());
    let (mut y, mut recording) = (device.buffer::<f32>(2)?, device.recording());
    Activate::new(ActivationFunction::Relu).record(&mut recording).run(&x, &mut y)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[0.0, 2.0], "submitted")?;
    x.copy_from_slice(&[5.0, -7.0])?;
    recording.submit()?;
    same(&y.read()?, &[5.0, 0.0], "submitted again")?;
    Activate::new(ActivationFunction::Relu).on(&stream).backward(&x, &x, &mut y)?;
    same(&y.read()?, &[5.0, -0.0], "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 6])?;
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let relu = ActivationFunction::Relu;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(activate(relu, x.slice(1..), &mut y), is_length, &["activation: 'y' has 6 elements", "5"])?;
    refused(activate_backward(relu, &x, x.slice(1..), &mut y), is_length, &["activation: 'dy' has 5 elements", "6"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let odd = activate(ActivationFunction::Elu(f32::NAN), &x, &mut y);
    refused(odd, is_choice, &["activation: a parameter of NaN", "a finite number"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let foreign = activate(relu, &other.buffer::<f32>(6)?, &mut y);
    refused(foreign, is_foreign, &["activation", "'x'"])?;
    same(&y.read()?, &[7.0; 6], "nothing has run")
}

/// No race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    slices(&device)?;
    small_results(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
