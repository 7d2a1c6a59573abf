//! Recordings in the order in which they were submitted: small ones at once on the caller's thread, the
//! others on a thread of the device.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::execute::{Conditions, abandon, execute};
use crate::record::Resolved;
use crate::submit::Submission;
use anywarp_host::{guarded, panicked};

/// Nanoseconds of work that `submit` does itself: handing it over would take about as long.
const INLINE: f64 = 30_000.0;
/// Resolved recordings that are kept to be made anew.
const SPARE: usize = 4;

#[derive(Default)]
struct State {
    backlog: VecDeque<(Box<Resolved>, Arc<Submission>)>,
    /// A thread is at work on the oldest resolved recording.
    busy: bool,
    started: bool,
    /// The device is gone: the thread ends when there is nothing left to do.
    closed: bool,
    #[allow(clippy::vec_box)] // they move between here and the backlog
    spare: Vec<Box<Resolved>>,
}

struct Shared {
    conditions: Conditions,
    state: Mutex<State>,
    changed: Condvar,
}

/// The queue of one device.
pub(crate) struct Queue {
    shared: Arc<Shared>,
}

impl Queue {
    pub(crate) fn new(conditions: Conditions) -> Self {
        Self { shared: Arc::new(Shared { conditions, state: Mutex::default(), changed: Condvar::new() }) }
    }

    /// An empty resolved recording.
    pub(crate) fn empty(&self) -> Box<Resolved> {
        self.shared.state().spare.pop().unwrap_or_default()
    }

    /// Takes a resolved recording back that is not submitted.
    pub(crate) fn give_back(&self, resolved: Box<Resolved>) {
        self.shared.give_back(resolved);
    }

    /// Has `resolved` carried out, after all that came before; `submission` ends with it.
    pub(crate) fn submit(&self, resolved: Box<Resolved>, submission: &Arc<Submission>) {
        let small = resolved.estimate() < INLINE;
        let mut state = self.shared.state();
        if small && !state.busy && state.backlog.is_empty() {
            state.busy = true;
            drop(state);
            return self.shared.run(resolved, submission);
        }
        state.backlog.push_back((resolved, Arc::clone(submission)));
        if !state.started {
            state.started = self.start();
            if !state.started {
                drop(state);
                return self.shared.work(false);
            }
        }
        let waiting = !state.busy;
        drop(state);
        if waiting {
            self.shared.changed.notify_one();
        }
    }

    /// Starts the thread; false if the system has none.
    fn start(&self) -> bool {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("anywarp-cpu-queue".to_owned());
        let started = thread.spawn(move || shared.work(true));
        started.inspect_err(|error| log::warn!("work is done when it is submitted: {error}")).is_ok()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out a resolved recording. The caller has set `busy`.
    fn run(&self, resolved: Box<Resolved>, submission: &Submission) {
        let outcome = guarded("running a kernel", || Ok(execute(&resolved, &self.conditions)))
            .unwrap_or_else(|error| abandon(&resolved, &self.conditions, error));
        // Before the submission ends: a thread that waits for it may free what the recording holds.
        self.give_back(resolved);
        let mut state = self.state();
        state.busy = false;
        let more = !state.backlog.is_empty();
        drop(state);
        submission.finish(outcome);
        if more {
            self.changed.notify_one();
        }
    }

    /// Carries out what is in the backlog, until the device is gone or, if not to `stay`, until it
    /// is empty.
    fn work(&self, stay: bool) {
        loop {
            let mut state = self.state();
            while state.busy || state.backlog.is_empty() {
                if state.backlog.is_empty() && (state.closed || !stay) {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let Some((resolved, submission)) = state.backlog.pop_front() else { continue };
            state.busy = true;
            drop(state);
            self.run(resolved, &submission);
        }
    }

    fn give_back(&self, mut resolved: Box<Resolved>) {
        // Memory and machine code that is held nowhere else goes here; that of a kernel may be foreign code.
        if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| resolved.clear())) {
            log::error!("{}", panicked("letting go of a kernel", panic.as_ref()));
            return;
        }
        let mut state = self.state();
        if state.spare.len() < SPARE {
            state.spare.push(resolved);
        }
    }
}
