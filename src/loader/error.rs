//! Errors of loading, and the samples they belong to.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use anywarp_backend::BackendError;

use super::ReadError;
use crate::error::{BufferError, Classified, ErrorClass};

anywarp_backend::debug_as_display!(LoaderError);

/// A loader could not be made, or a batch could not be loaded.
///
/// An error of one batch stands in its place, and the epoch continues after it. A loop that logs errors and
/// continues therefore reaches the end of the epoch:
///
/// - An error that no later batch could escape is the last item: the device is lost, or a batch is above
///   what the device allows for one buffer, or above what can be addressed.
/// - A shard ends with a sample that cannot be read. One whose batch has no memory
///   ([`Buffer`](Self::Buffer), [`HostMemory`](Self::HostMemory)) goes on where it was, because there may be
///   some the next time; refused twice in a row, it ends.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LoaderError {
    /// Batches of nothing.
    #[error("the batch size is 0: it must be at least 1")]
    ZeroBatchSize,
    /// Shuffling needs samples with numbers.
    #[error("an iterable data set cannot be shuffled: yield another order in each epoch from its shards")]
    NotIndexed,
    /// An order of that many samples has no room in memory.
    #[error("the order of {samples} samples needs {} bytes of memory, which could not be allocated: do not shuffle them",
        samples.saturating_mul(size_of::<usize>()))]
    TooManySamples {
        /// How many there are.
        samples: usize,
    },
    /// That many shards have no room in memory.
    #[error("the memory for {shards} shards could not be allocated: use fewer shards")]
    TooManyShards {
        /// How many there are.
        shards: usize,
    },
    /// The system gives no more threads.
    #[error("worker {worker} of {workers} could not be started: {cause}; use fewer workers")]
    Thread {
        /// The worker, counted from 0.
        worker: usize,
        /// How many were asked for.
        workers: usize,
        /// The message of the system.
        cause: Arc<std::io::Error>,
    },
    /// The data set refused to read a sample.
    #[error("{at} cannot be read: {cause}")]
    Read {
        /// The sample.
        at: SampleAt,
        /// The error of the data set.
        cause: Arc<dyn Error + Send + Sync>,
    },
    /// The data set panicked.
    #[error("{at} cannot be read: the data set panicked: {message}")]
    Panicked {
        /// The sample.
        at: SampleAt,
        /// The message of the panic.
        message: String,
    },
    /// The data set has become smaller since the epoch began.
    #[error("{at} does not exist any more: the data set had {expected} samples when the epoch began and now has {now}")]
    Shrunk {
        /// The sample.
        at: SampleAt,
        /// Samples at the start of the epoch.
        expected: usize,
        /// Samples now.
        now: usize,
    },
    /// The device has no memory for a batch, or refuses to have it written. It ends the epoch if that is
    /// so for all batches, and a shard that it has hit twice in a row.
    #[error("batch {batch} of epoch {epoch} ({samples} samples) has no buffer: {error}")]
    Buffer {
        /// The epoch.
        epoch: u64,
        /// The batch, counted from 0.
        batch: u64,
        /// How many samples it was to have.
        samples: usize,
        /// The error of the buffer.
        error: BufferError,
    },
    /// The host has no ordinary memory for a batch that is to be copied.
    #[error(
        "batch {batch} of epoch {epoch} ({samples} samples) needs {bytes} bytes of host memory, which could not \
         be allocated: use smaller batches, or write them in place (pinned)"
    )]
    HostMemory {
        /// The epoch.
        epoch: u64,
        /// The batch, counted from 0.
        batch: u64,
        /// How many samples it was to have.
        samples: usize,
        /// Bytes of one field.
        bytes: u64,
    },
    /// There is nothing to measure.
    #[error("an epoch of this data set has no batches: tuning needs at least one")]
    NothingToTune,
    /// Arrays in memory that are no samples together.
    #[error("field {field} {problem}")]
    Arrays {
        /// The field, counted from 0.
        field: usize,
        /// The problem with its array.
        problem: String,
    },
    /// A cell of a table is not what it should be.
    #[error("{}:{line}:{column}: {message}", file.display())]
    Cell {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The mistake in it.
        message: String,
    },
    /// A file of a data set is not what it should be.
    #[error("{}: {message}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The expected and the actual content.
        message: String,
    },
}

impl Classified for LoaderError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Buffer { error, .. } => error.class(),
            Self::TooManySamples { .. }
            | Self::TooManyShards { .. }
            | Self::Thread { .. }
            | Self::HostMemory { .. } => ErrorClass::Resource,
            // Files and connections may be there the next time.
            Self::Read { .. } => ErrorClass::Retryable,
            _ => ErrorClass::Programmer,
        }
    }
}

impl From<LoaderError> for crate::error::Error {
    fn from(error: LoaderError) -> Self {
        Self::part(error)
    }
}

/// The sample, its batch, and the worker that was reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleAt {
    /// The epoch.
    pub epoch: u64,
    /// The batch, counted from 0 as they are delivered.
    pub batch: u64,
    /// The sample's number in the data set or in its shard; none while a shard is opened.
    pub sample: Option<usize>,
    /// The shard, for samples that come as a stream.
    pub shard: Option<usize>,
    /// The worker; none for the calling thread.
    pub worker: Option<usize>,
}

impl fmt::Display for SampleAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.sample, self.shard) {
            (Some(sample), None) => write!(f, "sample {sample}")?,
            (Some(sample), Some(shard)) => write!(f, "sample {sample} of shard {shard}")?,
            (None, shard) => write!(f, "shard {}", shard.unwrap_or_default())?,
        }
        write!(f, " (batch {} of epoch {}, ", self.batch, self.epoch)?;
        match self.worker {
            Some(worker) => write!(f, "worker {worker})"),
            None => f.write_str("calling thread)"),
        }
    }
}

/// Memory that could not be allocated.
#[doc(hidden)]
#[derive(Debug)]
pub enum Refused {
    /// By the device.
    Buffer(BufferError),
    /// By the host.
    Host {
        /// Bytes asked for.
        bytes: u64,
    },
}

impl From<BufferError> for Refused {
    fn from(error: BufferError) -> Self {
        Self::Buffer(error)
    }
}

/// The failure of a call of the data set.
pub(super) enum Cause {
    Error(ReadError),
    Panic(String),
}

/// The failure of a batch whose number is not known yet.
pub(super) enum Fault {
    Sample { sample: Option<usize>, shard: Option<usize>, cause: Cause },
    Shrunk { sample: usize, expected: usize, now: usize },
    Memory { samples: usize, refused: Refused },
}

impl Fault {
    /// Whether no later batch of the epoch could escape it.
    pub(super) fn is_final(&self) -> bool {
        let Self::Memory { refused: Refused::Buffer(error), .. } = self else { return false };
        match error {
            BufferError::Device { error, .. } => error.is_lost() || matches!(error, BackendError::TooLarge { .. }),
            BufferError::TooLong { .. } => true,
            _ => false,
        }
    }

    /// The error of the batch that it belongs to.
    pub(super) fn of(self, epoch: u64, batch: u64, worker: Option<usize>) -> LoaderError {
        let at = |sample, shard| SampleAt { epoch, batch, sample, shard, worker };
        match self {
            Self::Sample { sample, shard, cause: Cause::Error(cause) } => {
                LoaderError::Read { at: at(sample, shard), cause: Arc::from(cause) }
            }
            Self::Sample { sample, shard, cause: Cause::Panic(message) } => {
                LoaderError::Panicked { at: at(sample, shard), message }
            }
            Self::Shrunk { sample, expected, now } => LoaderError::Shrunk { at: at(Some(sample), None), expected, now },
            Self::Memory { samples, refused: Refused::Buffer(error) } => {
                LoaderError::Buffer { epoch, batch, samples, error }
            }
            Self::Memory { samples, refused: Refused::Host { bytes } } => {
                LoaderError::HostMemory { epoch, batch, samples, bytes }
            }
        }
    }
}
