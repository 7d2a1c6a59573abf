//! Completion of submissions: blocking waits on the caller's thread, wakers from one thread per
//! device, no polling by anybody else.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak, mpsc};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::{BackendError, Completion, Timings};

use crate::clock::Moment;
use crate::errors::ErrorSink;
use crate::timing::TimingQuery;

/// What a wait needs of the device.
pub(crate) struct Poller {
    pub(crate) device: wgpu::Device,
    pub(crate) sink: Arc<ErrorSink>,
    /// Submissions that may not have ended, in their order.
    flying: Mutex<VecDeque<Arc<Flight>>>,
    thread: OnceLock<mpsc::Sender<Arc<Flight>>>,
}

impl Poller {
    pub(crate) fn new(device: wgpu::Device, sink: Arc<ErrorSink>) -> Arc<Self> {
        Arc::new(Self { device, sink, flying: Mutex::default(), thread: OnceLock::new() })
    }

    /// Notes that `flight` was submitted, after all others.
    pub(crate) fn follow(&self, flight: &Arc<Flight>, index: wgpu::SubmissionIndex) {
        flight.set_index(index);
        let mut flying = self.flying();
        while flying.pop_front_if(|first| first.is_done()).is_some() {}
        flying.push_back(Arc::clone(flight));
    }

    /// A submission has ended, and with it all before it, also those whose callbacks another thread is still to
    /// run: whoever waited for this one may count on them.
    fn ended(&self, last: &Flight) {
        let earlier: Vec<Arc<Flight>> = {
            let flying = self.flying();
            let Some(at) = flying.iter().position(|flight| std::ptr::eq(&raw const **flight, last)) else { return };
            // Those with timings end when they can be read.
            let over = |flight: &&Arc<Flight>| !flight.is_done() && flight.timing.is_none();
            flying.iter().take(at).filter(over).cloned().collect()
        };
        earlier.iter().for_each(|flight| flight.finish(Ok(())));
    }

    fn flying(&self) -> MutexGuard<'_, VecDeque<Arc<Flight>>> {
        self.flying.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first submission that has not ended.
    fn first(&self) -> Option<Arc<Flight>> {
        self.flying().iter().find(|flight| !flight.is_done()).cloned()
    }

    /// Lets wgpu run the callbacks that are due; waits for `index` if there is one.
    ///
    /// Waits without a time-out: where one passes while another thread sees the same work end, wgpu
    /// 30 fails an assertion ("If the queue is empty, the current submission index ..").
    fn poll(&self, index: Option<&wgpu::SubmissionIndex>) -> Result<(), BackendError> {
        self.sink.ask(&self.device)?;
        let kind = match index {
            Some(index) => wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: None },
            None => wgpu::PollType::Poll,
        };
        // wgpu panics here when the driver reports anything but a time-out, a lost device included.
        let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.device.poll(kind)));
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => self.sink.alive(),
            Ok(Err(error)) => {
                self.sink.ask(&self.device)?;
                Err(BackendError::Rejected { operation: "waiting", message: error.to_string() })
            }
            Err(_) => Err(self.sink.failed("work was awaited", &self.device)),
        }
    }

    /// Has the completion thread look after `flight`, starting the thread at its first use.
    fn watch(self: &Arc<Self>, flight: Arc<Flight>) {
        if cfg!(target_arch = "wasm32") {
            return; // the browser's event loop runs the callbacks
        }
        let sender = self.thread.get_or_init(|| {
            let (sender, receiver) = mpsc::channel();
            let thread = std::thread::Builder::new().name("anywarp-completion".to_owned());
            if let Err(error) = thread.spawn(move || look_after(&receiver)) {
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
            flight.wake_all();
        }
    }
}

/// What the completion thread does. Ends when the device, and with it the sender, is dropped.
///
/// It waits for one submission after the other, whichever is awaited: so everybody is woken when
/// the own work has ended, not when something later has that was asked for first.
fn look_after(awaited: &mpsc::Receiver<Arc<Flight>>) {
    let mut flights: Vec<Arc<Flight>> = Vec::new();
    loop {
        if flights.is_empty() {
            let Ok(flight) = awaited.recv() else { return };
            flights.push(flight);
        }
        flights.extend(awaited.try_iter());
        for ended in flights.extract_if(.., |flight| flight.is_done()) {
            ended.wake_all();
        }
        let Some(any) = flights.first() else { continue };
        // A mapping may wait for work that has ended.
        let first = any.poller.upgrade().and_then(|poller| poller.first()).unwrap_or_else(|| Arc::clone(any));
        if let Err(error) = first.block() {
            first.finish(Err(error.clone()));
            for flight in flights.iter().filter(|_| error.is_lost()) {
                flight.finish(Err(error.clone()));
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

fn closed() -> BackendError {
    BackendError::Lost { reason: "the device was closed".to_owned() }
}

/// Work in flight: a submission, or a mapping that waits for one.
pub(crate) struct Flight {
    poller: Weak<Poller>,
    index: Mutex<Option<wgpu::SubmissionIndex>>,
    /// Only for timings.
    started: Option<Moment>,
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
            started: timing.is_some().then(Moment::now),
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
        if self.is_done() {
            return;
        }
        // Before this one is known to have ended.
        if let (Ok(()), Some(poller)) = (&outcome, self.poller.upgrade()) {
            poller.ended(self);
        }
        let mut state = self.state();
        if state.outcome.is_some() {
            return;
        }
        // A browser tells of mistakes when the call has returned: who awaits this work hears of them.
        let heard = cfg!(target_arch = "wasm32") && !state.wakers.is_empty();
        let sink = self.poller.upgrade().filter(|_| heard).map(|poller| Arc::clone(&poller.sink));
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

    /// Wakes who awaits the work, which has ended. Elsewhere than in a browser on the completion
    /// thread only: callbacks run on any thread, with the locks of whoever made wgpu run them, and a
    /// task that is dropped when it is woken gives memory back.
    fn wake_all(&self) {
        let wakers = std::mem::take(&mut self.state().wakers);
        wakers.into_iter().for_each(Waker::wake);
    }

    fn outcome(&self) -> Option<Result<(), BackendError>> {
        let outcome = self.state().outcome.clone();
        // A mapping fails, too, when the device goes, which nobody may have heard of yet.
        outcome.map(|outcome| {
            outcome.map_err(|error| {
                let lost = self.poller.upgrade().and_then(|poller| poller.sink.ask(&poller.device).err());
                lost.unwrap_or(error)
            })
        })
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
            let poller = self.poller.upgrade().ok_or_else(closed)?;
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
