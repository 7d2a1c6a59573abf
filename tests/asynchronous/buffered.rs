//! Work on many inputs, of which several are in flight at a time.

use std::future::ready;

use futures::future::join;
use futures::stream::{self, Stream, StreamExt};

use anywarp::{Device, Error, OwnedRead, UnifiedBuffer};

use crate::Case;
use crate::kernels::{rounds, scale, scaled};
use anywarp_testing_devices::outcome::{Context, TestResult, ensure, equal, refused, same};

pub(crate) const CASES: &[Case] = &[
    ("in_order", |device| Box::pin(in_order(device))),
    ("in_order_with_different_durations", |device| Box::pin(in_order_with_different_durations(device))),
    ("errors_stay_with_their_input", |device| Box::pin(errors_stay_with_their_input(device))),
    ("several_steps_each", |device| Box::pin(several_steps_each(device))),
    ("results_are_inputs_of_more_work", |device| Box::pin(results_are_inputs_of_more_work(device))),
    ("dropped_half_way", |device| Box::pin(dropped_half_way(device))),
    ("two_at_once", |device| Box::pin(two_at_once(device))),
];

const LENGTH: usize = 300;

fn prepared(device: &Device, input: u32) -> anywarp::Result<UnifiedBuffer<u32>> {
    let mut data = device.buffer_from(&[input; LENGTH])?;
    scale(device, &mut data, input)?;
    Ok(data)
}

async fn read(device: &Device, input: u32) -> anywarp::Result<OwnedRead<u32>> {
    Ok(prepared(device, input)?.into_read_async().await?)
}

/// Reads the results for all inputs, with `depth` of the reads in flight.
fn reads<'d>(
    device: &'d Device,
    inputs: impl Iterator<Item = u32> + Send + 'd,
    depth: usize,
) -> impl Stream<Item = anywarp::Result<OwnedRead<u32>>> + Send + Unpin + 'd {
    Box::pin(stream::iter(inputs).map(move |input| read(device, input)).buffered(depth))
}

fn as_wanted(input: u32, result: &[u32]) -> TestResult {
    same(result, &scaled(input, input, LENGTH), "a result").context(|| format!("input {input}"))
}

async fn in_order(device: Device) -> TestResult {
    for depth in [1, 2, 7, 1000] {
        let mut results = reads(&device, 0..40, depth);
        for input in 0..40 {
            let Some(result) = results.next().await else { return equal(input, 40, "results") };
            as_wanted(input, &result?)?;
        }
        equal(results.next().await.is_none(), true, "the end")?;
    }
    Ok(())
}

async fn in_order_with_different_durations(device: Device) -> TestResult {
    let device = &device;
    let work = stream::iter(0..100u32).map(|input| async move {
        let mut data = device.buffer_from(&[input; LENGTH])?;
        rounds(device, &mut data, 1, 1 + 100 * (input % 3))?;
        // Some inputs have no result.
        if input % 3 == 0 { Ok::<_, Error>(Some(data.into_read_async().await?)) } else { Ok(None) }
    });
    let results: Vec<_> = work.buffered(3).collect().await;
    equal(results.len(), 100, "results")?;
    for (input, result) in (0..).zip(results) {
        match result? {
            Some(result) => same(&result, &scaled(input, 1, LENGTH), "a result")?,
            None => ensure(input % 3 != 0, || format!("input {input} has no result"))?,
        }
    }
    Ok(())
}

async fn errors_stay_with_their_input(device: Device) -> TestResult {
    let device = &device;
    let work = stream::iter(0..50u32).map(|input| async move {
        if input % 5 == 1 {
            device.kernel("no kernel at all")?;
        }
        let data = prepared(device, input)?;
        let read = if input % 5 == 2 { 0..LENGTH + 1 } else { 0..LENGTH };
        Ok(data.slice(read).read_async().await?.to_vec())
    });
    let results: Vec<Result<Vec<u32>, Error>> = work.buffered(3).collect().await;
    equal(results.len(), 50, "results")?;
    for (input, result) in (0..).zip(results) {
        match input % 5 {
            1 => refused(result, |error| matches!(error, Error::Kernel(_)), &["no kernel at all"])?,
            2 => refused(result, |error| matches!(error, Error::Buffer(_)), &["301"])?,
            _ => as_wanted(input, &result?)?,
        }
    }
    Ok(())
}

async fn several_steps_each(device: Device) -> TestResult {
    let device = &device;
    let work = stream::iter(0..30u32).map(|input| async move {
        let mut data = prepared(device, input)?;
        for _ in 0..3 {
            as_wanted(input, &data.read_async().await?)?;
            data.fill(input)?;
            scale(device, &mut data, input)?;
        }
        as_wanted(input, &data.into_read_async().await?)
    });
    let results: Vec<TestResult> = work.buffered(3).collect().await;
    equal(results.len(), 30, "results")?;
    results.into_iter().collect()
}

/// The buffer of a finished read can be the input of more work.
async fn results_are_inputs_of_more_work(device: Device) -> TestResult {
    let device = &device;
    let second = reads(device, 0..40, 3).map(|read| async move {
        let mut data = read?.into_buffer();
        scale(device, &mut data, 1)?;
        Ok::<_, Error>(data.into_read_async().await?)
    });
    let results: Vec<_> = second.buffered(2).collect().await;
    equal(results.len(), 40, "results")?;
    for (input, result) in (0..40u32).zip(results) {
        equal(result?[LENGTH - 1], input * input + 2 * (LENGTH as u32 - 1), "the last element")?;
    }
    Ok(())
}

async fn dropped_half_way(device: Device) -> TestResult {
    for taken in 0..6 {
        let mut results = reads(&device, 0..100, 4);
        for input in 0..taken {
            let Some(result) = results.next().await else { return equal(input, taken, "results") };
            as_wanted(input, &result?)?;
        }
    }
    let mut data = prepared(&device, 3)?;
    scale(&device, &mut data, 0)?;
    equal(data.read_async().await?[9], 9, "the device afterwards")
}

async fn two_at_once(device: Device) -> TestResult {
    let sum = async |inputs: std::ops::Range<u32>, depth| {
        let add = |sum: anywarp::Result<u32>, result: anywarp::Result<OwnedRead<u32>>| {
            ready(sum.and_then(|sum| Ok(sum + result?[0])))
        };
        reads(&device, inputs, depth).fold(Ok(0u32), add).await
    };
    let (first, second) = join(sum(0..30, 2), sum(30..60, 5)).await;
    equal(first? + second?, (0..60).map(|input| input * input).sum(), "the sum of the squares")
}
