//! Factors, eigenvalues and singular values of dense matrices, and solutions of their equations.

use anywarp::Device;
use anywarp::ops::{Cholesky, Eigh, FactorStatus, Lu, Qr, Svd};

use crate::outcome::{TestResult, equal};

use super::archive::Archive;
use super::compare::Report;
use super::number::{Number, typed, wide};

/// The columns of the right sides of equations.
const COLUMNS: usize = 3;

pub(super) fn all<T: Number>(device: &Device, file: &Archive, report: &mut Report) -> TestResult {
    let rows = file.reals("a")?.len().isqrt();
    let array = |name: &str| -> TestResult<_> { Ok(device.buffer_from(&typed::<T>(file.reals(name)?))?) };
    // The usual bound of factors and solutions: the condition in roundings of as many terms as rows.
    let unit = |condition: &str| -> TestResult<f64> {
        Ok(4.0 * rows as f64 * T::EPSILON * if condition.is_empty() { 1.0 } else { file.real(condition)? })
    };
    let what = |what: &str| format!("{what} {}, {rows} rows", T::NAME);
    let mut status = FactorStatus::<T>::new(device, 1)?;
    let (b, mut factor) = (array("b")?, device.buffer::<T>(rows * rows)?);
    let mut x = device.buffer::<T>(rows * COLUMNS)?;
    Cholesky::new(rows).run(&array("definite")?, &mut factor, &mut status)?;
    status.check()?;
    let bound = unit("definite_condition")?;
    report.greatest(&what("cholesky"), &wide(&factor.read()?), file.reals("cholesky")?, bound);
    Cholesky::new(rows).solve(&factor, &b, &mut x, COLUMNS)?;
    report.greatest(&what("cholesky solution"), &wide(&x.read()?), file.reals("definite_solution")?, bound);

    let mut exchanges = device.buffer::<u32>(rows)?;
    Lu::new(rows).run(&array("a")?, &mut factor, &mut exchanges, &mut status)?;
    status.check()?;
    let got: Vec<usize> = exchanges.read()?.iter().map(|row| *row as usize).collect();
    equal(got, file.whole("exchanges")?, &what("exchanges of lu"))?;
    report.greatest(&what("lu"), &wide(&factor.read()?), file.reals("lu")?, unit("condition")?);
    Lu::new(rows).solve(&factor, &exchanges, &b, &mut x, COLUMNS)?;
    report.greatest(&what("lu solution"), &wide(&x.read()?), file.reals("solution")?, unit("condition")?);

    let (mut values, mut vectors) = (device.buffer::<T>(rows)?, device.buffer::<T>(rows * rows)?);
    Eigh::new(rows).run(&array("symmetric")?, &mut values, &mut vectors, &mut status)?;
    status.check()?;
    report.greatest(&what("eigenvalues"), &wide(&values.read()?), file.reals("eigenvalues")?, unit("")?);

    let shape = [rows + rows / 2, rows];
    let tall = array("tall")?;
    let (mut q, mut r) = (device.buffer::<T>(shape[0] * rows)?, device.buffer::<T>(rows * rows)?);
    Qr::new(shape).run(&tall, &mut q, &mut r)?;
    let (mut of_q, mut of_r, wanted) = (wide(&q.read()?), wide(&r.read()?), file.reals("r")?);
    // Rows of r have either sign, as the columns of q.
    for row in 0..rows {
        if of_r[row * rows + row] * wanted[row * rows + row] < 0.0 {
            of_r[row * rows..][..rows].iter_mut().for_each(|element| *element = -*element);
            of_q.iter_mut().skip(row).step_by(rows).for_each(|element| *element = -*element);
        }
    }
    report.greatest(&what("r of qr"), &of_r, wanted, unit("tall_condition")?);
    report.greatest(&what("q of qr"), &of_q, file.reals("q")?, unit("tall_condition")?);
    Svd::new(shape).run(&tall, &mut q, &mut values, &mut r, &mut status)?;
    status.check()?;
    report.greatest(&what("singular values"), &wide(&values.read()?), file.reals("singular")?, unit("")?);
    Ok(())
}
