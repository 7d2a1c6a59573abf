//! Wakers that a loader calls and drops: code of the caller that may panic, block, or drop the loader.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use anywarp::loader::Loader;

use crate::data::{Samples, check, loader};
use crate::{hanging, null};

/// The time limit for an expected event.
const MAX_WAIT: Duration = Duration::from_secs(10);

fn slow(length: usize, milliseconds: u64) -> Samples {
    Samples { slow: Some(Duration::from_millis(milliseconds)), ..Samples::new(length) }
}

/// Whether `condition` becomes true within the time limit.
fn becomes_true(condition: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !condition() && start.elapsed() < MAX_WAIT {
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
fn a_waker_that_panics_ends_no_worker() {
    hanging::within(2 * MAX_WAIT, || {
        for workers in [1, 3] {
            let mut loader = loader(&null(), slow(40, 1), workers);
            for epoch in 0..8 {
                let mut batches = loader.epoch_async(epoch);
                let waker = Arc::<Panics>::default();
                let mut next = pin!(batches.next());
                assert!(next.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&waker)))).is_pending());
                assert!(becomes_true(|| waker.0.load(Ordering::SeqCst)), "the waker was not called");
            }
            assert_eq!(loader.epoch(9).map(|batch| check(&batch.expect("a batch"))).count(), 5);
        }
    });
}

/// A waker that panics when it is dropped.
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
fn a_waker_that_panics_in_drop_has_no_effect() {
    hanging::within(2 * MAX_WAIT, || {
        let mut loader = loader(&null(), slow(40, 5), 1);
        for replaced in [true, false] {
            let mut batches = loader.epoch_async(0);
            let mut next = pin!(batches.next());
            let waker = Waker::from(Arc::new(Fragile));
            assert!(next.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            // The loader has the last handle of the waker, and drops it now or with the epoch.
            drop(waker);
            if replaced {
                assert!(next.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            }
        }
        assert_eq!(loader.epoch(9).map(|batch| check(&batch.expect("a batch"))).count(), 5);
    });
}

/// A waker that reports, when it is dropped, whether the loader's workers can continue during the drop.
struct Watches(Samples, mpsc::Sender<bool>);

impl Wake for Watches {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Watches {
    fn drop(&mut self) {
        let read = || self.0.read.load(Ordering::SeqCst);
        // A worker must have taken the lock to start the batch after the next.
        let before = read();
        let _ = self.1.send(becomes_true(|| read() > before + 1));
    }
}

#[test]
fn no_waker_is_dropped_under_the_lock() {
    hanging::within(3 * MAX_WAIT, || {
        let samples = slow(100, 20);
        let builder = Loader::builder(&null(), samples.clone()).batch_size(1).workers(1).prefetch(20);
        let mut loader = builder.build().expect("a loader");
        let (sender, went_on) = mpsc::channel();
        let mut batches = loader.epoch_async(0);
        let mut next = pin!(batches.next());
        let waker = Waker::from(Arc::new(Watches(samples, sender)));
        assert!(next.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        // The poll replaces the waker, whose last handle the loader has.
        let _ = next.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(went_on.recv(), Ok(true), "the workers waited for the drop of a waker");
    });
}

/// A waker that runs its task in `wake`.
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
    hanging::within(2 * MAX_WAIT, || {
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
            let thread = ended.recv_timeout(MAX_WAIT).expect("an end").expect("a name");
            assert!(thread.starts_with("anywarp-load-"), "{thread}");
            // The worker that ran the task ends without being joined.
            assert!(becomes_true(|| Arc::strong_count(&samples.length) == 1), "the data set still has another owner");
        }
    });
}
