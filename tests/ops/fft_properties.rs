//! Properties that Fourier transforms have by their definition, for lengths at random: linearity, Parseval's equation, the
//! transform of a shifted signal, and the way back.

use std::f64::consts::TAU;

use anywarp::Device;
use anywarp::ops::{Dct, DctKind, Fft, FftNorm, FftTables, fft, irfft, rfft, roll};

use crate::fft::reference;
use crate::outcome::{TestResult, ensure};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 2] = [("fft::sampled", sampled), ("fft::properties", properties)];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

/// Numbers of a linear congruential generator (Knuth's MMIX), the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn complex(&mut self, count: usize) -> Vec<[f32; 2]> {
        let mut part = || self.next() as f32 / (1u64 << 30) as f32 - 1.0;
        (0..count).map(|_| [part(), part()]).collect()
    }
}

fn wide(numbers: &[[f32; 2]]) -> Vec<[f64; 2]> {
    numbers.iter().map(|number| number.map(f64::from)).collect()
}

fn squares(numbers: &[[f64; 2]]) -> f64 {
    numbers.iter().map(|[a, b]| a * a + b * b).sum()
}

fn near(got: &[[f64; 2]], wanted: &[[f64; 2]], what: &str) -> TestResult {
    let differences: Vec<[f64; 2]> = got.iter().zip(wanted).map(|(a, b)| [a[0] - b[0], a[1] - b[1]]).collect();
    let error = (squares(&differences) / squares(wanted)).sqrt();
    let bound = 2e-7 * (got.len() as f64).log2().max(1.0);
    ensure(error <= bound, || format!("{what}: a relative error of {error:e}, at most {bound:e}"))
}

/// A sample of the lengths to 512, by the definition.
fn sampled(device: &Device) -> TestResult {
    let (tables, mut numbers) = (FftTables::new(device), Numbers(1));
    for _ in 0..10 {
        let length = 1 + numbers.below(512);
        let host = numbers.complex(length);
        let (x, mut y) = (device.buffer_from(&host)?, device.buffer(length)?);
        Fft::new([length]).tables(&tables).run(&x, &mut y)?;
        let wanted = reference::fft(&wide(&host), &[length], 0, false);
        near(&wide(&y.read()?), &wanted, &format!("{length} numbers"))?;
    }
    Ok(())
}

fn properties(device: &Device) -> TestResult {
    let mut numbers = Numbers(7);
    // Lengths with a great prime factor, and smooth ones.
    let lengths = [1 + numbers.below(1 << 12), 1 + numbers.below(1 << 15), 3 << (14 + numbers.below(4))];
    for length in lengths {
        let tables = FftTables::new(device);
        let transform = || Fft::new([length]).tables(&tables);
        let (host, other) = (numbers.complex(length), numbers.complex(length));
        let (x, mut y, mut z) = (device.buffer_from(&host)?, device.buffer(length)?, device.buffer(length)?);
        transform().run(&x, &mut y)?;
        let first = wide(&y.read()?);
        let (before, after) = (squares(&wide(&host)), squares(&first) / length as f64);
        ensure((before - after).abs() <= 1e-5 * before, || format!("{length}: Parseval: {before} and {after}"))?;

        transform().inverse().run(&y, &mut z)?;
        near(&wide(&z.read()?), &wide(&host), &format!("{length}, there and back"))?;

        // The sum of three times the first and the other.
        let sum: Vec<[f32; 2]> = host.iter().zip(&other).map(|(a, b)| [3.0 * a[0] + b[0], 3.0 * a[1] + b[1]]).collect();
        transform().run(&device.buffer_from(&other)?, &mut y)?;
        transform().run(&device.buffer_from(&sum)?, &mut z)?;
        let second = wide(&y.read()?);
        let wanted: Vec<[f64; 2]> =
            first.iter().zip(&second).map(|(a, b)| [3.0 * a[0] + b[0], 3.0 * a[1] + b[1]]).collect();
        near(&wide(&z.read()?), &wanted, &format!("{length}, linear"))?;

        let shift = numbers.below(length);
        roll(&x, &mut y, [length], &[(0, shift as isize)])?;
        transform().run_in_place(&mut y)?;
        let turned = |(k, [a, b]): (usize, &[f64; 2])| {
            let (sine, cosine) = (-TAU * ((k * shift) % length) as f64 / length as f64).sin_cos();
            [a * cosine - b * sine, a * sine + b * cosine]
        };
        let wanted: Vec<[f64; 2]> = first.iter().enumerate().map(turned).collect();
        near(&wide(&y.read()?), &wanted, &format!("{length}, shifted by {shift}"))?;
    }
    real(device, 2 * 3 * 5 * (1 + numbers.below(100)))
}

/// Transforms of real numbers and their way back, and an orthogonal transform by cosines.
fn real(device: &Device, length: usize) -> TestResult {
    let host: Vec<f32> = Numbers(3).complex(length).iter().map(|number| number[0]).collect();
    let (x, mut half) = (device.buffer_from(&host)?, device.buffer::<[f32; 2]>(length / 2 + 1)?);
    rfft(&x, &mut half)?;
    let complex: Vec<[f32; 2]> = host.iter().map(|real| [*real, 0.0]).collect();
    let mut whole = device.buffer(length)?;
    fft(&device.buffer_from(&complex)?, &mut whole)?;
    near(&wide(&half.read()?), &wide(&whole.read()?[..=length / 2]), &format!("{length} reals"))?;
    let mut again = device.buffer::<f32>(length)?;
    irfft(&half, &mut again)?;
    let pairs = |reals: &[f32]| reals.iter().map(|real| [f64::from(*real), 0.0]).collect::<Vec<_>>();
    near(&pairs(&again.read()?), &pairs(&host), &format!("{length} reals, there and back"))?;
    Dct::new([length], DctKind::Dct2).norm(FftNorm::Ortho).run(&x, &mut again)?;
    let (before, after) = (squares(&pairs(&host)), squares(&pairs(&again.read()?)));
    ensure((before - after).abs() <= 1e-5 * before, || format!("{length}: cosines: {before} and {after}"))
}
