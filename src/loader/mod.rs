//! Feeding kernels from a data set: threads read ahead, batches are delivered in order.
//!
//! ```
//! use anywarp::Device;
//! use anywarp::loader::{Dataset, Loader, ReadError};
//!
//! struct Ramps;
//!
//! impl Dataset for Ramps {
//!     type Fields = (f32, u32); // two buffers in a batch
//!
//!     fn len(&self) -> usize {
//!         1000
//!     }
//!
//!     fn lengths(&self) -> [usize; 2] {
//!         [64, 1]
//!     }
//!
//!     fn read(&self, index: usize, (ramp, label): (&mut [f32], &mut [u32])) -> Result<(), ReadError> {
//!         for (at, value) in ramp.iter_mut().enumerate() {
//!             *value = (index * at) as f32;
//!         }
//!         label[0] = index as u32;
//!         Ok(())
//!     }
//! }
//!
//! fn main() -> anywarp::Result<()> {
//!     let device = Device::open_default()?;
//!     let mut loader = Loader::builder(&device, Ramps).batch_size(128).shuffle(7).workers(2).build()?;
//!     let mut seen = 0;
//!     for epoch in 0..2 {
//!         for batch in loader.epoch(epoch) {
//!             let batch = batch?;
//!             let (ramps, labels) = batch.fields(); // to be bound to a launch
//!             assert_eq!((ramps.len(), labels.len()), (64 * batch.len(), batch.len()));
//!             seen += batch.len();
//!         }
//!     }
//!     assert_eq!(seen, 2000);
//!     println!("{}", loader.stats());
//!     Ok(())
//! }
//! ```
//!
//! - A [`Dataset`] has numbered samples; an [`IterableDataset`] has shards that are read from beginning to end. Each
//!   sample is written directly into its batch.
//! - A [`Loader`] has threads, each of which fills whole batches. They are delivered in the same order for any number
//!   of threads: see [`LoaderBuilder::shuffle`].
//! - A [`Batch`] has one buffer for each field. After it is dropped, its buffers are reused for a later batch.
//! - Memory is bounded: in addition to the batches that the consumer holds there are at most `workers` + `prefetch`
//!   batches, and with unified memory two more, which are unused until the device has finished with them.
//! - An error of a sample is delivered in place of its batch, and the epoch continues: [`LoaderError`].
//! - [`Loader::epoch_async`] delivers the batches without blocking.
//! - [`LoaderStats`] contains the waiting times of the consumer and of the workers, and [`LoaderBuilder::tune`] finds
//!   the best number of workers.
//! - [`InMemory`] is a data set of samples in `Vec`s, or of the columns of a CSV file. [`IdxDataset`] reads the files
//!   of MNIST, and `ImageFolder` (feature `images`) reads pictures with four bytes for each pixel.
//!
//! The module does not exist in a browser, which has no threads for loading.

mod batch;
mod builder;
mod csv;
mod dataset;
mod epoch;
mod error;
mod fields;
mod idx;
#[cfg(feature = "images")]
mod images;
mod in_memory;
mod loading;
mod memory;
mod order;
mod plan;
mod pool;
mod running;
mod stats;
mod tune;
mod window;
mod worker;

pub use batch::Batch;
pub use builder::{LoaderBuilder, Setting};
pub use csv::{CsvArrays, CsvNumber};
pub use dataset::{Dataset, IterableDataset, Lengths, ReadError, Slots};
pub use epoch::{Epoch, EpochStream};
pub use error::{LoaderError, SampleAt};
pub use fields::Fields;
pub use idx::{IdxDataset, IdxElement};
#[cfg(feature = "images")]
pub use images::{Fit, ImageFolder};
pub use in_memory::{Arrays, InMemory};
pub use loading::Loader;
pub use stats::LoaderStats;
pub use tune::{Trial, TuneOptions, Tuning};

/// The number of cores of this machine.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
