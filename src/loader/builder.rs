//! The options of a loader.

use std::fmt;
use std::sync::Arc;

use super::fields::Fields;
use super::plan::{Source, Terms};
use super::{Loader, LoaderError};
use crate::device::Device;

/// The settings that affect the speed of loading, but not the loaded data. [`LoaderBuilder::tune`] finds good ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The number of loading threads; with 0, the thread that requests a batch loads it.
    pub workers: usize,
    /// The number of batches loaded ahead of the consumer, in addition to those that workers are loading.
    pub prefetch: usize,
    /// Whether samples are written in place, into the memory from which the device reads them.
    pub pinned: bool,
}

impl Default for Setting {
    /// One worker for every two cores, at most four; two batches ahead; samples are written in place.
    fn default() -> Self {
        Self { workers: (super::cores() / 2).clamp(1, 4), prefetch: 2, pinned: true }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pinned { "in place" } else { "copied" };
        write!(f, "{} workers, {} batches ahead, {place}", self.workers, self.prefetch)
    }
}

/// The options of a [`Loader`]; created by [`Loader::builder`] and [`Loader::iterable`].
pub struct LoaderBuilder<F: Fields> {
    pub(super) device: Device,
    pub(super) source: Arc<dyn Source<F>>,
    pub(super) terms: Terms,
    pub(super) setting: Setting,
}

impl<F: Fields> LoaderBuilder<F> {
    pub(super) fn new(device: &Device, source: Arc<dyn Source<F>>) -> Self {
        let terms = Terms { batch_size: 32, drop_last: false, shuffle: None };
        Self { device: device.clone(), source, terms, setting: Setting::default() }
    }

    /// Sets the number of samples in a batch; the default is 32. One batch must fit into the device's memory, and
    /// several exist at a time: `workers` plus `prefetch`, and those that the consumer holds.
    #[must_use]
    pub fn batch_size(mut self, samples: usize) -> Self {
        self.terms.batch_size = samples;
        self
    }

    /// Shuffles the samples of each epoch. The order depends only on `seed` and the number of the epoch: it is the same
    /// on every machine, with any number of workers, in every version of anywarp.
    #[must_use]
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.terms.shuffle = Some(seed);
        self
    }

    /// Sets whether a last batch that is smaller than the others is omitted.
    #[must_use]
    pub fn drop_last(mut self, drop_last: bool) -> Self {
        self.terms.drop_last = drop_last;
        self
    }

    /// Sets the number of loading threads. With 0, the thread that requests a batch loads it.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.setting.workers = workers;
        self
    }

    /// Sets the number of batches loaded ahead of the consumer, in addition to those that workers are loading.
    #[must_use]
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.setting.prefetch = batches;
        self
    }

    /// Sets whether samples are written in place, into the memory from which the device reads them. Such memory may be
    /// slow for reads and for small writes; with `false`, samples are written to ordinary memory, from which they are
    /// then copied.
    #[must_use]
    pub fn pinned(mut self, pinned: bool) -> Self {
        self.setting.pinned = pinned;
        self
    }

    /// Sets workers, prefetch and pinning together, as found by [`tune`](Self::tune).
    #[must_use]
    pub fn setting(mut self, setting: Setting) -> Self {
        self.setting = setting;
        self
    }

    /// Creates the loader and starts its threads, which wait for the first epoch.
    ///
    /// # Errors
    /// [`LoaderError::ZeroBatchSize`]; [`LoaderError::NotIndexed`] if a data set without numbered samples is to be
    /// shuffled; [`LoaderError::Thread`] if a thread cannot be started.
    pub fn build(&self) -> Result<Loader<F>, LoaderError> {
        if self.terms.batch_size == 0 {
            return Err(LoaderError::ZeroBatchSize);
        }
        if self.terms.shuffle.is_some() && !self.source.is_indexed() {
            return Err(LoaderError::NotIndexed);
        }
        Loader::start(self)
    }
}

impl<F: Fields> Clone for LoaderBuilder<F> {
    /// Clones the options; the data set is shared.
    fn clone(&self) -> Self {
        let Self { device, source, terms, setting } = self;
        Self { device: device.clone(), source: Arc::clone(source), terms: *terms, setting: *setting }
    }
}

impl<F: Fields> fmt::Debug for LoaderBuilder<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoaderBuilder")
            .field("batch_size", &self.terms.batch_size)
            .field("shuffle", &self.terms.shuffle)
            .field("drop_last", &self.terms.drop_last)
            .field("setting", &self.setting)
            .finish_non_exhaustive()
    }
}
