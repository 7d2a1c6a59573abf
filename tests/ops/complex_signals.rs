//! Short-time Fourier transforms of complex signals, compared with their definition in `f64`, and the windows at the ends of
//! signals.

use std::f64::consts::TAU;

use anywarp::Device;
use anywarp::backend::Capabilities;
use anywarp::ops::{OperationError, Stft, WindowShape};

use crate::outcome::{TestResult, ensure, equal, refused, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 4] = [
        ("stft::complex", complex),
        ("stft::complex_doubles", doubles),
        ("stft::complex_recorded", recorded),
        ("stft::trimmed", trimmed),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::stft_complex".to_owned(), Box::new(clean))
}

fn numbers(count: usize) -> Vec<[f64; 2]> {
    let part = |at: usize| f64::from(((at * 31 % 1009) as f32 * 0.37).sin());
    (0..count).map(|at| [part(2 * at), part(2 * at + 1)]).collect()
}

fn near(got: &[[f64; 2]], wanted: &[[f64; 2]], bound: f64, what: &str) -> TestResult {
    ensure(got.len() == wanted.len(), || format!("{what}: {} numbers, expected {}", got.len(), wanted.len()))?;
    let error = got.iter().zip(wanted).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0f64, f64::max);
    let size = wanted.iter().map(|number| number[0].hypot(number[1])).fold(0.0f64, f64::max);
    ensure(error <= bound * size, || format!("{what}: an error of {error:e} at a size of {size}"))
}

fn narrow(numbers: &[[f64; 2]]) -> Vec<[f32; 2]> {
    numbers.iter().map(|number| number.map(|part| part as f32)).collect()
}

fn wide(numbers: &[[f32; 2]]) -> Vec<[f64; 2]> {
    numbers.iter().map(|number| number.map(f64::from)).collect()
}

/// All frequencies of the windows that begin at `starts`, whose phases are those at `origin` in the window.
fn defined(x: &[[f64; 2]], window: &[f64], starts: &[i64], (transform, origin): (usize, i64)) -> Vec<[f64; 2]> {
    let mut results = Vec::new();
    for start in starts {
        for k in 0..transform {
            let mut sum = [0.0; 2];
            for (at, factor) in (0i64..).zip(window) {
                let sample = usize::try_from(start + at).ok().and_then(|sample| x.get(sample)).unwrap_or(&[0.0; 2]);
                let turn = ((at - origin) * k as i64).rem_euclid(transform as i64) as f64 / transform as f64;
                let (sine, cosine) = (TAU * turn).sin_cos();
                sum[0] += factor * (sample[0] * cosine + sample[1] * sine);
                sum[1] += factor * (sample[1] * cosine - sample[0] * sine);
            }
            results.push(sum);
        }
    }
    results
}

const BOUND: f64 = 1e-6;

/// Two signals, by windows within them and by centred ones, and back.
fn complex(device: &Device) -> TestResult {
    let host = numbers(2 * 53);
    let x = device.buffer_from(&narrow(&host))?;
    for (window, hop, transform, is_centred) in [
        (WindowShape::Hann.periodic(16), 8, 16, false),
        (vec![1.0; 53], 5, 60, false),
        (WindowShape::Hamming.periodic(16), 4, 16, true),
        (WindowShape::Hamming.symmetric(9), 2, 12, true),
        (WindowShape::Hann.periodic(7), 3, 7, true),
    ] {
        let what = format!("a window of {}, hop {hop}, centred {is_centred}", window.len());
        let stft = || {
            let stft = Stft::<[f32; 2]>::new([2, 53], &window, hop).transform_length(transform);
            if is_centred { stft.centred() } else { stft }
        };
        let middle = if is_centred { (window.len() / 2) as i64 } else { 0 };
        let all = (-60i64..=60).map(|frame| frame * hop as i64 - middle);
        let overlaps = |start: &i64| *start < 53 && start + window.len() as i64 > 0;
        let lies_within = |start: &i64| *start >= 0 && start + window.len() as i64 <= 53;
        let starts: Vec<i64> =
            all.filter(|start| if is_centred { overlaps(start) } else { lies_within(start) }).collect();
        let shape = stft().shape()?;
        same(&shape, &[2, starts.len(), transform], &what)?;
        let mut y = device.buffer::<[f32; 2]>(shape.iter().product())?;
        stft().run(&x, &mut y)?;
        let wanted: Vec<[f64; 2]> =
            host.chunks(53).flat_map(|signal| defined(signal, &window, &starts, (transform, middle))).collect();
        near(&wide(&y.read()?), &wanted, BOUND, &what)?;
        if is_centred {
            let mut again = device.buffer_from(&[[9.0f32; 2]; 108])?;
            stft().inverse(&y, again.slice_mut(1..107))?;
            let again = again.read()?;
            near(&wide(&again[1..107]), &host, 2.0 * BOUND, &format!("{what}, and back"))?;
            same(&[again[0], again[107]], &[[9.0; 2]; 2], "around the results")?;
        }
    }
    let cost = Stft::<[f32; 2]>::new([100], [1.0; 16], 12).cost(device)?;
    same(&[cost.flops, cost.bytes], &[8 * (5 * 16 * 4 + 2 * 16), 8 * 100 + 8 * 8 * 16], "the cost")
}

fn doubles(device: &Device) -> TestResult {
    let (host, window) = (numbers(25), WindowShape::Hann.periodic(8));
    let stft = || Stft::<[f64; 2]>::new([25], &window, 4).centred();
    let (x, mut y) = (device.buffer_from(&host)?, device.buffer::<[f64; 2]>(stft().shape()?.iter().product())?);
    if !device.caps().shader.contains(Capabilities::FLOAT64) {
        return refused(stft().run(&x, &mut y), |error| matches!(error, OperationError::Kernel { .. }), &["f64"]);
    }
    stft().run(&x, &mut y)?;
    let starts: Vec<i64> = (0..8).map(|frame| frame * 4 - 4).collect();
    near(&y.read()?, &defined(&host, &window, &starts, (8, 4)), 1e-14, "f64")?;
    let mut again = device.buffer::<[f64; 2]>(25)?;
    stft().inverse(&y, &mut again)?;
    near(&again.read()?, &host, 1e-14, "f64, and back")
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[[1.0f32, 2.0], [3.0, 4.0]])?;
    let (mut y, mut again) = (device.buffer::<[f32; 2]>(2)?, device.buffer::<[f32; 2]>(2)?);
    let mut recording = device.recording();
    Stft::new([2], [1.0, 2.0], 2).record(&mut recording).run(&x, &mut y)?;
    Stft::new([2], [1.0, 2.0], 2).record(&mut recording).inverse(&y, &mut again)?;
    recording.submit()?;
    same(&y.read()?, &[[7.0, 10.0], [-5.0, -6.0]], "submitted")?;
    x.copy_from_slice(&[[0.0, 4.0], [1.0, 0.0]])?;
    recording.submit()?;
    same(&again.read()?, &[[0.0, 4.0], [1.0, 0.0]], "submitted again, and back")
}

/// `SciPy`'s convention leaves out the window that begins with a zero at the last sample.
fn trimmed(device: &Device) -> TestResult {
    let x = device.buffer_from(&numbers(49).iter().map(|number| number[0] as f32).collect::<Vec<f32>>())?;
    let hann = WindowShape::Hann.periodic(16);
    let stft = || Stft::<f32>::new([49], &hann, 8).centred();
    let (all, fewer) = (stft().shape()?, stft().trimmed().shape()?);
    equal((all, fewer), (vec![8, 9], vec![7, 9]), "windows")?;
    let (mut y, mut less) = (device.buffer::<[f32; 2]>(8 * 9)?, device.buffer::<[f32; 2]>(7 * 9)?);
    stft().run(&x, &mut y)?;
    stft().trimmed().run(&x, &mut less)?;
    same(&less.read()?, &y.read()?[..63], "the same results")?;
    same(&y.read()?[63..], &[[0.0; 2]; 9], "a window of zeros")?;
    let mut again = device.buffer::<f32>(49)?;
    stft().trimmed().inverse(&less, &mut again)?;
    let parts = |reals: &[f32]| reals.iter().map(|real| [f64::from(*real), 0.0]).collect::<Vec<_>>();
    near(&parts(&again.read()?), &parts(&x.read()?), 2.0 * BOUND, "and back")?;
    // No zero at the begin, or no window that ends so.
    same(&Stft::<f32>::new([49], [1.0; 16], 8).centred().trimmed().shape()?, &[8, 9], "no zeros")?;
    same(&Stft::<f32>::new([50], &hann, 8).centred().trimmed().shape()?, &[8, 9], "another length")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    complex(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
