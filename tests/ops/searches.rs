//! Searches for the positions of values in sorted keys, and tests of the order of keys.

use std::fmt::Debug;

use anywarp::ops::{IsSorted, OperationError, SearchSorted, Side, SortKey, is_sorted, searchsorted};
use anywarp::{Device, Error, ErrorClass};
use half::{bf16, f16};

use crate::keys::{each_key, mixed, sorted};
use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/is_sorted/reference.rs"]
mod order;
#[path = "../../src/ops/searchsorted/reference.rs"]
mod places;

pub(crate) fn cases() -> Vec<Case> {
    let others: [Unnamed; 10] = [
        ("searchsorted::numpy", numpy),
        ("searchsorted::recorded", recorded),
        ("searchsorted::streams", streams),
        ("searchsorted::refusals", refusals),
        ("is_sorted::integers", |device| {
            orders::<u8>(device)?;
            orders::<i16>(device)?;
            orders::<u32>(device)?;
            orders::<i64>(device)
        }),
        ("is_sorted::floats", |device| {
            orders::<f16>(device)?;
            orders::<bf16>(device)?;
            orders::<f32>(device)?;
            orders::<f64>(device)
        }),
        ("is_sorted::nan", nan),
        ("is_sorted::long", long),
        ("is_sorted::recorded", test_recorded),
        ("is_sorted::refusals", test_refusals),
    ];
    let keys = each_key!(searches).map(|(key, run)| (format!("searchsorted::{key}"), run));
    keys.into_iter().chain(others.map(|(name, run)| (name.to_owned(), run))).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::searchsorted".to_owned(), Box::new(clean))
}

fn search<'r>(descending: bool, right: bool) -> SearchSorted<'r> {
    let search = SearchSorted::new().side(if right { Side::Right } else { Side::Left });
    if descending { search.descending() } else { search }
}

/// Searches are right for keys with NaN, and for keys and values that begin at an odd element of their buffers.
fn searches<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
    for (length, count) in [(0, 5), (1, 3), (2, 0), (5, 257), (1000, 300)] {
        for descending in [false, true] {
            let (keys, values) = (sorted::<K>(length + 3, 5, descending), mixed::<K>(count + 1, 6));
            let (x, v) = (device.buffer_from(&keys)?, device.buffer_from(&values)?);
            for right in [false, true] {
                let wanted = places::searchsorted(&keys[1..=length], &values[1..], descending, right);
                let mut all = device.buffer_from(&vec![77u32; count + 4])?;
                let to = all.slice_mut(3..3 + count);
                search(descending, right).run(x.slice(1..=length), v.slice(1..), to)?;
                let what = format!("{length} keys, {count} values, descending {descending}, right {right}");
                same(&all.read()?[3..3 + count], &wanted, &what)?;
                same(&[&all.read()?[..3], &all.read()?[3 + count..]].concat(), &[77; 4], "around")?;
            }
        }
    }
    Ok(())
}

/// The positions are those of `numpy.searchsorted([-inf, -1, -0.0, 0, 1, inf, nan, nan], v, side)`, for these keys and
/// other values.
fn numpy(device: &Device) -> TestResult {
    let keys = [f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, f32::INFINITY, f32::NAN, -f32::NAN];
    let values = [f32::NEG_INFINITY, -1.0, 0.0, -0.0, 1e-45, f32::INFINITY, f32::NAN, f32::MAX, f32::MIN];
    let (x, v) = (device.buffer_from(&keys)?, device.buffer_from(&values)?);
    let mut places = device.buffer::<u32>(values.len())?;
    searchsorted(&x, &v, &mut places)?;
    same(&places.read()?, &[0, 1, 2, 2, 4, 5, 6, 5, 1], "left")?;
    SearchSorted::new().side(Side::Right).run(&x, &v, &mut places)?;
    same(&places.read()?, &[1, 2, 4, 4, 4, 6, 8, 5, 1], "right")
}

fn recorded(device: &Device) -> TestResult {
    let (x, mut v) = (device.buffer_from(&[10u32, 20, 30])?, device.buffer_from(&[15u32, 30])?);
    let mut places = device.buffer::<u32>(2)?;
    let mut recording = device.recording();
    SearchSorted::new().record(&mut recording).run(&x, &v, &mut places)?;
    same(&places.read()?, &[0, 0], "before it was submitted")?;
    recording.submit()?;
    same(&places.read()?, &[1, 2], "submitted")?;
    v.copy_from_slice(&[99, 10])?;
    recording.submit()?;
    same(&places.read()?, &[3, 0], "submitted again")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let (x, v) = (device.buffer_from(&[1i32, 2, 2])?, device.buffer_from(&[2i32])?);
    let (mut left, mut right) = (device.buffer::<u32>(1)?, device.buffer::<u32>(1)?);
    SearchSorted::new().on(&first).run(&x, &v, &mut left)?;
    SearchSorted::new().side(Side::Right).on(&second).run(&x, &v, &mut right)?;
    equal((left.read()?[0], right.read()?[0]), (1, 3), "on two streams")
}

fn refusals(device: &Device) -> TestResult {
    let (x, v) = (device.buffer_from(&[1u32, 2, 3])?, device.buffer_from(&[2u32; 2])?);
    let mut places = device.buffer_from(&[9u32; 3])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(searchsorted(&x, &v, &mut places), length, &["searchsorted: 'places' has 3 elements", "needs 2"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(searchsorted(x.slice(2..5), &v, places.slice_mut(1..)), slice, &["'keys'", "2..5", "3 elements"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(SearchSorted::new().cost::<u64>(1 << 40, 1, device), large, &["searchsorted", "1099511627776"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(searchsorted(&other.buffer::<u32>(3)?, &v, places.slice_mut(1..)), foreign, &["'keys'"])?;
    let guard = v.read()?;
    let in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    refused(searchsorted(&x, &v, places.slice_mut(1..)), in_use, &["searchsorted: 'values' is in use"])?;
    drop(guard);
    same(&places.read()?, &[9; 3], "nothing has run")
}

fn test<'r>(descending: bool) -> IsSorted<'r> {
    if descending { IsSorted::new().descending() } else { IsSorted::new() }
}

/// The test of the order is right for sorted keys, and for the same keys with one pair exchanged.
fn orders<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
    for length in [0, 1, 2, 3, 255, 256, 257, 1024, 1025, 1026, 5000] {
        for descending in [false, true] {
            let mut keys = sorted::<K>(length + 1, 7, descending);
            let mut result = device.buffer_from(&[5u32; 3])?;
            let x = device.buffer_from(&keys)?;
            test(descending).run(x.slice(1..), result.slice_mut(1..2))?;
            same(&result.read()?, &[5, 1, 5], &format!("{length} keys, descending {descending}"))?;
            for at in [1, length / 2 + 1, length.saturating_sub(1)] {
                if at + 1 >= keys.len() {
                    continue;
                }
                keys.swap(at, at + 1);
                let wanted = order::is_sorted(&keys[1..], descending);
                let x = device.buffer_from(&keys)?;
                test(descending).run(x.slice(1..), result.slice_mut(1..2))?;
                let what = format!("{length} keys, exchanged at {at}, descending {descending}");
                same(&result.read()?, &[5, wanted.into(), 5], &what)?;
                keys.swap(at, at + 1);
            }
        }
    }
    Ok(())
}

fn nan(device: &Device) -> TestResult {
    let test = |keys: &[f32]| -> TestResult<[bool; 2]> {
        let x = device.buffer_from(keys)?;
        let mut result = device.buffer::<u32>(1)?;
        IsSorted::new().descending().run(&x, &mut result)?;
        Ok([is_sorted(&x)?, result.read()?[0] == 1])
    };
    equal(test(&[1.0, f32::INFINITY, f32::NAN, -f32::NAN])?, [true, false], "NaN is last")?;
    equal(test(&[f32::INFINITY, 1.0, f32::NAN, f32::NAN])?, [false, true], "also in descending order")?;
    equal(test(&[f32::NAN, 1.0])?, [false, false], "NaN is not first")?;
    equal(test(&[0.0, -0.0, 0.0])?, [true, true], "zeros are equal")
}

/// A wrong pair is found at the end of many workgroups.
fn long(device: &Device) -> TestResult {
    let mut keys: Vec<u32> = (0..1_500_000).collect();
    equal(is_sorted(&device.buffer_from(&keys)?)?, true, "sorted")?;
    keys[1_499_999] = 0;
    equal(is_sorted(&device.buffer_from(&keys)?)?, false, "the last pair")
}

fn test_recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1u32, 3, 2])?;
    let mut result = device.buffer_from(&[7u32])?;
    let mut recording = device.recording();
    IsSorted::new().record(&mut recording).run(&x, &mut result)?;
    recording.submit()?;
    same(&result.read()?, &[0], "not sorted")?;
    x.copy_from_slice(&[1, 3, 3])?;
    recording.submit()?;
    same(&result.read()?, &[1], "sorted")
}

fn test_refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1u32, 2, 3])?;
    let mut result = device.buffer_from(&[9u32; 2])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(IsSorted::new().run(&x, &mut result), length, &["is_sorted: 'result' has 2 elements", "needs 1"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(is_sorted(x.slice(2..5)), slice, &["is_sorted: 'keys'", "2..5"])?;
    equal(Error::from(is_sorted(x.slice(2..5)).unwrap_err()).class(), ErrorClass::Programmer, "class")?;
    same(&result.read()?, &[9; 2], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    searches::<u8>(&device)?;
    searches::<f64>(&device)?;
    orders::<f16>(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
