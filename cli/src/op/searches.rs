//! Operators on sorted keys.

use anywarp::ops::{IsSorted, Merge, SearchSorted, Side, SortKey};

use super::call::Call;
use super::entry::{Number, Operator, Port, U32, any_number, for_type};
use super::parameter::{Kind, Parameter};
use super::shapes::expect_shape;
use super::sorts::{DESCENDING, VALUES};
use crate::failure::Failure;

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "is_sorted",
        summary: "1 if the keys are in ascending order, else 0; NaN comes last",
        inputs: &[Port::new("keys", "The keys, as one row")],
        outputs: &[Port::new("result", "1 or 0").of(U32)],
        parameters: &[DESCENDING],
        run: any_number!(T, call => {
            let (keys, mut result) = (call.upload::<T>("keys")?, call.array::<u32>(&[])?);
            let mut test = IsSorted::new();
            if call.values.flag("descending") {
                test = test.descending();
            }
            call.cost = Some(test.cost::<T>(keys.len(), &call.device)?);
            test.record(&mut call.recording).run(&keys, &mut result)?;
            call.output(result, Vec::new());
            Ok(())
        }),
    },
    Operator {
        name: "searchsorted",
        summary: "The position of each value in sorted keys: the number of keys before it",
        inputs: &[Port::new("keys", "The sorted keys"), Port::new("values", "The values to find")],
        outputs: &[Port::new("places", "The positions, with the shape of the values").of(U32)],
        parameters: &[
            Parameter::new(
                "side",
                Kind::Word(&["left", "right"]),
                "The position among equal keys: before or after them",
            )
            .default("left"),
            DESCENDING,
        ],
        run: any_number!(T, call => search::<T>(call)),
    },
    Operator {
        name: "merge",
        summary: "The keys of two sorted arrays in one order; keys of a come before equal keys of b",
        inputs: &[Port::new("a", "Sorted keys"), Port::new("b", "Sorted keys")],
        outputs: &[Port::new("merged", "All keys")],
        parameters: &[DESCENDING],
        run: any_number!(T, call => {
            let (a, b) = (call.upload::<T>("a")?, call.upload::<T>("b")?);
            let merge = merge(call);
            let mut merged = call.array::<T>(&[a.len() + b.len()])?;
            call.cost = Some(merge.cost::<T>(merged.len(), &call.device)?);
            merge.record(&mut call.recording).run(&a, &b, &mut merged)?;
            let length = merged.len();
            call.output(merged, vec![length]);
            Ok(())
        }),
    },
    Operator {
        name: "merge_pairs",
        summary: "The keys of two sorted arrays in one order, and values in the order of their keys",
        inputs: &[
            Port::new("a", "Sorted keys"),
            Port::new("a_values", "The values, one for each key of a").of(VALUES),
            Port::new("b", "Sorted keys"),
            Port::new("b_values", "The values, one for each key of b").of(VALUES),
        ],
        outputs: &[Port::new("merged", "All keys"), Port::new("merged_values", "All values").of(VALUES)],
        parameters: &[DESCENDING],
        run: any_number!(T, call => {
            let values = call.dtype("a_values").unwrap_or(VALUES[0]);
            for_type!([u32, i32, f32, u64, i64, f64], values, V => merge_pairs::<T, V>(call))
        }),
    },
];

fn search<T: Number + SortKey>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (keys, values, shape) = (call.upload::<T>("keys")?, call.upload::<T>("values")?, call.shape("values"));
    let mut places = call.array::<u32>(&shape)?;
    let side = if call.values.text("side") == Some("right") { Side::Right } else { Side::Left };
    let mut search = SearchSorted::new().side(side);
    if call.values.flag("descending") {
        search = search.descending();
    }
    call.cost = Some(search.cost::<T>(keys.len(), values.len(), &call.device)?);
    search.record(&mut call.recording).run(&keys, &values, &mut places)?;
    call.output(places, shape);
    Ok(())
}

fn merge<'r>(call: &Call<'_>) -> Merge<'r> {
    if call.values.flag("descending") { Merge::new().descending() } else { Merge::new() }
}

fn merge_pairs<K: Number + SortKey, V: Number>(call: &mut Call<'_>) -> Result<(), Failure> {
    for (keys, values) in [("a", "a_values"), ("b", "b_values")] {
        expect_shape(call, values, &call.shape(keys), "that of its keys")?;
    }
    let (a, b) = (call.upload::<K>("a")?, call.upload::<K>("b")?);
    let (of_a, of_b) = (call.upload::<V>("a_values")?, call.upload::<V>("b_values")?);
    let length = a.len() + b.len();
    let (mut keys, mut values) = (call.array::<K>(&[length])?, call.array::<V>(&[length])?);
    merge(call).record(&mut call.recording).pairs((&a, &of_a), (&b, &of_b), (&mut keys, &mut values))?;
    call.output(keys, vec![length]);
    call.output(values, vec![length]);
    Ok(())
}
