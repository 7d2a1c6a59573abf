//! Scratch memory: allocated by a pool, and reused in the order of submission.

use anywarp::{Destination, Device, UnifiedBuffer};

use crate::suite::case::{Case, cases};
use crate::suite::kernels::ADD;
use crate::suite::portable_waits::{ReadHere, ReopenHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, same};

pub(crate) const CASES: &[Case] = cases![
    scratch_is_reused,
    scratch_is_reused_before_its_work_has_ended,
    scratch_on_streams,
    recordings_keep_their_scratch,
    scratch_is_trimmed,
];

const LENGTH: usize = 3000;

fn add(device: &Device, buffer: &mut UnifiedBuffer<u32>, by: u32, to: Destination<'_>) -> TestResult {
    let kernel = device.kernel(ADD)?;
    kernel.launch().bind("data", buffer).set("params.by", by).to(to).threads(LENGTH)?;
    Ok(())
}

async fn scratch_is_reused(device: &Device) -> TestResult {
    let device = &device.reopen_here().await?; // other cases use scratch memory, too
    let before = device.scratch_stats();
    for _ in 0..20 {
        let mut scratch = device.scratch::<u32>(LENGTH, &Destination::Own)?;
        scratch.fill(7)?;
        equal(scratch.len(), LENGTH, "the length")?;
        same(&scratch.read_here().await?, &[7; LENGTH], "the filled words")?;
    }
    let after = device.scratch_stats();
    equal(after.lent_bytes, before.lent_bytes, "lent bytes afterwards")?;
    let misses = after.misses - before.misses;
    // A checked device allocates fresh memory each time: old contents would hide mistakes.
    let wanted = if device.caps().checked { 20 } else { 1 };
    ensure(misses <= wanted, || format!("{misses} allocations for 20 requests"))?;
    equal(after.hits - before.hits + misses, 20, "requests")
}

/// Reusing scratch memory does not change the results of earlier work that has not ended yet.
async fn scratch_is_reused_before_its_work_has_ended(device: &Device) -> TestResult {
    let mut results = (0..30).map(|_| device.buffer::<u32>(LENGTH)).collect::<Result<Vec<_>, _>>()?;
    for (round, result) in results.iter_mut().enumerate() {
        let mut scratch = device.scratch::<u32>(LENGTH, &Destination::Own)?;
        scratch.fill(1000)?;
        add(device, &mut scratch, round as u32, Destination::Own)?;
        result.copy_from(&scratch)?;
    }
    for (round, result) in results.iter().enumerate() {
        same(&result.read_here().await?, &[1000 + round as u32; LENGTH], &format!("round {round}"))?;
    }
    Ok(())
}

async fn scratch_on_streams(device: &Device) -> TestResult {
    let streams = [device.stream(), device.stream()];
    let mut results = (0..20).map(|_| device.buffer::<u32>(LENGTH)).collect::<Result<Vec<_>, _>>()?;
    for (round, result) in results.iter_mut().enumerate() {
        let stream = &streams[round % 2];
        let mut scratch = device.scratch::<u32>(LENGTH, &stream.into())?;
        stream.fill(&mut scratch, 5u32)?;
        add(device, &mut scratch, round as u32, stream.into())?;
        stream.copy(&scratch, result)?;
    }
    for (round, result) in results.iter().enumerate() {
        same(&result.read_here().await?, &[5 + round as u32; LENGTH], &format!("round {round}"))?;
    }
    Ok(())
}

/// The pool does not reuse the scratch memory of a recording while the recording exists.
async fn recordings_keep_their_scratch(device: &Device) -> TestResult {
    let device = &device.reopen_here().await?; // other cases use scratch memory, too
    let lent = device.scratch_stats().lent_bytes;
    let mut result = device.buffer::<u32>(LENGTH)?;
    let mut recording = device.recording();
    {
        let mut scratch = device.scratch::<u32>(LENGTH, &(&mut recording).into())?;
        recording.fill(&mut scratch, 40u32)?;
        add(device, &mut scratch, 2, (&mut recording).into())?;
        recording.copy(&scratch, &mut result)?;
    }
    ensure(device.scratch_stats().lent_bytes > lent, || "the recording keeps no scratch memory".to_owned())?;
    for _ in 0..3 {
        let mut other = device.scratch::<u32>(LENGTH, &Destination::Own)?;
        other.fill(1)?;
        recording.submit()?;
        same(&other.read_here().await?, &[1; LENGTH], "scratch beside the recording")?;
        same(&result.read_here().await?, &[42; LENGTH], "the recording's result")?;
    }
    recording.clear();
    equal(device.scratch_stats().lent_bytes, lent, "lent bytes after `clear`")
}

async fn scratch_is_trimmed(device: &Device) -> TestResult {
    let device = &device.reopen_here().await?; // other cases use scratch memory, too
    for length in [1000, 10_000, 100_000] {
        device.scratch::<u32>(length, &Destination::Own)?.fill(0)?;
    }
    device.trim();
    equal(device.scratch_stats().idle_bytes, 0, "idle bytes")?;
    let scratch = device.scratch::<u32>(0, &Destination::Own)?;
    ensure(scratch.is_empty(), || "a scratch buffer of length 0 is not empty".to_owned())
}
