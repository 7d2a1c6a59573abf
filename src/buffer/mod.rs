//! Unified buffers: vectors that host and device both access.

mod blocks;
pub(crate) mod cells;
mod copy;
pub(crate) mod core;
mod download;
pub(crate) mod exchange;
mod guard;
mod host;
mod joining;
mod owned;
mod owned_read;
mod pieces;
mod reading;
mod residency;
mod scratch;
mod sending;
pub(crate) mod slice;
pub(crate) mod span;
pub(crate) mod transfer;
mod unified;
mod unsent;
mod upload;
pub(crate) mod uses;
mod write_async;

pub use guard::{ReadGuard, UpdateGuard, WriteGuard};
pub use owned::OwnedWrite;
pub use owned_read::OwnedRead;
pub(crate) use scratch::ScratchPool;
pub use scratch::ScratchStats;
pub use slice::{Slice, SliceMut};
pub use unified::UnifiedBuffer;
