//! Submissions: their number, timings and waits.

use std::time::Duration;

use anywarp::Device;
use anywarp::backend::Clock;

use crate::suite::case::{Case, cases};
use crate::suite::kernels::ADD;
use crate::suite::portable_waits::{ReadHere, ReopenHere, WaitHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, fail, same};

pub(crate) const CASES: &[Case] = cases![
    timings,
    timings_of_a_replay,
    timings_of_very_many_launches,
    waiting,
    one_submission_for_100_launches,
    long_streams_are_submitted_in_parts,
];

async fn timings(device: &Device) -> TestResult {
    let mut data = device.buffer::<u32>(1 << 16)?;
    let kernel = device.kernel(anywarp::Wgsl::new(ADD).file("timed.wgsl"))?;
    let mut recording = device.recording();
    for _ in 0..3 {
        kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(1 << 16)?;
    }
    let untimed = recording.submit()?;
    untimed.wait_here().await?;
    equal(untimed.timings(), None, "timings of an untimed recording")?;
    recording.timed(true);
    let run = recording.submit()?;
    run.wait_here().await?;
    let Some(timings) = run.timings() else { return fail("no timings") };
    ensure(!timings.total().is_zero(), || "the total time is zero".to_owned())?;
    let labels: Vec<&str> = timings.entries.iter().map(|entry| &*entry.label).collect();
    match timings.clock {
        Clock::Device => equal(labels, vec!["timed.wgsl:add"; 3], "one entry a launch"),
        Clock::Host => equal(labels, vec!["submission"], "one entry for all"),
    }
}

async fn timings_of_a_replay(device: &Device) -> TestResult {
    let mut data = device.buffer::<u32>(64)?;
    let mut recording = device.recording();
    recording.timed(true);
    let kernel = device.kernel(ADD)?;
    kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(64)?;
    let runs = [recording.submit()?, recording.submit()?];
    for run in &runs {
        run.wait_here().await?;
        equal(run.timings().map(|timings| timings.entries.len()), Some(1), "entries of each submission")?;
    }
    same(&data.read_here().await?, &[2; 64], "timed launches do their work")
}

/// The timings of more launches than any device has timestamps for come from the host's clock, and say so.
async fn timings_of_very_many_launches(device: &Device) -> TestResult {
    let mut data = device.buffer::<u32>(1)?;
    let mut recording = device.recording();
    recording.timed(true);
    let kernel = device.kernel(ADD)?;
    for _ in 0..2500 {
        kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(1)?;
    }
    let run = recording.submit()?;
    run.wait_here().await?;
    let Some(timings) = run.timings() else { return fail("no timings") };
    let entries = if timings.clock == Clock::Device { 2500 } else { 1 };
    equal(timings.entries.len(), entries, "entries")?;
    equal(data.read_here().await?[0], 2500, "launches that ran")
}

async fn waiting(device: &Device) -> TestResult {
    let mut data = device.buffer::<u32>(64)?;
    let mut recording = device.recording();
    let kernel = device.kernel(ADD)?;
    kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(64)?;
    let run = recording.submit()?;
    ensure(run.wait_timeout_here(Duration::from_secs(60)).await?, || {
        "a tiny launch took longer than a minute".to_owned()
    })?;
    equal(run.is_done()?, true, "done after waiting")?;
    equal(run.wait_timeout_here(Duration::ZERO).await?, true, "waiting again")?;
    equal(recording.submit()?.wait_timeout_here(Duration::MAX).await?, true, "a wait without a limit")?;
    let run = recording.submit()?;
    let twin = run.clone();
    run.await?;
    equal(twin.is_done()?, true, "the other handle")?;
    recording.submit()?.wait_here().await?;
    same(&data.read_here().await?, &[4; 64], "all four submissions")
}

async fn one_submission_for_100_launches(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let kernel = fresh.kernel(ADD)?;
    let mut data = fresh.buffer_from(&[0u32; 64])?;
    let before = fresh.stats().counters;
    for _ in 0..100 {
        kernel.launch().bind("data", &mut data).set("params.by", 1u32).threads(64)?;
    }
    equal(fresh.stats().counters.submissions, before.submissions, "submissions before the read")?;
    same(&data.read_here().await?, &[100; 64], "100 launches")?;
    let after = fresh.stats().counters;
    equal(after.submissions - before.submissions, 1, "submissions for 100 launches and a read")?;
    equal(after.dispatches - before.dispatches, 100, "dispatches")
}

async fn long_streams_are_submitted_in_parts(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let kernel = fresh.kernel(ADD)?;
    let mut data = fresh.buffer_from(&[0u32; 64])?;
    for _ in 0..1000 {
        kernel.launch().bind("data", &mut data).set("params.by", 1u32).threads(64)?;
    }
    let submissions = fresh.stats().counters.submissions;
    ensure((7..=8).contains(&submissions), || format!("{submissions} submissions for 1000 launches, 128 at a time"))?;
    same(&data.read_here().await?, &[1000; 64], "1000 launches")
}
