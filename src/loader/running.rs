//! The state shared by the threads of a loader: the running epoch, and its waiting threads.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use super::error::Fault;
use super::fields::Fields;
use super::plan::{Plan, put_away};
use super::pool::Pool;
use super::window::Window;
use super::{Batch, LoaderError, LoaderStats};

/// The result and the times of a job (the loading of one batch) that has ended.
pub(super) struct Ended<F: Fields> {
    pub(super) outcome: Outcome<F>,
    /// The times at which memory was requested and at which it became available: between these times, the device still
    /// used the memory.
    pub(super) memory: Range<Instant>,
    pub(super) reading: Duration,
}

impl<F: Fields> Ended<F> {
    /// The part of the time since `since` in which the job waited for memory.
    pub(super) fn waited_for_memory(&self, since: Instant) -> Duration {
        self.memory.end.saturating_duration_since(self.memory.start.max(since))
    }
}

/// The outcome of a job.
pub(super) enum Outcome<F: Fields> {
    Batch(Batch<F>),
    Failed(Fault, Option<usize>),
    /// No samples, for example because the shard of the job had already ended.
    Nothing,
}

/// The jobs of one epoch, which workers load.
pub(super) struct Work<F: Fields> {
    pub(super) plan: Arc<dyn Plan<F>>,
    /// Whether the rest of the epoch is not needed.
    pub(super) cancelled: AtomicBool,
}

/// The running epoch: its jobs, its statistics, and the task that waits for it.
pub(super) struct Run<F: Fields> {
    /// The serial number that distinguishes this epoch from the loader's earlier and later ones.
    pub(super) serial: u64,
    pub(super) epoch: u64,
    pub(super) work: Arc<Work<F>>,
    pub(super) window: Window<Ended<F>>,
    /// The waker of a task that waits for the next batch.
    pub(super) waker: Option<Waker>,
    pub(super) began: Instant,
    pub(super) stats: LoaderStats,
    /// Whether samples are written in place.
    pub(super) in_place: bool,
}

impl<F: Fields> Run<F> {
    /// Begins the next job that can be begun, if there is one.
    pub(super) fn begin(&mut self) -> Option<u64> {
        let Self { work, window, .. } = self;
        window.begin(work.plan.lanes(), |job| work.plan.is_over(job))
    }

    /// Adds the times of a job to the statistics.
    pub(super) fn spent(&mut self, ended: &Ended<F>) {
        self.stats.reading += ended.reading;
        self.worker_waited(ended.memory.end - ended.memory.start);
    }

    fn worker_waited(&mut self, time: Duration) {
        self.stats.workers_waited += time;
    }

    /// Adds the time since `since`, in which the consumer has waited for `ended`, to the statistics.
    pub(super) fn waited(&mut self, since: Option<Instant>, ended: Option<&Ended<F>>) {
        let Some(since) = since else { return };
        let for_device = ended.map_or(Duration::ZERO, |ended| ended.waited_for_memory(since));
        let for_loading = since.elapsed().saturating_sub(for_device);
        self.stats.device_waited += for_device;
        self.stats.consumer_waited += for_loading;
    }

    /// The item that the consumer receives for a job, after waiting since `since`; none for a job without samples.
    pub(super) fn delivered(
        &mut self,
        ended: Ended<F>,
        since: Option<Instant>,
    ) -> Option<Result<Batch<F>, LoaderError>> {
        self.waited(since, Some(&ended));
        let number = self.stats.batches + self.stats.failed;
        match ended.outcome {
            Outcome::Batch(mut batch) => {
                (batch.epoch, batch.number) = (self.epoch, number);
                self.stats.batches += 1;
                self.stats.samples += batch.len() as u64;
                self.stats.bytes += batch.byte_len();
                if self.in_place {
                    self.stats.bytes_in_place += batch.byte_len();
                }
                Some(Ok(batch))
            }
            Outcome::Failed(fault, worker) => {
                self.stats.failed += 1;
                Some(Err(fault.of(self.epoch, number, worker)))
            }
            Outcome::Nothing => None,
        }
    }

    pub(super) fn stats(&self) -> LoaderStats {
        LoaderStats { elapsed: self.began.elapsed(), ..self.stats }
    }
}

pub(super) struct State<F: Fields> {
    pub(super) run: Option<Run<F>>,
    /// The number of epochs begun so far.
    pub(super) serial: u64,
    /// The sums over the ended epochs.
    pub(super) totals: LoaderStats,
    /// Whether the loader is dropped, so that the threads must end.
    pub(super) closed: bool,
    /// The number of workers that wait for a job.
    idle: usize,
    /// Whether the consumer waits for a batch.
    awaited: bool,
}

/// The state shared by a loader and its workers.
///
/// Lock order: the state, then the pool. Under either lock, no data set is called, no task woken and no buffer used.
pub(super) struct Shared<F: Fields> {
    pub(super) pool: Arc<Pool<F>>,
    pub(super) in_place: bool,
    pub(super) workers: usize,
    pub(super) ahead: usize,
    state: Mutex<State<F>>,
    /// Signals that there is a job for a worker.
    to_do: Condvar,
    /// Signals that the next batch is ready.
    ready: Condvar,
}

impl<F: Fields> Shared<F> {
    pub(super) fn new(pool: Pool<F>, in_place: bool, workers: usize, ahead: usize) -> Self {
        let totals = LoaderStats::default();
        let state = State { run: None, serial: 0, totals, closed: false, idle: 0, awaited: false };
        let (to_do, ready) = (Condvar::new(), Condvar::new());
        Self { pool: Arc::new(pool), in_place, workers, ahead, state: Mutex::new(state), to_do, ready }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State<F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as a worker for a job.
    pub(super) fn idle<'a>(&self, mut state: MutexGuard<'a, State<F>>) -> MutexGuard<'a, State<F>> {
        // The wait is counted as caused by the consumer only if the window is full.
        let full = state.run.as_ref().filter(|run| run.window.is_full()).map(|run| run.serial);
        let since = Instant::now();
        state.idle += 1;
        let mut state = self.to_do.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        if let Some(run) = state.run.as_mut().filter(|run| Some(run.serial) == full) {
            run.worker_waited(since.elapsed());
        }
        state
    }

    /// Waits as the consumer for a batch.
    pub(super) fn wait_ready<'a>(&self, mut state: MutexGuard<'a, State<F>>) -> MutexGuard<'a, State<F>> {
        let _scope = self.pool.scope("loader: wait");
        state.awaited = true;
        let mut state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.awaited = false;
        state
    }

    /// Notifies a worker of a new job. The call is skipped without idle workers, as it is a system call, and comes
    /// after unlocking, as the worker would block on the lock otherwise.
    pub(super) fn one_more(&self, state: MutexGuard<'_, State<F>>) {
        let idle = state.idle > 0;
        drop(state);
        if idle {
            self.to_do.notify_one();
        }
    }

    /// Notifies all workers of a new epoch, or that the loader is dropped.
    pub(super) fn notify_workers(&self) {
        self.to_do.notify_all();
    }

    /// Notifies the consumer that the next batch is ready.
    pub(super) fn notify_consumer(&self, mut state: MutexGuard<'_, State<F>>) {
        let waker = state.run.as_mut().and_then(|run| run.waker.take());
        let awaited = state.awaited;
        drop(state);
        if awaited {
            self.ready.notify_one();
        }
        // The waker is foreign code and must not stop this worker. The message of its panic was already printed.
        let _ = catch_unwind(AssertUnwindSafe(|| waker.map(Waker::wake)));
    }

    /// Ends the epoch `serial`, if it is running, and returns its statistics.
    pub(super) fn end_run(&self, serial: u64) -> Option<LoaderStats> {
        let mut state = self.state();
        let run = state.run.take_if(|run| run.serial == serial)?;
        run.work.cancelled.store(true, Ordering::Relaxed);
        let stats = run.stats();
        state.totals.add(&stats);
        drop(state);
        // Batches, tasks, and values of the data set are dropped without the lock.
        let Run { work, window, waker, .. } = run;
        put_away(waker);
        put_away(window);
        put_away(work);
        Some(stats)
    }
}
