//! A bias, an activation and a residual, by every method that the device has.

use anywarp::Device;
use anywarp::ops::{Activation, Matmul, MatmulMethod, OperationError};
use half::{bf16, f16};

use super::element::{Number, numbers};
use super::forms::METHODS;
use super::reference::{self, Exact};
use crate::Case;
use crate::outcome::{Context, TestResult, fail, refused, same};

/// Rows, depth and columns: around tiles, with and without aligned lines; with one row and with one column; deep
/// products.
const SHAPES: [[usize; 3]; 8] =
    [[3, 5, 7], [65, 33, 70], [132, 36, 136], [64, 132, 260], [1, 40, 68], [67, 40, 1], [20, 1090, 13], [3, 1060, 68]];

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("f32::epilogue".to_owned(), epilogues::<f32>),
        ("f16::epilogue".to_owned(), epilogues::<f16>),
        ("bf16::epilogue".to_owned(), epilogues::<bf16>),
        ("f32::epilogue_of_slices".to_owned(), slices::<f32>),
        ("f16::epilogue_of_slices".to_owned(), slices::<f16>),
        ("epilogue_without_depth".to_owned(), without_depth),
        ("epilogue_keeps_nan".to_owned(), keeps_nan),
        ("epilogue_recorded".to_owned(), recorded),
        ("epilogue_refusals".to_owned(), refusals),
    ]
}

/// The parts of an epilogue that are present.
#[derive(Clone, Copy, Debug)]
struct Parts {
    bias: bool,
    activation: Option<Activation>,
    residual: bool,
    beta: f32,
}

const PARTS: [Parts; 5] = [
    Parts { bias: true, activation: None, residual: false, beta: 0.0 },
    Parts { bias: false, activation: Some(Activation::Relu), residual: false, beta: 0.5 },
    Parts { bias: false, activation: None, residual: true, beta: 0.0 },
    Parts { bias: true, activation: Some(Activation::Gelu), residual: true, beta: 0.0 },
    Parts { bias: true, activation: Some(Activation::Silu), residual: true, beta: -2.0 },
];

/// An activation in `f64`; its slope is between -1.2 and 1.2.
fn activated(activation: Option<Activation>, x: f64) -> f64 {
    match activation {
        Some(Activation::Relu) => x.max(0.0),
        Some(Activation::Gelu) => x * 0.5 * (1.0 + error_function(x / std::f64::consts::SQRT_2)),
        Some(Activation::Silu) => x / (1.0 + (-x).exp()),
        _ => x,
    }
}

/// The error function, by its Taylor series, whose terms shrink for the numbers in this test.
fn error_function(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        if term.abs() < 1e-20 {
            break;
        }
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

fn epilogues<T: Number>(device: &Device) -> TestResult {
    for (at, sizes) in SHAPES.into_iter().enumerate() {
        let batches = 1 + at % 2;
        let products = products::<T>(sizes, batches);
        for parts in PARTS {
            for method in METHODS.map(Some).into_iter().chain([None]) {
                let fits = method.is_none_or(|method| Matmul::<T>::new(sizes).method(method).chosen(device).is_ok());
                if fits {
                    check::<T>(device, (sizes, &products), parts, method)
                        .context(|| format!("{sizes:?} x {batches} {parts:?} {method:?}"))?;
                }
            }
        }
    }
    Ok(())
}

/// The product of each batch, which no epilogue and no method changes.
fn products<T: Number>(sizes @ [m, k, n]: [usize; 3], batches: usize) -> Vec<Vec<Exact>> {
    let (of_a, of_b) = (numbers::<T>(m * k * batches, 1), numbers::<T>(k * n * batches, 2));
    let exact = |elements: &[T]| elements.iter().map(|element| element.exact()).collect::<Vec<f64>>();
    let one = |batch: usize| {
        reference::matmul(&exact(&of_a[batch * m * k..][..m * k]), &exact(&of_b[batch * k * n..][..k * n]), sizes)
    };
    (0..batches).map(one).collect()
}

fn check<T: Number>(
    device: &Device,
    (sizes @ [m, k, n], products): ([usize; 3], &[Vec<Exact>]),
    parts: Parts,
    method: Option<MatmulMethod>,
) -> TestResult {
    let batches = products.len();
    let (of_a, of_b) = (numbers::<T>(m * k * batches, 1), numbers::<T>(k * n * batches, 2));
    let (old, of_bias) = (numbers::<T>(m * n * batches, 3), numbers::<T>(n, 4));
    let of_residual = numbers::<T>(m * n * batches, 5);
    let (a, b, mut c) = (device.buffer_from(&of_a)?, device.buffer_from(&of_b)?, device.buffer_from(&old)?);
    let (bias, residual) = (device.buffer_from(&of_bias)?, device.buffer_from(&of_residual)?);
    let mut product = Matmul::new(sizes).batches(batches).beta(parts.beta);
    if parts.bias {
        product = product.bias(&bias);
    }
    if let Some(activation) = parts.activation {
        product = product.activation(activation);
    }
    if parts.residual {
        product = product.residual(&residual);
    }
    if let Some(method) = method {
        product = product.method(method);
    }
    // The vendor's library stores the product before the other parts are computed.
    let is_stored = product.chosen(device)? == MatmulMethod::Library;
    product.run(&a, &b, &mut c)?;
    let got = c.read()?;
    for (batch, products) in products.iter().enumerate() {
        for (at, Exact { sum, magnitude }) in products.iter().copied().enumerate() {
            let place = batch * m * n + at;
            let added = f64::from(parts.beta) * old[place].exact();
            let bias = if parts.bias { of_bias[at % n].exact() } else { 0.0 };
            let residual = if parts.residual { of_residual[place].exact() } else { 0.0 };
            let wanted = activated(parts.activation, sum + added + bias) + residual;
            // The tolerance has a rounding for each step, the error of an activation, which is exact to 2e-6 here, and
            // the roundings of stored results.
            let size = magnitude + added.abs() + bias.abs() + residual.abs();
            let rounding = 1.2 * (k + 6) as f64 / f64::from(1 << 24) * size;
            let activation = if parts.activation.is_some() { 2e-6 } else { 0.0 };
            let stored =
                if is_stored { 1.2 * (T::ROUNDING * ((sum + added).abs() + rounding) + T::SMALLEST) } else { 0.0 };
            let before = rounding + activation + stored;
            let most = before + T::ROUNDING * (wanted.abs() + before) + T::SMALLEST;
            let got = got[place].exact();
            // The comparison is negated, so that NaN counts as an error.
            let within = (got - wanted).abs() <= most;
            if !within {
                return fail(format!("c[{batch}, {}, {}]: {wanted} within {most:e}, got {got}", at / n, at % n));
            }
        }
    }
    Ok(())
}

/// Arrays at odd places in their buffers work; the elements around the product are unchanged.
fn slices<T: Number>(device: &Device) -> TestResult {
    let sizes @ [m, k, n] = [5, 3, 9];
    let ones = device.buffer_from(&[T::of(1.0); 64])?;
    let of_bias: Vec<T> = (0..n + 3).map(|at| T::of(at as f32)).collect();
    let of_residual: Vec<T> = (0..m * n + 5).map(|at| T::of(0.5 * at as f32)).collect();
    let (bias, residual) = (device.buffer_from(&of_bias)?, device.buffer_from(&of_residual)?);
    for method in METHODS.map(Some).into_iter().chain([None]) {
        let product = match method {
            Some(method) if Matmul::<T>::new(sizes).method(method).chosen(device).is_err() => continue,
            // The method needs aligned arrays.
            Some(MatmulMethod::Cooperative) => continue,
            Some(method) => Matmul::new(sizes).method(method),
            None => Matmul::new(sizes),
        };
        let mut c = device.buffer_from(&vec![T::of(7.0); m * n + 8])?;
        let product = product.bias(bias.slice(3..)).activation(Activation::Relu).residual(residual.slice(5..));
        product.run(ones.slice(1..=m * k), ones.slice(3..3 + k * n), c.slice_mut(7..7 + m * n))?;
        let mut wanted = vec![T::of(7.0); m * n + 8];
        for at in 0..m * n {
            // The numbers are small, so that 16 bits represent them exactly.
            wanted[7 + at] = T::of((3 + 3 + at % n) as f32 + 0.5 * (5 + at) as f32);
        }
        same(&c.read()?, &wanted, "around the product").context(|| format!("{method:?}"))?;
    }
    Ok(())
}

/// Without depth, the product is zero, and the epilogue is still applied.
fn without_depth(device: &Device) -> TestResult {
    let (empty, bias) = (device.buffer::<f32>(0)?, device.buffer_from(&[1.0f32, -2.0, 3.0])?);
    let residual = device.buffer_from(&[0.5f32; 6])?;
    let mut c = device.buffer_from(&[10.0f32, 10.0, 10.0, -10.0, -10.0, -10.0])?;
    Matmul::new([2, 0, 3]).bias(&bias).activation(Activation::Relu).residual(&residual).run(&empty, &empty, &mut c)?;
    same(&c.read()?, &[1.5f32, 0.5, 3.5, 1.5, 0.5, 3.5], "bias")?;
    Matmul::new([2, 0, 3]).beta(2.0).activation(Activation::Relu).run(&empty, &empty, &mut c)?;
    same(&c.read()?, &[3.0f32, 1.0, 7.0, 3.0, 1.0, 7.0], "old values")
}

fn keeps_nan(device: &Device) -> TestResult {
    let (a, b) = (device.buffer_from(&[f32::NAN, -1.0])?, device.buffer_from(&[1.0f32])?);
    let mut c = device.buffer::<f32>(2)?;
    Matmul::new([2, 1, 1]).activation(Activation::Relu).run(&a, &b, &mut c)?;
    match *c.read()? {
        [nan, 0.0] if nan.is_nan() => Ok(()),
        ref got => fail(format!("{got:?}")),
    }
}

fn recorded(device: &Device) -> TestResult {
    let (mut a, b) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[1.0f32; 12])?);
    let bias = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut c = device.buffer::<f32>(8)?;
    let mut recording = device.recording();
    Matmul::new([2, 3, 4]).bias(&bias).record(&mut recording).run(&a, &b, &mut c)?;
    for factor in [1.0f32, 2.0] {
        a.fill(factor)?;
        recording.submit()?;
        let wanted: Vec<f32> = (0..8).map(|at| 3.0 * factor + (at % 4 + 1) as f32).collect();
        same(&c.read()?, &wanted, "a replay")?;
    }
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let (a, other) = (device.buffer::<f32>(6)?, device.reopen()?);
    let (three, mut c) = (device.buffer::<f32>(3)?, device.buffer_from(&[5.0f32; 4])?);
    let product = || Matmul::new([2, 3, 2]);
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let text = "matrix product: 'bias' has 3 elements, but the shape [2] needs 2";
    refused(product().bias(&three).run(&a, &a, &mut c), length, &[text])?;
    let text = "'residual' has 3 elements, but the shape [2, 2] needs 4";
    refused(product().residual(&three).run(&a, &a, &mut c), length, &[text])?;
    let text = "'residual' has 4 elements, but the shape [3, 2, 2] needs 12";
    let of_batches = device.buffer::<f32>(18)?;
    let mut many = device.buffer::<f32>(12)?;
    let residual = device.buffer::<f32>(4)?;
    refused(product().batches(3).residual(&residual).run(&of_batches, &of_batches, &mut many), length, &[text])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(product().bias(three.slice(2..4)).run(&a, &a, &mut c), slice, &["'bias': ", "2..4"])?;
    let there = other.buffer::<f32>(2)?;
    let is = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(product().bias(&there).run(&a, &a, &mut c), is, &["'bias' belongs to", device.selector()])?;
    let reading = residual.read()?;
    let in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    refused(product().residual(&residual).run(&a, &a, &mut c), in_use, &["'residual' is in use", "ReadGuard"])?;
    drop(reading);
    same(&c.read()?, &[5.0; 4], "nothing has run")
}
