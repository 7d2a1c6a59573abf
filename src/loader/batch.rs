//! The batches that a loader delivers.

use std::fmt;
use std::sync::Arc;

use super::fields::Fields;
use super::plan::Samples;
use super::pool::Pool;

/// Samples that were loaded together: one buffer for each field, to be bound to kernels.
///
/// Dropping the batch returns its buffers to the loader, which reuses them for a later batch. Earlier launches and
/// copies still see the data of this batch. The same holds for a [`Recording`](crate::Recording) that uses the batch's
/// buffers, however often the recording is submitted: while it exists, the memory of these buffers is not reused, and
/// later batches use other memory. To release the buffers, [`clear`](crate::Recording::clear) or drop the recording.
pub struct Batch<F: Fields> {
    /// The memory of all fields; `None` only while the batch is dropped.
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

    /// The number of samples. The last batch of an epoch, or of a shard, may have fewer than the others.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether the batch has no samples; never true for a batch of a loader.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The buffers: `&UnifiedBuffer<T>`, or a tuple of them. The length of each is the length of one sample times
    /// [`len`](Self::len).
    #[must_use]
    pub fn fields(&self) -> F::Buffers<'_> {
        F::buffers(self.set.as_ref().expect("only `drop` takes it"))
    }

    /// The buffers for kernels that write them: `&mut UnifiedBuffer<T>`, or a tuple of them.
    #[must_use]
    pub fn fields_mut(&mut self) -> F::BuffersMut<'_> {
        F::buffers_mut(self.set.as_mut().expect("only `drop` takes it"))
    }

    /// The numbers of the samples in the order of the buffers: within the data set or, for samples of a stream, within
    /// their shard.
    pub fn indices(&self) -> impl ExactSizeIterator<Item = usize> {
        self.samples.iter()
    }

    /// The number of the shard from which the samples were read; `None` for a data set with numbered samples.
    #[must_use]
    pub fn shard(&self) -> Option<usize> {
        self.samples.shard
    }

    /// The number of the epoch to which the batch belongs.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of the batch in its epoch, counted from 0.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The size of all buffers of the batch, in bytes.
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
