//! Missing memory and lost devices: a consumer that ignores errors still reaches the end.

use std::sync::Arc;

use anywarp::loader::{Batch, Dataset, IterableDataset, Loader, LoaderBuilder, LoaderError, ReadError};
use anywarp::{Device, Error, ErrorClass};
use anywarp_null::{Call, Fault, Faults, FaultyBackend, NullBackend, NullOptions, When};

use crate::data::{Samples, Streams, check, loader};
use crate::{hanging, on_each_device};

/// A data set whose samples have any number of words and are never read.
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

/// A data set of three endless shards, whose samples have any number of words.
struct Endless(usize);

impl IterableDataset for Endless {
    type Fields = (u32, u32);
    type Shard = ();

    fn lengths(&self) -> [usize; 2] {
        [1, self.0]
    }

    fn shards(&self) -> usize {
        3
    }

    fn open(&self, _: usize, _: u64) -> Result<(), ReadError> {
        Ok(())
    }

    fn next(&self, (): &mut (), _: (&mut [u32], &mut [u32])) -> Result<bool, ReadError> {
        Ok(true)
    }
}

/// Checks that each of two epochs has `expected` errors and no batch; returns the errors.
fn refused(builder: &LoaderBuilder<(u32, u32)>, expected: usize) -> Vec<LoaderError> {
    let mut loader = builder.build().expect("a loader");
    let mut errors = Vec::new();
    for epoch in 0..2 {
        // The consumer ignores errors and continues.
        let batches = loader.epoch(epoch).take(100);
        errors.extend(batches.map(|batch| batch.map(|_| ()).expect_err("it is huge")));
        assert_eq!(errors.len(), expected * (epoch as usize + 1), "{builder:?}");
    }
    for error in &errors {
        assert!(matches!(error, LoaderError::Buffer { samples: 32, .. }), "{error:?}");
        assert!(error.to_string().contains("(32 samples) could not get a buffer"), "{error}");
    }
    errors
}

#[test]
fn a_batch_above_the_device_limit_is_one_error() {
    on_each_device(|device| {
        let before = device.stats().live_bytes;
        let above = usize::try_from(device.caps().limits.buffer_size / 128 + 1).expect("a length");
        for length in [above, usize::MAX / 8, usize::MAX] {
            for workers in [0, 2] {
                for pinned in [true, false] {
                    let options = |builder: LoaderBuilder<_>| builder.batch_size(32).workers(workers).pinned(pinned);
                    refused(&options(Loader::builder(device, Huge(length))), 1);
                    refused(&options(Loader::iterable(device, Endless(length))), 1);
                }
            }
        }
        assert_eq!(device.stats().live_bytes, before);
    });
}

#[test]
fn a_batch_larger_than_memory_ends_the_epoch() {
    hanging::within(crate::PATIENCE, || {
        let options = NullOptions { memory: Some(1 << 20), ..NullOptions::staged() };
        let null = Device::from_backend(NullBackend::with(&options));
        // 2^39 bytes are within the limit of the CPU backend, but above any memory.
        let cpu = Device::open("cpu").expect("it needs nothing");
        for (device, length) in [(null, 1 << 16), (cpu, 1 << 32)] {
            for workers in [0, 2] {
                // Memory may become free, so each batch tries an allocation, and a batch of a shard tries it twice.
                let indexed = Loader::builder(&device, Huge(length)).batch_size(32).workers(workers);
                let iterable = Loader::iterable(&device, Endless(length)).batch_size(32).workers(workers);
                for error in refused(&indexed, 2).into_iter().chain(refused(&iterable, 6)) {
                    assert_eq!(Error::from(error).class(), ErrorClass::Retryable);
                }
            }
            assert_eq!(device.stats().live_bytes, 0);
        }
    });
}

/// Opens a device that can be made to fail.
fn faulty(options: &NullOptions) -> (Arc<FaultyBackend>, Device) {
    let faulty = FaultyBackend::new(NullBackend::with(options) as _, Faults::new());
    let device = Device::from_backend(Arc::clone(&faulty) as _);
    (faulty, device)
}

#[test]
fn failed_calls_only_affect_their_batches() {
    hanging::within(crate::PATIENCE, || {
        for options in [NullOptions::staged(), NullOptions::unified()] {
            for call in [Call::Allocate, Call::Map, Call::Host] {
                for workers in [0, 2] {
                    let (faulty, device) = faulty(&options);
                    let mut loader = loader(&device, Samples::new(40), workers);
                    faulty.set_faults(Faults::new().fail(call, Fault::OutOfMemory, When::Nth(3)));
                    let failed = loader.epoch(0).filter(Result::is_err).count();
                    assert!(failed <= 1, "{failed} batches failed for one {call:?}");
                    faulty.set_faults(Faults::new());
                    loader.epoch(1).for_each(|batch| check(&batch.expect("a batch")));
                }
            }
        }
    });
}

#[test]
fn a_shard_continues_when_memory_is_free_again() {
    hanging::within(crate::PATIENCE, || {
        for refusal in 1..4 {
            for workers in [0, 2] {
                let (faulty, device) = faulty(&NullOptions::unified());
                let builder = Loader::iterable(&device, Streams::new(&[20, 20, 20])).batch_size(4).workers(workers);
                let mut loader = builder.build().expect("a loader");
                // Both attempts of a batch fail. With two workers, each worker may make one of the attempts.
                let faults = Faults::new().fail(Call::Allocate, Fault::OutOfMemory, When::Nth(refusal));
                faulty.set_faults(faults.fail(Call::Allocate, Fault::OutOfMemory, When::Nth(refusal + 1)));
                // The batches are held, so that each batch needs an allocation.
                let (batches, errors): (Vec<_>, Vec<_>) = loader.epoch(0).partition(Result::is_ok);
                assert_eq!(batches.len(), 15);
                assert!(errors.len() == 1 || workers > 0 && errors.is_empty(), "{errors:?}");
                for shard in 0..3 {
                    let of_shard = batches.iter().flatten().filter(|batch| batch.shard() == Some(shard));
                    assert!(of_shard.flat_map(Batch::indices).eq(0..20), "a sample of shard {shard} is lost");
                }
            }
        }
    });
}

#[test]
fn a_lost_device_is_one_error() {
    hanging::within(crate::PATIENCE, || {
        for options in [NullOptions::staged(), NullOptions::unified()] {
            for workers in [0, 2] {
                for indexed in [true, false] {
                    let (faulty, device) = faulty(&options);
                    let builder = match indexed {
                        true => Loader::builder(&device, Huge(4)).batch_size(1),
                        false => Loader::iterable(&device, Endless(4)).batch_size(1),
                    };
                    let mut loader = builder.workers(workers).build().expect("a loader");
                    let mut epoch = loader.epoch(0);
                    assert!(epoch.next().expect("a first batch").is_ok());
                    faulty.lose("pulled out");
                    // Batches that are ready are delivered before the error.
                    let rest: Vec<_> = epoch.by_ref().take(1000).collect();
                    let error = rest.last().and_then(|batch| batch.as_ref().err()).expect("it is lost");
                    assert_eq!(Error::from(error.clone()).class(), ErrorClass::Fatal);
                    assert_eq!(rest.iter().filter(|batch| batch.is_err()).count(), 1);
                    assert!(epoch.next().is_none(), "an ended epoch stays ended");
                    assert_eq!((epoch.stats().failed, epoch.stats().batches), (1, rest.len() as u64));
                    drop(epoch);
                    assert_eq!(
                        loader.epoch(1).take(1000).filter(Result::is_err).count(),
                        1,
                        "errors in the next epoch"
                    );
                }
            }
        }
    });
}
