//! Reads, updates, submissions and synchronisation, in one task or in many.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use futures::future::{join_all, try_join};
use futures::stream::{FuturesUnordered, StreamExt};

use anywarp::Device;

use crate::kernels::{rounds, scale, scaled};
use crate::{Case, Work};
use anywarp_testing_devices::outcome::{TestResult, equal, same};

pub(crate) const CASES: &[Case] = &[
    ("everything_once", |device| Box::pin(everything_once(device))),
    ("joined", |device| Box::pin(joined(device))),
    ("unordered", |device| Box::pin(unordered(device))),
    ("one_submission_for_all", |device| Box::pin(one_submission_for_all(device))),
    ("a_submission_polled_after_its_end", |device| Box::pin(a_submission_polled_after_its_end(device))),
    ("a_submission_outlives_its_objects", |device| Box::pin(a_submission_outlives_its_objects(device))),
    ("two_reads_of_one_buffer", |device| Box::pin(two_reads_of_one_buffer(device))),
    ("polled_without_being_woken", polled_without_being_woken),
];

async fn everything_once(device: Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 300])?;
    for round in 0..20 {
        data.update_async().await?.fill(round);
        scale(&device, &mut data, 3)?;
        same(&data.read_async().await?, &scaled(round, 3, 300), "read_async")?;
        equal(data.slice(290..).read_async().await?[9], 3 * round + 299, "a part of it")?;
        device.synchronize_async().await?;
    }
    let mut recording = device.recording();
    recording.fill(&mut data, 9)?;
    recording.submit()?.await?;
    same(&data.read_async().await?, &[9; 300], "after the submission")?;
    equal(device.buffer::<u32>(0)?.read_async().await?.len(), 0, "an empty buffer")
}

async fn one(device: &Device, number: u32) -> TestResult {
    let mut data = device.buffer_from(&[number; 70])?;
    scale(device, &mut data, 2)?;
    same(&data.read_async().await?, &scaled(number, 2, 70), "the first")?;
    data.update_async().await?.fill(number + 1);
    scale(device, &mut data, 3)?;
    same(&data.read_async().await?, &scaled(number + 1, 3, 70), "the second")
}

async fn joined(device: Device) -> TestResult {
    join_all((0..1000).map(|number| one(&device, number))).await.into_iter().collect()
}

/// Results are right when each task has its own waker and tasks are polled in the order of their wakes.
async fn unordered(device: Device) -> TestResult {
    let mut tasks: FuturesUnordered<_> = (0..300).map(|number| one(&device, number)).collect();
    while let Some(outcome) = tasks.next().await {
        outcome?;
    }
    Ok(())
}

async fn one_submission_for_all(device: Device) -> TestResult {
    let mut data = device.buffer::<u32>(1 << 16)?;
    rounds(&device, &mut data, 3, 500)?;
    let mut recording = device.recording();
    recording.fill(&mut data, 4)?;
    let run = recording.submit()?;
    join_all((0..2000).map(|_| run.clone())).await.into_iter().collect::<Result<(), _>>()?;
    equal(data.read_async().await?[7], 4, "the result of the submission")
}

async fn a_submission_polled_after_its_end(device: Device) -> TestResult {
    let mut data = device.buffer::<u32>(10)?;
    let mut recording = device.recording();
    recording.fill(&mut data, 4)?;
    let mut run = recording.submit()?;
    for _ in 0..3 {
        (&mut run).await?;
        equal(run.is_done()?, true, "done after it was awaited")?;
    }
    Ok(())
}

async fn a_submission_outlives_its_objects(device: Device) -> TestResult {
    let runs = {
        let fresh = device.reopen()?;
        let mut data = fresh.buffer::<u32>(1 << 16)?;
        let mut recording = fresh.recording();
        rounds(&fresh, &mut data, 3, 200)?;
        recording.fill(&mut data, 4)?;
        [recording.submit()?, recording.submit()?]
    };
    for run in runs {
        run.await?;
    }
    Ok(())
}

async fn two_reads_of_one_buffer(device: Device) -> TestResult {
    let mut data = device.buffer_from(&[5u32; 5000])?;
    for round in 0..20 {
        data.fill(5)?;
        scale(&device, &mut data, round)?;
        let (all, part) = try_join(data.read_async(), data.slice(4000..).read_async()).await?;
        same(&all, &scaled(5, round, 5000), "all of it")?;
        same(&part, &scaled(5, round, 5000)[4000..], "a part of it")?;
    }
    Ok(())
}

/// Results are right when the executor polls a future without a wake.
fn polled_without_being_woken(device: Device) -> Work {
    Box::pin(async move {
        let mut data = device.buffer_from(&[5u32; 1 << 14])?;
        for round in 0..10 {
            data.fill(5)?;
            rounds(&device, &mut data, 3, 1 + round)?;
            let mut reading = Box::pin(data.read_async());
            let read = poll_fn(|context| match Pin::new(&mut reading).poll(context) {
                Poll::Pending => {
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
                ready => ready,
            });
            equal(read.await?.len(), 1 << 14, "its length")?;
        }
        Ok(())
    })
}
