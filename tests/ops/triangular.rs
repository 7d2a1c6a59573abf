//! Equations of triangles of sparse matrices, and incomplete factors.

use anywarp::Device;
use anywarp::ops::{
    IncompleteLu, OperationError, SolveError, SparseMatrix, SparseTriangle, SparseTriangularSolve, sptrsv,
};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::solvers::{Dense, Number, typed, value, wide};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 5] = [
        ("triangular::f32", sides::<f32>),
        ("triangular::f64", doubles),
        ("triangular::recorded", recorded),
        ("triangular::factors", factors),
        ("triangular::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::triangular".to_owned(), Box::new(clean))
}

/// The solution for a triangle of a matrix in plain Rust.
fn reference(matrix: &Dense, b: &[f64], upper: bool, unit: bool) -> Vec<f64> {
    let (rows, mut x) = (matrix.rows, vec![0.0; matrix.rows]);
    for turn in 0..rows {
        let row = if upper { rows - 1 - turn } else { turn };
        let elements = &matrix.elements[row * rows..][..rows];
        let before = if upper { row + 1..rows } else { 0..row };
        let sum: f64 = before.map(|column| elements[column] * x[column]).sum();
        x[row] = (b[row] - sum) / if unit { 1.0 } else { elements[row] };
    }
    x
}

/// Solves all four triangles and compares the residuals in `f64`.
fn check<T: Number>(device: &Device, matrix: &Dense) -> TestResult {
    let a = matrix.on::<T>(device)?;
    let b: Vec<f64> = (0..matrix.rows).map(value).collect();
    let padded = device.buffer_from(&typed::<T>(&[&[5.0][..], &b].concat()))?;
    for (upper, unit) in [(false, false), (true, false), (false, true), (true, true)] {
        let triangle = match (upper, unit) {
            (false, false) => SparseTriangle::lower(&a)?,
            (true, false) => SparseTriangle::upper(&a)?,
            (false, true) => SparseTriangle::unit_lower(&a)?,
            (true, true) => SparseTriangle::unit_upper(&a)?,
        };
        let mut x = device.buffer_from(&vec![T::narrow(7.0); matrix.rows + 3])?;
        sptrsv(&triangle, padded.slice(1..), x.slice_mut(2..matrix.rows + 2))?;
        let x = wide(&x.read()?);
        let expected = reference(matrix, &b, upper, unit);
        let size = expected.iter().fold(1.0f64, |most, x| most.max(x.abs()));
        for (row, (x, wanted)) in x[2..].iter().zip(&expected).enumerate() {
            let what = || format!("{} rows, upper {upper}, unit {unit}, row {row}: {x}, not {wanted}", matrix.rows);
            ensure((x - wanted).abs() <= 200.0 * T::EPSILON * size, what)?;
        }
        ensure(x[..2] == [7.0, 7.0] && x[matrix.rows + 2] == 7.0, || "elements around the slice".to_owned())?;
    }
    Ok(())
}

/// Off-diagonal entries are small, so that solutions with ones on the diagonal stay small, too.
fn tame(rows: usize, entries: usize) -> Dense {
    let mut matrix = Dense::random(rows, entries);
    for (at, element) in matrix.elements.iter_mut().enumerate() {
        if at % (rows + 1) != 0 {
            *element /= 64.0;
        }
    }
    matrix
}

fn sides<T: Number>(device: &Device) -> TestResult {
    for (rows, entries) in [(1, 0), (2, 1), (70, 3), (300, 12)] {
        check::<T>(device, &tame(rows, entries))?;
    }
    // Each row depends on the one before: as many levels as rows.
    let rows = 100;
    let elements = (0..rows * rows).map(|at| match at % rows + rows - at / rows {
        100 => 2.0,
        99 => -1.0,
        _ => 0.0,
    });
    let chain = Dense { rows, elements: elements.collect() };
    ensure(SparseTriangle::lower(&chain.on::<T>(device)?)?.levels() == rows, || "levels".to_owned())?;
    check::<T>(device, &chain)?;
    wide_levels::<T>(device)
}

/// Many rows that depend on one row: more than share a launch.
fn wide_levels<T: Number>(device: &Device) -> TestResult {
    let rows = 3000u32;
    let offsets: Vec<u32> = (0..=rows).map(|row| (2 * row).saturating_sub(1)).collect();
    let columns: Vec<u32> = [0].into_iter().chain((1..rows).flat_map(|row| [0, row])).collect();
    let values = vec![T::narrow(2.0); columns.len()];
    let a = SparseMatrix::from_csr(device, [rows as usize; 2], &offsets, &columns, &values)?;
    let triangle = SparseTriangle::lower(&a)?;
    ensure(triangle.levels() == 2, || format!("{} levels", triangle.levels()))?;
    let b: Vec<f64> = (0..rows as usize).map(value).collect();
    let (of_b, mut x) = (device.buffer_from(&typed::<T>(&b))?, device.buffer::<T>(rows as usize)?);
    sptrsv(&triangle, &of_b, &mut x)?;
    let expected: Vec<f64> =
        b.iter().enumerate().map(|(at, b0)| if at == 0 { b0 / 2.0 } else { (b0 - b[0]) / 2.0 }).collect();
    same(&x.read()?, &typed::<T>(&expected), "wide levels")
}

fn doubles(device: &Device) -> TestResult {
    if device.caps().feature_names().contains(&"f64") {
        return sides::<f64>(device);
    }
    let a = tame(3, 1).on::<f64>(device)?;
    let is_kernel = |error: &SolveError| matches!(error, SolveError::Operation(OperationError::Kernel(_)));
    refused(SparseTriangle::lower(&a).map(drop), is_kernel, &["f64"])
}

fn recorded(device: &Device) -> TestResult {
    let a = SparseMatrix::from_csr(device, [2, 2], &[0, 1, 4], &[0, 1, 0, 1], &[2.0f32, 1.0, 3.0, 3.0])?;
    let triangle = SparseTriangle::lower(&a)?;
    let (mut b, mut x, stream) = (device.buffer_from(&[2.0f32, 11.0])?, device.buffer::<f32>(2)?, device.stream());
    let mut recording = device.recording();
    SparseTriangularSolve::new().record(&mut recording).run(&triangle, &b, &mut x)?;
    same(&x.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&x.read()?, &[1.0, 2.0], "submitted, with two entries on the diagonal")?;
    b.copy_from_slice(&[4.0, 2.0])?;
    recording.submit()?;
    same(&x.read()?, &[2.0, -1.0], "submitted again")?;
    SparseTriangularSolve::new().on(&stream).run(&SparseTriangle::unit_lower(&a)?, &b, &mut x)?;
    same(&x.read()?, &[4.0, -10.0], "on a stream, with ones on the diagonal")?;
    let cost = SparseTriangularSolve::new().cost(&triangle);
    ensure((cost.flops, cost.bytes, cost.passes) == (8, 4 * 8 + 2 * 20, 1), || format!("{cost:?}"))
}

/// Factors multiply to the matrix wherever the matrix has entries.
fn factors(device: &Device) -> TestResult {
    for (rows, entries) in [(1, 0), (5, 2), (120, 4)] {
        let mut matrix = Dense::random(rows, entries);
        // A full row would make all factors dense.
        (0..rows).filter(|column| *column != rows / 3).for_each(|at| matrix.elements[rows / 3 * rows + at] = 0.0);
        let a = matrix.on::<f32>(device)?;
        let factors = IncompleteLu::new(&a)?;
        let all: Vec<f64> = factors.matrix().to_dense()?.iter().map(|element| f64::from(*element)).collect();
        for row in 0..rows {
            for column in 0..rows {
                let element = matrix.elements[row * rows + column];
                if element == 0.0 {
                    ensure(all[row * rows + column] == 0.0, || format!("an entry at {row}, {column}"))?;
                    continue;
                }
                let share = |at: usize| if at == row { 1.0 } else { all[row * rows + at] };
                let product: f64 = (0..=row.min(column)).map(|at| share(at) * all[at * rows + column]).sum();
                let size = element.abs().max(1.0);
                ensure((product - element).abs() < 1e-5 * size, || {
                    format!("{row}, {column}: {product}, not {element}")
                })?;
            }
        }
    }
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let a = SparseMatrix::from_dense(device, [2, 2], &[2.0f32, 1.0, 3.0, 4.0])?;
    let triangle = SparseTriangle::lower(&a)?;
    let (b, mut x) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[7.0f32; 2])?);
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(sptrsv(&triangle, &b, &mut x), is_length, &["sparse triangular solve: 'b' has 4 elements", "[2]"])?;
    refused(sptrsv(&triangle, b.slice(..2), x.slice_mut(..1)), is_length, &["'x' has 1 elements"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(sptrsv(&triangle, &other.buffer::<f32>(2)?, &mut x), is_foreign, &["sparse triangular solve", "'b'"])?;
    same(&x.read()?, &[7.0; 2], "nothing has run")?;
    let broad = SparseMatrix::from_csr(device, [1, 3], &[0, 1], &[0], &[1.0f32])?;
    let is_choice = |error: &SolveError| matches!(error, SolveError::Operation(OperationError::Choice { .. }));
    refused(SparseTriangle::unit_lower(&broad).map(drop), is_choice, &["a matrix of shape [1, 3]", "square"])?;
    let zero = SparseMatrix::from_dense(device, [3, 3], &[1.0f32, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, f32::NAN])?;
    let pivot = |row: usize| move |error: &SolveError| matches!(error, SolveError::Pivot { row: at, .. } if *at == row);
    refused(SparseTriangle::upper(&zero).map(drop), pivot(1), &["sparse triangular solve: the pivot of row 1 is 0e0"])?;
    let nan = SparseMatrix::from_dense(device, [2, 2], &[1.0f32, 0.0, 0.0, f32::NAN])?;
    refused(SparseTriangle::lower(&nan).map(drop), pivot(1), &["the pivot of row 1 is NaN"])
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    check::<f32>(&device, &tame(90, 4))?;
    wide_levels::<f32>(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || format!("{findings}"))
}
