//! Fourier transforms.

use anywarp::Device;
use anywarp::backend::Capabilities;
use anywarp::ops::{Fft, FftNorm, FftTables, OperationError, RealFft, fft, ifft, irfft, rfft};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/fft/reference.rs"]
pub(crate) mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 10] = [
        ("fft::lengths", lengths),
        ("fft::axes", axes),
        ("fft::doubles", doubles),
        ("fft::real", real),
        ("fft::long", long),
        ("fft::slices", slices),
        ("fft::norms", norms),
        ("fft::values", values),
        ("fft::recorded", recorded),
        ("fft::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::fft".to_owned(), Box::new(clean))
}

type Wide = Vec<[f64; 2]>;

fn numbers(count: usize, seed: usize) -> Wide {
    (0..count).map(|at| ((at * 31 + seed * 17) % 1009) as f64).map(|at| [(at * 0.37).sin(), (at * at).cos()]).collect()
}

fn narrow(numbers: &[[f64; 2]]) -> Vec<[f32; 2]> {
    numbers.iter().map(|number| number.map(|part| part as f32)).collect()
}

fn wide(numbers: &[[f32; 2]]) -> Wide {
    numbers.iter().map(|number| number.map(f64::from)).collect()
}

/// Fails unless the root of the mean square of the differences is within the bound that the operator promises.
fn near(got: &[[f64; 2]], wanted: &[[f64; 2]], (unit, length): (f64, usize), what: &str) -> TestResult {
    ensure(got.len() == wanted.len(), || format!("{what}: {} numbers, expected {}", got.len(), wanted.len()))?;
    let square = |[a, b]: [f64; 2]| a * a + b * b;
    let error: f64 = got.iter().zip(wanted).map(|(a, b)| square([a[0] - b[0], a[1] - b[1]])).sum();
    let size: f64 = wanted.iter().map(|number| square(*number)).sum();
    let bound = unit * (length as f64).log2().max(1.0);
    ensure(error.sqrt() <= bound * size.sqrt(), || {
        format!("{what}: a relative error of {:e}, at most {bound:e}", (error / size).sqrt())
    })
}

const SINGLE: f64 = 2e-7;
const DOUBLE: f64 = 4e-16;

/// Transforms one axis there and back, out of place and in place.
fn check(device: &Device, tables: &FftTables<[f32; 2]>, shape: &[usize], axis: usize) -> TestResult {
    let count = shape.iter().product();
    let (numbers, what) = (narrow(&numbers(count, axis)), format!("{shape:?} along {axis}"));
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<[f32; 2]>(count)?);
    let mut place = device.buffer_from(&numbers)?;
    let transform = || Fft::new(shape).axes([axis]).tables(tables);
    transform().run(&x, &mut y)?;
    let wanted = reference::fft(&wide(&numbers), shape, axis, false);
    near(&wide(&y.read()?), &wanted, (SINGLE, shape[axis]), &what)?;
    transform().run_in_place(&mut place)?;
    same(&place.read()?, &y.read()?, &format!("{what}, in place"))?;
    transform().inverse().run_in_place(&mut place)?;
    near(&wide(&place.read()?), &wide(&numbers), (2.0 * SINGLE, shape[axis]), &format!("{what}, there and back"))?;
    let wanted: Wide = reference::fft(&wide(&numbers), shape, axis, true);
    transform().inverse().norm(FftNorm::Forward).run(&x, &mut y)?;
    near(&wide(&y.read()?), &wanted, (SINGLE, shape[axis]), &format!("{what}, inverse"))
}

fn lengths(device: &Device) -> TestResult {
    let tables = FftTables::new(device);
    let few =
        [100, 121, 125, 128, 169, 210, 211, 243, 256, 343, 509, 512, 720, 1000, 1001, 1024, 2048, 4096, 4099, 5040];
    for length in (1..=70).chain(few) {
        check(device, &tables, &[length], 0)?;
    }
    Ok(())
}

fn axes(device: &Device) -> TestResult {
    let tables = FftTables::new(device);
    for shape in [vec![7, 5], vec![3, 16, 6], vec![5, 17, 3], vec![2, 3, 4, 60], vec![130, 8, 1], vec![64, 256]] {
        for axis in 0..shape.len() {
            check(device, &tables, &shape, axis)?;
        }
    }
    // Several axes, in any order.
    let shape = [4, 6, 5];
    let numbers = narrow(&numbers(120, 0));
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<[f32; 2]>(120)?);
    for axes in [vec![0, 1, 2], vec![2, 0], vec![1]] {
        let wanted = axes.iter().fold(wide(&numbers), |numbers, axis| reference::fft(&numbers, &shape, *axis, false));
        Fft::new(shape).axes(&axes).run(&x, &mut y)?;
        near(&wide(&y.read()?), &wanted, (SINGLE, 120), &format!("axes {axes:?}"))?;
        Fft::new(shape).axes(&axes).inverse().run_in_place(&mut y)?;
        near(&wide(&y.read()?), &wide(&numbers), (2.0 * SINGLE, 120), &format!("axes {axes:?}, there and back"))?;
    }
    Fft::new(shape).run(&x, &mut y)?;
    let all = (0..3).fold(wide(&numbers), |numbers, axis| reference::fft(&numbers, &shape, axis, false));
    near(&wide(&y.read()?), &all, (SINGLE, 120), "all axes")?;
    // No axis, or axes of one number: a copy.
    Fft::new([120, 1]).axes([1]).inverse().run(&x, &mut y)?;
    same(&y.read()?, &numbers, "an axis of one number")?;
    Fft::new([120]).axes([]).run_in_place(&mut y)?;
    same(&y.read()?, &numbers, "no axis")?;
    let mut none = device.buffer::<[f32; 2]>(0)?;
    Fft::new([3, 0]).run(&device.buffer(0)?, &mut none)?;
    Fft::new([0, 3]).axes([1]).run_in_place(&mut none)?;
    Ok(())
}

fn doubles(device: &Device) -> TestResult {
    let (x, mut y) = (device.buffer_from(&numbers(34, 1))?, device.buffer::<[f64; 2]>(34)?);
    if !device.caps().shader.contains(Capabilities::FLOAT64) {
        let missing = Fft::new([34]).run(&x, &mut y);
        return refused(missing, |error| matches!(error, OperationError::Kernel { .. }), &["f64"]);
    }
    for length in [2, 8, 11, 34, 625, 2048, 4096, 8192] {
        let x = numbers(length, 3);
        let (buffer, mut y) = (device.buffer_from(&x)?, device.buffer::<[f64; 2]>(length)?);
        fft(&buffer, &mut y)?;
        let what = format!("{length} of f64");
        near(&y.read()?, &reference::fft(&x, &[length], 0, false), (DOUBLE, length), &what)?;
        let mut again = device.buffer::<[f64; 2]>(length)?;
        ifft(&y, &mut again)?;
        near(&again.read()?, &x, (2.0 * DOUBLE, length), &what)?;
        let reals: Vec<f64> = x.iter().map(|number| number[0]).collect();
        let (reals, mut half) = (device.buffer_from(&reals)?, device.buffer::<[f64; 2]>(length / 2 + 1)?);
        rfft(&reals, &mut half)?;
        let wanted: Wide = x.iter().map(|number| [number[0], 0.0]).collect();
        let wanted = reference::fft(&wanted, &[length], 0, false);
        near(&half.read()?, &wanted[..=length / 2], (DOUBLE, length), &format!("{what}, real"))?;
    }
    Ok(())
}

/// Real transforms of a shape along axes, from an array that begins at an element, and back.
fn check_real(device: &Device, shape: &[usize], axes: &[usize], skip: usize) -> TestResult {
    let count: usize = shape.iter().product();
    let reals: Vec<f32> = numbers(skip + count, 5).iter().map(|number| number[0] as f32).collect();
    let complex: Wide = reals[skip..].iter().map(|real| [f64::from(*real), 0.0]).collect();
    let whole = axes.iter().fold(complex, |numbers, axis| reference::fft(&numbers, shape, *axis, false));
    let last = axes[axes.len() - 1];
    let (length, inner) = (shape[last], shape[last + 1..].iter().product::<usize>());
    let is_first_half = |at: &usize| at / inner % length <= length / 2;
    let wanted: Wide = (0..count).filter(is_first_half).map(|at| whole[at]).collect();
    let x = device.buffer_from(&reals)?;
    let mut y = device.buffer_from(&vec![[9.0f32; 2]; skip + wanted.len() + 2])?;
    let places = skip..skip + wanted.len();
    RealFft::new(shape).axes(axes).run(x.slice(skip..), y.slice_mut(places.clone()))?;
    let what = format!("{shape:?} along {axes:?} from element {skip}");
    let got = y.read()?.to_vec();
    near(&wide(&got[places.clone()]), &wanted, (SINGLE, count), &what)?;
    same(&got[..skip], &vec![[9.0; 2]; skip], "before the results")?;
    same(&got[places.end..], &[[9.0; 2]; 2], "after the results")?;
    let mut again = device.buffer_from(&vec![9.0f32; skip + count + 1])?;
    RealFft::new(shape).axes(axes).inverse(y.slice(places), again.slice_mut(skip..skip + count))?;
    let again = again.read()?;
    let pairs = |reals: &[f32]| reals.iter().map(|real| [f64::from(*real), 0.0]).collect::<Wide>();
    near(&pairs(&again[skip..skip + count]), &pairs(&reals[skip..]), (2.0 * SINGLE, count), &format!("{what}, back"))?;
    ensure(again[skip + count] == 9.0 && again[..skip].iter().all(|x| *x == 9.0), || format!("{what}: around"))
}

fn real(device: &Device) -> TestResult {
    for length in (1..=20).chain([34, 64, 100, 243, 512, 1000, 4096, 8192]) {
        for skip in [0, 1] {
            check_real(device, &[length], &[0], skip)?;
        }
    }
    for (shape, axes) in [
        (vec![5, 16], vec![1]),
        (vec![5, 16], vec![0]),
        (vec![6, 9], vec![0, 1]),
        (vec![8, 10], vec![0, 1]),
        (vec![8, 10], vec![1, 0]),
        (vec![3, 4, 6], vec![0, 1, 2]),
        (vec![3, 4, 6], vec![2, 1]),
    ] {
        check_real(device, &shape, &axes, 0)?;
    }
    // Imaginary parts of the first and the middle number are ignored.
    let x = device.buffer_from(&[[4.0f32, 7.0], [0.0, 0.0], [4.0, 7.0]])?;
    for (skip, wanted) in [(0, [2.0, 0.0, 2.0, 0.0]), (1, [2.0, 0.0, 2.0, 0.0])] {
        let mut y = device.buffer::<f32>(skip + 4)?;
        irfft(&x, y.slice_mut(skip..))?;
        same(&y.read()?[skip..], &wanted, "imaginary parts that no real array has")?;
    }
    Ok(())
}

/// Lengths with two levels of roots, and beyond 65 535 workgroups, by a wave whose transform has one peak.
fn long(device: &Device) -> TestResult {
    for length in [1usize << 17, 3 * 5 * 7 * 11 * 13 * 8, 65_537] {
        for wave in [1, length / 3] {
            let angle = |at: usize| std::f64::consts::TAU * ((at * wave) % length) as f64 / length as f64;
            let numbers: Wide =
                (0..length).map(|at| angle(at).sin_cos()).map(|(sine, cosine)| [cosine, sine]).collect();
            let (x, mut y) = (device.buffer_from(&narrow(&numbers))?, device.buffer(length)?);
            fft(&x, &mut y)?;
            let mut peak = vec![[0.0; 2]; length];
            peak[wave] = [length as f64, 0.0];
            near(&wide(&y.read()?), &peak, (SINGLE, length), &format!("a wave of {length}"))?;
        }
    }
    let lines = 65_536 * 33;
    let mut x = device.buffer_from(&vec![[1.0f32, 2.0]; lines * 4])?;
    Fft::new([lines, 4]).axes([1]).run_in_place(&mut x)?;
    let x = x.read()?;
    ensure(x.chunks(4).all(|line| line == [[4.0, 8.0], [0.0; 2], [0.0; 2], [0.0; 2]]), || "many lines".to_owned())
}

fn slices(device: &Device) -> TestResult {
    for (length, skip) in [(12, 1), (17, 3), (256, 5), (600, 1)] {
        let numbers = narrow(&numbers(skip + length, 7));
        let x = device.buffer_from(&numbers)?;
        let mut y = device.buffer_from(&vec![[9.0f32; 2]; skip + length + 3])?;
        fft(x.slice(skip..), y.slice_mut(skip..skip + length))?;
        let wanted = reference::fft(&wide(&numbers[skip..]), &[length], 0, false);
        let got = y.read()?;
        near(&wide(&got[skip..skip + length]), &wanted, (SINGLE, length), &format!("{length} from {skip}"))?;
        let around = got[..skip].iter().chain(&got[skip + length..]);
        ensure(around.copied().all(|number| number == [9.0; 2]), || format!("{length} from {skip}: around"))?;
    }
    Ok(())
}

fn norms(device: &Device) -> TestResult {
    let numbers = narrow(&numbers(60, 2));
    let sums = reference::fft(&wide(&numbers), &[60], 0, false);
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<[f32; 2]>(60)?);
    for (norm, factor) in [(FftNorm::Backward, 1.0), (FftNorm::Ortho, 60.0f64.sqrt()), (FftNorm::Forward, 60.0)] {
        Fft::new([60]).norm(norm).run(&x, &mut y)?;
        let wanted: Wide = sums.iter().map(|sum| sum.map(|part| part / factor)).collect();
        near(&wide(&y.read()?), &wanted, (SINGLE, 60), &format!("{norm:?}"))?;
        Fft::new([60]).norm(norm).inverse().run_in_place(&mut y)?;
        near(&wide(&y.read()?), &wide(&numbers), (2.0 * SINGLE, 60), &format!("{norm:?}, there and back"))?;
    }
    Ok(())
}

/// NaN and infinities reach the results of their line, and no other line.
fn values(device: &Device) -> TestResult {
    let mut numbers = vec![[1.0f32, 0.0]; 24];
    numbers[9] = [f32::NAN, 0.0];
    numbers[17] = [f32::INFINITY, 0.0];
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<[f32; 2]>(24)?);
    Fft::new([3, 8]).axes([1]).run(&x, &mut y)?;
    let y = y.read()?;
    let finite: Vec<bool> = y.chunks(8).map(|line| line.iter().flatten().all(|part| part.is_finite())).collect();
    same(&y[..8], &[[8.0, 0.0], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]], "ones")?;
    ensure(finite == [true, false, false], || format!("{y:?}"))
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, stream) = (device.buffer_from(&[[1.0f32, 0.0], [2.0, 0.0], [4.0, 0.0]])?, device.stream());
    let (mut y, mut half) = (device.buffer::<[f32; 2]>(2)?, device.buffer::<[f32; 2]>(2)?);
    let mut recording = device.recording();
    Fft::new([2]).record(&mut recording).run(x.slice(..2), &mut y)?;
    let reals = device.buffer_from(&[1.0f32, 5.0])?;
    RealFft::new([2]).record(&mut recording).run(&reals, &mut half)?;
    same(&y.read()?, &[[0.0; 2]; 2], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[[3.0, 0.0], [-1.0, 0.0]], "submitted")?;
    same(&half.read()?, &[[6.0, 0.0], [-4.0, 0.0]], "submitted, real")?;
    x.copy_from_slice(&[[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])?;
    recording.submit()?;
    same(&y.read()?, &[[1.0, 1.0], [1.0, 1.0]], "submitted again")?;
    let tables = FftTables::new(device);
    Fft::new([2]).tables(&tables).on(&stream).inverse().run_in_place(&mut y)?;
    same(&y.read()?, &[[1.0, 1.0], [0.0, 0.0]], "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[[1.0f32; 2]; 6])?;
    let mut y = device.buffer_from(&[[7.0f32; 2]; 6])?;
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let name = "Fourier transform";
    refused(Fft::new([6]).axes([1]).run(&x, &mut y), is_axis, &[name, "axis 1", "[6]"])?;
    refused(Fft::new([2, 3]).axes([1, 1]).run(&x, &mut y), is_choice, &[name, "axes", "once", "[1, 1]"])?;
    refused(Fft::new([5]).run(&x, &mut y), is_length, &[name, "'x' has 6 elements", "[5]"])?;
    refused(Fft::new([5]).run_in_place(&mut y), is_length, &[name, "'x' has 6 elements", "[5]"])?;
    refused(Fft::new([5]).run(x.slice(..5), &mut y), is_length, &[name, "'y' has 6 elements", "[5]"])?;
    refused(Fft::new([1 << 16, 1 << 16]).run(&x, &mut y), is_large, &[name, "x has the shape"])?;
    let reals = device.buffer_from(&[1.0f32; 6])?;
    refused(RealFft::new([6]).run(&reals, &mut y), is_length, &[name, "'y' has 6 elements", "[4]"])?;
    refused(RealFft::new([6]).axes([]).run(&reals, &mut y), is_choice, &[name, "axes", "none"])?;
    let other = device.reopen()?;
    let theirs = other.buffer::<[f32; 2]>(6)?;
    refused(fft(&theirs, &mut y), is_foreign, &[name, "'x'"])?;
    let tables = FftTables::new(&other);
    refused(Fft::new([6]).tables(&tables).run(&x, &mut y), is_foreign, &[name, "'tables'"])?;
    same(&y.read()?, &[[7.0; 2]; 6], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let tables = FftTables::new(&device);
    for shape in [vec![3, 60], vec![2, 34, 3]] {
        check(&device, &tables, &shape, 1)?;
        check_real(&device, &shape, &[1], 1)?;
        check_real(&device, &shape, &[0, 1], 0)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{shape:?}:\n{findings}"))?;
    }
    Ok(())
}
