//! Systems of equations with any sparse matrix, by `BiCGSTAB` and GMRES, and the preconditioners of all solvers.

use anywarp::Device;
use anywarp::ops::{
    Bicgstab, ConjugateGradients, Gmres, IncompleteLu, Jacobi, Multigrid, OperationError, Preconditioner, Solution,
    SolveError, SparseElement, SparseMatrix, bicgstab, gmres,
};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 9] = [
        ("solvers::f32", solved::<f32>),
        ("solvers::f64", doubles),
        ("solvers::preconditioned", preconditioned),
        ("solvers::small", small),
        ("solvers::starts", starts),
        ("solvers::looks", looks),
        ("solvers::not_converged", not_converged),
        ("solvers::singular", singular),
        ("solvers::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::solvers".to_owned(), Box::new(clean))
}

pub(crate) trait Number: SparseElement + PartialEq + std::fmt::Debug {
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

/// A dense matrix, row by row, as the reference of a sparse one.
#[derive(Clone)]
pub(crate) struct Dense {
    pub(crate) rows: usize,
    pub(crate) elements: Vec<f64>,
}

impl Dense {
    /// A matrix with about `entries` random entries in each row, an empty row but for the diagonal, a full row, and a
    /// diagonal that is larger than the rest of its row.
    pub(crate) fn random(rows: usize, entries: usize) -> Self {
        let mut elements = vec![0.0; rows * rows];
        for row in 0..rows {
            let count = if row == rows / 2 { 0 } else { entries };
            for entry in 0..count {
                elements[row * rows + random(row * 31 + entry) % rows] = value(row * 17 + entry);
            }
            if row == rows / 3 {
                (0..rows).for_each(|column| elements[row * rows + column] = value(column) / 8.0);
            }
            elements[row * rows + row] = 0.0;
            let rest: f64 = elements[row * rows..][..rows].iter().map(|element| element.abs()).sum();
            elements[row * rows + row] = if row % 3 == 0 { -1.0 } else { 1.0 } * (1.25 * rest + 0.5);
        }
        Self { rows, elements }
    }

    /// A chain in which a quantity moves on: far from symmetric.
    fn convection(rows: usize) -> Self {
        let mut elements = vec![0.0; rows * rows];
        for row in 0..rows {
            elements[row * rows + row] = 2.0;
            if row > 0 {
                elements[row * rows + row - 1] = -1.75;
            }
            if row + 1 < rows {
                elements[row * rows + row + 1] = -0.25;
            }
        }
        Self { rows, elements }
    }

    pub(crate) fn on<T: Number>(&self, device: &Device) -> TestResult<SparseMatrix<T>> {
        Ok(SparseMatrix::from_dense(device, [self.rows; 2], &typed::<T>(&self.elements))?)
    }

    pub(crate) fn product(&self, x: &[f64]) -> Vec<f64> {
        let row = |row: usize| &self.elements[row * self.rows..][..self.rows];
        (0..self.rows).map(|at| row(at).iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }

    /// `|b - a x| / |b|`
    fn residual(&self, x: &[f64], b: &[f64]) -> f64 {
        let difference: Vec<f64> = b.iter().zip(self.product(x)).map(|(b, product)| b - product).collect();
        length(&difference) / length(b)
    }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn random(at: usize) -> usize {
    at.wrapping_mul(0x9e37_79b9).wrapping_add(0x7f4a_7c15) >> 7 & 0xffff
}

/// Multiples of 1/8 between -4 and 4, which every element type has.
pub(crate) fn value(at: usize) -> f64 {
    (random(at) % 65) as f64 / 8.0 - 4.0
}

pub(crate) fn typed<T: Number>(numbers: &[f64]) -> Vec<T> {
    numbers.iter().map(|number| T::narrow(*number)).collect()
}

pub(crate) fn wide<T: Number>(numbers: &[T]) -> Vec<f64> {
    numbers.iter().map(|number| number.double()).collect()
}

/// Solves equations by each of the solvers, and compares the residual with that of plain Rust in `f64`.
fn check<T: Number>(
    device: &Device,
    matrix: &Dense,
    tolerance: f64,
    preconditioner: Option<&dyn Preconditioner<T>>,
) -> TestResult<[u32; 2]> {
    let a = matrix.on::<T>(device)?;
    let b: Vec<f64> = (0..matrix.rows).map(|at| value(at + 3)).collect();
    let of_b = device.buffer_from(&typed::<T>(&b))?;
    let mut iterations = [0; 2];
    for (turn, iterations) in iterations.iter_mut().enumerate() {
        let mut of_x = device.buffer_from(&vec![T::narrow(9.0); b.len()])?;
        let (by_bicgstab, by_gmres) =
            (Bicgstab::new().tolerance(tolerance), Gmres::new().tolerance(tolerance).restart(12));
        let solution = match (turn, preconditioner) {
            (0, None) => by_bicgstab.run(&a, &of_b, &mut of_x)?,
            (0, Some(preconditioner)) => by_bicgstab.run_with(&a, preconditioner, &of_b, &mut of_x)?,
            (_, None) => by_gmres.run(&a, &of_b, &mut of_x)?,
            (_, Some(preconditioner)) => by_gmres.run_with(&a, preconditioner, &of_b, &mut of_x)?,
        };
        let residual = matrix.residual(&wide(&of_x.read()?), &b);
        let what = || format!("{} rows, solver {turn}, {solution:?}: residual {residual:e}", matrix.rows);
        let rounding = 100.0 * T::EPSILON;
        ensure(residual <= tolerance + rounding && solution.relative_residual <= tolerance * 1.0001, what)?;
        ensure((solution.relative_residual - residual).abs() <= 1e-3 * residual + rounding, what)?;
        *iterations = solution.iterations;
    }
    Ok(iterations)
}

fn solved<T: Number>(device: &Device) -> TestResult {
    let tolerance = if T::EPSILON < 1e-10 { 1e-11 } else { 1e-5 };
    for (rows, entries) in [(2, 1), (65, 4)] {
        check::<T>(device, &Dense::random(rows, entries), tolerance, None)?;
    }
    check::<T>(device, &Dense::convection(40), tolerance, None).map(drop)
}

fn has_doubles(device: &Device) -> bool {
    device.caps().feature_names().contains(&"f64")
}

fn doubles(device: &Device) -> TestResult {
    if has_doubles(device) {
        solved::<f64>(device)?;
        let matrix = Dense::random(65, 4);
        let factors = IncompleteLu::new(&matrix.on::<f64>(device)?)?;
        return check::<f64>(device, &matrix, 1e-12, Some(&factors)).map(drop);
    }
    let a = Dense::convection(4).on::<f64>(device)?;
    let (b, mut x) = (device.buffer::<f64>(4)?, device.buffer::<f64>(4)?);
    let is_kernel = |error: &SolveError| matches!(error, SolveError::Operation(OperationError::Kernel(_)));
    refused(bicgstab(&a, &b, &mut x).map(drop), is_kernel, &["f64"])?;
    refused(gmres(&a, &b, &mut x).map(drop), is_kernel, &["f64"])?;
    refused(IncompleteLu::new(&a).map(drop), is_kernel, &["f64"])
}

/// Preconditioners reduce the number of iterations: factors of a matrix without fill-in are exact.
fn preconditioned(device: &Device) -> TestResult {
    let matrix = Dense::convection(60);
    let a = matrix.on::<f32>(device)?;
    let exact = check::<f32>(device, &matrix, 1e-5, Some(&IncompleteLu::new(&a)?))?;
    ensure(exact.iter().all(|iterations| *iterations <= 2), || format!("exact factors: {exact:?} iterations"))?;
    // Columns of very different sizes, which Jacobi undoes.
    let mut scaled = matrix.clone();
    for (at, element) in scaled.elements.iter_mut().enumerate() {
        *element *= f64::from(1u32 << (at % scaled.rows * 7 % 11));
    }
    check::<f32>(device, &scaled, 1e-4, Some(&Jacobi::new(&scaled.on::<f32>(device)?)?))?;
    let grid = [13, 17];
    let poisson = SparseMatrix::<f32>::poisson(device, &grid)?;
    let numbers: Vec<f32> = (0..poisson.rows()).map(|at| value(at) as f32).collect();
    let (b, mut x) = (device.buffer_from(&numbers)?, device.buffer::<f32>(poisson.rows())?);
    let solver = ConjugateGradients::new();
    let plain = solver.run(&poisson, &b, &mut x)?.iterations;
    let jacobi = solver.run_with(&poisson, &Jacobi::new(&poisson)?, &b, &mut x)?.iterations;
    let factors = solver.run_with(&poisson, &IncompleteLu::new(&poisson)?, &b, &mut x)?.iterations;
    let cycles = solver.run_with(&poisson, &Multigrid::new(&grid)?, &b, &mut x)?.iterations;
    ensure(jacobi.abs_diff(plain) <= 2 && 2 * factors < plain && cycles <= 9, || {
        format!("{plain} iterations, with Jacobi {jacobi}, with factors {factors}, with cycles {cycles}")
    })?;
    let wrong = solver.run_with(&poisson, &Multigrid::new(&[220])?, &b, &mut x).map(drop);
    let is_length = |error: &SolveError| matches!(error, SolveError::Operation(OperationError::Length { .. }));
    refused(wrong, is_length, &["multigrid: 'b' has 221 elements", "[220]"])?;
    let small = Jacobi::new(&Dense::convection(3).on::<f32>(device)?)?;
    refused(solver.run_with(&poisson, &small, &b, &mut x).map(drop), is_length, &["'r' has 221 elements", "[3]"])
}

fn small(device: &Device) -> TestResult {
    let none = SparseMatrix::<f32>::from_csr(device, [0, 0], &[0], &[], &[])?;
    let (empty, mut nothing) = (device.buffer::<f32>(0)?, device.buffer::<f32>(0)?);
    let is = |solution: Solution, expected| {
        ensure((solution.iterations, solution.relative_residual) == expected, || format!("{solution:?}"))
    };
    is(bicgstab(&none, &empty, &mut nothing)?, (0, 0.0))?;
    is(Gmres::new().run_with(&none, &IncompleteLu::new(&none)?, &empty, &mut nothing)?, (0, 0.0))?;
    let one = SparseMatrix::from_csr(device, [1, 1], &[0, 1], &[0], &[-4.0f32])?;
    let b = device.buffer_from(&[6.0f32])?;
    let mut x = device.buffer_from(&[f32::NAN])?;
    is(bicgstab(&one, &b, &mut x)?, (1, 0.0))?;
    same(&x.read()?, &[-1.5], "one equation, bicgstab")?;
    is(gmres(&one, &b, &mut x)?, (1, 0.0))?;
    same(&x.read()?, &[-1.5], "one equation, gmres")?;
    let zero = device.buffer::<f32>(1)?;
    is(gmres(&one, &zero, &mut x)?, (0, 0.0))?;
    same(&x.read()?, &[0.0], "b = 0")
}

fn starts(device: &Device) -> TestResult {
    let matrix = Dense::convection(40);
    let a = matrix.on::<f32>(device)?;
    // The product of these numbers is exact.
    let solution: Vec<f64> = (0..40).map(|at| (at % 5) as f64 - 2.0).collect();
    let padded = [&[5.0; 3][..], &matrix.product(&solution), &[5.0]].concat();
    let (b, stream) = (device.buffer_from(&typed::<f32>(&padded))?, device.stream());
    let mut x = device.buffer_from(&typed::<f32>(&[&[7.0][..], &solution, &[7.0; 2]].concat()))?;
    let (near_b, near_g) = (Bicgstab::new().from_x(true).on(&stream), Gmres::new().from_x(true).on(&stream));
    let there = near_b.clone().max_iterations(0).run(&a, b.slice(3..43), x.slice_mut(1..41))?;
    ensure((there.iterations, there.relative_residual) == (0, 0.0), || format!("at the solution: {there:?}"))?;
    let there = near_g.clone().max_iterations(0).run(&a, b.slice(3..43), x.slice_mut(1..41))?;
    ensure((there.iterations, there.relative_residual) == (0, 0.0), || format!("at the solution: {there:?}"))?;
    for turn in 0..2 {
        let moved: Vec<f64> = solution.iter().map(|x| x + 1.0).collect();
        x.copy_from_slice(&typed::<f32>(&[&[7.0][..], &moved, &[7.0; 2]].concat()))?;
        let (b, part) = (b.slice(3..43), x.slice_mut(1..41));
        let outcome = if turn == 0 { near_b.run(&a, b, part)? } else { near_g.run(&a, b, part)? };
        let got = x.read()?;
        let worst =
            got[1..41].iter().zip(&solution).map(|(x, wanted)| (f64::from(*x) - wanted).abs()).fold(0.0, f64::max);
        ensure(outcome.iterations > 0 && worst < 1e-3, || format!("{turn}: {outcome:?}, an error of {worst}"))?;
        same(&[got[0], got[41], got[42]], &[7.0; 3], "elements around the slice")?;
    }
    Ok(())
}

/// Iterations after convergence change nothing, so results do not depend on how often the host looks.
fn looks(device: &Device) -> TestResult {
    let a = Dense::random(70, 5).on::<f32>(device)?;
    let numbers: Vec<f64> = (0..70).map(value).collect();
    let b = device.buffer_from(&typed::<f32>(&numbers))?;
    for turn in 0..2 {
        let mut first = None;
        for every in [1, 33] {
            let mut x = device.buffer::<f32>(70)?;
            let solution = if turn == 0 {
                Bicgstab::new().check_every(every).run(&a, &b, &mut x)?
            } else {
                Gmres::new().restart(5).check_every(every).run(&a, &b, &mut x)?
            };
            let got = (solution, x.read()?.to_vec());
            let expected = first.get_or_insert_with(|| got.clone());
            ensure(got == *expected, || format!("{turn}, after every {every}: {:?}, {:?}", got.0, expected.0))?;
        }
    }
    Ok(())
}

fn not_converged(device: &Device) -> TestResult {
    let matrix = Dense::convection(200);
    let a = matrix.on::<f32>(device)?;
    let numbers: Vec<f64> = (0..200).map(value).collect();
    let (b, mut x) = (device.buffer_from(&typed::<f32>(&numbers))?, device.buffer::<f32>(200)?);
    for (name, turn) in [("bicgstab", 0), ("gmres", 1)] {
        for most in [0, 7] {
            let error = if turn == 0 {
                Bicgstab::new().max_iterations(most).run(&a, &b, &mut x).unwrap_err()
            } else {
                Gmres::new().restart(4).max_iterations(most).run(&a, &b, &mut x).unwrap_err()
            };
            let SolveError::NotConverged { solver, iterations, relative_residual, tolerance } = error else {
                return Err(error.into());
            };
            ensure((solver, iterations, tolerance) == (name, most, 1e-5), || format!("{error}"))?;
            let residual = matrix.residual(&wide(&x.read()?), &numbers);
            ensure((residual - relative_residual).abs() < 1e-4 * residual, || format!("{error}, but {residual}"))?;
            ensure(error.to_string().contains(&format!("{name}: ")), || format!("{error}"))?;
        }
    }
    // A permutation of all rows: a cycle of fewer iterations than rows does not reduce the residual.
    let rows = 8u32;
    let next: Vec<u32> = (0..rows).map(|row| (row + 1) % rows).collect();
    let turned = SparseMatrix::from_csr(device, [8, 8], &(0..=rows).collect::<Vec<_>>(), &next, &[1.0f32; 8])?;
    let (b, mut x) = (device.buffer_from(&[1.0f32, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])?, device.buffer::<f32>(8)?);
    let stuck = |error: &SolveError| matches!(error, SolveError::Stagnated { solver: "gmres", iterations: 4, .. });
    let outcome = Gmres::new().restart(4).run(&turned, &b, &mut x).map(drop);
    refused(outcome, stuck, &["gmres: the relative residual stays at 1.000e0", "cycles are too short"])?;
    let whole = Gmres::new().restart(8).run(&turned, &b, &mut x)?;
    ensure(whole.iterations == 8, || format!("{whole:?}"))
}

fn singular(device: &Device) -> TestResult {
    let (b, mut x) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[7.0f32; 2])?);
    // r0 . a r0 is 0.
    let skew = SparseMatrix::from_dense(device, [2, 2], &[0.0f32, 1.0, -1.0, 0.0])?;
    let broken = |error: &SolveError| matches!(error, SolveError::Breakdown { solver: "bicgstab", iteration: 1, .. });
    refused(bicgstab(&skew, &b, &mut x).map(drop), broken, &["bicgstab: r0 . a p is 0e0 in iteration 1"])?;
    same(&x.read()?, &[0.0; 2], "the approximation before")?;
    gmres(&skew, &b, &mut x)?;
    let worst = x.read()?.iter().zip([-2.0, 1.0]).map(|(x, wanted)| (x - wanted).abs()).fold(0.0, f32::max);
    ensure(worst < 1e-5, || format!("an error of {worst}"))?;
    let nothing = SparseMatrix::<f32>::from_csr(device, [2, 2], &[0, 0, 0], &[], &[])?;
    let broken = |error: &SolveError| matches!(error, SolveError::Breakdown { solver: "gmres", iteration: 1, value, .. } if *value == 0.0);
    refused(gmres(&nothing, &b, &mut x).map(drop), broken, &["gmres: the pivot of the least-squares problem is 0e0"])?;
    let pivot = |row: usize| move |error: &SolveError| matches!(error, SolveError::Pivot { row: at, .. } if *at == row);
    refused(Jacobi::new(&skew).map(drop), pivot(0), &["Jacobi preconditioner: the pivot of row 0 is 0e0"])?;
    let zero = SparseMatrix::from_dense(device, [2, 2], &[1.0f32, 2.0, 2.0, 4.0])?;
    refused(IncompleteLu::new(&zero).map(drop), pivot(1), &["incomplete LU: the pivot of row 1 is 0e0"])?;
    let missing = SparseMatrix::from_csr(device, [2, 2], &[0, 1, 2], &[0, 0], &[1.0f32, 2.0])?;
    refused(IncompleteLu::new(&missing).map(drop), pivot(1), &["incomplete LU: the pivot of row 1 is 0e0"])?;
    for bad in [f32::NAN, f32::INFINITY] {
        let b = device.buffer_from(&[1.0, bad])?;
        let is_it = |error: &SolveError| matches!(error, SolveError::NotFinite { .. });
        refused(bicgstab(&skew, &b, &mut x).map(drop), is_it, &["bicgstab: 'b'", "must be finite"])?;
        refused(gmres(&skew, &b, &mut x).map(drop), is_it, &["gmres: 'b'", "must be finite"])?;
    }
    Ok(())
}

fn refusals(device: &Device) -> TestResult {
    let a = Dense::convection(3).on::<f32>(device)?;
    let (b, mut x) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[7.0f32; 4])?);
    let is = |matches: fn(&OperationError) -> bool| move |error: &SolveError| matches!(error, SolveError::Operation(error) if matches(error));
    let is_choice = is(|error| matches!(error, OperationError::Choice { .. }));
    let is_length = is(|error| matches!(error, OperationError::Length { .. }));
    let broad = SparseMatrix::from_csr(device, [1, 3], &[0, 1], &[0], &[1.0f32])?;
    let error = gmres(&broad, b.slice(..1), x.slice_mut(..1)).map(drop);
    refused(error, is_choice, &["gmres: a matrix of shape [1, 3] is not possible; use a square matrix"])?;
    refused(IncompleteLu::new(&broad).map(drop), is_choice, &["incomplete LU: a matrix of shape [1, 3]"])?;
    refused(Jacobi::new(&broad).map(drop), is_choice, &["Jacobi preconditioner: a matrix of shape [1, 3]"])?;
    refused(bicgstab(&a, &b, x.slice_mut(..3)).map(drop), is_length, &["bicgstab: 'b' has 4 elements", "[3]"])?;
    refused(gmres(&a, b.slice(..3), &mut x).map(drop), is_length, &["gmres: 'x' has 4 elements", "[3]"])?;
    for (cycle, text) in [(0, "every 0 iterations"), (1001, "every 1001 iterations")] {
        let error = Gmres::new().restart(cycle).run(&a, b.slice(..3), x.slice_mut(..3)).map(drop);
        refused(error, is_choice, &["gmres: a restart after", text, "use 1 to 1,000"])?;
    }
    let error = Bicgstab::new().tolerance(f64::NAN).run(&a, b.slice(..3), x.slice_mut(..3)).map(drop);
    refused(error, is_choice, &["bicgstab: a tolerance of NaN is not possible"])?;
    let other = device.reopen()?;
    let is_foreign = is(|error| matches!(error, OperationError::OtherDevice { .. }));
    let error = gmres(&a, &other.buffer::<f32>(3)?, x.slice_mut(..3)).map(drop);
    refused(error, is_foreign, &["gmres", "'b'"])?;
    same(&x.read()?, &[7.0; 4], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let matrix = Dense::random(40, 4);
    let a = matrix.on::<f32>(&device)?;
    check::<f32>(&device, &matrix, 1e-4, None)?;
    check::<f32>(&device, &matrix, 1e-4, Some(&IncompleteLu::new(&a)?))?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || format!("{findings}"))
}
