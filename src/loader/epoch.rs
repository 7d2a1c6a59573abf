//! One pass over a data set, as an iterator and as a stream.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, MutexGuard};
use std::task::{Context, Poll};
use std::time::Instant;

use futures_core::Stream;

use super::fields::Fields;
use super::plan::put_away;
use super::running::{Outcome, Shared, State};
use super::window::Front;
use super::worker::load;
use super::{Batch, LoaderError, LoaderStats};

/// The batches of one epoch, in order; created by [`Loader::epoch`](super::Loader::epoch).
pub struct Epoch<'a, F: Fields> {
    shared: &'a Shared<F>,
    stage: Stage,
    /// The time at which the consumer began to wait; `None` while it does not wait.
    waiting: Option<Instant>,
}

enum Stage {
    Running(u64),
    Failed(LoaderError),
    Over(LoaderStats),
}

/// The next item of an epoch, or the need to wait for it.
enum Next<'a, F: Fields> {
    Item(Option<Result<Batch<F>, LoaderError>>),
    /// A worker is loading the batch. The lock is still held, so that the end of the job cannot be missed.
    Wait(MutexGuard<'a, State<F>>),
}

impl<'a, F: Fields> Epoch<'a, F> {
    pub(super) fn new(shared: &'a Shared<F>, begun: Result<u64, LoaderError>) -> Self {
        let stage = begun.map_or_else(Stage::Failed, Stage::Running);
        Self { shared, stage, waiting: None }
    }

    /// The amounts that this epoch has loaded so far, and the waiting times of the consumer and of the workers.
    #[must_use]
    pub fn stats(&self) -> LoaderStats {
        match self.stage {
            Stage::Running(serial) => {
                let state = self.shared.state();
                let run = state.run.as_ref().filter(|run| run.serial == serial);
                run.map(super::running::Run::stats).unwrap_or_default()
            }
            Stage::Failed(_) => LoaderStats::default(),
            Stage::Over(stats) => stats,
        }
    }

    /// Returns the serial number of the running epoch; otherwise the error that prevented its start, once.
    fn serial(&mut self) -> Result<u64, Option<LoaderError>> {
        match std::mem::replace(&mut self.stage, Stage::Over(LoaderStats::default())) {
            Stage::Running(serial) => {
                self.stage = Stage::Running(serial);
                Ok(serial)
            }
            Stage::Failed(error) => Err(Some(error)),
            Stage::Over(stats) => {
                self.stage = Stage::Over(stats);
                Err(None)
            }
        }
    }

    /// Advances to the next item. `held` is the locked state, if the caller has locked it.
    fn advance(&mut self, held: Option<MutexGuard<'a, State<F>>>) -> Next<'a, F> {
        let serial = match self.serial() {
            Ok(serial) => serial,
            Err(error) => return Next::Item(error.map(Err)),
        };
        let mut state = held.unwrap_or_else(|| self.shared.state());
        loop {
            let Some(run) = state.run.as_mut().filter(|run| run.serial == serial) else {
                self.stage = Stage::Over(LoaderStats::default());
                return Next::Item(None);
            };
            match run.window.front() {
                Front::Done => {
                    let Some(ended) = run.window.deliver() else { continue };
                    let waiting = if matches!(ended.outcome, Outcome::Nothing) { None } else { self.waiting.take() };
                    let is_last = matches!(&ended.outcome, Outcome::Failed(fault, _) if fault.is_final());
                    let item = run.delivered(ended, waiting);
                    if is_last {
                        drop(state);
                        self.stage = Stage::Over(self.shared.end_run(serial).unwrap_or_default());
                        return Next::Item(item);
                    }
                    self.shared.one_more(state);
                    if item.is_some() {
                        return Next::Item(item);
                    }
                    state = self.shared.state();
                }
                Front::Free if run.work.plan.is_over(run.window.first()) => {
                    // Later jobs may have been begun for shards that had more samples.
                    if run.window.skip() {
                        continue;
                    }
                    run.waited(self.waiting.take(), None);
                    drop(state);
                    self.stage = Stage::Over(self.shared.end_run(serial).unwrap_or_default());
                    return Next::Item(None);
                }
                Front::Free if self.shared.workers == 0 => {
                    self.waiting.get_or_insert_with(Instant::now);
                    let Some(job) = run.begin() else { continue };
                    let work = Arc::clone(&run.work);
                    drop(state);
                    let ended = load(self.shared, &work, job, None);
                    state = self.shared.state();
                    if let Some(run) = state.run.as_mut().filter(|run| run.serial == serial) {
                        run.spent(&ended);
                        run.window.end(job, ended);
                    }
                }
                Front::Free | Front::Running => {
                    self.waiting.get_or_insert_with(Instant::now);
                    return Next::Wait(state);
                }
            }
        }
    }
}

impl<F: Fields> Iterator for Epoch<'_, F> {
    type Item = Result<Batch<F>, LoaderError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut held = None;
        loop {
            match self.advance(held.take()) {
                Next::Item(item) => return item,
                Next::Wait(state) => held = Some(self.shared.wait_ready(state)),
            }
        }
    }
}

impl<F: Fields> Drop for Epoch<'_, F> {
    fn drop(&mut self) {
        if let Stage::Running(serial) = self.stage {
            self.shared.end_run(serial);
        }
    }
}

impl<F: Fields> fmt::Debug for Epoch<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Epoch").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// [`Epoch`] as a [`Stream`]; created by [`Loader::epoch_async`](super::Loader::epoch_async).
#[derive(Debug)]
pub struct EpochStream<'a, F: Fields>(Epoch<'a, F>);

impl<'a, F: Fields> EpochStream<'a, F> {
    pub(super) fn new(epoch: Epoch<'a, F>) -> Self {
        Self(epoch)
    }

    /// The next batch, without a stream trait in scope. Dropping the future loses no batch.
    ///
    /// # Errors
    /// As [`Epoch`].
    pub async fn next(&mut self) -> Option<Result<Batch<F>, LoaderError>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// The amounts that this epoch has loaded so far, and the waiting times of the consumer and of the workers.
    #[must_use]
    pub fn stats(&self) -> LoaderStats {
        self.0.stats()
    }
}

impl<F: Fields> Stream for EpochStream<'_, F> {
    type Item = Result<Batch<F>, LoaderError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // Wakers are foreign code, so they are cloned and dropped without the lock.
        let mut mine = None;
        loop {
            let mut state = match self.0.advance(None) {
                Next::Item(item) => return Poll::Ready(item),
                Next::Wait(state) => state,
            };
            let Some(run) = &mut state.run else { return Poll::Pending };
            if run.waker.as_ref().is_some_and(|known| known.will_wake(context.waker())) {
                return Poll::Pending;
            }
            if let Some(waker) = mine.take() {
                let replaced = run.waker.replace(waker);
                drop(state);
                put_away(replaced);
                return Poll::Pending;
            }
            drop(state);
            // The next iteration checks again, as the batch may have arrived while the state was not locked.
            mine = Some(context.waker().clone());
        }
    }
}
