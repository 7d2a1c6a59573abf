//! Sorts.

use anywarp::ops::{Sort, SortKey};

use super::call::Call;
use super::entry::{Number, Operator, Port, U32, by_type};
use super::parameter::{Kind, Parameter};
use crate::dtype::Dtype;
use crate::failure::Failure;

const DESCENDING: Parameter = Parameter::new("descending", Kind::Flag, "Sort from the largest key to the smallest");
const BITS: Parameter = Parameter::new("bits", Kind::Integers, "Sort integers by these bits alone, from the lowest");
const VALUES: &[Dtype] = &[Dtype::U4, Dtype::I4, Dtype::F4, Dtype::U8, Dtype::I8, Dtype::F8];

/// The keys of all sorts.
macro_rules! keys {
    ($letter:ident, $call:ident => $run:expr) => {
        by_type!([f32, u32, i32, f64, u64, i64, half::f16, u16, i16, u8, i8], $letter, $call => $run)
    };
}

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "sort",
        summary: "All elements in ascending order, as one row; stable, NaN last",
        inputs: &[Port::new("x", "The elements")],
        outputs: &[Port::new("y", "The sorted elements")],
        parameters: &[DESCENDING, BITS],
        run: keys!(T, call => {
            let x = call.upload::<T>("x")?;
            let mut y = call.empty::<T>(x.len())?;
            let sort = sort(call)?;
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
        inputs: &[Port::new("keys", "The keys"), Port::new("values", "As many values").of(VALUES)],
        outputs: &[Port::new("sorted_keys", "The sorted keys"), Port::new("sorted_values", "The values").of(VALUES)],
        parameters: &[DESCENDING, BITS],
        run: keys!(T, call => match call.input("values").map(|values| values.array.dtype) {
            Some(Dtype::U8) => pairs::<T, u64>(call),
            Some(Dtype::I8) => pairs::<T, i64>(call),
            Some(Dtype::F8) => pairs::<T, f64>(call),
            Some(Dtype::I4) => pairs::<T, i32>(call),
            Some(Dtype::F4) => pairs::<T, f32>(call),
            _ => pairs::<T, u32>(call),
        }),
    },
    Operator {
        name: "argsort",
        summary: "The indices that sort all elements in ascending order",
        inputs: &[Port::new("x", "The elements")],
        outputs: &[Port::new("indices", "The indices").of(U32)],
        parameters: &[DESCENDING, BITS],
        run: keys!(T, call => {
            let x = call.upload::<T>("x")?;
            let mut indices = call.empty::<u32>(x.len())?;
            let sort = sort(call)?;
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
    let sort = sort(call)?;
    call.cost = Some(sort.cost_of_pairs::<K, V>(keys.len(), &call.device)?);
    sort.record(&mut call.recording).pairs(&keys, &values, &mut sorted_keys, &mut sorted_values)?;
    call.output(sorted_keys, vec![keys.len()]);
    call.output(sorted_values, vec![values.len()]);
    Ok(())
}

fn sort<'r>(call: &Call<'_>) -> Result<Sort<'r>, Failure> {
    let mut sort = Sort::new();
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
