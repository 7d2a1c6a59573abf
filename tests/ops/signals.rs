//! Convolutions through Fourier transforms and short-time Fourier transforms, compared with their definitions in `f64`.

use std::f64::consts::TAU;

use anywarp::Device;
use anywarp::backend::Capabilities;
use anywarp::ops::{
    ConvolveMode, FftConvolve, FftTables, OperationError, Stft, WindowShape, fft_convolve, fft_correlate,
};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 9] = [
        ("fft_convolve::lines", lines),
        ("fft_convolve::axes", axes),
        ("fft_convolve::doubles", doubles),
        ("fft_convolve::recorded", recorded),
        ("fft_convolve::refusals", convolution_refusals),
        ("stft::inside", inside),
        ("stft::centred", centred),
        ("stft::recorded", stft_recorded),
        ("stft::refusals", stft_refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::stft".to_owned(), Box::new(clean))
}

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| (((at * 31 + seed * 17) % 1009) as f32 * 0.37).sin()).collect()
}

/// Fails unless the root of the mean square of the differences is within the bound, a share of the largest number.
fn near(got: &[f64], wanted: &[f64], bound: f64, what: &str) -> TestResult {
    ensure(got.len() == wanted.len(), || format!("{what}: {} numbers, expected {}", got.len(), wanted.len()))?;
    let error = got.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0f64, f64::max);
    let size = wanted.iter().map(|number| number.abs()).fold(0.0f64, f64::max);
    ensure(error <= bound * size, || format!("{what}: an error of {error:e} in numbers up to {size:e}"))
}

fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|number| f64::from(*number)).collect()
}

const SINGLE: f64 = 2e-6;

/// The part of a convolution along an axis of two arrays with other sizes along this axis only, by its definition.
fn convolved(
    [x, w]: [&[f64]; 2],
    [shape, shape_w]: [&[usize]; 2],
    axis: usize,
    mode: ConvolveMode,
) -> (Vec<f64>, Vec<usize>) {
    let (n, m, inner) = (shape[axis], shape_w[axis], shape[axis + 1..].iter().product::<usize>());
    let (start, length) = match mode {
        ConvolveMode::Full => (0, n + m - 1),
        ConvolveMode::Same => ((m - 1) / 2, n),
        ConvolveMode::Valid => (m - 1, n - m + 1),
    };
    let mut result = shape.to_vec();
    result[axis] = length;
    let at = |index: usize| {
        let (line, k, column) = (index / inner / length, index / inner % length + start, index % inner);
        let terms = (0..n).filter(|j| *j <= k && k - j < m);
        terms.map(|j| x[(line * n + j) * inner + column] * w[(line * m + k - j) * inner + column]).sum()
    };
    ((0..result.iter().product()).map(at).collect(), result)
}

const MODES: [ConvolveMode; 3] = [ConvolveMode::Full, ConvolveMode::Same, ConvolveMode::Valid];

fn lines(device: &Device) -> TestResult {
    let tables = FftTables::new(device);
    for (n, m) in [(1, 1), (5, 1), (1, 4), (9, 4), (100, 29)] {
        let (host_x, host_w) = (numbers(n, 1), numbers(m, 2));
        let (x, w) = (device.buffer_from(&host_x)?, device.buffer_from(&host_w)?);
        let (wide_x, wide_w) = (wide(&host_x), wide(&host_w));
        let reverse: Vec<f64> = wide_w.iter().rev().copied().collect();
        let is_possible = |mode: &ConvolveMode| match mode {
            ConvolveMode::Full => true,
            // Other modes have other lengths of transforms, and other kernels.
            ConvolveMode::Same => n < 20,
            ConvolveMode::Valid => m <= n && n < 20,
        };
        for mode in MODES.into_iter().filter(is_possible) {
            for correlate in [false, true] {
                let factors = if correlate { &reverse } else { &wide_w };
                let (wanted, shape) = convolved([&wide_x, factors], [&[n], &[m]], 0, mode);
                let mut call = FftConvolve::new([n], [m]).mode(mode).tables(&tables);
                if correlate {
                    call = call.correlate();
                }
                same(&call.shape()?, &shape, "the shape")?;
                let mut y = device.buffer_from(&vec![9.0f32; shape[0] + 2])?;
                call.run(&x, &w, y.slice_mut(1..=shape[0]))?;
                let y = y.read()?;
                let what = format!("{n} and {m}, {mode:?}, correlated: {correlate}");
                near(&wide(&y[1..=shape[0]]), &wanted, SINGLE, &what)?;
                same(&[y[0], y[shape[0] + 1]], &[9.0; 2], &what)?;
            }
        }
    }
    let (x, w) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer_from(&[0.0f32, 1.0, 0.5])?);
    let mut y = device.buffer::<f32>(5)?;
    fft_convolve(&x, &w, &mut y)?;
    near(&wide(&y.read()?), &[0.0, 1.0, 2.5, 4.0, 1.5], SINGLE, "NumPy's example")?;
    fft_correlate(&x, &w, &mut y)?;
    near(&wide(&y.read()?), &[0.5, 2.0, 3.5, 3.0, 0.0], SINGLE, "NumPy's example, correlated")
}

fn axes(device: &Device) -> TestResult {
    // Both axes: first one, then the other, as the kernel is a product of two.
    let (shape, column, row) = ([6, 10], numbers(3, 1), numbers(3, 2));
    let kernel: Vec<f32> = column.iter().flat_map(|a| row.iter().map(move |b| a * b)).collect();
    let host_x = numbers(60, 3);
    let (x, w) = (device.buffer_from(&host_x)?, device.buffer_from(&kernel)?);
    for mode in MODES {
        let columns: Vec<f64> = column.iter().flat_map(|a| [f64::from(*a); 10]).collect();
        let (first, between) = convolved([&wide(&host_x), &columns], [&shape, &[3, 10]], 0, mode);
        let rows: Vec<f64> = (0..between[0]).flat_map(|_| wide(&row)).collect();
        let (wanted, result) = convolved([&first, &rows], [&between, &[between[0], 3]], 1, mode);
        let call = FftConvolve::new(shape, [3, 3]).mode(mode);
        same(&call.shape()?, &result, "the shape")?;
        let mut y = device.buffer::<f32>(wanted.len())?;
        call.run(&x, &w, &mut y)?;
        near(&wide(&y.read()?), &wanted, 2.0 * SINGLE, &format!("both axes, {mode:?}"))?;
    }
    // One axis, with the other one in common, or with one kernel for all.
    for (axis, shape_w) in [(0, [3, 10]), (0, [3, 1]), (1, [6, 3]), (1, [1, 3])] {
        let host_w = numbers(shape_w[0] * shape_w[1], 5);
        let whole = if axis == 0 { [shape_w[0], 10] } else { [6, shape_w[1]] };
        let at = |index: usize| [index / whole[1], index % whole[1]];
        let own = |[line, column]: [usize; 2]| (line % shape_w[0]) * shape_w[1] + column % shape_w[1];
        let all: Vec<f64> = (0..whole[0] * whole[1]).map(|index| f64::from(host_w[own(at(index))])).collect();
        let (wanted, _) = convolved([&wide(&host_x), &all], [&shape, &whole], axis, ConvolveMode::Full);
        let (w, mut y) = (device.buffer_from(&host_w)?, device.buffer::<f32>(wanted.len())?);
        FftConvolve::new(shape, shape_w).axes([axis]).run(&x, &w, &mut y)?;
        near(&wide(&y.read()?), &wanted, SINGLE, &format!("axis {axis}, w of {shape_w:?}"))?;
    }
    let (none, mut empty) = (device.buffer::<f32>(0)?, device.buffer::<f32>(0)?);
    FftConvolve::new([0], [3]).run(&none, w.slice(..3), &mut empty)?;
    Ok(())
}

fn doubles(device: &Device) -> TestResult {
    let (host_x, host_w) = (wide(&numbers(25, 1)), wide(&numbers(8, 2)));
    let (x, w, mut y) = (device.buffer_from(&host_x)?, device.buffer_from(&host_w)?, device.buffer::<f64>(32)?);
    if !device.caps().shader.contains(Capabilities::FLOAT64) {
        let missing = fft_convolve(&x, &w, &mut y);
        return refused(missing, |error| matches!(error, OperationError::Kernel { .. }), &["f64"]);
    }
    fft_convolve(&x, &w, &mut y)?;
    let (wanted, _) = convolved([&host_x, &host_w], [&[25], &[8]], 0, ConvolveMode::Full);
    near(&y.read()?, &wanted, 1e-14, "f64")?;
    let window = WindowShape::Hann.periodic(8);
    let stft = || Stft::<f64>::new([25], &window, 4).centred();
    let mut z = device.buffer::<[f64; 2]>(stft().shape()?.iter().product())?;
    stft().run(&x, &mut z)?;
    let mut again = device.buffer::<f64>(25)?;
    stft().inverse(&z, &mut again)?;
    near(&again.read()?, &host_x, 1e-14, "stft of f64, and back")
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, w) = (device.buffer_from(&[1.0f32, 0.0])?, device.buffer_from(&[1.0f32, 2.0])?);
    let mut y = device.buffer::<f32>(3)?;
    let mut recording = device.recording();
    FftConvolve::new([2], [2]).record(&mut recording).run(&x, &w, &mut y)?;
    same(&y.read()?, &[0.0; 3], "before it was submitted")?;
    recording.submit()?;
    near(&wide(&y.read()?), &[1.0, 2.0, 0.0], SINGLE, "submitted")?;
    x.copy_from_slice(&[0.0, 1.0])?;
    recording.submit()?;
    near(&wide(&y.read()?), &[0.0, 1.0, 2.0], SINGLE, "submitted again")?;
    FftConvolve::new([2], [2]).correlate().on(&device.stream()).run(&x, &w, &mut y)?;
    near(&wide(&y.read()?), &[0.0, 2.0, 1.0], SINGLE, "on a stream")
}

fn is_choice(error: &OperationError) -> bool {
    matches!(error, OperationError::Choice { .. })
}

fn is_length(error: &OperationError) -> bool {
    matches!(error, OperationError::Length { .. })
}

fn convolution_refusals(device: &Device) -> TestResult {
    let (x, w) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[1.0f32; 3])?);
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let name = "convolution by Fourier transforms";
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(fft_convolve(&x, &w, &mut y), is_length, &[name, "'y' has 6 elements", "[8]"])?;
    refused(FftConvolve::new([6], [4]).run(&x, &w, &mut y), is_length, &[name, "'w' has 3 elements", "[4]"])?;
    refused(FftConvolve::new([6], [1, 3]).run(&x, &w, &mut y), is_choice, &[name, "w of shape [1, 3]", "[6]"])?;
    refused(FftConvolve::new([6], [3]).axes([1]).run(&x, &w, &mut y), is_axis, &[name, "axis 1"])?;
    refused(FftConvolve::new([6], [3]).axes([]).run(&x, &w, &mut y), is_choice, &[name, "axes", "none"])?;
    let valid = FftConvolve::new([3], [6]).mode(ConvolveMode::Valid);
    refused(valid.run(&w, &x, &mut y), is_choice, &[name, "size 6", "axis 0", "Valid"])?;
    let other = FftConvolve::new([3, 2], [2, 3]).axes([1]);
    refused(other.run(&x, &x, &mut y), is_choice, &[name, "size 2", "axis 0", "or 1"])?;
    let large = FftConvolve::new([1 << 29, 4], [1, 1]);
    refused(large.run(&x, &w, &mut y), is_large, &[name, "padded x"])?;
    let theirs = device.reopen()?;
    refused(fft_convolve(&x, &theirs.buffer::<f32>(1)?, &mut y), is_foreign, &[name, "'w'"])?;
    same(&y.read()?, &[7.0; 6], "nothing has run")
}

/// The transforms of the windows that begin at `start(frame)`, whose phases are those at `origin` in the window.
fn defined(x: &[f64], window: &[f64], starts: &[i64], (transform, origin): (usize, i64)) -> Vec<f64> {
    let mut results = Vec::new();
    for start in starts {
        for k in 0..=transform / 2 {
            let mut sum = [0.0; 2];
            for (at, factor) in (0i64..).zip(window) {
                let sample = usize::try_from(start + at).ok().and_then(|sample| x.get(sample)).unwrap_or(&0.0);
                let turn = ((at - origin) * k as i64).rem_euclid(transform as i64) as f64 / transform as f64;
                sum = [sum[0] + sample * factor * (TAU * turn).cos(), sum[1] - sample * factor * (TAU * turn).sin()];
            }
            results.extend(sum);
        }
    }
    results
}

fn parts(numbers: &[[f32; 2]]) -> Vec<f64> {
    numbers.iter().flatten().map(|part| f64::from(*part)).collect()
}

/// Windows within two signals, as ONNX's `STFT`, and the inverse where there is one.
fn inside(device: &Device) -> TestResult {
    let host = numbers(2 * 53, 4);
    let x = device.buffer_from(&host)?;
    for (window, hop, transform) in [
        (WindowShape::Hann.periodic(16), 8, 16),
        (WindowShape::Hamming.symmetric(9), 4, 9),
        (vec![1.0; 5], 5, 8),
        (WindowShape::Blackman.periodic(53), 7, 60),
        (vec![2.0], 1, 1),
        (vec![1.0; 54], 3, 54),
    ] {
        let what = format!("a window of {}, hop {hop}", window.len());
        let stft = || Stft::<f32>::new([2, 53], &window, hop).transform_length(transform);
        let shape = stft().shape()?;
        let frames = 53usize.checked_sub(window.len()).map_or(0, |rest| rest / hop + 1);
        same(&shape, &[2, frames, transform / 2 + 1], &what)?;
        let mut y = device.buffer::<[f32; 2]>(shape.iter().product())?;
        stft().run(&x, &mut y)?;
        let starts: Vec<i64> = (0..frames).map(|frame| (frame * hop) as i64).collect();
        let signals = wide(&host);
        let wanted: Vec<f64> =
            signals.chunks(53).flat_map(|signal| defined(signal, &window, &starts, (transform, 0))).collect();
        if frames > 0 {
            near(&parts(&y.read()?), &wanted, SINGLE, &what)?;
        }
    }
    // Windows that cover all samples.
    let stft = || Stft::<f32>::new([2, 50], [1.0, 2.0, 3.0, 4.0, 5.0], 3).transform_length(6);
    let mut y = device.buffer::<[f32; 2]>(stft().shape()?.iter().product())?;
    stft().run(x.slice(1..101), &mut y)?;
    let mut again = device.buffer_from(&[9.0f32; 102])?;
    stft().inverse(&y, again.slice_mut(1..101))?;
    near(&wide(&again.read()?[1..101]), &wide(&host[1..101]), 4.0 * SINGLE, "and back")?;
    same(&[again.read()?[0], again.read()?[101]], &[9.0; 2], "around the results")
}

/// Windows whose middles are at multiples of the hop, as `SciPy`'s `ShortTimeFFT`.
fn centred(device: &Device) -> TestResult {
    let host = numbers(53, 6);
    let x = device.buffer_from(&host)?;
    for (window, hop, transform) in [
        (WindowShape::Hamming.periodic(16), 4, 16),
        (WindowShape::Hann.symmetric(9), 2, 9),
        (WindowShape::Hamming.periodic(7), 6, 12),
        (vec![1.0; 60], 50, 60),
    ] {
        let what = format!("a window of {}, hop {hop}", window.len());
        let stft = || Stft::<f32>::new([53], &window, hop).transform_length(transform).centred();
        let middle = (window.len() / 2) as i64;
        let all = (-60i64..=60).map(|frame| frame * hop as i64 - middle);
        let starts: Vec<i64> = all.filter(|start| *start < 53 && start + window.len() as i64 > 0).collect();
        same(&stft().shape()?, &[starts.len(), transform / 2 + 1], &what)?;
        let mut y = device.buffer::<[f32; 2]>(stft().shape()?.iter().product())?;
        stft().run(&x, &mut y)?;
        near(&parts(&y.read()?), &defined(&wide(&host), &window, &starts, (transform, middle)), SINGLE, &what)?;
        let mut again = device.buffer::<f32>(53)?;
        stft().inverse(&y, &mut again)?;
        near(&wide(&again.read()?), &wide(&host), 4.0 * SINGLE, &format!("{what}, and back"))?;
    }
    Ok(())
}

fn stft_recorded(device: &Device) -> TestResult {
    let (mut x, window) = (device.buffer_from(&[1.0f32, 1.0, 2.0, 0.0])?, [1.0, 1.0]);
    let mut y = device.buffer::<[f32; 2]>(4)?;
    let mut again = device.buffer::<f32>(4)?;
    let mut recording = device.recording();
    Stft::new([4], window, 2).record(&mut recording).run(&x, &mut y)?;
    Stft::new([4], window, 2).record(&mut recording).inverse(&y, &mut again)?;
    recording.submit()?;
    same(&y.read()?, &[[2.0, 0.0], [0.0, 0.0], [2.0, 0.0], [2.0, 0.0]], "submitted")?;
    x.copy_from_slice(&[0.0, 4.0, 1.0, 3.0])?;
    recording.submit()?;
    same(&again.read()?, &[0.0, 4.0, 1.0, 3.0], "submitted again, and back")?;
    Stft::new([4], window, 2).on(&device.stream()).run(&x, &mut y)?;
    same(&y.read()?[2..], &[[4.0, 0.0], [-2.0, 0.0]], "on a stream")
}

fn stft_refusals(device: &Device) -> TestResult {
    let (x, hann) = (device.buffer_from(&[1.0f32; 16])?, WindowShape::Hann.periodic(8));
    let mut y = device.buffer_from(&[[7.0f32; 2]; 15])?;
    let name = "short-time Fourier transform";
    let stft = || Stft::<f32>::new([16], &hann, 4);
    refused(Stft::<f32>::new([], &hann, 4).run(&x, &mut y), is_choice, &[name, "samples", "no axes"])?;
    refused(Stft::<f32>::new([16], [], 4).run(&x, &mut y), is_choice, &[name, "window", "0 numbers"])?;
    refused(Stft::<f32>::new([16], &hann, 0).run(&x, &mut y), is_choice, &[name, "a hop of 0"])?;
    refused(stft().transform_length(7).run(&x, &mut y), is_choice, &[name, "of length 7", "window, 8"])?;
    refused(Stft::<f32>::new([15], &hann, 4).run(&x, &mut y), is_length, &[name, "'x' has 16 elements", "[15]"])?;
    refused(stft().run(&x, y.slice_mut(..14)), is_length, &[name, "'y' has 14 elements", "[3, 5]"])?;
    let mut z = device.buffer_from(&[7.0f32; 16])?;
    // The first number of the window is 0.
    refused(stft().inverse(&y, &mut z), is_choice, &[name, "sample 0", "hop 4", "centred"])?;
    let apart = Stft::<f32>::new([16], [1.0; 4], 5).centred();
    let spectrum = device.buffer::<[f32; 2]>(apart.shape()?.iter().product())?;
    refused(apart.inverse(&spectrum, &mut z), is_choice, &[name, "sample 2", "hop 5"])?;
    same(&z.read()?, &[7.0; 16], "nothing has run")?;
    same(&y.read()?, &[[7.0; 2]; 15], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    inside(&device)?;
    centred(&device)?;
    axes(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
