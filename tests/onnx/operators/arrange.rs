//! Rearrangements of arrays of any type, for several operators.

use anywarp::Device;
use anywarp::ops::{self, Rearrange, Steps, Take, steps};
use anywarp_testing_devices::outcome::TestResult;

use super::line::converted;
use crate::array::{Array, Number, Type, by_type};

fn moved<T: Number>(device: &Device, x: &Array, change: Rearrange<'_, T>) -> TestResult<Array> {
    let shape = change.shape()?;
    Array::written::<T>(device, x.kind, shape, |y| Ok(change.run(x.get::<T>()?, y)?))
}

pub(crate) fn permuted(device: &Device, x: &Array, axes: &[usize]) -> TestResult<Array> {
    by_type!(x.kind, T => moved::<T>(device, x, Rearrange::permute(x.shape.clone(), axes)))
}

/// The array with one of its axes moved to another position.
pub(crate) fn axis_moved(device: &Device, x: &Array, from: usize, to: usize) -> TestResult<Array> {
    let mut axes: Vec<usize> = (0..x.shape.len()).filter(|axis| *axis != from).collect();
    axes.insert(to, from);
    permuted(device, x, &axes)
}

pub(crate) fn flipped(device: &Device, x: &Array, axis: usize) -> TestResult<Array> {
    by_type!(x.kind, T => moved::<T>(device, x, Rearrange::flip(x.shape.clone(), &[axis])))
}

pub(crate) fn tiled(device: &Device, x: &Array, repeats: &[usize]) -> TestResult<Array> {
    by_type!(x.kind, T => moved::<T>(device, x, Rearrange::tile(x.shape.clone(), repeats)))
}

pub(crate) fn broadcast(device: &Device, x: &Array, to: &[usize]) -> TestResult<Array> {
    by_type!(x.kind, T => moved::<T>(device, x, Rearrange::broadcast(x.shape.clone(), to)))
}

pub(crate) fn part(device: &Device, x: &Array, parts: &[Steps]) -> TestResult<Array> {
    by_type!(x.kind, T => moved::<T>(device, x, Rearrange::part(x.shape.clone(), parts)))
}

/// The part of the array at a range of indices along an axis.
pub(crate) fn range(device: &Device, x: &Array, axis: usize, places: std::ops::Range<usize>) -> TestResult<Array> {
    let mut parts = vec![steps(.., 1); axis];
    parts.push(steps(places.start as isize..places.end as isize, 1));
    part(device, x, &parts)
}

pub(crate) fn padded<T: Number>(
    device: &Device,
    x: &Array,
    widths: &[[usize; 2]],
    pad: ops::Pad<T>,
) -> TestResult<Array> {
    moved::<T>(device, x, Rearrange::pad(x.shape.clone(), widths, pad))
}

pub(crate) fn concatenated(device: &Device, parts: &[&Array], axis: usize) -> TestResult<Array> {
    let Some(first) = parts.first() else { return fail!("there is no part to concatenate") };
    let mut shape = first.shape.clone();
    shape[axis] = parts.iter().map(|part| part.shape[axis]).sum();
    by_type!(first.kind, T => {
        let buffers = parts.iter().map(|part| part.get::<T>()).collect::<TestResult<Vec<_>>>()?;
        let slices: Vec<_> = buffers.iter().map(|buffer| buffer.slice(..)).collect();
        Array::written::<T>(device, first.kind, shape.clone(), |y| Ok(ops::concatenate(&slices, y, shape, axis)?))
    })
}

/// The parts of the array at the indices along an axis that `indices` lists, as NumPy's `take`.
pub(crate) fn taken(device: &Device, x: &Array, indices: &Array, axis: usize) -> TestResult<Array> {
    let shape = [&x.shape[..axis], &indices.shape, &x.shape[axis + 1..]].concat();
    by_type!(x.kind, T => by_type!(indices.kind, [U32: u32, I32: i32, I64: i64], I => {
        Array::written::<T>(device, x.kind, shape, |y| {
            Ok(Take::new(x.shape.clone(), axis).run(x.get::<T>()?, indices.get::<I>()?, y)?)
        })
    }))
}

/// For each element of `indices`, the element of the array at this index along the axis, as NumPy's `take_along_axis`.
pub(crate) fn taken_along(device: &Device, x: &Array, indices: &Array, axis: usize) -> TestResult<Array> {
    // The other axes are cut to the sizes of `indices`, which may be smaller.
    let parts: Vec<Steps> = indices
        .shape
        .iter()
        .enumerate()
        .map(|(other, size)| if other == axis { steps(.., 1) } else { steps(..*size as isize, 1) })
        .collect();
    let x = part(device, x, &parts)?;
    by_type!(x.kind, T => by_type!(indices.kind, [U32: u32, I32: i32, I64: i64], I => {
        Array::written::<T>(device, x.kind, indices.shape.clone(), |y| {
            Ok(Take::along(x.shape.clone(), axis).run(x.get::<T>()?, indices.get::<I>()?, y)?)
        })
    }))
}

/// An array of the numbers 0, 1, 2, ..
pub(crate) fn iota(device: &Device, shape: &[usize], kind: Type) -> TestResult<Array> {
    let numbers = Array::written::<u32>(device, Type::U32, shape, |y| Ok(ops::arange(0, 1, y)?))?;
    converted(device, &numbers, kind)
}
