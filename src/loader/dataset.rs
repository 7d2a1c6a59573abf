//! The input of a loader: data sets with numbered samples, and data sets read as streams.

use std::error::Error;
use std::sync::Arc;

use super::fields::Fields;

/// The error of reading a sample: any error, so that `?` works.
pub type ReadError = Box<dyn Error + Send + Sync>;

/// The memory into which a sample is written: one slice for each field, `&mut [f32]` or `(&mut [f32], &mut [u32])`.
pub type Slots<'a, F> = <F as Fields>::Slots<'a>;

/// The number of elements of a sample in each field: `usize` for one field, `[usize; N]` for several.
pub type Lengths<F> = <F as Fields>::Lengths;

/// Numbered samples, each of which can be read at any time, from any thread.
///
/// ```
/// use anywarp::loader::{Dataset, ReadError};
///
/// /// Points, and whether they lie within the circle.
/// struct Points(Vec<[f32; 2]>);
///
/// impl Dataset for Points {
///     type Fields = (f32, u32);
///
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///
///     fn lengths(&self) -> [usize; 2] {
///         [2, 1] // a sample is two `f32` and one `u32`
///     }
///
///     fn read(&self, index: usize, (point, within): (&mut [f32], &mut [u32])) -> Result<(), ReadError> {
///         let [x, y] = self.0.get(index).ok_or("there is no such point")?;
///         point.copy_from_slice(&[*x, *y]);
///         within[0] = u32::from(x * x + y * y < 1.0);
///         Ok(())
///     }
/// }
/// ```
pub trait Dataset: Send + Sync + 'static {
    /// The element types of a sample: `f32`, or a tuple for several fields: `(f32, u32)`. Each field becomes one buffer
    /// of a batch.
    type Fields: Fields;

    /// The number of samples. Called at the start of an epoch, and again for each batch.
    fn len(&self) -> usize;

    /// Whether there are no samples.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of elements of a sample in each field. Called once, when the loader is created.
    fn lengths(&self) -> Lengths<Self::Fields>;

    /// Writes the sample `index` into the batch. The slices have the lengths given by [`lengths`](Self::lengths). Their
    /// initial contents are unspecified, and reading them may be slow.
    ///
    /// # Errors
    /// Any error; it is delivered in place of the batch, with the number of the sample. A panic is delivered as an
    /// error, too.
    fn read(&self, index: usize, slots: Slots<'_, Self::Fields>) -> Result<(), ReadError>;
}

/// Samples that are read in sequence, from one or more *shards*: files, connections, generators.
///
/// Workers take shards in turn, one batch from each. So the order of batches depends on the number of shards and not on
/// that of workers, and more workers than shards are useless.
///
/// ```
/// use anywarp::loader::{IterableDataset, ReadError};
///
/// /// Consecutive numbers, a quarter of them in each shard.
/// struct Counting;
///
/// impl IterableDataset for Counting {
///     type Fields = u32;
///     type Shard = std::iter::StepBy<std::ops::Range<u32>>;
///
///     fn lengths(&self) -> usize {
///         1
///     }
///
///     fn shards(&self) -> usize {
///         4
///     }
///
///     fn open(&self, shard: usize, _epoch: u64) -> Result<Self::Shard, ReadError> {
///         Ok((shard as u32..1000).step_by(4))
///     }
///
///     fn next(&self, shard: &mut Self::Shard, slot: &mut [u32]) -> Result<bool, ReadError> {
///         let Some(number) = shard.next() else { return Ok(false) };
///         slot[0] = number;
///         Ok(true)
///     }
/// }
/// ```
pub trait IterableDataset: Send + Sync + 'static {
    /// The element types of a sample, as [`Dataset::Fields`].
    type Fields: Fields;
    /// The read position in one shard: an iterator, an open file.
    type Shard: Send + 'static;

    /// The number of elements of a sample in each field. Called once, when the loader is created.
    fn lengths(&self) -> Lengths<Self::Fields>;

    /// The number of shards. Called at the start of an epoch.
    fn shards(&self) -> usize {
        1
    }

    /// Opens a shard at its start.
    ///
    /// # Errors
    /// Any error; it is delivered in place of a batch, and the shard is omitted.
    fn open(&self, shard: usize, epoch: u64) -> Result<Self::Shard, ReadError>;

    /// Writes the shard's next sample into the batch; `false` if there is none.
    ///
    /// # Errors
    /// Any error; it is delivered in place of the batch, and ends the shard.
    fn next(&self, shard: &mut Self::Shard, slots: Slots<'_, Self::Fields>) -> Result<bool, ReadError>;
}

impl<D: Dataset> Dataset for Arc<D> {
    type Fields = D::Fields;

    fn len(&self) -> usize {
        D::len(self)
    }

    fn lengths(&self) -> Lengths<D::Fields> {
        D::lengths(self)
    }

    fn read(&self, index: usize, slots: Slots<'_, D::Fields>) -> Result<(), ReadError> {
        D::read(self, index, slots)
    }
}

impl<D: IterableDataset> IterableDataset for Arc<D> {
    type Fields = D::Fields;
    type Shard = D::Shard;

    fn lengths(&self) -> Lengths<D::Fields> {
        D::lengths(self)
    }

    fn shards(&self) -> usize {
        D::shards(self)
    }

    fn open(&self, shard: usize, epoch: u64) -> Result<D::Shard, ReadError> {
        D::open(self, shard, epoch)
    }

    fn next(&self, shard: &mut D::Shard, slots: Slots<'_, D::Fields>) -> Result<bool, ReadError> {
        D::next(self, shard, slots)
    }
}
