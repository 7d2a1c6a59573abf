//! Products of matrices.

use anywarp::ops::{Matmul, MatmulElement, Precision};

use super::call::Call;
use super::entry::{Number, Operator, Port, by_type};
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;
use crate::npy::dimensions;

pub(crate) const OPERATORS: &[Operator] = &[Operator {
    name: "matmul",
    summary: "The product of two matrices",
    inputs: &[Port::new("a", "A matrix of shape (m, k)"), Port::new("b", "A matrix of shape (k, n)")],
    outputs: &[Port::new("c", "The product, of shape (m, n)")],
    parameters: &[Parameter::new(
        "precision",
        Kind::Word(&["f32", "f16", "tf32"]),
        "The precision of the multiplication, by default that of the elements",
    )],
    run: by_type!([f32, half::f16], T, call => matmul::<T>(call)),
}];

fn matmul<T: Number + MatmulElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (&[m, k], &[rows, n]) = (&*call.shape("a"), &*call.shape("b")) else { return Err(shapes(call)) };
    if k != rows {
        return Err(shapes(call));
    }
    let (a, b, mut c) = (call.upload::<T>("a")?, call.upload::<T>("b")?, call.empty::<T>(m * n)?);
    let mut product = Matmul::new([m, k, n]);
    if let Some(precision) = call.values.text("precision") {
        product = product.precision(match precision {
            "f16" => Precision::F16,
            "tf32" => Precision::Tf32,
            _ => Precision::F32,
        });
    }
    call.cost = Some(product.cost::<T>(&call.device)?);
    product.record(&mut call.recording).run(&a, &b, &mut c)?;
    call.output(c, vec![m, n]);
    Ok(())
}

fn shapes(call: &Call<'_>) -> Failure {
    let shape = |port| call.input(port).map(|input| dimensions(&input.array.shape)).unwrap_or_default();
    let (a, b) = (shape("a"), shape("b"));
    Failure::File(format!(
        "matmul: expected matrices of shapes (m, k) and (k, n), found {a} and {b}: save reshaped or transposed arrays"
    ))
}
