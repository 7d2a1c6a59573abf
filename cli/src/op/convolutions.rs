//! Convolutions and their derivatives.

use anywarp::ops::{Activation, Conv, FloatElement};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, by_type};
use super::parameter::{Kind, Parameter};
use super::places;
use super::shapes::{expect_shape, shown};
use crate::dtype::Dtype;
use crate::failure::Failure;

const X: Port = Port::new("x", "Elements of shape (examples, channels, positions..), one to three axes of positions");
const WEIGHTS: Port = Port::new("weights", "Weights of shape (channels of y, channels of a group, kernel..)");
const BIAS: Port = Port::new("bias", "The number added to each channel").form(Form::Optional);
const Y: Port = Port::new("y", "The results");
const DY: Port = Port::new("dy", "The derivatives by the results");
const STRIDE: Parameter =
    Parameter::new("stride", Kind::Counts, "The distance of windows along each axis of positions");
const PADDING: Parameter =
    Parameter::new("padding", Kind::Pairs, "The zeros around each axis of positions: BEFORE:AFTER");
const DILATION: Parameter =
    Parameter::new("dilation", Kind::Counts, "The distance of taps along each axis of positions");
const GROUPS: Parameter = Parameter::new("groups", Kind::Count, "The groups of channels").default("1");
const CHANNELS_LAST: Parameter =
    Parameter::new("channels_last", Kind::Flag, "Take channels as the last axis of all files");
const ACTIVATION: Parameter =
    Parameter::new("activation", Kind::Word(&["relu", "gelu", "silu"]), "A function of each result");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "conv",
        summary: "A convolution of one to three axes, as ONNX's Conv",
        inputs: &[X, WEIGHTS, BIAS],
        outputs: &[Y],
        parameters: &[
            STRIDE,
            PADDING,
            DILATION,
            GROUPS,
            CHANNELS_LAST,
            ACTIVATION,
            Parameter::new(
                "winograd",
                Kind::Flag,
                "Compute in fewer products, of another rounding: f32, kernels of 3 x 3",
            ),
        ],
        run: by_type!([f32, half::f16], T, call => {
            let mut conv = Conv::<T>::new(call.shape("x"), call.shape("weights"));
            if call.values.flag("winograd") {
                conv = conv.winograd();
            }
            run(call, conv)
        }),
    },
    Operator {
        name: "conv_transposed",
        summary: "A transposed convolution, as ONNX's ConvTranspose",
        inputs: &[X, Port::new("weights", "Weights of shape (channels, channels of y in a group, kernel..)"), BIAS],
        outputs: &[Y],
        parameters: &[
            STRIDE,
            PADDING,
            DILATION,
            Parameter::new("output_padding", Kind::Counts, "The positions to add after each axis of y"),
            GROUPS,
            CHANNELS_LAST,
            ACTIVATION,
        ],
        run: by_type!([f32, half::f16], T, call => {
            let mut conv = Conv::<T>::transposed(call.shape("x"), call.shape("weights"));
            if let Some(more) = call.values.counts("output_padding") {
                conv = conv.output_padding(&more);
            }
            run(call, conv)
        }),
    },
    Operator {
        name: "conv_backward",
        summary: "The derivatives of conv by x",
        inputs: &[DY, WEIGHTS],
        outputs: &[Port::new("dx", "The derivatives by x")],
        parameters: &[
            Parameter::new("shape", Kind::Shape, "The shape of x").required(),
            STRIDE,
            PADDING,
            DILATION,
            GROUPS,
            CHANNELS_LAST,
        ],
        run: by_type!([f32, half::f16], T, call => backward::<T>(call)),
    },
    Operator {
        name: "conv_backward_weights",
        summary: "The derivatives of conv by the weights",
        inputs: &[X, DY],
        outputs: &[Port::new("dweights", "The derivatives by the weights").of(&[Dtype::F4])],
        parameters: &[
            Parameter::new("kernel", Kind::Counts, "The size of the kernel along each axis of positions").required(),
            STRIDE,
            PADDING,
            DILATION,
            GROUPS,
            CHANNELS_LAST,
        ],
        run: by_type!([f32, half::f16], T, call => backward_weights::<T>(call)),
    },
];

/// Returns `conv` with the options of a call.
fn configured<'r, T: FloatElement>(call: &Call<'_>, mut conv: Conv<'r, T>) -> Result<Conv<'r, T>, Failure> {
    if let Some(stride) = call.values.counts("stride") {
        conv = conv.stride(&stride);
    }
    if call.values.flag("padding") {
        let padding = places::counted::<usize>(call, "padding")?;
        conv = conv.padding(&padding.into_iter().map(Into::into).collect::<Vec<[usize; 2]>>());
    }
    if let Some(dilation) = call.values.counts("dilation") {
        conv = conv.dilation(&dilation);
    }
    if call.values.flag("channels_last") {
        conv = conv.channels_last();
    }
    Ok(conv.groups(call.values.count("groups").unwrap_or(1)))
}

fn run<T: Number + FloatElement>(call: &mut Call<'_>, conv: Conv<'_, T>) -> Result<(), Failure> {
    let mut conv = configured(call, conv)?;
    let (x, weights, bias) = (call.upload::<T>("x")?, call.upload::<T>("weights")?, call.upload_given::<T>("bias")?);
    if let Some(bias) = &bias {
        conv = conv.bias(bias);
    }
    conv = match call.values.text("activation") {
        Some("relu") => conv.activation(Activation::Relu),
        Some("gelu") => conv.activation(Activation::Gelu),
        Some(_) => conv.activation(Activation::Silu),
        None => conv,
    };
    let shape = conv.shape()?;
    let mut y = call.array::<T>(&shape)?;
    call.cost = Some(conv.cost(&call.device)?);
    conv.record(&mut call.recording).run(&x, &weights, &mut y)?;
    call.output(y, shape);
    Ok(())
}

fn backward<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let shape = call.values.shape("shape").unwrap_or_default();
    let conv = configured(call, Conv::<T>::new(shape.clone(), call.shape("weights")))?;
    expect_shape(call, "dy", &conv.shape()?, "that of the results")?;
    let (dy, weights, mut dx) = (call.upload::<T>("dy")?, call.upload::<T>("weights")?, call.array::<T>(&shape)?);
    call.cost = Some(conv.cost(&call.device)?);
    conv.record(&mut call.recording).backward(&dy, &weights, &mut dx)?;
    call.output(dx, shape);
    Ok(())
}

fn backward_weights<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (x_shape, dy_shape) = (call.shape("x"), call.shape("dy"));
    let kernel = call.values.counts("kernel").unwrap_or_default();
    let groups = call.values.count("groups").unwrap_or(1).max(1);
    let ([_, first, .., last], [_, of_y, .., last_of_y]) = (&x_shape[..], &dy_shape[..]) else {
        let shown = shown(&x_shape);
        return Err(Failure::File(format!(
            "x: expected a shape of examples, channels and positions, found {shown}: save a reshaped array"
        )));
    };
    let weights = if call.values.flag("channels_last") {
        [&[*last_of_y], &kernel[..], &[last / groups]].concat()
    } else {
        [&[*of_y, first / groups], &kernel[..]].concat()
    };
    let conv = configured(call, Conv::<T>::new(x_shape, weights.clone()))?;
    expect_shape(call, "dy", &conv.shape()?, "that of the results")?;
    let (x, dy, mut dweights) = (call.upload::<T>("x")?, call.upload::<T>("dy")?, call.array::<f32>(&weights)?);
    call.cost = Some(conv.cost(&call.device)?);
    conv.record(&mut call.recording).backward_weights(&x, &dy, &mut dweights)?;
    call.output(dweights, weights);
    Ok(())
}
