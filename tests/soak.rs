//! Long runs during which no resource may grow: device memory, staging memory, threads, files, process memory.
//!
//! Each round launches, allocates, writes in parts, reads, replays, uses streams, cancels futures and reopens the
//! device, in random order on two threads. `ANYWARP_SOAK_SECONDS` sets the duration (2 seconds by default),
//! `ANYWARP_DEVICE` the device. The test is a program of its own, because other tests in the same process would change
//! the measured resources.

use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use anywarp::{Device, Error, Kernel, UnifiedBuffer};
use anywarp_testing::random::Random;

const ADD: &str = "
@group(0) @binding(0) var<storage> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(64)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) && id.x < arrayLength(&x) { y[id.x] += x[id.x]; }
}";

/// The largest buffer, in elements.
const MAX_LENGTH: usize = 1 << 18;

/// The share of the time that is the warm-up of kernels and pools.
const WARM_UP: f64 = 0.25;

/// The allowed growth of the process after the warm-up, in bytes: allocators keep freed memory.
const MAX_GROWTH: u64 = 32 << 20;

#[test]
fn nothing_grows() {
    let seconds = std::env::var("ANYWARP_SOAK_SECONDS").map_or(2.0, |text| text.parse().expect("seconds as a number"));
    let device = Device::open_default().expect("a device");
    let warm = period(&device, Duration::from_secs_f64(seconds * WARM_UP), 1);
    let end = period(&device, Duration::from_secs_f64(seconds * (1.0 - WARM_UP)), 2);
    println!("{}: {warm:?}, then {end:?}", device.selector());
    assert_eq!((end.device_bytes, end.staging_bytes), (0, 0), "memory of the device");
    assert!(end.rounds > warm.rounds, "only {} rounds after the warm-up", end.rounds);
    assert!(end.threads <= warm.threads + 1, "{} threads, {} after the warm-up", end.threads, warm.threads);
    assert!(end.files <= warm.files + 2, "{} open files, {} after the warm-up", end.files, warm.files);
    let most = warm.process_bytes + warm.process_bytes / 10 + MAX_GROWTH;
    assert!(end.process_bytes <= most, "{} bytes, {} after the warm-up", end.process_bytes, warm.process_bytes);
}

/// The resources in use at the end of a period, after all work is done and every buffer is dropped.
#[derive(Debug)]
struct Counts {
    rounds: u64,
    device_bytes: u64,
    staging_bytes: u64,
    /// The resident memory of the process; 0 where the system does not report it, as for the next two fields.
    process_bytes: u64,
    threads: u64,
    files: u64,
}

/// Runs rounds for `time` on two threads; returns the resources in use afterwards.
fn period(device: &Device, time: Duration, seed: u64) -> Counts {
    let until = Instant::now() + time;
    let rounds = thread::scope(|scope| {
        let worker = |number: u64| move || work(device, until, seed * 100 + number).unwrap();
        let workers = [1, 2].map(|number| scope.spawn(worker(number)));
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    device.synchronize().unwrap();
    device.trim();
    let stats = device.stats();
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let resident = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    let entries = |folder| std::fs::read_dir(folder).map_or(0, |entries| entries.count() as u64);
    Counts {
        rounds,
        device_bytes: stats.live_bytes,
        staging_bytes: stats.staging_bytes,
        process_bytes: resident.unwrap_or(0) * 4096,
        threads: entries("/proc/self/task"),
        files: entries("/proc/self/fd"),
    }
}

/// Runs random rounds until the time is up; returns their number. Each result is compared with a sum computed on the
/// host.
fn work(device: &Device, until: Instant, seed: u64) -> Result<u64, Error> {
    let mut random = Random::from_state(seed);
    let kernel = device.kernel(ADD)?;
    let mut rounds = 0;
    while Instant::now() < until {
        let length = 1 + random.below(MAX_LENGTH);
        let x = device.buffer_from(&vec![3u32; length])?;
        let mut y = device.buffer_from(&vec![4u32; length])?;
        let added = match random.below(6) {
            0 => on_streams(device, &kernel, &x, &mut y)?,
            1 => replays(device, &kernel, &x, &mut y)?,
            2 => cancelled_reads(&kernel, &x, &mut y)?,
            3 => written_in_parts(&kernel, &x, &mut y, &mut random)?,
            4 if random.below(50) == 0 => reopened(device)?,
            _ => {
                kernel.launch().bind("x", &x).bind("y", &mut y).threads(length as u64)?;
                1
            }
        };
        let at = random.below(length);
        assert_eq!(y.slice(at..at + 1).read()?[0], 4 + 3 * added, "round {rounds} of seed {seed}");
        rounds += 1;
    }
    Ok(rounds)
}

fn on_streams(
    device: &Device,
    kernel: &Kernel,
    x: &UnifiedBuffer<u32>,
    y: &mut UnifiedBuffer<u32>,
) -> Result<u32, Error> {
    for _ in 0..3 {
        let stream = device.stream();
        kernel.launch().bind("x", x).bind("y", &mut *y).on(&stream).threads(x.len() as u64)?;
    }
    Ok(3)
}

fn replays(device: &Device, kernel: &Kernel, x: &UnifiedBuffer<u32>, y: &mut UnifiedBuffer<u32>) -> Result<u32, Error> {
    let mut recording = device.recording();
    for _ in 0..2 {
        kernel.launch().bind("x", x).bind("y", &mut *y).record(&mut recording).threads(x.len() as u64)?;
    }
    recording.submit()?;
    recording.submit()?;
    Ok(4)
}

/// Polls reads once and drops them.
fn cancelled_reads(kernel: &Kernel, x: &UnifiedBuffer<u32>, y: &mut UnifiedBuffer<u32>) -> Result<u32, Error> {
    kernel.launch().bind("x", x).bind("y", &mut *y).threads(x.len() as u64)?;
    let mut context = Context::from_waker(Waker::noop());
    let _ = pin!(y.read_async()).poll(&mut context);
    let _ = pin!(kernel.launch().bind("x", x).bind("y", &mut *y).threads(x.len() as u64)?).poll(&mut context);
    Ok(2)
}

/// Writes parts of `x` again with the same numbers, so that only those parts are uploaded.
fn written_in_parts(
    kernel: &Kernel,
    x: &UnifiedBuffer<u32>,
    y: &mut UnifiedBuffer<u32>,
    random: &mut Random,
) -> Result<u32, Error> {
    kernel.launch().bind("x", x).bind("y", &mut *y).threads(x.len() as u64)?;
    let sums = vec![7u32; y.len()];
    for _ in 0..20 {
        let start = random.below(y.len());
        let end = (start + 1 + random.below(100)).min(y.len());
        y.slice_mut(start..end).copy_from_slice(&sums[start..end])?;
    }
    kernel.launch().bind("x", x).bind("y", &mut *y).threads(x.len() as u64)?;
    Ok(2)
}

/// Opens the device again, with its own kernels, pools and staging memory, and uses it.
fn reopened(device: &Device) -> Result<u32, Error> {
    let other = device.reopen()?;
    let kernel = other.kernel(ADD)?;
    let (x, mut y) = (other.buffer_from(&[1u32; 1000])?, other.buffer_from(&[1u32; 1000])?);
    kernel.launch().bind("x", &x).bind("y", &mut y).threads(1000)?;
    assert_eq!(y.read()?[999], 2);
    Ok(0)
}
