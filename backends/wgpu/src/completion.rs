//! Completion of submissions: blocking waits on the caller's thread, wakers from one thread per
//! device, no polling by anybody else.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::Waker;
use std::time::{Duration, Instant};

use anywarp_backend::{BackendError, Completion, Timings};

use crate::errors::ErrorSink;
use crate::timing::TimingQuery;

/// What a wait needs of the device.
pub(crate) struct Poller {
    pub(crate) device: wgpu::Device,
    pub(crate) sink: Arc<ErrorSink>,
    thread: OnceLock<std::sync::mpsc::Sender<Arc<Flight>>>,
}

impl Poller {
    pub(crate) fn new(device: wgpu::Device, sink: Arc<ErrorSink>) -> Arc<Self> {
        Arc::new(Self { device, sink, thread: OnceLock::new() })
    }

    /// Lets wgpu run the callbacks that are due; waits for `index` if there is one.
    ///
    /// Waits without a time-out: where one passes while another thread sees the same work end, wgpu
    /// 30 fails an assertion ("If the queue is empty, the current submission index ..").
    fn poll(&self, index: Option<&wgpu::SubmissionIndex>) -> Result<(), BackendError> {
        self.sink.alive()?;
        let kind = match index {
            Some(index) => wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: None },
            None => wgpu::PollType::Poll,
        };
        // wgpu panics here when the driver reports anything but a time-out, a lost device included.
        let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.device.poll(kind)));
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => self.sink.alive(),
            Ok(Err(error)) => Err(BackendError::Rejected { operation: "waiting", message: error.to_string() }),
            Err(_) => {
                self.sink.lose("the driver failed while work was awaited".to_owned());
                self.sink.alive()
            }
        }
    }

    /// Has the completion thread look after `flight`, starting the thread at its first use.
    fn watch(self: &Arc<Self>, flight: Arc<Flight>) {
        if cfg!(target_arch = "wasm32") {
            return; // the browser's event loop runs the callbacks
        }
        let sender = self.thread.get_or_init(|| {
            let (sender, receiver) = std::sync::mpsc::channel::<Arc<Flight>>();
            let started = std::thread::Builder::new().name("anywarp-completion".to_owned()).spawn(move || {
                // Ends when the device, and with it the sender, is dropped.
                for flight in receiver {
                    if let Err(error) = flight.block() {
                        flight.finish(Err(error));
                    }
                }
            });
            if let Err(error) = started {
                log::error!("the completion thread did not start: {error}");
            }
            sender
        });
        if let Err(unsent) = sender.send(flight) {
            // The thread could not be started: finish on this thread instead of never.
            let flight = unsent.0;
            if let Err(error) = flight.block() {
                flight.finish(Err(error));
            }
        }
    }
}

#[derive(Default)]
struct State {
    outcome: Option<Result<(), BackendError>>,
    took: Option<Duration>,
    wakers: Vec<Waker>,
    watched: bool,
    /// Threads that wait for `ended`: without one it is not notified, which takes a system call.
    blocked: usize,
}

/// Work in flight: a submission, or a mapping that waits for one.
pub(crate) struct Flight {
    poller: Weak<Poller>,
    index: Mutex<Option<wgpu::SubmissionIndex>>,
    started: Instant,
    state: Mutex<State>,
    ended: Condvar,
    pub(crate) timing: Option<TimingQuery>,
    /// For the waker's thread, which needs an owner.
    this: Weak<Self>,
}

impl Flight {
    pub(crate) fn new(poller: &Arc<Poller>, timing: Option<TimingQuery>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            poller: Arc::downgrade(poller),
            index: Mutex::new(None),
            started: Instant::now(),
            state: Mutex::default(),
            ended: Condvar::new(),
            timing,
            this: this.clone(),
        })
    }

    /// Names the submission to wait for.
    pub(crate) fn set_index(&self, index: wgpu::SubmissionIndex) {
        *self.index.lock().unwrap_or_else(PoisonError::into_inner) = Some(index);
    }

    /// The submission to wait for, if it is known.
    pub(crate) fn index(&self) -> Option<wgpu::SubmissionIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called once the work has ended, from wgpu's callbacks.
    pub(crate) fn finish(&self, outcome: Result<(), BackendError>) {
        let (wakers, blocked) = {
            let mut state = self.state();
            if state.outcome.is_some() {
                return;
            }
            state.outcome = Some(outcome);
            state.took = Some(self.started.elapsed());
            (std::mem::take(&mut state.wakers), state.blocked > 0)
        };
        if blocked {
            self.ended.notify_all();
        }
        wakers.into_iter().for_each(Waker::wake);
    }

    fn outcome(&self) -> Option<Result<(), BackendError>> {
        self.state().outcome.clone()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state().outcome.is_some()
    }

    /// Waits on this thread.
    fn block(&self) -> Result<(), BackendError> {
        if cfg!(target_arch = "wasm32") {
            return self.outcome().unwrap_or(Err(BackendError::CannotBlock));
        }
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let Some(poller) = self.poller.upgrade() else {
                return Err(BackendError::Lost { reason: "the device was closed".to_owned() });
            };
            poller.poll(self.index().as_ref())?;
            // Another thread that polls may have taken our callback and be about to run it.
            self.sleep(Duration::from_micros(200));
        }
    }

    /// Waits for the completion thread, but no longer than `timeout`. False when the time was over
    /// first.
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

    /// Has the completion thread look after this, once.
    fn have_watched(&self) {
        let watched = std::mem::replace(&mut self.state().watched, true);
        if let (false, Some(poller), Some(this)) = (watched, self.poller.upgrade(), self.this.upgrade()) {
            poller.watch(this);
        }
    }

    /// Sleeps until the work has ended, or the time is over.
    fn sleep(&self, timeout: Duration) {
        let mut state = self.state();
        state.blocked += 1;
        let woken = self.ended.wait_timeout_while(state, timeout, |state| state.outcome.is_none());
        woken.unwrap_or_else(PoisonError::into_inner).0.blocked -= 1;
    }
}

impl Completion for Flight {
    fn done(&self) -> Result<bool, BackendError> {
        if self.outcome().is_none()
            && let Some(poller) = self.poller.upgrade()
        {
            poller.poll(None)?;
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
        if !state.wakers.iter().any(|known| known.will_wake(waker)) {
            state.wakers.push(waker.clone());
        }
        drop(state);
        self.have_watched();
    }

    fn timings(&self) -> Option<Timings> {
        let took = self.state().took?;
        self.timing.as_ref().map(|timing| timing.read(took))
    }
}
