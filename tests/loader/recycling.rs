//! The memory of batches is bounded and reused.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anywarp::loader::Loader;
use anywarp_null::NullOptions;

use crate::data::{Samples, check, loader};
use crate::{hanging, null, on_each_device};

/// The size of a batch of 8 samples, in bytes.
const BATCH: u64 = 8 * 24;

#[test]
fn memory_is_reused_after_the_first_batches() {
    on_each_device(|device| {
        for workers in [0, 1, 3] {
            for pinned in [true, false] {
                let start = device.stats().live_bytes;
                let builder = Loader::builder(device, Samples::new(800)).batch_size(8).workers(workers);
                let mut loader = builder.pinned(pinned).build().expect("a loader");
                let mut use_up = |epoch| {
                    let mut copy = device.buffer::<u32>(8).expect("memory");
                    for batch in loader.epoch(epoch) {
                        copy.copy_from(batch.expect("a batch").fields().1).expect("a copy");
                        device.synchronize().expect("a wait");
                    }
                };
                (0..2).for_each(&mut use_up);
                let before = device.stats();
                (2..6).for_each(&mut use_up);
                let after = device.stats();
                // 600 batches used the memory of the allowed number of batches, of which two are idle.
                assert!(after.live_bytes - start <= (workers as u64 + 2 + 3) * BATCH, "{after:?}");
                // Whether two threads need staging memory at the same moment depends on timing.
                let missed = after.staging_misses - before.staging_misses;
                assert!(missed <= 2 * workers as u64 + 2, "{missed} more blocks after 400 batches");
            }
        }
    });
}

#[test]
fn the_number_of_batches_is_bounded() {
    on_each_device(|device| {
        for (workers, prefetch) in [(1, 0), (1, 4), (4, 0), (3, 2)] {
            let before = device.stats().live_bytes;
            let builder = Loader::builder(device, Samples::new(4000)).batch_size(8);
            let mut loader = builder.workers(workers).prefetch(prefetch).build().expect("a loader");
            for batch in loader.epoch(0) {
                check(&batch.expect("a batch"));
                // With unified memory two batches are idle; one batch is in use by this loop.
                let idle = if device.caps().unified { 2 } else { 0 };
                let most = (workers + prefetch + idle + 1) as u64 * BATCH;
                let live = device.stats().live_bytes - before;
                assert!(live <= most, "{live} bytes of batches are live, {most} allowed");
            }
        }
    });
}

#[test]
fn a_consumer_may_hold_all_batches() {
    on_each_device(|device| {
        for workers in [0, 2] {
            let mut loader = loader(device, Samples::new(400), workers);
            let held: Vec<_> = loader.epoch(0).map(|batch| batch.expect("a batch")).collect();
            held.iter().for_each(check);
            drop(held);
            // Memory beyond the bound is freed when the batches are dropped.
            assert!(device.stats().live_bytes <= 8 * BATCH);
        }
    });
}

#[test]
fn workers_stop_when_enough_is_ahead() {
    hanging::within(crate::PATIENCE, || {
        let samples = Samples::new(10_000);
        let mut loader =
            Loader::builder(&null(), samples.clone()).batch_size(8).workers(2).prefetch(3).build().unwrap();
        let mut epoch = loader.epoch(0);
        drop(epoch.next());
        let start = Instant::now();
        while samples.read.load(Ordering::SeqCst) < 6 * 8 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(50));
        // One batch is delivered, three are loaded ahead, and two are in the workers; all have been read by now.
        assert_eq!(samples.read.load(Ordering::SeqCst), 6 * 8);
        let before = epoch.stats().workers_waited;
        drop(epoch.next());
        std::thread::sleep(Duration::from_millis(50));
        let waited = epoch.stats().workers_waited - before;
        assert!(
            waited >= Duration::from_millis(50),
            "{waited:?}: the worker of the returned batch has waited that long"
        );
    });
}

#[test]
fn unified_memory_is_not_written_while_the_device_uses_it() {
    hanging::within(crate::PATIENCE, || {
        // The null device reports a mapping of memory that submitted work still uses.
        let null = anywarp_null::NullBackend::with(&NullOptions::unified());
        let device = anywarp::Device::from_backend(std::sync::Arc::clone(&null) as _);
        let mut loader = loader(&device, Samples::new(4000), 2);
        let mut sum = device.buffer::<u32>(8).unwrap();
        for batch in loader.epoch(0) {
            sum.copy_from(batch.unwrap().fields().1).unwrap();
        }
        assert_eq!(null.misuse(), Vec::<String>::new());
    });
}
