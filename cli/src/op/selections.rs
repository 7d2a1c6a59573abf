//! Selections and run lengths.

use std::rc::Rc;

use anywarp::UnifiedBuffer;
use anywarp::ops::{RunLengths, ScanElement, Select};

use super::call::{Call, Length};
use super::entry::{FLAGS, Form, Number, Operator, Port, U32, by_type};
use super::parameter::{Kind, Parameter};
use crate::failure::Failure;

const X: Port = Port::new("x", "The elements");
const MASK: Port = Port::new("flags", "Flags that are not 0 for elements to select").of(FLAGS).form(Form::Optional);
const CONDITION: Parameter =
    Parameter::new("condition", Kind::Text, "A condition on the element x and its index i, in place of flags");
const PREAMBLE: Parameter = Parameter::new("preamble", Kind::Text, "Declarations for --condition");
const INDICES: Parameter = Parameter::new("indices", Kind::Flag, "Write the indices (uint32) in place of the elements");

const WITH_INDICES: &[Port] =
    &[Port::new("y", "The selected elements"), Port::new("indices", "Their indices in the flat array").of(U32)];

pub(crate) const OPERATORS: &[Operator] = &[
    Operator {
        name: "select",
        summary: "The elements that fulfil a condition, in their order",
        inputs: &[X, MASK],
        outputs: &[Port::new("y", "The selected elements")],
        parameters: &[CONDITION, PREAMBLE, INDICES],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => {
            let flags = flags(call)?;
            let select = condition(call, flags.as_ref())?;
            select_by::<T>(call, select)
        }),
    },
    Operator {
        name: "select_with_indices",
        summary: "The elements that fulfil a condition, and their indices, in their order",
        inputs: &[X, MASK],
        outputs: WITH_INDICES,
        parameters: &[CONDITION, PREAMBLE],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => {
            let flags = flags(call)?;
            let select = condition(call, flags.as_ref())?;
            with_indices::<T>(call, select)
        }),
    },
    Operator {
        name: "partition",
        summary: "The elements that fulfil a condition, and all others, both in their order",
        inputs: &[X, MASK],
        outputs: &[Port::new("kept", "The selected elements"), Port::new("rest", "All other elements")],
        parameters: &[CONDITION, PREAMBLE],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => partition::<T>(call)),
    },
    Operator {
        name: "unique",
        summary: "The first of each run of equal neighbours; the distinct elements, if x is sorted",
        inputs: &[X],
        outputs: &[Port::new("y", "The elements")],
        parameters: &[INDICES],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => select_by::<T>(call, Select::changes())),
    },
    Operator {
        name: "unique_with_indices",
        summary: "The first of each run of equal neighbours, and its index",
        inputs: &[X],
        outputs: WITH_INDICES,
        parameters: &[],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => with_indices::<T>(call, Select::changes())),
    },
    Operator {
        name: "nonzero",
        summary: "The indices of the elements that are not zero, in the flat array",
        inputs: &[X],
        outputs: &[Port::new("indices", "The indices").of(U32)],
        parameters: &[],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => indices::<T>(call, Select::not_zero())),
    },
    Operator {
        name: "run_length_encode",
        summary: "The value and the length of each run of equal neighbours",
        inputs: &[X],
        outputs: &[Port::new("values", "The values"), Port::new("lengths", "The lengths").of(U32)],
        parameters: &[],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => encode::<T>(call)),
    },
    Operator {
        name: "run_length_decode",
        summary: "Each value, repeated as often as its length",
        inputs: &[Port::new("values", "The values"), Port::new("lengths", "The lengths").of(U32)],
        outputs: &[Port::new("y", "The elements")],
        parameters: &[],
        run: by_type!([f32, u32, i32, f64, u64, i64, half::f16], T, call => decode::<T>(call)),
    },
];

fn flags(call: &Call<'_>) -> Result<Option<UnifiedBuffer<u32>>, Failure> {
    call.input("flags").map(|_| call.upload::<u32>("flags")).transpose()
}

fn condition<'r>(call: &Call<'_>, flags: Option<&'r UnifiedBuffer<u32>>) -> Result<Select<'r>, Failure> {
    match (flags, call.values.text("condition")) {
        (Some(flags), None) => Ok(Select::flags(flags)),
        (None, Some(text)) => Ok(Select::new(text).preamble(call.values.text("preamble").unwrap_or(""))),
        (flags, _) => {
            let found = if flags.is_some() { "both" } else { "none" };
            let expected = "expected a file of flags or --condition";
            Err(Failure::Usage(format!("{expected}, found {found}: write x.npy flags.npy, or --condition 'x > 0'")))
        }
    }
}

fn select_by<T: Number + ScanElement>(call: &mut Call<'_>, select: Select<'_>) -> Result<(), Failure> {
    if call.values.flag("indices") {
        return indices::<T>(call, select);
    }
    let x = call.upload::<T>("x")?;
    let mut y = call.empty::<T>(x.len())?;
    call.cost = Some(select.cost::<T>(&call.device, x.len())?);
    let count = select.record(&mut call.recording).run(&x, &mut y)?;
    call.counted(y, Length::Count(Rc::new(count)));
    Ok(())
}

fn with_indices<T: Number + ScanElement>(call: &mut Call<'_>, select: Select<'_>) -> Result<(), Failure> {
    let x = call.upload::<T>("x")?;
    let (mut y, mut indices) = (call.empty::<T>(x.len())?, call.empty::<u32>(x.len())?);
    call.cost = Some(select.cost::<T>(&call.device, x.len())?);
    let count = Rc::new(select.record(&mut call.recording).run_with_indices(&x, &mut y, &mut indices)?);
    call.counted(y, Length::Count(Rc::clone(&count)));
    call.counted(indices, Length::Count(count));
    Ok(())
}

fn indices<T: Number + ScanElement>(call: &mut Call<'_>, select: Select<'_>) -> Result<(), Failure> {
    let x = call.upload::<T>("x")?;
    let mut indices = call.empty::<u32>(x.len())?;
    call.cost = Some(select.cost::<T>(&call.device, x.len())?);
    let count = select.record(&mut call.recording).indices(&x, &mut indices)?;
    call.counted(indices, Length::Count(Rc::new(count)));
    Ok(())
}

fn partition<T: Number + ScanElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let flags = flags(call)?;
    let select = condition(call, flags.as_ref())?;
    let x = call.upload::<T>("x")?;
    let (mut kept, mut rest) = (call.empty::<T>(x.len())?, call.empty::<T>(x.len())?);
    call.cost = Some(select.cost::<T>(&call.device, x.len())?);
    let count = Rc::new(select.record(&mut call.recording).partition(&x, &mut kept, &mut rest)?);
    call.counted(kept, Length::Count(Rc::clone(&count)));
    call.counted(rest, Length::Rest(count, x.len()));
    Ok(())
}

fn encode<T: Number + ScanElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let x = call.upload::<T>("x")?;
    let (mut values, mut lengths) = (call.empty::<T>(x.len())?, call.empty::<u32>(x.len())?);
    let runs = RunLengths::new().record(&mut call.recording);
    let count = Rc::new(runs.encode(&x, &mut values, &mut lengths)?);
    call.counted(values, Length::Count(Rc::clone(&count)));
    call.counted(lengths, Length::Count(count));
    Ok(())
}

fn decode<T: Number + ScanElement>(call: &mut Call<'_>) -> Result<(), Failure> {
    let (values, lengths) = (call.upload::<T>("values")?, call.upload::<u32>("lengths")?);
    let all: u64 = call.host::<u32>("lengths").into_iter().map(u64::from).sum();
    let all = u32::try_from(all).map_err(|_| {
        Failure::File(format!("run_length_decode: expected lengths whose sum is below 2^32, found {all}: decode parts"))
    })?;
    let mut y = call.empty::<T>(all as usize)?;
    let count = RunLengths::new().record(&mut call.recording).decode(&values, &lengths, &mut y)?;
    call.counted(y, Length::Count(Rc::new(count)));
    Ok(())
}
