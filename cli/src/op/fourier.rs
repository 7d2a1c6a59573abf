//! Fourier transforms. Files have complex numbers as pairs along the last axis, as ONNX's DFT has them.

use anywarp::ops::{ComplexElement, Fft, FftNorm, RealFft};
use bytemuck::Pod;

use super::call::Call;
use super::entry::{Number, Operator, Port, by_type};
use super::parameter::{Kind, Parameter};
use super::shapes::shown;
use crate::failure::Failure;

pub(super) const AXES: Parameter =
    Parameter::new("axes", Kind::Counts, "The axes to transform; all of them by default");
pub(super) const NORM: Parameter =
    Parameter::new("norm", Kind::Word(&["backward", "ortho", "forward"]), "The factor of results, as SciPy's norm")
        .default("backward");
const COMPLEX: Port = Port::new("x", "Complex numbers, with their two parts along the last axis");
const REAL: Port = Port::new("x", "Real numbers");
const HALF: Port = Port::new("x", "Complex numbers, with the first half along the last of the transformed axes");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "fft",
        summary: "The Fourier transform of complex numbers",
        inputs: &[COMPLEX],
        outputs: &[Port::new("y", "The transform, with the shape of x")],
        parameters: &[AXES, NORM, Parameter::new("inverse", Kind::Flag, "Compute the inverse transform")],
        run: by_type!([f32, half::f16, f64], T, call => {
            let inverse = call.values.flag("inverse");
            complex::<T>(call, inverse)
        }),
    },
    Operator {
        name: "ifft",
        summary: "The inverse Fourier transform of complex numbers",
        inputs: &[COMPLEX],
        outputs: &[Port::new("y", "The inverse transform, with the shape of x")],
        parameters: &[AXES, NORM],
        run: by_type!([f32, half::f16, f64], T, call => complex::<T>(call, true)),
    },
    Operator {
        name: "rfft",
        summary: "The first half of the Fourier transform of real numbers",
        inputs: &[REAL],
        outputs: &[Port::new("y", "The first half, with n / 2 + 1 numbers along the last of the axes")],
        parameters: &[AXES, NORM],
        run: by_type!([f32, half::f16, f64], T, call => real::<T>(call)),
    },
    Operator {
        name: "irfft",
        summary: "The real numbers with this first half of a Fourier transform",
        inputs: &[HALF],
        outputs: &[Port::new("y", "The real numbers")],
        parameters: &[
            AXES,
            NORM,
            Parameter::new(
                "length",
                Kind::Count,
                "The real numbers along the last of the axes; an even number by default",
            ),
        ],
        run: by_type!([f32, half::f16, f64], T, call => real_inverse::<T>(call)),
    },
];

pub(super) fn norm(call: &Call<'_>) -> FftNorm {
    match call.values.text("norm") {
        Some("ortho") => FftNorm::Ortho,
        Some("forward") => FftNorm::Forward,
        _ => FftNorm::Backward,
    }
}

/// The shape of the complex numbers of an input, without the axis of their parts.
pub(super) fn complex_shape(call: &Call<'_>) -> Result<Vec<usize>, Failure> {
    let mut shape = call.shape("x");
    if shape.pop() == Some(2) {
        return Ok(shape);
    }
    let found = shown(&call.shape("x"));
    Err(Failure::File(format!(
        "x: expected the parts of complex numbers along a last axis of size 2, found the shape {found}: save \
         numpy.stack([x.real, x.imag], -1)"
    )))
}

pub(super) fn with_parts(mut shape: Vec<usize>) -> Vec<usize> {
    shape.push(2);
    shape
}

fn complex<T: Number + Pod>(call: &mut Call<'_>, inverse: bool) -> Result<(), Failure>
where
    [T; 2]: ComplexElement<Real = T>,
{
    let shape = complex_shape(call)?;
    let mut fft = Fft::<[T; 2]>::new(&shape).norm(norm(call));
    if let Some(axes) = call.values.counts("axes") {
        fft = fft.axes(axes);
    }
    if inverse {
        fft = fft.inverse();
    }
    call.cost = Some(fft.cost(&call.device)?);
    let x = call.upload_pairs::<T>("x")?;
    let mut y = call.device.buffer(x.len())?;
    fft.record(&mut call.recording).run(&x, &mut y)?;
    call.output_pairs(y, with_parts(shape));
    Ok(())
}

/// A transform of real numbers of a shape, and its last axis.
fn real_fft<T: Number + Pod>(call: &Call<'_>, shape: &[usize]) -> RealFft<'static, [T; 2]>
where
    [T; 2]: ComplexElement<Real = T>,
{
    let fft = RealFft::new(shape).norm(norm(call));
    match call.values.counts("axes") {
        Some(axes) => fft.axes(axes),
        None => fft,
    }
}

/// The axis of the halves, for a shape with this many axes.
fn last_axis(call: &Call<'_>, axes: usize) -> Option<usize> {
    match call.values.counts("axes") {
        Some(axes) => axes.last().copied(),
        None => axes.checked_sub(1),
    }
}

fn real<T: Number + Pod>(call: &mut Call<'_>) -> Result<(), Failure>
where
    [T; 2]: ComplexElement<Real = T>,
{
    let shape = call.shape("x");
    let fft = real_fft::<T>(call, &shape);
    call.cost = Some(fft.cost(&call.device)?);
    let mut halves = shape.clone();
    if let Some(size) = last_axis(call, shape.len()).and_then(|axis| halves.get_mut(axis)).filter(|size| **size > 0) {
        *size = *size / 2 + 1;
    }
    let x = call.upload::<T>("x")?;
    let mut y = call.device.buffer(halves.iter().product())?;
    fft.record(&mut call.recording).run(&x, &mut y)?;
    call.output_pairs(y, with_parts(halves));
    Ok(())
}

fn real_inverse<T: Number + Pod>(call: &mut Call<'_>) -> Result<(), Failure>
where
    [T; 2]: ComplexElement<Real = T>,
{
    let mut shape = complex_shape(call)?;
    let axis = last_axis(call, shape.len());
    if let Some(size) = axis.and_then(|axis| shape.get_mut(axis)) {
        *size = call.values.count("length").unwrap_or(2 * size.saturating_sub(1));
    }
    let fft = real_fft::<T>(call, &shape);
    call.cost = Some(fft.cost(&call.device)?);
    let x = call.upload_pairs::<T>("x")?;
    let mut y = call.array::<T>(&shape)?;
    fft.record(&mut call.recording).inverse(&x, &mut y)?;
    call.output(y, shape);
    Ok(())
}
