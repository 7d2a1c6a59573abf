//! Products of matrices.

use anywarp::ops::{
    Activation, ByteElement, IntegerMatmul, Matmul, MatmulElement, MatmulMethod, MatmulResult, Precision,
};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, by_type};
use super::numbers::number;
use super::parameter::{Kind, Parameter};
use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::npy::dimensions;

const TRANSPOSE_A: Parameter = Parameter::new("transpose_a", Kind::Flag, "Take a as stored transposed: (k, m)");
const TRANSPOSE_B: Parameter = Parameter::new("transpose_b", Kind::Flag, "Take b as stored transposed: (n, k)");

const A: Port = Port::new("a", "A matrix of shape (m, k), or (batch, m, k)");
const B: Port = Port::new("b", "A matrix of shape (k, n), or (batch, k, n)");
const OLD: Port =
    Port::new("old", "The array that --beta multiplies, with the shape of the product").form(Form::Optional);
const BIAS: Port =
    Port::new("bias", "A number for each column, which is added before the activation").form(Form::Named);
const RESIDUAL: Port =
    Port::new("residual", "An array with the shape of the product, added to the result").form(Form::Named);
const C: Port = Port::new("c", "The product, of shape (m, n) or (batch, m, n)");

pub(crate) const OPERATORS: &[Operator] = &[INTEGERS, FLOATS, WIDE];

const FLOATS: Operator = Operator {
    name: "matmul",
    summary: "The product of two matrices, or of batches of them",
    inputs: &[A, B, OLD, BIAS, RESIDUAL],
    outputs: &[C],
    parameters: PARAMETERS,
    run: by_type!([f32, half::f16], T, call => matmul::<T, T>(call, "matmul", Matmul::new)),
};

const PARAMETERS: &[Parameter] = &[
    TRANSPOSE_A,
    TRANSPOSE_B,
    Parameter::new("alpha", Kind::Number, "The factor of the product").default("1"),
    Parameter::new("beta", Kind::Number, "The factor of old, which is added").default("0"),
    Parameter::new("activation", Kind::Word(&["relu", "gelu", "silu"]), "A function of each sum"),
    Parameter::new(
        "precision",
        Kind::Word(&["f32", "f16", "tf32"]),
        "The precision of the multiplication, by default that of the elements",
    ),
    Parameter::new(
        "method",
        Kind::Word(&["library", "cooperative", "wide_tiles", "tiles", "vector"]),
        "The method of computation, by default the fastest on the device",
    ),
];

const WIDE: Operator = Operator {
    name: "wide_matmul",
    summary: "The product in f32 of two matrices of f16, or of batches of them",
    inputs: &[A, B, OLD.of(SUMS), BIAS.of(SUMS), RESIDUAL.of(SUMS)],
    outputs: &[C.of(SUMS)],
    parameters: PARAMETERS,
    run: by_type!([half::f16], T, call => matmul::<T, f32>(call, "wide_matmul", Matmul::wide)),
};

const INTEGERS: Operator = Operator {
    name: "integer_matmul",
    summary: "The product of two matrices of 8-bit integers, or of batches of them, with sums of 32 bits",
    inputs: &[A, B.of(BYTES)],
    outputs: &[C.of(&[Dtype::I4])],
    parameters: &[
        TRANSPOSE_A,
        TRANSPOSE_B,
        Parameter::new("zero_of_a", Kind::Number, "A number to subtract from each element of a").default("0"),
        Parameter::new("zero_of_b", Kind::Number, "A number to subtract from each element of b").default("0"),
    ],
    run: by_type!([i8, u8], T, call => match call.dtype("b") {
        Some(Dtype::U1) => integer_matmul::<T, u8>(call),
        _ => integer_matmul::<T, i8>(call),
    }),
};

const SUMS: &[Dtype] = &[Dtype::F4];
const BYTES: &[Dtype] = &[Dtype::I1, Dtype::U1];

/// The shape of a file: the number of matrices, if the file has an axis for it, and the rows and columns of each.
type Stack = (Option<usize>, [usize; 2]);

/// The number of products, unless it is one, whether each of `a` and `b` is one matrix, and the sizes of a product.
type Stacks = (Option<usize>, [bool; 2], [usize; 3]);

fn stacks(call: &Call<'_>, name: &str) -> Result<Stacks, Failure> {
    let stack = |port, flag| {
        let (batch, [rows, columns]) = match *call.shape(port) {
            [rows, columns] => (None, [rows, columns]),
            [batch, rows, columns] => (Some(batch), [rows, columns]),
            _ => return None,
        };
        Some((batch, if call.values.flag(flag) { [columns, rows] } else { [rows, columns] }))
    };
    let stacks: Option<(Stack, Stack)> = stack("a", "transpose_a").zip(stack("b", "transpose_b"));
    let Some(((of_a, [m, k]), (of_b, [rows, n]))) = stacks else { return Err(shapes(call, name)) };
    if k != rows || of_a.zip(of_b).is_some_and(|(a, b)| a != b) {
        return Err(shapes(call, name));
    }
    Ok((of_a.or(of_b), [of_a.is_none(), of_b.is_none()], [m, k, n]))
}

fn integer_matmul<A: Number + ByteElement, B: Number + ByteElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (batch, shared, [m, k, n]) = stacks(call, "integer_matmul")?;
    let shape: Vec<usize> = batch.into_iter().chain([m, n]).collect();
    let zeros = [number::<i32>(call, "zero_of_a")?, number::<i32>(call, "zero_of_b")?].map(Option::unwrap_or_default);
    let mut product = IntegerMatmul::new([m, k, n]).batches(batch.unwrap_or(1)).zeros(zeros);
    if call.values.flag("transpose_a") {
        product = product.transpose_a();
    }
    if call.values.flag("transpose_b") {
        product = product.transpose_b();
    }
    if shared[0] {
        product = product.share_a();
    }
    if shared[1] {
        product = product.share_b();
    }
    let (a, b) = (call.upload::<A>("a")?, call.upload::<B>("b")?);
    let mut c = call.array::<i32>(&shape)?;
    call.cost = Some(product.cost()?);
    product.record(&mut call.recording).run(&a, &b, &mut c)?;
    call.output(c, shape);
    Ok(())
}

fn matmul<T: Number + MatmulElement, R: Number + MatmulResult<T>>(
    call: &mut Call<'_>,
    name: &str,
    new: fn([usize; 3]) -> Matmul<'static, T, R>,
) -> Result<(), Failure> {
    let (batch, shared, [m, k, n]) = stacks(call, name)?;
    let batches = batch.unwrap_or(1);
    let shape: Vec<usize> = batch.into_iter().chain([m, n]).collect();
    let (bias, residual) = (call.upload_given::<R>("bias")?, call.upload_given::<R>("residual")?);
    let mut product: Matmul<'_, T, R> = new([m, k, n]).batches(batches);
    if let Some(bias) = &bias {
        product = product.bias(bias);
    }
    if let Some(residual) = &residual {
        product = product.residual(residual);
    }
    product = match call.values.text("activation") {
        None => product,
        Some("relu") => product.activation(Activation::Relu),
        Some("gelu") => product.activation(Activation::Gelu),
        Some(_) => product.activation(Activation::Silu),
    };
    if call.values.flag("transpose_a") {
        product = product.transpose_a();
    }
    if call.values.flag("transpose_b") {
        product = product.transpose_b();
    }
    if shared[0] {
        product = product.share_a();
    }
    if shared[1] {
        product = product.share_b();
    }
    if let Some(alpha) = call.values.number("alpha") {
        product = product.alpha(alpha as f32);
    }
    if let Some(beta) = call.values.number("beta") {
        product = product.beta(beta as f32);
    }
    if let Some(precision) = call.values.text("precision") {
        product = product.precision(match precision {
            "f16" => Precision::F16,
            "tf32" => Precision::Tf32,
            _ => Precision::F32,
        });
    }
    if let Some(method) = call.values.text("method") {
        product = product.method(match method {
            "library" => MatmulMethod::Library,
            "cooperative" => MatmulMethod::Cooperative,
            "wide_tiles" => MatmulMethod::WideTiles,
            "vector" => MatmulMethod::Vector,
            _ => MatmulMethod::Tiles,
        });
    }
    let (a, b) = (call.upload::<T>("a")?, call.upload::<T>("b")?);
    let mut c = match call.upload_given::<R>("old")? {
        Some(c) => c,
        None => call.empty::<R>(batches * m * n)?,
    };
    call.cost = Some(product.cost(&call.device)?);
    product.record(&mut call.recording).run(&a, &b, &mut c)?;
    call.output(c, shape);
    Ok(())
}

fn shapes(call: &Call<'_>, name: &str) -> Failure {
    let shape = |port| call.input(port).map(|input| dimensions(&input.array.shape)).unwrap_or_default();
    let (a, b) = (shape("a"), shape("b"));
    Failure::File(format!(
        "{name}: expected matrices of shapes (m, k) and (k, n), found {a} and {b}: save reshaped arrays, or use \
         --transpose_a or --transpose_b"
    ))
}
