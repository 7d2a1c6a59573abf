//! Products of sparse matrices.

use anywarp::ops::{SparseElement, SparseMatrix, SparseProduct};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, by_type};
use super::parameter::{Kind, Parameter};
use crate::dtype::Dtype;
use crate::failure::Failure;

const OFFSETS: Port =
    Port::new("offsets", "The positions at which the rows of the matrix begin, and the number of entries")
        .of(&[Dtype::U4]);
const COLUMN_INDICES: Port = Port::new("column_indices", "The column index of each entry").of(&[Dtype::U4]);
const VALUES: Port = Port::new("values", "The value of each entry");
const OLD: Port =
    Port::new("old", "The array that --beta multiplies, with the shape of the result").form(Form::Optional);
const ALPHA: Parameter = Parameter::new("alpha", Kind::Number, "The factor of the product").default("1");
const BETA: Parameter = Parameter::new("beta", Kind::Number, "The factor of old, which is added").default("0");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "spmv",
        summary: "The product of a sparse matrix in CSR and a vector",
        inputs: &[OFFSETS, COLUMN_INDICES, VALUES, Port::new("x", "The vector, with an element for each column"), OLD],
        outputs: &[Port::new("y", "The product, with an element for each row")],
        parameters: &[ALPHA, BETA],
        run: by_type!([f32, f64], T, call => product::<T>(call, false)),
    },
    Operator {
        name: "spmm",
        summary: "The product of a sparse matrix in CSR and a dense matrix",
        inputs: &[OFFSETS, COLUMN_INDICES, VALUES, Port::new("x", "The dense matrix, of shape (columns, width)"), OLD],
        outputs: &[Port::new("y", "The product, of shape (rows, width)")],
        parameters: &[ALPHA, BETA],
        run: by_type!([f32, f64], T, call => product::<T>(call, true)),
    },
];

fn product<T: Number + SparseElement>(call: &mut Call<'_>, is_matrix: bool) -> Result<(), Failure> {
    let (columns, width) = match (call.shape("x").as_slice(), is_matrix) {
        ([columns], false) => (*columns, 1),
        ([columns, width], true) => (*columns, *width),
        _ => {
            let expected = if is_matrix { "two axes" } else { "one axis" };
            return Err(Failure::File(format!("x: expected an array of {expected}, found {}", call.shape("x").len())));
        }
    };
    let (offsets, column_indices) = (call.upload::<u32>("offsets")?, call.upload::<u32>("column_indices")?);
    let rows = offsets.len().saturating_sub(1);
    let a = SparseMatrix::from_buffers([rows, columns], offsets, column_indices, call.upload::<T>("values")?)?;
    let shape = if is_matrix { vec![rows, width] } else { vec![rows] };
    let mut product = SparseProduct::new().width(width);
    if let Some(alpha) = call.values.number("alpha") {
        product = product.alpha(alpha);
    }
    if let Some(beta) = call.values.number("beta") {
        product = product.beta(beta);
    }
    let x = call.upload::<T>("x")?;
    let mut y = match call.upload_given::<T>("old")? {
        Some(y) => y,
        None => call.array::<T>(&shape)?,
    };
    call.cost = Some(product.cost(&a)?);
    product.record(&mut call.recording).run(&a, &x, &mut y)?;
    call.output(y, shape);
    Ok(())
}
