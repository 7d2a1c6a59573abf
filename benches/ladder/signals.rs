//! Cosine transforms, convolutions through Fourier transforms, and windows on signals.

use anywarp::UnifiedBuffer;
use anywarp::ops::{ConvolveMode, Dct, DctKind, FftConvolve, FftNorm, FftTables, Stft, WindowShape};

use crate::rungs::Ladder;
use crate::shared::Outcome;

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let tables = FftTables::new(&device);
    let numbers = elements / 4;
    let host: Vec<f32> = (0..numbers).map(|at| ((at * 31 % 1009) as f32 * 0.37).sin()).collect();
    let x = device.buffer_from(&host)?;
    let squares = |numbers: &[f32]| numbers.iter().map(|number| f64::from(number * number)).sum::<f64>();
    let before = squares(&host);
    let side = 1 << (numbers.trailing_zeros() / 2);
    for (shape, axes) in [(vec![numbers / 1024, 1024], vec![1]), (vec![side, numbers / side], vec![0, 1])] {
        let what = format!("dct of {}x{} along {axes:?}", shape[0], shape[1]);
        let dct = || Dct::new(&shape, DctKind::Dct2).axes(&axes).norm(FftNorm::Ortho).tables(&tables);
        let mut y = device.buffer::<f32>(numbers)?;
        // An orthogonal transform keeps the sum of squares.
        let check = |y: &UnifiedBuffer<f32>| {
            let after = squares(&y.read()?);
            if (before - after).abs() <= 1e-4 * before {
                Ok(())
            } else {
                Err(format!("{before} became {after}").into())
            }
        };
        let cost = dct().cost(&device)?;
        ladder.rung((&what, "Dct"), cost, &mut y, |y, recording| Ok(dct().record(recording).run(&x, y)?), check)?;
    }

    // A kernel with one number that is not 0 moves the signal.
    let mut kernel = vec![0.0f32; numbers / 8];
    kernel[5] = 1.0;
    let w = device.buffer_from(&kernel)?;
    let convolve = || FftConvolve::new([numbers], [kernel.len()]).mode(ConvolveMode::Full).tables(&tables);
    let mut y = device.buffer::<f32>(numbers + kernel.len() - 1)?;
    let check = |y: &UnifiedBuffer<f32>| near(&y.read()?[5..5 + numbers], &host);
    let (what, cost) = (format!("convolution of {numbers} and {}", kernel.len()), convolve().cost(&device)?);
    let record = |y: &mut UnifiedBuffer<f32>, recording: &mut _| Ok(convolve().record(recording).run(&x, &w, y)?);
    ladder.rung((&what, "FftConvolve"), cost, &mut y, record, check)?;

    let window = WindowShape::Hann.periodic(1024);
    let stft = || Stft::<f32>::new([numbers], &window, 512).centred().tables(&tables);
    let mut arrays = (device.buffer::<[f32; 2]>(stft().shape()?.iter().product())?, device.buffer::<f32>(numbers)?);
    let (what, cost) = (format!("stft of {numbers}"), stft().cost(&device)?);
    let record = |arrays: &mut (UnifiedBuffer<[f32; 2]>, _), recording: &mut _| {
        Ok(stft().record(recording).run(&x, &mut arrays.0)?)
    };
    ladder.rung((&what, "Stft"), cost, &mut arrays, record, |_| Ok(()))?;
    let record = |arrays: &mut (UnifiedBuffer<[f32; 2]>, UnifiedBuffer<f32>), recording: &mut _| {
        Ok(stft().record(recording).inverse(&arrays.0, &mut arrays.1)?)
    };
    let what = format!("inverse stft of {numbers}");
    ladder.rung((&what, "Stft"), cost, &mut arrays, record, |arrays| near(&arrays.1.read()?, &host))
}

fn near(got: &[f32], wanted: &[f32]) -> Outcome<()> {
    match got.iter().zip(wanted).position(|(got, wanted)| (got - wanted).abs() > 1e-4 || got.is_nan()) {
        Some(at) => Err(format!("number {at} is {}, expected {}", got[at], wanted[at]).into()),
        None => Ok(()),
    }
}
