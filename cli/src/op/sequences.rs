//! Operators that create arrays: sequences, arrays of one value, and one-hot rows.

use anywarp::UnifiedBuffer;
use anywarp::ops::{Full, IndexElement, OneHot, Sequence, SequenceElement};

use super::call::Call;
use super::entry::{INDICES, Number, Operator, Port, any_number, by_type, for_type};
use super::numbers::{number, numbers};
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;

const SHAPE: Parameter = Parameter::new("shape", Kind::Shape, "The shape of the result").required();
const START: Parameter = Parameter::new("start", Kind::Number, "The first number");
const Y: &[Port] = &[Port::new("y", "The numbers")];

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "arange",
        summary: "Numbers at equal distances: start + i * step",
        inputs: &[],
        outputs: Y,
        parameters: &[
            SHAPE,
            START.default("0"),
            Parameter::new("step", Kind::Number, "The distance of two numbers").default("1"),
        ],
        run: any_number!(T, call => {
            let (start, step) = (number::<T>(call, "start")?, number::<T>(call, "step")?);
            sequence(call, Sequence::arange(start.unwrap_or_default(), step.unwrap_or_default()))
        }),
    },
    Operator {
        name: "linspace",
        summary: "Numbers from start to stop, both included, at equal distances",
        inputs: &[],
        outputs: Y,
        parameters: &[SHAPE, START.required(), Parameter::new("stop", Kind::Number, "The last number").required()],
        run: by_type!([f32, half::f16, f64], T, call => {
            let (start, stop) = (number::<T>(call, "start")?, number::<T>(call, "stop")?);
            sequence(call, Sequence::linspace(start.unwrap_or_default(), stop.unwrap_or_default()))
        }),
    },
    Operator {
        name: "full",
        summary: "An array with one value",
        inputs: &[],
        outputs: &[Port::new("y", "The elements")],
        parameters: &[SHAPE, Parameter::new("value", Kind::Number, "The value of each element").required()],
        run: any_number!(T, call => {
            let value = number::<T>(call, "value")?.unwrap_or_default();
            let shape = call.values.shape("shape").unwrap_or_default();
            let mut y = call.array::<T>(&shape)?;
            Full::new(value).record(&mut call.recording).run(&mut y)?;
            call.output(y, shape);
            Ok(())
        }),
    },
    Operator {
        name: "one_hot",
        summary: "For each index a row with one value at the position of the index, and another value elsewhere",
        inputs: &[
            Port::new("indices", "The indices; the row of an index outside has the other value everywhere").of(INDICES)
        ],
        outputs: &[Port::new("y", "The rows, as a new last axis")],
        parameters: &[
            Parameter::new("classes", Kind::Count, "The number of elements of each row").required(),
            Parameter::new(
                "values",
                Kind::Numbers,
                "The values at all other positions, and at the position of the index",
            )
            .default("0,1"),
        ],
        run: any_number!(T, call => {
            let indices = call.dtype("indices").unwrap_or(INDICES[0]);
            for_type!([u32, i32, u64, i64], indices, I => one_hot::<T, I>(call))
        }),
    },
];

fn sequence<T: Number + SequenceElement>(call: &mut Call<'_>, sequence: Sequence<'_, T>) -> Result<(), Failure> {
    let shape = call.values.shape("shape").unwrap_or_default();
    let mut y: UnifiedBuffer<T> = call.array(&shape)?;
    call.cost = Some(sequence.cost(y.len())?);
    sequence.record(&mut call.recording).run(&mut y)?;
    call.output(y, shape);
    Ok(())
}

fn one_hot<T: Number, I: Number + IndexElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let values: Vec<T> = numbers(call, "values")?.unwrap_or_default();
    let &[off, on] = &*values else {
        let text = call.values.text("values").unwrap_or_default();
        return Err(Failure::Usage(format!(
            "--values {text}: expected two numbers, found {}: write --values 0,1",
            values.len()
        )));
    };
    let classes = call.values.count("classes").unwrap_or_default();
    let indices = call.upload::<I>("indices")?;
    let mut shape = call.shape("indices");
    shape.push(classes);
    let mut y = call.array::<T>(&shape)?;
    let rows = OneHot::new(classes, [off, on]);
    call.cost = Some(rows.cost::<I>(indices.len())?);
    rows.record(&mut call.recording).run(&indices, &mut y)?;
    call.output(y, shape);
    Ok(())
}
