//! Reductions of segments and of runs of equal keys.

use anywarp::Device;
use anywarp::ops::{OperationError, ReductionKernel, reduce, shaped, sort_pairs};

use crate::outcome::{TestResult, close, ensure, equal, refused, same};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("named", named),
        ("lengths", lengths),
        ("skewed", skewed),
        ("empty", empty),
        ("shapes_and_slices", shapes_and_slices),
        ("own_expressions", own_expressions),
        ("recorded", recorded),
        ("streams", streams),
        ("the_same_bits_again", the_same_bits_again),
        ("refusals", refusals),
        ("runs_of_keys", runs_of_keys),
        ("keys_of_each_type", keys_of_each_type),
        ("sorted_keys", sorted_keys),
        ("recorded_keys", recorded_keys),
        ("refused_keys", refused_keys),
    ];
    cases.into_iter().map(|(name, case)| (format!("segments::{name}"), case)).collect()
}

/// Offsets of segments with these lengths.
fn offsets(lengths: &[u32]) -> Vec<u32> {
    let mut end = 0;
    let ends = lengths.iter().map(|length| {
        end += length;
        end
    });
    [0].into_iter().chain(ends.collect::<Vec<_>>()).collect()
}

/// Whole numbers from -8 to 8, whose sums are exact.
fn whole(length: u32) -> Vec<f32> {
    (0..length).map(|at| (at.wrapping_mul(2_654_435_761) >> 16) as f32 % 17.0 - 8.0).collect()
}

fn parts<'x>(x: &'x [f32], offsets: &'x [u32]) -> impl Iterator<Item = &'x [f32]> + Clone {
    offsets.windows(2).map(|pair| &x[pair[0] as usize..pair[1] as usize])
}

fn sums(x: &[f32], offsets: &[u32]) -> Vec<f32> {
    // The fold starts at 0, because Rust's sum of no floats is -0.
    parts(x, offsets).map(|part| part.iter().fold(0.0, |sum, x| sum + x)).collect()
}

/// Compares the sums of segments of these lengths with plain Rust.
fn check(device: &Device, lengths: &[u32], what: &str) -> TestResult {
    let offsets = offsets(lengths);
    let x = whole(offsets[lengths.len()]);
    let (values, limits) = (device.buffer_from(&x)?, device.buffer_from(&offsets)?);
    let got = reduce::sum().call(device).segments(&limits).apply::<f32>(&values)?;
    same(&got.read()?, &sums(&x, &offsets), what)
}

fn named(device: &Device) -> TestResult {
    let offsets = offsets(&[3, 0, 1, 40, 7, 0, 300]);
    let x = whole(351);
    let (values, limits) = (device.buffer_from(&x)?, device.buffer_from(&offsets)?);
    let of = |kernel: &ReductionKernel| kernel.call(device).segments(&limits).apply::<f32>(&values);
    let places = |kernel: &ReductionKernel| kernel.call(device).segments(&limits).apply::<u32>(&values);
    let parts = || parts(&x, &offsets);
    same(&of(reduce::sum())?.read()?, &sums(&x, &offsets), "sum")?;
    let least = |part: &[f32]| part.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = |part: &[f32]| part.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    same(&of(reduce::min::<f32>())?.read()?, &parts().map(least).collect::<Vec<_>>(), "min")?;
    same(&of(reduce::max::<f32>())?.read()?, &parts().map(greatest).collect::<Vec<_>>(), "max")?;
    let first = |part: &[f32], wanted: f32| part.iter().position(|x| *x == wanted).map_or(u32::MAX, |at| at as u32);
    let of_min: Vec<u32> = parts().map(|part| first(part, least(part))).collect();
    let of_greatest: Vec<u32> = parts().map(|part| first(part, greatest(part))).collect();
    same(&places(reduce::argmin())?.read()?, &of_min, "argmin")?;
    same(&places(reduce::argmax())?.read()?, &of_greatest, "argmax")?;
    let not_zero = |part: &[f32]| part.iter().filter(|x| **x != 0.0).count() as u32;
    same(&places(reduce::count())?.read()?, &parts().map(not_zero).collect::<Vec<_>>(), "count")?;
    let any: Vec<u32> = parts().map(|part| u32::from(not_zero(part) > 0)).collect();
    let all: Vec<u32> = parts().map(|part| u32::from(not_zero(part) as usize == part.len())).collect();
    same(&places(reduce::any())?.read()?, &any, "any")?;
    same(&places(reduce::all())?.read()?, &all, "all")?;
    // The results of empty segments are NaN.
    let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
    let variance = |part: &[f32]| part.iter().map(|x| (x - mean(part)).powi(2)).sum::<f32>() / part.len() as f32;
    let norm = |part: &[f32]| part.iter().map(|x| x * x).sum::<f32>().sqrt();
    let sum_of_exponentials = |part: &[f32]| part.iter().map(|x| x.exp()).sum::<f32>().ln();
    type Reference<'f> = &'f dyn Fn(&[f32]) -> f32;
    let floats: [(&str, &ReductionKernel, Reference<'_>); 4] = [
        ("mean", reduce::mean(), &mean),
        ("variance", reduce::variance(), &variance),
        ("norm", reduce::norm(), &norm),
        ("logsumexp", reduce::logsumexp(), &sum_of_exponentials),
    ];
    for (what, kernel, wanted) in floats {
        let got = of(kernel)?;
        for (segment, (got, part)) in got.read()?.iter().zip(parts()).enumerate() {
            let wanted = wanted(part);
            let fits = (got - wanted).abs() <= 1e-3 || got == &wanted || (got.is_nan() && wanted.is_nan());
            ensure(fits, || format!("{what} of segment {segment}: {got} in place of {wanted}"))?;
        }
    }
    let dot = reduce::dot().call(device).segments(&limits).apply::<f32>((&values, &values))?;
    let squares: Vec<f32> = parts().map(|part| part.iter().fold(0.0, |sum, x| sum + x * x)).collect();
    same(&dot.read()?, &squares, "dot")
}

fn lengths(device: &Device) -> TestResult {
    for length in [1, 2, 7, 8, 31, 64, 255, 257, 1023, 1025] {
        check(device, &vec![length; 300], &format!("300 segments of {length}"))?;
    }
    for (count, length) in [(1, 1), (1, 100_003), (2, 4096), (3, 8191), (70_001, 1)] {
        check(device, &vec![length; count], &format!("{count} segments of {length}"))?;
    }
    Ok(())
}

/// Sums are right for one long segment between many short ones, and for long segments next to each other.
fn skewed(device: &Device) -> TestResult {
    let mut lengths: Vec<u32> = (0..5000).map(|at| at % 4).collect();
    lengths[2500] = 150_001;
    check(device, &lengths, "one long segment")?;
    lengths[2501] = 2000;
    lengths[2502] = 1500;
    lengths[2504] = 33;
    check(device, &lengths, "long segments side by side")
}

fn empty(device: &Device) -> TestResult {
    check(device, &[0, 0, 5, 0], "empty segments")?;
    check(device, &[0; 300], "no elements")?;
    check(device, &[], "no segments")?;
    let (x, limits) = (device.buffer::<f32>(0)?, device.buffer_from(&[0u32, 0, 0])?);
    let least = reduce::min::<f32>().call(device).segments(&limits).apply::<f32>(&x)?;
    same(&least.read()?, &[f32::INFINITY; 2], "the identity")?;
    // Some elements are outside all segments.
    let (x, limits) = (device.buffer_from(&whole(100))?, device.buffer_from(&[10u32, 20, 90])?);
    let got = reduce::sum().call(device).segments(&limits).apply::<f32>(&x)?;
    same(&got.read()?, &sums(&whole(100), &[10, 20, 90]), "elements outside")?;
    let beyond = device.buffer_from(&[10u32, 20, 5000])?;
    let got = reduce::sum().call(device).segments(&beyond).apply::<f32>(&x)?;
    same(&got.read()?, &sums(&whole(100), &[10, 20, 100]), "an offset behind the elements")
}

fn shapes_and_slices(device: &Device) -> TestResult {
    let offsets = [7u32, 1, 0, 10, 11, 60, 1];
    let x = whole(70);
    let (values, limits) = (device.buffer_from(&x)?, device.buffer_from(&offsets)?);
    let mut y = device.buffer_from(&[99.0f32; 7])?;
    // All arrays are slices; then the elements are a transposed table.
    reduce::sum().call(device).segments(limits.slice(2..6)).run(values.slice(3..63), y.slice_mut(2..5))?;
    let wanted = sums(&x[3..63], &offsets[2..6]);
    same(&y.read()?, &[99.0, 99.0, wanted[0], wanted[1], wanted[2], 99.0, 99.0], "slices")?;
    let transposed: Vec<f32> = (0..60).map(|at| x[at % 6 * 10 + at / 6]).collect();
    let view = shaped(values.slice(..60), [10, 6]).strides([1, 10]);
    let got = reduce::sum().call(device).segments(limits.slice(2..6)).apply::<f32>(view)?;
    same(&got.read()?, &sums(&transposed, &offsets[2..6]), "a view")
}

/// In expressions of the caller, `n` is the number of elements of a segment, and `i` the number of an element in it.
fn own_expressions(device: &Device) -> TestResult {
    let kernel = ReductionKernel::new("x: f32, raw table: f32, s: f32", "y: f32")?
        .map("x * s + table[i % 2u] + f32(n - n)")
        .combine("a + b")
        .finish("y = a / f32(max(n, 1u))")
        .identity(0);
    let (x, table) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.buffer_from(&[10.0f32, 20.0])?);
    let limits = device.buffer_from(&[0u32, 3, 4])?;
    let got = kernel.call(device).segments(&limits).apply::<f32>((&x, &table, 2.0f32))?;
    same(&got.read()?, &[(12.0 + 40.0) / 3.0, 18.0], "own expressions")
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, mut limits) = (device.buffer_from(&[1.0f32; 5000])?, device.buffer_from(&[0u32, 4000, 5000])?);
    let mut y = device.buffer::<f32>(2)?;
    let mut recording = device.recording();
    reduce::sum().call(device).segments(&limits).record(&mut recording).run(&x, &mut y)?;
    recording.submit()?;
    same(&y.read()?, &[4000.0, 1000.0], "submitted")?;
    x.fill(2.0)?;
    limits.copy_from_slice(&[0, 1, 5000])?;
    recording.submit()?;
    same(&y.read()?, &[2.0, 9998.0], "with other segments")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let (x, limits) = (device.buffer_from(&whole(9000))?, device.buffer_from(&[0u32, 5000, 9000])?);
    let (mut one, mut other) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
    reduce::sum().call(device).segments(&limits).on(&first).run(&x, &mut one)?;
    reduce::sum().call(device).segments(&limits).on(&second).run(&x, &mut other)?;
    let wanted = sums(&whole(9000), &[0, 5000, 9000]);
    same(&one.read()?, &wanted, "on one stream")?;
    same(&other.read()?, &wanted, "on another")
}

fn the_same_bits_again(device: &Device) -> TestResult {
    let lengths: Vec<u32> = (0..900).map(|at| if at % 100 == 7 { 3000 } else { at % 9 }).collect();
    let offsets = offsets(&lengths);
    let x: Vec<f32> = (0..offsets[900]).map(|at| (at as f32 * 0.37).sin()).collect();
    let (x, limits) = (device.buffer_from(&x)?, device.buffer_from(&offsets)?);
    let bits = || -> TestResult<Vec<u32>> {
        let y = reduce::sum().call(device).segments(&limits).apply::<f32>(&x)?;
        Ok(y.read()?.iter().map(|sum| sum.to_bits()).collect())
    };
    let first = bits()?;
    for _ in 0..3 {
        same(&bits()?, &first, "bits")?;
    }
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let (x, limits) = (device.buffer_from(&[1.0f32; 9])?, device.buffer_from(&[0u32, 4, 9])?);
    let mut y = device.buffer_from(&[5.0f32; 2])?;
    let sum = || reduce::sum().call(device);
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(sum().axis(0).segments(&limits).run(&x, &mut y), choice, &["reduction sum", "axes", "with segments"])?;
    let none = sum().segments(limits.slice(0..0)).run(&x, &mut y);
    refused(none, choice, &["reduction sum", "a number of offsets of", "one offset more than"])?;
    let output = |error: &OperationError| matches!(error, OperationError::Output { .. });
    refused(sum().segments(limits.slice(..2)).run(&x, &mut y), output, &["[1]", "'y' has [2]"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(sum().segments(limits.slice(1..7)).run(&x, &mut y), slice, &["'offsets'", "1..7"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(sum().segments(&other.buffer::<u32>(3)?).run(&x, &mut y), foreign, &["reduction sum", "'offsets'"])?;
    refused(sum().segments(&limits).on(&other.stream()).run(&x, &mut y), foreign, &["the stream"])?;
    same(&y.read()?, &[5.0; 2], "nothing has run")
}

/// The keys and the sums of runs of equal keys.
fn runs(keys: &[u32], x: &[f32]) -> (Vec<u32>, Vec<f32>) {
    let (mut unique, mut sums) = (Vec::new(), Vec::new());
    for (at, (key, x)) in keys.iter().zip(x).enumerate() {
        if at == 0 || keys[at - 1] != *key {
            unique.push(*key);
            sums.push(0.0);
        }
        *sums.last_mut().expect("there is a run") += x;
    }
    (unique, sums)
}

fn runs_of_keys(device: &Device) -> TestResult {
    type Key = fn(u32) -> u32;
    let keys: [(&str, Key); 6] = [
        ("all different", |at| at),
        ("all equal", |_| 7),
        ("runs of 3", |at| at / 3 % 2),
        ("runs of 100", |at| at / 100),
        ("runs of 5000", |at| at / 5000),
        ("one long run", |at| if at > 900 { 1 } else { at * 2 }),
    ];
    for length in [0u32, 1, 2, 255, 257, 20_011] {
        for (what, key) in keys {
            let (all, x) = ((0..length).map(key).collect::<Vec<_>>(), whole(length));
            let (wanted, sums) = runs(&all, &x);
            let (keys, x) = (device.buffer_from(&all)?, device.buffer_from(&x)?);
            // The outputs are as long as necessary, and then too short.
            for capacity in [length as usize + 1, wanted.len() / 2] {
                let mut unique = device.buffer_from(&vec![77u32; capacity])?;
                let mut y = device.buffer_from(&vec![0.5f32; capacity])?;
                let count = reduce::sum().call(device).run_by_key(&keys, &x, &mut unique, &mut y)?.read()?;
                let what = format!("{what}, {length} elements, {capacity} results");
                equal(count as usize, wanted.len(), &what)?;
                let written = capacity.min(wanted.len());
                same(&unique.read()?[..written], &wanted[..written], &format!("{what}: keys"))?;
                same(&y.read()?[..written], &sums[..written], &format!("{what}: sums"))?;
                ensure(y.read()?[written..].iter().all(|sum| *sum == 0.5), || format!("{what}: behind the runs"))?;
            }
        }
    }
    Ok(())
}

fn keys_of_each_type(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1u32, 2, 3, 4, 5])?;
    let mut places = device.buffer::<u32>(5)?;
    let keys = device.buffer_from(&[[1.0f32, 2.0], [1.0, 2.0], [1.0, 3.0], [f32::NAN, 0.0], [f32::NAN, 0.0]])?;
    let mut unique = device.buffer::<[f32; 2]>(5)?;
    let count = reduce::argmax().call(device).run_by_key(&keys, &x, &mut unique, &mut places)?;
    equal(count.read()?, 4, "runs of vectors")?;
    same(&places.read()?[..4], &[1, 0, 0, 0], "places in runs")?;
    same(&unique.read()?[..2], &[[1.0, 2.0], [1.0, 3.0]], "keys")?;
    let keys = device.buffer_from(&[-1i32, -1, -1, 4, 4])?;
    let mut unique = device.buffer::<i32>(5)?;
    let mut means = device.buffer::<f32>(5)?;
    let floats = device.buffer_from(&[1.0f32, 2.0, 6.0, 3.0, 4.0])?;
    let count = reduce::mean().call(device).run_by_key(&keys, &floats, &mut unique, &mut means)?;
    equal(count.read()?, 2, "runs of i32")?;
    close(&means.read()?[..2], &[3.0, 3.5], 1e-6, "means")
}

/// Runs of unordered keys can be summed after a sort of the pairs.
fn sorted_keys(device: &Device) -> TestResult {
    let all: Vec<u32> = (0..3000u32).map(|at| at * at % 101).collect();
    let x = whole(3000);
    let mut wanted = vec![0.0f32; 101];
    all.iter().zip(&x).for_each(|(key, x)| wanted[*key as usize] += x);
    let mut found: Vec<u32> = all.clone();
    found.sort_unstable();
    found.dedup();
    let (mut keys, mut values) = (device.buffer_from(&all)?, device.buffer_from(&x)?);
    sort_pairs(&mut keys, &mut values)?;
    let (mut unique, mut sums) = (device.buffer::<u32>(101)?, device.buffer::<f32>(101)?);
    let runs = reduce::sum().call(device).run_by_key(&keys, &values, &mut unique, &mut sums)?.read()? as usize;
    same(&unique.read()?[..runs], &found, "keys")?;
    same(&sums.read()?[..runs], &found.iter().map(|key| wanted[*key as usize]).collect::<Vec<_>>(), "sums")
}

fn recorded_keys(device: &Device) -> TestResult {
    let mut keys = device.buffer_from(&vec![1u32; 5000])?;
    let x = device.buffer_from(&vec![1.0f32; 5000])?;
    let (mut unique, mut sums) = (device.buffer::<u32>(3)?, device.buffer::<f32>(3)?);
    let mut recording = device.recording();
    let call = reduce::sum().call(device).record(&mut recording);
    let count = call.run_by_key(&keys, &x, &mut unique, &mut sums)?;
    recording.submit()?;
    equal((count.read()?, sums.read()?[0]), (1, 5000.0), "one run")?;
    keys.slice_mut(4990..).fill(2)?;
    recording.submit()?;
    equal((count.read()?, sums.read()?[0], sums.read()?[1]), (2, 4990.0, 10.0), "two runs")
}

fn refused_keys(device: &Device) -> TestResult {
    let (keys, x) = (device.buffer_from(&[1u32; 6])?, device.buffer_from(&[1.0f32; 6])?);
    let (mut unique, mut y) = (device.buffer_from(&[9u32; 6])?, device.buffer_from(&[9.0f32; 6])?);
    let sum = || reduce::sum().call(device);
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let short = sum().run_by_key(keys.slice(..5), &x, &mut unique, &mut y).map(drop);
    refused(short, length, &["reduction sum", "'keys' has 5", "needs 6"])?;
    let short = sum().run_by_key(&keys, &x, unique.slice_mut(..4), &mut y).map(drop);
    refused(short, length, &["reduction sum", "'unique' has 4", "needs 6"])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let axes = sum().axis(0).run_by_key(&keys, &x, &mut unique, &mut y).map(drop);
    refused(axes, choice, &["reduction sum", "axes", "with keys"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let theirs = other.buffer::<u32>(6)?;
    refused(sum().run_by_key(&theirs, &x, &mut unique, &mut y).map(drop), foreign, &["reduction sum", "'keys'"])?;
    same(&y.read()?, &[9.0; 6], "nothing has run")?;
    same(&unique.read()?, &[9; 6], "nothing has run")
}
