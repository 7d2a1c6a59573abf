//! The threads of a loader, and the loading of one batch.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Batch;
use super::error::{Fault, Refused};
use super::fields::Fields;
use super::plan::{Samples, Target, put_away};
use super::running::{Ended, Outcome, Shared, Work};
use crate::error::BufferError;

/// Runs a worker until the loader is dropped.
pub(super) fn work<F: Fields>(shared: &Shared<F>, worker: usize) {
    let mut state = shared.state();
    loop {
        if state.closed {
            return;
        }
        let begun = state.run.as_mut().and_then(|run| Some((run.begin()?, run.serial, Arc::clone(&run.work))));
        let Some((job, serial, work)) = begun else {
            state = shared.idle(state);
            continue;
        };
        if work.plan.lanes().is_some() {
            // Another worker is notified, as the end of one job may have allowed several jobs to begin.
            shared.one_more(state);
        } else {
            drop(state);
        }
        let ended = load(shared, &work, job, Some(worker));
        // If this is the last reference, the data set's values are dropped without the lock.
        put_away(work);
        state = shared.state();
        match state.run.as_mut().filter(|run| run.serial == serial) {
            Some(run) => {
                run.spent(&ended);
                // The end of the last shard may end the epoch before the first job is begun.
                if run.window.end(job, ended) || run.work.plan.is_over(run.window.first()) {
                    shared.notify_consumer(state);
                    state = shared.state();
                }
            }
            None => {
                // The epoch has ended, so the batch is no longer needed.
                drop(state);
                put_away(ended);
                state = shared.state();
            }
        }
    }
}

/// Loads the batch of a job.
pub(super) fn load<F: Fields>(shared: &Shared<F>, work: &Work<F>, job: u64, worker: Option<usize>) -> Ended<F> {
    let _scope = shared.pool.scope("loader: batch");
    let start = Instant::now();
    let mut ended = Ended { outcome: Outcome::Nothing, memory: start..start, reading: Duration::ZERO };
    match batch(shared, work, job, &mut ended) {
        Ok(Some(batch)) => ended.outcome = Outcome::Batch(batch),
        Ok(None) => {}
        Err(fault) => ended.outcome = Outcome::Failed(fault, worker),
    }
    ended
}

fn batch<F: Fields>(
    shared: &Shared<F>,
    work: &Work<F>,
    job: u64,
    times: &mut Ended<F>,
) -> Result<Option<Batch<F>>, Fault> {
    let most = work.plan.most(job);
    if most == 0 {
        return Ok(None);
    }
    let mut open = open(shared, most).inspect_err(|_| work.plan.refused(job))?;
    times.memory.end = Instant::now();
    let cancelled = || work.cancelled.load(Ordering::Relaxed);
    let mut target = Target { open: &mut open, lengths: shared.pool.lengths(), cancelled: &cancelled };
    let read = work.plan.read(job, &mut target);
    times.reading = times.memory.end.elapsed();
    let full = matches!(&read, Ok(samples) if samples.len() == most);
    match read {
        Ok(samples) if full => {
            let set = close(shared, most, open, true)?;
            Ok(Some(Batch::new(set, samples, &shared.pool)))
        }
        Ok(samples) if samples.len() > 0 => {
            let shorter = shorter(shared, &samples, &mut open);
            shared.pool.give(most, close(shared, most, open, false)?);
            Ok(Some(Batch::new(shorter?, samples, &shared.pool)))
        }
        other => {
            shared.pool.give(most, close(shared, most, open, false)?);
            other.map(|_| None)
        }
    }
}

/// Takes memory for a batch of `samples` samples and makes it writable.
fn open<F: Fields>(shared: &Shared<F>, samples: usize) -> Result<F::Open, Fault> {
    let set = shared.pool.take(samples).map_err(|error| refused(samples, error.into()))?;
    F::open(set, shared.in_place).map_err(|error| {
        shared.pool.lost(samples);
        refused(samples, error)
    })
}

fn close<F: Fields>(shared: &Shared<F>, samples: usize, open: F::Open, keep: bool) -> Result<F::Set, Fault> {
    F::close(open, keep).map_err(|error: BufferError| {
        shared.pool.lost(samples);
        refused(samples, error.into())
    })
}

/// The first samples of a batch that is the last of its shard, in memory of exactly their length, as kernels use the
/// length of the buffer.
fn shorter<F: Fields>(shared: &Shared<F>, samples: &Samples, whole: &mut F::Open) -> Result<F::Set, Fault> {
    let mut target = open(shared, samples.len())?;
    F::take_from(&mut target, whole);
    close(shared, samples.len(), target, true)
}

fn refused(samples: usize, refused: Refused) -> Fault {
    Fault::Memory { samples, refused }
}
