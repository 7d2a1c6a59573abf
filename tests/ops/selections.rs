//! Selections and run lengths.

use anywarp::ops::{
    OperationError, RunLengths, ScanForm, Select, nonzero, partition, run_length_decode, run_length_encode, select,
    unique,
};
use anywarp::{Device, Error, ErrorClass};
use half::f16;

use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/select/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("flags", flags),
        ("conditions", conditions),
        ("unique", neighbours),
        ("nonzero", not_zero),
        ("partition", both_sides),
        ("types", types),
        ("short_outputs", short_outputs),
        ("slices", slices),
        ("long", long),
        ("counts_feed_launches", counts_feed_launches),
        ("run_lengths", run_lengths),
        ("runs_of_nothing", runs_of_nothing),
        ("recorded", recorded),
        ("streams", streams),
        ("refusals", refusals),
    ];
    cases.into_iter().map(|(name, run)| (format!("select::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::select".to_owned(), Box::new(clean))
}

const LENGTHS: [usize; 12] = [0, 1, 2, 31, 256, 257, 2047, 3328, 3329, 6657, 20_011, 60_001];

const FORMS: [ScanForm; 4] =
    [ScanForm::Chained, ScanForm::Tiles, ScanForm::Lines { parts: 1 }, ScanForm::Lines { parts: 64 }];

fn numbers(length: usize) -> Vec<u32> {
    (0..length as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect()
}

/// Numbers in runs of one or more equal elements.
fn in_runs(length: usize) -> Vec<u32> {
    let mut value = 0;
    numbers(length)
        .iter()
        .map(|x| {
            if x % 4 == 0 {
                value = x % 5;
                value
            } else {
                value
            }
        })
        .collect()
}

fn at<T: Copy>(x: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|at| x[*at]).collect()
}

fn flags(device: &Device) -> TestResult {
    for length in LENGTHS {
        let all = numbers(length);
        // The choices select none of the elements, all, half, and few.
        let choices: [fn(u32) -> bool; 4] = [|_| false, |_| true, |x| x % 2 == 0, |x| x % 400 == 9];
        for (at_choice, is_kept) in choices.into_iter().enumerate() {
            let flags: Vec<u32> = all.iter().map(|x| if is_kept(*x) { x + 1 } else { 0 }).collect();
            let [kept, _] = reference::selected(length, |at| flags[at] != 0);
            let (x, flags) = (device.buffer_from(&all)?, device.buffer_from(&flags)?);
            for form in FORMS {
                let mut y = device.buffer_from(&vec![99u32; length])?;
                let count = Select::flags(&flags).form(form).run(&x, &mut y)?;
                let what = format!("{length} elements, {form:?}, choice {at_choice}");
                equal(count.read()? as usize, kept.len(), &what)?;
                same(&y.read()?[..kept.len()], &at(&all, &kept), &what)?;
                ensure(y.read()?[kept.len()..].iter().all(|behind| *behind == 99), || format!("{what}: behind"))?;
            }
            let mut y = device.buffer::<u32>(length)?;
            let count = select(&x, &flags, &mut y)?;
            same(&y.read()?[..count.read()? as usize], &at(&all, &kept), "the plain call")?;
        }
    }
    Ok(())
}

fn conditions(device: &Device) -> TestResult {
    let all: Vec<f32> = numbers(10_007).iter().map(|x| *x as f32 - 2000.5).collect();
    let x = device.buffer_from(&all)?;
    let [kept, _] = reference::selected(all.len(), |at| all[at] > 0.0 && at % 3 != 1);
    for form in FORMS {
        let mut y = device.buffer::<f32>(all.len())?;
        let condition =
            Select::new("above(x) && i % 3u != 1u").preamble("fn above(x: f32) -> bool { return x > 0.0; }");
        let count = condition.form(form).run(&x, &mut y)?;
        same(&y.read()?[..count.read()? as usize], &at(&all, &kept), &format!("{form:?}"))?;
    }
    Ok(())
}

fn neighbours(device: &Device) -> TestResult {
    for length in LENGTHS {
        let all = in_runs(length);
        let [kept, _] = reference::selected(length, |at| at == 0 || all[at] != all[at - 1]);
        let x = device.buffer_from(&all)?;
        let mut y = device.buffer::<u32>(length)?;
        let count = unique(&x, &mut y)?;
        same(&y.read()?[..count.read()? as usize], &at(&all, &kept), &format!("{length} elements"))?;
        for form in FORMS {
            y.fill(99)?;
            let count = Select::changes().form(form).run(&x, &mut y)?;
            same(&y.read()?[..count.read()? as usize], &at(&all, &kept), &format!("{length} elements, {form:?}"))?;
        }
    }
    let x = device.buffer_from(&[1.0f32, 1.0, f32::NAN, f32::NAN, 0.0, -0.0])?;
    let mut y = device.buffer::<f32>(6)?;
    equal(unique(&x, &mut y)?.read()?, 4, "a NaN is equal to no element, and the zeros are equal")
}

fn not_zero(device: &Device) -> TestResult {
    let all: Vec<i32> = numbers(20_011).iter().map(|x| *x as i32 % 5 - 2).collect();
    let x = device.buffer_from(&all)?;
    let [kept, _] = reference::selected(all.len(), |at| all[at] != 0);
    let wanted: Vec<u32> = kept.iter().map(|at| *at as u32).collect();
    let mut indices = device.buffer::<u32>(all.len())?;
    let count = nonzero(&x, &mut indices)?;
    same(&indices.read()?[..count.read()? as usize], &wanted, "indices")?;
    for form in FORMS {
        indices.fill(99)?;
        let count = Select::not_zero().form(form).indices(&x, &mut indices)?;
        same(&indices.read()?[..count.read()? as usize], &wanted, &format!("{form:?}"))?;
    }
    let x = device.buffer_from(&[[0.0f32, 0.0], [0.0, 1.0], [-0.0, 0.0], [f32::NAN, 0.0]])?;
    let count = nonzero(&x, &mut indices)?;
    same(&indices.read()?[..count.read()? as usize], &[1, 3], "vectors")
}

fn both_sides(device: &Device) -> TestResult {
    for length in LENGTHS {
        let all = numbers(length);
        let flags: Vec<u32> = all.iter().map(|x| x % 3).collect();
        let [kept, rest] = reference::selected(length, |at| flags[at] != 0);
        let (x, flags) = (device.buffer_from(&all)?, device.buffer_from(&flags)?);
        let (mut y, mut z) = (device.buffer::<u32>(length)?, device.buffer::<u32>(length)?);
        let count = partition(&x, &flags, &mut y, &mut z)?.read()? as usize;
        equal(count, kept.len(), "the plain call")?;
        for form in FORMS {
            y.fill(9999)?;
            z.fill(9999)?;
            let count = Select::flags(&flags).form(form).partition(&x, &mut y, &mut z)?.read()? as usize;
            same(&y.read()?[..count], &at(&all, &kept), &format!("{length} elements, {form:?}: kept"))?;
            same(&z.read()?[..length - count], &at(&all, &rest), &format!("{length} elements, {form:?}: the rest"))?;
        }
    }
    Ok(())
}

fn types(device: &Device) -> TestResult {
    let features = device.caps().feature_names();
    let flags = device.buffer_from(&[0u32, 1, 1, 0, 1])?;
    if features.contains(&"f16") {
        let x = device.buffer_from(&[1.0, 2.0, 3.0, 4.0, 5.0].map(f16::from_f32))?;
        let mut y = device.buffer::<f16>(6)?;
        let count = select(&x, &flags, y.slice_mut(1..))?;
        same(&y.read()?[1..=count.read()? as usize], &[2.0, 3.0, 5.0].map(f16::from_f32), "f16")?;
    }
    if features.contains(&"i64") {
        let x = device.buffer_from(&[1u64, 2 << 40, 3, 4, 5])?;
        let mut y = device.buffer::<u64>(5)?;
        let count = select(&x, &flags, &mut y)?;
        same(&y.read()?[..count.read()? as usize], &[2 << 40, 3, 5], "u64")?;
    }
    // The bits of a NaN must be preserved.
    let odd = f32::from_bits(0x7fa0_0001);
    let x = device.buffer_from(&[[1.0f32; 4], [odd, 2.0, -0.0, f32::from_bits(1)], [3.0; 4], [4.0; 4], [5.0; 4]])?;
    let mut y = device.buffer::<[f32; 4]>(5)?;
    let count = select(&x, &flags, &mut y)?;
    let wanted = [[odd, 2.0, -0.0, f32::from_bits(1)], [3.0; 4], [5.0; 4]];
    same(&y.read()?[..count.read()? as usize], &wanted, "vectors")
}

/// A short output receives the first elements, and the count is that of all.
fn short_outputs(device: &Device) -> TestResult {
    let all = numbers(10_000);
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let (mut y, mut z) = (device.buffer_from(&[7u32; 12])?, device.buffer_from(&[8u32; 12])?);
        let condition = || Select::new("x % 2u == 0u").form(form);
        let count = condition().partition(&x, y.slice_mut(1..11), z.slice_mut(2..9))?;
        let [kept, rest] = reference::selected(all.len(), |at| all[at].is_multiple_of(2));
        equal(count.read()? as usize, kept.len(), "all are counted")?;
        equal(count.max(), 10, "launches take those that are there")?;
        let mut wanted = [7; 12];
        wanted[1..11].copy_from_slice(&at(&all, &kept[..10]));
        same(&y.read()?, &wanted, &format!("{form:?}: kept"))?;
        let mut wanted = [8; 12];
        wanted[2..9].copy_from_slice(&at(&all, &rest[..7]));
        same(&z.read()?, &wanted, &format!("{form:?}: the rest"))?;
        equal(condition().run(&x, y.slice_mut(..0))?.read()? as usize, kept.len(), "without an output")?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    let all = in_runs(9000);
    let x = device.buffer_from(&all)?;
    for (from, to, length) in [(1, 3, 5), (3, 1, 4000), (64, 65, 3328), (7, 7, 0), (130, 9, 8001)] {
        let flags = device.buffer_from(&numbers(length + 2).iter().map(|x| x % 2).collect::<Vec<u32>>())?;
        let part = &all[from..from + length];
        for form in FORMS {
            let mut y = device.buffer_from(&[99u32; 9000])?;
            let source = x.slice(from..from + length);
            let kept_flags = Select::flags(flags.slice(2..)).form(form);
            let count = kept_flags.run(source, y.slice_mut(to..to + length))?.read()? as usize;
            let [kept, _] = reference::selected(length, |at| !numbers(length + 2)[at + 2].is_multiple_of(2));
            let mut wanted = vec![99; 9000];
            wanted[to..to + count].copy_from_slice(&at(part, &kept));
            same(&y.read()?, &wanted, &format!("{length} elements from {from} to {to}, {form:?}"))?;
        }
    }
    Ok(())
}

fn long(device: &Device) -> TestResult {
    let all: Vec<u32> = (0..3_000_017).collect();
    let x = device.buffer_from(&all)?;
    let mut y = device.buffer::<u32>(all.len())?;
    for form in [None, Some(ScanForm::Chained), Some(ScanForm::Tiles)] {
        y.fill(99)?;
        let condition = Select::new("x % 3u == 1u");
        let condition = if let Some(form) = form { condition.form(form) } else { condition };
        let count = condition.run(&x, &mut y)?.read()? as usize;
        equal(count, 1_000_006, "the number")?;
        let got = y.read()?;
        ensure(got[..count].iter().enumerate().all(|(at, y)| *y as usize == 3 * at + 1), || format!("{form:?}"))?;
    }
    Ok(())
}

fn counts_feed_launches(device: &Device) -> TestResult {
    let double = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;
         @group(0) @binding(1) var<storage> count: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
             if id.x < count[0] { y[id.x] *= 2u; }
         }",
    )?;
    let x = device.buffer_from(&Vec::from_iter(0..1000u32))?;
    let mut y = device.buffer_from(&[1u32; 1000])?;
    let count = Select::new("x % 10u == 0u").run(&x, &mut y)?;
    double.launch().bind("y", &mut y).bind("count", &count).threads_of(&count)?;
    let wanted: Vec<u32> = (0..1000).map(|at| if at < 100 { at * 20 } else { 1 }).collect();
    same(&y.read()?, &wanted, "the launch has the size of the selection")
}

fn run_lengths(device: &Device) -> TestResult {
    for length in LENGTHS {
        let all = in_runs(length);
        let [starts, _] = reference::selected(length, |at| at == 0 || all[at] != all[at - 1]);
        let ends = starts.iter().skip(1).copied().chain([length]);
        let wanted: Vec<u32> = starts.iter().zip(ends).map(|(start, end)| (end - start) as u32).collect();
        let x = device.buffer_from(&all)?;
        let (mut values, mut lengths) = (device.buffer::<u32>(length)?, device.buffer::<u32>(length)?);
        for form in FORMS {
            values.fill(99)?;
            lengths.fill(99)?;
            let count = RunLengths::new().form(form).encode(&x, &mut values, &mut lengths)?.read()? as usize;
            same(&values.read()?[..count], &at(&all, &starts), &format!("{length} elements, {form:?}: values"))?;
            same(&lengths.read()?[..count], &wanted, &format!("{length} elements, {form:?}: lengths"))?;
            let mut y = device.buffer_from(&vec![99u32; length + 3])?;
            let runs = RunLengths::new().form(form);
            let total = runs.decode(values.slice(..count), lengths.slice(..count), y.slice_mut(1..))?;
            equal(total.read()? as usize, length, "the number of elements")?;
            same(&y.read()?[1..=length], &all, &format!("{length} elements, {form:?}: decoded"))?;
            ensure(y.read()?[length + 1..] == [99; 2], || "behind the elements".to_owned())?;
        }
        // The outputs have room for some of the runs only.
        let some = starts.len().min(5);
        let count = run_length_encode(&x, values.slice_mut(..some), lengths.slice_mut(..some))?;
        equal(count.read()? as usize, starts.len(), "the number of all runs")?;
        same(&lengths.read()?[..some], &wanted[..some], "the first runs")?;
    }
    Ok(())
}

fn runs_of_nothing(device: &Device) -> TestResult {
    let values = device.buffer_from(&[1.5f32, 2.5, 3.5, 4.5, 5.5])?;
    let lengths = device.buffer_from(&[0u32, 2, 0, 3, 0])?;
    let mut y = device.buffer_from(&[9.0f32; 7])?;
    equal(run_length_decode(&values, &lengths, &mut y)?.read()?, 5, "the number")?;
    same(&y.read()?, &[2.5, 2.5, 4.5, 4.5, 4.5, 9.0, 9.0], "elements")?;
    equal(run_length_decode(&values, &lengths, y.slice_mut(..0))?.read()?, 5, "without an output")?;
    equal(run_length_decode(&values, &lengths, y.slice_mut(..3))?.read()?, 5, "the number of all")?;
    same(&y.read()?[..3], &[2.5, 2.5, 4.5], "the first elements")?;
    let none = device.buffer_from(&[0u32; 5])?;
    equal(run_length_decode(&values, &none, &mut y)?.read()?, 0, "no elements")?;
    equal(run_length_decode(values.slice(..0), none.slice(..0), &mut y)?.read()?, 0, "no runs")
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer::<u32>(5000)?;
    let mut y = device.buffer::<u32>(5000)?;
    let (mut values, mut lengths) = (device.buffer::<u32>(5000)?, device.buffer::<u32>(5000)?);
    for form in FORMS {
        let mut recording = device.recording();
        let count = Select::new("x % 3u == 0u").form(form).record(&mut recording).run(&x, &mut y)?;
        let runs = RunLengths::new().form(form).record(&mut recording).encode(&x, &mut values, &mut lengths)?;
        equal(count.read()?, 0, "before it was submitted")?;
        for scale in [1, 3] {
            let all: Vec<u32> = in_runs(5000).iter().map(|x| x * scale).collect();
            x.copy_from_slice(&all)?;
            recording.submit()?;
            let [kept, _] = reference::selected(5000, |at| all[at].is_multiple_of(3));
            same(&y.read()?[..count.read()? as usize], &at(&all, &kept), &format!("{form:?}"))?;
            let sum: u32 = lengths.read()?[..runs.read()? as usize].iter().sum();
            equal(sum, 5000, "the sum of the lengths")?;
        }
    }
    Ok(())
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let all = numbers(40_000);
    let x = device.buffer_from(&all)?;
    let [even, odd] = reference::selected(all.len(), |at| all[at].is_multiple_of(2));
    for form in FORMS {
        let (mut y, mut z) = (device.buffer::<u32>(all.len())?, device.buffer::<u32>(all.len())?);
        let count = Select::new("x % 2u == 0u").form(form).on(&first).run(&x, &mut y)?;
        let rest = Select::new("x % 2u == 1u").form(form).on(&second).run(&x, &mut z)?;
        same(&y.read()?[..count.read()? as usize], &at(&all, &even), "on one stream")?;
        same(&z.read()?[..rest.read()? as usize], &at(&all, &odd), "on another")?;
    }
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[5u32; 6])?;
    let mut y = device.buffer_from(&[7u32; 6])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(select(&x, x.slice(1..), &mut y), is_length, &["selection: 'flags' has 5 elements", "[6] needs 6"])?;
    let mut lengths = device.buffer::<u32>(5)?;
    refused(run_length_encode(&x, &mut y, &mut lengths), is_length, &["run lengths: 'lengths' has 5", "needs 6"])?;
    refused(run_length_decode(&x, &lengths, &mut y), is_length, &["run lengths: 'lengths' has 5", "needs 6"])?;
    let is_slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(unique(x.slice(4..9), &mut y), is_slice, &["selection: 'x'", "4..9", "6 elements"])?;
    refused(nonzero(&x, y.slice_mut(7..)), is_slice, &["selection: 'indices'"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Select::not_zero().cost::<u32>(device, 1 << 32), is_large, &["selection: x", "4294967296"])?;
    let is_kernel = |error: &OperationError| matches!(error, OperationError::Kernel(_));
    refused(Select::new("x + 1u").run(&x, &mut y), is_kernel, &["x + 1u"])?;
    refused(Select::new("x >").run(&x, &mut y), is_kernel, &["select_kept"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(Select::not_zero().on(&other.stream()).run(&x, &mut y), is_foreign, &["selection", "the stream"])?;
    let foreign = other.buffer_from(&[0u32; 6])?;
    refused(select(&x, &foreign, &mut y), is_foreign, &["selection", "'flags'"])?;
    let mut foreign_y = other.buffer::<u32>(6)?;
    refused(run_length_decode(&x, &x, &mut foreign_y), is_foreign, &["run lengths", "'values'"])?;
    let class = Error::from(select(&x, x.slice(1..), &mut y).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    same(&y.read()?, &[7; 6], "no selection has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let all = in_runs(9000);
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        for length in [1, 300, 7001] {
            let (mut y, mut z) = (device.buffer::<u32>(9000)?, device.buffer::<u32>(9000)?);
            let part = x.slice(3..3 + length);
            Select::new("x > 2u").form(form).partition(part, y.slice_mut(1..=length), &mut z)?;
            let count = RunLengths::new().form(form).encode(part, &mut y, &mut z)?.read()? as usize;
            let mut decoded = device.buffer::<u32>(length)?;
            RunLengths::new().form(form).decode(y.slice(..count), z.slice(..count), &mut decoded)?;
            let findings = device.findings();
            ensure(findings.iter().next().is_none(), || format!("{form:?}, {length} elements:\n{findings}"))?;
        }
    }
    Ok(())
}
