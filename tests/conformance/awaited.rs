//! Operations that have only an asynchronous form: reads that consume their buffer, several reads in flight, and
//! cancelled reads.

use std::pin::pin;
use std::task::{Context, Waker};

use anywarp::{Device, UnifiedBuffer};
use futures::future::join_all;
use futures::stream::{self, StreamExt};

use crate::suite::case::{Case, cases};
use crate::suite::kernels::add;
use anywarp_testing_devices::outcome::{TestResult, equal, same};

pub(crate) const CASES: &[Case] = cases![
    reads_that_take_their_buffer,
    returned_buffers_keep_their_contents,
    several_in_flight,
    several_in_flight_dropped_half_way,
    many_tasks_at_once,
    slices_both_ways,
    cancelled_reads,
    cancelled_writes,
];

const LENGTH: usize = 300;

fn prepared(device: &Device, value: u32) -> TestResult<UnifiedBuffer<u32>> {
    let mut data = device.buffer_from(&[value; LENGTH])?;
    add(device, &mut data, LENGTH, 1)?;
    Ok(data)
}

/// Polls the future once and drops it.
fn begin<F: Future>(future: F) {
    let _ = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
}

async fn reads_that_take_their_buffer(device: &Device) -> TestResult {
    let reads: Vec<_> =
        (0..20).map(|value| prepared(device, value).map(UnifiedBuffer::into_read_async)).collect::<TestResult<_>>()?;
    for (value, result) in (0..).zip(join_all(reads).await) {
        same(&result?, &[value + 1; LENGTH], "a result")?;
    }
    Ok(())
}

async fn returned_buffers_keep_their_contents(device: &Device) -> TestResult {
    let mut data = prepared(device, 0)?;
    for round in 2..10 {
        data = data.into_read_async().await?.into_buffer();
        add(device, &mut data, LENGTH, 1)?;
        same(&data.read_async().await?, &[round; LENGTH], "the returned buffer")?;
    }
    Ok(())
}

async fn several_in_flight(device: &Device) -> TestResult {
    for depth in [1, 3, 100] {
        let work = stream::iter(0..20u32).map(|value| async move {
            let mut data = device.buffer_from(&[value; LENGTH])?;
            data.fill(value + 2)?;
            data.into_read_async().await
        });
        let mut results = pin!(work.buffered(depth));
        for value in 0..20 {
            let Some(result) = results.next().await else { return equal(value, 20, "results") };
            same(&result?, &[value + 2; LENGTH], "a result, in order")?;
        }
        equal(results.next().await.is_none(), true, "the end")?;
    }
    Ok(())
}

async fn several_in_flight_dropped_half_way(device: &Device) -> TestResult {
    let work = stream::iter(0..20u32)
        .map(|value| async move { device.buffer_from(&[value; LENGTH])?.into_read_async().await });
    let mut results = Box::pin(work.buffered(4));
    for value in 0..5 {
        let Some(result) = results.next().await else { return equal(value, 20, "results") };
        same(&result?, &[value; LENGTH], "a result")?;
    }
    drop(results);
    Ok(device.synchronize_async().await?)
}

async fn many_tasks_at_once(device: &Device) -> TestResult {
    let task = async |value: u32| -> TestResult {
        let mut data = prepared(device, value)?;
        same(&data.read_async().await?, &[value + 1; LENGTH], "before")?;
        data.write_async().await?.fill(value);
        add(device, &mut data, LENGTH, 5)?;
        same(&data.read_async().await?, &[value + 5; LENGTH], "after")
    };
    join_all((0..50).map(task)).await.into_iter().collect()
}

async fn slices_both_ways(device: &Device) -> TestResult {
    // The words do not fit into one staging chunk.
    let words: Vec<u32> = (0..1_500_000u32).map(|index| index.wrapping_mul(0x9e37_79b9)).collect();
    let mut data = device.buffer::<u32>(words.len())?;
    data.copy_from_slice_async(&words).await?;
    add(device, data.slice_mut(64..65), 1, 1)?;
    let mut wanted = words;
    wanted[64] = wanted[64].wrapping_add(1);
    same(&data.read_async().await?, &wanted, "the uploaded words")
}

async fn cancelled_reads(device: &Device) -> TestResult {
    let mut data = prepared(device, 0)?;
    for round in 2..30 {
        begin(data.read_async());
        add(device, &mut data, LENGTH, 1)?;
        if round % 3 == 0 {
            begin(data.read_async());
            same(&data.read_async().await?, &[round; LENGTH], "a read after cancelled ones")?;
        }
    }
    Ok(())
}

async fn cancelled_writes(device: &Device) -> TestResult {
    let mut data = prepared(device, 0)?;
    for round in 1..20 {
        begin(data.write_async());
        add(device, &mut data, LENGTH, 1)?;
        data.write_async().await?.fill(round);
        same(&data.read_async().await?, &[round; LENGTH], "the last words written")?;
    }
    Ok(())
}
