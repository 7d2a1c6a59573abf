//! Sparse matrices: products, conversions.

use anywarp::ops::{SampledProduct, SparseProduct, sparse_sum, spgemm};

use super::call::Call;
use super::entry::{Form, Operator, Port, Real, by_type};
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;

const A: Port = Port::matrix("a", "The sparse matrix: Matrix Market, or SciPy's save_npz");
const B: Port = Port::matrix("b", "The second sparse matrix");
const OLD: Port =
    Port::new("old", "The array that --beta multiplies, with the shape of the result").form(Form::Optional);
const ALPHA: Parameter = Parameter::new("alpha", Kind::Number, "The factor of the product").default("1");
const BETA: Parameter = Parameter::new("beta", Kind::Number, "The factor of old, which is added").default("0");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "spmv",
        summary: "The product of a sparse matrix and a vector",
        inputs: &[A, Port::new("x", "The vector, with an element for each column"), OLD],
        outputs: &[Port::new("y", "The product, with an element for each row")],
        parameters: &[ALPHA, BETA],
        run: by_type!([f32, f64], T, call => product::<T>(call, false)),
    },
    Operator {
        name: "spmm",
        summary: "The product of a sparse matrix and a dense matrix",
        inputs: &[A, Port::new("x", "The dense matrix, of shape (columns, width)"), OLD],
        outputs: &[Port::new("y", "The product, of shape (rows, width)")],
        parameters: &[ALPHA, BETA],
        run: by_type!([f32, f64], T, call => product::<T>(call, true)),
    },
    Operator {
        name: "spgemm",
        summary: "The product of two sparse matrices, with sorted entries",
        inputs: &[A, B],
        outputs: &[Port::matrix("c", "The product, with an entry for each place that has products of entries")],
        parameters: &[],
        run: by_type!([f64, f32], T, call => {
            let (a, b) = (call.matrix::<T>("a")?, call.matrix::<T>("b")?);
            call.output_matrix(spgemm(&a, &b)?);
            Ok(())
        }),
    },
    Operator {
        name: "sparse_sum",
        summary: "The sum of two sparse matrices with factors, with sorted entries",
        inputs: &[A, B],
        outputs: &[Port::matrix("c", "The sum, with an entry for each place that a or b has")],
        parameters: &[
            Parameter::new("alpha", Kind::Number, "The factor of a").default("1"),
            Parameter::new("beta", Kind::Number, "The factor of b").default("1"),
        ],
        run: by_type!([f64, f32], T, call => {
            let (a, b) = (call.matrix::<T>("a")?, call.matrix::<T>("b")?);
            let factor = |name: &str| call.values.number(name).unwrap_or(1.0);
            let sum = sparse_sum(factor("alpha"), &a, factor("beta"), &b)?;
            call.output_matrix(sum);
            Ok(())
        }),
    },
    Operator {
        name: "sddmm",
        summary: "The products of rows of two dense matrices at the places of a sparse matrix",
        inputs: &[
            A,
            Port::new("x", "The first dense matrix, of shape (rows, depth)"),
            Port::new("y", "The second dense matrix, of shape (columns, depth)"),
        ],
        outputs: &[Port::new("values", "The product of a row of x and a row of y for each entry, row by row")],
        parameters: &[
            ALPHA,
            Parameter::new("beta", Kind::Number, "The factor of the values of a, which are added").default("0"),
        ],
        run: by_type!([f32, f64], T, call => sampled::<T>(call)),
    },
    Operator {
        name: "sparse_matrix",
        summary: "A sparse matrix in a file of another format, with sorted entries, one for each place",
        inputs: &[A],
        outputs: &[Port::matrix("matrix", "The matrix, of the same values or transposed")],
        parameters: &[Parameter::new("transpose", Kind::Flag, "Transpose the matrix")],
        run: by_type!([f64, f32], T, call => {
            let a = call.matrix::<T>("a")?;
            call.output_matrix(if call.values.flag("transpose") { a.transpose()? } else { a });
            Ok(())
        }),
    },
];

fn sampled<T: Real>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (of_x, of_y) = (call.shape("x"), call.shape("y"));
    let ([_, depth], [_, _]) = (of_x.as_slice(), of_y.as_slice()) else {
        return Err(Failure::File("x and y: expected arrays of two axes, found others".to_owned()));
    };
    let a = call.matrix::<T>("a")?;
    let mut product = SampledProduct::new(*depth);
    if let Some(alpha) = call.values.number("alpha") {
        product = product.alpha(alpha);
    }
    if let Some(beta) = call.values.number("beta") {
        product = product.beta(beta);
    }
    let (x, y) = (call.upload::<T>("x")?, call.upload::<T>("y")?);
    let mut values = call.array::<T>(&[a.entries()])?;
    call.cost = Some(product.cost(&a)?);
    product.record(&mut call.recording).run(&a, &x, &y, &mut values)?;
    call.output(values, vec![a.entries()]);
    Ok(())
}

fn product<T: Real>(call: &mut Call<'_>, is_matrix: bool) -> Result<(), Failure> {
    let (columns, width) = match (call.shape("x").as_slice(), is_matrix) {
        ([columns], false) => (*columns, 1),
        ([columns, width], true) => (*columns, *width),
        _ => {
            let expected = if is_matrix { "two axes" } else { "one axis" };
            return Err(Failure::File(format!("x: expected an array of {expected}, found {}", call.shape("x").len())));
        }
    };
    let a = call.matrix::<T>("a")?;
    let rows = a.rows();
    if a.columns() != columns {
        return Err(Failure::File(format!(
            "x: expected {} elements along the first axis, one for each column of a, found {columns}",
            a.columns()
        )));
    }
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
