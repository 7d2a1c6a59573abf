//! Fourier transforms of the usual shapes, and one of real numbers.

use std::f64::consts::TAU;

use anywarp::ops::{Fft, FftTables, RealFft};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::Ladder;
use crate::shared::Outcome;

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let tables = FftTables::new(&device);
    let numbers = elements / 4;
    let side = 1 << (numbers.trailing_zeros() / 2);
    let edge = 1 << (numbers.trailing_zeros() / 3);
    for (shape, axes) in [
        (vec![numbers], vec![0]),
        (vec![numbers / 1024, 1024], vec![1]),
        (vec![numbers / 1024, 1000], vec![1]),
        (vec![numbers / 16384, 13440], vec![1]),
        (vec![numbers / 8192, 8191], vec![1]),
        (vec![side, side], vec![0, 1]),
        (vec![side, side], vec![0]),
        (vec![edge, edge, edge], vec![0, 1, 2]),
    ] {
        let count = shape.iter().product::<usize>();
        let what =
            format!("fft of {} along {axes:?}", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x"));
        let x = device.buffer_from(&wave(&shape, &axes))?;
        let mut y = device.buffer::<[f32; 2]>(count)?;
        let cost = Fft::new(&shape).axes(&axes).tables(&tables).cost(&device)?;
        let record = |y: &mut UnifiedBuffer<[f32; 2]>, recording: &mut Recording| {
            Ok(Fft::new(&shape).axes(&axes).tables(&tables).record(recording).run(&x, y)?)
        };
        ladder.rung((&what, "Fft"), cost, &mut y, record, |y| peaks(&y.read()?, &shape, &axes))?;
    }
    let reals: Vec<f32> = wave(&[numbers], &[0]).iter().map(|number| number[0]).collect();
    let x = device.buffer_from(&reals)?;
    let mut y = device.buffer::<[f32; 2]>(numbers / 2 + 1)?;
    let cost = RealFft::new([numbers]).tables(&tables).cost(&device)?;
    let record = |y: &mut UnifiedBuffer<[f32; 2]>, recording: &mut Recording| {
        Ok(RealFft::new([numbers]).tables(&tables).record(recording).run(&x, y)?)
    };
    let check = |y: &UnifiedBuffer<[f32; 2]>| {
        // A cosine is half the sum of two waves.
        let twice: Vec<[f32; 2]> = y.read()?.iter().map(|number| number.map(|part| 2.0 * part)).collect();
        peaks(&twice, &[numbers], &[0])
    };
    ladder.rung((&format!("fft of {numbers} reals"), "RealFft"), cost, &mut y, record, check)
}

/// The number of turns of the wave along an axis.
const TURNS: usize = 3;

/// A wave along each of the axes.
fn wave(shape: &[usize], axes: &[usize]) -> Vec<[f32; 2]> {
    let mut inner = shape.iter().product::<usize>();
    let count = inner;
    let mut phases = vec![0.0f64; count];
    for (axis, size) in shape.iter().enumerate() {
        inner /= size;
        if axes.contains(&axis) {
            for (at, phase) in phases.iter_mut().enumerate() {
                *phase += (at / inner % size * TURNS % size) as f64 / *size as f64;
            }
        }
    }
    phases.iter().map(|phase| (TAU * phase).sin_cos()).map(|(sine, cosine)| [cosine as f32, sine as f32]).collect()
}

/// Fails unless the transform of a wave has its peaks, and nothing beside them.
fn peaks(y: &[[f32; 2]], shape: &[usize], axes: &[usize]) -> Outcome<()> {
    let height: usize = axes.iter().map(|axis| shape[*axis]).product();
    for (at, number) in y.iter().enumerate() {
        let mut inner = y.len();
        let is_peak = shape.len() == 1 && at == TURNS
            || shape.len() > 1
                && shape.iter().enumerate().all(|(axis, size)| {
                    inner /= size;
                    !axes.contains(&axis) || at / inner % size == TURNS
                });
        let wanted = if is_peak { height as f32 } else { 0.0 };
        let error = (number[0] - wanted).hypot(number[1]) / height as f32;
        if error.is_nan() || error > 1e-5 {
            return Err(format!("number {at} is {number:?}, expected {wanted}").into());
        }
    }
    Ok(())
}
