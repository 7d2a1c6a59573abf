//! Errors of loading, and the samples that they concern.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use anywarp_backend::BackendError;

use super::ReadError;
use crate::error::{BufferError, Classified, ErrorClass};

anywarp_backend::debug_as_display!(LoaderError);

/// A loader could not be created, or a batch could not be loaded.
///
/// An error of one batch is delivered in place of this batch, and the epoch continues with the next one. A loop that
/// logs errors and continues therefore reaches the end of the epoch:
///
/// - An error that every later batch would have as well is the last item: the device is lost, or a batch exceeds the
///   device's limit for one buffer, or the address space.
/// - A sample that cannot be read ends its shard. A shard whose batch has no memory ([`Buffer`](Self::Buffer),
///   [`HostMemory`](Self::HostMemory)) continues at the same sample, as memory may be available later; it ends when
///   this happens twice in a row.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LoaderError {
    /// The batch size is 0.
    #[error("expected a batch size of at least 1, got 0")]
    ZeroBatchSize,
    /// Shuffling needs numbered samples.
    #[error(
        "an iterable data set cannot be shuffled; turn shuffling off, and change the order of the samples in its \
         `IterableDataset::open`, which receives the number of the epoch"
    )]
    NotIndexed,
    /// There is no memory for the order of the samples.
    #[error("the order of {samples} samples needs {} bytes of memory, which could not be allocated; turn shuffling off",
        samples.saturating_mul(size_of::<usize>()))]
    TooManySamples {
        /// The number of samples.
        samples: usize,
    },
    /// There is no memory for the state of the shards.
    #[error("the memory for the state of {shards} shards could not be allocated; use fewer shards")]
    TooManyShards {
        /// The number of shards.
        shards: usize,
    },
    /// The operating system provides no more threads.
    #[error("worker {worker} of {workers} could not be started: {cause}; use fewer workers")]
    Thread {
        /// The number of the worker, counted from 0.
        worker: usize,
        /// The requested number of workers.
        workers: usize,
        /// The error of the operating system.
        cause: Arc<std::io::Error>,
    },
    /// The data set returned an error for a sample.
    #[error("{at} cannot be read: {cause}")]
    Read {
        /// The sample that could not be read.
        at: SampleAt,
        /// The error of the data set.
        cause: Arc<dyn Error + Send + Sync>,
    },
    /// The data set panicked.
    #[error("{at} cannot be read: the data set panicked: {message}")]
    Panicked {
        /// The sample that could not be read.
        at: SampleAt,
        /// The message of the panic.
        message: String,
    },
    /// The data set has become smaller since the epoch began.
    #[error(
        "{at} does not exist any more: the data set had {expected} samples when the epoch began and now has \
         {now}; change it between epochs only"
    )]
    Shrunk {
        /// The sample that could not be read.
        at: SampleAt,
        /// The number of samples at the start of the epoch.
        expected: usize,
        /// The number of samples when the batch was read.
        now: usize,
    },
    /// The device has no memory for a batch, or refuses writes to it. This error ends the epoch if every later batch
    /// would have it as well; two such errors in a row end a shard.
    #[error("batch {batch} of epoch {epoch} ({samples} samples) could not get a buffer: {error}")]
    Buffer {
        /// The number of the epoch.
        epoch: u64,
        /// The number of the batch in its epoch, counted from 0.
        batch: u64,
        /// The number of samples of the batch.
        samples: usize,
        /// The error of the buffer.
        error: BufferError,
    },
    /// The host has too little ordinary memory for a batch that is not written in place.
    #[error(
        "batch {batch} of epoch {epoch} ({samples} samples) needs {bytes} bytes of host memory, which could not \
         be allocated; use smaller batches, or write them in place (pinned)"
    )]
    HostMemory {
        /// The number of the epoch.
        epoch: u64,
        /// The number of the batch in its epoch, counted from 0.
        batch: u64,
        /// The number of samples of the batch.
        samples: usize,
        /// The size of the batch's elements of one field, in bytes.
        bytes: u64,
    },
    /// There is no batch to measure.
    #[error("an epoch of this data set has no batches; tuning needs at least one")]
    NothingToTune,
    /// Arrays in memory that do not form samples.
    #[error("field {field} {problem}")]
    Arrays {
        /// The number of the field, counted from 0.
        field: usize,
        /// The problem with its array.
        problem: String,
    },
    /// A cell of a table is invalid.
    #[error("{}:{line}:{column}: {message}", file.display())]
    Cell {
        /// The path of the file.
        file: PathBuf,
        /// The number of the line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The problem with the cell.
        message: String,
    },
    /// A file of a data set is invalid.
    #[error("{}: {message}", file.display())]
    File {
        /// The path of the file.
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
            // Files and connections may be available later.
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

/// The sample, its batch, and the worker that read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleAt {
    /// The number of the epoch.
    pub epoch: u64,
    /// The number of the batch in its epoch, counted from 0 in the order of delivery.
    pub batch: u64,
    /// The sample's number in the data set or in its shard; `None` while a shard is opened.
    pub sample: Option<usize>,
    /// The number of the shard; `None` for a data set with numbered samples.
    pub shard: Option<usize>,
    /// The number of the worker; `None` if the thread that requested the batch read the sample.
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
    /// Memory of the device, for a buffer.
    Buffer(BufferError),
    /// Ordinary memory of the host.
    Host {
        /// The requested number of bytes.
        bytes: u64,
    },
}

impl From<BufferError> for Refused {
    fn from(error: BufferError) -> Self {
        Self::Buffer(error)
    }
}

/// The failure of a method of the data set: an error or a panic.
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
    /// Whether every later batch of the epoch would have the same fault.
    pub(super) fn is_final(&self) -> bool {
        let Self::Memory { refused: Refused::Buffer(error), .. } = self else { return false };
        match error {
            BufferError::Device { error, .. } => error.is_lost() || matches!(error, BackendError::TooLarge { .. }),
            BufferError::TooLong { .. } => true,
            _ => false,
        }
    }

    /// The error of the batch with this number.
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
