//! Elements read at given indices.

use anywarp::UnifiedBuffer;
use anywarp::ops::{IndexElement, Take};

use super::call::Call;
use super::entry::{Form, INDICES, Number, Operator, Port, any_number, for_type};
use super::numbers::number;
use super::parameter::{Kind, Parameter};
use super::shapes::{axis_of, expect_shape, resized};
use crate::failure::Failure;

const X: Port = Port::new("x", "The elements");
const PLACES: Port = Port::new("indices", "The indices; negative ones count from the end").of(INDICES);
const KEEP: Port =
    Port::new("keep", "Elements of the result for indices outside the axis, with the shape of the result")
        .form(Form::Named);
const Y: &[Port] = &[Port::new("y", "The elements at the indices")];
const AXIS: Parameter = Parameter::new("axis", Kind::Count, "The axis that is indexed").default("0");
const FILL: Parameter = Parameter::new(
    "fill",
    Kind::Number,
    "The element for indices outside; by default NaN, the least signed or the greatest unsigned integer",
);
const CLIP: Parameter = Parameter::new("clip", Kind::Flag, "Take the nearest position for indices outside");
const WRAP: Parameter = Parameter::new("wrap", Kind::Flag, "Take the remainder of indices outside");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "gather",
        summary: "The elements of the flat array x at the indices",
        inputs: &[X, PLACES, KEEP],
        outputs: Y,
        parameters: &[FILL, CLIP, WRAP],
        run: any_number!(T, call => {
            let length = call.shape("x").iter().product();
            let shape = call.shape("indices");
            take::<T>(call, Take::new([length], 0), shape)
        }),
    },
    Operator {
        name: "take",
        summary: "The elements of x at the indices along an axis",
        inputs: &[X, PLACES, KEEP],
        outputs: Y,
        parameters: &[AXIS, FILL, CLIP, WRAP],
        run: any_number!(T, call => {
            let x = call.shape("x");
            let axis = axis_of(call, &x)?;
            // As NumPy's result: all axes of the indices in place of the axis.
            let shape = [&x[..axis], &call.shape("indices"), &x[axis + 1..]].concat();
            take::<T>(call, Take::new(x, axis), shape)
        }),
    },
    Operator {
        name: "take_along_axis",
        summary: "The elements of x at an index for each element of the result",
        inputs: &[X, PLACES, KEEP],
        outputs: Y,
        parameters: &[AXIS, FILL, CLIP, WRAP],
        run: any_number!(T, call => {
            let (x, indices) = (call.shape("x"), call.shape("indices"));
            let axis = axis_of(call, &x)?;
            let expected = resized(&x, axis, indices.get(axis).copied().unwrap_or(x[axis]));
            expect_shape(call, "indices", &expected, "that of x except for the axis")?;
            take::<T>(call, Take::along(x, axis), expected)
        }),
    },
];

fn take<T: Number>(call: &mut Call<'_>, mut take: Take<'_, T>, shape: Vec<usize>) -> Result<(), Failure> {
    let (fill, keep) = (number::<T>(call, "fill")?, call.upload_given::<T>("keep")?);
    let (clip, wrap) = (call.values.flag("clip"), call.values.flag("wrap"));
    if [fill.is_some(), keep.is_some(), clip, wrap].iter().filter(|given| **given).count() > 1 {
        return Err(Failure::Usage(
            "expected one of --fill, --keep, --clip and --wrap, found several: leave out all but one".to_owned(),
        ));
    }
    if let Some(value) = fill {
        take = take.fill(value);
    } else if keep.is_some() {
        take = take.keep();
    } else if clip {
        take = take.clip();
    } else if wrap {
        take = take.wrap();
    }
    let x = call.upload::<T>("x")?;
    let mut y = call.array::<T>(&shape)?;
    if let Some(keep) = &keep {
        expect_shape(call, "keep", &shape, "that of the result")?;
        call.recording.copy(keep, &mut y)?;
    }
    let indices = call.dtype("indices").unwrap_or(INDICES[0]);
    for_type!([u32, i32, u64, i64], indices, I => by_indices::<T, I>(call, take, &x, &mut y))?;
    call.output(y, shape);
    Ok(())
}

fn by_indices<T: Number, I: Number + IndexElement>(
    call: &mut Call<'_>,
    take: Take<'_, T>,
    x: &UnifiedBuffer<T>,
    y: &mut UnifiedBuffer<T>,
) -> Result<(), Failure> {
    let indices = call.upload::<I>("indices")?;
    call.cost = Some(take.cost::<I>(indices.len())?);
    Ok(take.record(&mut call.recording).run(x, &indices, y)?)
}
