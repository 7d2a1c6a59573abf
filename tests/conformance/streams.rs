//! Streams: concurrent execution with the results of sequential execution.

use std::time::Duration;

use anywarp::ops::ElementwiseKernel;
use anywarp::{Device, Event, Stream, UnifiedBuffer};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::{ADD, still_works};
use crate::suite::portable_waits::{ReadHere, ReopenHere, SynchronizeHere, WriteHere};
use anywarp_testing_devices::outcome::{Context, TestResult, ensure, equal, same, skip};

pub(crate) const CASES: &[Case] = cases![
    independent_work,
    a_read_sees_what_another_stream_wrote,
    a_write_waits_for_readers_on_other_streams,
    the_last_writer_wins,
    halves_of_one_buffer,
    uploads_between_launches,
    recordings_on_streams,
    random_work_on_random_streams,
    more_streams_than_the_device_has,
    buffers_dropped_while_streams_use_them,
    operators_on_two_streams_overlap,
];

const LENGTH: usize = 1 << 14;

fn add(stream: &Stream, device: &Device, buffer: &mut UnifiedBuffer<u32>, by: u32) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let length = buffer.len();
    kernel.launch().bind("data", buffer).set("params.by", by).on(stream).threads(length)?;
    Ok(())
}

async fn independent_work(device: &Device) -> TestResult {
    let streams: Vec<Stream> = (0..4).map(|_| device.stream()).collect();
    let mut buffers = (0..4).map(|_| device.buffer::<u32>(LENGTH)).collect::<Result<Vec<_>, _>>()?;
    for round in 1..=50 {
        for (stream, buffer) in streams.iter().zip(&mut buffers) {
            add(stream, device, buffer, round)?;
        }
    }
    for (stream, buffer) in streams.iter().zip(&buffers) {
        stream.synchronize_here().await?;
        equal(buffer.read_here().await?[LENGTH - 1], 50 * 51 / 2, "the sum of 50 launches")?;
    }
    Ok(())
}

async fn a_read_sees_what_another_stream_wrote(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let (mut a, mut b) = (device.buffer::<u32>(LENGTH)?, device.buffer::<u32>(LENGTH)?);
    for round in 1..=100 {
        add(&first, device, &mut a, 1)?;
        second.copy(&a, &mut b)?;
        if round % 10 == 0 {
            same(&b.read_here().await?, &vec![round; LENGTH], "the second stream's copy")?;
        }
    }
    Ok(())
}

async fn a_write_waits_for_readers_on_other_streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let mut a = device.buffer::<u32>(LENGTH)?;
    let mut copies = (0..20).map(|_| device.buffer::<u32>(LENGTH)).collect::<Result<Vec<_>, _>>()?;
    for (round, copy) in copies.iter_mut().enumerate() {
        first.fill(&mut a, round as u32)?;
        second.copy(&a, copy)?;
    }
    for (round, copy) in copies.iter().enumerate() {
        same(&copy.read_here().await?, &vec![round as u32; LENGTH], "the version before the write")?;
    }
    Ok(())
}

async fn the_last_writer_wins(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let mut a = device.buffer::<u32>(LENGTH)?;
    for round in 0..50u32 {
        first.fill(&mut a, 2 * round)?;
        second.fill(&mut a, 2 * round + 1)?;
    }
    second.synchronize_here().await?;
    same(&a.read_here().await?, &vec![99; LENGTH], "the second stream's last fill")
}

async fn halves_of_one_buffer(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let mut a = device.buffer::<u32>(LENGTH)?;
    let mut b = device.buffer::<u32>(LENGTH)?;
    let kernel = device.kernel(ADD)?;
    for _ in 0..20 {
        let (mut left, mut right) = a.split_at_mut(LENGTH / 2);
        kernel.launch().bind("data", &mut left).set("params.by", 1u32).on(&first).threads(LENGTH / 2)?;
        kernel.launch().bind("data", &mut right).set("params.by", 2u32).on(&second).threads(LENGTH / 2)?;
    }
    first.copy(&a, &mut b)?;
    let expected: Vec<u32> = (0..LENGTH).map(|index| if index < LENGTH / 2 { 20 } else { 40 }).collect();
    same(&b.read_here().await?, &expected, "halves, each with the sum of its own stream")
}

/// Uploads and launches on a stream are ordered, also for sizes at which a device copies concurrently with its kernels.
async fn uploads_between_launches(device: &Device) -> TestResult {
    const LARGE: usize = 1 << 20;
    let stream = device.stream();
    let mut sums = device.buffer::<u32>(LARGE)?;
    let mut data = device.buffer::<u32>(LARGE)?;
    let kernel = device.kernel(ADD)?;
    for round in 1..=6u32 {
        data.copy_from_slice_here(&vec![round; LARGE]).await?;
        kernel.launch().bind("data", &mut data).set("params.by", 10u32).on(&stream).threads(LARGE)?;
        sums.copy_from(&data)?;
        same(&sums.read_here().await?, &vec![round + 10; LARGE], "the words uploaded in this round")?;
        let fresh = device.buffer_from(&vec![round; LARGE])?;
        stream.copy(&fresh, &mut sums)?;
    }
    same(&sums.read_here().await?, &vec![6; LARGE], "the last copy")
}

async fn recordings_on_streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let (mut a, mut b) = (device.buffer::<u32>(LENGTH)?, device.buffer::<u32>(LENGTH)?);
    let kernel = device.kernel(ADD)?;
    let mut increment = device.recording();
    increment.on(&first)?;
    for _ in 0..3 {
        kernel.launch().bind("data", &mut a).set("params.by", 1u32).record(&mut increment).threads(LENGTH)?;
    }
    let mut save = device.recording();
    save.on(&second)?;
    save.copy(&a, &mut b)?;
    save.fill(a.slice_mut(..LENGTH / 2), 0)?;
    for round in 1..=10 {
        increment.submit()?;
        save.submit()?;
        if round % 3 == 0 {
            let expected: Vec<u32> = (0..LENGTH).map(|index| if index < LENGTH / 2 { 3 } else { 3 * round }).collect();
            same(&b.read_here().await?, &expected, "the copy in the recording")?;
        }
    }
    Ok(())
}

async fn random_work_on_random_streams(device: &Device) -> TestResult {
    const COUNT: usize = 5;
    const SHORT: usize = 4096;
    let streams: Vec<Stream> = (0..3).map(|_| device.stream()).collect();
    for seed in 1..=6u32 {
        let mut state = seed;
        let mut random = |below: usize| {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 16) as usize % below
        };
        let mut model: Vec<Vec<u32>> = (0..COUNT).map(|_| words(SHORT)).collect();
        let mut buffers = (0..COUNT).map(|_| device.buffer_from(&words(SHORT))).collect::<Result<Vec<_>, _>>()?;
        for step in 0..200u32 {
            let (stream, target, source) = (&streams[random(3)], random(COUNT), random(COUNT));
            match random(8) {
                0 => {
                    stream.fill(&mut buffers[target], step)?;
                    model[target].fill(step);
                }
                1 | 2 if source != target => {
                    let [from, to] = buffers.get_disjoint_mut([source, target])?;
                    let half = random(2) * SHORT / 2;
                    stream.copy(from.slice(half..), to.slice_mut(half..))?;
                    let from = model[source].clone();
                    model[target][half..].copy_from_slice(&from[half..]);
                }
                3 => {
                    let data = vec![step; SHORT];
                    buffers[target].copy_from_slice_here(&data).await?;
                    model[target] = data;
                }
                4 => {
                    same(&buffers[target].read_here().await?, &model[target], "a buffer before the end")
                        .context(|| format!("seed {seed}, step {step}"))?;
                }
                _ => {
                    add(stream, device, &mut buffers[target], step)?;
                    model[target].iter_mut().for_each(|word| *word = word.wrapping_add(step));
                }
            }
        }
        for (buffer, expected) in buffers.iter().zip(&model) {
            same(&buffer.read_here().await?, expected, "a buffer at the end").context(|| format!("seed {seed}"))?;
        }
    }
    Ok(())
}

async fn more_streams_than_the_device_has(device: &Device) -> TestResult {
    let streams: Vec<Stream> = (0..100).map(|_| device.stream()).collect();
    let mut total = device.buffer::<u32>(64)?;
    for stream in &streams {
        add(stream, device, &mut total, 1)?;
    }
    same(&total.read_here().await?, &[100; 64], "one launch a stream")
}

async fn buffers_dropped_while_streams_use_them(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let mut result = device.buffer::<u32>(LENGTH)?;
    for round in 0..50 {
        let mut temporary = device.buffer::<u32>(LENGTH)?;
        first.fill(&mut temporary, round)?;
        add(&second, device, &mut temporary, 1)?;
        first.copy(&temporary, &mut result)?;
    }
    same(&result.read_here().await?, &vec![50; LENGTH], "the last of 50 temporary buffers")?;
    still_works(device).await
}

/// The calls of an operator on two streams overlap, if its kernel runs long on few of the device's processors: the
/// timeline shows the overlap.
async fn operators_on_two_streams_overlap(device: &Device) -> TestResult {
    if device.caps().streams < 2 {
        return skip("the device executes all streams as one");
    }
    // The test reopens the device, because its timeline must not contain commands of other cases.
    let device = &device.reopen_here().await?;
    let streams = [device.stream(), device.stream()];
    let long =
        ElementwiseKernel::new("x: f32", "y: f32", "y = x; for (var k = 0u; k < 200000u; k++) { y = 0.5 * y + x; }")?;
    let x = device.buffer_from(&[1.0f32; 256])?;
    let mut results = [device.buffer::<f32>(256)?, device.buffer::<f32>(256)?];
    let observer = device.observe();
    for _ in 0..6 {
        for (stream, result) in streams.iter().zip(&mut results) {
            long.call(device).on(stream).run(&x, result)?;
        }
    }
    device.synchronize_here().await?;
    for result in &results {
        same(&result.read_here().await?, &[2.0f32; 256], "the limit of y = y / 2 + 1")?;
    }
    let mut commands = Vec::new();
    for observed in observer.take() {
        if let Event::Command { stream, start, end, .. } = observed.event {
            commands.push((stream, start, end));
        }
    }
    equal(commands.len(), 12, "commands in the timeline")?;
    let overlap = |one: &(u32, Duration, Duration), other: &(u32, Duration, Duration)| {
        one.0 != other.0 && one.1 < other.2 && other.1 < one.2
    };
    let overlapping = commands.iter().filter(|one| commands.iter().any(|other| overlap(one, other))).count();
    // The first calls may have waited for their compilation.
    ensure(overlapping >= 8, || format!("{overlapping} of 12 calls ran beside another: {commands:?}"))
}
