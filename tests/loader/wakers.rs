//! Wakers that a loader calls and drops: foreign code, which may do anything.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use anywarp::loader::Loader;

use crate::data::{Samples, check, loader};
use crate::{hanging, null};

/// Until then something must have happened.
const SOON: Duration = Duration::from_secs(10);

fn slow(length: usize, milliseconds: u64) -> Samples {
    Samples { slow: Some(Duration::from_millis(milliseconds)), ..Samples::new(length) }
}

/// Whether `condition` comes true soon.
fn comes(condition: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !condition() && start.elapsed() < SOON {
        std::thread::sleep(Duration::from_millis(1));
    }
    condition()
}

#[derive(Default)]
struct Panics(AtomicBool);

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
        panic!("a waker that a test wrote");
    }
}

#[test]
fn a_waker_that_panics_costs_no_worker() {
    hanging::within(2 * SOON, || {
        for workers in [1, 3] {
            let mut loader = loader(&null(), slow(40, 1), workers);
            for epoch in 0..8 {
                let mut batches = loader.epoch_async(epoch);
                let waker = Arc::<Panics>::default();
                let mut next = pin!(batches.next());
                assert!(next.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&waker)))).is_pending());
                assert!(comes(|| waker.0.load(Ordering::SeqCst)), "nobody woke it");
            }
            assert_eq!(loader.epoch(9).map(|batch| check(&batch.expect("a batch"))).count(), 5);
        }
    });
}

/// A task whose end is a panic.
struct Fragile;

impl Wake for Fragile {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("the end of a waker that a test wrote");
    }
}

#[test]
fn a_waker_that_panics_when_it_is_dropped_costs_nothing() {
    hanging::within(2 * SOON, || {
        let mut loader = loader(&null(), slow(40, 5), 1);
        for replaced in [true, false] {
            let mut batches = loader.epoch_async(0);
            let mut next = pin!(batches.next());
            let waker = Waker::from(Arc::new(Fragile));
            assert!(next.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            // The loader has the last one, and drops it now, or with the epoch.
            drop(waker);
            if replaced {
                assert!(next.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            }
        }
        assert_eq!(loader.epoch(9).map(|batch| check(&batch.expect("a batch"))).count(), 5);
    });
}

/// Says when it is dropped whether the loader's threads can go on meanwhile.
struct Watches(Samples, mpsc::Sender<bool>);

impl Wake for Watches {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Watches {
    fn drop(&mut self) {
        let read = || self.0.read.load(Ordering::SeqCst);
        // To begin the one after the next, a worker must have taken the lock.
        let before = read();
        let _ = self.1.send(comes(|| read() > before + 1));
    }
}

#[test]
fn no_waker_is_dropped_under_the_lock() {
    hanging::within(3 * SOON, || {
        let samples = slow(100, 20);
        let builder = Loader::builder(&null(), samples.clone()).batch_size(1).workers(1).prefetch(20);
        let mut loader = builder.build().expect("a loader");
        let (sender, went_on) = mpsc::channel();
        let mut batches = loader.epoch_async(0);
        let mut next = pin!(batches.next());
        let waker = Waker::from(Arc::new(Watches(samples, sender)));
        assert!(next.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        // Replaces it; the loader has the last one.
        let _ = next.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(went_on.recv(), Ok(true), "the workers had to wait for a waker's end");
    });
}

/// Runs its task where it is woken.
struct Inline(Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>);

impl Wake for Inline {
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut task = self.0.lock().expect("no panic");
        if task.as_mut().is_some_and(|task| task.as_mut().poll(&mut Context::from_waker(&waker)).is_ready()) {
            *task = None;
        }
    }
}

#[test]
fn a_worker_may_run_the_task_that_drops_the_loader() {
    hanging::within(2 * SOON, || {
        for workers in [1, 3] {
            let samples = slow(40, 1);
            let mut loader = loader(&null(), samples.clone(), workers);
            let (sender, ended) = mpsc::channel();
            let task = async move {
                let mut batches = loader.epoch_async(0);
                while let Some(batch) = batches.next().await {
                    check(&batch.expect("a batch"));
                }
                drop(batches);
                drop(loader);
                let _ = sender.send(std::thread::current().name().map(str::to_owned));
            };
            Arc::new(Inline(Mutex::new(Some(Box::pin(task))))).wake();
            let thread = ended.recv_timeout(SOON).expect("an end").expect("a name");
            assert!(thread.starts_with("anywarp-load-"), "{thread}");
            // The worker that ran it ends on its own.
            assert!(comes(|| Arc::strong_count(&samples.length) == 1), "somebody still holds the data set");
        }
    });
}
