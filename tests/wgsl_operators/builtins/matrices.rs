//! Matrices: sums, products, transposes and determinants.
//!
//! The entries are small whole numbers, so that every order of summation gives the same exact result.

use std::sync::Arc;

use anywarp_testing::random::Random;

use crate::operator_suite::edges::Row;
use crate::operator_suite::scalar::{FLOATS, Scalar, Value};
use crate::operator_suite::sweep::{Shape, Sweep, Type};
use crate::operator_suite::table::Case;
use crate::operator_suite::want::Want;

/// A matrix, as a list of columns.
type Matrix = Vec<Vec<f64>>;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for scalar in FLOATS.iter().copied() {
        for columns in 2..=4 {
            for rows in 2..=4 {
                cases.extend(of_shape(scalar, columns, rows));
            }
            let square = Type::matrix(scalar, columns, columns);
            let determinant = exact("determinant(x)", vec![square], Type::scalar(scalar), |m| vec![determinant(&m[0])]);
            cases.push(Case::sweep(format!("builtins::{}::determinant_{columns}", scalar.name()), determinant));
        }
    }
    cases
}

fn of_shape(scalar: Scalar, columns: usize, rows: usize) -> Vec<Case> {
    let matrix = Type::matrix(scalar, columns, rows);
    let (row, column) = (Type::vector(scalar, columns), Type::vector(scalar, rows));
    let name = |kind: &str, function: &str| format!("{kind}::{}::{function}_mat{columns}x{rows}", scalar.name());
    let mut cases = vec![
        Case::sweep(name("operators", "add"), exact("x + y", vec![matrix; 2], matrix, |m| sum(&m[0], &m[1], 1.0))),
        Case::sweep(
            name("operators", "subtract"),
            exact("x - y", vec![matrix; 2], matrix, |m| sum(&m[0], &m[1], -1.0)),
        ),
        Case::sweep(
            name("operators", "scale"),
            exact("y * x", vec![matrix, Type::scalar(scalar)], matrix, |m| scale(&m[0], m[1][0][0])),
        ),
        Case::sweep(
            name("operators", "scale_right"),
            exact("x * y", vec![matrix, Type::scalar(scalar)], matrix, |m| scale(&m[0], m[1][0][0])),
        ),
        Case::sweep(
            name("operators", "times_vector"),
            exact("x * y", vec![matrix, row], column, |m| flat(product(&m[0], &m[1]))),
        ),
        Case::sweep(
            name("operators", "vector_times"),
            // A vector on the left of a matrix is a row.
            exact("x * y", vec![column, matrix], row, |m| flat(product(&transpose(&m[0]), &m[1]))),
        ),
        Case::sweep(
            name("builtins", "transpose"),
            exact("transpose(x)", vec![matrix], Type::matrix(scalar, rows, columns), |m| flat(transpose(&m[0]))),
        ),
    ];
    for others in 2..=4 {
        let (right, result) = (Type::matrix(scalar, others, columns), Type::matrix(scalar, others, rows));
        let sweep = exact("x * y", vec![matrix, right], result, |m| flat(product(&m[0], &m[1])));
        cases.push(Case::sweep(name("operators", &format!("multiply_{others}")), sweep));
    }
    cases
}

fn exact(expression: &str, arguments: Vec<Type>, result: Type, reference: fn(&[Matrix]) -> Vec<f64>) -> Sweep {
    let (types, shapes) = (arguments.clone(), arguments.clone());
    Sweep {
        expression: expression.to_owned(),
        arguments,
        result,
        before: "",
        rows: Arc::new(move || whole_numbers(&types)),
        reference: Arc::new(move |row| {
            let matrices: Vec<Matrix> = row.iter().zip(&shapes).map(|(values, ty)| by_columns(values, *ty)).collect();
            reference(&matrices)
                .into_iter()
                .map(|value| Want::float(result.scalar, value + 0.0))
                .map(any_zero)
                .collect()
        }),
        features: &[],
        only_cpu: None,
    }
}

/// Allows either sign for a sum of zero, because the sign depends on the order of the terms.
fn any_zero(want: Want) -> Want {
    match want {
        Want::Is(value) if value.is_float_zero() => {
            Want::OneOf([0.0, -0.0].map(|zero| Want::float(value.scalar, zero)).to_vec())
        }
        want => want,
    }
}

fn whole_numbers(types: &[Type]) -> Vec<Row> {
    let mut random = Random::from_state(7);
    let row = |_| {
        let values = |ty: &Type| {
            (0..ty.lanes()).map(|_| Value::float(ty.scalar, (random.unit() * 6.99).floor() - 3.0)).collect()
        };
        types.iter().map(values).collect()
    };
    (0..65).map(row).collect()
}

/// Reads the components of a matrix; vectors and scalars are matrices with one column.
fn by_columns(values: &[Value], ty: Type) -> Matrix {
    let rows = match ty.shape {
        Shape::Matrix { rows, .. } => rows,
        Shape::Scalar | Shape::Vector(_) => values.len(),
    };
    values.chunks(rows).map(|column| column.iter().map(|value| value.f()).collect()).collect()
}

fn flat(matrix: Matrix) -> Vec<f64> {
    matrix.into_iter().flatten().collect()
}

fn sum(x: &Matrix, y: &Matrix, factor: f64) -> Vec<f64> {
    x.iter().flatten().zip(y.iter().flatten()).map(|(x, y)| x + factor * y).collect()
}

fn scale(x: &Matrix, factor: f64) -> Vec<f64> {
    x.iter().flatten().map(|x| x * factor).collect()
}

fn transpose(x: &Matrix) -> Matrix {
    (0..x[0].len()).map(|row| x.iter().map(|column| column[row]).collect()).collect()
}

fn product(x: &Matrix, y: &Matrix) -> Matrix {
    let element = |row: usize, column: &Vec<f64>| x.iter().zip(column).map(|(left, factor)| left[row] * factor).sum();
    y.iter().map(|column| (0..x[0].len()).map(|row| element(row, column)).collect()).collect()
}

/// The determinant, by Laplace's expansion along the first column.
fn determinant(x: &Matrix) -> f64 {
    if x.len() == 1 {
        return x[0][0];
    }
    let minor =
        |row: usize| -> Matrix { x[1..].iter().map(|column| [&column[..row], &column[row + 1..]].concat()).collect() };
    let sign = |row: usize| if row.is_multiple_of(2) { 1.0 } else { -1.0 };
    (0..x.len()).map(|row| sign(row) * x[0][row] * determinant(&minor(row))).sum()
}
