//! Reductions by name: values, NaN, ties, axes, empty arrays.

use anywarp::Device;
use anywarp::backend::BackendKind;
use anywarp::ops::{ReductionKernel, reduce, shaped};
use half::f16;

use crate::outcome::{TestResult, close, ensure, equal, same};
use crate::whole_numbers::{Number, known, of, whole};
use crate::{Case, Unnamed};

const NAN: f32 = f32::NAN;
const INFINITY: f32 = f32::INFINITY;

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("sums_f32", sums::<f32>),
        ("sums_i32", sums::<i32>),
        ("sums_u64", sums::<u64>),
        ("extremes_f32", extremes::<f32>),
        ("extremes_f64", extremes::<f64>),
        ("extremes_i32", extremes::<i32>),
        ("extremes_u32", extremes::<u32>),
        ("extremes_i64", extremes::<i64>),
        ("extremes_u64", extremes::<u64>),
        ("nan_wins", nan_wins),
        ("nan_is_left_out", nan_is_left_out),
        ("first_of_equals", first_of_equals),
        ("moments", moments),
        ("logsumexp", logsumexp),
        ("logsumexp_of_other_floats", logsumexp_of_other_floats),
        ("axes", axes),
        ("nothing", nothing),
    ];
    cases.into_iter().map(|(name, case)| (format!("named::{name}"), case)).collect()
}

const LENGTHS: [usize; 9] = [1, 2, 17, 255, 257, 4096, 4099, 65_537, 262_147];

fn one<T: Number>(device: &Device, kernel: &ReductionKernel, x: &[f32]) -> TestResult<T> {
    Ok(kernel.apply::<T>(device, &device.buffer_from(x)?)?.read()?[0])
}

fn sums<T: Number>(device: &Device) -> TestResult {
    known::<T>(device)?;
    for length in LENGTHS {
        let mut values = whole(length, 3);
        values[length / 2] = 0;
        let x = device.buffer_from(&of::<T>(&values))?;
        let what = format!("{length} elements");
        same(&reduce::sum().apply::<T>(device, &x)?.read()?, &[T::of(values.iter().sum())], &what)?;
        let squares = T::of(values.iter().map(|value| value * value).sum());
        same(&reduce::dot().apply::<T>(device, (&x, &x))?.read()?, &[squares], &what)?;
        let some = values.iter().filter(|value| **value != 0).count() as u32;
        same(&reduce::count().apply::<u32>(device, &x)?.read()?, &[some], &what)?;
        same(&reduce::any().apply::<u32>(device, &x)?.read()?, &[u32::from(some > 0)], &what)?;
        same(&reduce::all().apply::<u32>(device, &x)?.read()?, &[0], &what)?;
    }
    let x = device.buffer_from(&of::<T>(&[3, 2, 5, 1]))?;
    same(&reduce::product().apply::<T>(device, &x)?.read()?, &[T::of(30)], "the product")?;
    same(&reduce::all().apply::<u32>(device, &x)?.read()?, &[1], "all")
}

fn extremes<T: Number + reduce::Ordered>(device: &Device) -> TestResult {
    known::<T>(device)?;
    for length in LENGTHS {
        let mut values: Vec<i32> = whole(length, 4).into_iter().map(|value| value + 20).collect();
        let places = [length * 2 / 3, length / 3];
        (values[places[0]], values[places[1]]) = (99, 7);
        let x = device.buffer_from(&of::<T>(&values))?;
        let place = |wanted: i32| values.iter().position(|value| *value == wanted).map(|at| at as u32);
        let [least, greatest] = [*values.iter().min().unwrap(), *values.iter().max().unwrap()];
        let what = format!("{length} elements");
        same(&reduce::min::<T>().apply::<T>(device, &x)?.read()?, &[T::of(least)], &what)?;
        same(&reduce::max::<T>().apply::<T>(device, &x)?.read()?, &[T::of(greatest)], &what)?;
        equal(Some(reduce::argmin().apply::<u32>(device, &x)?.read()?[0]), place(least), &what)?;
        equal(Some(reduce::argmax().apply::<u32>(device, &x)?.read()?[0]), place(greatest), &what)?;
    }
    Ok(())
}

/// NaN is the least and the greatest number at any position, as in NumPy.
fn nan_wins(device: &Device) -> TestResult {
    for (length, at) in [(1, 0), (2, 1), (300, 0), (300, 299), (70_000, 12_345), (70_000, 69_999)] {
        let mut x: Vec<f32> = (0..length).map(|at| (at % 7) as f32 - 3.0).collect();
        (x[0], x[length - 1]) = (-INFINITY, INFINITY);
        x[at] = NAN;
        let what = format!("NaN at {at} of {length}");
        ensure(one::<f32>(device, reduce::min::<f32>(), &x)?.is_nan(), || format!("min: {what}"))?;
        ensure(one::<f32>(device, reduce::max::<f32>(), &x)?.is_nan(), || format!("max: {what}"))?;
        equal(one::<u32>(device, reduce::argmin(), &x)?, at as u32, &what)?;
        equal(one::<u32>(device, reduce::argmax(), &x)?, at as u32, &what)?;
    }
    Ok(())
}

fn nan_is_left_out(device: &Device) -> TestResult {
    let x = [NAN, 4.0, -2.0, f32::from_bits(0xffc0_1234), 7.0, NAN];
    equal(one::<f32>(device, reduce::nan_sum(), &x)?, 9.0, "nan_sum")?;
    equal(one::<f32>(device, reduce::nan_mean(), &x)?, 3.0, "nan_mean")?;
    equal(one::<f32>(device, reduce::nan_min(), &x)?, -2.0, "nan_min")?;
    equal(one::<f32>(device, reduce::nan_max(), &x)?, 7.0, "nan_max")?;
    equal(one::<u32>(device, reduce::nan_argmin(), &x)?, 2, "nan_argmin")?;
    equal(one::<u32>(device, reduce::nan_argmax(), &x)?, 4, "nan_argmax")?;
    equal(one::<u32>(device, reduce::nan_argmax(), &[NAN, NAN])?, u32::MAX, "no place")?;
    equal(one::<f32>(device, reduce::nan_max(), &[NAN])?, -INFINITY, "no number")
}

fn first_of_equals(device: &Device) -> TestResult {
    for length in [2usize, 255, 4096, 100_003] {
        let mut x = vec![1.0f32; length];
        equal(one::<u32>(device, reduce::argmax(), &x)?, 0, "all equal")?;
        x[0] = 0.5;
        equal(one::<u32>(device, reduce::argmax(), &x)?, 1, "all but the first")?;
        x[length - 1] = NAN;
        x[length / 2] = NAN;
        equal(one::<u32>(device, reduce::argmin(), &x)?, (length / 2) as u32, "the first NaN")?;
    }
    Ok(())
}

fn moments(device: &Device) -> TestResult {
    for length in LENGTHS {
        let x: Vec<f32> = whole(length, 5).into_iter().map(|value| value as f32 + 1000.0).collect();
        let mean = x.iter().map(|x| f64::from(*x)).sum::<f64>() / length as f64;
        let variance = x.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / length as f64;
        let norm = x.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let what = format!("{length} elements");
        // Sums have at most 18 levels of additions.
        close(&[one(device, reduce::mean(), &x)?], &[mean as f32], 2e-6, &what)?;
        close(&[one(device, reduce::variance(), &x)?], &[variance as f32], 1e-4, &what)?;
        close(&[one(device, reduce::norm(), &x)?], &[norm as f32], 2e-6, &what)?;
    }
    Ok(())
}

fn logsumexp(device: &Device) -> TestResult {
    let wanted = |x: &[f32]| x.iter().map(|x| f64::from(*x).exp()).sum::<f64>().ln() as f32;
    for length in LENGTHS {
        let x: Vec<f32> = whole(length, 6).into_iter().map(|value| value as f32 / 4.0 - 1.0).collect();
        let what = format!("{length} elements");
        close(&[one(device, reduce::logsumexp(), &x)?], &[wanted(&x)], 1e-5, &what)?;
    }
    close(&[one(device, reduce::logsumexp(), &[1000.0, 1000.0])?], &[1000.0 + 2f32.ln()], 1e-6, "large")?;
    equal(one(device, reduce::logsumexp(), &[-INFINITY, -INFINITY])?, -INFINITY, "all minus infinity")?;
    equal(one(device, reduce::logsumexp(), &[1.0, INFINITY])?, INFINITY, "infinity")
}

fn logsumexp_of_other_floats(device: &Device) -> TestResult {
    let wanted = [1f32, 2.0, 3.0].iter().map(|x| x.exp()).sum::<f32>().ln();
    if known::<f16>(device).is_ok() {
        let x = device.buffer_from(&[1.0, 2.0, 3.0].map(f16::from_f32))?;
        let got = reduce::logsumexp().apply::<f16>(device, &x)?.read()?[0];
        close(&[got.to_f32()], &[wanted], 4e-3, "f16")?;
        let none = reduce::logsumexp().apply::<f16>(device, &device.buffer::<f16>(0)?)?;
        equal(none.read()?[0], f16::NEG_INFINITY, "no f16")?;
    }
    // SPIR-V and HLSL have no 64-bit exponentials.
    if matches!(device.caps().backend, BackendKind::Cpu | BackendKind::Cuda) {
        let got = reduce::logsumexp().apply::<f64>(device, &device.buffer_from(&[1.0f64, 2.0, 3.0])?)?.read()?[0];
        close(&[got as f32], &[wanted], 1e-6, "f64")?;
    }
    Ok(())
}

fn axes(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32, 9.0, 3.0, 4.0, 0.0, 9.0])?;
    let x = shaped(&x, [2, 3]);
    same(&reduce::argmax().call(device).axis(1).apply::<u32>(x.clone())?.read()?, &[1, 2], "along rows")?;
    same(&reduce::argmax().call(device).axis(0).apply::<u32>(x.clone())?.read()?, &[1, 0, 1], "along columns")?;
    same(
        &reduce::max::<f32>().call(device).axis(0).apply::<f32>(x.clone())?.read()?,
        &[4.0, 9.0, 9.0],
        "the greatest",
    )?;
    same(&reduce::variance().call(device).axis(0).apply::<f32>(x)?.read()?, &[2.25, 20.25, 9.0], "variances")
}

fn nothing(device: &Device) -> TestResult {
    equal(one::<f32>(device, reduce::sum(), &[])?, 0.0, "sum")?;
    equal(one::<f32>(device, reduce::product(), &[])?, 1.0, "product")?;
    equal(one::<f32>(device, reduce::min::<f32>(), &[])?, INFINITY, "min")?;
    equal(one::<f32>(device, reduce::logsumexp(), &[])?, -INFINITY, "logsumexp")?;
    equal(one::<u32>(device, reduce::argmax(), &[])?, u32::MAX, "argmax")?;
    equal([one::<u32>(device, reduce::any(), &[])?, one(device, reduce::all(), &[])?], [0, 1], "any, all")?;
    ensure(one::<f32>(device, reduce::mean(), &[])?.is_nan(), || "mean".to_owned())
}
