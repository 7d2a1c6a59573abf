//! Factors and equations of small dense matrices, in batches.

use anywarp::Device;
use anywarp::ops::{
    Cholesky, FactorStatus, Lu, OperationError, SolveError, SolveTriangular, cholesky, lu, solve_triangular,
};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::solvers::{Number, typed, value, wide};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 6] = [
        ("dense::f32", all::<f32>),
        ("dense::f64", doubles),
        ("dense::triangles", triangles),
        ("dense::singular", singular),
        ("dense::recorded", recorded),
        ("dense::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::dense".to_owned(), Box::new(clean))
}

/// The product of two matrices of shapes `[rows, depth]` and `[depth, columns]`.
fn product(a: &[f64], b: &[f64], [rows, depth, columns]: [usize; 3]) -> Vec<f64> {
    let element = |at: usize| (0..depth).map(|k| a[at / columns * depth + k] * b[k * columns + at % columns]).sum();
    (0..rows * columns).map(element).collect()
}

/// A batch of symmetric, positive definite matrices: products of random ones with their transposes.
fn definite(rows: usize, matrices: usize) -> Vec<f64> {
    let one = |seed: usize| {
        let g: Vec<f64> = (0..rows * rows).map(|at| value(at * 3 + seed * 101) / 4.0).collect();
        let transposed: Vec<f64> = (0..rows * rows).map(|at| g[at % rows * rows + at / rows]).collect();
        let mut a = product(&g, &transposed, [rows; 3]);
        (0..rows).for_each(|row| a[row * rows + row] += 1.0);
        a
    };
    (0..matrices).flat_map(one).collect()
}

fn near(got: &[f64], wanted: &[f64], bound: f64, what: &str) -> TestResult {
    let size = wanted.iter().fold(1.0f64, |most, wanted| most.max(wanted.abs()));
    let worst = got.iter().zip(wanted).map(|(got, wanted)| (got - wanted).abs()).fold(0.0, f64::max);
    ensure(got.len() == wanted.len() && worst <= bound * size, || {
        format!("{what}: a difference of {worst:e} to {size}")
    })
}

/// Factors batches and solves equations with the factors.
fn check<T: Number>(device: &Device, rows: usize, matrices: usize, columns: usize) -> TestResult {
    let (n, what) = (rows * rows, format!("{matrices} matrices of {rows} rows, {columns} columns"));
    let bound = 64.0 * T::EPSILON * rows as f64;
    let b: Vec<f64> = (0..matrices * rows * columns).map(|at| value(at + 7)).collect();
    let of_b = device.buffer_from(&typed::<T>(&b))?;
    let residual = |a: &[f64], x: &[T], what: &str| -> TestResult {
        let x = wide(x);
        for matrix in 0..matrices {
            let places = matrix * rows * columns..(matrix + 1) * rows * columns;
            let got = product(&a[matrix * n..][..n], &x[places.clone()], [rows, rows, columns]);
            let size = x.iter().fold(1.0f64, |most, x| most.max(x.abs()));
            near(&got, &b[places], bound * size * 64.0, &format!("{what}, matrix {matrix}"))?;
        }
        Ok(())
    };
    let mut status = FactorStatus::<T>::new(device, matrices)?;
    let a = definite(rows, matrices);
    let (of_a, mut l) =
        (device.buffer_from(&typed::<T>(&a))?, device.buffer_from(&vec![T::narrow(7.0); n * matrices])?);
    Cholesky::new(rows).batches(matrices).run(&of_a, &mut l, &mut status)?;
    status.check()?;
    let factors = wide(&l.read()?);
    for matrix in 0..matrices {
        let l = &factors[matrix * n..][..n];
        let transposed: Vec<f64> = (0..n).map(|at| l[at % rows * rows + at / rows]).collect();
        near(&product(l, &transposed, [rows; 3]), &a[matrix * n..][..n], bound, &format!("l, {what}"))?;
        ensure((0..n).all(|at| at % rows <= at / rows || l[at] == 0.0), || format!("zeros above l, {what}"))?;
    }
    let mut x = device.buffer::<T>(b.len())?;
    Cholesky::new(rows).batches(matrices).solve(&l, &of_b, &mut x, columns)?;
    residual(&a, &x.read()?, &format!("cholesky, {what}"))?;
    // Large elements beside the diagonal, so that rows must be exchanged.
    let is_large = |at: usize| (at / rows % rows + 1) % rows == at % rows;
    let a: Vec<f64> = (0..n * matrices)
        .map(|at| value(at * 5 + 2) + if is_large(at) { 4.0 * rows as f64 + 1.0 } else { 0.0 })
        .collect();

    let of_a = device.buffer_from(&typed::<T>(&a))?;
    let mut exchanges = device.buffer::<u32>(rows * matrices)?;
    Lu::new(rows).batches(matrices).run(&of_a, &mut l, &mut exchanges, &mut status)?;
    status.check()?;
    let (factors, exchanged) = (wide(&l.read()?), exchanges.read()?.to_vec());
    for matrix in 0..matrices {
        let all = &factors[matrix * n..][..n];
        let l: Vec<f64> = (0..n)
            .map(|at| match (at / rows, at % rows) {
                (row, column) if row == column => 1.0,
                (row, column) if row > column => all[at],
                _ => 0.0,
            })
            .collect();
        ensure(l.iter().all(|share| share.abs() <= 1.0), || format!("{what}: a share above 1"))?;
        let u: Vec<f64> = (0..n).map(|at| if at / rows <= at % rows { all[at] } else { 0.0 }).collect();
        let mut wanted = a[matrix * n..][..n].to_vec();
        for row in 0..rows {
            let other = exchanged[matrix * rows + row] as usize;
            (0..rows).for_each(|column| wanted.swap(row * rows + column, other * rows + column));
        }
        near(&product(&l, &u, [rows; 3]), &wanted, bound, &format!("lu, {what}"))?;
    }
    Lu::new(rows).batches(matrices).solve(&l, &exchanges, &of_b, &mut x, columns)?;
    residual(&a, &x.read()?, &format!("lu, {what}"))
}

fn all<T: Number>(device: &Device) -> TestResult {
    for (rows, matrices, columns) in [(1, 3, 1), (2, 5, 2), (7, 4, 1), (33, 2, 3), (65, 1, 1)] {
        check::<T>(device, rows, matrices, columns)?;
    }
    Ok(())
}

fn doubles(device: &Device) -> TestResult {
    if device.caps().feature_names().contains(&"f64") {
        return all::<f64>(device);
    }
    let (a, mut l) = (device.buffer::<f64>(4)?, device.buffer::<f64>(4)?);
    let is_kernel = |error: &SolveError| matches!(error, SolveError::Operation(OperationError::Kernel(_)));
    refused(cholesky(&a, &mut l, 2), is_kernel, &["f64"])
}

/// All triangles against plain Rust, on slices.
fn triangles(device: &Device) -> TestResult {
    let (rows, columns, matrices) = (9, 4, 3);
    let n = rows * rows;
    // Large diagonals, and small numbers beside them.
    let of_diagonal = |at: usize| (at % n).is_multiple_of(rows + 1);
    let a: Vec<f64> = (0..n * matrices).map(|at| if of_diagonal(at) { 4.0 } else { value(at) / 8.0 }).collect();
    let b: Vec<f64> = (0..rows * columns * matrices).map(|at| value(at + 1)).collect();
    let of_a = device.buffer_from(&typed::<f32>(&[&[9.0; 3][..], &a].concat()))?;
    let of_b = device.buffer_from(&typed::<f32>(&[&[9.0][..], &b].concat()))?;
    for options in 0..8 {
        let [upper, unit, transposed] = [1, 2, 4].map(|bit| options & bit != 0);
        let mut x = device.buffer_from(&vec![7.0f32; b.len() + 5])?;
        let solve = SolveTriangular::new(rows).batches(matrices).columns(columns);
        let solve = solve.upper(upper).unit(unit).transposed(transposed);
        solve.run(of_a.slice(3..), of_b.slice(1..), x.slice_mut(2..b.len() + 2))?;
        let got = wide(&x.read()?);
        ensure(got[..2] == [7.0; 2] && got[b.len() + 2..] == [7.0; 3], || "elements around the slice".to_owned())?;
        for matrix in 0..matrices {
            let element = |row: usize, column: usize| {
                let (row, column) = if transposed { (column, row) } else { (row, column) };
                let at = a[matrix * n + row * rows + column];
                match (row == column, (column > row) == upper) {
                    (true, _) => {
                        if unit {
                            1.0
                        } else {
                            at
                        }
                    }
                    (false, true) => at,
                    _ => 0.0,
                }
            };
            let t: Vec<f64> = (0..n).map(|at| element(at / rows, at % rows)).collect();
            let places = matrix * rows * columns..(matrix + 1) * rows * columns;
            let x = &got[2..][places.clone()];
            near(&product(&t, x, [rows, rows, columns]), &b[places], 1e-4, &format!("options {options}"))?;
        }
    }
    Ok(())
}

fn singular(device: &Device) -> TestResult {
    let a = device.buffer_from(&[4.0f32, 2.0, 2.0, 1.0, 9.0, 0.0, 0.0, 4.0, -1.0, 0.0, 0.0, 1.0])?;
    let (mut l, mut exchanges) = (device.buffer::<f32>(12)?, device.buffer::<u32>(6)?);
    let mut status = FactorStatus::new(device, 3)?;
    let is = |solver: &'static str, at: (usize, usize), pivot: f64| move |error: &SolveError| matches!(error, SolveError::Factor { solver: name, matrix, row, value } if *name == solver && (*matrix, *row) == at && *value == pivot);
    Cholesky::new(2).batches(3).run(&a, &mut l, &mut status)?;
    same(&status.rows().read()?, &[2, 0, 1], "rows of cholesky")?;
    same(&status.pivots().read()?, &[0.0, 0.0, -1.0], "pivots of cholesky")?;
    refused(
        status.check(),
        is("cholesky", (0, 1), 0.0),
        &["cholesky: matrix 0 has the pivot 0e0 in row 1", "positive"],
    )?;
    same(&l.read()?[4..8], &[3.0, 0.0, 0.0, 2.0], "the matrix between them")?;
    Lu::new(2).batches(3).run(&a, &mut l, &mut exchanges, &mut status)?;
    same(&status.rows().read()?, &[2, 0, 0], "rows of lu")?;
    refused(status.check(), is("lu", (0, 1), 0.0), &["lu: matrix 0 has the pivot 0e0 in row 1", "singular"])?;
    let zero = device.buffer::<f32>(4)?;
    refused(lu(&zero, l.slice_mut(..4), exchanges.slice_mut(..2), 2), is("lu", (0, 0), 0.0), &["lu: matrix 0"])?;
    let nan = device.buffer_from(&[1.0f32, 0.0, 0.0, f32::NAN])?;
    let not_finite = |error: &SolveError| matches!(error, SolveError::Factor { row: 1, value, .. } if value.is_nan());
    refused(cholesky(&nan, l.slice_mut(..4), 2), not_finite, &["cholesky: matrix 0 has the pivot NaN in row 1"])?;
    refused(lu(&nan, l.slice_mut(..4), exchanges.slice_mut(..2), 2), not_finite, &["the pivot NaN in row 1"])
}

fn recorded(device: &Device) -> TestResult {
    let (mut a, b) = (device.buffer_from(&[1.0f32, 4.0, 2.0, 6.0])?, device.buffer_from(&[9.0f32, 14.0])?);
    let (mut factors, mut exchanges) = (device.buffer::<f32>(4)?, device.buffer::<u32>(2)?);
    let (mut status, mut x, stream) = (FactorStatus::new(device, 1)?, device.buffer::<f32>(2)?, device.stream());
    let mut recording = device.recording();
    Lu::new(2).record(&mut recording).run(&a, &mut factors, &mut exchanges, &mut status)?;
    Lu::new(2).record(&mut recording).solve(&factors, &exchanges, &b, &mut x, 1)?;
    same(&x.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&x.read()?, &[1.0, 2.0], "submitted")?;
    a.copy_from_slice(&[2.0, 0.0, 0.0, 4.0])?;
    recording.submit()?;
    same(&x.read()?, &[4.5, 3.5], "submitted again")?;
    a.copy_from_slice(&[0.0, 0.0, 0.0, 4.0])?;
    recording.submit()?;
    ensure(status.check().is_err(), || "a singular matrix".to_owned())?;
    SolveTriangular::new(2).upper(true).unit(true).on(&stream).run(&a, &b, &mut x)?;
    same(&x.read()?, &[9.0, 14.0], "on a stream")?;
    let cost = Cholesky::new(4).batches(2).cost::<f32>(device)?;
    ensure((cost.flops, cost.bytes) == (2 * 64 / 3, 2 * 2 * 16 * 4), || format!("{cost:?}"))?;
    let cost = SolveTriangular::new(4).batches(2).columns(3).cost::<f32>(device)?;
    ensure((cost.flops, cost.bytes) == (2 * 16 * 3, 4 * (2 * 10 + 2 * 24)), || format!("{cost:?}"))
}

fn refusals(device: &Device) -> TestResult {
    let (a, mut l) = (device.buffer_from(&[1.0f32; 9])?, device.buffer_from(&[7.0f32; 8])?);
    let mut status = FactorStatus::new(device, 1)?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let refusal = Cholesky::new(2).run(&a, l.slice_mut(..4), &mut status);
    refused(refusal, is_length, &["cholesky: 'a' has 9 elements", "[1, 2, 2]"])?;
    let refusal = Cholesky::new(3).run(&a, &mut l, &mut status);
    refused(refusal, is_length, &["cholesky: 'the factors' has 8 elements", "[1, 3, 3]"])?;
    let refusal = Cholesky::new(2).batches(2).run(a.slice(..8), &mut l, &mut status);
    refused(refusal, is_length, &["cholesky: 'the status' has 1 elements", "[2]"])?;
    let mut exchanges = device.buffer::<u32>(3)?;
    let refusal = Lu::new(2).run(a.slice(..4), l.slice_mut(..4), &mut exchanges, &mut status);
    refused(refusal, is_length, &["lu: 'the exchanges' has 3 elements", "[1, 2]"])?;
    let refusal = solve_triangular(a.slice(..4), a.slice(..3), l.slice_mut(..2), 2);
    refused(refusal, is_length, &["triangular solve: 'b' has 3 elements", "[1, 2, 1]"])?;
    let refusal = SolveTriangular::new(1 << 20).run(&a, &a, &mut l);
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(refusal, is_large, &["triangular solve: a has the shape [1, 1048576, 1048576]"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let refusal = Cholesky::new(2).run(&other.buffer::<f32>(4)?, l.slice_mut(..4), &mut status);
    refused(refusal, is_foreign, &["cholesky", "'a'"])?;
    same(&l.read()?, &[7.0; 8], "nothing has run")?;
    Cholesky::new(0).batches(1).run(a.slice(..0), l.slice_mut(..0), &mut status)?;
    SolveTriangular::new(2).columns(0).run(a.slice(..4), a.slice(..0), l.slice_mut(..0))?;
    Ok(())
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    check::<f32>(&device, 6, 2, 2)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || format!("{findings}"))
}
