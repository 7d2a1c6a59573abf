//! The largest elements, and elements in an order of the user.

use anywarp::ops::{ScanElement, SortBy, SortKey, TopK};

use super::call::Call;
use super::entry::{Number, Operator, Port, U32, any_number, by_type};
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "top_k",
        summary: "The k largest elements, from the largest, and their indices",
        inputs: &[Port::new("x", "The elements, as one row or as --rows of equal length")],
        outputs: &[Port::new("values", "The elements"), Port::new("indices", "Their indices in the row").of(U32)],
        parameters: &[
            Parameter::new("k", Kind::Count, "The number of elements to select").required(),
            Parameter::new("rows", Kind::Count, "The number of rows to select from").default("1"),
            Parameter::new("largest", Kind::Word(&["true", "false"]), "Whether to select the largest or the smallest")
                .default("true"),
            Parameter::new("nan_last", Kind::Flag, "Select NaN after all numbers, also if the largest are selected"),
        ],
        run: any_number!(T, call => top_k::<T>(call)),
    },
    Operator {
        name: "sort_by",
        summary: "All elements, as one row, in the order of a comparison in WGSL; stable",
        inputs: &[Port::new("x", "The elements")],
        outputs: &[Port::new("y", "The sorted elements")],
        parameters: &[
            Parameter::new("comparison", Kind::Text, "Whether the element x is before y: 'x < y'").required(),
            Parameter::new("preamble", Kind::Text, "Declarations for --comparison"),
        ],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => sort_by::<T>(call)),
    },
];

fn top_k<T: Number + SortKey>(call: &mut Call<'_>) -> Result<(), Failure> {
    let count = |name| call.values.count(name).unwrap_or(1);
    let (k, rows) = (count("k"), count("rows"));
    let mut top = TopK::new(k).rows(rows).largest(call.values.text("largest") != Some("false"));
    if call.values.flag("nan_last") {
        top = top.nan_last();
    }
    let x = call.upload::<T>("x")?;
    call.cost = Some(top.cost::<T>(x.len(), &call.device)?);
    let shape = if rows == 1 { vec![k] } else { vec![rows, k] };
    let (mut values, mut indices) = (call.array::<T>(&shape)?, call.array::<u32>(&shape)?);
    top.record(&mut call.recording).run(&x, &mut values, &mut indices)?;
    call.output(values, shape.clone());
    call.output(indices, shape);
    Ok(())
}

fn sort_by<T: Number + ScanElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let text = |name| call.values.text(name).unwrap_or_default();
    let sort = SortBy::new(text("comparison")).preamble(text("preamble"));
    let x = call.upload::<T>("x")?;
    let mut y = call.array::<T>(&[x.len()])?;
    call.cost = Some(sort.cost::<T>(x.len(), &call.device)?);
    sort.record(&mut call.recording).run(&x, &mut y)?;
    let length = x.len();
    call.output(y, vec![length]);
    Ok(())
}
