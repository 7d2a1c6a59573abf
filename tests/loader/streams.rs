//! Data sets that are streams of samples.

use anywarp::Device;
use anywarp::loader::{IterableDataset, Loader, LoaderError, ReadError};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::data::Streams;
use crate::{hanging, null, on_each_device};

/// The batches of an epoch: for each batch the shard and the numbers.
fn batches(
    device: &Device,
    streams: &Streams,
    batch: usize,
    workers: usize,
    drop_last: bool,
) -> Vec<(usize, Vec<u32>)> {
    let builder = Loader::iterable(device, streams.clone()).batch_size(batch).workers(workers);
    let mut loader = builder.drop_last(drop_last).build().expect("a loader");
    let read = |batch: Result<anywarp::loader::Batch<u32>, LoaderError>| {
        let batch = batch.expect("a batch");
        assert_eq!((batch.fields().len(), batch.indices().count()), (batch.len(), batch.len()));
        (batch.shard().expect("a shard"), batch.fields().read().expect("numbers").to_vec())
    };
    loader.epoch(0).map(read).collect()
}

/// The expected batches, computed without a loader.
fn expected(streams: &Streams, batch: usize, drop_last: bool) -> Vec<(usize, Vec<u32>)> {
    let of_shard = |(shard, length): (usize, &usize)| -> Vec<(usize, Vec<u32>)> {
        let numbers: Vec<u32> = (0..*length).map(|number| (1000 * shard + number) as u32).collect();
        let chunks = numbers.chunks(batch).filter(|chunk| !drop_last || chunk.len() == batch);
        chunks.map(|chunk| (shard, chunk.to_vec())).collect()
    };
    let shards: Vec<_> = streams.lengths.iter().enumerate().map(of_shard).collect();
    let rounds = shards.iter().map(Vec::len).max().unwrap_or_default();
    (0..rounds).flat_map(|round| shards.iter().filter_map(move |shard| shard.get(round).cloned())).collect()
}

#[test]
fn shards_are_read_in_turn() {
    on_each_device(|device| {
        for workers in [0, 1, 4] {
            for lengths in [&[20, 0, 7, 8][..], &[33], &[], &[0, 0]] {
                let streams = Streams::new(lengths);
                assert_eq!(batches(device, &streams, 4, workers, false), expected(&streams, 4, false));
            }
        }
    });
}

#[test]
fn the_order_does_not_depend_on_workers() {
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let loads = (proptest::collection::vec(0usize..30, 0..6), 1usize..9, 0usize..6, any::<bool>());
    hanging::within(crate::PATIENCE, move || {
        let property = |(lengths, batch, workers, drop_last): (Vec<usize>, _, _, _)| {
            let streams = Streams::new(&lengths);
            let got = batches(&null(), &streams, batch, workers, drop_last);
            prop_assert_eq!(got, expected(&streams, batch, drop_last));
            Ok(())
        };
        runner.run(&loads, property).unwrap_or_else(|error| panic!("{error}"));
    });
}

#[test]
fn shards_may_end_in_any_order() {
    hanging::within(crate::PATIENCE, || {
        for lengths in [&[1, 2][..], &[2, 1], &[1, 1, 3, 1], &[3, 0, 2]] {
            let builder = Loader::iterable(&null(), Streams::new(lengths)).batch_size(1).workers(4);
            let mut loader = builder.build().expect("a loader");
            for epoch in 0..500 {
                let numbers = loader.epoch(epoch).map(|batch| batch.expect("a batch").len()).sum::<usize>();
                assert_eq!(numbers, lengths.iter().sum::<usize>(), "epoch {epoch} of {lengths:?}");
            }
        }
    });
}

/// All delivered numbers, and the errors with their shards.
fn with_errors(device: &Device, streams: &Streams, workers: usize) -> (Vec<u32>, Vec<LoaderError>) {
    let builder = Loader::iterable(device, streams.clone()).batch_size(4).workers(workers);
    let (mut numbers, mut errors) = (Vec::new(), Vec::new());
    for batch in builder.build().expect("a loader").epoch(0) {
        match batch {
            Ok(batch) => numbers.extend_from_slice(&batch.fields().read().expect("numbers")),
            Err(error) => errors.push(error),
        }
    }
    numbers.sort_unstable();
    (numbers, errors)
}

#[test]
fn a_failed_shard_ends_and_others_continue() {
    on_each_device(|device| {
        for workers in [0, 3] {
            let streams = Streams { fails: Some(1009), ..Streams::new(&[10, 20, 6]) };
            let (numbers, errors) = with_errors(device, &streams, workers);
            assert!(numbers.into_iter().eq((0..10).chain(1000..1008).chain(2000..2006)));
            let [LoaderError::Read { at, cause }] = errors.as_slice() else { panic!("{errors:?}") };
            assert_eq!((at.sample, at.shard, cause.to_string().as_str()), (Some(9), Some(1), "the pipe leaks"));

            let streams = Streams { panics: Some(2000), ..Streams::new(&[10, 20, 6]) };
            let (numbers, errors) = with_errors(device, &streams, workers);
            assert_eq!(numbers.len(), 30);
            let [LoaderError::Panicked { at, message }] = errors.as_slice() else { panic!("{errors:?}") };
            assert_eq!((at.sample, at.shard), (Some(0), Some(2)));
            assert!(message.contains("the pipe has burst"), "{message}");

            let streams = Streams { closed: Some(0), ..Streams::new(&[10, 20, 6]) };
            let (numbers, errors) = with_errors(device, &streams, workers);
            assert_eq!(numbers.len(), 26);
            let [error @ LoaderError::Read { at, .. }] = errors.as_slice() else { panic!("{errors:?}") };
            assert_eq!((at.sample, at.shard), (None, Some(0)));
            assert!(error.to_string().starts_with("shard 0 (batch 0 of epoch 0, "), "{error}");
        }
    });
}

#[test]
fn a_later_epoch_opens_the_shards_again() {
    on_each_device(|device| {
        let mut loader = Loader::iterable(device, Streams::new(&[5, 5])).workers(2).build().expect("a loader");
        for epoch in [0, 3, 0] {
            let first = loader.epoch(epoch).next().expect("a first batch").expect("a batch");
            assert_eq!(first.fields().read().expect("numbers")[0], 100_000 * epoch as u32);
        }
    });
}

#[test]
fn streams_cannot_be_shuffled() {
    let error = Loader::iterable(&null(), Streams::new(&[5])).shuffle(1).build().map(|_| ()).expect_err("no order");
    assert!(matches!(error, LoaderError::NotIndexed), "{error}");
}

/// A data set with shards of two samples; dropping every second shard panics.
struct Fragile(usize);

struct Shard {
    whole: bool,
    read: u32,
}

impl Drop for Shard {
    fn drop(&mut self) {
        assert!(self.whole, "the shard panicked when it was dropped");
    }
}

impl IterableDataset for Fragile {
    type Fields = u32;
    type Shard = Shard;

    fn lengths(&self) -> usize {
        1
    }

    fn shards(&self) -> usize {
        self.0
    }

    fn open(&self, shard: usize, _: u64) -> Result<Shard, ReadError> {
        Ok(Shard { whole: shard.is_multiple_of(2), read: 0 })
    }

    fn next(&self, shard: &mut Shard, slot: &mut [u32]) -> Result<bool, ReadError> {
        slot[0] = shard.read;
        shard.read += 1;
        Ok(shard.read < 3)
    }
}

#[test]
fn a_shard_that_panics_in_drop_ends_like_others() {
    on_each_device(|device| {
        for workers in [0, 2] {
            let mut loader = Loader::iterable(device, Fragile(3)).workers(workers).batch_size(1).build().unwrap();
            for epoch in 0..3 {
                let lengths: Vec<usize> = loader.epoch(epoch).map(|batch| batch.expect("a batch").len()).collect();
                assert_eq!(lengths, [1; 6]);
            }
        }
    });
}

#[test]
fn an_epoch_may_be_dropped_with_shards_that_panic_in_drop() {
    on_each_device(|device| {
        for workers in [0, 2] {
            let mut loader = Loader::iterable(device, Fragile(4)).workers(workers).batch_size(1).build().unwrap();
            for epoch in 0..3 {
                assert_eq!(loader.epoch(epoch).take(4).filter(Result::is_ok).count(), 4);
            }
            assert_eq!(loader.epoch(3).filter(Result::is_ok).count(), 8);
        }
    });
}

#[test]
fn more_shards_than_memory_are_an_error() {
    hanging::within(crate::PATIENCE, || {
        let mut loader = Loader::iterable(&null(), Fragile(usize::MAX)).build().unwrap();
        let only: Vec<_> = loader.epoch(0).collect();
        assert!(matches!(only.as_slice(), [Err(LoaderError::TooManyShards { .. })]), "{only:?}");
    });
}
