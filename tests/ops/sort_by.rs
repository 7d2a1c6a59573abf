//! Sorts by a comparison.

use anywarp::Device;
use anywarp::ops::{OperationError, ScanElement, SortBy};

use crate::keys::random;
use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::whole_numbers::{self, Number};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let cases: [Unnamed; 12] = [
        ("u32", types::<u32>),
        ("i32", types::<i32>),
        ("f32", types::<f32>),
        ("f16", types::<half::f16>),
        ("u64", types::<u64>),
        ("f64", types::<f64>),
        ("vectors", vectors),
        ("slices", slices),
        ("nan", nan),
        ("recorded", recorded),
        ("streams", streams),
        ("refusals", refusals),
    ];
    cases.into_iter().map(|(name, run)| (format!("sort_by::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::sort_by".to_owned(), Box::new(clean))
}

/// Lengths of 0 and 1, around runs, tiles and pairs of tiles, and a prime.
const LENGTHS: [usize; 10] = [0, 1, 2, 32, 33, 511, 512, 513, 1025, 10_007];

/// A comparison can sort in descending order, in place and into another array.
fn types<T: Number + ScanElement + PartialOrd>(device: &Device) -> TestResult {
    whole_numbers::known::<T>(device)?;
    for length in LENGTHS {
        let keys: Vec<T> = whole_numbers::of(&whole_numbers::whole(length, 3));
        let mut wanted = keys.clone();
        wanted.sort_by(|a, b| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
        let mut x = device.buffer_from(&keys)?;
        let mut y = device.buffer::<T>(length)?;
        SortBy::new("x > y").run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("{length} elements"))?;
        same(&x.read()?, &keys, "the source is unchanged")?;
        SortBy::new("x > y").in_place(&mut x)?;
        same(&x.read()?, &wanted, &format!("{length} elements in place"))?;
    }
    Ok(())
}

/// Elements that are equal for the comparison keep their order.
fn vectors(device: &Device) -> TestResult {
    for length in LENGTHS {
        let keys: Vec<[u32; 4]> =
            random(length, 5).iter().enumerate().map(|(at, bits)| [*bits as u32 & 7, at as u32, 1, 2]).collect();
        let mut wanted = keys.clone();
        wanted.sort_by_key(|key| key[0] & 3);
        let mut x = device.buffer_from(&keys)?;
        SortBy::new("low(x) < low(y)").preamble("fn low(v: T) -> u32 { return v.x & 3u; }").in_place(&mut x)?;
        same(&x.read()?, &wanted, &format!("{length} elements"))?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    fn of<T: Number + ScanElement + PartialOrd>(device: &Device) -> TestResult {
        if whole_numbers::known::<T>(device).is_err() {
            return Ok(());
        }
        let keys: Vec<T> = whole_numbers::of(&whole_numbers::whole(1500, 4));
        for (begin, length) in [(1, 1024), (3, 5), (5, 0), (7, 1400)] {
            let mut wanted = keys.clone();
            let part = begin..begin + length;
            wanted[part.clone()].sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            let mut x = device.buffer_from(&keys)?;
            SortBy::new("x < y").in_place(x.slice_mut(part))?;
            same(&x.read()?, &wanted, &format!("{length} elements from {begin}"))?;
        }
        Ok(())
    }
    of::<u32>(device)?;
    of::<half::f16>(device)?;
    of::<f64>(device)
}

/// With a comparison that is no order, every result is still an element of the array.
fn nan(device: &Device) -> TestResult {
    let keys: Vec<f32> =
        (0..3000).map(|at| if at % 7 == 0 { f32::NAN } else { 5.0 + ((at * 37) % 101) as f32 }).collect();
    let mut x = device.buffer_from(&keys)?;
    SortBy::new("x < y").in_place(&mut x)?;
    let sorted = x.read()?;
    let is_element = |key: &f32| keys.iter().any(|element| element.to_bits() == key.to_bits());
    ensure(sorted.iter().all(is_element), || "a result is no element of the input".to_owned())
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[3u32, 1, 2])?;
    let mut recording = device.recording();
    SortBy::new("x < y").record(&mut recording).in_place(&mut x)?;
    same(&x.read()?, &[3, 1, 2], "before it was submitted")?;
    recording.submit()?;
    same(&x.read()?, &[1, 2, 3], "submitted")?;
    x.copy_from_slice(&[9, 7, 8])?;
    recording.submit()?;
    same(&x.read()?, &[7, 8, 9], "submitted again")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let mut keys: Vec<u32> = random(3000, 6).iter().map(|bits| *bits as u32).collect();
    let (mut x, mut y) = (device.buffer_from(&keys)?, device.buffer_from(&keys)?);
    SortBy::new("x < y").on(&first).in_place(&mut x)?;
    SortBy::new("x > y").on(&second).in_place(&mut y)?;
    keys.sort_unstable();
    same(&x.read()?, &keys, "on one stream")?;
    keys.reverse();
    same(&y.read()?, &keys, "on another")
}

fn refusals(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&[2u32, 1])?, device.buffer_from(&[9u32; 3])?);
    let kernel = |error: &OperationError| matches!(error, OperationError::Kernel(_));
    refused(SortBy::new("x << y").run(&x, y.slice_mut(1..)), kernel, &["x << y"])?;
    refused(SortBy::new("nearer(x, y)").run(&x, y.slice_mut(1..)), kernel, &["nearer"])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(SortBy::new("x < y").run(&x, &mut y), length, &["sort by a comparison", "'y' has 3", "needs 2"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(SortBy::new("x < y").in_place(y.slice_mut(2..5)), slice, &["'x'", "2..5", "3 elements"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(SortBy::new("x < y").cost::<u32>(1 << 40, device), large, &["1099511627776"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let theirs = other.buffer::<u32>(3)?;
    refused(SortBy::new("x < y").run(&theirs, &mut y), foreign, &["sort by a comparison", "'x'"])?;
    same(&y.read()?, &[9; 3], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    types::<u32>(&device)?;
    slices(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
