//! Feeding kernels from a data set: threads read ahead, batches come in order.
//!
//! ```
//! use anywarp::Device;
//! use anywarp::loader::{Dataset, Loader, ReadError};
//!
//! struct Ramps;
//!
//! impl Dataset for Ramps {
//!     type Fields = (f32, u32); // two buffers to a batch
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
//! - A [`Dataset`] has samples with numbers, an [`IterableDataset`] has shards that are read from their
//!   beginning to their end. Each sample is written straight to its place in its batch.
//! - A [`Loader`] has threads, each of which fills whole batches. They are delivered in the same order,
//!   whatever the number of threads: see [`LoaderBuilder::shuffle`].
//! - A [`Batch`] has one buffer for each field. When it is dropped, a later batch is written to them.
//! - Memory is bounded: besides what the consumer holds there are at most `workers` + `prefetch` batches,
//!   and where host and device share their memory two more that rest until the device has done with them.
//! - What goes wrong with a sample stands in place of its batch, and the epoch goes on: [`LoaderError`].
//! - [`Loader::epoch_async`] is the same without blocking.
//! - [`LoaderStats`] tells who waited for whom, and [`LoaderBuilder::tune`] finds out how many workers to
//!   have.
//! - [`InMemory`] is samples that lie in `Vec`s, or are columns of a CSV file. [`IdxDataset`] reads the files of MNIST,
//!   `ImageFolder` (feature `images`) pictures, four bytes to a pixel.
//!
//! A browser has none of it, because it has no threads to load with.

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

/// Cores of this machine.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
