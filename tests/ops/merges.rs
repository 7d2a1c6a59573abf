//! Merged keys and pairs.

use std::fmt::Debug;

use anywarp::Device;
use anywarp::ops::{Merge, OperationError, SortKey, merge};
use half::{bf16, f16};

use crate::keys::{each_key, sorted};
use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/merge/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let others: [Unnamed; 6] = [
        ("bits", bits),
        ("slices", slices),
        ("many_keys", many_keys),
        ("recorded", recorded),
        ("streams", streams),
        ("refusals", refusals),
    ];
    each_key!(types).into_iter().chain(others).map(|(name, run)| (format!("merge::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::merge".to_owned(), Box::new(clean))
}

fn new<'r>(descending: bool) -> Merge<'r> {
    if descending { Merge::new().descending() } else { Merge::new() }
}

/// Merges keys alone, and keys with values. The bits of the results are compared, including those of NaN and zeros.
fn check<K: SortKey + PartialOrd + Debug>(device: &Device, a: &[K], b: &[K], descending: bool) -> TestResult {
    let what = format!("{} and {} keys, descending {descending}", a.len(), b.len());
    let order = reference::merge(a, b, descending);
    let wanted: Vec<K> = order.iter().map(|(array, at)| [a, b][*array][*at]).collect();
    let number = |(array, at): &(usize, usize)| (array * 1_000_000 + at) as u32;
    let (x, y) = (device.buffer_from(a)?, device.buffer_from(b)?);
    let mut keys = device.buffer::<K>(order.len())?;
    new(descending).run(&x, &y, &mut keys)?;
    same(&keys.read()?, &wanted, &format!("keys, {what}"))?;
    let of = |array: usize, length: usize| (0..length).map(|at| number(&(array, at))).collect::<Vec<_>>();
    let (v, w) = (device.buffer_from(&of(0, a.len()))?, device.buffer_from(&of(1, b.len()))?);
    let (mut keys, mut values) = (device.buffer::<K>(order.len())?, device.buffer::<u32>(order.len())?);
    new(descending).pairs((&x, &v), (&y, &w), (&mut keys, &mut values))?;
    same(&keys.read()?, &wanted, &format!("keys of pairs, {what}"))?;
    same(&values.read()?, &order.iter().map(number).collect::<Vec<_>>(), &format!("values, {what}"))
}

fn types<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
    for [n, m] in [[0, 0], [0, 3], [1, 0], [1, 1], [255, 2], [511, 513], [512, 513], [3000, 1], [1999, 3001]] {
        for descending in [false, true] {
            check(device, &sorted::<K>(n, 1, descending), &sorted::<K>(m, 2, descending), descending)?;
        }
    }
    Ok(())
}

/// Zeros of both signs and NaN with different bits keep their bits and their order.
fn bits(device: &Device) -> TestResult {
    let nan = f32::from_bits;
    let a = [-1.0, 0.0, -0.0, f32::INFINITY, nan(0x7fc0_0001), nan(0xffc0_0002)];
    let b = [f32::NEG_INFINITY, -0.0, 0.0, f32::INFINITY, nan(0xff80_0003)];
    check(device, &a, &b, false)?;
    check(device, &[1.0f64, 0.0, -0.0, f64::NAN], &[0.0f64, -1.0, -f64::NAN], true)
}

/// Slices at any offset work; keys around them are unchanged.
fn slices(device: &Device) -> TestResult {
    fn of<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
        let (a, b) = (sorted::<K>(700, 3, false), sorted::<K>(500, 4, false));
        for [from_a, from_b, to, n, m] in [[1, 0, 3, 600, 400], [5, 7, 1, 1, 1], [3, 2, 2, 0, 5], [9, 9, 5, 0, 0]] {
            let (part_a, part_b) = (&a[from_a..from_a + n], &b[from_b..from_b + m]);
            let order = reference::merge(part_a, part_b, false);
            let mut wanted = vec![a[0]; n + m + 9];
            let merged = order.iter().map(|(array, at)| [part_a, part_b][*array][*at]);
            wanted[to..to + n + m].copy_from_slice(&merged.collect::<Vec<_>>());
            let (x, y) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
            let mut all = device.buffer_from(&vec![a[0]; n + m + 9])?;
            merge(x.slice(from_a..from_a + n), y.slice(from_b..from_b + m), all.slice_mut(to..to + n + m))?;
            same(&all.read()?, &wanted, &format!("{n} and {m} keys to {to}"))?;
        }
        Ok(())
    }
    of::<u8>(device)?;
    of::<f16>(device)?;
    of::<i32>(device)?;
    of::<u64>(device)
}

fn many_keys(device: &Device) -> TestResult {
    let [a, b] = [2u32, 3].map(|step| (0..150_000).map(|at| at * step).collect::<Vec<u32>>());
    check(device, &a, &b, false)
}

fn recorded(device: &Device) -> TestResult {
    let (mut a, b) = (device.buffer_from(&[1i32, 5])?, device.buffer_from(&[2i32])?);
    let mut merged = device.buffer::<i32>(3)?;
    let mut recording = device.recording();
    Merge::new().record(&mut recording).run(&a, &b, &mut merged)?;
    same(&merged.read()?, &[0; 3], "before it was submitted")?;
    recording.submit()?;
    same(&merged.read()?, &[1, 2, 5], "submitted")?;
    a.copy_from_slice(&[-3, -2])?;
    recording.submit()?;
    same(&merged.read()?, &[-3, -2, 2], "submitted again")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let (a, b) = (device.buffer_from(&[3u32, 1])?, device.buffer_from(&[2u32])?);
    let (mut one, mut other) = (device.buffer::<u32>(3)?, device.buffer::<u32>(3)?);
    Merge::new().descending().on(&first).run(&a, &b, &mut one)?;
    Merge::new().on(&second).run(&b, b.slice(..0), other.slice_mut(..1))?;
    same(&one.read()?, &[3, 2, 1], "on one stream")?;
    same(&other.read()?[..1], &[2], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let (a, b) = (device.buffer_from(&[1u32, 2])?, device.buffer_from(&[3u32])?);
    let mut merged = device.buffer_from(&[9u32; 4])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(merge(&a, &b, &mut merged), length, &["merge: 'merged' has 4 elements", "needs 3"])?;
    let mut values = device.buffer_from(&[8u32; 3])?;
    let pairs = Merge::new().pairs((&a, &b), (&b, &b), (merged.slice_mut(1..), &mut values));
    refused(pairs, length, &["'the values of a' has 1 elements", "needs 2"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(merge(a.slice(1..4), &b, merged.slice_mut(1..)), slice, &["merge: 'a'", "1..4"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Merge::new().cost::<u64>(1 << 40, device), large, &["merge", "1099511627776"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(merge(&other.buffer::<u32>(2)?, &b, merged.slice_mut(1..)), foreign, &["merge", "'a'"])?;
    let guard = b.read()?;
    let in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    refused(merge(&a, &b, merged.slice_mut(1..)), in_use, &["merge: 'b' is in use"])?;
    drop(guard);
    same(&merged.read()?, &[9; 4], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    types::<u8>(&device)?;
    types::<f64>(&device)?;
    slices(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
