//! Transforms by cosines and sines, frequencies, and shifts, compared with their definitions.

use std::f64::consts::PI;

use anywarp::backend::Capabilities;
use anywarp::ops::{
    Dct, DctKind, FftNorm, FftTables, Frequencies, OperationError, Rearrange, dct, dst, fftfreq, fftshift, idct, idst,
    ifftshift, rfftfreq,
};
use anywarp::{Device, UnifiedBuffer};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 8] = [
        ("dct::lengths", lengths),
        ("dct::axes", axes),
        ("dct::norms", norms),
        ("dct::doubles", doubles),
        ("dct::recorded", recorded),
        ("dct::refusals", refusals),
        ("fftshift::axes", shifts),
        ("fftfreq::lengths", frequencies),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::dct".to_owned(), Box::new(clean))
}

const KINDS: [DctKind; 8] = [
    DctKind::Dct1,
    DctKind::Dct2,
    DctKind::Dct3,
    DctKind::Dct4,
    DctKind::Dst1,
    DctKind::Dst2,
    DctKind::Dst3,
    DctKind::Dst4,
];

/// The sums of a kind's definition in `f64`, without a factor.
fn defined(kind: DctKind, x: &[f64]) -> Vec<f64> {
    let n = x.len();
    // The angle is a whole number of parts of a turn, which is reduced before it is converted.
    let cos = |number: usize, of: usize| (2.0 * PI * (number % of) as f64 / of as f64).cos();
    let sin = |number: usize, of: usize| (2.0 * PI * (number % of) as f64 / of as f64).sin();
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let sum = |terms: std::ops::Range<usize>, factor: &dyn Fn(usize) -> f64| -> f64 {
        2.0 * terms.map(|j| x[j] * factor(j)).sum::<f64>()
    };
    let result = |k: usize| match kind {
        DctKind::Dct1 => x[0] + sign(k) * x[n - 1] + sum(1..n - 1, &|j| cos(k * j, 2 * (n - 1))),
        DctKind::Dct2 => sum(0..n, &|j| cos(k * (2 * j + 1), 4 * n)),
        DctKind::Dct3 => x[0] + sum(1..n, &|j| cos((2 * k + 1) * j, 4 * n)),
        DctKind::Dct4 => sum(0..n, &|j| cos((2 * k + 1) * (2 * j + 1), 8 * n)),
        DctKind::Dst1 => sum(0..n, &|j| sin((k + 1) * (j + 1), 2 * (n + 1))),
        DctKind::Dst2 => sum(0..n, &|j| sin((k + 1) * (2 * j + 1), 4 * n)),
        DctKind::Dst3 => sign(k) * x[n - 1] + sum(0..n - 1, &|j| sin((2 * k + 1) * (j + 1), 4 * n)),
        DctKind::Dst4 => sum(0..n, &|j| sin((2 * k + 1) * (2 * j + 1), 8 * n)),
    };
    (0..n).map(result).collect()
}

/// The transform of each line of a shape along an axis.
fn along(x: &[f64], shape: &[usize], axis: usize, line: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let (length, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let mut y = vec![0.0; x.len()];
    for start in (0..x.len()).filter(|at| at / inner % length == 0) {
        let places = (0..length).map(|at| start + at * inner);
        let numbers: Vec<f64> = places.clone().map(|at| x[at]).collect();
        places.zip(line(&numbers)).for_each(|(at, number)| y[at] = number);
    }
    y
}

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| (((at * 31 + seed * 17) % 1009) as f32 * 0.37).sin()).collect()
}

fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|number| f64::from(*number)).collect()
}

/// Fails unless the root of the mean square of the differences is within the bound.
fn near(got: &[f64], wanted: &[f64], bound: f64, what: &str) -> TestResult {
    ensure(got.len() == wanted.len(), || format!("{what}: {} numbers, expected {}", got.len(), wanted.len()))?;
    let error: f64 = got.iter().zip(wanted).map(|(a, b)| (a - b).powi(2)).sum();
    let size: f64 = wanted.iter().map(|number| number.powi(2)).sum();
    ensure(error.sqrt() <= bound * size.sqrt(), || {
        format!("{what}: a relative error of {:e}, at most {bound:e}", (error / size).sqrt())
    })
}

/// The bound for `f32` that the operator promises.
fn bound(length: usize) -> f64 {
    2e-7 * (2.0 * length as f64).log2().max(1.0)
}

/// Transforms one axis there and back, out of place and in place.
fn check(device: &Device, tables: &FftTables<[f32; 2]>, kind: DctKind, (shape, axis): (&[usize], usize)) -> TestResult {
    let count = shape.iter().product();
    let (numbers, what) = (numbers(count, axis), format!("{kind:?} of {shape:?} along {axis}"));
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<f32>(count)?);
    let transform = || Dct::new(shape, kind).axes([axis]).tables(tables);
    transform().run(&x, &mut y)?;
    let wanted = along(&wide(&numbers), shape, axis, |line| defined(kind, line));
    near(&wide(&y.read()?), &wanted, bound(shape[axis]), &what)?;
    let mut place = device.buffer_from(&numbers)?;
    transform().run_in_place(&mut place)?;
    same(&place.read()?, &y.read()?, &format!("{what}, in place"))?;
    transform().inverse().run_in_place(&mut place)?;
    near(&wide(&place.read()?), &wide(&numbers), 2.0 * bound(shape[axis]), &format!("{what}, there and back"))
}

fn lengths(device: &Device) -> TestResult {
    let tables = FftTables::new(device);
    for kind in KINDS {
        let first = if kind == DctKind::Dct1 { 2 } else { 1 };
        for length in (first..=4).chain([8, 9]) {
            check(device, &tables, kind, (&[length], 0))?;
        }
    }
    // Roots of two levels.
    for (kind, length) in [(DctKind::Dst2, 1152), (DctKind::Dct4, 576)] {
        check(device, &tables, kind, (&[length], 0))?;
    }
    // The functions.
    let numbers = numbers(12, 3);
    let (x, mut y, mut z) = (device.buffer_from(&numbers)?, device.buffer::<f32>(12)?, device.buffer::<f32>(12)?);
    dct(&x, &mut y)?;
    near(&wide(&y.read()?), &defined(DctKind::Dct2, &wide(&numbers)), bound(12), "dct")?;
    idct(&y, &mut z)?;
    near(&wide(&z.read()?), &wide(&numbers), bound(12), "idct")?;
    dst(&x, &mut y)?;
    near(&wide(&y.read()?), &defined(DctKind::Dst2, &wide(&numbers)), bound(12), "dst")?;
    idst(&y, &mut z)?;
    near(&wide(&z.read()?), &wide(&numbers), bound(12), "idst")
}

fn axes(device: &Device) -> TestResult {
    let tables = FftTables::new(device);
    for shape in [vec![4, 3], vec![3, 8, 2]] {
        for axis in 0..shape.len() {
            for kind in KINDS {
                check(device, &tables, kind, (&shape, axis))?;
            }
        }
    }
    // Several axes, and slices that begin at odd elements.
    let shape = [3, 8, 4];
    let (numbers, skip) = (numbers(97, 2), 1);
    let x = device.buffer_from(&numbers)?;
    for axes in [vec![0, 1, 2], vec![2, 1]] {
        let line = |line: &[f64]| defined(DctKind::Dct2, line);
        let start = wide(&numbers[skip..]);
        let wanted = axes.iter().fold(start, |numbers, axis| along(&numbers, &shape, *axis, line));
        let mut y = device.buffer_from(&[9.0f32; 99])?;
        Dct::new(shape, DctKind::Dct2).axes(&axes).run(x.slice(skip..), y.slice_mut(skip..97))?;
        let got = y.read()?.to_vec();
        near(&wide(&got[skip..97]), &wanted, 3.0 * bound(8), &format!("axes {axes:?}"))?;
        same(&[got[0], got[97], got[98]], &[9.0; 3], "around the results")?;
    }
    Dct::new([3, 0], DctKind::Dst1).run(&device.buffer::<f32>(0)?, &mut device.buffer::<f32>(0)?)?;
    Ok(())
}

/// Norms and orthogonal transforms, as `SciPy` defines them.
fn norms(device: &Device) -> TestResult {
    for length in [8, 9] {
        let numbers = numbers(length, 5);
        let x = device.buffer_from(&numbers)?;
        let mut y = device.buffer::<f32>(length)?;
        for kind in KINDS {
            let period = match kind {
                DctKind::Dct1 => 2 * (length - 1),
                DctKind::Dst1 => 2 * (length + 1),
                _ => 2 * length,
            } as f64;
            Dct::new([length], kind).norm(FftNorm::Forward).run(&x, &mut y)?;
            let sums = defined(kind, &wide(&numbers));
            let wanted: Vec<f64> = sums.iter().map(|sum| sum / period).collect();
            near(&wide(&y.read()?), &wanted, bound(length), &format!("{kind:?}, forward"))?;
            Dct::new([length], kind).norm(FftNorm::Forward).inverse().run_in_place(&mut y)?;
            near(&wide(&y.read()?), &wide(&numbers), 2.0 * bound(length), &format!("{kind:?}, forward, and back"))?;
            // An orthogonal transform keeps the sum of squares, and its inverse is its transpose.
            Dct::new([length], kind).norm(FftNorm::Ortho).run(&x, &mut y)?;
            let square = |numbers: &[f32]| wide(numbers).iter().map(|number| number * number).sum::<f64>();
            let (before, after) = (square(&numbers), square(&y.read()?));
            ensure((before - after).abs() < 1e-5 * before, || format!("{kind:?}: {before} became {after}"))?;
            Dct::new([length], kind).norm(FftNorm::Ortho).inverse().run_in_place(&mut y)?;
            near(&wide(&y.read()?), &wide(&numbers), 2.0 * bound(length), &format!("{kind:?}, ortho, and back"))?;
        }
    }
    // scipy.fft.dct([1, 2, 3, 4], type, norm="ortho"), and dst.
    let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    let known: [(DctKind, [f64; 4]); 2] = [
        (DctKind::Dct2, [5.0, -2.230_442_497_388, 0.0, -0.158_512_667_781]),
        (DctKind::Dst2, [4.619_397_662_556, -2.0, 1.913_417_161_825, -1.0]),
    ];
    for (kind, wanted) in known {
        let mut y = device.buffer::<f32>(4)?;
        Dct::new([4], kind).norm(FftNorm::Ortho).run(&x, &mut y)?;
        near(&wide(&y.read()?), &wanted, bound(4), &format!("{kind:?} of SciPy"))?;
    }
    Ok(())
}

fn doubles(device: &Device) -> TestResult {
    let wide: Vec<f64> = wide(&numbers(24, 1));
    let (x, mut y) = (device.buffer_from(&wide)?, device.buffer::<f64>(24)?);
    if !device.caps().shader.contains(Capabilities::FLOAT64) {
        return refused(dct(&x, &mut y), |error| matches!(error, OperationError::Kernel { .. }), &["f64"]);
    }
    for (kind, length) in [(DctKind::Dct2, 24), (DctKind::Dst3, 8), (DctKind::Dct4, 8), (DctKind::Dst4, 9)] {
        Dct::new([length], kind).run(x.slice(..length), y.slice_mut(..length))?;
        near(&y.read()?[..length], &defined(kind, &wide[..length]), 4e-15, &format!("{kind:?} of f64"))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, stream) = (device.buffer_from(&[1.0f32, 0.0])?, device.stream());
    let mut y = device.buffer::<f32>(2)?;
    let mut recording = device.recording();
    Dct::new([2], DctKind::Dct2).record(&mut recording).run(&x, &mut y)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    let root = std::f64::consts::SQRT_2;
    near(&wide(&y.read()?), &[2.0, root], 1e-6, "submitted")?;
    x.copy_from_slice(&[0.0, 1.0])?;
    recording.submit()?;
    near(&wide(&y.read()?), &[2.0, -root], 1e-6, "submitted again")?;
    Dct::new([2], DctKind::Dct2).inverse().on(&stream).run_in_place(&mut y)?;
    near(&wide(&y.read()?), &[0.0, 1.0], 1e-6, "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 6])?;
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let (name, two) = ("cosine transform", DctKind::Dct2);
    refused(Dct::new([6], two).axes([1]).run(&x, &mut y), is_axis, &[name, "axis 1", "[6]"])?;
    refused(Dct::new([6], two).axes([]).run(&x, &mut y), is_choice, &[name, "axes", "none"])?;
    refused(Dct::new([2, 3], two).axes([1, 1]).run(&x, &mut y), is_choice, &[name, "axes", "once", "[1, 1]"])?;
    refused(Dct::new([6, 1], DctKind::Dct1).run(&x, &mut y), is_choice, &[name, "1 element", "Dct2"])?;
    refused(Dct::new([5], two).run(&x, &mut y), is_length, &[name, "'x' has 6 elements", "[5]"])?;
    refused(Dct::new([5], two).run(x.slice(..5), &mut y), is_length, &[name, "'y' has 6 elements", "[5]"])?;
    refused(Dct::new([1 << 29], two).run(&x, &mut y), is_large, &[name, "x has the shape"])?;
    let theirs = device.reopen()?;
    refused(dct(&theirs.buffer::<f32>(6)?, &mut y), is_foreign, &[name, "'x'"])?;
    let frequencies = "frequencies of a Fourier transform";
    refused(fftfreq(0.0, &mut y), is_choice, &[frequencies, "spacing", "0"])?;
    refused(rfftfreq(8, 1.0, &mut y), is_length, &[frequencies, "'y' has 6 elements", "[5]"])?;
    refused(fftshift(&x, &mut y, [6], &[1]), is_axis, &["axis 1", "[6]"])?;
    same(&y.read()?, &[7.0; 6], "nothing has run")
}

fn shifts(device: &Device) -> TestResult {
    let pairs: Vec<[f32; 2]> = (0..15).map(|at| [at as f32, -1.0]).collect();
    let (x, mut y) = (device.buffer_from(&pairs)?, device.buffer::<[f32; 2]>(15)?);
    fftshift(&x, &mut y, [3, 5], &[0, 1])?;
    let shifted = |at: usize| ((at / 5 + 2) % 3) * 5 + (at % 5 + 3) % 5;
    same(&y.read()?, &(0..15).map(|at| pairs[shifted(at)]).collect::<Vec<_>>(), "both axes")?;
    let mut again = device.buffer::<[f32; 2]>(15)?;
    Rearrange::ifftshift([3, 5], &[1, 0]).on(&device.stream()).run(&y, &mut again)?;
    same(&again.read()?, &pairs, "and back")?;
    let (x, mut y) = (device.buffer_from(&[0u16, 1, 2, 3, 4, 5])?, device.buffer::<u16>(6)?);
    ifftshift(&x, &mut y, [2, 3], &[1])?;
    same(&y.read()?, &[1, 2, 0, 4, 5, 3], "one axis")
}

fn frequencies(device: &Device) -> TestResult {
    let check = |length: usize, spacing: f64| -> TestResult {
        let step = (1.0 / (length as f64 * spacing)) as f32;
        let wanted = |half: bool| -> Vec<f32> {
            let number =
                |at: usize| if half || at < length.div_ceil(2) { at as f32 } else { at as f32 - length as f32 };
            (0..if half { length / 2 + 1 } else { length }).map(|at| number(at) * step).collect()
        };
        let mut y = device.buffer_from(&vec![9.0f32; length + 1])?;
        fftfreq(spacing, y.slice_mut(1..))?;
        same(&y.read()?[1..], &wanted(false), &format!("{length} at {spacing}"))?;
        let mut half: UnifiedBuffer<f32> = device.buffer(length / 2 + 1)?;
        rfftfreq(length, spacing, &mut half)?;
        same(&half.read()?, &wanted(true), &format!("the half of {length}"))?;
        ensure(y.read()?[0] == 9.0, || "before the results".to_owned())
    };
    for (length, spacing) in [(1, 1.0), (2, 0.5), (7, 0.1), (8, -2.0), (1000, 1.0 / 44100.0)] {
        check(length, spacing)?;
    }
    let mut none = device.buffer::<f32>(0)?;
    fftfreq(1.0, &mut none)?;
    let mut recording = device.recording();
    let mut y = device.buffer::<f32>(4)?;
    Frequencies::new(4).record(&mut recording).run(&mut y)?;
    recording.submit()?;
    same(&y.read()?, &[0.0, 0.25, -0.5, -0.25], "recorded")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let tables = FftTables::new(&device);
    for kind in KINDS {
        for shape in [[2, 4, 3], [2, 3, 1]] {
            check(&device, &tables, kind, (&shape, 1))?;
            let findings = device.findings();
            ensure(findings.iter().next().is_none(), || format!("{kind:?}, {shape:?}:\n{findings}"))?;
        }
    }
    Ok(())
}
