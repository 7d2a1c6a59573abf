//! Fourier transforms of waves, whose transforms have one peak.

use std::f64::consts::TAU;

use anywarp::Device;
use anywarp::ops::{Fft, RealFft};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, ensure};

pub(crate) const CASES: &[Case] = cases![transforms_of_waves, transforms_of_real_waves];

/// Lengths of one pass and of several, with small and great prime factors.
const LENGTHS: [usize; 9] = [1, 2, 13, 17, 60, 255, 1024, 4096, 5000];

/// Two waves with these turns, one after the other.
fn waves(length: usize, turns: [usize; 2]) -> Vec<[f32; 2]> {
    let wave = |turns: usize| {
        let angle = move |at: usize| TAU * (at * turns % length) as f64 / length as f64;
        (0..length).map(move |at| [angle(at).cos() as f32, angle(at).sin() as f32])
    };
    wave(turns[0]).chain(wave(turns[1])).collect()
}

fn near(got: &[[f32; 2]], wanted: impl Fn(usize) -> f32, scale: f32, what: &str) -> TestResult {
    let wrong = |(at, number): &(usize, &[f32; 2])| {
        let error = (number[0] - wanted(*at)).abs().max(number[1].abs());
        error.is_nan() || error > 1e-5 * scale
    };
    match got.iter().enumerate().find(wrong) {
        Some((at, number)) => ensure(false, || format!("{what}, number {at}: {number:?}, expected {}", wanted(at))),
        None => Ok(()),
    }
}

async fn transforms_of_waves(device: &Device) -> TestResult {
    for length in LENGTHS {
        let turns = [length / 3, length - 1];
        let x = waves(length, turns);
        let (buffer, mut y) = (device.buffer_from(&x)?, device.buffer::<[f32; 2]>(2 * length)?);
        Fft::new([2, length]).axes([1]).run(&buffer, &mut y)?;
        let peak = |at: usize| if at % length == turns[at / length] { length as f32 } else { 0.0 };
        near(&y.read_here().await?, peak, length as f32, &format!("waves of {length}"))?;
        Fft::new([2, length]).axes([1]).inverse().run_in_place(&mut y)?;
        let again = y.read_here().await?;
        let difference: Vec<[f32; 2]> = again.iter().zip(&x).map(|(a, b)| [a[0] - b[0], a[1] - b[1]]).collect();
        near(&difference, |_| 0.0, 1.0, &format!("waves of {length}, there and back"))?;
    }
    Ok(())
}

async fn transforms_of_real_waves(device: &Device) -> TestResult {
    for length in LENGTHS {
        let turns = length / 3;
        let x: Vec<f32> = waves(length, [turns, 0])[..length].iter().map(|number| number[0]).collect();
        let (buffer, mut y) = (device.buffer_from(&x)?, device.buffer::<[f32; 2]>(length / 2 + 1)?);
        RealFft::new([length]).run(&buffer, &mut y)?;
        // A cosine is half the sum of two waves, which are one for 0 turns.
        let height = if turns == 0 { length as f32 } else { length as f32 / 2.0 };
        let peak = |at: usize| if at == turns { height } else { 0.0 };
        near(&y.read_here().await?, peak, length as f32, &format!("a wave of {length}"))?;
        let mut again = device.buffer::<f32>(length)?;
        RealFft::new([length]).inverse(&y, &mut again)?;
        let again = again.read_here().await?;
        let difference: Vec<[f32; 2]> = again.iter().zip(&x).map(|(a, b)| [a - b, 0.0]).collect();
        near(&difference, |_| 0.0, 1.0, &format!("a wave of {length}, there and back"))?;
    }
    Ok(())
}
