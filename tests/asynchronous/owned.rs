//! Reads that consume their buffer.

use std::thread;

use futures::future::join_all;

use anywarp::{BufferError, Device, Error, OwnedRead, f16};

use crate::kernels::{scale, scaled};
use crate::{Alone, Case};
use anywarp_testing_devices::outcome::{TestResult, equal, fail, refused, same};

pub(crate) const CASES: &[Case] = &[
    ("results_outlive_their_scope", |device| Box::pin(results_outlive_their_scope(device))),
    ("the_buffer_is_returned", |device| Box::pin(the_buffer_is_returned(device))),
    ("in_flight_before_they_are_polled", |device| Box::pin(in_flight_before_they_are_polled(device))),
    ("recordings_are_excluded", |device| Box::pin(recordings_are_excluded(device))),
    ("odd_lengths", |device| Box::pin(odd_lengths(device))),
];

pub(crate) const ALONE: &[Alone] = &[("across_threads", across_threads), ("without_awaiting", without_awaiting)];

async fn results_outlive_their_scope(device: Device) -> TestResult {
    let reads = (0..100).map(|number| {
        let mut data = device.buffer_from(&[number; 200])?;
        scale(&device, &mut data, 7)?;
        Ok(data.into_read_async())
    });
    let reads: Vec<_> = reads.collect::<anywarp::Result<_>>()?;
    let results: Vec<OwnedRead<u32>> = join_all(reads).await.into_iter().collect::<Result<_, _>>()?;
    for (number, result) in (0..).zip(&results) {
        same(result, &scaled(number, 7, 200), "a result")?;
    }
    Ok(())
}

async fn the_buffer_is_returned(device: Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 100])?;
    let mut wanted = vec![1u32; 100];
    for _ in 0..10 {
        scale(&device, &mut data, 3)?;
        (0..).zip(&mut wanted).for_each(|(index, value): (u32, _)| *value = value.wrapping_mul(3).wrapping_add(index));
        let read = data.into_read_async().await?;
        same(&read, &wanted, "the result")?;
        data = read.into_buffer();
    }
    let downloads = data.stats().downloads;
    same(&data.read_async().await?, &wanted, "read again")?;
    equal(data.stats().downloads, downloads, "downloads of data that the host already has")
}

async fn in_flight_before_they_are_polled(device: Device) -> TestResult {
    let fresh = device.reopen()?;
    let mut data = fresh.buffer::<u32>(100)?;
    scale(&fresh, &mut data, 3)?;
    let before = fresh.stats().counters.submissions;
    let read = data.into_read_async();
    equal(fresh.stats().counters.submissions, before + 1, "submissions, with nothing polled")?;
    same(&read.await?, &scaled(0, 3, 100), "the result")
}

async fn recordings_are_excluded(device: Device) -> TestResult {
    let mut data = device.buffer::<u32>(100)?;
    let mut recording = device.recording();
    recording.fill(&mut data, 7)?;
    let read = data.into_read_async().await?;
    let in_use = |error: &Error| matches!(error, Error::Buffer(BufferError::InUse { .. }));
    refused(recording.submit(), in_use, &["ReadGuard"])?;
    same(&read, &[0; 100], "the borrowed words")?;
    let data = read.into_buffer();
    recording.submit()?.await?;
    same(&data.read_async().await?, &[7; 100], "after the buffer was returned")
}

async fn odd_lengths(device: Device) -> TestResult {
    for length in [0usize, 1, 3, 5] {
        let values: Vec<f16> = (0..length).map(|index| f16::from_f32(index as f32)).collect();
        same(&device.buffer_from(&values)?.into_read_async().await?, &values, "halves")?;
        let bytes: Vec<u8> = (0..length as u8).collect();
        same(&device.buffer_from(&bytes)?.into_read_async().await?, &bytes, "bytes")?;
    }
    Ok(())
}

fn across_threads(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[2u32; 100])?;
    scale(device, &mut data, 5)?;
    let read = data.into_read_async();
    let result = thread::spawn(move || pollster::block_on(read)).join();
    let result = result.unwrap_or_else(|_| panic!("the thread panicked"))?;
    let Ok(last) = thread::spawn(move || result[99]).join() else { return fail("the thread panicked") };
    equal(last, 109, "the last element")
}

fn without_awaiting(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[2u32; 100])?;
    scale(device, &mut data, 5)?;
    let read = data.into_read()?;
    same(&read, &scaled(2, 5, 100), "the result")?;
    same(&read.into_buffer().read()?, &scaled(2, 5, 100), "the buffer")
}
