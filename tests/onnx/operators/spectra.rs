//! Fourier transforms.

use anywarp::ops::{Fft, RealFft, Stft};
use anywarp::{Device, UnifiedBuffer};
use anywarp_testing_devices::outcome::{TestResult, skip};

use super::arrange::{padded, range};
use crate::array::{Array, Type};
use crate::graph::{Call, axis};

/// The complex numbers of an array with their parts along its last axis; the imaginary part may be missing.
fn complex(device: &Device, x: &Array) -> TestResult<UnifiedBuffer<[f32; 2]>> {
    let parts = x.get::<f32>()?.read()?;
    let numbers: Vec<[f32; 2]> = match x.shape.last() {
        Some(2) => parts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect(),
        _ => parts.iter().map(|real| [*real, 0.0]).collect(),
    };
    Ok(device.buffer_from(&numbers)?)
}

fn parts(device: &Device, mut shape: Vec<usize>, numbers: &UnifiedBuffer<[f32; 2]>) -> TestResult<Array> {
    shape.push(2);
    Array::from(device, Type::F32, shape, bytemuck::cast_slice::<[f32; 2], f32>(&numbers.read()?))
}

/// The array cut or extended by zeros to a length along an axis.
fn fitted(device: &Device, x: &Array, axis: usize, length: usize) -> TestResult<Array> {
    let size = x.shape[axis];
    if length <= size {
        return range(device, x, axis, 0..length);
    }
    let mut widths = vec![[0, 0]; x.shape.len()];
    widths[axis][1] = length - size;
    padded::<f32>(device, x, &widths, anywarp::ops::Pad::Constant(0.0))
}

pub(super) fn dft(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    if x.kind != Type::F32 {
        return skip(format!("the operator has no type {:?}", x.kind));
    }
    let rank = x.shape.len();
    // Newer versions have the axis as an input.
    let axis = match call.optional(2) {
        Some(given) => axis(given.number()? as i64, rank)?,
        None => call.axis(if call.opset < 20 { 1 } else { -2 }, rank)?,
    };
    let (inverse, half) = (call.flag("inverse", false), call.flag("onesided", false));
    let length = match call.optional(1) {
        Some(given) => given.number()? as usize,
        None if inverse && half => 2 * x.shape[axis].saturating_sub(1),
        None => x.shape[axis],
    };
    let x = fitted(device, x, axis, if inverse && half { length / 2 + 1 } else { length })?;
    let mut shape = x.shape[..rank - 1].to_vec();
    shape[axis] = length;
    let count = shape.iter().product();
    if !half {
        let (numbers, mut y) = (complex(device, &x)?, device.buffer(count)?);
        let fft = Fft::new(&shape).axes([axis]);
        let fft = if inverse { fft.inverse() } else { fft };
        fft.run(&numbers, &mut y)?;
        return Ok(vec![parts(device, shape, &y)?]);
    }
    let fft = RealFft::<[f32; 2]>::new(&shape).axes([axis]);
    if inverse {
        let numbers = complex(device, &x)?;
        shape.push(1);
        return Ok(vec![Array::written::<f32>(device, Type::F32, shape, |y| Ok(fft.inverse(&numbers, y)?))?]);
    }
    let mut halves = shape;
    halves[axis] = length / 2 + 1;
    let mut y = device.buffer(halves.iter().product())?;
    fft.run(x.get::<f32>()?, &mut y)?;
    Ok(vec![parts(device, halves, &y)?])
}

pub(super) fn stft(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let is_real = x.shape.len() == 2 || x.shape.last() == Some(&1);
    if x.kind != Type::F32 || !is_real || !call.flag("onesided", true) {
        return skip("short-time transforms of complex signals, or of other types than f32");
    }
    let hop = call.input(1)?.number()? as usize;
    let window: Vec<f64> = match call.optional(2) {
        Some(window) => window.get::<f32>()?.read()?.iter().map(|number| f64::from(*number)).collect(),
        None => vec![1.0; call.input(3)?.number()? as usize],
    };
    let length = call.optional(3).map(Array::number).transpose()?.map_or(window.len(), |length| length as usize);
    let stft = Stft::<f32>::new(&x.shape[..2], window, hop).transform_length(length);
    let shape = stft.shape()?;
    let mut y = device.buffer(shape.iter().product())?;
    stft.run(x.get::<f32>()?, &mut y)?;
    Ok(vec![parts(device, shape, &y)?])
}
