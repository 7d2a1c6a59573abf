//! Operators that resize arrays.

use anywarp::Device;
use anywarp::ops::{Coordinates, OperationError, Resize, Rounding, resize};
use half::{bf16, f16};

use crate::Unnamed;
use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::rows::{Float, close, numbers, wide};

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("resize::f32", shapes::<f32>),
        ("resize::f16", shapes::<f16>),
        ("resize::bf16", shapes::<bf16>),
        ("resize::roundings", roundings),
        ("resize::regions", regions),
        ("resize::known", known),
        ("resize::many_results", many_results),
        ("resize::without_results", without_results),
        ("resize::not_numbers", not_numbers),
        ("resize::slices", slices),
        ("resize::recorded", recorded),
        ("resize::refusals", refusals),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Nearest,
    Linear,
    Cubic,
}

/// For a resize of one axis, computed in `f64`: the elements that each result reads, with their weights.
fn reads(
    input: usize,
    output: usize,
    mode: Mode,
    coordinates: Coordinates,
    antialias: bool,
    excludes: bool,
) -> Vec<Vec<(usize, f64)>> {
    let (size, count) = (input as f64, output as f64);
    let scale = count / size;
    let shrink = if antialias { scale.min(1.0) } else { 1.0 };
    let place = |at: f64| match coordinates {
        Coordinates::AlignCorners if output == 1 => 0.0,
        Coordinates::AlignCorners => at * (size - 1.0) / (count - 1.0),
        Coordinates::Asymmetric => at / scale,
        Coordinates::PytorchHalfPixel if output == 1 => -0.5,
        _ => (at + 0.5) / scale - 0.5,
    };
    let weight = |distance: f64| {
        let t = distance.abs() * shrink;
        match mode {
            Mode::Nearest => 1.0,
            Mode::Linear => (1.0 - t).max(0.0),
            Mode::Cubic if t <= 1.0 => (1.25 * t - 2.25) * t * t + 1.0,
            Mode::Cubic if t < 2.0 => -0.75 * (((t - 5.0) * t + 8.0) * t - 4.0),
            Mode::Cubic => 0.0,
        }
    };
    (0..output)
        .map(|at| {
            let place = place(at as f64);
            let positions: Vec<i64> = if mode == Mode::Nearest {
                vec![(place - 0.5 - 1e-7).ceil() as i64]
            } else {
                let reach = (2.0 / shrink).ceil() as i64 + 1;
                (place.floor() as i64 - reach..=place.floor() as i64 + reach).collect()
            };
            let all = positions.into_iter().map(|position| {
                let inside = position.clamp(0, input as i64 - 1);
                let counts = !excludes || inside == position;
                (inside as usize, if counts { weight(position as f64 - place) } else { 0.0 })
            });
            let all: Vec<(usize, f64)> = all.filter(|(_, weight)| *weight != 0.0).collect();
            let sum: f64 = if antialias || excludes { all.iter().map(|(_, weight)| weight).sum() } else { 1.0 };
            all.into_iter().map(|(at, weight)| (at, weight / sum)).collect()
        })
        .collect()
}

/// Resizes an array axis by axis, in `f64`.
fn resized(
    x: &[f64],
    from: &[usize],
    to: &[usize],
    of_axis: impl Fn(usize, usize) -> Vec<Vec<(usize, f64)>>,
) -> Vec<f64> {
    let (mut x, mut shape) = (x.to_vec(), from.to_vec());
    for axis in (0..shape.len()).filter(|axis| from[*axis] != to[*axis]) {
        let inner: usize = shape[axis + 1..].iter().product();
        let outer: usize = shape[..axis].iter().product();
        let all = of_axis(from[axis], to[axis]);
        let mut y = Vec::new();
        for line in 0..outer {
            for elements in &all {
                for at in 0..inner {
                    let element =
                        |(position, weight): &(usize, f64)| x[(line * shape[axis] + position) * inner + at] * weight;
                    y.push(elements.iter().map(element).sum());
                }
            }
        }
        shape[axis] = to[axis];
        x = y;
    }
    x
}

fn builder<'r, T: Float>(mode: Mode, from: &[usize], to: &[usize]) -> Resize<'r, T> {
    match mode {
        Mode::Nearest => Resize::nearest(from, to),
        Mode::Linear => Resize::linear(from, to),
        Mode::Cubic => Resize::cubic(from, to),
    }
}

/// The tolerance for positions and weights in `f32`, and elements up to 8.
const TOLERANCE: [f64; 2] = [1e-5, 3e-4];

fn check<T: Float>(device: &Device, from: &[usize], to: &[usize]) -> TestResult {
    let x: Vec<T> = numbers(from.iter().product(), 1);
    let (input, mut y) = (device.buffer_from(&x)?, device.buffer::<T>(to.iter().product())?);
    for coordinates in [
        Coordinates::HalfPixel,
        Coordinates::HalfPixelSymmetric,
        Coordinates::PytorchHalfPixel,
        Coordinates::AlignCorners,
        Coordinates::Asymmetric,
    ] {
        for mode in [Mode::Nearest, Mode::Linear, Mode::Cubic] {
            for [antialias, excludes] in [[false, false], [true, false], [false, true]] {
                if mode == Mode::Nearest && (antialias || excludes) {
                    continue;
                }
                let mut resize = builder::<T>(mode, from, to).coordinates(coordinates);
                if antialias {
                    resize = resize.antialias();
                }
                if excludes {
                    resize = resize.exclude_outside();
                }
                resize.run(&input, &mut y)?;
                let of_axis = |input, output| reads(input, output, mode, coordinates, antialias, excludes);
                let wanted = resized(&wide(&x), from, to, of_axis);
                let what = format!("{from:?} to {to:?}, {mode:?}, {coordinates:?}, {antialias}, {excludes}");
                close(&y.read()?, &wanted, TOLERANCE, &what)?;
            }
        }
    }
    Ok(())
}

fn shapes<T: Float>(device: &Device) -> TestResult {
    check::<T>(device, &[7], &[7])?;
    check::<T>(device, &[1], &[5])?;
    check::<T>(device, &[5], &[1])?;
    check::<T>(device, &[2, 3, 4, 5], &[2, 3, 8, 11])?;
    check::<T>(device, &[2, 9, 13, 3], &[2, 4, 5, 3])?;
    check::<T>(device, &[3, 2, 5], &[4, 2, 2])?;
    check::<T>(device, &[2, 3, 2, 5, 2], &[2, 3, 5, 3, 3])
}

fn roundings(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&[0.0f32, 1.0, 2.0, 3.0])?, device.buffer::<f32>(8)?);
    // The positions in x are 0, 0.5, 1, ..
    for (rounding, wanted) in [
        (Rounding::HalfDown, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]),
        (Rounding::HalfUp, [0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0]),
        (Rounding::Down, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]),
        (Rounding::Up, [0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0]),
    ] {
        Resize::nearest([4], [8]).coordinates(Coordinates::Asymmetric).rounding(rounding).run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("{rounding:?}"))?;
    }
    // The boundaries are not exact in `f32`, but each element must be repeated the same number of times.
    for factor in [3, 7, 9, 11, 49] {
        let x: Vec<f32> = (0..1000).map(|at| at as f32).collect();
        let mut y = device.buffer::<f32>(1000 * factor)?;
        let down = Resize::nearest([1000], [1000 * factor]).coordinates(Coordinates::Asymmetric);
        down.rounding(Rounding::Down).run(&device.buffer_from(&x)?, &mut y)?;
        let wrong = y.read()?.iter().enumerate().position(|(at, y)| *y != (at / factor) as f32);
        ensure(wrong.is_none(), || format!("factor {factor}, element {wrong:?}"))?;
    }
    Ok(())
}

fn regions(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?, device.buffer::<f32>(3)?);
    Resize::linear([5], [3]).regions(&[[0.25, 0.75]], 9.0).run(&x, &mut y)?;
    close(&y.read()?, &[2.0, 3.0, 4.0], TOLERANCE, "inside")?;
    Resize::linear([5], [3]).regions(&[[0.5, 1.5]], 9.0).run(&x, &mut y)?;
    close(&y.read()?, &[3.0, 5.0, 9.0], TOLERANCE, "beyond the end")?;
    let mut y = device.buffer::<f32>(5)?;
    Resize::nearest([5], [5]).regions(&[[1.0, 0.0]], 9.0).run(&x, &mut y)?;
    same(&y.read()?, &[5.0, 4.0, 3.0, 2.0, 1.0], "backwards")?;
    Resize::linear([5], [5]).scales(&[2.0]).coordinates(Coordinates::Asymmetric).run(&x, &mut y)?;
    close(&y.read()?, &[1.0, 1.5, 2.0, 2.5, 3.0], TOLERANCE, "a scale of its own")
}

/// The results are those of `PyTorch`'s `interpolate` and of ONNX's examples.
fn known(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut y = device.buffer::<f32>(16)?;
    resize(&x, &mut y, [1, 1, 2, 2], [1, 1, 4, 4])?;
    let wanted = [1.0, 1.25, 1.75, 2.0, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3.0, 3.25, 3.75, 4.0];
    close(&y.read()?, &wanted, TOLERANCE, "bilinear")
}

/// Results are right for more workgroups than one dimension of a grid has.
fn many_results(device: &Device) -> TestResult {
    let x: Vec<f32> = (0..70_001).map(|at| (at % 19) as f32).collect();
    let mut y = device.buffer::<f32>(70_001 * 256)?;
    let repeated = Resize::nearest([70_001, 1], [70_001, 256]);
    repeated.run(&device.buffer_from(&x)?, &mut y)?;
    let wrong = y.read()?.iter().enumerate().position(|(at, y)| *y != x[at / 256]);
    ensure(wrong.is_none(), || format!("element {wrong:?}"))
}

fn without_results(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 4])?;
    let mut y = device.buffer_from(&[7.0f32; 4])?;
    resize(&x, y.slice_mut(..0), [2, 2], [2, 0])?;
    resize(x.slice(..0), y.slice_mut(..0), [0, 2], [0, 5])?;
    same(&y.read()?, &[7.0; 4], "nothing has run")
}

/// An element without weight does not change a result.
fn not_numbers(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&[1.0f32, f32::NAN, 3.0, 4.0])?, device.buffer::<f32>(7)?);
    Resize::linear([4], [7]).coordinates(Coordinates::AlignCorners).run(&x, &mut y)?;
    close(&y.read()?, &[1.0, f64::NAN, f64::NAN, f64::NAN, 3.0, 3.5, 4.0], TOLERANCE, "NaN")
}

fn in_slices<T: Float>(device: &Device) -> TestResult {
    let all: Vec<T> = numbers(100, 5);
    let (source, nine) = (device.buffer_from(&all)?, T::of(9.0));
    for (begin, to) in [(0, 1), (1, 0), (3, 5), (64, 66)] {
        let mut target = device.buffer_from(&[nine; 130])?;
        resize(source.slice(begin..begin + 15), target.slice_mut(to..to + 45), [3, 5], [5, 9])?;
        let of_axis = |input, output| reads(input, output, Mode::Linear, Coordinates::HalfPixel, false, false);
        let wanted = resized(&wide(&all[begin..begin + 15]), &[3, 5], &[5, 9], of_axis);
        let target = target.read()?;
        close(&target[to..to + 45], &wanted, TOLERANCE, &format!("from {begin} to {to}"))?;
        let around = target[..to].iter().chain(&target[to + 45..]).all(|other| other.wide() == 9.0);
        ensure(around, || format!("from {begin} to {to}: elements around have changed"))?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    in_slices::<f32>(device)?;
    in_slices::<f16>(device)?;
    in_slices::<bf16>(device)
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, mut y) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer::<f32>(4)?);
    let mut recording = device.recording();
    Resize::nearest([2], [4]).record(&mut recording).run(&x, &mut y)?;
    same(&y.read()?, &[0.0; 4], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[1.0, 1.0, 2.0, 2.0], "submitted")?;
    x.copy_from_slice(&[5.0, 6.0])?;
    recording.submit()?;
    same(&y.read()?, &[5.0, 5.0, 6.0, 6.0], "submitted again")?;
    let stream = device.stream();
    Resize::linear([2], [4]).on(&stream).run(&x, &mut y)?;
    close(&y.read()?, &[5.0, 5.25, 5.75, 6.0], TOLERANCE, "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 16])?;
    let mut y = device.buffer_from(&[7.0f32; 81])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let mut choice = |resize: Resize<'_, f32>, texts: &[&str]| refused(resize.run(&x, &mut y), is_choice, texts);
    choice(Resize::linear([4, 4], [9]), &["resize: a result of shape [9]", "[4, 4]"])?;
    choice(Resize::linear([0, 4], [9, 9]), &["a result of shape [9, 9]", "[0, 4]"])?;
    choice(
        Resize::linear([2, 2, 2, 2], [3, 3, 3, 3]),
        &["a result of shape [3, 3, 3, 3]", "at most 3 axes", "[2, 2, 2, 2]"],
    )?;
    choice(Resize::linear([4, 4], [9, 9]).scales(&[1.0]), &["a list of scales of [1.0]", "[4, 4]"])?;
    choice(Resize::linear([4, 4], [9, 9]).scales(&[1.0, 0.0]), &["a list of scales of [1.0, 0.0]"])?;
    choice(Resize::linear([4, 4], [9, 9]).regions(&[[0.0, f64::NAN]; 2], 0.0), &["a list of regions of"])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let short = resize(x.slice(1..), &mut y, [4, 4], [9, 9]);
    refused(short, is_length, &["resize: 'x' has 15 elements", "[4, 4] needs 16"])?;
    refused(resize(&x, y.slice_mut(1..), [4, 4], [9, 9]), is_length, &["'y' has 80 elements", "[9, 9] needs 81"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Resize::<f32>::linear([1, 1], [1 << 20, 1 << 20]).cost(), is_large, &["resize: y", "1048576"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(resize(&other.buffer::<f32>(16)?, &mut y, [4, 4], [9, 9]), is_foreign, &["resize", "'x'"])?;
    let is_in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    let guard = x.read()?;
    refused(resize(&x, &mut y, [4, 4], [9, 9]), is_in_use, &["resize: 'x' is in use"])?;
    drop(guard);
    same(&y.read()?, &[7.0; 81], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for (from, to) in [([3, 4, 5], [3, 8, 11]), ([2, 9, 13], [3, 4, 5])] {
        check::<f32>(&device, &from, &to)?;
        check::<f16>(&device, &from, &to)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{from:?} to {to:?}:\n{findings}"))?;
    }
    Ok(())
}
