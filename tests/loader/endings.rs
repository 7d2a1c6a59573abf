//! Loaders, epochs, batches and devices that are dropped while work is in flight.

use anywarp::backend::BackendKind;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use anywarp::loader::{Dataset, Loader, ReadError};

use crate::data::{Samples, check, loader};
use crate::{hanging, null, on_each_device};

fn slow(length: usize) -> Samples {
    Samples { slow: Some(Duration::from_millis(1)), ..Samples::new(length) }
}

#[test]
fn a_dropped_loader_releases_everything() {
    on_each_device(|device| {
        let before = device.stats().live_bytes;
        for workers in [0, 1, 4] {
            for batches in [0, 1, 7] {
                let samples = slow(1000);
                let mut loader = loader(device, samples.clone(), workers);
                assert_eq!(loader.epoch(0).take(batches).filter(Result::is_ok).count(), batches);
                drop(loader);
                samples.is_free();
                assert_eq!(device.stats().live_bytes, before, "{workers} workers, {batches} batches");
            }
        }
    });
}

#[test]
fn an_unused_loader_releases_everything() {
    on_each_device(|device| {
        let samples = slow(1000);
        drop(loader(device, samples.clone(), 4));
        samples.is_free();
    });
}

#[test]
fn an_epoch_may_be_dropped_at_any_time() {
    on_each_device(|device| {
        for workers in [0, 3] {
            let samples = slow(100);
            let mut loader = loader(device, samples.clone(), workers);
            for round in 0..12 {
                for batch in loader.epoch(round).take(round as usize) {
                    check(&batch.expect("a batch"));
                }
            }
            assert_eq!(loader.epoch(99).count(), 13);
        }
    });
}

#[test]
fn loading_for_a_dropped_epoch_ends_soon() {
    hanging::within(crate::PATIENCE, || {
        let samples = Samples { slow: Some(Duration::from_millis(20)), ..Samples::new(10_000) };
        let mut loader = Loader::builder(&null(), samples.clone()).batch_size(1000).workers(2).build().unwrap();
        let _ = loader.epoch(0);
        std::thread::sleep(Duration::from_millis(50));
        let start = Instant::now();
        drop(loader);
        // All samples of a batch would take 20 s, but loading may end after any sample, which takes 20 ms.
        assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
        samples.is_free();
    });
}

#[test]
fn an_epoch_that_was_leaked_does_not_disturb_the_next() {
    on_each_device(|device| {
        for workers in [0, 2] {
            let mut loader = loader(device, Samples::new(100), workers);
            let mut leaked = loader.epoch(0);
            check(&leaked.next().expect("a first batch").expect("a batch"));
            std::mem::forget(leaked);
            let batches: Vec<_> = loader.epoch(1).map(|batch| batch.expect("a batch")).collect();
            assert_eq!(batches.len(), 13);
            batches.iter().for_each(check);
        }
    });
}

#[test]
fn batches_outlive_the_loader() {
    on_each_device(|device| {
        let before = device.stats().live_bytes;
        let samples = Samples::new(100);
        let mut loader = loader(device, samples.clone(), 2);
        let batches: Vec<_> = loader.epoch(0).map(|batch| batch.expect("a batch")).collect();
        drop(loader);
        samples.is_free();
        assert_eq!(batches.len(), 13);
        batches.iter().for_each(check);
        drop(batches);
        assert_eq!(device.stats().live_bytes, before);
    });
}

#[test]
fn the_device_may_be_dropped_before_its_loader() {
    on_each_device(|device| {
        let device = match device.caps().backend {
            BackendKind::Null => null(),
            _ => device.reopen().expect("the same device"),
        };
        let mut loader = loader(&device, slow(100), 2);
        let mut epoch = loader.epoch(0);
        check(&epoch.next().expect("a first batch").expect("a batch"));
        drop(device);
        epoch.for_each(|batch| check(&batch.expect("a batch")));
    });
}

#[test]
fn a_loader_can_be_dropped_by_a_panic() {
    on_each_device(|device| {
        let samples = slow(1000);
        let (theirs, device) = (samples.clone(), device.clone());
        let thread = std::thread::spawn(move || {
            let mut loader = loader(&device, theirs, 3);
            for batch in loader.epoch(0) {
                let batch = batch.expect("a batch");
                check(&batch);
                assert!(batch.number() < 2, "the consumer stumbles");
            }
        });
        assert!(thread.join().is_err());
        samples.is_free();
    });
}

/// A data set whose first eight samples are read simultaneously.
struct Meeting(Samples, Barrier);

impl Dataset for Meeting {
    type Fields = (f32, u32);

    fn len(&self) -> usize {
        self.0.len()
    }

    fn lengths(&self) -> [usize; 2] {
        self.0.lengths()
    }

    fn read(&self, index: usize, slots: (&mut [f32], &mut [u32])) -> Result<(), ReadError> {
        self.0.threads.note();
        if index < 8 {
            self.1.wait();
        }
        self.0.read(index, slots)
    }
}

#[test]
fn no_thread_remains() {
    hanging::within(crate::PATIENCE, || {
        let samples = Samples::new(100);
        for batches in 1..50 {
            let meeting = Meeting(samples.clone(), Barrier::new(8));
            let mut loader = Loader::builder(&null(), meeting).batch_size(1).workers(8).build().expect("a loader");
            assert_eq!(loader.epoch(0).take(batches).count(), batches);
            if cfg!(target_os = "linux") {
                assert_eq!(samples.threads.seen(), 8);
            }
            drop(loader);
            samples.is_free();
        }
    });
}
