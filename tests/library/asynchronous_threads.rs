//! Asynchronous waits start one thread per device, which ends with the device.

use std::fs;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use anywarp::{Device, DeviceOptions, Variants};
use anywarp_testing::process::in_own_process;
use futures::executor::block_on_stream;
use futures::stream::{self, StreamExt};

fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fn names() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok()).map(|name| name.trim().into()).collect()
}

/// Waits until at most `most` threads remain, and returns their number.
fn at_most(most: usize) -> usize {
    let started = Instant::now();
    while threads() > most && started.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    threads()
}

/// Opens a device without compilation of variants, which may start threads of its own.
fn open(selector: &str) -> anywarp::Result<Device> {
    Ok(Device::open_with(&DeviceOptions::default().selector(selector).variants(Variants::Never))?)
}

fn work(device: &Device) -> anywarp::Result<()> {
    for round in 0..100u32 {
        let mut data = device.buffer::<u32>(20_000)?;
        data.fill(round)?;
        // The first read is cancelled, and the second one awaited.
        let _ = pin!(data.read_async()).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(pollster::block_on(data.read_async())?[19_999], round);
        pollster::block_on(device.synchronize_async())?;
    }
    let results = stream::iter(0..100u32).map(|input| async move {
        let mut data = device.buffer::<u32>(1000)?;
        data.fill(input)?;
        data.into_read_async().await
    });
    block_on_stream(pin!(results.buffered(4))).try_for_each(|result| Ok(result.map(drop)?))
}

#[test]
fn threads_do_not_accumulate() {
    in_own_process(|| count_threads().unwrap());
}

fn count_threads() -> anywarp::Result<()> {
    let selectors: Vec<String> = Device::enumerate().into_iter().map(|candidate| candidate.selector).collect();
    for selector in selectors {
        // A driver may start threads once and keep them for the process.
        for _ in 0..2 {
            work(&open(&selector)?)?;
        }
        std::thread::sleep(Duration::from_millis(300));
        let before = threads();
        for _ in 0..5 {
            let device = open(&selector)?;
            work(&device)?;
            let first = threads();
            for _ in 0..5 {
                work(&device)?;
            }
            assert!(at_most(first) <= first, "{selector}: the same work started further threads: {:?}", names());
        }
        let left = at_most(before);
        assert!(left <= before, "{selector}: expected at most {before} threads, got {left}");
    }
    Ok(())
}
