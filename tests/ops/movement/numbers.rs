//! Conversions, sequences, and one-hot rows, compared with plain Rust.

use std::fmt::Debug;

use anywarp::backend::Capabilities;
use anywarp::ops::{
    Cast, CastElement, Full, OneHot, OperationError, Sequence, SequenceElement, arange, cast, full, linspace, one_hot,
};
use anywarp::{Device, Element};
use half::{bf16, f16};

use crate::Case;
use crate::outcome::{TestResult, close, ensure, refused, same, skip};

pub(super) fn cases() -> Vec<Case> {
    vec![
        ("cast::floats".to_owned(), floats),
        ("cast::integers".to_owned(), integers),
        ("cast::lengths".to_owned(), lengths),
        ("cast::recorded".to_owned(), recorded),
        ("cast::refusals".to_owned(), refusals),
        ("sequence::arange".to_owned(), sequences),
        ("sequence::linspace".to_owned(), spaces),
        ("one_hot::rows".to_owned(), rows),
        ("full::values".to_owned(), values),
    ]
}

/// Compares a conversion with Rust's `as`, in slices at any offset.
fn check<T: CastElement + Debug, U: CastElement + Debug>(
    device: &Device,
    numbers: &[T],
    convert: fn(T) -> U,
) -> TestResult {
    let buffer = device.buffer_from(numbers)?;
    for begin in [0, 1, 3] {
        let part = &numbers[begin..];
        let around = vec![U::zeroed(); part.len() + begin + 2];
        let mut wanted = around.clone();
        wanted[begin..begin + part.len()].iter_mut().zip(part).for_each(|(to, from)| *to = convert(*from));
        let mut y = device.buffer_from(&around)?;
        cast(buffer.slice(begin..), y.slice_mut(begin..begin + part.len()))?;
        same(&y.read()?, &wanted, &format!("{} to {} from {begin}", T::layout().name, U::layout().name))?;
    }
    Ok(())
}

/// Conversions are right for values around the limits of each type, and for numbers that have to be rounded.
fn floats(device: &Device) -> TestResult {
    let mut all =
        vec![0.0f64, -0.0, 0.5, -0.5, 1.5, 2.5, -1.9, 1e-310, 5e-324, 1e300, f64::INFINITY, f64::NEG_INFINITY];
    for bits in [7, 8, 15, 16, 23, 24, 31, 32, 53, 63, 64, 127, 128] {
        let power = 2f64.powi(bits);
        all.extend([power, power.next_down(), -power, -power.next_up(), power + 0.5, power - 0.5, power * 1.000_000_1]);
    }
    check::<f64, f32>(device, &all, |number| number as f32)?;
    let with_nan: Vec<f64> = all.iter().copied().chain([f64::NAN, -f64::NAN]).collect();
    check::<f64, u8>(device, &with_nan, |number| number as u8)?;
    check::<f64, i16>(device, &with_nan, |number| number as i16)?;
    check::<f64, u32>(device, &with_nan, |number| number as u32)?;
    check::<f64, i64>(device, &with_nan, |number| number as i64)?;
    check::<f64, f16>(device, &all, f16::from_f64)?;
    let short: Vec<f32> = with_nan.iter().map(|number| *number as f32).collect();
    check::<f32, i8>(device, &short, |number| number as i8)?;
    check::<f32, u64>(device, &short, |number| number as u64)?;
    let short: Vec<f32> = all.iter().map(|number| *number as f32).collect();
    check::<f32, f64>(device, &short, f64::from)?;
    check::<f32, bf16>(device, &short, bf16::from_f32)?;
    let half: Vec<f16> = all.iter().map(|number| f16::from_f64(*number)).collect();
    check::<f16, f32>(device, &half, f32::from)?;
    check::<f16, i32>(device, &half, |number| f64::from(number) as i32)
}

fn integers(device: &Device) -> TestResult {
    let all: Vec<i64> = (0..64).flat_map(|bit| [-1, 0, 1].map(|near| (1i64 << bit).wrapping_add(near))).collect();
    check::<i64, u8>(device, &all, |number| number as u8)?;
    check::<i64, i16>(device, &all, |number| number as i16)?;
    check::<i64, u32>(device, &all, |number| number as u32)?;
    check::<i64, f32>(device, &all, |number| number as f32)?;
    check::<i64, f64>(device, &all, |number| number as f64)?;
    let unsigned: Vec<u64> = all.iter().map(|number| *number as u64).collect();
    check::<u64, f32>(device, &unsigned, |number| number as f32)?;
    let bytes: Vec<i8> = (-128..=127).collect();
    check::<i8, i64>(device, &bytes, i64::from)?;
    check::<i8, u16>(device, &bytes, |number| number as u16)?;
    check::<i8, f16>(device, &bytes, |number| f16::from_f32(f32::from(number)))
}

fn lengths(device: &Device) -> TestResult {
    for length in [0, 1, 2, 255, 256, 257, 1023, 1025, 9_973] {
        let x: Vec<u16> = (0..length).map(|at| (at * 7919 % 65_536) as u16).collect();
        let (buffer, mut y) = (device.buffer_from(&x)?, device.buffer::<u8>(length)?);
        cast(&buffer, &mut y)?;
        let wanted: Vec<u8> = x.iter().map(|x| *x as u8).collect();
        same(&y.read()?, &wanted, &format!("{length} numbers"))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, mut y) = (device.buffer_from(&[1.5f32, -2.5, 1e9])?, device.buffer::<i16>(3)?);
    let (mut z, mut hot) = (device.buffer::<u64>(3)?, device.buffer::<u8>(6)?);
    let indices = device.buffer_from(&[1u32, 0, 1])?;
    let mut recording = device.recording();
    Cast::new().record(&mut recording).run(&x, &mut y)?;
    Sequence::arange(5u64, 7).record(&mut recording).run(&mut z)?;
    OneHot::new(2, [3u8, 4]).record(&mut recording).run(&indices, &mut hot)?;
    Full::new(2i16).record(&mut recording).run(y.slice_mut(1..2))?;
    same(&y.read()?, &[0; 3], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[1, 2, i16::MAX], "submitted")?;
    same(&z.read()?, &[5, 12, 19], "submitted")?;
    same(&hot.read()?, &[3, 4, 4, 3, 3, 4], "submitted")?;
    x.fill(-7.0)?;
    recording.submit()?;
    same(&y.read()?, &[-7, 2, -7], "submitted again")?;
    let (first, second) = (device.stream(), device.stream());
    Cast::new().on(&first).run(&indices, &mut z)?;
    Sequence::linspace(1.0, 2.0).on(&second).run(&mut x)?;
    same(&z.read()?, &[1, 0, 1], "on a stream")?;
    same(&x.read()?, &[1.0, 1.5, 2.0], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let (x, indices) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[0u32; 2])?);
    let mut y = device.buffer_from(&[5u8; 4])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(cast(x.slice(..3), &mut y), length, &["cast", "'y' has 4", "needs 3"])?;
    refused(one_hot(&indices, &mut y, 3, [0, 1]), length, &["one-hot", "'y' has 4", "needs 6"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(cast(x.slice(2..6), &mut y), slice, &["'x'", "2..6"])?;
    refused(arange(0, 1, y.slice_mut(3..5)), slice, &["sequence", "'y'", "3..5"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Cast::new().cost::<u8, u64>(1 << 30), large, &["y", "1073709056"])?;
    refused(Sequence::arange(0u8, 1).cost(1 << 31), large, &["y", "2147418112"])?;
    refused(OneHot::new(1 << 20, [0u8, 1]).cost::<u32>(1 << 20), large, &["y", "2147418112"])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(OneHot::new(2, [[0u32; 17]; 2]).cost::<u32>(1), choice, &["elements of 68 bytes", "16 times 4 bytes"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(cast(&other.buffer::<f32>(4)?, &mut y), foreign, &["'x'"])?;
    refused(Full::new(1u8).on(&other.stream()).run(&mut y), foreign, &["full", "the stream"])?;
    same(&y.read()?, &[5; 4], "nothing has run")
}

/// Sequences of integers wrap around, and slices at any offset work.
fn sequences(device: &Device) -> TestResult {
    fn check<T: SequenceElement + Debug>(
        device: &Device,
        (start, step, other): (T, T, T),
        number: impl Fn(usize) -> T,
    ) -> TestResult {
        for (before, length) in [(0, 0), (0, 1), (3, 2), (1, 255), (0, 256), (2, 1027)] {
            let mut wanted = vec![other; before + length + 3];
            let mut y = device.buffer_from(&wanted)?;
            (0..length).for_each(|at| wanted[before + at] = number(at));
            arange(start, step, y.slice_mut(before..before + length))?;
            same(&y.read()?, &wanted, &format!("{length} of {} behind {before}", T::layout().name))?;
        }
        Ok(())
    }
    check(device, (250u8, 3, 9), |at| 250u8.wrapping_add((at as u8).wrapping_mul(3)))?;
    check(device, (-5i8, -1, 9), |at| (-5i8).wrapping_sub(at as i8))?;
    check(device, (65_000u16, 100, 9), |at| 65_000u16.wrapping_add((at as u16).wrapping_mul(100)))?;
    check(device, (1i32 << 30, 1 << 29, 9), |at| (1i32 << 30).wrapping_add((at as i32).wrapping_mul(1 << 29)))?;
    let step = 0x1234_5678_9abc_def1u64;
    check(device, (u64::MAX - 5, step, 9), |at| (u64::MAX - 5).wrapping_add((at as u64).wrapping_mul(step)))?;
    check(device, (7i64, -(1 << 40), 9), |at| 7i64.wrapping_add((at as i64).wrapping_mul(-(1 << 40))))?;
    check(device, (0.5f32, 0.25, 9.0), |at| 0.5 + at as f32 * 0.25)?;
    let half = |number: f32| f16::from_f32(number);
    check(device, (half(0.5), half(0.25), half(9.0)), |at| half(0.5 + at as f32 * 0.25))?;
    // These numbers have to be rounded to their type.
    check(device, (half(2047.0), half(0.5), half(9.0)), |at| half(2047.0 + at as f32 * 0.5))?;
    let brain = |number: f32| bf16::from_f32(number);
    check(device, (brain(-3.0), brain(0.75), brain(9.0)), |at| brain(-3.0 + at as f32 * 0.75))?;
    if !device.caps().shader.contains(Capabilities::FLOAT64) {
        let mut y = device.buffer_from(&[5.0f64; 3])?;
        let lacking = |error: &OperationError| matches!(error, OperationError::Kernel { .. });
        refused(arange(0.0, 1.0, &mut y), lacking, &["f64"])?;
        return same(&y.read()?, &[5.0; 3], "nothing has run");
    }
    // The numbers are exact, also where the device fuses the product and the sum.
    let [large, step] = [2f64.powi(1000), -2f64.powi(970)];
    check(device, (large, step, 9.0), |at| large + at as f64 * step)?;
    let fine = 1.0 + 2f64.powi(-40);
    check(device, (0.5f64, fine, 9.0), |at| 0.5 + at as f64 * fine)
}

fn spaces(device: &Device) -> TestResult {
    for length in [0, 1, 2, 3, 1000] {
        let mut y = device.buffer::<f32>(length)?;
        linspace(-1.0, 3.0, &mut y)?;
        let number = |at: usize| (-1.0 + 4.0 * at as f64 / (length.max(2) - 1) as f64) as f32;
        let wanted: Vec<f32> = (0..length).map(number).collect();
        close(&y.read()?, &wanted, 1e-6, &format!("{length} numbers"))?;
        ensure(length < 2 || y.read()?[length - 1] == 3.0, || "the last number".to_owned())?;

        let mut y = device.buffer::<f16>(length)?;
        linspace(f16::from_f32(-1.0), f16::from_f32(3.0), &mut y)?;
        let got: Vec<f32> = y.read()?.iter().map(|number| f32::from(*number)).collect();
        close(&got, &wanted, 1e-3, &format!("{length} numbers of f16"))?;
        let mut y = device.buffer::<bf16>(length)?;
        linspace(bf16::from_f32(-1.0), bf16::from_f32(3.0), &mut y)?;
        let got: Vec<f32> = y.read()?.iter().map(|number| f32::from(*number)).collect();
        close(&got, &wanted, 5e-3, &format!("{length} numbers of bf16"))?;
        ensure(length < 2 || got[length - 1] == 3.0, || "the last number of bf16".to_owned())?;
    }
    if device.caps().shader.contains(Capabilities::FLOAT64) {
        let mut y = device.buffer::<f64>(7)?;
        linspace(-1.0, 0.1, &mut y)?;
        for (at, got) in y.read()?.iter().enumerate() {
            let wanted = -1.0 + 1.1 * at as f64 / 6.0;
            ensure((got - wanted).abs() < 1e-15, || format!("{got} in place of {wanted}"))?;
        }
        ensure(y.read()?[6].to_bits() == 0.1f64.to_bits(), || "the last number of f64".to_owned())?;
    }
    // The distance between the first and the last number is above the greatest finite `f32`.
    let mut y = device.buffer::<f32>(3)?;
    linspace(f32::MIN, f32::MAX, &mut y)?;
    same(&y.read()?[2..], &[f32::MAX], "the greatest number")
}

fn rows(device: &Device) -> TestResult {
    fn check<T: Element + Debug>(device: &Device, off: T, on: T) -> TestResult {
        let indices = [2i32, 0, -1, 5, -5, 4, 1, i32::MIN];
        let chosen = device.buffer_from(&indices)?;
        for (classes, before) in [(1, 0), (5, 0), (5, 3), (8, 1), (300, 2)] {
            let mut wanted = vec![on; before + indices.len() * classes + 3];
            let mut y = device.buffer_from(&wanted)?;
            for (row, index) in indices.iter().enumerate() {
                let place = if *index < 0 { index.wrapping_add(classes as i32) } else { *index };
                for class in 0..classes {
                    wanted[before + row * classes + class] = if class as i32 == place { on } else { off };
                }
            }
            one_hot(&chosen, y.slice_mut(before..before + indices.len() * classes), classes, [off, on])?;
            same(&y.read()?, &wanted, &format!("{classes} classes behind {before} of {}", T::layout().name))?;
        }
        Ok(())
    }
    check(device, 3u8, 200)?;
    check(device, f16::ZERO, f16::ONE)?;
    check(device, 0.0f32, 1.0)?;
    check(device, -1i64, i64::MAX)?;
    check(device, [1u32, 2, 3], [4, 5, 6])?;
    check(device, [0.5f32; 4], [1.0, 2.0, 3.0, 4.0])
}

fn values(device: &Device) -> TestResult {
    fn check<T: Element + Debug>(device: &Device, value: T) -> TestResult {
        for (before, length) in [(0, 0), (0, 1), (1, 2), (3, 255), (0, 256), (4, 1028)] {
            let mut wanted = vec![T::zeroed(); before + length + 3];
            let mut y = device.buffer_from(&wanted)?;
            wanted[before..before + length].fill(value);
            full(value, y.slice_mut(before..before + length))?;
            same(&y.read()?, &wanted, &format!("{length} of {} behind {before}", T::layout().name))?;
        }
        Ok(())
    }
    check(device, 7u8)?;
    check(device, -2i16)?;
    check(device, f32::NAN)?;
    check(device, 0x1234_5678_9abc_def0u64)?;
    check(device, [1u8, 2, 3])?;
    check(device, [1.0f32, 2.0, 3.0])?;
    check(device, [[1u32; 4]; 8])
}

/// A checked device finds no race and no access out of range.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    integers(&device)?;
    sequences(&device)?;
    rows(&device)?;
    values(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
