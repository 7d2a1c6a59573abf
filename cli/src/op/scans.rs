//! Scans.

use anywarp::UnifiedBuffer;
use anywarp::ops::{Scan, ScanElement, ScanKey};

use super::call::Call;
use super::entry::{FLAGS, Form, Number, Operator, Port, U32, by_type, for_type};
use super::parameter::{Kind, Parameter};
use crate::dtype::Dtype;
use crate::failure::Failure;

const EXCLUSIVE: Parameter = Parameter::new("exclusive", Kind::Flag, "Exclude each element from its own result");
const REVERSE: Parameter = Parameter::new("reverse", Kind::Flag, "Scan from the last element to the first");
const AXIS: Parameter = Parameter::new("axis", Kind::Count, "The axis to scan along; without it, x is one row");
const X: Port = Port::new("x", "The elements");
const Y: &[Port] = &[Port::new("y", "The results, with the shape of x if there is an axis, else flat")];
pub(super) const KEYS: &[Dtype] = &[Dtype::U4, Dtype::I4, Dtype::F4, Dtype::F2, Dtype::U8, Dtype::I8, Dtype::F8];

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "cumulative_sum",
        summary: "Cumulative sums",
        inputs: &[X],
        outputs: Y,
        parameters: &[EXCLUSIVE, REVERSE, AXIS],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => scan::<T>(call)),
    },
    Operator {
        name: "scan",
        summary: "Cumulative sums, products, minima, maxima, or an operation in WGSL, also in segments",
        inputs: &[
            X,
            Port::new("heads", "Flags that are not 0 where a segment begins").of(FLAGS).form(Form::Named),
            Port::new("segments", "The index of the first element of each segment").of(U32).form(Form::Named),
            Port::new("keys", "Keys that change where a segment begins").of(KEYS).form(Form::Named),
        ],
        outputs: Y,
        parameters: &[
            Parameter::new("operation", Kind::Word(&["sum", "product", "min", "max"]), "The operation").default("sum"),
            Parameter::new("combine", Kind::Text, "An associative operation of a and b, in place of --operation"),
            Parameter::new("identity", Kind::Text, "The neutral element of --combine"),
            Parameter::new("preamble", Kind::Text, "Declarations for --combine"),
            EXCLUSIVE,
            REVERSE,
            AXIS,
        ],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => scan::<T>(call)),
    },
];

fn scan<T: Number + ScanElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let x = call.upload::<T>("x")?;
    let mut y = call.empty::<T>(x.len())?;
    let mut scan = operation(call)?;
    if call.values.flag("exclusive") {
        scan = scan.exclusive();
    }
    if call.values.flag("reverse") {
        scan = scan.reverse();
    }
    let mut shape = vec![x.len()];
    if let Some(axis) = call.values.count("axis") {
        shape = call.shape("x");
        scan = scan.axis(shape.clone(), axis);
    }
    call.cost = Some(scan.cost::<T>(&call.device, x.len())?);
    let heads = call.input("heads").map(|_| call.upload::<u32>("heads")).transpose()?;
    let segments = call.input("segments").map(|_| call.upload::<u32>("segments")).transpose()?;
    if let Some(heads) = &heads {
        scan = scan.heads(heads);
    }
    if let Some(segments) = &segments {
        scan = scan.segments(segments);
    }
    match call.dtype("keys") {
        None => scan.record(&mut call.recording).run(&x, &mut y)?,
        Some(keys) => for_type!([u32, i32, f32, half::f16, u64, i64, f64], keys, K => {
            by_keys::<T, K>(scan, call, &x, &mut y)
        })?,
    }
    call.output(y, shape);
    Ok(())
}

fn by_keys<T: ScanElement, K: Number + ScanKey>(
    scan: Scan<'_>,
    call: &mut Call<'_>,
    x: &UnifiedBuffer<T>,
    y: &mut UnifiedBuffer<T>,
) -> Result<(), Failure> {
    let keys = call.upload::<K>("keys")?;
    Ok(scan.keys(&keys).record(&mut call.recording).run(x, y)?)
}

fn operation<'r>(call: &Call<'_>) -> Result<Scan<'r>, Failure> {
    let values = call.values;
    Ok(match (values.text("combine"), values.text("identity")) {
        (Some(combine), Some(identity)) => Scan::new(combine, identity).preamble(values.text("preamble").unwrap_or("")),
        (None, None) => match values.text("operation") {
            Some("product") => Scan::product(),
            Some("min") => Scan::min(),
            Some("max") => Scan::max(),
            _ => Scan::sum(),
        },
        _ => {
            return Err(Failure::Usage(
                "expected --combine and --identity together, found one of the two: write --combine 'a + b' --identity 0"
                    .to_owned(),
            ));
        }
    })
}
