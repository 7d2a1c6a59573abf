//! Softmax and norms.

use anywarp::ops::{FloatElement, Norm, Softmax};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, by_type};
use super::parameter::{Kind, Parameter};
use super::shapes::{expect_axis, expect_shape, shown};
use crate::failure::Failure;

const X: Port = Port::new("x", "The elements");
const Y: Port = Port::new("y", "The results, with the shape of x");
const LAST: Parameter = Parameter::new("axis", Kind::Count, "The axis of a row, by default the last one");
const FIRST: Parameter = Parameter::new("axis", Kind::Count, "The first axis of a row, by default the last one");
const EPSILON: Parameter =
    Parameter::new("epsilon", Kind::Number, "The number that is added to the mean square").default("1e-5");
const GROUPS: Parameter = Parameter::new("groups", Kind::Count, "The groups of channels of an example").required();
const SCALE: Port = Port::new("scale", "The factor of each element of a row").form(Form::Optional);
const BIAS: Port = Port::new("bias", "The number added to each element of a row").form(Form::Optional);
const CHANNEL_SCALE: Port = Port::new("scale", "The factor of each channel").form(Form::Optional);
const CHANNEL_BIAS: Port = Port::new("bias", "The number added to each channel").form(Form::Optional);

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "softmax",
        summary: "Exponentials along an axis, divided by their sum",
        inputs: &[X],
        outputs: &[Y],
        parameters: &[LAST],
        run: by_type!([f32, half::f16], T, call => softmax::<T>(call, false)),
    },
    Operator {
        name: "log_softmax",
        summary: "The logarithms of softmax",
        inputs: &[X],
        outputs: &[Y],
        parameters: &[LAST],
        run: by_type!([f32, half::f16], T, call => softmax::<T>(call, true)),
    },
    Operator {
        name: "layer_norm",
        summary: "Rows without their mean, divided by their standard deviation",
        inputs: &[X, SCALE, BIAS],
        outputs: &[Y],
        parameters: &[FIRST, EPSILON],
        run: by_type!([f32, half::f16], T, call => {
            let length = row(call)?;
            norm::<T>(call, Norm::layer(length), None)
        }),
    },
    Operator {
        name: "layer_norm_with_statistics",
        summary: "As layer_norm, with the mean and the inverse of the standard deviation of each row",
        inputs: &[X, SCALE, BIAS],
        outputs: &[
            Y,
            Port::new("means", "The mean of each row").of(&[crate::dtype::Dtype::F4]),
            Port::new("inverses", "1 / sqrt(variance + epsilon) of each row").of(&[crate::dtype::Dtype::F4]),
        ],
        parameters: &[FIRST, EPSILON],
        run: by_type!([f32, half::f16], T, call => {
            let length = row(call)?;
            let rows = call.shape("x").iter().product::<usize>().checked_div(length).unwrap_or(0);
            norm::<T>(call, Norm::layer(length), Some(rows))
        }),
    },
    Operator {
        name: "rms_norm",
        summary: "Rows divided by the root of their mean square",
        inputs: &[X, SCALE, BIAS],
        outputs: &[Y],
        parameters: &[FIRST, EPSILON],
        run: by_type!([f32, half::f16], T, call => {
            let length = row(call)?;
            norm::<T>(call, Norm::rms(length), None)
        }),
    },
    Operator {
        name: "group_norm",
        summary: "As layer_norm, of groups of the channels of each example: the second axis of x",
        inputs: &[X, CHANNEL_SCALE, CHANNEL_BIAS],
        outputs: &[Y],
        parameters: &[GROUPS, EPSILON],
        run: by_type!([f32, half::f16], T, call => {
            let (shape, groups) = (channels(call)?, call.values.count("groups").unwrap_or(1));
            norm::<T>(call, Norm::group(shape, groups), None)
        }),
    },
    Operator {
        name: "instance_norm",
        summary: "As layer_norm, of each channel of each example: the second axis of x",
        inputs: &[X, CHANNEL_SCALE, CHANNEL_BIAS],
        outputs: &[Y],
        parameters: &[EPSILON],
        run: by_type!([f32, half::f16], T, call => {
            let shape = channels(call)?;
            norm::<T>(call, Norm::instance(shape), None)
        }),
    },
];

/// The axis of a call; the last one without `--axis`.
fn axis(call: &Call<'_>) -> Result<usize, Failure> {
    let shape = call.shape("x");
    let axis = call.values.count("axis").unwrap_or(shape.len().saturating_sub(1));
    expect_axis(axis, &shape).map(|()| axis)
}

fn softmax<T: Number + FloatElement>(call: &mut Call<'_>, logarithm: bool) -> Result<(), Failure> {
    let (shape, axis) = (call.shape("x"), axis(call)?);
    let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
    let mut softmax = Softmax::new(shape.clone(), axis);
    if logarithm {
        softmax = softmax.logarithm();
    }
    call.cost = Some(softmax.cost::<T>(&call.device)?);
    softmax.record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, shape);
    Ok(())
}

/// The elements of a row: those of all axes from one on. Scale and bias have the shape of a row.
fn row(call: &Call<'_>) -> Result<usize, Failure> {
    let axis = axis(call)?;
    let row = call.shape("x")[axis..].to_vec();
    for port in ["scale", "bias"] {
        expect_shape(call, port, &row, "that of a row")?;
    }
    Ok(row.iter().product())
}

/// Examples, channels, and elements of a channel.
fn channels(call: &Call<'_>) -> Result<[usize; 3], Failure> {
    let shape = call.shape("x");
    let [examples, channels, rest @ ..] = &shape[..] else {
        let shown = shown(&shape);
        return Err(Failure::File(format!(
            "x: expected a shape of examples, channels and more axes, found {shown}: save a reshaped array"
        )));
    };
    for port in ["scale", "bias"] {
        expect_shape(call, port, &[*channels], "a number for each channel")?;
    }
    Ok([*examples, *channels, rest.iter().product()])
}

/// Runs a norm; with a number of rows, also writes the statistics of each.
fn norm<T: Number + FloatElement>(
    call: &mut Call<'_>,
    norm: Norm<'_, T>,
    statistics: Option<usize>,
) -> Result<(), Failure> {
    let shape = call.shape("x");
    let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
    let (scale, bias) = (call.upload_given::<T>("scale")?, call.upload_given::<T>("bias")?);
    let rows = statistics.unwrap_or(0);
    let (mut means, mut inverses) = (call.array::<f32>(&[rows])?, call.array::<f32>(&[rows])?);
    let mut norm = norm.epsilon(call.values.number("epsilon").unwrap_or(1e-5) as f32);
    if let Some(scale) = &scale {
        norm = norm.scale(scale);
    }
    if let Some(bias) = &bias {
        norm = norm.bias(bias);
    }
    if statistics.is_some() {
        norm = norm.statistics(&mut means, &mut inverses);
    }
    call.cost = Some(norm.cost(&call.device, x.len())?);
    norm.record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, shape);
    if statistics.is_some() {
        call.output(means, vec![rows]);
        call.output(inverses, vec![rows]);
    }
    Ok(())
}
