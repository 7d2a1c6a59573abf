//! Recordings: storage, replay and order.

use anywarp::{BufferError, Device, LaunchError};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::{ADD, COPY, add};
use crate::suite::portable_waits::{ReadHere, ReopenHere, SynchronizeHere, WaitHere, WriteHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, refused, same};

pub(crate) const CASES: &[Case] = cases![
    replay,
    commands_keep_their_order,
    uploads_come_before_each_replay,
    between_launches_of_the_stream,
    an_empty_recording,
    outlives_its_buffers_and_kernels,
    barriers,
    a_long_recording,
    folded_and_indirect,
    of_another_device,
    recorded_fills_are_words,
    ping_pong,
    cleared_and_recorded_again,
    other_values_each_time,
];

async fn replay(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[0u32; 100])?;
    let mut recording = device.recording();
    let kernel = device.kernel(ADD)?;
    for by in 1..=3u32 {
        kernel.launch().bind("data", &mut data).set("params.by", by).record(&mut recording).threads(100)?;
    }
    equal((recording.len(), recording.is_empty()), (3, false), "commands")?;
    same(&data.read_here().await?, &[0; 100], "before the first submission")?;
    for round in 1..=5 {
        recording.submit()?;
        same(&data.read_here().await?, &[6 * round; 100], "after a submission")?;
    }
    for _ in 0..5 {
        recording.submit()?;
    }
    same(&data.read_here().await?, &[60; 100], "after five more without a read in between")
}

/// A recording can be replayed often enough that a device may cache parts of it, and then changed: first only its
/// buffers and values, then its commands.
async fn cleared_and_recorded_again(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut buffers = [device.buffer_from(&[0u32; 100])?, device.buffer_from(&[1000u32; 100])?];
    let mut recording = device.recording();
    for (round, data) in buffers.iter_mut().enumerate() {
        recording.clear();
        equal((recording.len(), recording.is_empty()), (0, true), "commands after clearing")?;
        for by in 1..=3u32 {
            let by = by + round as u32;
            kernel.launch().bind("data", &mut *data).set("params.by", by).record(&mut recording).threads(100)?;
        }
        for _ in 0..4 {
            recording.submit()?;
        }
    }
    let [first, second] = &mut buffers;
    same(&first.read_here().await?, &[24; 100], "the first buffer")?;
    same(&second.read_here().await?, &[1036; 100], "the second buffer")?;
    recording.clear();
    recording.copy(&*first, &mut *second)?;
    kernel.launch().bind("data", &mut *first).set("params.by", 1u32).record(&mut recording).threads(100)?;
    for _ in 0..3 {
        recording.submit()?;
    }
    same(&first.read_here().await?, &[27; 100], "the first buffer, counting")?;
    same(&second.read_here().await?, &[26; 100], "the second buffer, a copy")
}

async fn other_values_each_time(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut data = device.buffer_from(&[0u32; 70])?;
    let mut recording = device.recording();
    for by in 0..20u32 {
        recording.clear();
        for _ in 0..2 {
            kernel.launch().bind("data", &mut data).set("params.by", by).record(&mut recording).threads(70)?;
        }
        recording.submit()?;
        recording.submit()?;
    }
    same(&data.read_here().await?, &[4 * 190; 70], "sums of all values")
}

async fn commands_keep_their_order(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut a = device.buffer_from(&words(64))?;
    let mut b = device.buffer::<u32>(64)?;
    let mut recording = device.recording();
    recording.fill(&mut a, 5)?;
    kernel.launch().bind("data", &mut a).set("params.by", 1u32).record(&mut recording).threads(64)?;
    recording.copy(&a, &mut b)?;
    recording.fill(a.slice_mut(..32), 7)?;
    kernel.launch().bind("data", &mut b).set("params.by", 10u32).record(&mut recording).threads(64)?;
    recording.copy(b.slice(..16), a.slice_mut(48..))?;
    recording.submit()?;
    let mut wanted = [6u32; 64];
    wanted[..32].fill(7);
    wanted[48..].fill(16);
    same(&a.read_here().await?, &wanted, "the one buffer")?;
    same(&b.read_here().await?, &[16; 64], "the other buffer")
}

async fn uploads_come_before_each_replay(device: &Device) -> TestResult {
    let mut source = device.buffer::<u32>(64)?;
    let mut result = device.buffer::<u32>(64)?;
    let mut recording = device.recording();
    let kernel = device.kernel(COPY)?;
    kernel.launch().bind("source", &source).bind("result", &mut result).record(&mut recording).threads(64)?;
    for round in 1..5u32 {
        source.write_here().await?.fill(round);
        source.slice_mut(8..16).update_here().await?[0] = 100 * round;
        recording.submit()?;
        // This write comes after the submission, so only the next submission may read it.
        source.write_here().await?.fill(99);
        let mut wanted = [round; 64];
        wanted[8] = 100 * round;
        same(&result.read_here().await?, &wanted, "the words written before the submission")?;
    }
    Ok(())
}

async fn between_launches_of_the_stream(device: &Device) -> TestResult {
    let double = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }",
    )?;
    let mut data = device.buffer_from(&[1u32; 64])?;
    let mut recording = device.recording();
    double.launch().bind("data", &mut data).record(&mut recording).threads(64)?;
    add(device, &mut data, 64, 1)?;
    recording.submit()?;
    add(device, &mut data, 64, 1)?;
    recording.submit()?;
    add(device, &mut data, 64, 1)?;
    same(&data.read_here().await?, &[11; 64], "((1 + 1) * 2 + 1) * 2 + 1")
}

async fn an_empty_recording(device: &Device) -> TestResult {
    let recording = device.recording();
    equal((recording.len(), recording.is_empty(), recording.barriers()), (0, true, 0), "an empty recording")?;
    recording.submit()?.wait_here().await?;
    recording.submit()?.wait_here().await?;
    Ok(())
}

async fn outlives_its_buffers_and_kernels(device: &Device) -> TestResult {
    let mut result = device.buffer::<u32>(64)?;
    let mut recording = device.recording();
    {
        let source = device.buffer_from(&[21u32; 64])?;
        let kernel = device.kernel(format!("{COPY} // a kernel of its own"))?;
        kernel.launch().bind("source", &source).bind("result", &mut result).record(&mut recording).threads(64)?;
    }
    // This buffer would reuse the memory of the dropped buffers, if they were freed.
    drop(device.buffer_from(&[0u32; 64])?);
    device.synchronize_here().await?;
    recording.submit()?;
    same(&result.read_here().await?, &[21; 64], "a buffer that only the recording holds")?;
    let run = recording.submit()?;
    drop((recording, result));
    run.wait_here().await?;
    Ok(())
}

async fn barriers(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut buffers = Vec::new();
    for _ in 0..4 {
        buffers.push(device.buffer::<u32>(64)?);
    }
    let mut apart = device.recording();
    for buffer in &mut buffers {
        kernel.launch().bind("data", buffer).set("params.by", 1u32).record(&mut apart).threads(64)?;
    }
    equal(apart.barriers(), 0, "independent launches")?;
    let mut chain = device.recording();
    for _ in 0..4 {
        kernel.launch().bind("data", &mut buffers[0]).set("params.by", 1u32).record(&mut chain).threads(64)?;
    }
    equal(chain.barriers(), 3, "launches that each depend on the previous one")?;
    let fresh = device.reopen_here().await?;
    let mut data = fresh.buffer::<u32>(64)?;
    fresh.synchronize_here().await?;
    let before = fresh.stats().counters.barriers;
    for _ in 0..4 {
        add(&fresh, &mut data, 64, 1)?;
    }
    fresh.synchronize_here().await?;
    ensure(fresh.stats().counters.barriers - before >= 3, || "the backend counts fewer than 3 waits".to_owned())?;
    let text = format!("{chain}");
    equal(text.lines().count(), 4, "lines of a recording's text")?;
    ensure(text.lines().all(|line| line.starts_with("dispatch kernel:add [1, 1, 1] write")), || text.clone())
}

async fn a_long_recording(device: &Device) -> TestResult {
    let mut data = device.buffer::<u32>(64)?;
    let mut recording = device.recording();
    let kernel = device.kernel(ADD)?;
    for by in 0..5000u32 {
        kernel.launch().bind("data", &mut data).set("params.by", by).record(&mut recording).threads(64)?;
    }
    recording.submit()?;
    recording.submit()?;
    same(
        &data.read_here().await?,
        &[2 * (0..5000).sum::<u32>(); 64],
        "two times 5000 launches, each with its own value",
    )
}

async fn folded_and_indirect(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3<u32>) { data[group.x] += group.x; }",
    )?;
    let mut data = device.buffer::<u32>(70_000)?;
    let mut grid = device.buffer_from(&[10u32, 1, 1])?;
    let mut recording = device.recording();
    kernel.launch().bind("data", &mut data).record(&mut recording).groups(70_000)?;
    kernel.launch().bind("data", &mut data).record(&mut recording).indirect(&grid, 0)?;
    recording.submit()?;
    grid.write_here().await?.copy_from_slice(&[20, 1, 1]);
    recording.submit()?;
    let times = |n: u32| 2 + u32::from(n < 10) + u32::from(n < 20);
    same(&data.read_here().await?, &(0..70_000).map(|n| times(n) * n).collect::<Vec<u32>>(), "sums")
}

async fn of_another_device(device: &Device) -> TestResult {
    let other = device.reopen_here().await?;
    let mut foreign = other.recording();
    let mut data = device.buffer::<u32>(64)?;
    let theirs = other.buffer::<u32>(64)?;
    let launch = device.kernel(ADD)?;
    let launch = launch.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut foreign);
    refused(launch.threads(64), |error| matches!(error, LaunchError::OtherDevice { .. }), &["recording"])?;
    let elsewhere = |error: &BufferError| matches!(error, BufferError::OtherDevice { .. });
    refused(foreign.copy(&theirs, &mut data), elsewhere, &["copying on", "the source belongs to"])?;
    refused(foreign.fill(&mut data, 1), elsewhere, &["filling on", "the recording belongs to"])?;
    refused(device.recording().copy(&theirs, &mut data), elsewhere, &["copying on", "the source belongs to"])?;
    equal(foreign.len(), 0, "nothing was recorded")
}

async fn recorded_fills_are_words(device: &Device) -> TestResult {
    let mut wide = device.buffer::<u64>(16)?;
    let mut recording = device.recording();
    recording.fill(&mut wide, 0x0000_0007_0000_0007)?;
    let refusal = |error: &BufferError| matches!(error, BufferError::Device { operation: "filling", .. });
    refused(recording.fill(&mut wide, 7), refusal, &["4-byte word"])?;
    recording.submit()?;
    same(&wide.read_here().await?, &[0x0000_0007_0000_0007; 16], "the fill that could be recorded")
}

async fn ping_pong(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read> before: array<u32>;
         @group(0) @binding(1) var<storage, read_write> after: array<u32>;
         @compute @workgroup_size(64) fn step(@builtin(global_invocation_id) id: vec3<u32>) {
             let n = arrayLength(&before);
             if id.x < n { after[id.x] = before[id.x] + before[(id.x + 1u) % n]; }
         }",
    )?;
    let mut host = words(100);
    let mut front = device.buffer_from(&host)?;
    let mut back = device.buffer::<u32>(100)?;
    for _ in 0..50 {
        kernel.launch().bind("before", &front).bind("after", &mut back).threads(100)?;
        std::mem::swap(&mut front, &mut back);
        host = (0..100).map(|n| host[n].wrapping_add(host[(n + 1) % 100])).collect();
    }
    same(&front.read_here().await?, &host, "50 steps")
}
