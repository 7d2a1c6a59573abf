//! Reductions of runs of equal keys.

use std::rc::Rc;

use anywarp::ops::{ReductionKernel, ScanElement, reduce};

use super::call::{Call, Length};
use super::entry::{Number, Operator, Port, by_type, for_type, unlisted};
use super::parameter::{Kind, Parameter};
use super::scans::KEYS;
use super::shapes::expect_shape;
use crate::failure::Failure;

/// The names of the reductions that have one input.
const NAMES: &[&str] = &[
    "sum",
    "product",
    "norm",
    "min",
    "max",
    "argmin",
    "argmax",
    "mean",
    "variance",
    "logsumexp",
    "count",
    "any",
    "all",
    "nan_sum",
    "nan_min",
    "nan_max",
    "nan_mean",
    "nan_argmin",
    "nan_argmax",
];

pub(crate) const OPERATORS: &[Operator] = &[Operator {
    name: "reduce_by_key",
    summary: "A reduction of each run of equal neighbouring keys; sort_pairs brings equal keys together",
    inputs: &[Port::new("keys", "The keys").of(KEYS), Port::new("x", "The elements, one for each key")],
    outputs: &[
        Port::new("unique", "The key of each run").of(KEYS),
        Port::new("y", "The result of each run; uint32 for counts, tests and indices").any(),
    ],
    parameters: &[
        Parameter::new("operation", Kind::Word(NAMES), "The reduction").default("sum"),
        Parameter::new(
            "combine",
            Kind::Text,
            "The combination of two values a and b, in place of --operation: 'a + b'",
        ),
        Parameter::new("identity", Kind::Text, "The neutral element of --combine"),
        Parameter::new("preamble", Kind::Text, "Declarations for --combine"),
    ],
    run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => {
        let keys = call.dtype("keys").unwrap_or(KEYS[0]);
        for_type!([u32, i32, f32, half::f16, u64, i64, f64], keys, K => by_key::<T, K>(call))
    }),
}];

fn by_key<T: Number + reduce::Ordered, K: Number + ScanElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let values = call.values;
    match (values.text("combine"), values.text("identity")) {
        (Some(combine), Some(identity)) => {
            let kernel = ReductionKernel::new("x: T", "y: T")?.name("of the command line").combine(combine);
            let kernel = kernel.identity(identity).preamble(values.text("preamble").unwrap_or_default());
            run::<T, K, T>(call, &kernel)
        }
        (None, None) => named::<T, K>(call, values.text("operation").unwrap_or_default()),
        _ => Err(Failure::Usage(
            "expected --combine and --identity together, found one of the two: write --combine 'a + b' --identity 0"
                .to_owned(),
        )),
    }
}

fn named<T: Number + reduce::Ordered, K: Number + ScanElement>(call: &mut Call<'_>, name: &str) -> Result<(), Failure> {
    // The operator of the same name, which reduces along axes, lists the types that the reduction is defined for.
    let types = super::named(name).map_or(&[][..], |operator| operator.run.types);
    if !types.contains(&T::DTYPE) {
        let (known, found) = (super::call::names(types), T::DTYPE);
        return Err(Failure::File(format!(
            "--operation {name}: expected {known} as 'x', found {found}: save array.astype(np.float32), or choose another \
             operation"
        )));
    }
    match name {
        "product" => run::<T, K, T>(call, reduce::product()),
        "norm" => run::<T, K, T>(call, reduce::norm()),
        "min" => run::<T, K, T>(call, reduce::min::<T>()),
        "max" => run::<T, K, T>(call, reduce::max::<T>()),
        "argmin" => run::<T, K, u32>(call, reduce::argmin()),
        "argmax" => run::<T, K, u32>(call, reduce::argmax()),
        "mean" => run::<T, K, T>(call, reduce::mean()),
        "variance" => run::<T, K, T>(call, reduce::variance()),
        "logsumexp" => run::<T, K, T>(call, reduce::logsumexp()),
        "count" => run::<T, K, u32>(call, reduce::count()),
        "any" => run::<T, K, u32>(call, reduce::any()),
        "all" => run::<T, K, u32>(call, reduce::all()),
        "nan_sum" => run::<T, K, T>(call, reduce::nan_sum()),
        "nan_min" => run::<T, K, T>(call, reduce::nan_min()),
        "nan_max" => run::<T, K, T>(call, reduce::nan_max()),
        "nan_mean" => run::<T, K, T>(call, reduce::nan_mean()),
        "nan_argmin" => run::<T, K, u32>(call, reduce::nan_argmin()),
        "nan_argmax" => run::<T, K, u32>(call, reduce::nan_argmax()),
        "sum" => run::<T, K, T>(call, reduce::sum()),
        _ => Err(unlisted(T::DTYPE)),
    }
}

/// Reduces elements of type `T` by keys of type `K` to results of type `R`.
fn run<T: Number, K: Number + ScanElement, R: Number>(
    call: &mut Call<'_>,
    kernel: &ReductionKernel,
) -> Result<(), Failure> {
    expect_shape(call, "keys", &call.shape("x"), "that of x")?;
    let (keys, x) = (call.upload::<K>("keys")?, call.upload::<T>("x")?);
    let (mut unique, mut y) = (call.array::<K>(&[x.len()])?, call.array::<R>(&[x.len()])?);
    let reduction = kernel.call(&call.device);
    let count = Rc::new(reduction.record(&mut call.recording).run_by_key(&keys, &x, &mut unique, &mut y)?);
    call.counted(unique, Length::Count(Rc::clone(&count)));
    call.counted(y, Length::Count(count));
    Ok(())
}
