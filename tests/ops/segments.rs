//! Sorts within segments.

use std::fmt::Debug;

use anywarp::Device;
use anywarp::ops::{OperationError, Sort, SortKey};
use half::{bf16, f16};

use crate::keys::{argsort, each_key, mixed, random};
use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let others: [Unnamed; 6] = [
        ("lengths", lengths),
        ("unordered", unordered),
        ("slices", slices),
        ("bits", bits),
        ("recorded", recorded),
        ("refusals", refusals),
    ];
    each_key!(types).into_iter().chain(others).map(|(name, run)| (format!("sort::segments::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::sort::segments".to_owned(), Box::new(clean))
}

/// The indices that sort each segment.
fn order_of<K: PartialOrd>(keys: &[K], offsets: &[u32], descending: bool) -> Vec<u32> {
    let bounds: Vec<usize> =
        [0].into_iter().chain(offsets.iter().map(|offset| *offset as usize)).chain([keys.len()]).collect();
    let of = |pair: &[usize]| {
        argsort(&keys[pair[0]..pair[1]], descending).iter().map(|at| at + pair[0] as u32).collect::<Vec<_>>()
    };
    bounds.windows(2).flat_map(of).collect()
}

fn new<'r>(descending: bool) -> Sort<'r> {
    if descending { Sort::new().descending() } else { Sort::new() }
}

/// Compares the results of all calls with the reference, with offsets on the host and on the device.
fn check<K: SortKey + PartialOrd + Debug>(
    device: &Device,
    keys: &[K],
    offsets: &[u32],
    descending: bool,
) -> TestResult {
    let length = keys.len();
    let order = order_of(keys, offsets, descending);
    let wanted: Vec<K> = order.iter().map(|at| keys[*at as usize]).collect();
    let on_device = device.buffer_from(offsets)?;
    for of_host in [true, false] {
        let what = format!("{length} keys, {} offsets, descending {descending}, host {of_host}", offsets.len());
        let sort = || {
            let sort = new(descending);
            if of_host { sort.segments(offsets) } else { sort.device_segments(&on_device) }
        };
        let x = device.buffer_from(keys)?;
        let mut y = device.buffer::<K>(length)?;
        sort().run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("keys, {what}"))?;
        let mut indices = device.buffer::<u32>(length)?;
        sort().argsort(&x, &mut indices)?;
        same(&indices.read()?, &order, &format!("indices, {what}"))?;
        let mut in_place = device.buffer_from(keys)?;
        let mut values = device.buffer_from(&(0..length as u64).map(|at| at << 20).collect::<Vec<_>>())?;
        sort().pairs_in_place(&mut in_place, &mut values)?;
        same(&in_place.read()?, &wanted, &format!("keys in place, {what}"))?;
        let places: Vec<u64> = order.iter().map(|at| u64::from(*at) << 20).collect();
        same(&values.read()?, &places, &format!("values in place, {what}"))?;
    }
    Ok(())
}

fn types<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
    for descending in [false, true] {
        check(device, &mixed::<K>(3000, 1), &[0, 0, 5, 6, 800, 800, 1500, 3000], descending)?;
    }
    check(device, &mixed::<K>(2500, 2), &[1200], false)
}

/// Sorts are right without offsets, with empty segments, with one segment of all keys, and with many tiny segments.
fn lengths(device: &Device) -> TestResult {
    for length in [0usize, 1, 2, 1024, 1025] {
        let keys = mixed::<u32>(length, 3);
        check(device, &keys, &[], false)?;
        check(device, &keys, &[0, length as u32], false)?;
        check(device, &keys, &[0, 0, length as u32 / 2, length as u32, length as u32], true)?;
    }
    let tiny: Vec<u32> = (0..=1500).map(|at| at * 2).collect();
    check(device, &mixed::<f32>(3001, 4), &tiny, false)?;
    let ones: Vec<u32> = (0..700).collect();
    check(device, &mixed::<u8>(700, 5), &ones, true)?;
    check(device, &mixed::<i16>(20_011, 6), &[3, 17, 18, 19_000], false)
}

/// Offsets on the device may be in any order, and beyond the last key.
fn unordered(device: &Device) -> TestResult {
    let keys = mixed::<u32>(1000, 7);
    let offsets = device.buffer_from(&[900u32, 5, 1000, 5, 300, 70_000, u32::MAX])?;
    let order = order_of(&keys, &[5, 300, 900], false);
    let wanted: Vec<u32> = order.iter().map(|at| keys[*at as usize]).collect();
    let mut x = device.buffer_from(&keys)?;
    Sort::new().device_segments(&offsets).in_place(&mut x)?;
    same(&x.read()?, &wanted, "unordered offsets")
}

/// Slices at any offset work; keys and values around them are unchanged.
fn slices(device: &Device) -> TestResult {
    let (keys, numbers) = (mixed::<u8>(2000, 8), random(2000, 9).iter().map(|bits| *bits as u32).collect::<Vec<_>>());
    for (begin, length) in [(1, 1500), (3, 6), (5, 1)] {
        let offsets = [length as u32 / 3, length as u32 / 2];
        let order = order_of(&keys[begin..begin + length], &offsets, false);
        let (mut wanted_keys, mut wanted) = (keys.clone(), numbers.clone());
        for (to, from) in order.iter().enumerate() {
            wanted_keys[begin + to] = keys[begin + *from as usize];
            wanted[begin + to] = numbers[begin + *from as usize];
        }
        let (mut x, mut v) = (device.buffer_from(&keys)?, device.buffer_from(&numbers)?);
        let part = begin..begin + length;
        Sort::new().segments(&offsets).pairs_in_place(x.slice_mut(part.clone()), v.slice_mut(part))?;
        same(&x.read()?, &wanted_keys, &format!("{length} keys from {begin}"))?;
        same(&v.read()?, &wanted, &format!("{length} values from {begin}"))?;
    }
    Ok(())
}

fn bits(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[0x21u32, 0x12, 0x10, 0x31, 0x22])?;
    Sort::new().bits(4..8).segments(&[3]).in_place(&mut x)?;
    same(&x.read()?, &[0x12, 0x10, 0x21, 0x22, 0x31], "by four bits")
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[3u32, 1, 2, 0])?;
    let mut recording = device.recording();
    Sort::new().segments(&[2]).record(&mut recording).in_place(&mut x)?;
    same(&x.read()?, &[3, 1, 2, 0], "before it was submitted")?;
    recording.submit()?;
    same(&x.read()?, &[1, 3, 0, 2], "submitted")?;
    x.copy_from_slice(&[9, 8, 7, 6])?;
    recording.submit()?;
    same(&x.read()?, &[8, 9, 6, 7], "submitted again")
}

fn refusals(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[3u32, 2, 1])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(Sort::new().segments(&[2, 1]).in_place(&mut x), choice, &["sort", "offset 1 after 2", "ascending order"])?;
    refused(Sort::new().segments(&[0, 4]).in_place(&mut x), choice, &["sort", "offset 4", "number of keys, 3"])?;
    let offsets = device.buffer_from(&[0u32; 2])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    let outside = Sort::new().device_segments(offsets.slice(1..3)).in_place(&mut x);
    refused(outside, slice, &["sort: 'offsets'", "1..3", "2 elements"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let theirs = other.buffer::<u32>(1)?;
    refused(Sort::new().device_segments(&theirs).in_place(&mut x), foreign, &["sort", "'offsets'"])?;
    same(&x.read()?, &[3, 2, 1], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    check(&device, &mixed::<u8>(300, 1), &[0, 3, 3, 200, 300], false)?;
    check(&device, &mixed::<f64>(300, 2), &[0, 3, 3, 200], true)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
