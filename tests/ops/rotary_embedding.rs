//! Rotary embeddings.

use anywarp::Device;
use anywarp::ops::{OperationError, RotaryEmbedding, rotary_embedding};
use half::{bf16, f16};

use crate::outcome::{TestResult, ensure, refused, same, skip};
use crate::rows::{Float, close_between_nines, numbers, wide};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/rotary_embedding/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let all: [Unnamed; 6] = [
        ("rotary_embedding::f32", shapes::<f32>),
        ("rotary_embedding::f16", shapes::<f16>),
        ("rotary_embedding::bf16", shapes::<bf16>),
        ("rotary_embedding::plain", plain),
        ("rotary_embedding::recorded", recorded),
        ("rotary_embedding::refusals", refusals),
    ];
    all.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::rotary_embedding".to_owned(), Box::new(clean))
}

/// The options: interleaved, positions first, tables for each batch, inverse.
type Options = [bool; 4];

fn rotary(shape: [usize; 4], rotated: usize, options: Options) -> RotaryEmbedding<'static> {
    let [interleaved, positions_first, per_batch, inverse] = options;
    let mut rotary = RotaryEmbedding::new(shape).size(rotated);
    if interleaved {
        rotary = rotary.interleaved();
    }
    if positions_first {
        rotary = rotary.positions_first();
    }
    if per_batch {
        rotary = rotary.per_batch();
    }
    if inverse { rotary.inverse() } else { rotary }
}

/// The tolerance for two products and their sum.
const TOLERANCE: [f64; 2] = [1e-6, 2e-6];

fn check<T: Float>(device: &Device, shape: [usize; 4], rotated: usize, options: Options, skip: usize) -> TestResult {
    let [batches, outer, inner, size] = shape;
    let [interleaved, positions_first, per_batch, inverse] = options;
    let positions = if positions_first { outer } else { inner };
    let rows = if per_batch { batches * positions } else { positions };
    let count = shape.iter().product::<usize>();
    let x: Vec<T> = numbers(skip + count, 1);
    let angles = (skip..skip + rows * rotated / 2).map(|at| at as f32 * 0.37);
    let tables: Vec<[f32; 2]> = angles.map(|angle| [angle.cos(), angle.sin()]).collect();
    let table = |column: usize| -> Vec<f32> {
        std::iter::repeat_n(9.0, skip).chain(tables.iter().map(|angle| angle[column])).collect()
    };
    let wanted = reference::rotary_embedding(&wide(&x[skip..]), [size, rotated], interleaved, |line, pair| {
        let (batch, rest) = (line / (outer * inner), line % (outer * inner));
        let position = if positions_first { rest / inner } else { rest % inner };
        let row = if per_batch { batch * positions + position } else { position };
        let [cosine, sine] = tables[row * rotated / 2 + pair].map(f64::from);
        [cosine, if inverse { -sine } else { sine }]
    });
    let (x, cosines, sines) = (device.buffer_from(&x)?, device.buffer_from(&table(0))?, device.buffer_from(&table(1))?);
    let mut y = device.buffer_from(&vec![T::of(9.0); skip + count + 3])?;
    rotary(shape, rotated, options).run(
        x.slice(skip..),
        cosines.slice(skip..),
        sines.slice(skip..),
        y.slice_mut(skip..skip + count),
    )?;
    let what = format!("{shape:?}, {rotated} rotated, {options:?}, from element {skip}");
    close_between_nines(&y.read()?, skip, &wanted, TOLERANCE, &what)
}

fn shapes<T: Float>(device: &Device) -> TestResult {
    let [a, b] = [false, true];
    for options in [[a, a, a, a], [b, a, a, b], [a, b, a, b], [b, b, b, a], [a, a, b, a]] {
        for (shape, rotated) in [
            ([1, 1, 1, 2], 2),
            ([2, 3, 5, 8], 8),
            ([2, 3, 5, 9], 6),
            ([1, 7, 37, 64], 64),
            ([3, 1, 2, 5], 0),
            ([2, 0, 3, 4], 4),
            ([1, 130, 4, 130], 128),
        ] {
            check::<T>(device, shape, rotated, options, 0)?;
            check::<T>(device, shape, rotated, options, 1)?;
        }
    }
    Ok(())
}

fn plain(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32, 2.0, f32::INFINITY, 4.0])?;
    let (cosines, sines) = (device.buffer_from(&[0.0f32, 1.0])?, device.buffer_from(&[1.0f32, 0.5])?);
    let mut y = device.buffer::<f32>(4)?;
    rotary_embedding(&x, &cosines, &sines, &mut y, [1, 1, 1, 4])?;
    let y = y.read()?;
    // The third element is NaN, because infinity times 0 is NaN.
    ensure(y[0] == f32::NEG_INFINITY && y[1] == 0.0 && y[2].is_nan() && y[3] == 5.0, || format!("{y:?}"))
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, stream) = (device.buffer_from(&[1.0f32, 2.0])?, device.stream());
    let (cosines, sines) = (device.buffer_from(&[0.0f32])?, device.buffer_from(&[1.0f32])?);
    let (mut y, mut recording) = (device.buffer::<f32>(2)?, device.recording());
    let rotary = || RotaryEmbedding::new([1, 1, 1, 2]);
    rotary().record(&mut recording).run(&x, &cosines, &sines, &mut y)?;
    same(&y.read()?, &[0.0; 2], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[-2.0, 1.0], "submitted")?;
    x.copy_from_slice(&[3.0, 4.0])?;
    recording.submit()?;
    same(&y.read()?, &[-4.0, 3.0], "submitted again")?;
    rotary().inverse().on(&stream).run(&x, &cosines, &sines, &mut y)?;
    same(&y.read()?, &[4.0, -3.0], "on a stream")
}

fn refusals(device: &Device) -> TestResult {
    let (x, table) = (device.buffer_from(&[1.0f32; 12])?, device.buffer_from(&[1.0f32; 4])?);
    let mut y = device.buffer_from(&[7.0f32; 12])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    for size in [1, 6, usize::MAX] {
        let odd = RotaryEmbedding::new([1, 1, 3, 4]).size(size).run(&x, &table, &table, &mut y);
        refused(odd, is_choice, &["rotary embedding: a size of", &size.to_string(), "the head size 4"])?;
    }
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let short = rotary_embedding(&x, &table, &table, &mut y, [1, 1, 3, 4]);
    refused(short, is_length, &["rotary embedding: 'cosines' has 4 elements", "[3, 2]", "6"])?;
    let short = rotary_embedding(&x, &table, x.slice(..3), &mut y, [1, 3, 2, 2]);
    refused(short, is_length, &["rotary embedding: 'cosines' has 4 elements", "[2, 1]", "2"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let large = rotary_embedding(&x, &table, &table, &mut y, [1 << 16, 1 << 16, 1, 2]);
    refused(large, is_large, &["rotary embedding: x has the shape"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let foreign = rotary_embedding(&x, &other.buffer::<f32>(4)?, &table, &mut y, [1, 1, 4, 2]);
    refused(foreign, is_length, &["rotary embedding: 'x' has 12 elements"])?;
    let foreign = rotary_embedding(x.slice(..8), &other.buffer::<f32>(4)?, &table, y.slice_mut(..8), [1, 1, 4, 2]);
    refused(foreign, is_foreign, &["rotary embedding", "'cosines'"])?;
    same(&y.read()?, &[7.0; 12], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for options in [[false; 4], [true; 4]] {
        check::<f32>(&device, [2, 3, 5, 7], 6, options, 1)?;
        check::<f16>(&device, [2, 3, 5, 7], 6, options, 1)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{options:?}:\n{findings}"))?;
    }
    Ok(())
}
