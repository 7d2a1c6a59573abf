//! Pooling.

use anywarp::ops::{FloatElement, Pool};

use super::call::Call;
use super::entry::{Number, Operator, Port, U32, by_type};
use super::parameter::{Kind, Parameter};
use super::places;
use crate::failure::Failure;

const X: &[Port] =
    &[Port::new("x", "Elements of shape (examples, channels, positions..), one to three axes of positions")];
const Y: Port = Port::new("y", "The results");
const KERNEL: Parameter =
    Parameter::new("kernel", Kind::Counts, "The size of a window along each axis of positions").required();
const STRIDE: Parameter =
    Parameter::new("stride", Kind::Counts, "The distance of windows along each axis of positions");
const PADDING: Parameter =
    Parameter::new("padding", Kind::Pairs, "The positions to add around each axis of positions: BEFORE:AFTER");
const DILATION: Parameter =
    Parameter::new("dilation", Kind::Counts, "The distance of a window's elements along each axis of positions");
const CEIL: Parameter = Parameter::new("ceil", Kind::Flag, "Round the number of windows up");
const CHANNELS_LAST: Parameter = Parameter::new("channels_last", Kind::Flag, "Take channels as the last axis");
const WINDOWS: &[Parameter] = &[KERNEL, STRIDE, PADDING, DILATION, CEIL, CHANNELS_LAST];
const OUTPUT: Parameter =
    Parameter::new("output", Kind::Counts, "The number of results along each axis of positions").required();

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "max_pool",
        summary: "The greatest element of each window",
        inputs: X,
        outputs: &[Y],
        parameters: WINDOWS,
        run: by_type!([f32, half::f16], T, call => {
            let pool = Pool::<T>::max(call.shape("x"), &kernel(call));
            pooled(call, pool, false)
        }),
    },
    Operator {
        name: "max_pool_with_indices",
        summary: "The greatest element of each window, with its index in x",
        inputs: X,
        outputs: &[Y, Port::new("indices", "The indices, counted through the whole array").of(U32)],
        parameters: WINDOWS,
        run: by_type!([f32, half::f16], T, call => {
            let pool = Pool::<T>::max(call.shape("x"), &kernel(call));
            pooled(call, pool, true)
        }),
    },
    Operator {
        name: "average_pool",
        summary: "The mean of each window",
        inputs: X,
        outputs: &[Y],
        parameters: &[
            KERNEL,
            STRIDE,
            PADDING,
            DILATION,
            CEIL,
            CHANNELS_LAST,
            Parameter::new("count_padding", Kind::Flag, "Count the padding as elements of 0"),
        ],
        run: by_type!([f32, half::f16], T, call => {
            let pool = Pool::<T>::average(call.shape("x"), &kernel(call));
            pooled(call, pool, false)
        }),
    },
    Operator {
        name: "norm_pool",
        summary: "The norm of each window: the root of a sum of powers",
        inputs: X,
        outputs: &[Y],
        parameters: &[
            KERNEL,
            STRIDE,
            PADDING,
            DILATION,
            CEIL,
            CHANNELS_LAST,
            Parameter::new("power", Kind::Number, "The power, at least 1").default("2"),
        ],
        run: by_type!([f32, half::f16], T, call => {
            let power = call.values.number("power").unwrap_or(2.0) as f32;
            let pool = Pool::<T>::norm(call.shape("x"), &kernel(call), power);
            pooled(call, pool, false)
        }),
    },
    Operator {
        name: "adaptive_max_pool",
        summary: "The greatest elements of windows that divide each axis among a number of results",
        inputs: X,
        outputs: &[Y],
        parameters: &[OUTPUT, CHANNELS_LAST],
        run: by_type!([f32, half::f16], T, call => {
            let pool = Pool::<T>::adaptive_max(call.shape("x"), &call.values.counts("output").unwrap_or_default());
            pooled(call, pool, false)
        }),
    },
    Operator {
        name: "adaptive_average_pool",
        summary: "The means of windows that divide each axis among a number of results",
        inputs: X,
        outputs: &[Y],
        parameters: &[OUTPUT, CHANNELS_LAST],
        run: by_type!([f32, half::f16], T, call => {
            let pool = Pool::<T>::adaptive_average(call.shape("x"), &call.values.counts("output").unwrap_or_default());
            pooled(call, pool, false)
        }),
    },
];

fn kernel(call: &Call<'_>) -> Vec<usize> {
    call.values.counts("kernel").unwrap_or_default()
}

fn pooled<T: Number + FloatElement>(
    call: &mut Call<'_>,
    mut pool: Pool<'_, T>,
    with_indices: bool,
) -> Result<(), Failure> {
    if let Some(stride) = call.values.counts("stride") {
        pool = pool.stride(&stride);
    }
    if call.values.flag("padding") {
        let padding = places::counted::<usize>(call, "padding")?;
        pool = pool.padding(&padding.into_iter().map(Into::into).collect::<Vec<[usize; 2]>>());
    }
    if let Some(dilation) = call.values.counts("dilation") {
        pool = pool.dilation(&dilation);
    }
    if call.values.flag("ceil") {
        pool = pool.ceil();
    }
    if call.values.flag("channels_last") {
        pool = pool.channels_last();
    }
    if call.values.flag("count_padding") {
        pool = pool.count_padding();
    }
    let shape = pool.shape()?;
    let (x, mut y) = (call.upload::<T>("x")?, call.array::<T>(&shape)?);
    let mut indices = call.array::<u32>(if with_indices { &shape } else { &[0] })?;
    let pool = if with_indices { pool.indices(&mut indices) } else { pool };
    call.cost = Some(pool.cost(&call.device)?);
    pool.record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, shape.clone());
    if with_indices {
        call.output(indices, shape);
    }
    Ok(())
}
