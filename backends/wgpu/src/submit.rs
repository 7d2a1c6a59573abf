//! Completion of submissions: blocking waits on the caller's thread, wakers on one thread per device, no polling by
//! other threads.

pub(crate) mod clock;
mod completion;
mod poller;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, Timings};

use crate::record::timing::TimingQuery;
use clock::Moment;
pub(crate) use poller::Poller;

#[derive(Default)]
struct State {
    outcome: Option<Result<(), BackendError>>,
    took: Option<Duration>,
    wakers: Vec<Waker>,
    watched: bool,
    /// The number of threads that wait for `ended`. If it is zero, `ended` is not notified, which saves a system call.
    blocked: usize,
}

fn closed() -> BackendError {
    BackendError::Lost { reason: "the device was closed".to_owned() }
}

/// Signals that work has ended: a submission, or a mapping that waits for one.
pub(crate) struct Fence {
    poller: Weak<Poller>,
    index: Mutex<Option<wgpu::SubmissionIndex>>,
    /// The start of the work; `None` if the work is not timed.
    started: Option<Moment>,
    state: Mutex<State>,
    ended: Condvar,
    pub(crate) timing: Option<TimingQuery>,
    /// A pointer to the fence itself, from which the completion thread becomes an owner.
    this: Weak<Self>,
}

impl Fence {
    pub(crate) fn new(poller: &Arc<Poller>, timing: Option<TimingQuery>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            poller: Arc::downgrade(poller),
            index: Mutex::new(None),
            started: timing.is_some().then(Moment::now),
            state: Mutex::default(),
            ended: Condvar::new(),
            timing,
            this: this.clone(),
        })
    }

    /// Sets the index of the submission to wait for.
    pub(crate) fn set_index(&self, index: wgpu::SubmissionIndex) {
        *self.index.lock().unwrap_or_else(PoisonError::into_inner) = Some(index);
    }

    /// The index of the submission to wait for, if it is known.
    pub(crate) fn index(&self) -> Option<wgpu::SubmissionIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the work with `outcome`; called from wgpu's callbacks.
    pub(crate) fn finish(&self, outcome: Result<(), BackendError>) {
        if self.is_done() {
            return;
        }
        // The poller ends the earlier submissions before this fence itself ends.
        if let (Ok(()), Some(poller)) = (&outcome, self.poller.upgrade()) {
            poller.ended(self);
        }
        let mut state = self.state();
        if state.outcome.is_some() {
            return;
        }
        // A browser reports errors after the call has returned: a task that awaits this work receives them.
        let awaited = cfg!(target_arch = "wasm32") && !state.wakers.is_empty();
        let sink = self.poller.upgrade().filter(|_| awaited).map(|poller| Arc::clone(&poller.sink));
        state.outcome = Some(outcome.and_then(|()| sink.map_or(Ok(()), |sink| sink.late())));
        state.took = self.started.map(Moment::elapsed);
        let blocked = state.blocked > 0;
        drop(state);
        if blocked {
            self.ended.notify_all();
        }
        if cfg!(target_arch = "wasm32") {
            self.wake_all();
        }
    }

    /// Wakes the tasks that await the work, which has ended. Outside of a browser, this method runs on the completion
    /// thread only: callbacks run on any thread that polls, with that thread's locks held, and a task that is dropped
    /// by its waker may free memory.
    fn wake_all(&self) {
        let wakers = std::mem::take(&mut self.state().wakers);
        wakers.into_iter().for_each(Waker::wake);
    }

    fn outcome(&self) -> Option<Result<(), BackendError>> {
        let outcome = self.state().outcome.clone();
        // A mapping also fails when the device is lost, possibly before the loss is reported.
        outcome.map(|outcome| {
            outcome.map_err(|error| {
                let lost = self.poller.upgrade().and_then(|poller| poller.sink.check_alive(&poller.device).err());
                lost.unwrap_or(error)
            })
        })
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state().outcome.is_some()
    }

    /// Waits on this thread until the work has ended, and polls the device meanwhile.
    fn block(&self) -> Result<(), BackendError> {
        if cfg!(target_arch = "wasm32") {
            return self.outcome().unwrap_or(Err(BackendError::CannotBlock));
        }
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let poller = self.poller.upgrade().ok_or_else(closed)?;
            poller.poll(self.index().as_ref())?;
            // Another thread that polls may have taken the callback that ends this work, and be about to run it.
            self.sleep(Duration::from_micros(200));
        }
    }

    /// Waits at most `timeout` for the work to end, while the completion thread polls the device; returns false if the
    /// timeout has passed first.
    fn block_for(&self, timeout: Duration) -> Result<bool, BackendError> {
        if cfg!(target_arch = "wasm32") {
            return self.outcome().map_or(Err(BackendError::CannotBlock), |outcome| outcome.map(|()| true));
        }
        if !self.done()? {
            self.have_watched();
            self.sleep(timeout);
        }
        self.outcome().map_or(Ok(false), |outcome| outcome.map(|()| true))
    }

    /// Passes the fence to the completion thread, once.
    fn have_watched(&self) {
        let watched = std::mem::replace(&mut self.state().watched, true);
        if let (false, Some(poller), Some(this)) = (watched, self.poller.upgrade(), self.this.upgrade()) {
            poller.watch(this);
        }
    }

    /// Sleeps until the work has ended, or the timeout has passed.
    fn sleep(&self, timeout: Duration) {
        let mut state = self.state();
        state.blocked += 1;
        let woken = self.ended.wait_timeout_while(state, timeout, |state| state.outcome.is_none());
        woken.unwrap_or_else(PoisonError::into_inner).0.blocked -= 1;
    }
}

impl Completion for Fence {
    fn done(&self) -> Result<bool, BackendError> {
        if self.outcome().is_none() {
            self.poller.upgrade().ok_or_else(closed)?.poll(None)?;
        }
        self.outcome().map_or(Ok(false), |outcome| outcome.map(|()| true))
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        timeout.map_or_else(|| self.block().map(|()| true), |timeout| self.block_for(timeout))
    }

    fn wake(&self, waker: &Waker) {
        let mut state = self.state();
        if state.outcome.is_some() {
            drop(state);
            return waker.wake_by_ref();
        }
        state.wakers.push(waker.clone());
        drop(state);
        self.have_watched();
    }

    fn timings(&self) -> Option<Timings> {
        let took = self.state().took;
        self.timing.as_ref().filter(|_| self.is_done())?.read(took)
    }
}
