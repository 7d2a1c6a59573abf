//! Numbers of one type as those of another.

use anywarp::ops::{Cast, CastElement};

use super::call::Call;
use super::entry::{Number, Operator, Port, any_number, for_type};
use super::parameter::{Kind, Parameter};
use crate::dtype::Dtype;
use crate::failure::Failure;

const WORDS: &[&str] = &["f32", "f16", "f64", "i32", "u32", "i64", "u64", "i16", "u16", "i8", "u8"];

pub(crate) const OPERATORS: &[Operator] = &[Operator {
    name: "cast",
    summary: "The numbers of x in another type, as Rust's `as` converts them",
    inputs: &[Port::new("x", "The numbers")],
    outputs: &[Port::new("y", "The converted numbers").any()],
    parameters: &[Parameter::new("to", Kind::Word(WORDS), "The type of the result").required()],
    run: any_number!(T, call => {
        let to = call.values.text("to").and_then(Dtype::of_elements).unwrap_or(Dtype::F4);
        for_type!([f32, u32, i32, f64, u64, i64, half::f16, u16, i16, u8, i8], to, U => cast::<T, U>(call))
    }),
}];

fn cast<T: Number + CastElement, U: Number + CastElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (x, shape) = (call.upload::<T>("x")?, call.shape("x"));
    let mut y = call.array::<U>(&shape)?;
    call.cost = Some(Cast::new().cost::<T, U>(x.len())?);
    Cast::new().record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, shape);
    Ok(())
}
