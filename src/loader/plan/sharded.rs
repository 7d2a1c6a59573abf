//! Epochs of a data set that is read as streams.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Fields, Plan, Samples, Source, Target, Terms, call, put_away};
use crate::loader::error::{Fault, LoaderError};
use crate::loader::{IterableDataset, Lengths};

/// A data set that is read as streams.
pub(in crate::loader) struct Sharded<D>(pub(in crate::loader) Arc<D>);

impl<D: IterableDataset> Source<D::Fields> for Sharded<D> {
    fn lengths(&self) -> Lengths<D::Fields> {
        self.0.lengths()
    }

    fn is_indexed(&self) -> bool {
        false
    }

    fn plan(&self, epoch: u64, terms: &Terms) -> Result<Arc<dyn Plan<D::Fields>>, LoaderError> {
        let count = self.0.shards();
        let mut shards = Vec::new();
        shards.try_reserve_exact(count).map_err(|_| LoaderError::TooManyShards { shards: count })?;
        shards.resize_with(count, || Mutex::new(Place { shard: Shard::Closed, refused: false }));
        let left = AtomicUsize::new(count);
        Ok(Arc::new(Epoch { dataset: Arc::clone(&self.0), epoch, terms: *terms, shards, left }))
    }
}

enum Shard<S> {
    Closed,
    /// The read position, and the number of samples read.
    Open(S, usize),
    Ended,
}

/// The state of a shard.
struct Place<S> {
    shard: Shard<S>,
    /// Whether there was no memory for the last batch of the shard.
    refused: bool,
}

/// One epoch. Job `n` is a batch of the shard `n` modulo the number of shards.
struct Epoch<D: IterableDataset> {
    dataset: Arc<D>,
    epoch: u64,
    terms: Terms,
    shards: Vec<Mutex<Place<D::Shard>>>,
    /// The number of shards that have not ended.
    left: AtomicUsize,
}

impl<D: IterableDataset> Epoch<D> {
    fn number(&self, job: u64) -> usize {
        (job % (self.shards.len() as u64).max(1)) as usize
    }

    fn place(&self, number: usize) -> Option<MutexGuard<'_, Place<D::Shard>>> {
        Some(self.shards.get(number)?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn end(&self, shard: &mut Shard<D::Shard>) {
        let ended = std::mem::replace(shard, Shard::Ended);
        if !matches!(ended, Shard::Ended) {
            self.left.fetch_sub(1, Ordering::Release);
            put_away(ended);
        }
    }
}

impl<D: IterableDataset> Plan<D::Fields> for Epoch<D> {
    fn is_over(&self, _job: u64) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    fn lanes(&self) -> Option<u64> {
        Some((self.shards.len() as u64).max(1))
    }

    fn most(&self, job: u64) -> usize {
        let ended = self.place(self.number(job)).is_none_or(|place| matches!(place.shard, Shard::Ended));
        if ended { 0 } else { self.terms.batch_size }
    }

    /// Records the lack of memory; the shard's next batch has the same samples. The second lack in a row ends the
    /// shard, so that an epoch that never has memory ends, too.
    fn refused(&self, job: u64) {
        let Some(mut place) = self.place(self.number(job)) else { return };
        if std::mem::replace(&mut place.refused, true) {
            self.end(&mut place.shard);
        }
    }

    fn read(&self, job: u64, target: &mut Target<'_, D::Fields>) -> Result<Samples, Fault> {
        let number = self.number(job);
        let mut samples = Samples { order: None, range: 0..0, shard: Some(number) };
        let Some(mut place) = self.place(number) else { return Ok(samples) };
        place.refused = false;
        let shard = &mut place.shard;
        if matches!(*shard, Shard::Closed) {
            match call(|| self.dataset.open(number, self.epoch)) {
                Ok(open) => *shard = Shard::Open(open, 0),
                Err(cause) => {
                    self.end(shard);
                    return Err(Fault::Sample { sample: None, shard: Some(number), cause });
                }
            }
        }
        let Shard::Open(open, read) = shard else { return Ok(samples) };
        let first = *read;
        let mut ended = Ok(false);
        for at in 0..self.terms.batch_size {
            if (target.cancelled)() {
                return Ok(samples);
            }
            let slots = D::Fields::sample(target.open, target.lengths, at);
            match call(|| self.dataset.next(open, slots)) {
                Ok(true) => *read += 1,
                Ok(false) => ended = Ok(true),
                Err(cause) => ended = Err(Fault::Sample { sample: Some(*read), shard: Some(number), cause }),
            }
            if !matches!(ended, Ok(false)) {
                break;
            }
        }
        samples.range = first..*read;
        if !matches!(ended, Ok(false)) {
            self.end(shard);
        }
        ended?;
        if self.terms.drop_last && samples.len() < self.terms.batch_size {
            samples.range.end = samples.range.start;
        }
        Ok(samples)
    }
}

impl<D: IterableDataset> Drop for Epoch<D> {
    /// Drops the shards one by one: two panics at the same time would abort the process.
    fn drop(&mut self) {
        self.shards.drain(..).for_each(put_away);
    }
}
