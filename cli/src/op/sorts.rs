//! Sorts.

use anywarp::ops::{Sort, SortKey};

use super::call::Call;
use super::entry::{Form, Number, Operator, Port, U32, any_number, for_type};
use super::parameter::{Kind, Parameter};
use crate::dtype::Dtype;
use crate::failure::Failure;

pub(super) const DESCENDING: Parameter =
    Parameter::new("descending", Kind::Flag, "Sort from the largest key to the smallest");
const BITS: Parameter = Parameter::new("bits", Kind::Integers, "Sort integers by these bits alone, from the lowest");
pub(super) const VALUES: &[Dtype] = &[Dtype::U4, Dtype::I4, Dtype::F4, Dtype::U8, Dtype::I8, Dtype::F8];

/// The beginnings of segments, which stay on the host, as it checks them.
const SEGMENTS: Port =
    Port::new("segments", "The index of the first element of each segment; segments are sorted separately")
        .of(U32)
        .form(Form::Named);

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "sort",
        summary: "All elements in ascending order, as one row; stable, NaN last",
        inputs: &[Port::new("x", "The elements"), SEGMENTS],
        outputs: &[Port::new("y", "The sorted elements")],
        parameters: &[DESCENDING, BITS],
        run: any_number!(T, call => {
            let x = call.upload::<T>("x")?;
            let mut y = call.empty::<T>(x.len())?;
            let segments = call.host::<u32>("segments");
            let sort = sort(call, &segments)?;
            call.cost = Some(sort.cost::<T>(x.len(), &call.device)?);
            sort.record(&mut call.recording).run(&x, &mut y)?;
            let length = x.len();
            call.output(y, vec![length]);
            Ok(())
        }),
    },
    Operator {
        name: "sort_pairs",
        summary: "Keys in ascending order, and values in the order of their keys",
        inputs: &[
            Port::new("keys", "The keys"),
            Port::new("values", "The values, one for each key").of(VALUES),
            SEGMENTS,
        ],
        outputs: &[Port::new("sorted_keys", "The sorted keys"), Port::new("sorted_values", "The values").of(VALUES)],
        parameters: &[DESCENDING, BITS],
        run: any_number!(T, call => {
            let values = call.dtype("values").unwrap_or(VALUES[0]);
            for_type!([u32, i32, f32, u64, i64, f64], values, V => pairs::<T, V>(call))
        }),
    },
    Operator {
        name: "argsort",
        summary: "The indices that sort all elements in ascending order",
        inputs: &[Port::new("x", "The elements"), SEGMENTS],
        outputs: &[Port::new("indices", "The indices").of(U32)],
        parameters: &[DESCENDING, BITS],
        run: any_number!(T, call => {
            let x = call.upload::<T>("x")?;
            let mut indices = call.empty::<u32>(x.len())?;
            let segments = call.host::<u32>("segments");
            let sort = sort(call, &segments)?;
            call.cost = Some(sort.cost_of_argsort::<T>(x.len(), &call.device)?);
            sort.record(&mut call.recording).argsort(&x, &mut indices)?;
            let length = x.len();
            call.output(indices, vec![length]);
            Ok(())
        }),
    },
];

fn pairs<K: Number + SortKey, V: Number>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (keys, values) = (call.upload::<K>("keys")?, call.upload::<V>("values")?);
    let (mut sorted_keys, mut sorted_values) = (call.empty::<K>(keys.len())?, call.empty::<V>(values.len())?);
    let segments = call.host::<u32>("segments");
    let sort = sort(call, &segments)?;
    call.cost = Some(sort.cost_of_pairs::<K, V>(keys.len(), &call.device)?);
    sort.record(&mut call.recording).pairs(&keys, &values, &mut sorted_keys, &mut sorted_values)?;
    call.output(sorted_keys, vec![keys.len()]);
    call.output(sorted_values, vec![values.len()]);
    Ok(())
}

fn sort<'r>(call: &Call<'_>, segments: &'r [u32]) -> Result<Sort<'r>, Failure> {
    let mut sort = Sort::new();
    if call.input("segments").is_some() {
        sort = sort.segments(segments);
    }
    if call.values.flag("descending") {
        sort = sort.descending();
    }
    if let Some(bits) = call.values.integers("bits") {
        let ends = u32::try_from(bits.start).ok().zip(u32::try_from(bits.end).ok());
        let (start, end) = ends.ok_or_else(|| {
            Failure::Usage(format!("--bits {}..{}: expected bits from 0 on: write --bits 0..8", bits.start, bits.end))
        })?;
        sort = sort.bits(start..end);
    }
    Ok(sort)
}
