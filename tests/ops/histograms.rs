//! Histograms: the same counts on every device.

use anywarp::ops::{Histogram, HistogramElement, OperationError, Random, bincount, histogram};
use anywarp::{Device, Error, ErrorClass};

use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case};

#[path = "../../src/ops/histogram/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("histogram::lengths".to_owned(), lengths),
        ("histogram::bins".to_owned(), bins),
        ("histogram::f32".to_owned(), floats),
        ("histogram::i32".to_owned(), |device| {
            integers(device, &[i32::MIN, -7, -6, -1, 0, 1, 5, 6, 7, 100, i32::MAX - 1, i32::MAX])
        }),
        ("histogram::u32".to_owned(), |device| integers(device, &[0u32, 1, 5, 6, 7, 100, u32::MAX - 1, u32::MAX])),
        ("histogram::edges_of_numpy".to_owned(), edges_of_numpy),
        ("histogram::skewed".to_owned(), skewed),
        ("histogram::many_workgroups".to_owned(), many_workgroups),
        ("histogram::numbers".to_owned(), numbers),
        ("histogram::slices".to_owned(), slices),
        ("histogram::channels".to_owned(), channels),
        ("histogram::whole_weights".to_owned(), whole_weights),
        ("histogram::float_weights".to_owned(), float_weights),
        ("histogram::weights_of_any_size".to_owned(), weights_of_any_size),
        ("histogram::near_edges".to_owned(), near_edges),
        ("histogram::recorded".to_owned(), recorded),
        ("histogram::streams".to_owned(), streams),
        ("histogram::refusals".to_owned(), refusals),
    ]
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::histogram".to_owned(), Box::new(clean))
}

/// Uniform numbers from 0 to 1, the same in every run.
fn random(device: &Device, length: usize) -> TestResult<Vec<f32>> {
    let mut x = device.buffer::<f32>(length)?;
    Random::new(9).uniform(&mut x)?;
    Ok(x.read()?.to_vec())
}

fn even(bins: usize, [start, end]: [f64; 2]) -> Vec<f64> {
    let edge = |number: usize| start + (end - start) * (number as f64 / bins as f64);
    (0..bins).map(edge).chain([end]).collect()
}

/// Compares the counts for both kinds of edges with the reference.
fn check<T: HistogramElement + Into<f64>>(device: &Device, x: &[T], bins: usize, range: [f64; 2]) -> TestResult {
    let exact: Vec<f64> = x.iter().map(|x| (*x).into()).collect();
    let edges = even(bins, range);
    let wanted = reference::histogram(&exact, &edges);
    let (x, mut counts) = (device.buffer_from(x)?, device.buffer_from(&vec![5u32; bins])?);
    let what = format!("{} elements, {bins} bins in {range:?}", x.len());
    histogram(&x, &mut counts, range[0]..range[1])?;
    same(&counts.read()?, &wanted, &what)?;
    counts.fill(6)?;
    Histogram::edges(&edges).run(&x, &mut counts)?;
    same(&counts.read()?, &wanted, &format!("{what}, by edges"))
}

fn lengths(device: &Device) -> TestResult {
    for length in [0, 1, 2, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 9_973, 100_003] {
        check(device, &random(device, length)?, 10, [0.0, 1.0])?;
    }
    Ok(())
}

fn bins(device: &Device) -> TestResult {
    let x = random(device, 30_011)?;
    for bins in [1, 2, 3, 31, 32, 255, 256, 257, 1000, 4095, 4096, 4097, 20_000] {
        check(device, &x, bins, [0.25, 0.75])?;
    }
    Ok(())
}

/// Values around each edge, both zeros, subnormal numbers, infinities and NaN are counted right.
fn floats(device: &Device) -> TestResult {
    for (bins, range) in
        [(3, [-1.0, 1.0]), (10, [0.0, 1.0]), (7, [-1e30, 1e30]), (4, [1e6, 1e6 + 1.0]), (5, [0.0, 1e-44])]
    {
        let mut x = vec![0.0f32, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN, f32::MAX, 1e-45, -1e-45];
        for edge in even(bins, range) {
            let nearest = edge as f32;
            x.extend([nearest, nearest.next_down(), nearest.next_up()]);
        }
        check(device, &x, bins, range)?;
    }
    Ok(())
}

fn integers<T: HistogramElement + Into<f64>>(device: &Device, x: &[T]) -> TestResult {
    for (bins, range) in [
        (1, [0.0, 1.0]),
        (4, [-7.0, 7.0]),
        (3, [-0.5, 6.5]),
        (5, [5.0, 6.0]),
        (10, [-2_147_483_648.0, 4_294_967_295.0]),
        (16, [-1e12, 1e12]),
        (2, [1e10, 2e10]),
        (2, [-2e10, -1e10]),
    ] {
        check(device, x, bins, range)?;
    }
    Ok(())
}

/// The counts are those of `numpy.histogram([0, 0.25, 0.5, 0.5, 1, 1, 2, -1, nan], [0, 0.5, 0.5, 1])`: an empty bin
/// counts nothing, and the last bin includes its upper edge.
fn edges_of_numpy(device: &Device) -> TestResult {
    let x = device.buffer_from(&[0.0f32, 0.25, 0.5, 0.5, 1.0, 1.0, 2.0, -1.0, f32::NAN])?;
    let mut counts = device.buffer::<u32>(3)?;
    Histogram::edges(&[0.0, 0.5, 0.5, 1.0]).run(&x, &mut counts)?;
    same(&counts.read()?, &[2, 0, 4], "with an empty bin")
}

/// Counts are right if all elements are in one bin.
fn skewed(device: &Device) -> TestResult {
    let x = vec![0.5f32; 200_001];
    check(device, &x, 256, [0.0, 1.0])?;
    check(device, &x, 10_000, [0.0, 1.0])
}

fn many_workgroups(device: &Device) -> TestResult {
    let length = 65_536 * 256 + 3;
    let mut x = (0..5000u32).collect::<Vec<_>>().repeat(length / 5000 + 1);
    x.truncate(length);
    let (x, mut counts) = (device.buffer_from(&x)?, device.buffer::<u32>(5000)?);
    bincount(&x, &mut counts)?;
    let wanted: Vec<u32> = (0..5000).map(|bin| (length / 5000 + usize::from(bin < length % 5000)) as u32).collect();
    same(&counts.read()?, &wanted, "more bins than a workgroup counts")
}

fn numbers(device: &Device) -> TestResult {
    let x: Vec<u32> = (0..10_000u32).map(|at| at * at % 1009).chain([u32::MAX]).collect();
    for bins in [1, 100, 1009, 5000] {
        let mut wanted = vec![0u32; bins];
        x.iter().filter(|x| (**x as usize) < bins).for_each(|x| wanted[*x as usize] += 1);
        let (x, mut counts) = (device.buffer_from(&x)?, device.buffer_from(&vec![3u32; bins])?);
        bincount(&x, &mut counts)?;
        same(&counts.read()?, &wanted, &format!("{bins} numbers"))?;
    }
    Ok(())
}

/// Slices at any offset work; counts around them are unchanged.
fn slices(device: &Device) -> TestResult {
    let all = random(device, 5000)?;
    let x = device.buffer_from(&all)?;
    for (begin, length, place) in [(1, 4000, 3), (7, 5, 1), (64, 0, 64)] {
        let exact: Vec<f64> = all[begin..begin + length].iter().map(|x| f64::from(*x)).collect();
        let mut wanted = vec![77u32; 100];
        wanted[place..place + 10].copy_from_slice(&reference::histogram(&exact, &even(10, [0.0, 1.0])));
        let mut counts = device.buffer_from(&[77u32; 100])?;
        histogram(x.slice(begin..begin + length), counts.slice_mut(place..place + 10), 0.0..1.0)?;
        same(&counts.read()?, &wanted, &format!("{length} elements from {begin}"))?;
    }
    Ok(())
}

fn channels(device: &Device) -> TestResult {
    let x = random(device, 12_000)?;
    for (channels, bins) in [(2, 10), (3, 256), (4, 1500), (12, 1), (5, 2)] {
        let edges = even(bins, [0.25, 0.75]);
        let of = |channel: usize| x.iter().skip(channel).step_by(channels).map(|x| f64::from(*x)).collect::<Vec<_>>();
        let length = x.len() / channels * channels;
        let counts = |channel| reference::histogram(&of(channel)[..length / channels], &edges);
        let wanted: Vec<u32> = (0..channels).flat_map(counts).collect();
        let (x, mut counts) = (device.buffer_from(&x[..length])?, device.buffer_from(&vec![5u32; bins * channels])?);
        Histogram::even(bins, 0.25..0.75).channels(channels).run(&x, &mut counts)?;
        same(&counts.read()?, &wanted, &format!("{channels} channels, {bins} bins"))?;
    }
    Ok(())
}

/// Sums of integer weights wrap around.
fn whole_weights(device: &Device) -> TestResult {
    let x: Vec<i32> = (0..10_003).map(|at| at * at % 301 - 150).collect();
    let weights: Vec<i32> = (0..10_003i32).map(|at| at.wrapping_mul(-1_640_531_527)).collect();
    for bins in [1usize, 10, 3000, 5000] {
        let edges = even(bins, [-100.0, 100.0]);
        let mut wanted = vec![0i32; bins];
        // The bin of each number that occurs.
        let bin_of = |x: i32| reference::histogram(&[f64::from(x)], &edges).iter().position(|count| *count == 1);
        let bin_of: Vec<Option<usize>> = (-150..=150).map(bin_of).collect();
        for (x, weight) in x.iter().zip(&weights) {
            if let Some(bin) = bin_of[(x + 150) as usize] {
                wanted[bin] = wanted[bin].wrapping_add(*weight);
            }
        }
        let (of_x, of_weights) = (device.buffer_from(&x)?, device.buffer_from(&weights)?);
        let mut sums = device.buffer_from(&vec![3i32; bins + 2])?;
        Histogram::even(bins, -100.0..100.0).run_weighted(&of_x, &of_weights, sums.slice_mut(1..=bins))?;
        same(&sums.read()?[1..=bins], &wanted, &format!("{bins} bins"))?;
        equal((sums.read()?[0], sums.read()?[bins + 1]), (3, 3), "around the sums")?;
    }
    Ok(())
}

/// All devices return the exact sums of float weights, rounded once.
fn float_weights(device: &Device) -> TestResult {
    let x: Vec<u32> = (0..20_011u32).map(|at| at.wrapping_mul(2_654_435_761) >> 10 & 1023).collect();
    let weights: Vec<f32> = (0..20_011).map(|at| (at % 2003 - 1000) as f32 * 2f32.powi(at % 7 - 3)).collect();
    for bins in [16u32, 1000, 5000] {
        let mut sums = vec![0f64; bins as usize];
        for (x, weight) in x.iter().zip(&weights).filter(|(x, _)| **x < bins) {
            sums[*x as usize] += f64::from(*weight);
        }
        let wanted: Vec<f32> = sums.iter().map(|sum| *sum as f32).collect();
        let (of_x, of_weights) = (device.buffer_from(&x)?, device.buffer_from(&weights)?);
        let mut sums = device.buffer_from(&vec![7.0f32; bins as usize])?;
        let edges: Vec<f64> = (0..=bins).map(|edge| f64::from(edge) - 0.5).collect();
        Histogram::edges(&edges).run_weighted(&of_x, &of_weights, &mut sums)?;
        same(&sums.read()?, &wanted, &format!("{bins} bins"))?;
    }
    Ok(())
}

/// Sums are right for infinities, NaN, subnormal numbers, overflow, and small weights in a bin beside large ones.
fn weights_of_any_size(device: &Device) -> TestResult {
    let (inf, nan, tiny) = (f32::INFINITY, f32::NAN, f32::from_bits(1));
    let bins: [(&[f32], f32); 12] = [
        (&[1.0, inf], inf),
        (&[-inf, 1.0, -inf], -inf),
        (&[inf, -inf], nan),
        (&[nan, 1.0], nan),
        (&[tiny, tiny, tiny], f32::from_bits(3)),
        (&[-tiny], -tiny),
        (&[f32::MAX, f32::MAX], inf),
        (&[f32::MAX, f32::MAX, -f32::MAX], f32::MAX),
        (&[1e-30, 2e-30], 3e-30),
        (&[1e30, -1e30], 0.0),
        (&[1.0, 5.960_464_5e-8], 1.0),
        (&[1.0, 5.960_464_5e-8, 1e-10], 1.000_000_1),
    ];
    let (mut x, mut weights) = (Vec::new(), Vec::new());
    for (bin, (all, _)) in bins.iter().enumerate() {
        x.extend(all.iter().map(|_| bin as u32));
        weights.extend_from_slice(all);
    }
    let (x, weights) = (device.buffer_from(&x)?, device.buffer_from(&weights)?);
    let mut sums = device.buffer::<f32>(bins.len())?;
    Histogram::even(bins.len(), 0.0..12.0).run_weighted(&x, &weights, &mut sums)?;
    for (bin, (got, (_, wanted))) in sums.read()?.iter().zip(&bins).enumerate() {
        let is = got == wanted || (got.is_nan() && wanted.is_nan());
        ensure(is, || format!("bin {bin}: {got} in place of {wanted}"))?;
    }
    Ok(())
}

/// Elements at each edge of many bins, and next to it, are not counted in another bin because of rounding.
fn near_edges(device: &Device) -> TestResult {
    for (bins, range) in [(256, [0.0, 1.0]), (1000, [-3.0, 7.0]), (333, [0.1f32.into(), 0.7f32.into()])] {
        let near = |edge: f64| [(edge as f32).next_down(), edge as f32, (edge as f32).next_up()];
        let x: Vec<f32> = even(bins, range).into_iter().flat_map(near).collect();
        check(device, &x, bins, range)?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[0.1f32, 0.2, 0.9])?;
    let mut counts = device.buffer::<u32>(2)?;
    let mut recording = device.recording();
    Histogram::even(2, 0.0..1.0).record(&mut recording).run(&x, &mut counts)?;
    same(&counts.read()?, &[0, 0], "before it was submitted")?;
    recording.submit()?;
    same(&counts.read()?, &[2, 1], "submitted")?;
    x.fill(0.7)?;
    recording.submit()?;
    same(&counts.read()?, &[0, 3], "submitted again")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let x = device.buffer_from(&random(device, 10_000)?)?;
    let (mut one, mut other) = (device.buffer::<u32>(1)?, device.buffer::<u32>(1)?);
    Histogram::even(1, 0.0..1.0).on(&first).run(&x, &mut one)?;
    Histogram::even(1, 0.0..2.0).on(&second).run(&x, &mut other)?;
    same(&one.read()?, &[10_000], "on one stream")?;
    same(&other.read()?, &[10_000], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 4])?;
    let mut counts = device.buffer_from(&[5u32; 3])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    for range in [1.0..1.0, 2.0..1.0, 0.0..f64::INFINITY, f64::NAN..1.0] {
        refused(histogram(&x, &mut counts, range), choice, &["histogram", "a range", "start < end"])?;
    }
    let falling = Histogram::edges(&[0.0, 2.0, 1.0, 3.0]).run(&x, &mut counts);
    refused(falling, choice, &["a pair of edges [2.0, 1.0]", "in ascending order"])?;
    refused(Histogram::edges(&[1.0]).run(&x, &mut counts), choice, &["a number of bins of 0", "at least one"])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(Histogram::even(4, 0.0..1.0).run(&x, &mut counts), length, &["'counts' has 3", "needs 4"])?;
    let even = |bins| Histogram::even(bins, 0.0..1.0);
    refused(even(1).channels(3).run(&x, &mut counts), choice, &["a number of elements of 4", "a multiple of 3"])?;
    refused(even(1).channels(0).run(&x, &mut counts), choice, &["a number of channels of 0", "at least one"])?;
    refused(even(2).channels(2).run(&x, &mut counts), length, &["'counts' has 3", "[2, 2]", "needs 4"])?;
    let weights = device.buffer_from(&[1u32; 3])?;
    refused(even(3).run_weighted(&x, &weights, &mut counts), length, &["'weights' has 3", "needs 4"])?;
    refused(even(4).run_weighted(&x, weights.slice(..), &mut counts), length, &["'sums' has 3", "needs 4"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(histogram(x.slice(2..5), &mut counts, 0.0..1.0), slice, &["'x'", "2..5", "4 elements"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Histogram::even(1 << 21, 0.0..1.0).cost(1), large, &["counts", "2097152", "1048576"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(histogram(&other.buffer::<f32>(4)?, &mut counts, 0.0..1.0), foreign, &["histogram", "'x'"])?;
    let stream = Histogram::even(3, 0.0..1.0).on(&other.stream()).run(&x, &mut counts);
    refused(stream, foreign, &["histogram", "the stream"])?;
    equal(Error::from(histogram(&x, &mut counts, 1.0..0.0).unwrap_err()).class(), ErrorClass::Programmer, "class")?;
    same(&counts.read()?, &[5; 3], "nothing has run")
}

/// A checked device finds no race and no access out of range.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let x = device.buffer_from(&random(&device, 3000)?)?;
    let mut counts = device.buffer::<u32>(20)?;
    histogram(x.slice(3..2900), &mut counts, 0.0..1.0)?;
    Histogram::edges(&[0.0, 0.1, 0.5]).run(&x, counts.slice_mut(1..3))?;
    let mut sums = device.buffer::<f32>(20)?;
    Histogram::even(10, 0.0..1.0).channels(2).run_weighted(&x, &x, &mut sums)?;
    Histogram::even(10, 0.0..1.0).channels(2).run_weighted(&x, &device.buffer_from(&[1u32; 3000])?, &mut counts)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
