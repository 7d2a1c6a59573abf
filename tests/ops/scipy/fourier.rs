//! Fourier transforms, cosine transforms, convolutions, windows.

use anywarp::Device;
use anywarp::ops::{
    ComplexElement, ConvolveMode, Dct, DctKind, Fft, FftConvolve, FftNorm, FftTables, OperationError, RealFft,
    SignalElement, Stft,
};
use half::f16;

use crate::outcome::{TestResult, equal, skip};

use super::archive::Archive;
use super::compare::Report;
use super::number::{Number, complex, parts, typed, wide};

/// Numbers from -1 to 1 by the last steps of `MurmurHash3`, as `cases.py` has them; they are exact in `f32`.
fn hashed(count: usize) -> Vec<f64> {
    let number = |mut h: u32| {
        h ^= h >> 16;
        h = h.wrapping_mul(0x85eb_ca6b);
        h ^= h >> 13;
        h = h.wrapping_mul(0xc2b2_ae35);
        h ^= h >> 16;
        f64::from(h >> 8) / f64::from(1u32 << 23) - 1.0
    };
    (0..count as u32).map(number).collect()
}

fn bound<T: Number>(length: usize) -> f64 {
    T::TRANSFORM * (length as f64).log2().max(1.0)
}

/// All lengths to 512, forward and back, of complex and of real numbers; `f64` has every seventh length.
pub(super) fn short<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult
where
    [T; 2]: ComplexElement<Real = T>,
{
    let tables = FftTables::<[T; 2]>::new(device);
    let (mut forward, mut real) = (file.reals("forward")?, file.reals("real")?);
    for length in file.whole("lengths")? {
        let (whole, half);
        (whole, forward) = forward.split_at(2 * length);
        (half, real) = real.split_at(2 * (length / 2 + 1));
        if T::NAME == "f64" && !length.is_multiple_of(7) {
            continue;
        }
        let numbers = hashed(2 * length);
        let x = device.buffer_from(&complex::<T>(&numbers))?;
        let mut y = device.buffer::<[T; 2]>(length)?;
        Fft::new([length]).tables(&tables).run(&x, &mut y)?;
        let what = |what: &str| format!("{what} {}, {length} numbers", T::NAME);
        report.root_mean_square(&what("fft"), &parts(&y.read()?), whole, bound::<T>(length));
        Fft::new([length]).tables(&tables).inverse().run_in_place(&mut y)?;
        report.root_mean_square(&what("fft and back"), &parts(&y.read()?), &numbers, 2.0 * bound::<T>(length));

        let numbers: Vec<f64> = numbers.chunks(2).map(|parts| parts[0]).collect();
        let (x, mut y) = (device.buffer_from(&typed::<T>(&numbers))?, device.buffer::<[T; 2]>(half.len() / 2)?);
        RealFft::new([length]).tables(&tables).run(&x, &mut y)?;
        report.root_mean_square(&what("rfft"), &parts(&y.read()?), half, bound::<T>(length));
        let mut again = device.buffer::<T>(length)?;
        RealFft::new([length]).tables(&tables).inverse(&y, &mut again)?;
        report.root_mean_square(&what("rfft and back"), &wide::<T>(&again.read()?), &numbers, 2.0 * bound::<T>(length));
    }
    Ok(())
}

/// A sample of the results of one length.
pub(super) fn long(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    let (length, places) = (file.one("length")?, file.whole("places")?);
    let mut x = device.buffer_from(&complex::<f32>(&hashed(2 * length)))?;
    match Fft::new([length]).run_in_place(&mut x) {
        Err(OperationError::TooLarge { .. }) => return skip("the device has no such large arrays"),
        outcome => outcome?,
    }
    let y = x.read()?;
    let sample: Vec<[f32; 2]> = places.iter().map(|place| y[*place]).collect();
    let what = format!("long fft f32, {length} numbers");
    report.root_mean_square(&what, &parts(&sample), file.reals("forward")?, bound::<f32>(length));
    Ok(())
}

pub(super) fn axes<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult
where
    [T; 2]: ComplexElement<Real = T>,
{
    let shape = file.whole("shape")?;
    let count = shape.iter().product();
    let (x, mut y) = (device.buffer_from(&complex::<T>(file.reals("x")?))?, device.buffer::<[T; 2]>(count)?);
    Fft::new(&shape).run(&x, &mut y)?;
    let what = format!("fft of all axes {}, {shape:?}", T::NAME);
    report.root_mean_square(&what, &parts(&y.read()?), file.reals("forward")?, bound::<T>(count));
    Ok(())
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

pub(super) fn cosines<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    let x = file.reals("x")?;
    let length = x.len();
    let (x, mut y) = (device.buffer_from(&typed::<T>(x))?, device.buffer::<T>(length)?);
    for (kind, wanted) in KINDS.into_iter().zip(file.reals("y")?.chunks(length)) {
        Dct::new([length], kind).run(&x, &mut y)?;
        // The bound of the documentation; `f64` has it in its own roundings, with those of the reference.
        let unit = if T::NAME == "f64" { 2.0 } else { 1.0 };
        let what = format!("{kind:?} {}, {length} numbers", T::NAME);
        report.root_mean_square(&what, &wide(&y.read()?), wanted, unit * bound::<T>(2 * length));
    }
    Ok(())
}

pub(super) fn convolutions<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    let (shape, kernel) = (file.whole("shape")?, file.whole("kernel")?);
    let x = device.buffer_from(&typed::<T>(file.reals("x")?))?;
    let w = device.buffer_from(&typed::<T>(file.reals("w")?))?;
    let modes = [("full", ConvolveMode::Full), ("same", ConvolveMode::Same), ("valid", ConvolveMode::Valid)];
    for (name, mode) in modes.into_iter().filter(|(name, _)| file.has(name)) {
        let wanted = file.reals(name)?;
        let mut y = device.buffer::<T>(wanted.len())?;
        FftConvolve::new(&shape, &kernel).mode(mode).run(&x, &w, &mut y)?;
        // A transform of the padded arrays, and back.
        let padded = shape.iter().zip(&kernel).map(|(a, b)| a + b).product::<usize>();
        let what = format!("convolve {}, {shape:?} and {kernel:?}, {name}", T::NAME);
        report.root_mean_square(&what, &wide(&y.read()?), wanted, 3.0 * bound::<T>(padded));
    }
    Ok(())
}

/// Transforms of `f16`, of numbers that are exact in it.
pub(super) fn halves(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    let (x, wanted) = (file.reals("x")?, file.reals("forward")?);
    let length = x.len() / 2;
    let typed = |numbers: &[f64]| numbers.iter().map(|number| f16::from_f64(*number)).collect::<Vec<f16>>();
    let pairs: Vec<[f16; 2]> = typed(x).chunks_exact(2).map(|parts| [parts[0], parts[1]]).collect();
    let bound = bound::<f32>(length) + 2f64.powi(-11);
    let (buffer, mut y) = (device.buffer_from(&pairs)?, device.buffer::<[f16; 2]>(length)?);
    Fft::new([length]).norm(FftNorm::Ortho).run(&buffer, &mut y)?;
    let parts = |numbers: &[[f16; 2]]| numbers.iter().flatten().map(|part| part.to_f64()).collect::<Vec<f64>>();
    report.root_mean_square(&format!("fft f16, {length} numbers"), &parts(&y.read()?), wanted, bound);
    let reals: Vec<f64> = x.chunks_exact(2).map(|parts| parts[0]).collect();
    let (buffer, mut half) = (device.buffer_from(&typed(&reals))?, device.buffer::<[f16; 2]>(length / 2 + 1)?);
    RealFft::new([length]).norm(FftNorm::Ortho).run(&buffer, &mut half)?;
    report.root_mean_square(&format!("rfft f16, {length} numbers"), &parts(&half.read()?), file.reals("real")?, bound);
    let mut again = device.buffer::<f16>(length)?;
    RealFft::new([length]).norm(FftNorm::Ortho).inverse(&half, &mut again)?;
    let again: Vec<f64> = again.read()?.iter().map(|real| real.to_f64()).collect();
    report.root_mean_square(&format!("rfft and back f16, {length} numbers"), &again, &reals, 2.0 * bound);
    Ok(())
}

pub(super) fn windows<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult
where
    [T; 2]: ComplexElement<Real = T> + SignalElement<Complex = [T; 2]>,
{
    let (x, wanted, transform) = (file.reals("x")?, file.reals("y")?, file.one("transform")?);
    let (window, hop) = (file.reals("window")?, file.one("hop")?);
    let bound = bound::<T>(transform);
    if file.has("complex") {
        let stft = || Stft::<[T; 2]>::new([x.len() / 2], window, hop).transform_length(transform).centred().trimmed();
        let count = stft().shape()?.iter().product();
        equal(count, wanted.len() / 2, "the results of stft")?;
        let (signal, mut y) = (device.buffer_from(&complex::<T>(x))?, device.buffer::<[T; 2]>(count)?);
        stft().run(&signal, &mut y)?;
        let what = format!("complex stft {}, {transform} numbers", T::NAME);
        report.root_mean_square(&what, &parts::<T>(&y.read()?), wanted, bound);
        let mut again = device.buffer::<[T; 2]>(x.len() / 2)?;
        stft().inverse(&y, &mut again)?;
        let what = format!("complex stft and back {}, {transform} numbers", T::NAME);
        report.root_mean_square(&what, &parts::<T>(&again.read()?), x, 4.0 * bound);
        return Ok(());
    }
    let stft = Stft::<T>::new([x.len()], window, hop).transform_length(transform).centred().trimmed();
    let count = stft.shape()?.iter().product();
    equal(count, wanted.len() / 2, "the results of stft")?;
    let (x, mut y) = (device.buffer_from(&typed::<T>(x))?, device.buffer::<[T; 2]>(count)?);
    stft.run(&x, &mut y)?;
    let what = format!("stft {}, {transform} numbers", T::NAME);
    report.root_mean_square(&what, &parts::<T>(&y.read()?), wanted, bound);
    Ok(())
}
