//! Operators that resize arrays.

use anywarp::ops::{Coordinates, Resize, Rounding};
use anywarp_testing_devices::outcome::{TestResult, skip};

use crate::array::{Array, Type, by_type};
use crate::graph::{Call, axis};

/// The numbers of an input; `None` for an input that is omitted or empty.
fn floats(call: &Call<'_>, at: usize) -> TestResult<Option<Vec<f64>>> {
    let Some(array) = call.optional(at).filter(|array| array.len() > 0) else { return Ok(None) };
    match array.kind {
        Type::F32 => Ok(Some(array.get::<f32>()?.read()?.iter().map(|number| f64::from(*number)).collect())),
        Type::F64 => Ok(Some(array.get::<f64>()?.read()?.to_vec())),
        other => skip(format!("numbers of {other:?}")),
    }
}

/// The scales and the output sizes of all axes.
fn sizes(call: &Call<'_>, shape: &[usize], axes: &[usize]) -> TestResult<(Vec<f64>, Vec<usize>)> {
    let (mut scales, mut sizes) = (vec![1.0; shape.len()], shape.to_vec());
    let scaled = |scale: f64, at: usize| (shape[at] as f64 * scale) as usize;
    if let Some(given) = floats(call, 2)? {
        for (at, scale) in axes.iter().zip(given) {
            (scales[*at], sizes[*at]) = (scale, scaled(scale, *at));
        }
        return Ok((scales, sizes));
    }
    let given = call.input(3)?.integers()?;
    for (at, size) in axes.iter().zip(&given) {
        sizes[*at] = size.unsigned_abs() as usize;
        scales[*at] = sizes[*at] as f64 / shape[*at] as f64;
    }
    let kept = axes.iter().map(|at| scales[*at]);
    let one = match &call.text("keep_aspect_ratio_policy", "stretch")[..] {
        "not_larger" => kept.fold(f64::INFINITY, f64::min),
        "not_smaller" => kept.fold(0.0, f64::max),
        _ => return Ok((scales, sizes)),
    };
    for at in axes {
        (scales[*at], sizes[*at]) = (one, (shape[*at] as f64 * one + 0.5) as usize);
    }
    Ok((scales, sizes))
}

pub(super) fn resize(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let rank = x.shape.len();
    let axes: Vec<usize> = match call.integers("axes") {
        Some(axes) => axes.iter().map(|at| axis(*at, rank)).collect::<TestResult<_>>()?,
        None => (0..rank).collect(),
    };
    let (scales, to) = sizes(call, &x.shape, &axes)?;
    let coordinates = match &call.text("coordinate_transformation_mode", "half_pixel")[..] {
        "half_pixel" | "tf_crop_and_resize" => Coordinates::HalfPixel,
        "half_pixel_symmetric" => Coordinates::HalfPixelSymmetric,
        "pytorch_half_pixel" => Coordinates::PytorchHalfPixel,
        "align_corners" => Coordinates::AlignCorners,
        _ => Coordinates::Asymmetric,
    };
    let regions = match call.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize" {
        true => floats(call, 1)?,
        false => None,
    };
    let regions = regions.map(|roi| {
        let mut regions = vec![[0.0, 1.0]; rank];
        axes.iter().enumerate().for_each(|(at, axis)| regions[*axis] = [roi[at], roi[axes.len() + at]]);
        regions
    });
    let rounding = match &call.text("nearest_mode", "round_prefer_floor")[..] {
        "round_prefer_ceil" => Rounding::HalfUp,
        "floor" => Rounding::Down,
        "ceil" => Rounding::Up,
        _ => Rounding::HalfDown,
    };
    let y = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let mut resize = match &call.text("mode", "nearest")[..] {
            "nearest" => Resize::<T>::nearest(x.shape.clone(), to.clone()),
            "cubic" => Resize::cubic(x.shape.clone(), to.clone()),
            _ => Resize::linear(x.shape.clone(), to.clone()),
        };
        resize = resize.coordinates(coordinates).rounding(rounding).scales(&scales);
        resize = resize.coefficient(call.float("cubic_coeff_a", -0.75));
        if let Some(regions) = &regions {
            resize = resize.regions(regions, call.float("extrapolation_value", 0.0));
        }
        if call.flag("antialias", false) {
            resize = resize.antialias();
        }
        if call.flag("exclude_outside", false) {
            resize = resize.exclude_outside();
        }
        Array::written::<T>(call.device, x.kind, to, |y| Ok(resize.run(x.get::<T>()?, y)?))
    })?;
    Ok(vec![y])
}

/// Computes `Upsample`, whose sizes depend on scales alone.
pub(super) fn upsample(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let Some(scales) = floats(call, 1)? else { return skip("scales as an attribute") };
    let to: Vec<usize> = x.shape.iter().zip(&scales).map(|(size, scale)| (*size as f64 * scale) as usize).collect();
    let is_nearest = call.text("mode", "nearest") == "nearest";
    let y = by_type!(x.kind, [F32: f32, F16: half::f16, Bf16: half::bf16], T => {
        let resize = match is_nearest {
            true => Resize::<T>::nearest(x.shape.clone(), to.clone()).rounding(Rounding::Down),
            false => Resize::linear(x.shape.clone(), to.clone()),
        };
        let resize = resize.coordinates(Coordinates::Asymmetric).scales(&scales);
        Array::written::<T>(call.device, x.kind, to, |y| Ok(resize.run(x.get::<T>()?, y)?))
    })?;
    Ok(vec![y])
}
