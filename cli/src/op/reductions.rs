//! Reductions by name.

use anywarp::UnifiedBuffer;
use anywarp::ops::{AnyInput, ReductionKernel, reduce, shaped};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, U32, by_type};
use super::parameter::{Kind, Parameter};
use super::shapes::expect_axis;
use crate::failure::Failure;

pub(crate) const AXIS: Parameter = Parameter::new("axis", Kind::Counts, "The axes to reduce along; by default all");
pub(crate) const KEEP: Parameter = Parameter::new("keepdims", Kind::Flag, "Keep a size of 1 for each reduced axis");
pub(crate) const SEGMENTS: Port = Port::new(
    "segments",
    "The index of the first element of each segment, and the end of the last; one result for each segment",
)
.of(U32)
.form(Form::Named);
const X: &[Port] = &[Port::new("x", "The elements"), SEGMENTS];
const Y: &[Port] = &[Port::new("y", "The results, with the remaining sizes of x")];
const COUNT: &[Port] = &[Port::new("y", "The results, with the remaining sizes of x").of(U32)];

/// An operator that reduces `x` by `$kernel`, for each of the listed types as `$letter`. The results have the type
/// `$result`.
macro_rules! reduction {
    ($name:literal, $summary:literal, $outputs:expr, [$($type:ty),+], $letter:ident => $kernel:expr, $result:ty) => {
        Operator {
            name: $name,
            summary: $summary,
            inputs: X,
            outputs: $outputs,
            parameters: &[AXIS, KEEP],
            run: by_type!([$($type),+], $letter, call => {
                let x = call.upload::<$letter>("x")?;
                let shape = call.shape("x");
                reduce::<$result>(call, $kernel, vec![AnyInput::new(shaped(&x, shape.clone()))], &shape)
            }),
        }
    };
}

pub(crate) const OPERATORS: &[Operator] = &[
    reduction!("sum", "Sums", Y, [f32, u32, i32, f64, u64, i64, half::f16], T => reduce::sum(), T),
    reduction!("product", "Products", Y, [f32, u32, i32, f64, u64, i64, half::f16], T => reduce::product(), T),
    Operator {
        name: "dot",
        summary: "The sum of the products of two arrays",
        inputs: &[Port::new("x", "The elements"), Port::new("y", "The factors of x, one for each element"), SEGMENTS],
        outputs: &[Port::new("z", "The results, with the remaining sizes of x")],
        parameters: &[AXIS, KEEP],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => {
            let (x, y) = (call.upload::<T>("x")?, call.upload::<T>("y")?);
            let (of_x, of_y) = (call.shape("x"), call.shape("y"));
            let inputs = vec![AnyInput::new(shaped(&x, of_x.clone())), AnyInput::new(shaped(&y, of_y))];
            reduce::<T>(call, reduce::dot(), inputs, &of_x)
        }),
    },
    reduction!("norm", "Euclidean norms", Y, [f32, f64, half::f16], T => reduce::norm(), T),
    reduction!("min", "The least elements; NaN if there is one", Y, [f32, u32, i32, f64, u64, i64, half::f16],
        T => reduce::min::<T>(), T),
    reduction!("max", "The greatest elements; NaN if there is one", Y, [f32, u32, i32, f64, u64, i64, half::f16],
        T => reduce::max::<T>(), T),
    reduction!("argmin", "The index of the first least element", COUNT, [f32, u32, i32, half::f16],
        T => reduce::argmin(), u32),
    reduction!("argmax", "The index of the first greatest element", COUNT, [f32, u32, i32, half::f16],
        T => reduce::argmax(), u32),
    reduction!("mean", "Arithmetic means", Y, [f32, f64, half::f16], T => reduce::mean(), T),
    reduction!("variance", "Variances: means of the squared distances from the mean", Y, [f32, f64, half::f16],
        T => reduce::variance(), T),
    reduction!("logsumexp", "Logarithms of sums of exponentials, without overflow", Y, [f32, half::f16],
        T => reduce::logsumexp(), T),
    reduction!("count", "Numbers of elements that are not 0", COUNT, [f32, u32, i32, f64, u64, i64, half::f16],
        T => reduce::count(), u32),
    reduction!("any", "1 if an element is not 0, else 0", COUNT, [f32, u32, i32, f64, u64, i64, half::f16],
        T => reduce::any(), u32),
    reduction!("all", "1 if no element is 0, else 0", COUNT, [f32, u32, i32, f64, u64, i64, half::f16],
        T => reduce::all(), u32),
    reduction!("nan_sum", "Sums without NaN", Y, [f32, f64, half::f16], T => reduce::nan_sum(), T),
    reduction!("nan_min", "The least elements without NaN", Y, [f32, f64, half::f16], T => reduce::nan_min(), T),
    reduction!("nan_max", "The greatest elements without NaN", Y, [f32, f64, half::f16], T => reduce::nan_max(), T),
    reduction!("nan_mean", "Means without NaN", Y, [f32, f64, half::f16], T => reduce::nan_mean(), T),
    reduction!("nan_argmin", "The index of the first least element that is not NaN", COUNT, [f32, half::f16],
        T => reduce::nan_argmin(), u32),
    reduction!("nan_argmax", "The index of the first greatest element that is not NaN", COUNT, [f32, half::f16],
        T => reduce::nan_argmax(), u32),
];

/// Reduces inputs, whose joint shape is `shape`, by `kernel`.
pub(super) fn reduce<R: Number>(
    call: &mut Call<'_>,
    kernel: &ReductionKernel,
    inputs: Vec<AnyInput<'_>>,
    shape: &[usize],
) -> Result<(), Failure> {
    let axes = call.values.counts("axis");
    axes.iter().flatten().try_for_each(|axis| expect_axis(*axis, shape))?;
    let segments = call.upload_given::<u32>("segments")?;
    let reduced = |axis: usize| axes.as_ref().is_none_or(|axes| axes.contains(&axis));
    let keep = call.values.flag("keepdims");
    let remaining = shape.iter().enumerate().filter(|(axis, _)| keep || !reduced(*axis));
    let mut result: Vec<usize> = remaining.map(|(axis, extent)| if reduced(axis) { 1 } else { *extent }).collect();
    if let Some(offsets) = &segments {
        result = vec![offsets.len().saturating_sub(1)];
    }
    let mut y: UnifiedBuffer<R> = call.array(&result)?;
    let mut reduction = kernel.call(&call.device);
    if let Some(offsets) = &segments {
        reduction = reduction.segments(offsets);
    }
    if let Some(axes) = axes {
        reduction = reduction.axes(axes);
    }
    reduction.record(&mut call.recording).run(inputs, &mut y)?;
    call.output(y, result);
    Ok(())
}
