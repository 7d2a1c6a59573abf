//! What a loader delivers.

use std::fmt;
use std::sync::Arc;

use super::fields::Fields;
use super::plan::Samples;
use super::pool::Pool;

/// Samples that were loaded together: one buffer for each field, to be bound to kernels.
///
/// Dropping it gives the buffers back to the loader, which writes a later batch to them. Launches and
/// copies that came before still see this one. So does a [`Recording`](crate::Recording) that names its
/// buffers, however often it is submitted: while one is kept, its memory is not written again, and later
/// batches have other memory. What is to be used again must be let go: by [`clear`](crate::Recording::clear),
/// or with the recording.
pub struct Batch<F: Fields> {
    /// `None` only while it is dropped.
    set: Option<F::Set>,
    samples: Samples,
    pool: Arc<Pool<F>>,
    pub(super) epoch: u64,
    pub(super) number: u64,
}

impl<F: Fields> Batch<F> {
    pub(super) fn new(set: F::Set, samples: Samples, pool: &Arc<Pool<F>>) -> Self {
        Self { set: Some(set), samples, pool: Arc::clone(pool), epoch: 0, number: 0 }
    }

    /// How many samples it has. The last one of an epoch, or of a shard, may have fewer than others.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether it has none, which no batch of a loader has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its buffers: `&UnifiedBuffer<T>`, or a tuple of them. Their lengths are those of a sample times
    /// [`len`](Self::len).
    #[must_use]
    pub fn fields(&self) -> F::Buffers<'_> {
        F::buffers(self.set.as_ref().expect("it is taken out by drop alone"))
    }

    /// Its buffers, for kernels that write them: `&mut UnifiedBuffer<T>`, or a tuple of them.
    #[must_use]
    pub fn fields_mut(&mut self) -> F::BuffersMut<'_> {
        F::buffers_mut(self.set.as_mut().expect("it is taken out by drop alone"))
    }

    /// The numbers of its samples, in the order in which they lie in the buffers: in the data set or,
    /// for samples that come as a stream, in their shard.
    pub fn indices(&self) -> impl ExactSizeIterator<Item = usize> {
        self.samples.iter()
    }

    /// The shard, for samples that come as a stream.
    #[must_use]
    pub fn shard(&self) -> Option<usize> {
        self.samples.shard
    }

    /// The epoch that it belongs to.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Which batch of its epoch it is, counted from 0.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of all its buffers.
    #[must_use]
    pub fn byte_len(&self) -> u64 {
        self.set.as_ref().map_or(0, F::bytes)
    }
}

impl<F: Fields> Drop for Batch<F> {
    fn drop(&mut self) {
        if let Some(set) = self.set.take() {
            self.pool.give(self.samples.len(), set);
        }
    }
}

impl<F: Fields> fmt::Debug for Batch<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("epoch", &self.epoch)
            .field("number", &self.number)
            .field("samples", &self.len())
            .field("bytes", &self.byte_len())
            .finish()
    }
}
