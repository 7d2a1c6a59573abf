//! Joining and splitting arrays.

use anywarp::UnifiedBuffer;
use anywarp::ops::{Join, Split};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, any_element};
use super::parameter::{Kind, Parameter};
use super::shapes::{axis_of, expect_axis, expect_shape, resized, shown};
use crate::failure::Failure;

const AXIS: Parameter = Parameter::new("axis", Kind::Count, "The axis of the result").default("0");
const PARTS: Port = Port::new("parts", "The parts, in their order").form(Form::Files);
const Y: &[Port] = &[Port::new("y", "The joined array")];

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "concatenate",
        summary: "Arrays joined along an axis",
        inputs: &[PARTS],
        outputs: Y,
        parameters: &[AXIS],
        run: any_element!(T, call => concatenate::<T>(call)),
    },
    Operator {
        name: "stack",
        summary: "Arrays of one shape joined along a new axis",
        inputs: &[PARTS],
        outputs: Y,
        parameters: &[AXIS],
        run: any_element!(T, call => stack::<T>(call)),
    },
    Operator {
        name: "split",
        summary: "The parts of x along an axis",
        inputs: &[Port::new("x", "The array")],
        outputs: &[Port::new("parts", "A file for each part").form(Form::Rest)],
        parameters: &[
            Parameter::new("sizes", Kind::Counts, "The size of each part along the axis").required(),
            Parameter::new("axis", Kind::Count, "The axis to split").default("0"),
        ],
        run: any_element!(T, call => split::<T>(call)),
    },
];

fn concatenate<T: Number>(call: &mut Call<'_>) -> Result<(), Failure> {
    let shapes: Vec<Vec<usize>> = call.inputs("parts").map(super::Input::shape).collect();
    let first = shapes.first().cloned().unwrap_or_default();
    let axis = axis_of(call, &first)?;
    for (input, shape) in call.inputs("parts").zip(&shapes) {
        if shape.len() != first.len() || resized(shape, axis, first[axis]) != first {
            let (text, found, expected) = (&input.text, shown(shape), shown(&first));
            return Err(Failure::File(format!(
                "{text}: expected the shape {expected}, that of the first part, except for axis {axis}, found {found}: save \
                 a reshaped array, or choose another axis"
            )));
        }
    }
    let size = shapes.iter().fold(0usize, |all, shape| all.saturating_add(shape[axis]));
    let shape = resized(&first, axis, size);
    join::<T>(call, Join::concatenate(shape.clone(), axis), shape)
}

fn stack<T: Number>(call: &mut Call<'_>) -> Result<(), Failure> {
    let part = call.shape("parts");
    expect_shape(call, "parts", &part, "that of the first part")?;
    let axis = call.values.count("axis").unwrap_or(0);
    let mut shape = part.clone();
    // The new axis may come after all others.
    shape.push(1);
    expect_axis(axis, &shape)?;
    shape.pop();
    shape.insert(axis, call.inputs("parts").count());
    join::<T>(call, Join::stack(part, axis), shape)
}

fn join<T: Number>(call: &mut Call<'_>, join: Join<'_>, shape: Vec<usize>) -> Result<(), Failure> {
    let parts = call.inputs("parts").map(|input| super::call::upload::<T>(&call.device, input));
    let parts: Vec<UnifiedBuffer<T>> = parts.collect::<Result<_, _>>()?;
    let lengths: Vec<usize> = parts.iter().map(UnifiedBuffer::len).collect();
    let mut y = call.array::<T>(&shape)?;
    call.cost = Some(join.cost::<T>(&lengths)?);
    let slices: Vec<_> = parts.iter().map(|part| part.slice(..)).collect();
    join.record(&mut call.recording).run(&slices, &mut y)?;
    call.output(y, shape);
    Ok(())
}

fn split<T: Number>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (shape, sizes) = (call.shape("x"), call.values.counts("sizes").unwrap_or_default());
    let axis = axis_of(call, &shape)?;
    let sum = sizes.iter().fold(0usize, |all, size| all.saturating_add(*size));
    if sum != shape[axis] {
        let (text, size) = (call.values.text("sizes").unwrap_or_default(), shape[axis]);
        return Err(Failure::Usage(format!(
            "--sizes {text}: expected sizes whose sum is {size}, the size of axis {axis}, found {sum}: choose other sizes"
        )));
    }
    let x = call.upload::<T>("x")?;
    let shapes: Vec<Vec<usize>> = sizes.iter().map(|size| resized(&shape, axis, *size)).collect();
    let parts = shapes.iter().map(|shape| call.array::<T>(shape));
    let mut parts: Vec<UnifiedBuffer<T>> = parts.collect::<Result<_, _>>()?;
    let lengths: Vec<usize> = parts.iter().map(UnifiedBuffer::len).collect();
    let split = Split::new(shape, axis);
    call.cost = Some(split.cost::<T>(&lengths)?);
    let mut slices: Vec<_> = parts.iter_mut().map(|part| part.slice_mut(..)).collect();
    split.record(&mut call.recording).run(&x, &mut slices)?;
    for (part, shape) in parts.into_iter().zip(shapes) {
        call.output(part, shape);
    }
    Ok(())
}
