//! Tuning, on data that can be told apart.

use std::time::Duration;

use anywarp::loader::{Loader, LoaderError, TuneOptions};
use anywarp::{BufferError, Error};

use crate::data::Samples;
use crate::{hanging, null, on_each_device};

fn options() -> TuneOptions {
    TuneOptions { settings: 6, batches: 4, repetitions: 2, most_workers: 4, most_prefetch: 4, seed: 1 }
}

#[test]
fn readers_that_wait_get_more_than_no_worker() {
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

#[test]
fn what_goes_wrong_is_told() {
    hanging::within(crate::PATIENCE, || {
        let tune = |samples| Loader::builder(&null(), samples).batch_size(4).tune(&options(), |_| Ok(()));
        let error = tune(Samples::new(0)).expect_err("nothing to load");
        assert!(matches!(error, Error::Loader(LoaderError::NothingToTune)), "{error}");
        let error = tune(Samples { fails: Some(3), ..Samples::new(10) }).expect_err("a bad sample");
        assert!(matches!(error, Error::Loader(LoaderError::Read { .. })), "{error}");
        let refused = || Error::from(BufferError::InUse { guard: "ReadGuard" });
        let tuned = Loader::builder(&null(), Samples::new(10)).tune(&options(), |_| Err(refused()));
        assert!(matches!(tuned, Err(Error::Buffer(_))), "{tuned:?}");
    });
}
