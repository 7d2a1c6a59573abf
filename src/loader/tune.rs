//! The search for the setting that loads best for given data and kernels, by measuring.
//!
//! Random settings, then the same search by successive halving as for kernels. A sequence of trials, each of which learns
//! from the ones before, as with tree-structured Parzen estimators (the crates `tpe`, `optimizer`), needs dozens of them.
//! Here there are a few dozen settings in all, each measurement is expensive and noisy, and the remaining settings must be
//! measured in turn, so that a disturbance affects all of them alike.

mod search;

use std::fmt;
use std::time::Duration;

use super::fields::Fields;
use super::{Batch, LoaderBuilder, Setting};

/// The effort of [`LoaderBuilder::tune`].
///
/// ```
/// use anywarp::loader::TuneOptions;
///
/// let hasty = TuneOptions::default().settings(4).batches(8);
/// assert_eq!((hasty.settings, hasty.repetitions), (4, 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TuneOptions {
    /// The number of settings to try: the default one, and random ones.
    pub settings: usize,
    /// The number of batches of one measurement.
    pub batches: usize,
    /// The number of measurements of each setting without a consumer, whose median counts; the best settings are measured
    /// four times as often with the consumer.
    pub repetitions: usize,
    /// The greatest number of workers to try.
    pub max_workers: usize,
    /// The greatest number of batches loaded ahead to try.
    pub max_prefetch: usize,
    /// The seed of the random settings and their order.
    pub seed: u64,
}

impl Default for TuneOptions {
    /// 12 settings, 16 batches, 3 repetitions; up to two workers for each core and 8 batches ahead.
    fn default() -> Self {
        let max_workers = super::cores().saturating_mul(2);
        Self { settings: 12, batches: 16, repetitions: 3, max_workers, max_prefetch: 8, seed: 0 }
    }
}

impl TuneOptions {
    /// Sets the number of settings to try.
    #[must_use]
    pub fn settings(mut self, settings: usize) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the number of batches of one measurement.
    #[must_use]
    pub fn batches(mut self, batches: usize) -> Self {
        self.batches = batches;
        self
    }

    /// Sets the number of measurements of each setting without a consumer.
    #[must_use]
    pub fn repetitions(mut self, repetitions: usize) -> Self {
        self.repetitions = repetitions;
        self
    }

    /// Sets the greatest number of workers to try.
    #[must_use]
    pub fn max_workers(mut self, workers: usize) -> Self {
        self.max_workers = workers;
        self
    }

    /// Sets the greatest number of batches loaded ahead to try.
    #[must_use]
    pub fn max_prefetch(mut self, batches: usize) -> Self {
        self.max_prefetch = batches;
        self
    }

    /// Sets the seed of the random settings.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// The measurements of one setting, as medians.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trial {
    /// The setting that was measured.
    pub setting: Setting,
    /// The time for each batch with the consumer.
    pub consumed: Duration,
    /// The time for each batch with a consumer that does nothing.
    pub alone: Duration,
    /// The number of measurements with the consumer.
    pub rounds: u32,
}

/// The result of tuning: a printable table, and the best setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    trials: Vec<Trial>,
    best: usize,
    best_alone: usize,
}

impl Tuning {
    /// All settings that were tried, the best first.
    #[must_use]
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// The setting with which the consumer was fastest.
    #[must_use]
    pub fn best(&self) -> Setting {
        self.trials[self.best].setting
    }

    /// The setting that is best for loading alone, with a consumer that does nothing. It is not always the best one,
    /// because workers and kernels compete for cores and memory.
    #[must_use]
    pub fn best_alone(&self) -> Setting {
        self.trials[self.best_alone].setting
    }
}

impl<F: Fields> LoaderBuilder<F> {
    /// Measures settings (numbers of workers and of batches ahead, written in place or copied) on this data set with
    /// `consumer`, which receives each batch as in a loop over an epoch.
    ///
    /// The method is random settings, then successive halving (Jamieson and Talwalkar, "Non-stochastic best arm
    /// identification and hyperparameter optimization", AISTATS 2016). In each round all remaining settings are
    /// measured in turn; the better half continues to the next round, which has twice the measurements. Among settings
    /// within 3 % of each other, the one with fewer threads and batches wins. The setting of the builder itself is
    /// ignored.
    ///
    /// ```
    /// # use anywarp::loader::{Dataset, Loader, ReadError, TuneOptions};
    /// # struct Numbers;
    /// # impl Dataset for Numbers {
    /// #     type Fields = u32;
    /// #     fn len(&self) -> usize { 100 }
    /// #     fn lengths(&self) -> usize { 1 }
    /// #     fn read(&self, index: usize, slot: &mut [u32]) -> Result<(), ReadError> {
    /// #         slot[0] = index as u32;
    /// #         Ok(())
    /// #     }
    /// # }
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let builder = Loader::builder(&device, Numbers).batch_size(10);
    /// let mut sum = device.buffer::<u32>(10)?;
    /// # let options = TuneOptions::default().settings(3).batches(2);
    /// # /*
    /// let options = TuneOptions::default();
    /// # */
    /// let tuning = builder.tune(&options, |batch| {
    ///     Ok(sum.copy_from(batch.fields())?) // or any other use of a batch
    /// })?;
    /// println!("{tuning}");
    /// let loader = builder.setting(tuning.best()).build()?;
    /// # drop(loader);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first error of a batch or of the consumer; [`LoaderError::NothingToTune`](super::LoaderError::NothingToTune)
    /// if an epoch has no batches; otherwise as [`build`](Self::build).
    pub fn tune(
        &self,
        options: &TuneOptions,
        mut consumer: impl FnMut(Batch<F>) -> crate::Result<()>,
    ) -> crate::Result<Tuning> {
        let settings = search::settings(options);
        search::search(&settings, options, |setting, batches, consumed| {
            let builder = self.clone().setting(setting);
            if consumed {
                search::measure(&builder, batches, &mut consumer)
            } else {
                search::measure(&builder, batches, &mut |_| Ok(()))
            }
        })
    }
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |time: Duration| format!("{:.3} ms", 1e3 * time.as_secs_f64());
        writeln!(f, "{:>7}  {:>5}  {:<8}  {:>12}  {:>12}", "workers", "ahead", "written", "consumed", "loaded alone")?;
        for (at, Trial { setting, consumed, alone, .. }) in self.trials.iter().enumerate() {
            let written = if setting.pinned { "in place" } else { "copied" };
            let (consumed, alone) = (milliseconds(*consumed), milliseconds(*alone));
            let Setting { workers, prefetch, .. } = setting;
            write!(f, "{workers:>7}  {prefetch:>5}  {written:<8}  {consumed:>12}  {alone:>12}")?;
            match (at == self.best, at == self.best_alone) {
                (true, true) => f.write_str("  best, also alone")?,
                (true, false) => f.write_str("  best")?,
                (false, true) => f.write_str("  best alone")?,
                (false, false) => {}
            }
            writeln!(f)?;
        }
        let (best, alone) = (&self.trials[self.best], &self.trials[self.best_alone]);
        write!(f, "best: {}", best.setting)?;
        if best.setting != alone.setting {
            let longer = 100.0 * (alone.consumed.as_secs_f64() / best.consumed.as_secs_f64().max(1e-12) - 1.0);
            write!(f, "; by loading alone: {}, which takes {longer:.0} % longer", alone.setting)?;
        }
        Ok(())
    }
}
