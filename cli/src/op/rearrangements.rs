//! Elements in another order.

use anywarp::ops::{Pad, Rearrange};

use super::call::Call;
use super::entry::{Number, Operator, Port, any_element, any_number};
use super::numbers::number;
use super::parameter::{Kind, Parameter};
use super::places;
use crate::failure::Failure;

const X: &[Port] = &[Port::new("x", "The elements")];
const Y: &[Port] = &[Port::new("y", "The rearranged elements")];

const SHIFTED: Parameter = Parameter::new("axes", Kind::Counts, "The axes to shift; all of them by default");

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "transpose",
        summary: "All axes in reverse order",
        inputs: X,
        outputs: Y,
        parameters: &[],
        run: any_element!(T, call => rearrange(call, Rearrange::<T>::transpose(call.shape("x")))),
    },
    Operator {
        name: "permute",
        summary: "Axes in another order: axis k of the result is axis --axes[k] of x",
        inputs: X,
        outputs: Y,
        parameters: &[Parameter::new("axes", Kind::Counts, "All axes of x, in their new order").required()],
        run: any_element!(T, call => {
            let axes = call.values.counts("axes").unwrap_or_default();
            rearrange(call, Rearrange::<T>::permute(call.shape("x"), &axes))
        }),
    },
    Operator {
        name: "flip",
        summary: "Elements in reverse order along axes",
        inputs: X,
        outputs: Y,
        parameters: &[Parameter::new("axes", Kind::Counts, "The axes to reverse; by default all")],
        run: any_element!(T, call => {
            let shape = call.shape("x");
            let axes = call.values.counts("axes").unwrap_or_else(|| (0..shape.len()).collect());
            rearrange(call, Rearrange::<T>::flip(shape, &axes))
        }),
    },
    Operator {
        name: "roll",
        summary: "Elements moved along axes; those that leave an axis come back at its other end",
        inputs: X,
        outputs: Y,
        parameters: &[Parameter::new(
            "shifts",
            Kind::Pairs,
            "Axes, each with the number of positions to move by: AXIS:COUNT",
        )
        .required()],
        run: any_element!(T, call => {
            let shifts = places::counted::<isize>(call, "shifts")?;
            rearrange(call, Rearrange::<T>::roll(call.shape("x"), &shifts))
        }),
    },
    Operator {
        name: "fftshift",
        summary: "The element 0 moved to the middle along each axis: the results of a Fourier transform by frequency",
        inputs: X,
        outputs: Y,
        parameters: &[SHIFTED],
        run: any_element!(T, call => {
            let (shape, axes) = shifted(call);
            rearrange(call, Rearrange::<T>::fftshift(shape, &axes))
        }),
    },
    Operator {
        name: "ifftshift",
        summary: "The middle element moved to the position 0 along each axis: the inverse of fftshift",
        inputs: X,
        outputs: Y,
        parameters: &[SHIFTED],
        run: any_element!(T, call => {
            let (shape, axes) = shifted(call);
            rearrange(call, Rearrange::<T>::ifftshift(shape, &axes))
        }),
    },
    Operator {
        name: "tile",
        summary: "The array repeated along its axes, and along new ones in front",
        inputs: X,
        outputs: Y,
        parameters: &[Parameter::new("repeats", Kind::Counts, "The number of repeats along each axis").required()],
        run: any_element!(T, call => {
            let repeats = call.values.counts("repeats").unwrap_or_default();
            rearrange(call, Rearrange::<T>::tile(call.shape("x"), &repeats))
        }),
    },
    Operator {
        name: "broadcast",
        summary: "Elements repeated along axes of size 1, and along new ones in front",
        inputs: X,
        outputs: Y,
        parameters: &[Parameter::new("to", Kind::Shape, "The shape of the result").required()],
        run: any_element!(T, call => {
            let to = call.values.shape("to").unwrap_or_default();
            rearrange(call, Rearrange::<T>::broadcast(call.shape("x"), &to))
        }),
    },
    Operator {
        name: "copy_part",
        summary: "A part of x, with a step along each axis, as Python's x[1:5, ::-1]",
        inputs: X,
        outputs: Y,
        parameters: &[
            Parameter::new("parts", Kind::Parts, "The steps along the first axes; other axes are whole").required()
        ],
        run: any_element!(T, call => {
            let parts = call.values.parts("parts").unwrap_or_default();
            rearrange(call, Rearrange::<T>::part(call.shape("x"), &parts))
        }),
    },
    Operator {
        name: "pad",
        summary: "x with elements before and after each axis",
        inputs: X,
        outputs: Y,
        parameters: &[
            Parameter::new("widths", Kind::Pairs, "The elements to add to each axis: BEFORE:AFTER").required(),
            Parameter::new(
                "pad",
                Kind::Word(&["constant", "edge", "reflect", "symmetric", "wrap"]),
                "The elements to add",
            )
            .default("constant"),
            Parameter::new("value", Kind::Number, "The element of --pad constant").default("0"),
        ],
        run: any_number!(T, call => {
            let widths = places::counted::<usize>(call, "widths")?;
            let widths: Vec<[usize; 2]> = widths.into_iter().map(Into::into).collect();
            let pad = match call.values.text("pad") {
                Some("edge") => Pad::Edge,
                Some("reflect") => Pad::Reflect,
                Some("symmetric") => Pad::Symmetric,
                Some("wrap") => Pad::Wrap,
                _ => Pad::Constant(number::<T>(call, "value")?.unwrap_or_default()),
            };
            rearrange(call, Rearrange::<T>::pad(call.shape("x"), &widths, pad))
        }),
    },
];

fn rearrange<T: Number>(call: &mut Call<'_>, change: Rearrange<'_, T>) -> Result<(), Failure> {
    let x = call.upload::<T>("x")?;
    let shape = change.shape()?;
    let mut y = call.array::<T>(&shape)?;
    call.cost = Some(change.cost()?);
    change.record(&mut call.recording).run(&x, &mut y)?;
    call.output(y, shape);
    Ok(())
}

/// The shape of x, and the axes to shift.
fn shifted(call: &Call<'_>) -> (Vec<usize>, Vec<usize>) {
    let shape = call.shape("x");
    let axes = call.values.counts("axes").unwrap_or_else(|| (0..shape.len()).collect());
    (shape, axes)
}
