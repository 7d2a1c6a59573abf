//! Sorted keys, pairs and indices.

use std::fmt::Debug;

use anywarp::ops::{OperationError, Sort, SortKey, SortWay, argsort, sort, sort_pairs};
use anywarp::{Device, Error, ErrorClass, LaunchError};
use half::{bf16, f16};

use crate::keys::{self as reference, each_key, mixed, random};
use crate::outcome::{Context, TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let others: [Unnamed; 10] = [
        ("orders", orders),
        ("floats", floats),
        ("bits", bits),
        ("ways", ways),
        ("many_keys", many_keys),
        ("slices", slices),
        ("recorded", recorded),
        ("streams", streams),
        ("written", written),
        ("refusals", refusals),
    ];
    each_key!(types).into_iter().chain(others).map(|(name, run)| (format!("sort::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::sort".to_owned(), Box::new(clean))
}

/// Compares the results of all calls with the reference. The bits are compared, including those of NaN and zeros.
fn all_calls<K: SortKey + PartialOrd + Debug>(device: &Device, keys: &[K]) -> TestResult {
    let length = keys.len();
    let indices: Vec<u32> = (0..length as u32).collect();
    for descending in [false, true] {
        let said = format!("{length} keys, descending {descending}");
        let new = || if descending { Sort::new().descending() } else { Sort::new() };
        let order = reference::argsort(keys, descending);
        let wanted: Vec<K> = order.iter().map(|at| keys[*at as usize]).collect();
        let x = device.buffer_from(keys)?;
        let mut y = device.buffer::<K>(length)?;
        new().run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("run, {said}"))?;
        let mut of_keys = device.buffer::<u32>(length)?;
        new().argsort(&x, &mut of_keys)?;
        same(&of_keys.read()?, &order, &format!("argsort, {said}"))?;
        same(&x.read()?, keys, "the keys are unchanged")?;
        let values = device.buffer_from(&indices)?;
        let (mut sorted_keys, mut sorted_values) = (device.buffer::<K>(length)?, device.buffer::<u32>(length)?);
        new().pairs(&x, &values, &mut sorted_keys, &mut sorted_values)?;
        same(&sorted_keys.read()?, &wanted, &format!("keys of pairs, {said}"))?;
        same(&sorted_values.read()?, &order, &format!("values of pairs, {said}"))?;
        let mut in_place = device.buffer_from(keys)?;
        new().in_place(&mut in_place)?;
        same(&in_place.read()?, &wanted, &format!("in place, {said}"))?;
        let mut in_place = device.buffer_from(keys)?;
        let doubles: Vec<f64> = indices.iter().map(|at| f64::from(*at)).collect();
        let mut values = device.buffer_from(&doubles)?;
        new().pairs_in_place(&mut in_place, &mut values)?;
        same(&in_place.read()?, &wanted, &format!("keys of pairs in place, {said}"))?;
        let order: Vec<f64> = order.iter().map(|at| f64::from(*at)).collect();
        same(&values.read()?, &order, &format!("values of pairs in place, {said}"))?;
    }
    Ok(())
}

fn types<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
    for length in [0, 1, 2, 257, 3328, 3329, 16_411] {
        all_calls::<K>(device, &mixed(length, length as u64 + 1))?;
    }
    let keys: Vec<K> = mixed(10_007, 5);
    let wanted: Vec<K> = reference::argsort(&keys, false).iter().map(|at| keys[*at as usize]).collect();
    let mut x = device.buffer_from(&keys)?;
    sort(&mut x)?;
    same(&x.read()?, &wanted, "the plain call")
}

/// Sorts are right for keys in orders for which a sort could be slow or wrong.
fn orders(device: &Device) -> TestResult {
    let count = 50_021;
    let numbers = random(count, 3);
    let zipf = |bits: &u64| u64::from(u32::MAX) / ((bits >> 44) + 1);
    let all: [(&str, Vec<u32>); 7] = [
        ("sorted", (0..count as u32).map(|at| at * 3).collect()),
        ("reversed", (0..count as u32).map(|at| u32::MAX - at * 3).collect()),
        ("one value", vec![0x0102_0304; count]),
        ("the last value", vec![u32::MAX; count]),
        ("Zipf", numbers.iter().map(|bits| zipf(bits) as u32).collect()),
        ("two distinct bits", numbers.iter().map(|bits| *bits as u32 & 0x0010_0200).collect()),
        ("sawtooth", (0..count as u32).map(|at| ((at % 255) << 24) | (at % 7)).collect()),
    ];
    all.iter().try_for_each(|(name, keys)| all_calls(device, keys).context(|| (*name).to_owned()))
}

fn floats(device: &Device) -> TestResult {
    let special = [0x0000_0000u32, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0000, 0x7f80_0001];
    let special = special.into_iter().chain([0xffff_ffff, 0x0000_0001, 0x8000_0001, 0x7f7f_ffff, 0xff7f_ffff]);
    let special: Vec<f32> = special.map(f32::from_bits).collect();
    for length in [special.len(), 5000, 40_000] {
        let keys: Vec<f32> = random(length, 9).iter().map(|bits| special[*bits as usize % special.len()]).collect();
        all_calls(device, &keys)?;
        all_calls(device, &keys.iter().copied().map(f64::from).collect::<Vec<_>>())?;
    }
    // The keys include NaN with the upper word of an infinity, and both subnormal numbers next to zero.
    let tricky = [0x7ff0_0000_0000_0001u64, 0xfff0_0000_0000_0001, 1, 0x8000_0000_0000_0001, 0, 1 << 63];
    let keys: Vec<f64> = (0..5000).map(|at| f64::from_bits(tricky[at % tricky.len()])).collect();
    all_calls(device, &keys)
}

fn bits(device: &Device) -> TestResult {
    let wide = mixed::<u64>(7001, 4);
    for (low, high) in [(0, 1), (4, 12), (0, 32), (28, 36), (32, 64), (63, 64), (3, 61)] {
        let part: Vec<u64> = wide.iter().map(|key| key << (64 - high) >> (64 - high + low)).collect();
        let order = reference::argsort(&part, true);
        let wanted: Vec<u64> = order.iter().map(|at| wide[*at as usize]).collect();
        let mut x = device.buffer_from(&wide)?;
        Sort::new().bits(low..high).descending().in_place(&mut x)?;
        same(&x.read()?, &wanted, &format!("bits {low}..{high} of u64"))?;
    }
    let narrow = mixed::<i16>(7001, 6);
    for (low, high) in [(0, 16), (8, 16), (2, 9), (15, 16)] {
        // The highest bit is a sign; a part without it is a number without a sign.
        let part: Vec<i32> = narrow
            .iter()
            .map(|key| {
                let all = i32::from(*key);
                if high == 16 { all >> low } else { (all >> low) & ((1 << (high - low)) - 1) }
            })
            .collect();
        let order = reference::argsort(&part, false);
        let mut indices = device.buffer::<u32>(narrow.len())?;
        Sort::new().bits(low..high).argsort(&device.buffer_from(&narrow)?, &mut indices)?;
        same(&indices.read()?, &order, &format!("bits {low}..{high} of i16"))?;
    }
    Ok(())
}

/// Each way that the device supports sorts right, also where it is not the default.
fn ways(device: &Device) -> TestResult {
    let mut some = false;
    for way in [SortWay::Small, SortWay::Pieces, SortWay::Workgroups, SortWay::Subgroups, SortWay::Sweep] {
        if Sort::new().way(way).cost::<u32>(1, device).is_err() {
            continue;
        }
        some = true;
        for length in [1, 3000, 30_011] {
            let keys = mixed::<i64>(length, 12);
            let order = reference::argsort(&keys, true);
            let wanted: Vec<i64> = order.iter().map(|at| keys[*at as usize]).collect();
            let (x, mut y) = (device.buffer_from(&keys)?, device.buffer::<i64>(length)?);
            let values = device.buffer_from(&(0..length as u32).collect::<Vec<_>>())?;
            let mut sorted_values = device.buffer::<u32>(length)?;
            Sort::new().descending().way(way).pairs(&x, &values, &mut y, &mut sorted_values)?;
            same(&y.read()?, &wanted, &format!("{length} keys, {way:?}"))?;
            same(&sorted_values.read()?, &order, &format!("{length} values, {way:?}"))?;
        }
    }
    ensure(some, || "there is no way to sort".to_owned())
}

/// Sorts are right for more keys than 65,535 workgroups have invocations.
fn many_keys(device: &Device) -> TestResult {
    let length = 65_535 * 256 + 1000;
    let keys: Vec<u8> = (0..length).map(|at: i32| (at.wrapping_mul(7919) >> 3) as u8).collect();
    let mut counts = [0; 256];
    keys.iter().for_each(|key| counts[usize::from(*key)] += 1);
    let mut x = device.buffer_from(&keys)?;
    sort(&mut x)?;
    let wanted: Vec<u8> = (0..=255u8).flat_map(|key| std::iter::repeat_n(key, counts[usize::from(key)])).collect();
    ensure(*x.read()? == wanted[..], || "the keys are not sorted".to_owned())
}

/// Slices at any offset work; elements around them are unchanged.
fn slices(device: &Device) -> TestResult {
    fn of<K: SortKey + PartialOrd + Debug>(device: &Device) -> TestResult {
        let all = mixed::<K>(9000, 11);
        for (from, length) in [(1, 5), (3, 1000), (64, 128), (7, 0), (129, 8000)] {
            let part = from..from + length;
            let order = reference::argsort(&all[part.clone()], false);
            let mut wanted = all.clone();
            order.iter().zip(part.clone()).for_each(|(index, at)| wanted[at] = all[from + *index as usize]);
            let mut x = device.buffer_from(&all)?;
            let mut values = device.buffer_from(&(0..9000u32).collect::<Vec<_>>())?;
            sort_pairs(x.slice_mut(part.clone()), values.slice_mut(500..500 + length))?;
            same(&x.read()?, &wanted, &format!("{length} keys from {from}"))?;
            let mut moved: Vec<u32> = (0..9000).collect();
            order.iter().zip(500..).for_each(|(index, at)| moved[at] = 500 + index);
            same(&values.read()?, &moved, &format!("the values of {length} keys from {from}"))?;
            let source = device.buffer_from(&all)?;
            let mut target = device.buffer_from(&all)?;
            Sort::new().run(source.slice(part.clone()), target.slice_mut(2..2 + length))?;
            let mut moved = all.clone();
            moved[2..2 + length].copy_from_slice(&wanted[part]);
            same(&target.read()?, &moved, &format!("{length} keys from {from} to 2"))?;
        }
        Ok(())
    }
    of::<u8>(device)?;
    of::<i16>(device)?;
    of::<f32>(device)?;
    of::<u64>(device)
}

fn recorded(device: &Device) -> TestResult {
    for length in [100, 20_000] {
        let (first, second) = (mixed::<i32>(length, 1), mixed::<i32>(length, 2));
        let sorted = |keys: &[i32]| {
            let mut keys = keys.to_vec();
            keys.sort();
            keys
        };
        let mut x = device.buffer_from(&first)?;
        let mut recording = device.recording();
        Sort::new().record(&mut recording).in_place(&mut x)?;
        same(&x.read()?, &first, "before it was submitted")?;
        recording.submit()?;
        same(&x.read()?, &sorted(&first), "submitted")?;
        x.copy_from_slice(&second)?;
        recording.submit()?;
        same(&x.read()?, &sorted(&second), "submitted again, with other keys")?;
    }
    Ok(())
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let keys = mixed::<u32>(30_000, 8);
    let (mut x, mut y) = (device.buffer_from(&keys)?, device.buffer_from(&keys)?);
    Sort::new().on(&first).in_place(&mut x)?;
    Sort::new().descending().on(&second).in_place(&mut y)?;
    let mut wanted = keys;
    wanted.sort_unstable();
    same(&x.read()?, &wanted, "on one stream")?;
    wanted.reverse();
    same(&y.read()?, &wanted, "on another")
}

/// A sort can follow a write of the keys by the host, and another sort of them.
fn written(device: &Device) -> TestResult {
    let mut x = device.buffer::<u32>(4000)?;
    for seed in 0..3 {
        let mut keys = mixed::<u32>(4000, seed);
        x.write()?.copy_from_slice(&keys);
        sort(&mut x)?;
        keys.sort_unstable();
        same(&x.read()?, &keys, "sorted after a write")?;
        Sort::new().descending().in_place(&mut x)?;
        keys.reverse();
        same(&x.read()?, &keys, "sorted again")?;
    }
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&[5u32, 3, 4])?, device.buffer_from(&[9u32; 3])?);
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let short = device.buffer::<f32>(2)?;
    refused(argsort(&x, y.slice_mut(1..)), length, &["sort: 'indices' has 2 elements", "[3] needs 3"])?;
    let mut other = device.buffer::<f32>(3)?;
    refused(Sort::new().pairs(&x, &short, &mut y, &mut other), length, &["'values' has 2 elements"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(sort(y.slice_mut(2..5)), slice, &["sort: 'x': ", "2..5", "3 elements"])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(Sort::new().bits(0..33).run(&x, &mut y), choice, &["bit range 0..33", "0..32 for u32"])?;
    refused(Sort::new().bits(7..7).run(&x, &mut y), choice, &["bit range 7..7", "one bit or more"])?;
    refused(Sort::new().bits(0..8).in_place(&mut other), choice, &["bit range 0..8", "always compared by all bits"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Sort::new().cost::<u64>(1 << 32, device), large, &["sort", "4294967296"])?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let reopened = device.reopen()?;
    refused(Sort::new().on(&reopened.stream()).in_place(&mut y), foreign, &["sort", "the stream"])?;
    refused(Sort::new().run(&reopened.buffer::<u32>(3)?, &mut y), foreign, &["sort", "'y'"])?;
    let mut both = device.buffer_from(&[2u32, 1, 4, 3])?;
    let (keys, values) = both.slice_mut(..).split_at_mut(2);
    let outcome = sort_pairs(keys, values);
    if device.caps().limits.storage_offset_alignment > 8 {
        let conflict = |error: &OperationError| matches!(error, OperationError::Launch(LaunchError::Conflict { .. }));
        refused(outcome, conflict, &["'keys'", "'values'", "use separate buffers"])?;
        same(&both.read()?, &[2, 1, 4, 3], "no pair was sorted")?;
    } else {
        outcome?;
        same(&both.read()?, &[1, 2, 3, 4], "two halves of one buffer")?;
    }
    let class = Error::from(sort(y.slice_mut(2..5)).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    let guard = x.read()?;
    let in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    refused(Sort::new().run(&x, &mut y), in_use, &["sort: 'x' is in use"])?;
    drop(guard);
    same(&y.read()?, &[9; 3], "no sort has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for length in [1, 300, 17_001] {
        all_calls(&device, &mixed::<u8>(length, 1))?;
        all_calls(&device, &mixed::<f32>(length, 2))?;
        all_calls(&device, &mixed::<i64>(length, 3))?;
    }
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
