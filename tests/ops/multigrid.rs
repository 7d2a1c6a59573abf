//! V-cycles for the Poisson equation.

use anywarp::Device;
use anywarp::ops::{Multigrid, OperationError, SparseMatrix, SparseProduct};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::solvers::{Number, typed, value, wide};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 5] = [
        ("multigrid::f32", grids::<f32>),
        ("multigrid::f64", doubles),
        ("multigrid::symmetric", symmetric),
        ("multigrid::slices", slices),
        ("multigrid::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::multigrid".to_owned(), Box::new(clean))
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the length of the residual after some cycles from 0, relative to that of the right side, without the share
/// that rounding has in it.
fn reduced<T: Number>(device: &Device, grid: &[usize], cycles: usize, sweeps: usize) -> TestResult<f64> {
    let a = SparseMatrix::<T>::poisson(device, grid)?;
    let b: Vec<f64> = (0..a.rows()).map(value).collect();
    let (of_b, mut x) = (device.buffer_from(&typed::<T>(&b))?, device.buffer_from(&vec![T::narrow(9.0); a.rows()])?);
    let multigrid = Multigrid::new(grid)?.sweeps(sweeps);
    multigrid.run(&of_b, &mut x)?;
    multigrid.from_x(true).cycles(cycles - 1).run(&of_b, &mut x)?;
    let mut rest = device.buffer_from(&typed::<T>(&b))?;
    SparseProduct::new().alpha(-1.0).beta(1.0).run(&a, &x, &mut rest)?;
    let rounding = 8.0 * T::EPSILON * length(&wide(&x.read()?));
    Ok((length(&wide(&rest.read()?)) - rounding).max(0.0) / length(&b))
}

/// Every grid is reduced about equally well, whatever its size.
fn grids<T: Number>(device: &Device) -> TestResult {
    let grids: [(&[usize], f64); 12] = [
        (&[1], 0.0),
        (&[2], 1e-6),
        (&[5], 1e-6),
        (&[255], 1e-4),
        (&[256], 0.002),
        (&[3, 50], 1e-5),
        (&[31, 31], 0.015),
        (&[32, 47], 0.015),
        (&[64, 9], 0.015),
        (&[15, 15, 15], 0.025),
        (&[16, 10, 13], 0.025),
        (&[1, 1, 40], 1e-6),
    ];
    for (grid, expected) in grids {
        let rest = reduced::<T>(device, grid, 3, 1)?;
        ensure(rest <= expected, || format!("{grid:?}: a residual of {rest:e}, expected {expected}"))?;
    }
    let twice = reduced::<T>(device, &[16, 10, 13], 3, 2)?;
    ensure(twice <= 0.001, || format!("two sweeps: a residual of {twice:e}"))
}

fn doubles(device: &Device) -> TestResult {
    if device.caps().feature_names().contains(&"f64") {
        let rest = reduced::<f64>(device, &[20, 23], 15, 1)?;
        return ensure(rest <= 1e-8, || format!("a residual of {rest:e}"));
    }
    let (b, mut x) = (device.buffer::<f64>(4)?, device.buffer::<f64>(4)?);
    let refusal = Multigrid::new(&[4])?.run(&b, &mut x);
    refused(refusal, |error| matches!(error, OperationError::Kernel(_)), &["f64"])
}

/// A cycle from 0 is a symmetric, positive definite matrix, as conjugate gradients need.
fn symmetric(device: &Device) -> TestResult {
    for grid in [&[10, 7][..], &[6, 8, 5]] {
        let count = grid.iter().product::<usize>();
        let of = |seed: usize| -> Vec<f64> { (0..count).map(|at| value(at * 5 + seed)).collect() };
        let cycled = |b: &[f64]| -> TestResult<Vec<f64>> {
            let (b, mut x) = (device.buffer_from(&typed::<f32>(b))?, device.buffer::<f32>(count)?);
            Multigrid::new(grid)?.sweeps(2).run(&b, &mut x)?;
            Ok(wide(&x.read()?))
        };
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let (a, b) = (of(1), of(2));
        let (of_a, of_b) = (cycled(&a)?, cycled(&b)?);
        let (one, other) = (dot(&of_a, &b), dot(&a, &of_b));
        let size = length(&of_a) * length(&b);
        ensure((one - other).abs() < 1e-5 * size, || format!("{grid:?}: {one}, {other}"))?;
        ensure(dot(&a, &of_a) > 0.0, || format!("{grid:?}: not positive"))?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    let cycles = Multigrid::new(&[9, 4])?;
    ensure(cycles.levels() == 2, || format!("{} levels", cycles.levels()))?;
    let numbers: Vec<f32> = (0..36).map(|at| value(at) as f32).collect();
    let (b, mut x) = (device.buffer_from(&numbers)?, device.buffer::<f32>(36)?);
    cycles.run(&b, &mut x)?;
    let padded = device.buffer_from(&[&[5.0; 3][..], &numbers, &[5.0]].concat())?;
    let mut broad = device.buffer_from(&[7.0f32; 40])?;
    cycles.clone().on(&device.stream()).run(padded.slice(3..39), broad.slice_mut(1..37))?;
    same(&broad.read()?, &[&[7.0][..], &x.read()?, &[7.0; 3]].concat(), "elements around the slice")?;
    Multigrid::new(&[0, 3])?.run(b.slice(..0), x.slice_mut(..0))?;
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(Multigrid::new(&[]).map(drop), is_choice, &["multigrid: a grid of 0 axes is not possible"])?;
    refused(Multigrid::new(&[2; 4]).map(drop), is_choice, &["multigrid: a grid of 4 axes", "one to three axes"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Multigrid::new(&[1 << 20, 1 << 20]).map(drop), is_large, &["multigrid", "[1048576, 1048576]"])?;
    refused(SparseMatrix::<f32>::poisson(device, &[]).map(drop), is_choice, &["a grid of 0 axes"])?;
    refused(SparseMatrix::<f32>::poisson(device, &[1 << 20, 1 << 20]).map(drop), is_large, &["sparse matrix"])?;
    let (b, mut x) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[7.0f32; 6])?);
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let cycles = Multigrid::new(&[2, 3])?;
    refused(cycles.run(&b, &mut x), is_length, &["multigrid: 'b' has 4 elements", "[2, 3]"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(cycles.run(&other.buffer::<f32>(6)?, &mut x), is_foreign, &["multigrid", "'b'"])?;
    same(&x.read()?, &[7.0; 6], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    reduced::<f32>(&device, &[10, 13], 2, 1)?;
    reduced::<f32>(&device, &[5, 8, 6], 2, 1)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || format!("{findings}"))
}
