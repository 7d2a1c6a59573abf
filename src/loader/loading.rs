//! The loader: its threads and its epochs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::fields::Fields;
use super::plan::{Indexed, Sharded, Source, Terms};
use super::pool::Pool;
use super::running::{Run, Shared, Work};
use super::window::Window;
use super::worker::work;
use super::{Dataset, Epoch, EpochStream, IterableDataset, LoaderBuilder, LoaderError, LoaderStats};
use crate::device::Device;

/// Loads a data set batch by batch, on threads of its own, into buffers of one device.
///
/// Dropping the loader ends its threads; each thread finishes the sample that it is reading. Batches may outlive the
/// loader. See the [module](super) for an example.
///
/// The builder sets the number of threads, and how far ahead they load: [`LoaderBuilder::tune`] finds the best values
/// for the data and the kernels, before a loader is created.
pub struct Loader<F: Fields> {
    pub(super) shared: Arc<Shared<F>>,
    source: Arc<dyn Source<F>>,
    terms: Terms,
    threads: Vec<JoinHandle<()>>,
}

impl<F: Fields> Loader<F> {
    /// The options for a data set with numbered samples.
    pub fn builder<D: Dataset<Fields = F>>(device: &Device, dataset: D) -> LoaderBuilder<F> {
        LoaderBuilder::new(device, Arc::new(Indexed(Arc::new(dataset))))
    }

    /// The options for a data set read as streams.
    ///
    /// ```
    /// # use anywarp::loader::{IterableDataset, Loader, ReadError};
    /// struct Lines(&'static str);
    ///
    /// impl IterableDataset for Lines {
    ///     type Fields = f32;
    ///     type Shard = std::str::Lines<'static>;
    ///
    ///     fn lengths(&self) -> usize {
    ///         1
    ///     }
    ///
    ///     fn open(&self, _shard: usize, _epoch: u64) -> Result<Self::Shard, ReadError> {
    ///         Ok(self.0.lines())
    ///     }
    ///
    ///     fn next(&self, lines: &mut Self::Shard, slot: &mut [f32]) -> Result<bool, ReadError> {
    ///         let Some(line) = lines.next() else { return Ok(false) };
    ///         slot[0] = line.parse()?;
    ///         Ok(true)
    ///     }
    /// }
    ///
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open_default()?;
    /// let mut loader = Loader::iterable(&device, Lines("1.5\n2.5\n4")).batch_size(2).build()?;
    /// let batches: Result<Vec<_>, _> = loader.epoch(0).collect();
    /// assert_eq!(*batches?[1].fields().read()?, [4.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn iterable<D: IterableDataset<Fields = F>>(device: &Device, dataset: D) -> LoaderBuilder<F> {
        LoaderBuilder::new(device, Arc::new(Sharded(Arc::new(dataset))))
    }

    pub(super) fn start(builder: &LoaderBuilder<F>) -> Result<Self, LoaderError> {
        let LoaderBuilder { device, source, terms, setting } = builder;
        // Without workers there are no batches ahead.
        let ahead = if setting.workers == 0 { 1 } else { setting.prefetch.saturating_add(setting.workers) };
        let pool = Pool::new(device, source.lengths(), terms.batch_size, ahead);
        let shared = Arc::new(Shared::new(pool, setting.pinned, setting.workers, ahead));
        let mut loader = Self { shared, source: Arc::clone(source), terms: *terms, threads: Vec::new() };
        for worker in 0..setting.workers {
            let shared = Arc::clone(&loader.shared);
            let thread = thread::Builder::new().name(format!("anywarp-load-{worker}"));
            // On an error, the drop of `loader` ends the threads that have started.
            let thread = thread.spawn(move || work(&shared, worker)).map_err(|cause| LoaderError::Thread {
                worker,
                workers: setting.workers,
                cause: Arc::new(cause),
            })?;
            loader.threads.push(thread);
        }
        Ok(loader)
    }

    /// Begins an epoch: all samples once, batch by batch. The order depends only on the number `epoch` and the seed. An
    /// empty data set has no batches.
    ///
    /// Dropping the iterator ends the epoch; batches loaded ahead are discarded.
    ///
    /// # Errors
    /// Each batch may have an error of its own; [`LoaderError`] describes which errors end the epoch. An error that
    /// prevents the start of the epoch is its only item: [`LoaderError::TooManySamples`],
    /// [`LoaderError::TooManyShards`].
    pub fn epoch(&mut self, epoch: u64) -> Epoch<'_, F> {
        let begun = self.begin(epoch);
        Epoch::new(&self.shared, begun)
    }

    /// [`epoch`](Self::epoch) without blocking: a [`Stream`](futures_core::Stream) of batches, for any executor.
    /// Without workers, the poll loads the batch.
    ///
    /// ```
    /// # use anywarp::loader::{Dataset, Loader, ReadError};
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
    /// let mut loader = Loader::builder(&device, Numbers).build()?;
    /// pollster::block_on(async {
    ///     let mut batches = loader.epoch_async(0);
    ///     while let Some(batch) = batches.next().await {
    ///         let batch = batch?;
    ///         assert_eq!(batch.fields().read_async().await?[0] as usize, 32 * batch.number() as usize);
    ///     }
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn epoch_async(&mut self, epoch: u64) -> EpochStream<'_, F> {
        EpochStream::new(self.epoch(epoch))
    }

    /// The amounts loaded so far in all epochs, and the waiting times of the consumer and of the workers.
    #[must_use]
    pub fn stats(&self) -> LoaderStats {
        let state = self.shared.state();
        let mut stats = state.totals;
        if let Some(run) = &state.run {
            stats.add(&run.stats());
        }
        stats
    }

    fn begin(&self, epoch: u64) -> Result<u64, LoaderError> {
        let plan = self.source.plan(epoch, &self.terms)?;
        let work = Arc::new(Work { plan, cancelled: AtomicBool::new(false) });
        // The previous epoch is still running if its iterator was leaked.
        let serial = self.shared.state().serial;
        self.shared.end_run(serial);
        let mut state = self.shared.state();
        state.serial += 1;
        state.run = Some(Run {
            serial: state.serial,
            epoch,
            work,
            window: Window::new(self.shared.ahead),
            waker: None,
            began: Instant::now(),
            stats: LoaderStats { epochs: 1, ..LoaderStats::default() },
            in_place: self.shared.in_place,
        });
        let serial = state.serial;
        drop(state);
        self.shared.notify_workers();
        Ok(serial)
    }
}

impl<F: Fields> Drop for Loader<F> {
    fn drop(&mut self) {
        let serial = {
            let mut state = self.shared.state();
            state.closed = true;
            state.serial
        };
        self.shared.end_run(serial);
        self.shared.notify_workers();
        let this = thread::current().id();
        for thread in self.threads.drain(..) {
            // A task that a worker wakes may run on that worker to its end, and drop the loader. The worker ends
            // afterwards.
            if thread.thread().id() != this {
                // A worker returns its panics as values, so `join` reports nothing new.
                let _ = thread.join();
            }
        }
    }
}

impl<F: Fields> fmt::Debug for Loader<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader")
            .field("workers", &self.threads.len())
            .field("batch_size", &self.terms.batch_size)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
