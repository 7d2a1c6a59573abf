//! Loading without blocking, under several executors.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use anywarp::Device;
use futures::StreamExt;

use crate::data::{Samples, check, loader};
use crate::{hanging, null, on_each_device};

fn slow(length: usize) -> Samples {
    Samples { slow: Some(Duration::from_micros(300)), ..Samples::new(length) }
}

/// Loads two epochs, of which some samples fail; returns the number of samples that were loaded.
async fn load(device: Device, workers: usize) -> usize {
    let mut loader = loader(&device, Samples { fails: Some(50), ..slow(100) }, workers);
    let mut samples = 0;
    for epoch in 0..2 {
        let mut batches = loader.epoch_async(epoch);
        while let Some(batch) = batches.next().await {
            let Ok(batch) = batch else { continue };
            check(&batch);
            samples += batch.len();
        }
        assert!(batches.next().await.is_none(), "an ended stream stays ended");
        assert_eq!((batches.stats().batches, batches.stats().failed), (12, 1));
    }
    samples
}

#[test]
fn every_executor_works() {
    on_each_device(|device| {
        for workers in [0, 1, 3] {
            assert_eq!(pollster::block_on(load(device.clone(), workers)), 184);
            assert_eq!(futures::executor::block_on(load(device.clone(), workers)), 184);
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let (first, second) = runtime.block_on(async {
                let first = tokio::spawn(load(device.clone(), workers));
                let second = tokio::spawn(load(device.clone(), workers));
                (first.await.expect("no panic"), second.await.expect("no panic"))
            });
            assert_eq!((first, second), (184, 184));
        }
    });
}

#[test]
fn combinators_of_streams_work() {
    hanging::within(crate::PATIENCE, || {
        let mut loader = loader(&null(), Samples::new(100), 2);
        let lengths = loader.epoch_async(0).map(|batch| batch.expect("a batch").len()).collect::<Vec<_>>();
        assert_eq!(pollster::block_on(lengths).iter().sum::<usize>(), 100);
    });
}

#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn polling_never_blocks_and_the_last_waker_is_woken() {
    on_each_device(|device| {
        let samples = Samples { slow: Some(Duration::from_millis(30)), ..Samples::new(16) };
        let mut loader = loader(device, samples, 1);
        let mut batches = loader.epoch_async(0);
        let (first, second) = (Arc::<Counter>::default(), Arc::<Counter>::default());
        let wakers = [&first, &second].map(|counter| Waker::from(Arc::clone(counter)));
        let mut next = pin!(batches.next());
        for waker in &wakers {
            let start = Instant::now();
            assert!(next.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
            assert!(start.elapsed() < Duration::from_millis(100), "the poll blocked for {:?}", start.elapsed());
        }
        while second.0.load(Ordering::SeqCst) == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(first.0.load(Ordering::SeqCst), 0, "only the last waker is called");
        let Poll::Ready(Some(Ok(batch))) = next.poll(&mut Context::from_waker(&wakers[0])) else {
            panic!("the task was woken without a batch");
        };
        check(&batch);
    });
}

#[test]
fn a_stream_dropped_while_it_waits_releases_everything() {
    on_each_device(|device| {
        let samples = slow(1000);
        let mut loader = loader(device, samples.clone(), 2);
        for epoch in 0..5 {
            let mut batches = loader.epoch_async(epoch);
            let mut next = pin!(batches.next());
            let _ = next.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
        assert_eq!(pollster::block_on(loader.epoch_async(9).count()), 125);
        drop(loader);
        assert_eq!(Arc::strong_count(&samples.length), 1);
    });
}
