//! Memory filled with patterns.

use std::fmt::Debug;

use anywarp::ops::{FillPattern, OperationError, PatternElement, fill_pattern};
use anywarp::{Device, Error, ErrorClass};

use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case};

#[path = "../../src/ops/fill_pattern/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("fill_pattern::f32".to_owned(), floats),
        ("fill_pattern::i32".to_owned(), |device| lengths(device, &[-1, 0, i32::MIN, 7, 9])),
        ("fill_pattern::u32".to_owned(), |device| lengths(device, &Vec::from_iter(0..16u32))),
        ("fill_pattern::one_word".to_owned(), |device| lengths(device, &[5u32, 5])),
        ("fill_pattern::slices".to_owned(), slices),
        ("fill_pattern::recorded".to_owned(), recorded),
        ("fill_pattern::streams".to_owned(), streams),
        ("fill_pattern::refusals".to_owned(), refusals),
    ]
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::fill_pattern".to_owned(), Box::new(clean))
}

/// Bit patterns that arithmetic would change are written unchanged.
fn floats(device: &Device) -> TestResult {
    lengths(device, &[f32::from_bits(0x7fa0_0001), -0.0, f32::NEG_INFINITY, f32::from_bits(1)])
}

fn lengths<T: PatternElement + Debug>(device: &Device, pattern: &[T]) -> TestResult {
    for length in [0, 1, 2, 15, 16, 17, 255, 256, 257, 4079, 4080, 4081, 70_001] {
        for offset in [0, 1, 3, 100] {
            let mut wanted = vec![T::zeroed(); length];
            reference::fill_pattern(&mut wanted, pattern, offset);
            let mut x = device.buffer::<T>(length)?;
            FillPattern::new(pattern).offset(offset).run(&mut x)?;
            same(&x.read()?, &wanted, &format!("{length} elements from {offset} on"))?;
        }
    }
    let mut x = device.buffer::<T>(20)?;
    let mut wanted = vec![T::zeroed(); 20];
    fill_pattern(&mut x, pattern)?;
    reference::fill_pattern(&mut wanted, pattern, 0);
    same(&x.read()?, &wanted, "the plain call")
}

/// Slices at any offset are filled; elements around them are unchanged.
fn slices(device: &Device) -> TestResult {
    for (from, length) in [(1, 5), (3, 1000), (64, 128), (7, 0)] {
        let mut wanted = vec![99u32; 2000];
        let mut x = device.buffer_from(&wanted)?;
        fill_pattern(x.slice_mut(from..from + length), &[1, 2, 3])?;
        reference::fill_pattern(&mut wanted[from..from + length], &[1, 2, 3], 0);
        same(&x.read()?, &wanted, &format!("{length} elements from {from}"))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer::<i32>(10)?;
    let mut recording = device.recording();
    FillPattern::new(&[1, 2]).record(&mut recording).run(&mut x)?;
    FillPattern::new(&[7]).record(&mut recording).run(x.slice_mut(..3))?;
    same(&x.read()?, &[0; 10], "before it was submitted")?;
    for _ in 0..2 {
        recording.submit()?;
        same(&x.read()?, &[7, 7, 7, 2, 1, 2, 1, 2, 1, 2], "submitted")?;
        x.fill(0)?;
    }
    Ok(())
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let (mut x, mut y) = (device.buffer::<u32>(1000)?, device.buffer::<u32>(1000)?);
    FillPattern::new(&[1, 2]).on(&first).run(&mut x)?;
    FillPattern::new(&[3, 4]).on(&second).run(&mut y)?;
    same(&x.read()?, &[1, 2].repeat(500), "on one stream")?;
    same(&y.read()?, &[3, 4].repeat(500), "on another")
}

fn refusals(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[5u32; 4])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(fill_pattern(&mut x, &[]), choice, &["fill with a pattern", "length 0", "1 to 16 elements"])?;
    refused(fill_pattern(&mut x, &[1; 17]), choice, &["length 17", "1 to 16 elements"])?;
    refused(FillPattern::new(&[1u32; 17]).cost(1), choice, &["length 17"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(fill_pattern(x.slice_mut(2..5), &[1, 2]), slice, &["'x'", "2..5", "4 elements"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(FillPattern::new(&[1u32]).cost(1 << 32), large, &["x", "4294967296"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let refusal = FillPattern::new(&[1, 2]).on(&other.stream()).run(&mut x);
    refused(refusal, foreign, &["fill with a pattern", "the stream"])?;
    let class = Error::from(fill_pattern(&mut x, &[]).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    same(&x.read()?, &[5; 4], "no fill has run")
}

/// A checked device finds no race and no access out of range.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let mut x = device.buffer::<u32>(1000)?;
    fill_pattern(x.slice_mut(3..700), &[1, 2, 3])?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
