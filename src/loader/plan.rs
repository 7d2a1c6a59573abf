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

/// The options of an epoch.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) batch_size: usize,
    pub(super) drop_last: bool,
    pub(super) shuffle: Option<u64>,
}

/// A data set, as the source of epochs.
pub(super) trait Source<F: Fields>: Send + Sync {
    fn lengths(&self) -> F::Lengths;

    /// Whether the samples of the data set are numbered, so that they can be shuffled.
    fn is_indexed(&self) -> bool;

    fn plan(&self, epoch: u64, terms: &Terms) -> Result<Arc<dyn Plan<F>>, LoaderError>;
}

/// One epoch. Every job is read at most once, from any thread.
pub(super) trait Plan<F: Fields>: Send + Sync {
    /// Whether the epoch has no job with the number `job` or a greater one.
    fn is_over(&self, job: u64) -> bool;

    /// The number of lanes: jobs whose numbers are equal modulo this number are read in order, one at a time. `None` if
    /// all jobs are independent.
    fn lanes(&self) -> Option<u64>;

    /// The greatest number of samples of `job`.
    fn most(&self, job: u64) -> usize;

    /// Records that there is no memory for `job`, so that it is not read.
    fn refused(&self, job: u64);

    /// Reads the samples of `job` into `target`, until the `cancelled` of `target` returns true.
    fn read(&self, job: u64, target: &mut Target<'_, F>) -> Result<Samples, Fault>;
}

/// The memory for the samples of a job.
pub(super) struct Target<'a, F: Fields> {
    pub(super) open: &'a mut F::Open,
    pub(super) lengths: F::Lengths,
    pub(super) cancelled: &'a dyn Fn() -> bool,
}

/// The samples of a batch.
#[derive(Clone)]
pub(super) struct Samples {
    /// The order of all samples of the epoch, of which the batch has the part `range`; `None` if `range` contains the
    /// numbers of the samples themselves.
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

/// Calls the data set, and returns an error or a panic as a value.
fn call<R>(read: impl FnOnce() -> Result<R, ReadError>) -> Result<R, Cause> {
    // A data set is itself responsible for its state after a panic, as threads share it anyway.
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(outcome) => outcome.map_err(Cause::Error),
        Err(payload) => {
            let said = payload.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
            Err(Cause::Panic(said.to_owned()))
        }
    }
}

/// Drops a value of a data set or a task. A panic of the drop is ignored, as there is no caller to receive it.
pub(super) fn put_away<T>(value: T) {
    let _ = call(|| {
        drop(value);
        Ok(())
    });
}
