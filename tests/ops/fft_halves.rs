//! Fourier transforms of `f16`, which compute in `f32`.

use anywarp::Device;
use anywarp::ops::{Fft, FftNorm, FftTables, RealFft, fft};
use half::f16;

use crate::fft::reference;
use crate::outcome::{TestResult, ensure, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 4] = [
        ("fft_halves::complex", complex),
        ("fft_halves::real", real),
        ("fft_halves::range", range),
        ("fft_halves::recorded", recorded),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::fft_halves".to_owned(), Box::new(clean))
}

type Wide = Vec<[f64; 2]>;

/// Numbers from -1 to 1.
fn reals(count: usize, seed: usize) -> Vec<f16> {
    let number = |at: usize| ((at * 31 + seed * 17) % 1009) as f64 * 0.37;
    (0..count).map(|at| f16::from_f64(number(at).sin())).collect()
}

fn pairs(count: usize, seed: usize) -> Vec<[f16; 2]> {
    reals(2 * count, seed).chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

fn wide(numbers: &[[f16; 2]]) -> Wide {
    numbers.iter().map(|number| number.map(f64::from)).collect()
}

fn as_complex(reals: &[f16]) -> Wide {
    reals.iter().map(|real| [f64::from(*real), 0.0]).collect()
}

/// The bound that the operator promises for a transform of `count` numbers.
fn bound(count: usize) -> f64 {
    2e-7 * (count as f64).log2().max(1.0) + 2f64.powi(-11)
}

fn near(got: &[[f64; 2]], wanted: &[[f64; 2]], bound: f64, what: &str) -> TestResult {
    ensure(got.len() == wanted.len(), || format!("{what}: {} numbers, expected {}", got.len(), wanted.len()))?;
    let square = |[a, b]: [f64; 2]| a * a + b * b;
    let error: f64 = got.iter().zip(wanted).map(|(a, b)| square([a[0] - b[0], a[1] - b[1]])).sum();
    let size: f64 = wanted.iter().map(|number| square(*number)).sum();
    ensure(error.sqrt() <= bound * size.sqrt(), || {
        format!("{what}: a relative error of {:e}, at most {bound:e}", (error / size).sqrt())
    })
}

/// Transforms along axes, out of place and in place, and back, of arrays that begin at element `skip`.
fn check(
    device: &Device,
    tables: &FftTables<[f16; 2]>,
    (shape, axes): (&[usize], &[usize]),
    skip: usize,
) -> TestResult {
    let count: usize = shape.iter().product();
    let (numbers, what) = (pairs(skip + count, count), format!("{shape:?} along {axes:?} from {skip}"));
    let nine = [f16::from_f32(9.0); 2];
    let x = device.buffer_from(&numbers)?;
    let mut y = device.buffer_from(&vec![nine; skip + count + 1])?;
    let transform = || Fft::new(shape).axes(axes).norm(FftNorm::Ortho).tables(tables);
    transform().run(x.slice(skip..), y.slice_mut(skip..skip + count))?;
    let factor = axes.iter().map(|axis| shape[*axis] as f64).product::<f64>().sqrt();
    let sums = axes.iter().fold(wide(&numbers[skip..]), |numbers, axis| reference::fft(&numbers, shape, *axis, false));
    let wanted: Wide = sums.iter().map(|sum| sum.map(|part| part / factor)).collect();
    near(&wide(&y.read()?[skip..skip + count]), &wanted, bound(count), &what)?;
    same(&y.read()?[..skip], &vec![nine; skip], "before the results")?;
    same(&y.read()?[skip + count..], &[nine], "after the results")?;
    let mut place = device.buffer_from(&numbers)?;
    transform().run_in_place(place.slice_mut(skip..))?;
    same(&place.read()?[skip..], &y.read()?[skip..skip + count], &format!("{what}, in place"))?;
    transform().inverse().run_in_place(place.slice_mut(skip..))?;
    near(&wide(&place.read()?[skip..]), &wide(&numbers[skip..]), 2.0 * bound(count), &format!("{what}, there and back"))
}

fn complex(device: &Device) -> TestResult {
    let tables = FftTables::new(device);
    for length in [1, 2, 3, 8, 13, 17, 30, 64, 97, 343, 1000, 4096, 8192] {
        check(device, &tables, (&[length], &[0]), length % 2)?;
    }
    for (shape, axes) in [
        (vec![3, 16, 6], vec![1]),
        (vec![5, 17, 3], vec![1]),
        (vec![64, 16], vec![0]),
        (vec![4, 6, 5], vec![0, 1, 2]),
        (vec![8, 10], vec![1, 0]),
    ] {
        check(device, &tables, (&shape, &axes), 1)?;
    }
    // No axis: a copy.
    let numbers = pairs(7, 3);
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<[f16; 2]>(7)?);
    Fft::new([7]).axes([]).run(&x, &mut y)?;
    same(&y.read()?, &numbers, "no axis")
}

/// The first halves of transforms of real numbers, and back.
fn check_real(device: &Device, (shape, axes): (&[usize], &[usize]), skip: usize) -> TestResult {
    let count: usize = shape.iter().product();
    let numbers = reals(skip + count, count);
    let (last, what) = (axes[axes.len() - 1], format!("{shape:?} along {axes:?} from {skip}, real"));
    let (length, inner) = (shape[last], shape[last + 1..].iter().product::<usize>());
    let all = axes.iter().map(|axis| shape[*axis] as f64).product::<f64>();
    let sums =
        axes.iter().fold(as_complex(&numbers[skip..]), |numbers, axis| reference::fft(&numbers, shape, *axis, false));
    let is_first_half = |at: &usize| at / inner % length <= length / 2;
    let wanted: Wide = (0..count).filter(is_first_half).map(|at| sums[at].map(|part| part / all.sqrt())).collect();
    let (x, mut y) = (device.buffer_from(&numbers)?, device.buffer::<[f16; 2]>(wanted.len())?);
    let transform = || RealFft::new(shape).axes(axes).norm(FftNorm::Ortho);
    transform().run(x.slice(skip..), &mut y)?;
    near(&wide(&y.read()?), &wanted, bound(count), &what)?;
    let nine = f16::from_f32(9.0);
    let mut again = device.buffer_from(&vec![nine; skip + count + 1])?;
    transform().inverse(&y, again.slice_mut(skip..skip + count))?;
    let again = again.read()?;
    let (before, after) = (&again[..skip], &again[skip + count..]);
    same(before, &vec![nine; skip], &format!("{what}, before the results"))?;
    same(after, &[nine], &format!("{what}, after the results"))?;
    near(
        &as_complex(&again[skip..skip + count]),
        &as_complex(&numbers[skip..]),
        2.0 * bound(count),
        &format!("{what}, back"),
    )
}

fn real(device: &Device) -> TestResult {
    for length in (1..=6).chain([9, 16, 17, 34, 100, 1000, 4096]) {
        for skip in [0, 1] {
            check_real(device, (&[length], &[0]), skip)?;
        }
    }
    for (shape, axes) in
        [(vec![5, 16], vec![0]), (vec![3, 5], vec![1]), (vec![6, 9], vec![0, 1]), (vec![3, 4, 6], vec![2, 1])]
    {
        check_real(device, (&shape, &axes), 3)?;
    }
    Ok(())
}

/// Sums beyond `f16` are infinite only as results, not between passes.
fn range(device: &Device) -> TestResult {
    let ones = vec![[f16::from_f32(64.0), f16::ZERO]; 4096];
    let (x, mut y) = (device.buffer_from(&ones)?, device.buffer::<[f16; 2]>(4096)?);
    fft(&x, &mut y)?;
    ensure(y.read()?[0][0] == f16::INFINITY, || format!("{:?}", y.read().map(|y| y[0])))?;
    Fft::new([4096]).norm(FftNorm::Ortho).run(&x, &mut y)?;
    same(&y.read()?[..2], &[[f16::from_f32(4096.0), f16::ZERO], [f16::ZERO; 2]], "scaled")
}

fn recorded(device: &Device) -> TestResult {
    let number = |real: f32| [f16::from_f32(real), f16::ZERO];
    let (mut x, mut y) = (device.buffer_from(&[number(1.0), number(2.0)])?, device.buffer::<[f16; 2]>(2)?);
    let mut recording = device.recording();
    Fft::new([2]).record(&mut recording).run(&x, &mut y)?;
    recording.submit()?;
    same(&y.read()?, &[number(3.0), number(-1.0)], "submitted")?;
    x.copy_from_slice(&[number(4.0), number(4.0)])?;
    recording.submit()?;
    same(&y.read()?, &[number(8.0), number(0.0)], "submitted again")?;
    let cost = Fft::<[f16; 2]>::new([3, 1024]).axes([1]).cost(device)?;
    same(&[cost.bytes], &[3 * 1024 * 8], "bytes")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let tables = FftTables::new(&device);
    for shape in [vec![3, 60], vec![2, 17, 3]] {
        check(&device, &tables, (&shape, &[1]), 1)?;
        check_real(&device, (&shape, &[1]), 1)?;
        check_real(&device, (&shape, &[0, 1]), 0)?;
    }
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
