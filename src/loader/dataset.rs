//! What a loader reads: data sets with numbered samples, and data sets that come as streams.

use std::error::Error;
use std::sync::Arc;

use super::fields::Fields;

/// Why a sample cannot be read: any error, so that `?` does.
pub type ReadError = Box<dyn Error + Send + Sync>;

/// Where a sample is written: one slice for each field, `&mut [f32]` or `(&mut [f32], &mut [u32])`.
pub type Slots<'a, F> = <F as Fields>::Slots<'a>;

/// How many elements a sample has in each field: `usize` for one field, `[usize; N]` for several.
pub type Lengths<F> = <F as Fields>::Lengths;

/// Samples with numbers, each of which can be read at any time, from any thread.
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
    /// The element types of a sample: `f32`, or a tuple for several fields: `(f32, u32)`. Each field
    /// becomes one buffer of a batch.
    type Fields: Fields;

    /// How many samples there are. Asked at the start of an epoch, and again with each batch.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements a sample has in each field. Asked once, when the loader is made.
    fn lengths(&self) -> Lengths<Self::Fields>;

    /// Writes the sample `index` into its place in the batch, whose slices have the lengths of
    /// [`lengths`](Self::lengths). What they hold at first is unspecified, and reading them may be slow.
    ///
    /// # Errors
    /// Whatever keeps it from being read; it is told with the number of the sample, in place of its
    /// batch. A panic is told likewise.
    fn read(&self, index: usize, slots: Slots<'_, Self::Fields>) -> Result<(), ReadError>;
}

/// Samples that come one after the other, from one or more *shards*: files, connections, generators.
///
/// Workers take shards in turn, a batch from each: so the order of batches depends on the number of
/// shards and not on that of workers, and more workers than shards bring nothing.
///
/// ```
/// use anywarp::loader::{IterableDataset, ReadError};
///
/// /// Numbers that nobody has counted yet: a quarter of them in each shard.
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
    /// Where one shard has come to: an iterator, a file that is open.
    type Shard: Send + 'static;

    /// How many elements a sample has in each field. Asked once, when the loader is made.
    fn lengths(&self) -> Lengths<Self::Fields>;

    /// How many shards there are. Asked at the start of an epoch.
    fn shards(&self) -> usize {
        1
    }

    /// Opens a shard at its start.
    ///
    /// # Errors
    /// Whatever keeps it from being opened: told in place of a batch, and the shard is left out.
    fn open(&self, shard: usize, epoch: u64) -> Result<Self::Shard, ReadError>;

    /// Writes the shard's next sample into its place in the batch; `false` if there is none.
    ///
    /// # Errors
    /// Whatever keeps it from being read: told in place of the batch, and the shard ends with it.
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
