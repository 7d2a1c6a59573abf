//! Checks of shapes. The library checks the lengths of arrays only, but files also have shapes.

use super::call::Call;
use crate::failure::Failure;
use crate::npy::dimensions;

/// Returns an error unless the shape has this axis.
pub(super) fn expect_axis(axis: usize, shape: &[usize]) -> Result<(), Failure> {
    if axis < shape.len() {
        return Ok(());
    }
    let (shown, axes) = (shown(shape), shape.len());
    Err(Failure::Usage(format!(
        "--axis {axis}: expected axes below {axes}, as the shape is {shown}, found {axis}: choose another axis"
    )))
}

/// The axis of a call, which the shape must have; the first one without `--axis`.
pub(super) fn axis_of(call: &Call<'_>, shape: &[usize]) -> Result<usize, Failure> {
    let axis = call.values.count("axis").unwrap_or(0);
    expect_axis(axis, shape).map(|()| axis)
}

/// The shape with another size of an axis.
pub(super) fn resized(shape: &[usize], axis: usize, size: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[axis] = size;
    shape
}

/// Returns an error unless the input has this shape.
pub(super) fn expect_shape(call: &Call<'_>, port: &str, expected: &[usize], reason: &str) -> Result<(), Failure> {
    let wrong = call.inputs(port).find(|input| input.shape() != expected);
    let Some(input) = wrong else { return Ok(()) };
    let (text, found, expected) = (&input.text, shown(&input.shape()), shown(expected));
    Err(Failure::File(format!(
        "{text}: expected the shape {expected} as '{port}', {reason}, found {found}: save a reshaped array"
    )))
}

/// A shape as Python writes it.
pub(super) fn shown(shape: &[usize]) -> String {
    dimensions(&shape.iter().map(|extent| *extent as u64).collect::<Vec<_>>())
}
