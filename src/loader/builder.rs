//! How a loader is to load.

use std::fmt;
use std::sync::Arc;

use super::fields::Fields;
use super::plan::{Source, Terms};
use super::{Loader, LoaderError};
use crate::device::Device;

/// The settings that make loading fast or slow and do not change what is loaded. [`LoaderBuilder::tune`] finds
/// good ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// Threads that load; with none, the thread that asks for a batch loads it.
    pub workers: usize,
    /// Batches that lie ready ahead of the consumer, beside those that workers are at.
    pub prefetch: usize,
    /// Whether samples are written in place: into the memory that the device takes them from.
    pub pinned: bool,
}

impl Default for Setting {
    /// A worker for every second core, four at most; two batches ahead; in place.
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

/// The options of a [`Loader`]; made by [`Loader::builder`] and [`Loader::iterable`].
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

    /// Samples to a batch; 32 unless set. One batch must fit into the device's memory, and several do
    /// at a time: as many as `workers` and `prefetch` together, and those that are held.
    #[must_use]
    pub fn batch_size(mut self, samples: usize) -> Self {
        self.terms.batch_size = samples;
        self
    }

    /// Takes the samples of each epoch in an order that depends on `seed` and the epoch's number alone:
    /// it is the same on every machine, with any number of workers, in every version of anywarp.
    #[must_use]
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.terms.shuffle = Some(seed);
        self
    }

    /// Leaves out a last batch that is smaller than the others.
    #[must_use]
    pub fn drop_last(mut self, drop_last: bool) -> Self {
        self.terms.drop_last = drop_last;
        self
    }

    /// How many threads load. With none, the thread that asks for a batch loads it.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.setting.workers = workers;
        self
    }

    /// How many batches lie ready ahead of the consumer, beside those that workers are at.
    #[must_use]
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.setting.prefetch = batches;
        self
    }

    /// Whether samples are written in place, into the memory that the device takes them from. That
    /// memory may be slow to read and to write in small pieces; then `false` has them written to
    /// ordinary memory and copied from there.
    #[must_use]
    pub fn pinned(mut self, pinned: bool) -> Self {
        self.setting.pinned = pinned;
        self
    }

    /// Workers, prefetch and pinning at once, as [`tune`](Self::tune) finds them.
    #[must_use]
    pub fn setting(mut self, setting: Setting) -> Self {
        self.setting = setting;
        self
    }

    /// Makes the loader and starts its threads, which wait for the first epoch.
    ///
    /// # Errors
    /// [`LoaderError::ZeroBatchSize`], [`LoaderError::NotIndexed`], [`LoaderError::Thread`].
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
    /// The data set is shared.
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
