//! Fourier transforms of lines beside `rustfft`.

use anywarp::Device;
use anywarp::ops::{Fft, FftTables};
use rayon::prelude::*;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use crate::{Outcome, compare, near};

/// The numbers that a task of `rayon` transforms, at least: a line or more.
const TASK: usize = 1 << 14;

pub(crate) fn all(device: &Device, quick: bool) -> Outcome<()> {
    let scale = if quick { 16 } else { 1 };
    // Lines on all cores.
    for (lines, length) in [(16384, 64), (4096, 256), (1024, 1024), (1024, 1000), (64, 16384), (128, 8191)] {
        one(device, (lines / scale).max(4), length, Some(0.7))?;
    }
    // One line, which `rustfft` transforms on one core.
    one(device, 1, (1 << 20) / scale, None)
}

fn one(device: &Device, lines: usize, length: usize, goal: Option<f64>) -> Outcome<()> {
    let count = lines * length;
    let numbers: Vec<[f32; 2]> = (0..count).map(|at| [(at as f32 * 0.7).sin(), (at as f32 * 1.3).cos()]).collect();
    let tables = FftTables::new(device);
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<[f32; 2]>(count)?);
    let mut recording = device.recording();
    Fft::new([lines, length]).axes([1]).tables(&tables).record(&mut recording).run(&x, &mut y)?;

    let input: Vec<Complex<f32>> = numbers.iter().map(|[real, imaginary]| Complex::new(*real, *imaginary)).collect();
    let mut output = vec![Complex::default(); count];
    let plan = FftPlanner::new().plan_fft_forward(length);
    let task = length * (TASK / length).max(1);
    let mut peer = || -> Outcome<()> {
        let scratch = || vec![Complex::default(); plan.get_immutable_scratch_len()];
        output.par_chunks_mut(task).zip(input.par_chunks(task)).for_each_init(scratch, |scratch, (output, input)| {
            plan.process_immutable_with_scratch(input, output, scratch);
        });
        Ok(())
    };
    recording.submit()?.wait()?;
    peer()?;
    let mut ours = || -> Outcome<()> { Ok(recording.submit()?.wait()?) };
    let what = format!("fft of {lines} x {length}");
    compare(&what, goal, &mut ours, &mut peer)?;
    let got: Vec<f32> = y.read()?.iter().flatten().copied().collect();
    let wanted: Vec<f32> = output.iter().flat_map(|number| [number.re, number.im]).collect();
    near(&got, &wanted, 1e-5, &what)
}
