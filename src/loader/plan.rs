//! One epoch as numbered jobs, each of which fills at most one batch.

mod indexed;
mod sharded;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub(super) use indexed::Indexed;
pub(super) use sharded::Sharded;

use super::ReadError;
use super::error::{Cause, Fault, LoaderError};
use super::fields::Fields;

/// What the options say about an epoch.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) batch_size: usize,
    pub(super) drop_last: bool,
    pub(super) shuffle: Option<u64>,
}

/// Where epochs come from: a data set.
pub(super) trait Source<F: Fields>: Send + Sync {
    fn lengths(&self) -> F::Lengths;

    /// Whether its samples have numbers, and so can be put into another order.
    fn is_indexed(&self) -> bool;

    fn plan(&self, epoch: u64, terms: &Terms) -> Result<Arc<dyn Plan<F>>, LoaderError>;
}

/// One epoch. Every job is read once at most, from any thread.
pub(super) trait Plan<F: Fields>: Send + Sync {
    /// Whether nothing comes from `job` on.
    fn is_over(&self, job: u64) -> bool;

    /// Jobs with the same number modulo this are read in their order, one at a time.
    fn lanes(&self) -> Option<u64>;

    /// How many samples `job` has at most.
    fn most(&self, job: u64) -> usize;

    /// There is no memory for `job`, which is not read therefore.
    fn refused(&self, job: u64);

    /// Reads the samples of `job`, until `cancelled`.
    fn read(&self, job: u64, target: &mut Target<'_, F>) -> Result<Samples, Fault>;
}

/// Where a job's samples go.
pub(super) struct Target<'a, F: Fields> {
    pub(super) open: &'a mut F::Open,
    pub(super) lengths: F::Lengths,
    pub(super) cancelled: &'a dyn Fn() -> bool,
}

/// Which samples a batch has.
#[derive(Clone)]
pub(super) struct Samples {
    /// The order that `range` is of; without one, numbers themselves.
    order: Option<Arc<Vec<usize>>>,
    range: Range<usize>,
    pub(super) shard: Option<usize>,
}

impl Samples {
    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = usize> {
        let number = |at| self.order.as_ref().map_or(at, |order| order.get(at).copied().unwrap_or(at));
        self.range.clone().map(number)
    }
}

/// Calls the data set: an error or a panic is a value.
fn call<R>(read: impl FnOnce() -> Result<R, ReadError>) -> Result<R, Cause> {
    // What a data set looks like after its panic is its own affair: it is shared by threads anyway.
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(outcome) => outcome.map_err(Cause::Error),
        Err(payload) => {
            let said = payload.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
            Err(Cause::Panic(said.to_owned()))
        }
    }
}

/// Drops what is not the loader's own: of a data set, or a task's. Of a panic of that nobody could be told.
pub(super) fn put_away<T>(value: T) {
    let _ = call(|| {
        drop(value);
        Ok(())
    });
}
