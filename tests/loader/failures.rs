//! Readers that fail or panic, data sets that shrink, and the state of the device afterwards.

use std::sync::atomic::Ordering;

use anywarp::loader::{Dataset, Loader, LoaderError, ReadError};
use anywarp::{Device, Error, ErrorClass};

use crate::data::{Samples, Streams, check, loader};
use crate::on_each_device;

/// Loads an epoch of 40 samples in batches of 8, checks the good batches, and returns the errors with their positions.
fn errors(device: &Device, samples: &Samples, workers: usize) -> Vec<(usize, LoaderError)> {
    let mut loader = loader(device, samples.clone(), workers);
    for _ in 0..2 {
        // Two epochs come first, because failures must not affect later epochs.
        let _ = loader.epoch(1).count();
    }
    let mut errors = Vec::new();
    for (number, batch) in loader.epoch(3).enumerate() {
        match batch {
            Ok(batch) => check(&batch),
            Err(error) => errors.push((number, error)),
        }
    }
    errors
}

#[test]
fn a_failed_read_is_an_error_in_place_of_its_batch() {
    on_each_device(|device| {
        for workers in [0, 1, 3] {
            let failed = errors(device, &Samples { fails: Some(19), ..Samples::new(40) }, workers);
            let [(2, LoaderError::Read { at, cause })] = failed.as_slice() else { panic!("{failed:?}") };
            assert_eq!((at.sample, at.batch, at.epoch, at.shard), (Some(19), 2, 3, None));
            assert_eq!(at.worker.is_some(), workers > 0);
            assert!(at.worker.is_none_or(|worker| worker < workers));
            assert_eq!(cause.to_string(), "the ink has run");
            let error = Error::from(failed[0].1.clone());
            assert!(error.to_string().starts_with("sample 19 (batch 2 of epoch 3, "), "{error}");
            assert!(error.to_string().ends_with("cannot be read: the ink has run"), "{error}");
            assert_eq!(error.class(), ErrorClass::Retryable);
        }
    });
}

#[test]
fn a_panic_is_an_error_in_place_of_its_batch() {
    on_each_device(|device| {
        for workers in [0, 1, 3] {
            let failed = errors(device, &Samples { panics: Some(39), ..Samples::new(40) }, workers);
            let [(4, LoaderError::Panicked { at, message })] = failed.as_slice() else { panic!("{failed:?}") };
            assert_eq!((at.sample, at.batch, at.epoch), (Some(39), 4, 3));
            assert!(message.contains("the page is torn"), "{message}");
        }
    });
}

#[test]
fn a_data_set_that_shrinks_is_an_error() {
    on_each_device(|device| {
        for workers in [0, 1, 4] {
            let samples = Samples::new(400);
            let mut loader = loader(device, samples.clone(), workers);
            let mut epoch = loader.epoch(0);
            check(&epoch.next().expect("a first batch").expect("a batch"));
            // The new length is beyond all batches that may be loaded ahead, and in the middle of a batch.
            samples.length.store(204, Ordering::SeqCst);
            let rest: Vec<_> = epoch.collect();
            assert_eq!(rest.len(), 49);
            for (number, batch) in (1..).zip(rest) {
                if number < 25 {
                    check(&batch.expect("a batch"));
                    continue;
                }
                let Err(LoaderError::Shrunk { at, expected: 400, now: 204 }) = batch else { panic!("{batch:?}") };
                assert_eq!((at.sample, at.batch), (Some((8 * number).max(204)), number as u64));
                assert_eq!(at.worker.is_some(), workers > 0);
            }
            // The next epoch uses the new length; an epoch whose data set grows keeps the old one.
            assert_eq!(loader.epoch(1).map(|batch| batch.expect("a batch").len()).sum::<usize>(), 204);
            let mut epoch = loader.epoch(2);
            samples.length.store(500, Ordering::SeqCst);
            assert_eq!(epoch.by_ref().map(|batch| batch.expect("a batch").len()).sum::<usize>(), 204);
        }
    });
}

/// Checks that `load` leaves no memory in use on the device.
fn releases_everything(device: &Device, load: impl FnOnce()) {
    let in_use = || {
        device.synchronize().expect("nothing that failed");
        let stats = device.stats();
        (stats.live_bytes, stats.staging_in_use)
    };
    let before = in_use();
    load();
    assert_eq!(in_use(), before, "bytes of buffers, and of upload memory in use");
}

#[test]
fn readers_that_fail_and_panic_release_everything() {
    on_each_device(|device| {
        for workers in [0, 1, 4] {
            for pinned in [true, false] {
                releases_everything(device, || {
                    let samples = Samples { fails: Some(19), panics: Some(60), ..Samples::new(100) };
                    let builder = Loader::builder(device, samples.clone()).batch_size(8).workers(workers);
                    let mut loader = builder.pinned(pinned).build().expect("a loader");
                    assert_eq!(loader.epoch(0).filter(Result::is_err).count(), 2);
                    for epoch in 1..12 {
                        // The epoch is dropped before, at or after the errors.
                        loader.epoch(epoch).take(epoch as usize).flatten().for_each(|batch| check(&batch));
                    }
                    drop(loader);
                    samples.is_free();
                });
                releases_everything(device, || {
                    let streams = Streams { fails: Some(1009), panics: Some(2003), ..Streams::new(&[20, 20, 20]) };
                    let builder = Loader::iterable(device, streams).batch_size(4).workers(workers);
                    let mut loader = builder.pinned(pinned).build().expect("a loader");
                    assert_eq!(loader.epoch(0).filter(Result::is_err).count(), 2);
                    for batches in 1..10 {
                        assert_eq!(loader.epoch(0).take(batches).count(), batches.min(9));
                    }
                });
            }
        }
    });
}

#[test]
fn a_data_set_that_cannot_be_counted_any_more_fails_in_each_batch() {
    struct Fickle(std::sync::atomic::AtomicUsize);

    impl Dataset for Fickle {
        type Fields = u32;

        fn len(&self) -> usize {
            assert_eq!(self.0.fetch_add(1, Ordering::SeqCst), 0, "counted before");
            40
        }

        fn lengths(&self) -> usize {
            1
        }

        fn read(&self, _: usize, _: &mut [u32]) -> Result<(), ReadError> {
            Ok(())
        }
    }

    on_each_device(|device| {
        for workers in [0, 2] {
            let builder = Loader::builder(device, Fickle(0.into())).batch_size(8).workers(workers);
            let mut loader = builder.build().expect("a loader");
            let failed = |batch: &Result<_, _>| matches!(batch, Err(LoaderError::Panicked { .. }));
            assert_eq!(loader.epoch(0).filter(failed).count(), 5);
        }
    });
}

#[test]
fn a_shuffle_without_memory_is_an_error() {
    struct Endless;

    impl Dataset for Endless {
        type Fields = u32;

        fn len(&self) -> usize {
            usize::MAX
        }

        fn lengths(&self) -> usize {
            1
        }

        fn read(&self, _: usize, slot: &mut [u32]) -> Result<(), ReadError> {
            slot.fill(1);
            Ok(())
        }
    }

    on_each_device(|device| {
        for workers in [0, 2] {
            let builder = Loader::builder(device, Endless).workers(workers);
            let mut shuffled = builder.clone().shuffle(1).build().expect("a loader");
            let only: Vec<_> = shuffled.epoch(0).collect();
            assert!(matches!(only.as_slice(), [Err(LoaderError::TooManySamples { .. })]), "{only:?}");
            // Without shuffling, the epoch is endless and only some batches are loaded.
            let mut plain = builder.build().expect("a loader");
            assert_eq!(plain.epoch(0).take(5).filter(Result::is_ok).count(), 5);
        }
    });
}
