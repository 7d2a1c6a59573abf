//! Sparse matrices: products, sums, triangles, solvers.

use anywarp::Device;
use anywarp::ops::{
    Bicgstab, ConjugateGradients, Gmres, SparseFormat, SparseMatrix, SparseTriangle, sparse_sum, spgemm, spmv, sptrsv,
};

use crate::outcome::TestResult;

use super::archive::Archive;
use super::compare::Report;
use super::number::{Number, typed, wide};

/// The matrix of three arrays in a file.
fn matrix<T: Number>(device: &Device, file: &Archive, prefix: &str, rows: usize) -> TestResult<SparseMatrix<T>> {
    let indices = |name: &str| -> TestResult<Vec<u32>> {
        Ok(file.whole(&format!("{prefix}{name}"))?.iter().map(|index| *index as u32).collect())
    };
    let values = typed::<T>(file.reals(&format!("{prefix}values"))?);
    Ok(SparseMatrix::from_csr(device, [rows; 2], &indices("offsets")?, &indices("columns")?, &values)?)
}

pub(super) fn all<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    products::<T>(device, file, report)?;
    solutions::<T>(device, file, report)
}

fn products<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    let host_x = file.reals("x")?;
    let rows = host_x.len();
    let (x, mut y) = (device.buffer_from(&typed::<T>(host_x))?, device.buffer::<T>(rows)?);
    // A sum of products of k numbers has at most k roundings in each term.
    let unit = |terms: usize| (terms as f64 + 2.0) * T::EPSILON;
    let what = |what: &str| format!("{what} {}", T::NAME);
    let formats = [SparseFormat::Csr, SparseFormat::Sliced, SparseFormat::Blocks { rows: 2, columns: 2 }];
    let has_blocks = rows.is_multiple_of(2);
    for format in formats.into_iter().take(if has_blocks { 3 } else { 2 }) {
        let a = matrix::<T>(device, file, "", rows)?.with_format(format)?;
        spmv(&a, &x, &mut y)?;
        let bound = (file.reals("product_bound")?, unit(2 * a.longest_row()));
        let name = format!("spmv {}, {format:?}", T::NAME);
        report.each(&name, &wide(&y.read()?), file.reals("product")?, bound);
    }
    let a = matrix::<T>(device, file, "", rows)?;
    let transposed = a.transpose()?;
    spmv(&transposed, &x, &mut y)?;
    let bound = (file.reals("transposed_bound")?, unit(transposed.longest_row()));
    report.each(&what("transposed product"), &wide(&y.read()?), file.reals("transposed")?, bound);
    let other = matrix::<T>(device, file, "other_", rows)?;
    let sum = sparse_sum(2.0, &a, -1.0, &other)?.to_dense()?;
    report.each(&what("sparse sum"), &wide(&sum), file.reals("sum")?, (file.reals("sum_bound")?, unit(1)));
    let product = spgemm(&a, &other)?.to_dense()?;
    let bound = (file.reals("gemm_bound")?, unit(a.longest_row()));
    report.each(&what("spgemm"), &wide(&product), file.reals("gemm")?, bound);
    Ok(())
}

fn solutions<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    let host_b = file.reals("b")?;
    let (rows, wanted) = (host_b.len(), file.reals("solution")?);
    let a = matrix::<T>(device, file, "", rows)?;
    let (b, mut x) = (device.buffer_from(&typed::<T>(host_b))?, device.buffer::<T>(rows)?);
    sptrsv(&SparseTriangle::lower(&a)?, &b, &mut x)?;
    let bound = (file.reals("triangle_bound")?, (a.longest_row() as f64 + 3.0) * T::EPSILON);
    report.each(&format!("sptrsv {}", T::NAME), &wide(&x.read()?), file.reals("triangle")?, bound);

    // The relative error is at most the condition times the relative residual, which rounding of b - A x enlarges.
    let rounding = 4.0 * T::EPSILON * a.longest_row() as f64;
    let bound = file.real("condition")? * (T::TOLERANCE + rounding);
    let mut add = |solver: &str, x: &[T]| {
        report.root_mean_square(&format!("{solver} {}", T::NAME), &wide(x), wanted, bound);
    };
    Bicgstab::new().tolerance(T::TOLERANCE).run(&a, &b, &mut x)?;
    add("bicgstab", &x.read()?[..]);
    Gmres::new().tolerance(T::TOLERANCE).run(&a, &b, &mut x)?;
    add("gmres", &x.read()?[..]);
    if file.one("definite")? == 1 {
        ConjugateGradients::new().tolerance(T::TOLERANCE).jacobi(true).run(&a, &b, &mut x)?;
        add("conjugate gradients", &x.read()?[..]);
    }
    Ok(())
}
