//! Readers that fail, panic or shrink, and memory that is not there.

use std::sync::atomic::Ordering;

use anywarp::loader::{Dataset, Loader, LoaderError, ReadError};
use anywarp::{Device, Error, ErrorClass};
use anywarp_null::{Call, Fault, FaultyBackend, NullBackend, NullOptions, Plan, When};

use crate::data::{Samples, check, loader};
use crate::{hanging, on_each_device};

/// Loads an epoch of 40 samples in batches of 8; checks those that are good and returns the errors
/// with their places.
fn errors(device: &Device, samples: &Samples, workers: usize) -> Vec<(usize, LoaderError)> {
    let mut loader = loader(device, samples.clone(), workers);
    for _ in 0..2 {
        // Twice, because what fails must not spoil the next epoch.
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
fn a_failed_read_is_told_in_place_of_its_batch() {
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
fn a_panic_is_told_in_place_of_its_batch() {
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
fn a_data_set_that_shrinks_is_noticed() {
    on_each_device(|device| {
        let samples = Samples::new(40);
        let mut loader = loader(device, samples.clone(), 0);
        let mut epoch = loader.epoch(0);
        check(&epoch.next().expect("a first batch").expect("a batch"));
        samples.length.store(20, Ordering::SeqCst);
        check(&epoch.next().expect("a second batch").expect("a batch"));
        let rest: Vec<_> = epoch.map(|batch| batch.map(|_| ())).collect();
        assert_eq!(rest.len(), 3);
        for (number, batch) in rest.into_iter().enumerate() {
            let Err(LoaderError::Shrunk { at, expected: 40, now: 20 }) = batch else { panic!("{batch:?}") };
            assert_eq!((at.sample, at.batch), (Some([20, 24, 32][number]), number as u64 + 2));
        }
        // The next epoch goes by the new length; one that has grown by the old one.
        assert_eq!(loader.epoch(1).map(|batch| batch.expect("a batch").len()).sum::<usize>(), 20);
        let mut epoch = loader.epoch(2);
        samples.length.store(100, Ordering::SeqCst);
        assert_eq!(epoch.by_ref().map(|batch| batch.expect("a batch").len()).sum::<usize>(), 20);
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

/// Samples of as many bytes as one likes, never read.
struct Huge(usize);

impl Dataset for Huge {
    type Fields = (u32, u32);

    fn len(&self) -> usize {
        64
    }

    fn lengths(&self) -> [usize; 2] {
        [1, self.0]
    }

    fn read(&self, _: usize, _: (&mut [u32], &mut [u32])) -> Result<(), ReadError> {
        Ok(())
    }
}

#[test]
fn a_batch_larger_than_memory_is_an_error() {
    hanging::within(crate::PATIENCE, || {
        let options = NullOptions { memory: Some(1 << 20), ..NullOptions::staged() };
        let device = Device::from_backend(NullBackend::with(&options));
        for (length, class) in [
            (1 << 16, ErrorClass::Retryable),
            (usize::MAX / 8, ErrorClass::Programmer),
            (usize::MAX, ErrorClass::Programmer),
        ] {
            for workers in [0, 2] {
                let mut loader =
                    Loader::builder(&device, Huge(length)).batch_size(32).workers(workers).build().unwrap();
                let errors: Vec<_> = loader.epoch(0).map(|batch| batch.map(|_| ()).expect_err("it is huge")).collect();
                assert_eq!(errors.len(), 2);
                for error in errors {
                    assert!(matches!(error, LoaderError::Buffer { samples: 32, .. }), "{error:?}");
                    assert!(error.to_string().contains("(32 samples) has no memory"), "{error}");
                    assert_eq!(Error::from(error).class(), class, "{length}");
                }
            }
        }
        assert_eq!(device.stats().live_bytes, 0);
    });
}

#[test]
fn an_order_that_has_no_room_is_an_error() {
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
            // In its own order there is no end.
            let mut plain = builder.build().expect("a loader");
            assert_eq!(plain.epoch(0).take(5).filter(Result::is_ok).count(), 5);
        }
    });
}

#[test]
fn devices_that_refuse_cost_the_batches_that_they_refuse() {
    hanging::within(crate::PATIENCE, || {
        for options in [NullOptions::staged(), NullOptions::unified()] {
            for call in [Call::Allocate, Call::Map, Call::Host] {
                for workers in [0, 2] {
                    let null = NullBackend::with(&options);
                    let faulty = FaultyBackend::new(null as _, Plan::new());
                    let device = Device::from_backend(std::sync::Arc::clone(&faulty) as _);
                    let mut loader = loader(&device, Samples::new(40), workers);
                    faulty.set_plan(Plan::new().fail(call, Fault::OutOfMemory, When::Nth(3)));
                    let failed = loader.epoch(0).filter(Result::is_err).count();
                    assert!(failed <= 1, "{failed} batches failed for one {call:?}");
                    faulty.set_plan(Plan::new());
                    loader.epoch(1).for_each(|batch| check(&batch.expect("a batch")));
                }
            }
        }
    });
}

#[test]
fn a_lost_device_is_told_in_every_batch() {
    hanging::within(crate::PATIENCE, || {
        for options in [NullOptions::staged(), NullOptions::unified()] {
            for workers in [0, 2] {
                let faulty = FaultyBackend::new(NullBackend::with(&options) as _, Plan::new());
                let device = Device::from_backend(std::sync::Arc::clone(&faulty) as _);
                let mut loader = loader(&device, Samples::new(400), workers);
                let mut epoch = loader.epoch(0);
                check(&epoch.next().expect("a first batch").expect("a batch"));
                faulty.lose("pulled out");
                let rest: Vec<_> = epoch.collect();
                assert_eq!(rest.len(), 49);
                let error = rest.into_iter().next_back().expect("a last batch").map(|_| ()).expect_err("it is lost");
                assert_eq!(Error::from(error).class(), ErrorClass::Fatal);
            }
        }
    });
}
