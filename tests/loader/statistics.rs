//! Waiting times in the statistics of the loader and its device.

use anywarp::backend::BackendKind;
use std::thread::sleep;
use std::time::Duration;

use anywarp::Device;
use anywarp::insight::{Span, SpanKind, profile};
use anywarp::loader::{Loader, LoaderStats};

use crate::data::{Samples, check, loader};
use crate::on_each_device;

const PAUSE: Duration = Duration::from_millis(10);

/// Loads an epoch of 20 batches with one sample each, and calls `consume` after each batch.
fn load(device: &Device, samples: Samples, workers: usize, mut consume: impl FnMut()) -> LoaderStats {
    let builder = Loader::builder(device, samples).batch_size(1).workers(workers).prefetch(2);
    let mut loader = builder.build().expect("a loader");
    for batch in loader.epoch(0) {
        check(&batch.expect("a batch"));
        consume();
    }
    loader.stats()
}

#[test]
fn the_consumer_waits_for_a_slow_reader() {
    on_each_device(|device| {
        for workers in [0, 1] {
            let stats = load(device, Samples { slow: Some(PAUSE), ..Samples::new(20) }, workers, || ());
            assert!(stats.reading >= 20 * PAUSE, "{stats}");
            // The consumer waits except for the time between two batches; the limit allows for a busy machine.
            assert!(stats.consumer_waited >= 15 * PAUSE && stats.consumer_waited <= stats.elapsed, "{stats}");
            assert!(stats.consumer_waited_share() > 0.5, "{stats}");
            assert!(stats.device_waited < stats.elapsed / 4, "the device is idle: {stats}");
            assert!(stats.workers_waited < stats.elapsed / 4, "workers never wait: {stats}");
        }
    });
}

#[test]
fn timelines_show_batches_and_waits() {
    on_each_device(|device| {
        let samples = Samples { slow: Some(PAUSE), ..Samples::new(5) };
        let (_, timeline) = profile(device, || load(device, samples, 1, || ())).expect("no failure");
        let of = |name: &str| -> Vec<Duration> {
            let scopes = timeline.of_kind(SpanKind::Scope).filter(|span| &*span.label == name);
            scopes.map(Span::duration).collect()
        };
        let (batches, waits) = (of("loader: batch"), of("loader: wait"));
        assert!(batches.len() >= 5 && batches.iter().filter(|took| **took >= PAUSE).count() >= 5, "{batches:?}");
        assert!(!waits.is_empty() && waits.iter().sum::<Duration>() >= PAUSE, "{waits:?}");
        let worker = |span: &&Span| &*span.label == "loader: batch" && span.thread != timeline.thread;
        assert!(timeline.spans.iter().any(|span| worker(&span)), "{:?}", timeline.spans);
    });
}

#[test]
fn workers_wait_for_a_slow_consumer() {
    on_each_device(|device| {
        let stats = load(device, Samples::new(20), 2, || sleep(PAUSE));
        assert!(stats.elapsed >= 20 * PAUSE, "{stats}");
        // Both workers wait until the last four batches.
        assert!(stats.workers_waited >= 16 * PAUSE, "{stats}");
        assert!(stats.consumer_waited + stats.device_waited < stats.elapsed / 2, "{stats}");
    });
}

#[test]
fn waits_for_a_slow_device_are_counted_separately() {
    const SLOW: &str = "
        @group(0) @binding(0) var<storage> labels: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sum: array<u32>;
        @compute @workgroup_size(1)
        fn slow() {
            var word = labels[0];
            for (var at = 0u; at < 4000000u; at++) { word = word * 1664525u + (word >> 16u); }
            sum[0] += word;
        }";
    on_each_device(|device| {
        if device.caps().backend == BackendKind::Null {
            return; // the null device runs no kernels
        }
        let slow = device.kernel(SLOW).expect("a kernel");
        let mut sum = device.buffer::<u32>(1).expect("memory");
        let mut loader = loader(device, Samples::new(240), 1);
        for batch in loader.epoch(0) {
            let batch = batch.expect("a batch");
            slow.launch().bind("labels", batch.fields().1).bind("sum", &mut sum).groups(1).expect("a launch");
            device.submit().expect("a submission");
        }
        let stats = loader.stats();
        device.synchronize().expect("an end");
        assert!(stats.consumer_waited + stats.device_waited <= stats.elapsed, "{stats}");
        // The check is left out where drivers block the submitting thread instead, and where copies spare the reader
        // the wait.
        if device.caps().unified && device.caps().backend == BackendKind::Cpu {
            // The 30 batches share the memory of six, so the reader waits for the device, which is slow.
            assert!(stats.device_waited > stats.elapsed / 2, "{stats}");
            assert!(stats.consumer_waited < stats.elapsed / 4, "{stats}");
            assert!(stats.to_string().contains("for the device"), "{stats}");
        }
    });
}

#[test]
fn bytes_in_place_are_those_of_pinned_loaders() {
    on_each_device(|device| {
        let build = |workers, pinned, batch| {
            let builder = Loader::builder(device, Samples::new(40)).workers(workers).pinned(pinned).batch_size(batch);
            builder.build().expect("a loader")
        };
        let mut loaders = [build(0, true, 7), build(2, true, 8), build(3, false, 1)];
        for epoch in 0..2 {
            for loader in &mut loaders {
                assert_eq!(loader.epoch(epoch).map(|batch| batch.expect("a batch").len()).sum::<usize>(), 40);
            }
        }
        // For an epoch that is dropped, the delivered batches are counted.
        assert_eq!(loaders[1].epoch(2).take(3).count(), 3);
        let stats = loaders.each_ref().map(Loader::stats);
        assert_eq!(stats.each_ref().map(|stats| stats.samples), [80, 80 + 24, 80]);
        assert_eq!(stats.each_ref().map(|stats| stats.batches), [12, 10 + 3, 80]);
        assert!(stats.iter().all(|stats| stats.bytes > 0), "{stats:?}");
        let in_place = stats.each_ref().map(|stats| stats.bytes_in_place);
        assert_eq!(in_place, [stats[0].bytes, stats[1].bytes, 0]);
    });
}
