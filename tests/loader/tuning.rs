//! Tuning with data for which the best settings are known.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anywarp::loader::{Dataset, Loader, LoaderError, ReadError, TuneOptions};
use anywarp::{BufferError, Error};

use crate::data::Samples;
use crate::{hanging, null, on_each_device};

fn options() -> TuneOptions {
    TuneOptions::default().settings(6).batches(4).repetitions(2).max_workers(4).max_prefetch(4).seed(1)
}

#[test]
fn readers_that_wait_get_workers() {
    on_each_device(|device| {
        let samples = Samples { slow: Some(Duration::from_micros(200)), ..Samples::new(80) };
        let builder = Loader::builder(device, samples).batch_size(4);
        let mut copy = device.buffer::<u32>(4).expect("memory");
        let mut seen = 0;
        let tuning = builder.tune(&options(), |batch| {
            seen += batch.len();
            Ok(copy.copy_from(batch.fields().1)?)
        });
        let tuning = tuning.expect("a tuning");
        assert!(tuning.best().workers > 0, "{tuning}");
        assert_eq!(tuning.trials().len(), 6);
        assert_eq!(tuning.trials()[0].setting, tuning.best());
        assert!(seen > 0);
        let mut loader = builder.setting(tuning.best()).build().expect("a loader");
        assert_eq!(loader.epoch(0).count(), 20);
    });
}

/// A data set whose samples take long to read, with a count of the loader's threads.
struct Crowd(Arc<AtomicUsize>);

const READING: Duration = Duration::from_millis(2);

/// An object that counts its thread for as long as the object exists.
struct Present(Arc<AtomicUsize>);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

thread_local! {
    static PRESENT: RefCell<Option<Present>> = const { RefCell::new(None) };
}

impl Dataset for Crowd {
    type Fields = u32;

    fn len(&self) -> usize {
        100
    }

    fn lengths(&self) -> usize {
        1
    }

    fn read(&self, _: usize, _: &mut [u32]) -> Result<(), ReadError> {
        let is_worker = thread::current().name().is_some_and(|name| name.starts_with("anywarp-load-"));
        PRESENT.with_borrow_mut(|present| {
            if is_worker && present.is_none() {
                self.0.fetch_add(1, Ordering::SeqCst);
                *present = Some(Present(Arc::clone(&self.0)));
            }
        });
        thread::sleep(READING);
        Ok(())
    }
}

/// Tuning chooses fewer workers for a consumer that more than one worker slows down, as workers do on a machine with
/// few cores. The consumer sleeps, as the reader does, so that a busy machine changes little: with any other number of
/// workers, loading takes twice as long.
#[test]
fn a_consumer_that_workers_slow_down_gets_fewer() {
    hanging::within(crate::PATIENCE, || {
        let crowd = Arc::<AtomicUsize>::default();
        let builder = Loader::builder(&null(), Crowd(Arc::clone(&crowd))).batch_size(1);
        let options =
            TuneOptions::default().settings(20).batches(4).repetitions(3).max_workers(3).max_prefetch(0).seed(1);
        let tuning = builder.tune(&options, |_batch| {
            let beyond = crowd.load(Ordering::SeqCst).saturating_sub(1);
            thread::sleep(READING / 4 + 2 * READING * u32::try_from(beyond).unwrap_or(u32::MAX));
            Ok(())
        });
        let tuning = tuning.expect("a tuning");
        assert_eq!(crowd.load(Ordering::SeqCst), 0, "threads remain");
        assert!(tuning.best().workers < 2, "{tuning}");
        assert!(tuning.best_alone().workers >= 2, "{tuning}");
        assert!(tuning.to_string().contains("by loading alone: "), "{tuning}");
    });
}

#[test]
fn failures_are_errors() {
    hanging::within(crate::PATIENCE, || {
        let tune = |samples| Loader::builder(&null(), samples).batch_size(4).tune(&options(), |_| Ok(()));
        let error = tune(Samples::new(0)).expect_err("nothing to load");
        assert!(matches!(error.downcast_ref(), Some(LoaderError::NothingToTune)), "{error}");
        let error = tune(Samples { fails: Some(3), ..Samples::new(10) }).expect_err("a bad sample");
        assert!(matches!(error.downcast_ref(), Some(LoaderError::Read { .. })), "{error}");
        let refused = || Error::from(BufferError::InUse { guard: "ReadGuard" });
        let tuned = Loader::builder(&null(), Samples::new(10)).tune(&options(), |_| Err(refused()));
        assert!(matches!(tuned, Err(Error::Buffer(_))), "{tuned:?}");
    });
}
