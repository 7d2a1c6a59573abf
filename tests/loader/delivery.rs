//! The delivered batches and their order.

use anywarp::backend::BackendKind;
use anywarp::loader::{Loader, LoaderError};
use anywarp::{Error, ErrorClass};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::data::{Samples, check, loader};
use crate::{hanging, null, on_each_device};

/// The indices of an epoch's samples, grouped by batch.
fn indices(loader: &mut Loader<(f32, u32)>, epoch: u64) -> Vec<Vec<usize>> {
    loader.epoch(epoch).map(|batch| batch.expect("a batch").indices().collect()).collect()
}

#[test]
fn batches_hold_their_samples() {
    on_each_device(|device| {
        for workers in [0, 1, 3] {
            for pinned in [true, false] {
                let builder = Loader::builder(device, Samples::new(50)).batch_size(8).workers(workers).pinned(pinned);
                let mut loader = builder.shuffle(3).build().expect("a loader");
                for epoch in 0..3 {
                    let mut seen = Vec::new();
                    for (number, batch) in loader.epoch(epoch).enumerate() {
                        let batch = batch.expect("a batch");
                        check(&batch);
                        assert_eq!((batch.epoch(), batch.number()), (epoch, number as u64));
                        assert_eq!(batch.len(), if number < 6 { 8 } else { 2 });
                        seen.extend(batch.indices());
                    }
                    seen.sort_unstable();
                    assert!(seen.into_iter().eq(0..50));
                }
            }
        }
    });
}

#[test]
fn kernels_use_batches_without_waits() {
    const SUM: &str = "
        @group(0) @binding(0) var<storage> values: array<f32>;
        @group(0) @binding(1) var<storage, read_write> sums: array<f32>;
        @compute @workgroup_size(64)
        fn sum(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&sums) {
                for (var at = 0u; at < 5u; at++) { sums[id.x] += values[id.x * 5u + at]; }
            }
        }";
    on_each_device(|device| {
        if device.caps().backend == BackendKind::Null {
            return; // the null device runs no kernels
        }
        let sum = device.kernel(SUM).expect("a kernel");
        for workers in [0, 2] {
            // There is no wait for the device between batches, although their memory is reused.
            let mut sums = device.buffer::<f32>(8).expect("memory");
            let mut loader = loader(device, Samples::new(800), workers);
            for batch in loader.epoch(0) {
                let batch = batch.expect("a batch");
                sum.launch().bind("values", batch.fields().0).bind("sums", &mut sums).threads(8).expect("a launch");
            }
            let expected = |first: usize| -> f32 {
                (first..800).step_by(8).flat_map(|index| (0..5).map(move |at| (index * 5 + at + 1) as f32)).sum()
            };
            assert!(sums.read().expect("sums").iter().enumerate().all(|(at, sum)| *sum == expected(at)));
        }
    });
}

#[test]
fn a_kernel_may_write_to_a_batch() {
    on_each_device(|device| {
        let mut loader = loader(device, Samples::new(40), 2);
        for batch in loader.epoch(0) {
            let mut batch = batch.expect("a batch");
            batch.fields_mut().1.fill(9).expect("a fill");
            if device.caps().backend != BackendKind::Null {
                assert_eq!(*batch.fields().1.read().expect("labels"), [9; 8]);
            }
        }
        loader.epoch(1).for_each(|batch| check(&batch.expect("a batch")));
    });
}

#[test]
fn the_order_depends_on_seed_and_epoch_alone() {
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let loads = (0usize..60, 1usize..9, 0usize..5, 0usize..4, any::<bool>());
    hanging::within(crate::PATIENCE, move || {
        let property = |(length, batch, workers, prefetch, drop_last)| {
            let of = |workers, prefetch, seed| {
                let builder = Loader::builder(&null(), Samples::new(length)).batch_size(batch).drop_last(drop_last);
                builder.workers(workers).prefetch(prefetch).shuffle(seed).build().expect("a loader")
            };
            let (mut this, mut that) = (of(workers, prefetch, 7), of(0, 0, 7));
            let first = indices(&mut this, 5);
            prop_assert_eq!(&first, &indices(&mut that, 5), "other workers");
            let second = indices(&mut this, 6);
            prop_assert_eq!(&first, &indices(&mut this, 5), "the same epoch again");
            let whole = length / batch * batch;
            let mut seen: Vec<usize> = first.concat();
            prop_assert_eq!(seen.len(), if drop_last { whole } else { length });
            if length > 20 {
                prop_assert_ne!(&first, &second, "another epoch");
                prop_assert_ne!(&first, &indices(&mut of(workers, prefetch, 8), 5), "another seed");
            }
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), if drop_last { whole } else { length }, "every sample comes once");
            Ok(())
        };
        runner.run(&loads, property).unwrap_or_else(|error| panic!("{error}"));
    });
}

#[test]
fn orders_are_the_same_in_every_version() {
    let builder = Loader::builder(&null(), Samples::new(10)).batch_size(10).workers(0);
    let order = |seed, epoch| indices(&mut builder.clone().shuffle(seed).build().unwrap(), epoch).concat();
    // The expected orders were computed by an independent implementation.
    assert_eq!(order(0, 0), [1, 2, 5, 7, 0, 8, 4, 3, 9, 6]);
    assert_eq!(order(42, 3), [3, 0, 6, 8, 4, 5, 1, 7, 2, 9]);
    let mut plain = builder.build().unwrap();
    assert!(indices(&mut plain, 9).concat().into_iter().eq(0..10));
}

#[test]
fn an_empty_data_set_has_no_batches() {
    on_each_device(|device| {
        for workers in [0, 2] {
            for batch_size in [1, 1000] {
                let builder = Loader::builder(device, Samples::new(0)).batch_size(batch_size).workers(workers);
                let mut loader = builder.shuffle(1).build().expect("a loader");
                assert_eq!((loader.epoch(0).count(), loader.epoch(1).count()), (0, 0));
                assert_eq!(loader.stats().batches, 0);
            }
        }
    });
}

#[test]
fn a_batch_size_of_zero_is_refused() {
    let refused = Loader::builder(&null(), Samples::new(10)).batch_size(0).build();
    let error = refused.map(|_| ()).expect_err("batches of nothing");
    assert!(matches!(error, LoaderError::ZeroBatchSize));
    assert_eq!(Error::from(error).class(), ErrorClass::Programmer);
}

#[test]
fn statistics_count_samples_and_batches() {
    on_each_device(|device| {
        for workers in [0, 2] {
            let mut loader = loader(device, Samples { fails: Some(20), ..Samples::new(50) }, workers);
            let mut epoch = loader.epoch(0);
            let good = epoch.by_ref().filter(Result::is_ok).count();
            let of_epoch = epoch.stats();
            drop(epoch);
            assert_eq!((good, of_epoch.batches, of_epoch.failed), (6, 6, 1), "{of_epoch}");
            assert_eq!((of_epoch.samples, of_epoch.bytes), (42, 42 * 24), "{of_epoch}");
            assert!(of_epoch.consumer_waited <= of_epoch.elapsed, "{of_epoch}");
            assert_eq!(loader.epoch(1).take(2).count(), 2);
            let total = loader.stats();
            assert_eq!((total.epochs, total.batches, total.samples), (2, 8, 42 + 16), "{total}");
            assert!(total.to_string().contains("58 samples in 8 batches"), "{total}");
            assert!(total.to_string().contains("1 batches failed"), "{total}");
        }
    });
}
