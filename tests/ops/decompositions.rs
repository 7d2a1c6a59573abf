//! Orthogonal factors, eigenvalues and singular values of small dense matrices, in batches.

use anywarp::Device;
use anywarp::ops::{Eigh, FactorStatus, OperationError, Qr, SolveError, Svd, eigh, qr, svd};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::solvers::{Number, typed, value, wide};
use crate::{Alone, Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 5] = [
        ("decompositions::f32", all::<f32>),
        ("decompositions::f64", doubles),
        ("decompositions::special", special),
        ("decompositions::recorded", recorded),
        ("decompositions::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::decompositions".to_owned(), Box::new(clean))
}

/// A matrix, row by row.
#[derive(Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    elements: Vec<f64>,
}

impl Matrix {
    fn new([rows, columns]: [usize; 2], element: impl Fn(usize, usize) -> f64) -> Self {
        Self { rows, columns, elements: (0..rows * columns).map(|at| element(at / columns, at % columns)).collect() }
    }

    fn of(shape: [usize; 2], elements: &[f64]) -> Self {
        Self::new(shape, |row, column| elements[row * shape[1] + column])
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.elements[row * self.columns + column]
    }

    fn transposed(&self) -> Self {
        Self::new([self.columns, self.rows], |row, column| self.at(column, row))
    }

    fn times(&self, other: &Self) -> Self {
        let element = |row, column| (0..self.columns).map(|k| self.at(row, k) * other.at(k, column)).sum();
        Self::new([self.rows, other.columns], element)
    }

    fn near(&self, wanted: &Self, bound: f64, what: &str) -> TestResult {
        let size = wanted.elements.iter().fold(1.0f64, |most, element| most.max(element.abs()));
        let pairs = self.elements.iter().zip(&wanted.elements);
        let worst = pairs.map(|(got, wanted)| (got - wanted).abs()).fold(0.0, f64::max);
        ensure(worst <= bound * size, || format!("{what}: a difference of {worst:e} to {size}"))
    }

    /// Fails unless the columns have length 1 and right angles.
    fn orthogonal(&self, bound: f64, what: &str) -> TestResult {
        let one = Self::new([self.columns; 2], |row, column| f64::from(u8::from(row == column)));
        self.transposed().times(self).near(&one, bound, what)
    }
}

fn parts(all: &[f64], shape: [usize; 2]) -> Vec<Matrix> {
    all.chunks_exact(shape[0] * shape[1]).map(|elements| Matrix::of(shape, elements)).collect()
}

fn check<T: Number>(device: &Device, [m, n]: [usize; 2], matrices: usize) -> TestResult {
    let (what, bound) = (format!("{matrices} matrices of {m} x {n}"), 40.0 * T::EPSILON * m as f64);
    let numbers: Vec<f64> = (0..matrices * m * n).map(|at| value(at * 3 + 1)).collect();
    let of_a = parts(&numbers, [m, n]);
    let a = device.buffer_from(&typed::<T>(&numbers))?;
    let (mut q, mut r) = (device.buffer::<T>(numbers.len())?, device.buffer::<T>(matrices * n * n)?);
    Qr::new([m, n]).batches(matrices).run(&a, &mut q, &mut r)?;
    let (of_q, of_r) = (parts(&wide(&q.read()?), [m, n]), parts(&wide(&r.read()?), [n, n]));
    for ((a, q), r) in of_a.iter().zip(&of_q).zip(&of_r) {
        q.orthogonal(bound, &format!("q, {what}"))?;
        q.times(r).near(a, bound, &format!("q r, {what}"))?;
        ensure((0..n * n).all(|at| at % n >= at / n || r.elements[at] == 0.0), || format!("zeros below r, {what}"))?;
    }
    let mut status = FactorStatus::<T>::new(device, matrices)?;
    let (mut u, mut values) = (q, device.buffer::<T>(matrices * n)?);
    let mut v = r;
    Svd::new([m, n]).batches(matrices).run(&a, &mut u, &mut values, &mut v, &mut status)?;
    status.check()?;
    let (of_u, of_v) = (parts(&wide(&u.read()?), [m, n]), parts(&wide(&v.read()?), [n, n]));
    let of_values = wide(&values.read()?);
    for (matrix, a) in of_a.iter().enumerate() {
        let values = &of_values[matrix * n..][..n];
        ensure(values.is_sorted_by(|a, b| a >= b) && values[n - 1] >= 0.0, || format!("{what}: {values:?}"))?;
        let (u, v) = (&of_u[matrix], &of_v[matrix]);
        u.orthogonal(bound, &format!("u, {what}"))?;
        v.orthogonal(bound, &format!("v, {what}"))?;
        let scaled = Matrix::new([m, n], |row, column| u.at(row, column) * values[column]);
        scaled.times(&v.transposed()).near(a, bound, &format!("svd, {what}"))?;
    }
    // The symmetric matrices of the upper parts.
    let symmetric: Vec<f64> = of_a
        .iter()
        .flat_map(|a| Matrix::new([n, n], |row, column| a.at(row.min(column), row.max(column))).elements)
        .collect();
    let a = device.buffer_from(&typed::<T>(&symmetric))?;
    let mut vectors = device.buffer::<T>(symmetric.len())?;
    Eigh::new(n).batches(matrices).run(&a, &mut values, &mut vectors, &mut status)?;
    status.check()?;
    let of_values = wide(&values.read()?);
    for (matrix, vectors) in parts(&wide(&vectors.read()?), [n, n]).iter().enumerate() {
        let values = &of_values[matrix * n..][..n];
        ensure(values.is_sorted(), || format!("{what}: {values:?}"))?;
        vectors.orthogonal(bound, &format!("eigenvectors, {what}"))?;
        let scaled = Matrix::new([n, n], |row, column| vectors.at(row, column) * values[column]);
        let a = Matrix::of([n, n], &symmetric[matrix * n * n..][..n * n]);
        scaled.times(&vectors.transposed()).near(&a, bound, &format!("eigenvalues, {what}"))?;
    }
    Ok(())
}

fn all<T: Number>(device: &Device) -> TestResult {
    for (shape, matrices) in [([1, 1], 2), ([9, 4], 3), ([7, 7], 2), ([18, 11], 1)] {
        check::<T>(device, shape, matrices)?;
    }
    Ok(())
}

fn doubles(device: &Device) -> TestResult {
    if device.caps().feature_names().contains(&"f64") {
        return all::<f64>(device);
    }
    let (a, mut q, mut r) = (device.buffer::<f64>(1)?, device.buffer::<f64>(1)?, device.buffer::<f64>(1)?);
    let refusal = qr(&a, &mut q, &mut r, [1, 1]);
    refused(refusal, |error| matches!(error, OperationError::Kernel(_)), &["f64"])
}

/// Zeros, equal values, and elements that are not finite.
fn special(device: &Device) -> TestResult {
    let zero = device.buffer::<f32>(6)?;
    let (mut u, mut values) = (device.buffer_from(&[7.0f32; 6])?, device.buffer_from(&[7.0f32; 2])?);
    let mut v = device.buffer_from(&[7.0f32; 4])?;
    svd(&zero, &mut u, &mut values, &mut v, [3, 2])?;
    same(&values.read()?, &[0.0; 2], "singular values of zeros")?;
    same(&u.read()?, &[0.0; 6], "u of zeros")?;
    same(&v.read()?, &[1.0, 0.0, 0.0, 1.0], "v of zeros")?;
    qr(&zero, &mut u, &mut v, [3, 2])?;
    same(&u.read()?, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0], "q of zeros")?;
    same(&v.read()?, &[0.0; 4], "r of zeros")?;
    let twice = device.buffer_from(&[2.0f32, 0.0, 0.0, 2.0])?;
    eigh(&twice, &mut values, &mut v, 2)?;
    same(&values.read()?, &[2.0; 2], "equal eigenvalues")?;
    same(&v.read()?, &[1.0, 0.0, 0.0, 1.0], "their vectors")?;
    let nan = device.buffer_from(&[1.0f32, f32::NAN, f32::NAN, 1.0, 3.0, 0.0, 0.0, 1.0])?;
    let mut status = FactorStatus::new(device, 2)?;
    let (mut values, mut vectors) = (device.buffer::<f32>(4)?, device.buffer::<f32>(8)?);
    Eigh::new(2).batches(2).run(&nan, &mut values, &mut vectors, &mut status)?;
    same(&status.rows().read()?, &[1, 0], "failures of eigh")?;
    same(&values.read()?[2..], &[1.0, 3.0], "the matrix beside it")?;
    let is_it = |error: &SolveError| matches!(error, SolveError::Sweeps { matrix: 0, .. });
    refused(status.check(), is_it, &["eigh: matrix 0 is not diagonal after all sweeps; its elements must be finite"])?;
    let mut u = device.buffer::<f32>(8)?;
    Svd::new([2, 2]).batches(2).run(&nan, &mut u, &mut values, &mut vectors, &mut status)?;
    refused(status.check(), is_it, &["svd: matrix 0 is not diagonal after all sweeps"])
}

fn recorded(device: &Device) -> TestResult {
    let (mut a, stream) = (device.buffer_from(&[5.0f32, 0.0, 0.0, -1.0])?, device.stream());
    let padded = device.buffer_from(&[9.0f32, 5.0, 0.0, 0.0, -1.0])?;
    let (mut values, mut vectors) = (device.buffer_from(&[7.0f32; 4])?, device.buffer_from(&[7.0f32; 6])?);
    let (mut status, mut recording) = (FactorStatus::new(device, 1)?, device.recording());
    let eigen = Eigh::new(2).record(&mut recording);
    eigen.run(&a, values.slice_mut(1..3), vectors.slice_mut(2..), &mut status)?;
    same(&values.read()?, &[7.0; 4], "before it was submitted")?;
    recording.submit()?;
    same(&values.read()?, &[7.0, -1.0, 5.0, 7.0], "submitted")?;
    same(&vectors.read()?, &[7.0, 7.0, 0.0, 1.0, 1.0, 0.0], "vectors")?;
    a.copy_from_slice(&[3.0, 0.0, 0.0, 4.0])?;
    recording.submit()?;
    same(&values.read()?, &[7.0, 3.0, 4.0, 7.0], "submitted again")?;
    Eigh::new(2).on(&stream).run(padded.slice(1..), values.slice_mut(..2), vectors.slice_mut(..4), &mut status)?;
    same(&values.read()?[..2], &[-1.0, 5.0], "on a stream")?;
    let cost = Qr::new([4, 2]).batches(3).cost::<f32>(device)?;
    ensure((cost.flops, cost.bytes) == (4 * 3 * 4 * 4, 3 * 4 * (2 * 8 + 4)), || format!("{cost:?}"))?;
    let cost = Svd::new([4, 2]).batches(3).cost::<f32>(device)?;
    ensure(cost.bytes == 3 * 4 * (2 * 8 + 4 + 2), || format!("{cost:?}"))
}

fn refusals(device: &Device) -> TestResult {
    let (a, mut q, mut r) =
        (device.buffer::<f32>(6)?, device.buffer_from(&[7.0f32; 6])?, device.buffer_from(&[7.0f32; 4])?);
    let (mut values, mut status) = (device.buffer::<f32>(2)?, FactorStatus::new(device, 1)?);
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(qr(&a, &mut q, &mut r, [2, 3]), is_choice, &["qr: a matrix of shape [2, 3]", "as many rows as columns"])?;
    refused(qr(&a, &mut q, r.slice_mut(..3), [3, 2]), is_length, &["qr: 'r' has 3 elements", "[1, 2, 2]"])?;
    let refusal = Svd::new([2, 3]).run(&a, &mut q, &mut values, &mut r, &mut status);
    refused(refusal, is_choice, &["svd: a matrix of shape [2, 3]", "transpose it"])?;
    let refusal = Svd::new([3, 2]).batches(2).run(&a, &mut q, &mut values, &mut r, &mut status);
    refused(refusal, is_length, &["svd: 'a' has 6 elements", "[2, 3, 2]"])?;
    let refusal = Eigh::new(257).run(&a, &mut values, &mut r, &mut status);
    refused(refusal, is_choice, &["eigh: a matrix of 257 rows is not possible; use at most 256 rows"])?;
    let refusal = Eigh::new(2).run(a.slice(..4), values.slice_mut(..1), &mut r, &mut status);
    refused(refusal, is_length, &["eigh: 'values' has 1 elements", "[1, 2]"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let refusal = qr(&other.buffer::<f32>(6)?, &mut q, &mut r, [3, 2]);
    refused(refusal, is_foreign, &["qr", "'a'"])?;
    same(&q.read()?, &[7.0; 6], "nothing has run")?;
    qr(a.slice(..0), q.slice_mut(..0), r.slice_mut(..0), [3, 0]).map_err(Into::into)
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    check::<f32>(&device, [6, 5], 2)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || format!("{findings}"))
}
