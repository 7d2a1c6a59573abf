//! Elements written at given indices.

use anywarp::UnifiedBuffer;
use anywarp::ops::{Cost, IndexElement, OperationError, Scatter};

use super::call::Call;
use super::entry::{INDICES, Number, Operator, Port, any_element, any_number, for_type};
use super::parameter::{Kind, Parameter};
use super::shapes::{axis_of, expect_shape, resized};
use crate::dtype::Dtype;
use crate::failure::Failure;

const INPUTS: &[Port] = &[
    Port::new("x", "The elements to write"),
    Port::new("indices", "Their positions in y; negative ones count from the end, positions outside are ignored")
        .of(INDICES),
    Port::new("y", "The array to write to; the file is not changed"),
];
const OUTPUTS: &[Port] = &[Port::new("result", "y with the elements of x")];
const AXIS: Parameter = Parameter::new("axis", Kind::Count, "The axis of y that is indexed; without it, y is one row");
const ALONG: Parameter = Parameter::new("along", Kind::Flag, "Take an index for each element, as put_along_axis");
const CLIP: Parameter = Parameter::new("clip", Kind::Flag, "Take the nearest position for indices outside");
const WRAP: Parameter = Parameter::new("wrap", Kind::Flag, "Take the remainder of indices outside");
const UNIQUE: Parameter = Parameter::new("unique", Kind::Flag, "State that all positions differ, which is faster");
const ORDERED: Parameter = Parameter::new("ordered", Kind::Flag, "Combine floats in the order of their indices");

/// An operator that calls the method `$method` of the builder, which combines elements.
macro_rules! combination {
    ($name:literal, $summary:literal, $method:ident) => {
        Operator {
            name: $name,
            summary: $summary,
            inputs: INPUTS,
            outputs: OUTPUTS,
            parameters: &[AXIS, ALONG, CLIP, WRAP, ORDERED],
            run: any_number!(T, call => for_type!([u32, i32, u64, i64], indices(call), I => {
                let cost = |scatter: &Scatter<'_>, count| scatter.cost_of_add::<T, I>(count);
                scatter::<T, I>(call, cost, |scatter, x, indices, y| scatter.$method(x, indices, y))
            })),
        }
    };
}

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "scatter",
        summary: "y[indices[i]] = x[i]; the last one wins where indices are equal",
        inputs: INPUTS,
        outputs: OUTPUTS,
        parameters: &[AXIS, ALONG, CLIP, WRAP, UNIQUE],
        run: any_element!(T, call => for_type!([u32, i32, u64, i64], indices(call), I => {
            let cost = |scatter: &Scatter<'_>, count| scatter.cost::<T, I>(count);
            scatter::<T, I>(call, cost, |scatter, x, indices, y| scatter.set(x, indices, y))
        })),
    },
    combination!("scatter_add", "y[indices[i]] += x[i], also where indices are equal", add),
    combination!("scatter_multiply", "y[indices[i]] *= x[i], also where indices are equal", multiply),
    combination!("scatter_min", "y[indices[i]] = min(y[indices[i]], x[i]), with NaN where one is NaN", min),
    combination!("scatter_max", "y[indices[i]] = max(y[indices[i]], x[i]), with NaN where one is NaN", max),
];

/// The type of the indices.
fn indices(call: &Call<'_>) -> Dtype {
    call.dtype("indices").unwrap_or(INDICES[0])
}

fn scatter<T: Number, I: Number + IndexElement>(
    call: &mut Call<'_>,
    cost: impl Fn(&Scatter<'_>, usize) -> Result<Cost, OperationError>,
    write: impl FnOnce(
        Scatter<'_>,
        &UnifiedBuffer<T>,
        &UnifiedBuffer<I>,
        &mut UnifiedBuffer<T>,
    ) -> Result<(), OperationError>,
) -> Result<(), Failure> {
    let (shape, values) = (call.shape("y"), call.values);
    let mut scatter = match values.count("axis") {
        Some(_) => {
            let axis = axis_of(call, &shape)?;
            expect_shapes(call, &shape, axis)?;
            Scatter::new(shape.clone(), axis)
        }
        None => Scatter::new([shape.iter().product()], 0),
    };
    let (clip, wrap) = (values.flag("clip"), values.flag("wrap"));
    if clip && wrap {
        return Err(Failure::Usage("expected one of --clip and --wrap, found both: leave one out".to_owned()));
    }
    if values.flag("along") {
        scatter = scatter.along();
    }
    if clip {
        scatter = scatter.clip();
    }
    if wrap {
        scatter = scatter.wrap();
    }
    if values.flag("unique") {
        scatter = scatter.unique();
    }
    if values.flag("ordered") {
        scatter = scatter.ordered();
    }
    let (x, indices, given) = (call.upload::<T>("x")?, call.upload::<I>("indices")?, call.upload::<T>("y")?);
    let mut y = call.array::<T>(&shape)?;
    call.cost = Some(cost(&scatter, indices.len())?);
    // Each repetition begins with the elements of the file.
    call.recording.copy(&given, &mut y)?;
    write(scatter.record(&mut call.recording), &x, &indices, &mut y)?;
    call.output(y, shape);
    Ok(())
}

/// Returns an error unless x and, with `--along`, the indices have the shape of y except for the axis.
fn expect_shapes(call: &Call<'_>, y: &[usize], axis: usize) -> Result<(), Failure> {
    let indices = call.shape("indices");
    if !call.values.flag("along") {
        let places = indices.iter().product();
        return expect_shape(call, "x", &resized(y, axis, places), "that of y with the indices along the axis");
    }
    let expected = resized(y, axis, indices.get(axis).copied().unwrap_or(y[axis]));
    expect_shape(call, "indices", &expected, "that of y except for the axis")?;
    expect_shape(call, "x", &expected, "that of the indices")
}
