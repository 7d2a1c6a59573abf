//! The largest and smallest elements.

use std::fmt::Debug;

use anywarp::Device;
use anywarp::ops::{OperationError, SortKey, TopK, top_k};
use half::{bf16, f16};

use crate::keys::{each_key, mixed};
use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/top_k/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let others: [Unnamed; 7] = [
        ("nan", nan),
        ("ties", ties),
        ("long", long),
        ("rows", rows),
        ("recorded", recorded),
        ("streams", streams),
        ("refusals", refusals),
    ];
    each_key!(types).into_iter().chain(others).map(|(name, run)| (format!("top_k::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::top_k".to_owned(), Box::new(clean))
}

/// Compares the results with the reference. The bits are compared, including those of NaN and zeros.
fn check<K: SortKey + PartialOrd + Debug>(
    device: &Device,
    keys: &[K],
    [rows, k]: [usize; 2],
    largest: bool,
) -> TestResult {
    let length = keys.len() / rows;
    for nan_last in [false, true] {
        let what = format!("{k} of {rows} x {length}, largest {largest}, NaN last {nan_last}");
        let row = |at: usize| &keys[at * length..(at + 1) * length];
        let orders: Vec<Vec<u32>> = (0..rows).map(|at| reference::top_k(row(at), k, largest, nan_last)).collect();
        let of_row =
            |(at, order): (usize, &Vec<u32>)| order.iter().map(|place| row(at)[*place as usize]).collect::<Vec<_>>();
        let x = device.buffer_from(keys)?;
        let (mut values, mut indices) = (device.buffer::<K>(rows * k)?, device.buffer::<u32>(rows * k)?);
        let top = TopK::new(k).rows(rows).largest(largest);
        let top = if nan_last { top.nan_last() } else { top };
        top.run(&x, &mut values, &mut indices)?;
        same(&indices.read()?, &orders.concat(), &format!("indices, {what}"))?;
        let wanted: Vec<K> = orders.iter().enumerate().flat_map(of_row).collect();
        same(&values.read()?, &wanted, &format!("values, {what}"))?;
    }
    Ok(())
}

fn types<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
    for (length, k) in [(1, 1), (2, 0), (1024, 5), (1025, 1025), (5000, 100), (5000, 1024), (4097, 4096)] {
        for largest in [true, false] {
            check(device, &mixed::<K>(length, 3), [1, k], largest)?;
        }
    }
    check(device, &mixed::<K>(3 * 2000, 4), [3, 7], true)
}

/// NaN of both signs is the largest key, or the last one with `nan_last`; infinities and zeros are numbers.
fn nan(device: &Device) -> TestResult {
    let keys = [1.0, f32::NAN, f32::INFINITY, -f32::NAN, 0.0, -0.0, f32::NEG_INFINITY];
    let x = device.buffer_from(&keys)?;
    let (mut values, mut indices) = (device.buffer::<f32>(7)?, device.buffer::<u32>(7)?);
    top_k(&x, &mut values, &mut indices, 7)?;
    same(&indices.read()?, &[1, 3, 2, 0, 4, 5, 6], "the largest")?;
    TopK::new(7).nan_last().run(&x, &mut values, &mut indices)?;
    same(&indices.read()?, &[2, 0, 4, 5, 6, 1, 3], "the largest, NaN last")?;
    TopK::new(7).largest(false).run(&x, &mut values, &mut indices)?;
    same(&indices.read()?, &[6, 4, 5, 0, 2, 1, 3], "the smallest")
}

/// Results are right if all keys are equal, or all but a few.
fn ties(device: &Device) -> TestResult {
    let mut keys = vec![7u32; 20_000];
    check(device, &keys, [1, 300], true)?;
    keys[19_999] = 9;
    keys[4096] = 8;
    check(device, &keys, [1, 300], true)?;
    check(device, &keys, [2, 300], false)
}

/// Results are right for more keys in a row than one block has.
fn long(device: &Device) -> TestResult {
    check(device, &mixed::<u32>(300_007, 5), [1, 100], true)?;
    check(device, &mixed::<f32>(100_000, 6), [1, 99_999], false)
}

fn rows(device: &Device) -> TestResult {
    for [rows, length, k] in [[1, 1, 1], [300, 3, 2], [17, 1024, 1024], [40, 1500, 3], [3, 4, 0], [5, 9000, 20]] {
        check(device, &mixed::<i16>(rows * length, 7), [rows, k], true)?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1i32, 5, 3])?;
    let (mut values, mut indices) = (device.buffer::<i32>(2)?, device.buffer::<u32>(2)?);
    let mut recording = device.recording();
    TopK::new(2).record(&mut recording).run(&x, &mut values, &mut indices)?;
    same(&values.read()?, &[0, 0], "before it was submitted")?;
    recording.submit()?;
    same(&values.read()?, &[5, 3], "submitted")?;
    x.copy_from_slice(&[-1, -5, -3])?;
    recording.submit()?;
    same(&values.read()?, &[-1, -3], "submitted again")?;
    same(&indices.read()?, &[0, 2], "their indices")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let keys = mixed::<u32>(5000, 8);
    let x = device.buffer_from(&keys)?;
    let (mut values, mut indices) = (device.buffer::<u32>(1)?, device.buffer::<u32>(1)?);
    let (mut least, mut places) = (device.buffer::<u32>(1)?, device.buffer::<u32>(1)?);
    TopK::new(1).on(&first).run(&x, &mut values, &mut indices)?;
    TopK::new(1).largest(false).on(&second).run(&x, &mut least, &mut places)?;
    same(&values.read()?, &[*keys.iter().max().unwrap_or(&0)], "on one stream")?;
    same(&least.read()?, &[*keys.iter().min().unwrap_or(&0)], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1u32, 2, 3, 4])?;
    let (mut values, mut indices) = (device.buffer_from(&[9u32; 5])?, device.buffer_from(&[8u32; 2])?);
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(top_k(&x, &mut values, &mut indices, 5), choice, &["top_k", "k = 5", "elements of a row, 4"])?;
    let rows = TopK::new(1).rows(3).run(&x, &mut values, &mut indices);
    refused(rows, choice, &["the number of rows 3", "a divisor of the number of elements, 4"])?;
    refused(TopK::new(0).rows(0).run(&x, &mut values, &mut indices), choice, &["the number of rows 0"])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(top_k(&x, &mut values, &mut indices, 2), length, &["top_k: 'values' has 5 elements", "needs 2"])?;
    refused(top_k(&x, values.slice_mut(..3), &mut indices, 3), length, &["'indices' has 2 elements", "needs 3"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(top_k(x.slice(2..6), values.slice_mut(..2), &mut indices, 2), slice, &["top_k: 'x'", "2..6"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(TopK::new(1).cost::<u32>(1 << 40, device), large, &["top_k", "1099511627776"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let theirs = other.buffer::<u32>(4)?;
    refused(top_k(&theirs, values.slice_mut(..2), &mut indices, 2), foreign, &["top_k", "'values'"])?;
    let guard = x.read()?;
    let in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    refused(top_k(&x, values.slice_mut(..2), &mut indices, 2), in_use, &["top_k: 'x' is in use"])?;
    drop(guard);
    same(&values.read()?, &[9; 5], "nothing has run")?;
    same(&indices.read()?, &[8; 2], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    check(&device, &mixed::<u8>(3000, 1), [3, 10], true)?;
    check(&device, &mixed::<f64>(1000, 2), [1, 999], false)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
