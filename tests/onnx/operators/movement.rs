//! Operators that move elements, or only change shapes.

use anywarp::ops::{self, Pad, steps};
use anywarp_testing_devices::outcome::{TestResult, skip};

use super::arrange;
use super::line::broadcast;
use crate::array::{Array, Type, by_type};
use crate::graph::{Call, axis};

fn sizes(numbers: &[i64]) -> TestResult<Vec<usize>> {
    let sizes = numbers.iter().map(|number| usize::try_from(*number));
    sizes.collect::<Result<_, _>>().map_or_else(|_| fail!("{numbers:?} are no sizes"), Ok)
}

/// Integers that must be present, as an attribute or an input.
fn needed(call: &Call<'_>, name: &str, input: usize) -> TestResult<Vec<i64>> {
    call.integers_of(name, input)?.map_or_else(|| fail!("'{name}' is missing"), Ok)
}

pub(super) fn transpose(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let axes = match call.integers("perm") {
        Some(axes) => sizes(&axes)?,
        None => (0..x.shape.len()).rev().collect(),
    };
    Ok(vec![arrange::permuted(call.device, x, &axes)?])
}

pub(super) fn concat(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let axis = call.axis(0, call.input(0)?.shape.len())?;
    Ok(vec![arrange::concatenated(call.device, &call.inputs()?, axis)?])
}

pub(super) fn split(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let axis = call.axis(0, x.shape.len())?;
    let parts = match call.integers_of("split", 1)? {
        Some(parts) => sizes(&parts)?,
        None => {
            let count =
                call.integer("num_outputs").map_or(call.node.outputs.len(), |count| count.unsigned_abs() as usize);
            let size = x.shape[axis].div_ceil(count.max(1));
            (0..count).map(|part| size.min(x.shape[axis].saturating_sub(part * size))).collect()
        }
    };
    let shapes = parts.iter().map(|size| {
        let mut shape = x.shape.clone();
        shape[axis] = *size;
        shape
    });
    by_type!(x.kind, T => {
        let shapes: Vec<Vec<usize>> = shapes.collect();
        let buffers = shapes.iter().map(|shape| device.buffer::<T>(shape.iter().product()));
        let mut buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let mut slices: Vec<_> = buffers.iter_mut().map(|buffer| buffer.slice_mut(..)).collect();
        ops::split(x.get::<T>()?, &mut slices, x.shape.clone(), axis)?;
        drop(slices);
        Ok(buffers.into_iter().zip(shapes).map(|(buffer, shape)| Array::new(x.kind, shape, buffer)).collect())
    })
}

pub(super) fn pad(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let rank = x.shape.len();
    let pads = needed(call, "pads", 1)?;
    let axes = match call.optional(3) {
        Some(axes) => axes.integers()?.iter().map(|at| axis(*at, rank)).collect::<TestResult<Vec<usize>>>()?,
        None => (0..rank).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return fail!("{} pads for {} axes", pads.len(), axes.len());
    }
    // Negative pads remove elements.
    let (mut widths, mut kept) = (vec![[0; 2]; rank], vec![steps(.., 1); rank]);
    for (at, axis) in axes.iter().enumerate() {
        let [before, behind] = [pads[at], pads[at + axes.len()]];
        widths[*axis] = [before, behind].map(|width| width.max(0).unsigned_abs() as usize);
        let end = x.shape[*axis] as isize + behind.min(0) as isize;
        kept[*axis] = steps(-before.min(0) as isize..end.max(0), 1);
    }
    let x = arrange::part(call.device, x, &kept)?;
    let mode = call.text("mode", "constant");
    let y = by_type!(x.kind, T => {
        let value = match call.optional(2) {
            Some(value) => value.get::<T>()?.read()?.first().copied(),
            None => None,
        };
        let pad = match &mode[..] {
            "constant" => Pad::Constant(value.unwrap_or_else(bytemuck::Zeroable::zeroed)),
            "edge" => Pad::Edge,
            "reflect" => Pad::Reflect,
            _ => Pad::Wrap,
        };
        arrange::padded::<T>(call.device, &x, &widths, pad)
    })?;
    Ok(vec![y])
}

pub(super) fn tile(call: &Call<'_>) -> TestResult<Vec<Array>> {
    Ok(vec![arrange::tiled(call.device, call.input(0)?, &sizes(&call.input(1)?.integers()?)?)?])
}

pub(super) fn expand(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let shape = broadcast(&x.shape, &sizes(&call.input(1)?.integers()?)?)?;
    Ok(vec![arrange::broadcast(call.device, x, &shape)?])
}

pub(super) fn slice(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let (starts, ends) = (needed(call, "starts", 1)?, needed(call, "ends", 2)?);
    let axes = call.integers_of("axes", 3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let distances = call.optional(4).map(Array::integers).transpose()?.unwrap_or_else(|| vec![1; starts.len()]);
    let mut parts = vec![steps(.., 1); x.shape.len()];
    for (at, along) in axes.iter().enumerate() {
        parts[axis(*along, x.shape.len())?] = steps(starts[at] as isize..ends[at] as isize, distances[at] as isize);
    }
    Ok(vec![arrange::part(call.device, x, &parts)?])
}

/// Crops or pads axes, so that their middle remains in the middle.
pub(super) fn center_crop_pad(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let wanted = sizes(&call.input(1)?.integers()?)?;
    let axes = call.integers("axes").unwrap_or_else(|| (0..x.shape.len() as i64).collect());
    let (mut widths, mut kept) = (vec![[0; 2]; x.shape.len()], vec![steps(.., 1); x.shape.len()]);
    for (along, wanted) in axes.iter().zip(wanted) {
        let axis = axis(*along, x.shape.len())?;
        let (more, less) = (wanted.saturating_sub(x.shape[axis]), x.shape[axis].saturating_sub(wanted));
        widths[axis] = [more / 2, more - more / 2];
        kept[axis] = steps((less / 2) as isize..(less / 2 + wanted) as isize, 1);
    }
    let x = arrange::part(call.device, x, &kept)?;
    let pad = |value| arrange::padded::<f32>(call.device, &x, &widths, Pad::Constant(value));
    if x.kind == Type::F32 { Ok(vec![pad(0.0)?]) } else { skip("elements other than float") }
}

pub(super) fn identity(call: &Call<'_>) -> TestResult<Vec<Array>> {
    Ok(vec![call.input(0)?.clone()])
}

pub(super) fn reshape(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let wanted = needed(call, "shape", 1)?;
    let keeps = !call.flag("allowzero", false);
    let size = |(at, size): (usize, &i64)| match size {
        0 if keeps => x.shape.get(at).copied().unwrap_or(0),
        size => size.unsigned_abs() as usize,
    };
    let mut shape: Vec<usize> = wanted.iter().enumerate().map(size).collect();
    if let Some(free) = wanted.iter().position(|size| *size == -1) {
        shape[free] = 1;
        shape[free] = x.len() / shape.iter().product::<usize>().max(1);
    }
    Ok(vec![x.reshaped(shape)?])
}

pub(super) fn flatten(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let rank = x.shape.len();
    let at = match call.integer("axis").unwrap_or(1) {
        last if last == rank as i64 => rank,
        other => axis(other, rank)?,
    };
    Ok(vec![x.reshaped([x.shape[..at].iter().product::<usize>(), x.shape[at..].iter().product()])?])
}

pub(super) fn squeeze(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let axes = match call.integers_of("axes", 1)? {
        Some(axes) => axes.iter().map(|at| axis(*at, x.shape.len())).collect::<TestResult<Vec<usize>>>()?,
        None => (0..x.shape.len()).filter(|axis| x.shape[*axis] == 1).collect(),
    };
    let left = x.shape.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, size)| *size);
    Ok(vec![x.reshaped(left.collect::<Vec<usize>>())?])
}

pub(super) fn unsqueeze(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let axes = needed(call, "axes", 1)?;
    let rank = x.shape.len() + axes.len();
    let axes = axes.iter().map(|at| axis(*at, rank)).collect::<TestResult<Vec<usize>>>()?;
    let mut sizes = x.shape.iter();
    let shape = (0..rank).map(|axis| if axes.contains(&axis) { 1 } else { sizes.next().copied().unwrap_or(1) });
    Ok(vec![x.reshaped(shape.collect::<Vec<usize>>())?])
}

/// Computes `Shape` and `Size` on the host, which knows all shapes.
pub(super) fn shape(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    if call.node.operator == "Size" {
        return Ok(vec![Array::from(call.device, Type::I64, [], &[x.len() as i64])?]);
    }
    let rank = x.shape.len() as i64;
    let place = |name, default| {
        let at = call.integer(name).unwrap_or(default);
        (if at < 0 { at + rank } else { at }).clamp(0, rank) as usize
    };
    let (start, end) = (place("start", 0), place("end", rank));
    let numbers: Vec<i64> = x.shape.get(start..end).unwrap_or_default().iter().map(|size| *size as i64).collect();
    Ok(vec![Array::from(call.device, Type::I64, [numbers.len()], &numbers)?])
}

/// Computes `DepthToSpace` and `SpaceToDepth`, which exchange the axes of blocks.
pub(super) fn blocks(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let (device, x) = (call.device, call.input(0)?);
    let [n, c, h, w] = x.shape[..] else { return fail!("expected four axes, got {:?}", x.shape) };
    let b = call.integer("blocksize").unwrap_or(1).unsigned_abs().max(1) as usize;
    let y = if call.node.operator == "SpaceToDepth" {
        let parts = x.reshaped([n, c, h / b, b, w / b, b])?;
        arrange::permuted(device, &parts, &[0, 3, 5, 1, 2, 4])?.reshaped([n, c * b * b, h / b, w / b])?
    } else {
        let depth = c / (b * b);
        let parts = match &call.text("mode", "DCR")[..] {
            "CRD" => arrange::permuted(device, &x.reshaped([n, depth, b, b, h, w])?, &[0, 1, 4, 2, 5, 3])?,
            _ => arrange::permuted(device, &x.reshaped([n, b, b, depth, h, w])?, &[0, 3, 4, 1, 5, 2])?,
        };
        parts.reshaped([n, depth, h * b, w * b])?
    };
    Ok(vec![y])
}
