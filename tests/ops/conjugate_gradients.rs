//! Systems of equations, solved by conjugate gradients.

use anywarp::Device;
use anywarp::ops::{ConjugateGradients, OperationError, SolveError, SparseElement, SparseMatrix, conjugate_gradients};

use crate::outcome::{TestResult, ensure, fail, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/conjugate_gradients/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 13] = [
        ("conjugate_gradients::f32", poisson::<f32>),
        ("conjugate_gradients::f64", doubles),
        ("conjugate_gradients::jacobi", jacobi),
        ("conjugate_gradients::long_rows", long_rows),
        ("conjugate_gradients::small", small),
        ("conjugate_gradients::starts", starts),
        ("conjugate_gradients::slices", slices),
        ("conjugate_gradients::looks", looks),
        ("conjugate_gradients::ranges", ranges),
        ("conjugate_gradients::stagnated", stagnated),
        ("conjugate_gradients::not_converged", not_converged),
        ("conjugate_gradients::not_positive_definite", not_positive_definite),
        ("conjugate_gradients::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::conjugate_gradients".to_owned(), Box::new(clean))
}

trait Number: SparseElement + PartialEq + std::fmt::Debug {
    const EPSILON: f64;

    fn narrow(value: f64) -> Self;
    fn double(self) -> f64;
}

macro_rules! number {
    ($type:ty) => {
        impl Number for $type {
            const EPSILON: f64 = <$type>::EPSILON as f64;

            fn narrow(value: f64) -> Self {
                value as Self
            }

            fn double(self) -> f64 {
                self as f64
            }
        }
    };
}

number!(f32);
number!(f64);

/// A matrix in CSR.
struct Matrix {
    offsets: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Matrix {
    /// The Poisson equation on a grid: twice the number of axes on the diagonal, and -1 for each neighbour.
    fn poisson(grid: &[usize]) -> Self {
        let count: usize = grid.iter().product();
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..count {
            let mut entries = vec![(row, 2.0 * grid.len() as f64)];
            let mut stride = 1;
            for extent in grid {
                let at = row / stride % extent;
                entries.extend((at > 0).then(|| (row - stride, -1.0)));
                entries.extend((at + 1 < *extent).then_some((row + stride, -1.0)));
                stride *= extent;
            }
            entries.sort_by_key(|(column, _)| *column);
            columns.extend(entries.iter().map(|(column, _)| *column as u32));
            values.extend(entries.iter().map(|(_, value)| *value));
            offsets.push(values.len() as u32);
        }
        Self { offsets, columns, values }
    }

    fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    fn parts(&self) -> (&[u32], &[u32], &[f64]) {
        (&self.offsets, &self.columns, &self.values)
    }

    fn diagonal(&self) -> Vec<f64> {
        let entries = |row: usize| self.offsets[row] as usize..self.offsets[row + 1] as usize;
        let here = |row: usize| entries(row).filter(move |at| self.columns[*at] as usize == row);
        (0..self.rows()).map(|row| here(row).map(|at| self.values[at]).sum()).collect()
    }

    fn on<T: Number>(&self, device: &Device) -> TestResult<SparseMatrix<T>> {
        let shape = [self.rows(); 2];
        Ok(SparseMatrix::from_csr(device, shape, &self.offsets, &self.columns, &typed(&self.values))?)
    }

    /// A bound of the relative residual that rounding causes: a few roundings of products of the greatest value with x.
    fn rounding<T: Number>(&self, x: &[f64], b: &[f64]) -> f64 {
        let greatest = self.values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        4.0 * T::EPSILON * greatest * (reference::dot(x, x) / reference::dot(b, b)).sqrt()
    }

    /// `|b - a x| / |b|`
    fn residual(&self, x: &[f64], b: &[f64]) -> f64 {
        let product = reference::product(self.parts(), x);
        let r: Vec<f64> = b.iter().zip(&product).map(|(b, product)| b - product).collect();
        (reference::dot(&r, &r) / reference::dot(b, b)).sqrt()
    }
}

fn typed<T: Number>(numbers: &[f64]) -> Vec<T> {
    numbers.iter().map(|number| T::narrow(*number)).collect()
}

fn wide<T: Number>(numbers: &[T]) -> Vec<f64> {
    numbers.iter().map(|number| number.double()).collect()
}

/// Multiples of 1/8 between -4 and 4, which every element type has.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|at| ((at.wrapping_mul(0x9e37_79b9) >> 7) % 65) as f64 / 8.0 - 4.0).collect()
}

/// Solves equations and compares the residual and the solution with those of plain Rust in `f64`.
fn check<T: Number>(device: &Device, matrix: &Matrix, tolerance: f64, jacobi: bool) -> TestResult<u32> {
    let a = matrix.on::<T>(device)?;
    let b = numbers(matrix.rows());
    let (of_b, mut of_x) = (device.buffer_from(&typed::<T>(&b))?, device.buffer_from(&vec![T::narrow(9.0); b.len()])?);
    let solution = ConjugateGradients::new().tolerance(tolerance).jacobi(jacobi).run(&a, &of_b, &mut of_x)?;
    let x = wide(&of_x.read()?);
    let what = || format!("{} rows, jacobi {jacobi}, {solution:?}", matrix.rows());
    let rounding = matrix.rounding::<T>(&x, &b);
    let residual = matrix.residual(&x, &b);
    ensure(residual <= tolerance + rounding, || format!("{}: residual {residual:e}", what()))?;
    let said = solution.relative_residual;
    ensure(said <= tolerance * 1.0001, what)?;
    ensure((said - residual).abs() <= 1e-3 * residual + rounding, || format!("{}: residual {residual:e}", what()))?;
    let diagonal = if jacobi { matrix.diagonal() } else { vec![1.0; b.len()] };
    let (expected, iterations) = reference::solve(matrix.parts(), &b, &diagonal, tolerance);
    let slack = if T::EPSILON < 1e-10 { 1 } else { 2 + iterations / 4 };
    ensure(solution.iterations.abs_diff(iterations) <= slack, || format!("{}, expected {iterations}", what()))?;
    // The residual of the difference bounds it: both solutions have met the tolerance.
    let difference: Vec<f64> = x.iter().zip(&expected).map(|(x, expected)| x - expected).collect();
    let product = reference::product(matrix.parts(), &difference);
    let distance = (reference::dot(&product, &product) / reference::dot(&b, &b)).sqrt();
    ensure(distance <= 2.0 * tolerance + rounding, || format!("{}: distance {distance:e}", what()))?;
    Ok(solution.iterations)
}

fn poisson<T: Number>(device: &Device) -> TestResult {
    let tolerance = if T::EPSILON < 1e-10 { 1e-10 } else { 1e-5 };
    for grid in [&[2][..], &[3], &[64], &[257], &[2, 2], &[33, 31], &[9, 10, 11]] {
        let matrix = Matrix::poisson(grid);
        let b = numbers(matrix.rows());
        let (x, _) = reference::solve(matrix.parts(), &b, &vec![1.0; b.len()], tolerance);
        let reached = tolerance.max(2.0 * matrix.rounding::<T>(&x, &b));
        check::<T>(device, &matrix, reached, false)?;
        check::<T>(device, &matrix, reached, true)?;
    }
    Ok(())
}

fn doubles(device: &Device) -> TestResult {
    if device.caps().feature_names().contains(&"f64") {
        return poisson::<f64>(device);
    }
    let a = Matrix::poisson(&[4]).on::<f64>(device)?;
    let (b, mut x) = (device.buffer::<f64>(4)?, device.buffer::<f64>(4)?);
    let is_kernel = |error: &SolveError| matches!(error, SolveError::Operation(OperationError::Kernel(_)));
    refused(conjugate_gradients(&a, &b, &mut x).map(drop), is_kernel, &["f64"])
}

/// A Poisson matrix whose rows and columns are multiplied by powers of two, so that Jacobi undoes them exactly.
fn jacobi(device: &Device) -> TestResult {
    let mut matrix = Matrix::poisson(&[17, 16]);
    let factor = |row: usize| f64::from(1u32 << (row * 7 % 9));
    for row in 0..matrix.rows() {
        for at in matrix.offsets[row] as usize..matrix.offsets[row + 1] as usize {
            matrix.values[at] *= factor(row) * factor(matrix.columns[at] as usize);
        }
    }
    let iterations = check::<f32>(device, &matrix, 1e-3, true)?;
    let a = matrix.on::<f32>(device)?;
    let (b, mut x) = (device.buffer_from(&typed::<f32>(&numbers(a.rows())))?, device.buffer::<f32>(a.rows())?);
    let solver = ConjugateGradients::new().tolerance(1e-3).max_iterations(3 * iterations);
    let error = solver.run(&a, &b, &mut x).map(drop);
    refused(error, |error| matches!(error, SolveError::NotConverged { .. }), &["permit more iterations, precondition"])
}

/// A row that is too long for one launch of the kernel that finds the diagonal.
fn long_rows(device: &Device) -> TestResult {
    let count = 110_001;
    let others = 1..count as u32;
    // The diagonal of row 0 is split, and its second entry is the last one of the row.
    let columns: Vec<u32> =
        [0].into_iter().chain(others.clone()).chain([0]).chain(others.flat_map(|row| [0, row])).collect();
    let offsets: Vec<u32> =
        [0].into_iter().chain((1..=count as u32).map(|row| count as u32 + 1 + 2 * (row - 1))).collect();
    let values: Vec<f64> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| match (at, column) {
            (0, _) => 100.0,
            (at, 0) if at == count => 28.0,
            (at, _) if at > count && (at - count) % 2 == 0 => 4.0,
            _ => 1.0 / 64.0,
        })
        .collect();
    let matrix = Matrix { offsets, columns, values };
    ensure(matrix.diagonal()[..2] == [128.0, 4.0], || format!("{:?}", &matrix.diagonal()[..2]))?;
    check::<f32>(device, &matrix, 1e-4, true).map(drop)
}

fn small(device: &Device) -> TestResult {
    for jacobi in [false, true] {
        let solver = ConjugateGradients::new().jacobi(jacobi);
        let none = SparseMatrix::<f32>::from_csr(device, [0, 0], &[0], &[], &[])?;
        let solution = solver.run(&none, &device.buffer(0)?, &mut device.buffer(0)?)?;
        ensure((solution.iterations, solution.relative_residual) == (0, 0.0), || format!("{solution:?}"))?;
        let one = SparseMatrix::from_csr(device, [1, 1], &[0, 1], &[0], &[4.0f32])?;
        let (b, mut x) = (device.buffer_from(&[6.0f32])?, device.buffer_from(&[f32::NAN])?);
        let solution = solver.run(&one, &b, &mut x)?;
        ensure((solution.iterations, solution.relative_residual) == (1, 0.0), || format!("{solution:?}"))?;
        same(&x.read()?, &[1.5], "one equation")?;
    }
    Ok(())
}

fn starts(device: &Device) -> TestResult {
    let matrix = Matrix::poisson(&[9, 7]);
    let a = matrix.on::<f32>(device)?;
    // Whole numbers, whose product is exact.
    let solution: Vec<f64> = (0..a.rows()).map(|at| (at % 5) as f64 - 2.0).collect();
    let b = device.buffer_from(&typed::<f32>(&reference::product(matrix.parts(), &solution)))?;
    let mut x = device.buffer_from(&typed::<f32>(&solution))?;
    let stream = device.stream();
    let from_x = ConjugateGradients::new().from_x(true).on(&stream);
    let there = from_x.clone().max_iterations(0).run(&a, &b, &mut x)?;
    ensure((there.iterations, there.relative_residual) == (0, 0.0), || format!("at the solution: {there:?}"))?;
    same(&x.read()?, &typed::<f32>(&solution), "at the solution")?;
    x.copy_from_slice(&typed::<f32>(&solution.iter().map(|x| x + 1.0).collect::<Vec<_>>()))?;
    let near = from_x.run(&a, &b, &mut x)?;
    ensure(near.iterations > 0 && near.relative_residual < 2e-5, || format!("from near: {near:?}"))?;
    let worst = x.read()?.iter().zip(&solution).map(|(x, wanted)| (f64::from(*x) - wanted).abs()).fold(0.0, f64::max);
    ensure(worst < 1e-3, || format!("from near: an error of {worst}"))?;
    // The solution for b = 0 is 0, from every start.
    let zero = device.buffer::<f32>(a.rows())?;
    let solved = ConjugateGradients::new().from_x(true).run(&a, &zero, &mut x)?;
    ensure((solved.iterations, solved.relative_residual) == (0, 0.0), || format!("b = 0: {solved:?}"))?;
    same(&x.read()?, &vec![0.0; a.rows()], "b = 0")
}

fn slices(device: &Device) -> TestResult {
    let matrix = Matrix::poisson(&[5, 3]);
    let a = matrix.on::<f32>(device)?;
    let b = typed::<f32>(&numbers(15));
    let (whole, mut x) = (device.buffer_from(&b)?, device.buffer::<f32>(15)?);
    let expected = conjugate_gradients(&a, &whole, &mut x)?;
    let padded = device.buffer_from(&[&[5.0; 3][..], &b, &[5.0]].concat())?;
    let mut wide = device.buffer_from(&[7.0f32; 20])?;
    let got = conjugate_gradients(&a, padded.slice(3..18), wide.slice_mut(1..16))?;
    ensure(got == expected, || format!("{got:?}, expected {expected:?}"))?;
    same(&wide.read()?, &[&[7.0][..], &x.read()?, &[7.0; 4]].concat(), "elements around the slice")
}

/// Iterations after convergence change nothing, so results do not depend on how often the host looks.
fn looks(device: &Device) -> TestResult {
    let a = Matrix::poisson(&[12, 12]).on::<f32>(device)?;
    let b = device.buffer_from(&typed::<f32>(&numbers(a.rows())))?;
    for jacobi in [false, true] {
        let mut first = None;
        for every in [1, 7, 33, 128] {
            let mut x = device.buffer::<f32>(a.rows())?;
            let solution = ConjugateGradients::new().jacobi(jacobi).check_every(every).run(&a, &b, &mut x)?;
            let got = (solution, x.read()?.to_vec());
            let expected = first.get_or_insert_with(|| got.clone());
            ensure(got == *expected, || format!("check after every {every}: {:?}, {:?}", got.0, expected.0))?;
        }
    }
    Ok(())
}

/// Squares of very small and very large numbers do not fit into `f32`.
fn ranges(device: &Device) -> TestResult {
    let a = Matrix::poisson(&[6, 6]).on::<f32>(device)?;
    let plain = typed::<f32>(&numbers(36));
    let solve = |factor: f32| -> TestResult<_> {
        let b = device.buffer_from(&plain.iter().map(|b| b * factor).collect::<Vec<_>>())?;
        let mut x = device.buffer::<f32>(36)?;
        let solution = conjugate_gradients(&a, &b, &mut x)?;
        let x: Vec<f64> = x.read()?.iter().map(|x| f64::from(*x) / f64::from(factor)).collect();
        Ok((solution.iterations, x))
    };
    let (iterations, expected) = solve(1.0)?;
    for exponent in [-100, 100] {
        let (got, x) = solve(2.0f32.powi(exponent))?;
        ensure(got == iterations, || format!("2^{exponent}: {got} iterations, expected {iterations}"))?;
        let worst = x.iter().zip(&expected).map(|(x, wanted)| (x - wanted).abs()).fold(0.0, f64::max);
        ensure(worst < 1e-5, || format!("2^{exponent}: a difference of {worst}"))?;
    }
    for bad in [f32::NAN, f32::INFINITY] {
        for others in [0.0, 1.0] {
            let mut b = vec![others; 36];
            b[20] = bad;
            let (b, mut x) = (device.buffer_from(&b)?, device.buffer_from(&[7.0f32; 36])?);
            let error = conjugate_gradients(&a, &b, &mut x).map(drop);
            refused(error, |error| matches!(error, SolveError::NotFinite { .. }), &["'b'", "must be finite"])?;
            same(&x.read()?, &[7.0; 36], "nothing was written")?;
        }
    }
    Ok(())
}

/// Rounding of `x` alone keeps the residual above the tolerance, although that of the iterations falls below it.
fn stagnated(device: &Device) -> TestResult {
    let matrix = Matrix::poisson(&[1000]);
    let a = matrix.on::<f32>(device)?;
    let numbers = numbers(1000);
    let (b, mut x) = (device.buffer_from(&typed::<f32>(&numbers))?, device.buffer::<f32>(1000)?);
    let error = match ConjugateGradients::new().max_iterations(100_000).run(&a, &b, &mut x) {
        Ok(solution) => return fail(format!("{solution:?}")),
        Err(error) => error,
    };
    let SolveError::Stagnated { iterations, relative_residual, tolerance, .. } = error else {
        return Err(error.into());
    };
    ensure(iterations < 20_000 && tolerance == 1e-5 && relative_residual > 1e-5, || format!("{error}"))?;
    let x = wide(&x.read()?);
    let (residual, rounding) = (matrix.residual(&x, &numbers), matrix.rounding::<f32>(&x, &numbers));
    ensure((residual - relative_residual).abs() < rounding, || format!("{error}, but {residual:e}"))?;
    ensure(residual < 4.0 * rounding, || format!("{error}: rounding alone makes at most {rounding:e}"))
}

fn not_converged(device: &Device) -> TestResult {
    let matrix = Matrix::poisson(&[200]);
    let a = matrix.on::<f32>(device)?;
    let numbers = numbers(200);
    let (b, mut x) = (device.buffer_from(&typed::<f32>(&numbers))?, device.buffer::<f32>(200)?);
    for most in [0, 1, 40] {
        let error = ConjugateGradients::new().max_iterations(most).run(&a, &b, &mut x).unwrap_err();
        let SolveError::NotConverged { iterations, relative_residual, tolerance, .. } = error else {
            return Err(error.into());
        };
        ensure((iterations, tolerance) == (most, 1e-5), || format!("{error}"))?;
        let residual = matrix.residual(&wide(&x.read()?), &numbers);
        ensure((residual - relative_residual).abs() < 1e-4 * residual, || format!("{error}, but {residual}"))?;
        ensure(error.to_string().contains(&format!("after {most} iterations")), || format!("{error}"))?;
    }
    Ok(())
}

fn not_positive_definite(device: &Device) -> TestResult {
    // In the first iteration p . a p is 1, in the second one -12.
    let a = SparseMatrix::from_dense(device, [2, 2], &[1.0f32, 2.0, 2.0, 1.0])?;
    let (b, mut x) = (device.buffer_from(&[1.0f32, 0.0])?, device.buffer::<f32>(2)?);
    for jacobi in [false, true] {
        for every in [1, 32] {
            let solver = ConjugateGradients::new().jacobi(jacobi).check_every(every);
            let error = solver.run(&a, &b, &mut x).unwrap_err();
            let is_it = matches!(error, SolveError::NotPositiveDefinite { iteration: 2, product } if product == -12.0);
            ensure(is_it, || format!("{error}"))?;
            let text = "conjugate gradients: p . a p is -1.2e1 in iteration 2, but must be above 0";
            ensure(error.to_string().contains(text), || format!("{error}"))?;
            same(&x.read()?, &[1.0, 0.0], "the approximation before")?;
        }
    }
    let nothing = SparseMatrix::<f32>::from_csr(device, [2, 2], &[0, 0, 0], &[], &[])?;
    let zero = |error: &SolveError| matches!(error, SolveError::NotPositiveDefinite { iteration: 1, product } if *product == 0.0);
    refused(conjugate_gradients(&nothing, &b, &mut x).map(drop), zero, &["p . a p is 0e0 in iteration 1"])?;
    x.copy_from_slice(&[7.0, 7.0])?;
    let jacobi = ConjugateGradients::new().jacobi(true);
    let of_row =
        |row: usize| move |error: &SolveError| matches!(error, SolveError::Diagonal { row: at, .. } if *at == row);
    refused(jacobi.run(&nothing, &b, &mut x).map(drop), of_row(0), &["the diagonal has 0e0 in row 0"])?;
    let negative = SparseMatrix::from_dense(device, [2, 2], &[1.0f32, 0.0, 0.0, -3.0])?;
    refused(jacobi.run(&negative, &b, &mut x).map(drop), of_row(1), &["the diagonal has -3e0 in row 1"])?;
    same(&x.read()?, &[7.0; 2], "nothing was written")
}

fn refusals(device: &Device) -> TestResult {
    let a = Matrix::poisson(&[3]).on::<f32>(device)?;
    let (b, mut x) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[7.0f32; 4])?);
    let is = |matches: fn(&OperationError) -> bool| move |error: &SolveError| matches!(error, SolveError::Operation(error) if matches(error));
    let is_choice = is(|error| matches!(error, OperationError::Choice { .. }));
    let is_length = is(|error| matches!(error, OperationError::Length { .. }));
    let plain = ConjugateGradients::new;
    let wide = SparseMatrix::from_csr(device, [1, 3], &[0, 1], &[0], &[1.0f32])?;
    let error = plain().run(&wide, b.slice(..1), x.slice_mut(..1)).map(drop);
    refused(error, is_choice, &["conjugate gradients: a matrix of shape [1, 3] is not possible; use a square matrix"])?;
    let mut solve = |solver: ConjugateGradients, b: usize, x_length: usize| {
        let to = device.buffer_from(&vec![1.0f32; b]).map_err(|error| error.to_string()).unwrap();
        solver.run(&a, &to, x.slice_mut(..x_length)).map(drop)
    };
    refused(solve(plain(), 4, 3), is_length, &["'b' has 4 elements", "[3]"])?;
    refused(solve(plain(), 3, 2), is_length, &["'x' has 2 elements", "[3]"])?;
    refused(solve(plain().tolerance(-1.0), 3, 3), is_choice, &["a tolerance of -1 is not possible"])?;
    refused(solve(plain().tolerance(f64::NAN), 3, 3), is_choice, &["a tolerance of NaN is not possible"])?;
    refused(solve(plain().check_every(0), 3, 3), is_choice, &["a check after every 0 iterations is not possible"])?;
    let other = device.reopen()?;
    let is_foreign = is(|error| matches!(error, OperationError::OtherDevice { .. }));
    let error = plain().run(&a, &other.buffer::<f32>(3)?, x.slice_mut(..3)).map(drop);
    refused(error, is_foreign, &["conjugate gradients", "'b'"])?;
    let error = plain().on(&other.stream()).run(&a, b.slice(..3), x.slice_mut(..3)).map(drop);
    refused(error, is_foreign, &["conjugate gradients", "the stream"])?;
    same(&x.read()?, &[7.0; 4], "nothing has run")?;
    let cost = plain().cost(&a)?;
    ensure((cost.flops, cost.bytes) == (14 + 30, 7 * 8 + 4 * 4 + 6 * 4 + 3 * 10 * 4), || format!("{cost:?}"))
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for jacobi in [false, true] {
        check::<f32>(&device, &Matrix::poisson(&[9, 8]), 1e-4, jacobi)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{findings}"))?;
    }
    Ok(())
}
