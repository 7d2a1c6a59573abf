//! Resident dispatches: a thread launches the kernel again and again, on a stream of its own, until the host stops it.
//!
//! Each launch ends after some milliseconds without messages, and the next one already waits behind it, so that the
//! kernel is gone for a few microseconds only. In between, the driver finishes what waits for the whole device: modules
//! are loaded, memory is freed, and no watchdog of the display takes the kernel for a hanging one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

use anywarp_backend::{BackendError, Completion, HostRange, Timings};
use anywarp_host::guarded;

use crate::driver::{Event, Stream};
use crate::kernel::status::StatusRecord;
use crate::record::enqueue::Enqueue;
use crate::record::plan::Plan;
use crate::record::step::Step;
use crate::submit::queue::{Queue, QueueState};

/// The number of launches that are enqueued at a time.
const AHEAD: usize = 2;
/// The same while messages come. Launches are short then, and the thread sleeps for longer than one takes.
const AHEAD_BUSY: usize = 6;
/// The time after the last message from which on the device counts as idle.
const RECENT: Duration = Duration::from_millis(1);
/// The shortest sleep before a launch, and the longest one: see [`Pace`].
const SHORT: Duration = Duration::from_micros(50);
const LONG: Duration = Duration::from_millis(1);

/// A resident dispatch, as its ticket sees it.
#[derive(Default)]
pub(crate) struct Resident {
    over: AtomicBool,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    failure: Option<BackendError>,
    wakers: Vec<Waker>,
}

/// The thread's side of a resident dispatch.
struct Run {
    queue: Arc<Queue>,
    plan: Box<Plan>,
    stream: Stream,
    record: Option<StatusRecord>,
    words: HostRange,
    /// The index of the control word in `words`.
    control: usize,
    loop_limit: u32,
}

/// Starts the thread of a resident dispatch; the context is current. The loop limit is for error messages.
///
/// # Errors
/// Those of the driver, and [`BackendError::Rejected`] if the system provides no thread.
pub(crate) fn start(
    queue: &Arc<Queue>,
    mut plan: Box<Plan>,
    words: HostRange,
    control: usize,
    loop_limit: u32,
) -> Result<Arc<Resident>, BackendError> {
    let stream = Stream::create(&queue.context, "submitting")?;
    let record = plan.is_limited().then(|| queue.records.take()).transpose()?;
    if let Some(record) = &record {
        plan.set_status(record.address());
    }
    if !plan.stored.is_empty() {
        return Err(BackendError::rejected("submitting", "a resident kernel accepts at most 3 KiB of values"));
    }
    let mut run = Run { queue: Arc::clone(queue), plan, stream, record, words, control, loop_limit };
    let resident = Arc::new(Resident::default());
    let own = Arc::clone(&resident);
    let started = thread::Builder::new().name("anywarp-cuda-resident".to_owned()).spawn(move || {
        let result = guarded("running a resident kernel", || run.repeat());
        // The kernel's memory is released before the ticket is done.
        drop(run);
        own.finish(result.err());
    });
    started.map_err(|error| {
        BackendError::rejected("submitting", format!("the thread of a resident kernel could not be started: {error}"))
    })?;
    Ok(resident)
}

impl Run {
    fn stops(&self) -> bool {
        self.words.words().get(self.control).is_none_or(|word| word.load(Ordering::Acquire) != 0)
    }

    fn bell(&self) -> u32 {
        self.words.words().get(self.control + 1).map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// Launches the kernel until the host, or a failure, stops it.
    fn repeat(&mut self) -> Result<(), BackendError> {
        let context = Arc::clone(&self.queue.context);
        let _current = context.enter()?;
        let result = self.launch_all();
        // Also after a failure nothing may run when the memory is released.
        let waited = self.stream.synchronize("waiting");
        result.and(waited)
    }

    fn launch_all(&mut self) -> Result<(), BackendError> {
        let mut state = QueueState::default();
        let (mut ahead, mut spare) = (VecDeque::new(), Vec::new());
        let mut pace = Pace::default();
        loop {
            while ahead.len() < pace.ahead() && !self.stops() {
                pace.rest(self.bell());
                let mut enqueue = Enqueue { native: &self.stream, state: &mut state, timers: Vec::new(), begun: false };
                enqueue.run(&self.plan, 0..self.plan.steps.len())?;
                let event: Event = spare.pop().map_or_else(|| Event::mark(&self.queue.context), Ok)?;
                event.record(&self.stream)?;
                ahead.push_back(event);
            }
            let Some(event) = ahead.pop_front() else { return Ok(()) };
            event.wait()?;
            spare.push(event);
            if let Some(stop) = self.record.as_ref().and_then(StatusRecord::read)
                && let Some(Step::Launch(launch)) = self.plan.steps.first()
            {
                return Err(launch.kernel.stopped(&launch.label, stop, self.loop_limit));
            }
        }
    }
}

/// The pauses between launches: none while the bell rings, longer ones the longer it stays silent. Otherwise short
/// launches of idle actors would keep the device and a core busy.
#[derive(Default)]
struct Pace {
    bell: u32,
    rung: Option<Instant>,
    silent: Option<Instant>,
}

impl Pace {
    fn ahead(&self) -> usize {
        if self.rung.is_some_and(|rung| rung.elapsed() < RECENT) { AHEAD_BUSY } else { AHEAD }
    }

    fn rest(&mut self, bell: u32) {
        if bell != self.bell {
            *self = Self { bell, rung: Some(Instant::now()), silent: None };
            return;
        }
        let time = self.silent.get_or_insert_with(Instant::now).elapsed() / 16;
        if time >= SHORT {
            thread::sleep(time.min(LONG));
        }
    }
}

impl Resident {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, failure: Option<BackendError>) {
        let mut state = self.state();
        state.failure = failure;
        self.over.store(true, Ordering::Release);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.ended.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Completion for Resident {
    fn done(&self) -> Result<bool, BackendError> {
        if !self.over.load(Ordering::Acquire) {
            return Ok(false);
        }
        self.state().failure.clone().map_or(Ok(true), Err)
    }

    fn wait(&self, timeout: Option<Duration>) -> Result<bool, BackendError> {
        // A timeout beyond the range of the clock counts as no timeout.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.state();
        while !self.over.load(Ordering::Acquire) {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => break,
                Some(left) => self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        drop(state);
        self.done()
    }

    fn wake(&self, waker: &Waker) {
        let mut state = self.state();
        if self.over.load(Ordering::Acquire) {
            drop(state);
            return waker.wake_by_ref();
        }
        state.wakers.push(waker.clone());
    }

    fn timings(&self) -> Option<Timings> {
        None
    }
}
