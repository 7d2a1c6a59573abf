//! Softmax, norms, cross-entropy, and their derivatives.

use anywarp::UnifiedBuffer;
use anywarp::ops::{Activate, ActivationFunction, BatchNorm, CrossEntropy, FloatElement, IndexElement, Norm, Softmax};

use super::call::Call;
use super::entry::{Form, INDICES, Number, Operator, Port, by_type, for_type};
use super::parameter::{Kind, Parameter};
use super::shapes::{expect_axis, expect_shape, shown};
use crate::dtype::Dtype;
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

const F32: &[Dtype] = &[Dtype::F4];
const DY: Port = Port::new("dy", "The derivatives by the results");
const DX: Port = Port::new("dx", "The derivatives by the elements, with the shape of x");
const MEANS: Port = Port::new("means", "The mean of each row").of(F32);
const INVERSES: Port = Port::new("inverses", "1 / sqrt(variance + epsilon) of each row").of(F32);
const CHANNEL_MEANS: Port = Port::new("means", "The mean of each channel").of(F32);
const VARIANCES: Port = Port::new("variances", "The variance of each channel").of(F32);
const CHANNEL_INVERSES: Port = Port::new("inverses", "1 / sqrt(variance + epsilon) of each channel").of(F32);
const DSCALE: Port = Port::new("dscale", "The derivatives by the scale").of(F32);
const DBIAS: Port = Port::new("dbias", "The derivatives by the bias").of(F32);
const TARGETS: Port = Port::new("targets", "The class of each row, with the shape of x without the axis").of(INDICES);
const WEIGHTS: Port = Port::new("weights", "The weight of each class").of(F32).form(Form::Named);
const CLASSES: Parameter = Parameter::new("axis", Kind::Count, "The axis of classes").default("1");
const IGNORE: Parameter = Parameter::new("ignore", Kind::Number, "The target of rows to leave out");
const LOGARITHMS: Parameter = Parameter::new("logarithms", Kind::Flag, "Take x as logarithms of probabilities");
const SUM: Parameter = Parameter::new("sum", Kind::Flag, "Compute the sum of the losses, in place of their mean");
const EACH: Parameter = Parameter::new("each", Kind::Flag, "Compute the loss of each row, in place of their mean");

const FUNCTION: Parameter = Parameter::new(
    "function",
    Kind::Word(&[
        "relu",
        "gelu",
        "gelu_tanh",
        "silu",
        "sigmoid",
        "tanh",
        "softplus",
        "elu",
        "leaky_relu",
        "hardswish",
        "mish",
    ]),
    "The function",
);
const PARAMETER: Parameter =
    Parameter::new("parameter", Kind::Number, "The alpha of elu, by default 1, or the slope of leaky_relu, 0.01");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "activate",
        summary: "An activation function of each element",
        inputs: &[X],
        outputs: &[Y],
        parameters: &[FUNCTION.required(), PARAMETER],
        run: by_type!([f32, half::f16], T, call => {
            let (shape, activate) = (call.shape("x"), Activate::new(function(call)));
            let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
            call.cost = Some(activate.cost::<T>(x.len())?);
            activate.record(&mut call.recording).run(&x, &mut y)?;
            call.output(y, shape);
            Ok(())
        }),
    },
    Operator {
        name: "activate_backward",
        summary: "The derivatives of activate by its elements, from those by its results",
        inputs: &[X, DY],
        outputs: &[DX],
        parameters: &[FUNCTION.required(), PARAMETER],
        run: by_type!([f32, half::f16], T, call => {
            let (shape, activate) = (call.shape("x"), Activate::new(function(call)));
            expect_shape(call, "dy", &shape, "that of x")?;
            let (x, dy, mut dx) = (call.upload::<T>("x")?, call.upload::<T>("dy")?, call.array::<T>(&shape)?);
            call.cost = Some(activate.cost_of_backward::<T>(x.len())?);
            activate.record(&mut call.recording).backward(&x, &dy, &mut dx)?;
            call.output(dx, shape);
            Ok(())
        }),
    },
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
        summary: "Rows minus their mean, divided by their standard deviation",
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
        outputs: &[Y, MEANS, INVERSES],
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
    Operator {
        name: "batch_norm",
        summary: "Channels, the second axis of x, without a given mean, divided by the root of a given variance",
        inputs: &[X, CHANNEL_MEANS, VARIANCES, CHANNEL_SCALE, CHANNEL_BIAS],
        outputs: &[Y],
        parameters: &[EPSILON],
        run: by_type!([f32, half::f16], T, call => batch_norm::<T>(call)),
    },
    Operator {
        name: "batch_norm_train",
        summary: "As batch_norm, by the mean and the variance of each channel of x; with renewed running ones",
        inputs: &[
            X,
            Port::new("running_means", "The running mean of each channel").of(F32),
            Port::new("running_variances", "The running variance of each channel").of(F32),
            CHANNEL_SCALE,
            CHANNEL_BIAS,
        ],
        outputs: &[
            Y,
            CHANNEL_MEANS,
            CHANNEL_INVERSES,
            Port::new("new_means", "The running means, renewed").of(F32),
            Port::new("new_variances", "The running variances, renewed").of(F32),
        ],
        parameters: &[
            EPSILON,
            Parameter::new("momentum", Kind::Number, "The share of the new statistics in running ones").default("0.1"),
        ],
        run: by_type!([f32, half::f16], T, call => batch_norm_train::<T>(call)),
    },
    Operator {
        name: "batch_norm_backward",
        summary: "The derivatives of batch_norm_train by its elements, its scale and its bias",
        inputs: &[X, DY, CHANNEL_MEANS, CHANNEL_INVERSES, CHANNEL_SCALE],
        outputs: &[DX, DSCALE, DBIAS],
        parameters: &[],
        run: by_type!([f32, half::f16], T, call => batch_norm_backward::<T>(call)),
    },
    Operator {
        name: "softmax_backward",
        summary: "The derivatives of softmax by its elements, from its results and the derivatives by them",
        inputs: &[Port::new("y", "The results of softmax"), DY],
        outputs: &[DX],
        parameters: &[LAST],
        run: by_type!([f32, half::f16], T, call => softmax_backward::<T>(call, false)),
    },
    Operator {
        name: "log_softmax_backward",
        summary: "The derivatives of log_softmax by its elements, from its results and the derivatives by them",
        inputs: &[Port::new("y", "The results of log_softmax"), DY],
        outputs: &[DX],
        parameters: &[LAST],
        run: by_type!([f32, half::f16], T, call => softmax_backward::<T>(call, true)),
    },
    Operator {
        name: "layer_norm_backward",
        summary: "The derivatives of layer_norm by its elements, its scale and its bias",
        inputs: &[X, DY, MEANS, INVERSES, SCALE],
        outputs: &[DX, DSCALE, DBIAS],
        parameters: &[FIRST],
        run: by_type!([f32, half::f16], T, call => norm_backward::<T>(call, Norm::layer)),
    },
    Operator {
        name: "rms_norm_backward",
        summary: "The derivatives of rms_norm by its elements, its scale and its bias",
        inputs: &[X, DY, MEANS, INVERSES, SCALE],
        outputs: &[DX, DSCALE, DBIAS],
        parameters: &[FIRST],
        run: by_type!([f32, half::f16], T, call => norm_backward::<T>(call, Norm::rms)),
    },
    Operator {
        name: "cross_entropy",
        summary: "The negative logarithm of softmax at the class of each row, as a mean, as a sum, or of each row",
        inputs: &[X, TARGETS, WEIGHTS],
        outputs: &[Port::new("loss", "The loss, or the losses of all rows").of(F32)],
        parameters: &[CLASSES, IGNORE, LOGARITHMS, SUM, EACH],
        run: by_type!([f32, half::f16], T, call => {
            let targets = call.dtype("targets").unwrap_or(INDICES[0]);
            for_type!([u32, i32, u64, i64], targets, I => losses::<T, I>(call))
        }),
    },
    Operator {
        name: "cross_entropy_backward",
        summary: "The derivatives of cross_entropy by its elements",
        inputs: &[X, TARGETS, Port::new("dloss", "The derivatives by the losses").of(F32), WEIGHTS],
        outputs: &[DX],
        parameters: &[CLASSES, IGNORE, LOGARITHMS, SUM, EACH],
        run: by_type!([f32, half::f16], T, call => {
            let targets = call.dtype("targets").unwrap_or(INDICES[0]);
            for_type!([u32, i32, u64, i64], targets, I => losses_backward::<T, I>(call))
        }),
    },
];

/// The activation function of a call.
fn function(call: &Call<'_>) -> ActivationFunction {
    let parameter = |default: f32| call.values.number("parameter").map_or(default, |number| number as f32);
    match call.values.text("function") {
        Some("gelu") => ActivationFunction::Gelu,
        Some("gelu_tanh") => ActivationFunction::GeluTanh,
        Some("silu") => ActivationFunction::Silu,
        Some("sigmoid") => ActivationFunction::Sigmoid,
        Some("tanh") => ActivationFunction::Tanh,
        Some("softplus") => ActivationFunction::Softplus,
        Some("elu") => ActivationFunction::Elu(parameter(1.0)),
        Some("leaky_relu") => ActivationFunction::LeakyRelu(parameter(0.01)),
        Some("hardswish") => ActivationFunction::Hardswish,
        Some("mish") => ActivationFunction::Mish,
        _ => ActivationFunction::Relu,
    }
}

/// The axis of a call; the last one without `--axis`.
fn axis(call: &Call<'_>, port: &str) -> Result<usize, Failure> {
    let shape = call.shape(port);
    let axis = call.values.count("axis").unwrap_or(shape.len().saturating_sub(1));
    expect_axis(axis, &shape).map(|()| axis)
}

fn softmax<T: Number + FloatElement>(call: &mut Call<'_>, logarithm: bool) -> Result<(), Failure> {
    let (shape, axis) = (call.shape("x"), axis(call, "x")?);
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

/// The number of elements of a row, which spans all axes from `--axis` on. Scale and bias must have the shape of a row.
fn row(call: &Call<'_>) -> Result<usize, Failure> {
    let axis = axis(call, "x")?;
    let row = call.shape("x")[axis..].to_vec();
    for port in ["scale", "bias"] {
        expect_shape(call, port, &row, "that of a row")?;
    }
    Ok(row.iter().product())
}

/// The numbers of examples, of channels, and of elements in a channel of one example.
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

/// Runs a norm. `statistics` is the number of rows if the statistics of each row are outputs as well.
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

fn batch_norm<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (shape, sizes) = (call.shape("x"), channels(call)?);
    let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
    let (means, variances) = (call.upload::<f32>("means")?, call.upload::<f32>("variances")?);
    let (scale, bias) = (call.upload_given::<T>("scale")?, call.upload_given::<T>("bias")?);
    let norm = weighted(call, BatchNorm::new(sizes), scale.as_ref(), bias.as_ref());
    call.cost = Some(norm.cost()?);
    norm.record(&mut call.recording).run(&x, &means, &variances, &mut y)?;
    call.output(y, shape);
    Ok(())
}

fn batch_norm_train<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (shape, sizes) = (call.shape("x"), channels(call)?);
    let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
    let (mut new_means, mut new_variances) =
        (call.upload::<f32>("running_means")?, call.upload::<f32>("running_variances")?);
    let of_channels = [sizes[1]];
    let (mut means, mut inverses) = (call.array::<f32>(&of_channels)?, call.array::<f32>(&of_channels)?);
    let (scale, bias) = (call.upload_given::<T>("scale")?, call.upload_given::<T>("bias")?);
    let momentum = call.values.number("momentum").unwrap_or(0.1) as f32;
    let norm = weighted(call, BatchNorm::new(sizes), scale.as_ref(), bias.as_ref());
    let norm = norm.running(&mut new_means, &mut new_variances, momentum);
    call.cost = Some(norm.cost_of_train()?);
    norm.record(&mut call.recording).train(&x, &mut y, &mut means, &mut inverses)?;
    call.output(y, shape);
    for statistics in [means, inverses, new_means, new_variances] {
        call.output(statistics, of_channels.to_vec());
    }
    Ok(())
}

fn batch_norm_backward<T: Number + FloatElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (shape, sizes) = (call.shape("x"), channels(call)?);
    expect_shape(call, "dy", &shape, "that of x")?;
    let (x, dy) = (call.upload::<T>("x")?, call.upload::<T>("dy")?);
    let (means, inverses) = (call.upload::<f32>("means")?, call.upload::<f32>("inverses")?);
    let (scale, mut dx) = (call.upload_given::<T>("scale")?, call.array::<T>(&shape)?);
    let of_channels = [sizes[1]];
    let (mut dscale, mut dbias) = (call.array::<f32>(&of_channels)?, call.array::<f32>(&of_channels)?);
    let norm = weighted(call, BatchNorm::new(sizes), scale.as_ref(), None);
    call.cost = Some(norm.cost_of_backward()?);
    let norm = norm.record(&mut call.recording);
    norm.backward(&x, &dy, &means, &inverses, &mut dx, [&mut dscale, &mut dbias])?;
    call.output(dx, shape);
    call.output(dscale, of_channels.to_vec());
    call.output(dbias, of_channels.to_vec());
    Ok(())
}

/// A batch norm with the weights and the epsilon of a call.
fn weighted<'r, T: Number + FloatElement>(
    call: &Call<'_>,
    norm: BatchNorm<'r, T>,
    scale: Option<&'r UnifiedBuffer<T>>,
    bias: Option<&'r UnifiedBuffer<T>>,
) -> BatchNorm<'r, T> {
    let norm = norm.epsilon(call.values.number("epsilon").unwrap_or(1e-5) as f32);
    let norm = if let Some(scale) = scale { norm.scale(scale) } else { norm };
    if let Some(bias) = bias { norm.bias(bias) } else { norm }
}

fn softmax_backward<T: Number + FloatElement>(call: &mut Call<'_>, logarithm: bool) -> Result<(), Failure> {
    let (shape, axis) = (call.shape("y"), axis(call, "y")?);
    expect_shape(call, "dy", &shape, "that of y")?;
    let (y, dy, mut dx) = (call.upload::<T>("y")?, call.upload::<T>("dy")?, call.array::<T>(&shape)?);
    let mut softmax = Softmax::new(shape.clone(), axis);
    if logarithm {
        softmax = softmax.logarithm();
    }
    call.cost = Some(softmax.cost_of_backward::<T>(&call.device)?);
    softmax.record(&mut call.recording).backward(&y, &dy, &mut dx)?;
    call.output(dx, shape);
    Ok(())
}

fn norm_backward<T: Number + FloatElement>(
    call: &mut Call<'_>,
    norm: impl Fn(usize) -> Norm<'static, T>,
) -> Result<(), Failure> {
    let (shape, length, axis) = (call.shape("x"), row(call)?, axis(call, "x")?);
    expect_shape(call, "dy", &shape, "that of x")?;
    let (x, dy) = (call.upload::<T>("x")?, call.upload::<T>("dy")?);
    let (means, inverses) = (call.upload::<f32>("means")?, call.upload::<f32>("inverses")?);
    let scale = call.upload_given::<T>("scale")?;
    let row = shape[axis..].to_vec();
    let mut dx = call.array::<T>(&shape)?;
    let (mut dscale, mut dbias) = (call.array::<f32>(&row)?, call.array::<f32>(&row)?);
    call.cost = Some(norm(length).cost_of_backward(&call.device, x.len())?);
    let weights = norm(length).record(&mut call.recording);
    weights.backward_weights(&x, &dy, &means, &inverses, &mut dscale, &mut dbias)?;
    let mut norm: Norm<'_, T> = norm(length);
    if let Some(scale) = &scale {
        norm = norm.scale(scale);
    }
    norm.record(&mut call.recording).backward(&x, &dy, &means, &inverses, &mut dx)?;
    call.output(dx, shape);
    call.output(dscale, row.clone());
    call.output(dbias, row);
    Ok(())
}

/// Returns the loss that a call describes, without its weights, and the shape of the targets.
fn entropy<'r>(call: &Call<'_>) -> Result<(CrossEntropy<'r>, Vec<usize>), Failure> {
    let shape = call.shape("x");
    let axis = call.values.count("axis").unwrap_or(1);
    expect_axis(axis, &shape)?;
    let targets = [&shape[..axis], &shape[axis + 1..]].concat();
    expect_shape(call, "targets", &targets, "that of x without the axis of classes")?;
    let mut entropy = CrossEntropy::new(shape, axis);
    if let Some(ignored) = call.values.number("ignore") {
        entropy = entropy.ignore(ignored as i64);
    }
    if call.values.flag("logarithms") {
        entropy = entropy.logarithms();
    }
    if call.values.flag("sum") {
        entropy = entropy.sum();
    }
    if call.values.flag("each") {
        entropy = entropy.each();
    }
    Ok((entropy, targets))
}

fn losses<T: Number + FloatElement, I: Number + IndexElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (mut entropy, mut shape) = entropy(call)?;
    let (x, targets) = (call.upload::<T>("x")?, call.upload::<I>("targets")?);
    let weights = call.upload_given::<f32>("weights")?;
    if let Some(weights) = &weights {
        entropy = entropy.weights(weights);
    }
    if !call.values.flag("each") {
        shape = Vec::new();
    }
    let mut loss = call.array::<f32>(&shape)?;
    call.cost = Some(entropy.cost::<T, I>(&call.device)?);
    entropy.record(&mut call.recording).run(&x, &targets, &mut loss)?;
    call.output(loss, shape);
    Ok(())
}

fn losses_backward<T: Number + FloatElement, I: Number + IndexElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (mut entropy, _) = entropy(call)?;
    let (x, targets, dloss) = (call.upload::<T>("x")?, call.upload::<I>("targets")?, call.upload::<f32>("dloss")?);
    let weights = call.upload_given::<f32>("weights")?;
    if let Some(weights) = &weights {
        entropy = entropy.weights(weights);
    }
    let mut dx = call.array::<T>(&call.shape("x"))?;
    entropy.record(&mut call.recording).backward(&x, &targets, &dloss, &mut dx)?;
    let shape = call.shape("x");
    call.output(dx, shape);
    Ok(())
}
