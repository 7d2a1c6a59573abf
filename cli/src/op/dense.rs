//! Factors and equations of small dense matrices: all matrices of an array are one batch.

use anywarp::ops::{Cholesky, Eigh, FactorStatus, Lu, Qr, SolveTriangular, Svd};

use super::entry::{Operator, Port, U32, by_type};
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;
use crate::npy::dimensions;

const A: Port = Port::new("a", "The matrices, of shape (..., rows, rows)");
const B: Port = Port::new("b", "The right sides, of shape (..., rows, columns) or (..., rows)");
const X: Port = Port::new("x", "The solutions, with the shape of b");
const L: Port = Port::new("l", "The factors of cholesky, of shape (..., rows, rows)");
const LU: Port = Port::new("lu", "The factors of lu, of shape (..., rows, rows)");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "cholesky",
        summary: "The lower triangles l of symmetric, positive definite matrices a = l * transpose(l)",
        inputs: &[A],
        outputs: &[L],
        parameters: &[],
        run: by_type!([f32, f64], T, call => {
            let (a, shape) = (call.upload::<T>("a")?, call.shape("a"));
            let Batch { rows, matrices } = batch("a", &shape)?;
            let (mut l, mut status) = (call.array::<T>(&shape)?, FactorStatus::new(&call.device, matrices)?);
            call.cost = Some(Cholesky::new(rows).batches(matrices).cost::<T>(&call.device)?);
            Cholesky::new(rows).batches(matrices).record(&mut call.recording).run(&a, &mut l, &mut status)?;
            call.output_after(l, shape, move || status.check());
            Ok(())
        }),
    },
    Operator {
        name: "cholesky_solve",
        summary: "The solutions x of a x = b, by the factors of cholesky",
        inputs: &[L, B],
        outputs: &[X],
        parameters: &[],
        run: by_type!([f32, f64], T, call => {
            let (l, b, shape) = (call.upload::<T>("l")?, call.upload::<T>("b")?, call.shape("b"));
            let Batch { rows, matrices } = batch("l", &call.shape("l"))?;
            let columns = columns("l", &call.shape("l"), &shape)?;
            let mut x = call.array::<T>(&shape)?;
            let solve = Cholesky::new(rows).batches(matrices).record(&mut call.recording);
            solve.solve(&l, &b, &mut x, columns)?;
            call.output(x, shape);
            Ok(())
        }),
    },
    Operator {
        name: "lu",
        summary: "The triangles l and u of matrices whose rows are exchanged, in one array",
        inputs: &[A],
        outputs: &[
            LU,
            Port::new("exchanges", "For each row: the row with which it was exchanged, in this order").of(U32),
        ],
        parameters: &[],
        run: by_type!([f32, f64], T, call => {
            let (a, shape) = (call.upload::<T>("a")?, call.shape("a"));
            let Batch { rows, matrices } = batch("a", &shape)?;
            let (mut lu, mut status) = (call.array::<T>(&shape)?, FactorStatus::new(&call.device, matrices)?);
            let of_rows = shape[..shape.len() - 1].to_vec();
            let mut exchanges = call.array::<u32>(&of_rows)?;
            call.cost = Some(Lu::new(rows).batches(matrices).cost::<T>(&call.device)?);
            let factors = Lu::new(rows).batches(matrices).record(&mut call.recording);
            factors.run(&a, &mut lu, &mut exchanges, &mut status)?;
            call.output_after(lu, shape, move || status.check());
            call.output(exchanges, of_rows);
            Ok(())
        }),
    },
    Operator {
        name: "lu_solve",
        summary: "The solutions x of a x = b, by the factors and exchanges of lu",
        inputs: &[LU, Port::new("exchanges", "The exchanges of lu, of shape (..., rows)").of(U32), B],
        outputs: &[X],
        parameters: &[],
        run: by_type!([f32, f64], T, call => {
            let (lu, b, shape) = (call.upload::<T>("lu")?, call.upload::<T>("b")?, call.shape("b"));
            let exchanges = call.upload::<u32>("exchanges")?;
            let Batch { rows, matrices } = batch("lu", &call.shape("lu"))?;
            let columns = columns("lu", &call.shape("lu"), &shape)?;
            let mut x = call.array::<T>(&shape)?;
            let solve = Lu::new(rows).batches(matrices).record(&mut call.recording);
            solve.solve(&lu, &exchanges, &b, &mut x, columns)?;
            call.output(x, shape);
            Ok(())
        }),
    },
    Operator {
        name: "qr",
        summary: "The factors q and r of matrices: orthogonal columns, and an upper triangle",
        inputs: &[Port::new("a", "The matrices, of shape (..., rows, columns), with at least as many rows")],
        outputs: &[
            Port::new("q", "The orthogonal columns, with the shape of a"),
            Port::new("r", "The upper triangles, of shape (..., columns, columns)"),
        ],
        parameters: &[],
        run: by_type!([f32, f64], T, call => {
            let (a, shape) = (call.upload::<T>("a")?, call.shape("a"));
            let (size, matrices) = sizes("a", &shape)?;
            let mut of_r = shape.clone();
            of_r[shape.len() - 2] = size[1];
            let (mut q, mut r) = (call.array::<T>(&shape)?, call.array::<T>(&of_r)?);
            call.cost = Some(Qr::new(size).batches(matrices).cost::<T>(&call.device)?);
            Qr::new(size).batches(matrices).record(&mut call.recording).run(&a, &mut q, &mut r)?;
            call.output(q, shape);
            call.output(r, of_r);
            Ok(())
        }),
    },
    Operator {
        name: "eigh",
        summary: "The eigenvalues, in ascending order, and the eigenvectors of symmetric matrices",
        inputs: &[A],
        outputs: &[
            Port::new("values", "The eigenvalues, of shape (..., rows)"),
            Port::new("vectors", "The eigenvectors as columns, with the shape of a"),
        ],
        parameters: &[],
        run: by_type!([f32, f64], T, call => {
            let (a, shape) = (call.upload::<T>("a")?, call.shape("a"));
            let Batch { rows, matrices } = batch("a", &shape)?;
            let of_values = shape[..shape.len() - 1].to_vec();
            let (mut values, mut vectors) = (call.array::<T>(&of_values)?, call.array::<T>(&shape)?);
            let mut status = FactorStatus::new(&call.device, matrices)?;
            call.cost = Some(Eigh::new(rows).batches(matrices).cost::<T>(&call.device)?);
            let eigen = Eigh::new(rows).batches(matrices).record(&mut call.recording);
            eigen.run(&a, &mut values, &mut vectors, &mut status)?;
            call.output_after(values, of_values, move || status.check());
            call.output(vectors, shape);
            Ok(())
        }),
    },
    Operator {
        name: "svd",
        summary: "The singular values, in descending order, with u and v: a = u * diagonal(values) * transpose(v)",
        inputs: &[Port::new("a", "The matrices, of shape (..., rows, columns), with at least as many rows")],
        outputs: &[
            Port::new("u", "Columns of length 1, with the shape of a"),
            Port::new("values", "The singular values, of shape (..., columns)"),
            Port::new("v", "Columns of length 1, of shape (..., columns, columns)"),
        ],
        parameters: &[],
        run: by_type!([f32, f64], T, call => {
            let (a, shape) = (call.upload::<T>("a")?, call.shape("a"));
            let (size, matrices) = sizes("a", &shape)?;
            let mut of_v = shape.clone();
            of_v[shape.len() - 2] = size[1];
            let of_values = of_v[..shape.len() - 1].to_vec();
            let (mut u, mut values) = (call.array::<T>(&shape)?, call.array::<T>(&of_values)?);
            let (mut v, mut status) = (call.array::<T>(&of_v)?, FactorStatus::new(&call.device, matrices)?);
            call.cost = Some(Svd::new(size).batches(matrices).cost::<T>(&call.device)?);
            let svd = Svd::new(size).batches(matrices).record(&mut call.recording);
            svd.run(&a, &mut u, &mut values, &mut v, &mut status)?;
            call.output_after(u, shape, move || status.check());
            call.output(values, of_values);
            call.output(v, of_v);
            Ok(())
        }),
    },
    Operator {
        name: "solve_triangular",
        summary: "The solutions x of t x = b for lower or upper triangles t of matrices",
        inputs: &[A, B],
        outputs: &[X],
        parameters: &[
            Parameter::new("upper", Kind::Flag, "Use the upper triangles, in place of the lower ones"),
            Parameter::new("unit", Kind::Flag, "Use ones as the diagonals"),
            Parameter::new("transposed", Kind::Flag, "Transpose the triangles"),
        ],
        run: by_type!([f32, f64], T, call => {
            let (a, b, shape) = (call.upload::<T>("a")?, call.upload::<T>("b")?, call.shape("b"));
            let Batch { rows, matrices } = batch("a", &call.shape("a"))?;
            let mut x = call.array::<T>(&shape)?;
            let flag = |name: &str| call.values.flag(name);
            let solve = SolveTriangular::new(rows)
                .batches(matrices)
                .columns(columns("a", &call.shape("a"), &shape)?)
                .upper(flag("upper"))
                .unit(flag("unit"))
                .transposed(flag("transposed"));
            call.cost = Some(solve.cost::<T>(&call.device)?);
            solve.record(&mut call.recording).run(&a, &b, &mut x)?;
            call.output(x, shape);
            Ok(())
        }),
    },
];

/// Square matrices in one array.
struct Batch {
    rows: usize,
    matrices: usize,
}

fn batch(port: &str, shape: &[usize]) -> Result<Batch, Failure> {
    match shape {
        [others @ .., rows, columns] if rows == columns => {
            Ok(Batch { rows: *rows, matrices: others.iter().fold(1, |all, extent| all.saturating_mul(*extent)) })
        }
        _ => {
            let found = text(shape);
            Err(Failure::File(format!("{port}: expected a shape whose last two extents are equal, found {found}")))
        }
    }
}

/// The rows and columns of matrices in one array, and their number.
fn sizes(port: &str, shape: &[usize]) -> Result<([usize; 2], usize), Failure> {
    match shape {
        [others @ .., rows, columns] => {
            Ok(([*rows, *columns], others.iter().fold(1, |all, extent| all.saturating_mul(*extent))))
        }
        _ => Err(Failure::File(format!("{port}: expected a shape of rows and columns, found {}", text(shape)))),
    }
}

/// The number of right sides for each matrix.
fn columns(port: &str, of_a: &[usize], of_b: &[usize]) -> Result<usize, Failure> {
    let rows = &of_a[..of_a.len() - 1];
    match of_b {
        same if same == rows => Ok(1),
        [others @ .., columns] if others == rows => Ok(*columns),
        _ => {
            let (expected, found) = (text(rows), text(of_b));
            Err(Failure::File(format!(
                "b: expected the shape {expected} of the rows of {port}, or one more axis, found {found}"
            )))
        }
    }
}

fn text(shape: &[usize]) -> String {
    dimensions(&shape.iter().map(|extent| *extent as u64).collect::<Vec<_>>())
}
