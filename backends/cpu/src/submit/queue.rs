//! Executes recordings in the order of submission: small recordings immediately on the caller's thread, all others on a
//! thread of the device.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::execute::{Conditions, abandon, execute};
use crate::record::Resolved;
use crate::submit::Submission;
use anywarp_host::{guarded, panicked};

/// The nanoseconds of work up to which `submit` executes the work itself: handing it to a thread would take as long.
const INLINE: f64 = 30_000.0;
/// The largest number of resolved recordings that are kept for reuse.
const SPARE: usize = 4;

#[derive(Default)]
struct State {
    backlog: VecDeque<(Box<Resolved>, Arc<Submission>)>,
    /// Whether a thread is executing the oldest resolved recording.
    busy: bool,
    started: bool,
    /// The number of threads that execute the backlog, or wait for their turn, because the queue has no thread.
    helping: usize,
    /// Whether the device was dropped; the thread then ends when the backlog is empty.
    closed: bool,
    #[allow(clippy::vec_box)] // they move between here and the backlog
    spare: Vec<Box<Resolved>>,
}

struct Shared {
    conditions: Conditions,
    state: Mutex<State>,
    changed: Condvar,
}

/// The submissions of one device, in the order of execution.
pub(crate) struct Queue {
    shared: Arc<Shared>,
}

impl Queue {
    pub(crate) fn new(conditions: Conditions) -> Self {
        Self { shared: Arc::new(Shared { conditions, state: Mutex::default(), changed: Condvar::new() }) }
    }

    /// Returns an empty resolved recording.
    pub(crate) fn empty(&self) -> Box<Resolved> {
        self.shared.state().spare.pop().unwrap_or_default()
    }

    /// Takes back a resolved recording that was not submitted, for reuse.
    pub(crate) fn give_back(&self, resolved: Box<Resolved>) {
        self.shared.give_back(resolved);
    }

    /// Executes `resolved` after all earlier work, and then ends `submission`.
    pub(crate) fn submit(&self, resolved: Box<Resolved>, submission: &Arc<Submission>) {
        let small = self.shared.conditions.alone || resolved.estimate() < INLINE;
        let mut state = self.shared.state();
        if small && !state.busy && state.backlog.is_empty() {
            state.busy = true;
            drop(state);
            return self.shared.run(resolved, submission);
        }
        state.backlog.push_back((resolved, Arc::clone(submission)));
        if !state.started {
            state.started = !self.shared.conditions.alone && self.start();
            if !state.started {
                state.helping += 1;
                drop(state);
                self.shared.work(false);
                self.shared.state().helping -= 1;
                return;
            }
        }
        let waiting = !state.busy;
        drop(state);
        if waiting {
            self.shared.changed.notify_one();
        }
    }

    /// Starts the thread of the queue; returns false if the system cannot start a thread.
    fn start(&self) -> bool {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("anywarp-cpu-queue".to_owned());
        let started = thread.spawn(move || shared.work(true));
        started
            .inspect_err(|error| {
                log::warn!("no thread could be started, so `submit` executes the work itself: {error}");
            })
            .is_ok()
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

    /// Executes a resolved recording. The caller has set `busy`.
    fn run(&self, resolved: Box<Resolved>, submission: &Submission) {
        let outcome = guarded("running a kernel", || Ok(execute(&resolved, &self.conditions)))
            .unwrap_or_else(|error| abandon(&resolved, &self.conditions, error));
        // The recording's resources must be released before the submission ends, because a thread that waits for it may
        // then free them.
        self.give_back(resolved);
        let mut state = self.state();
        state.busy = false;
        let (more, helping) = (!state.backlog.is_empty(), state.helping > 0);
        drop(state);
        submission.finish(outcome);
        if helping {
            // All must see that nothing is left for them to do.
            self.changed.notify_all();
        } else if more {
            self.changed.notify_one();
        }
    }

    /// Executes the backlog until the device is dropped or, unless `stay` is set, until the backlog is empty.
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
        // This frees memory and machine code that have no other owners. Dropping a kernel's owner may run any code,
        // which may panic.
        if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| resolved.clear())) {
            log::error!("{}", panicked("freeing a kernel", panic.as_ref()));
            return;
        }
        let mut state = self.state();
        if state.spare.len() < SPARE {
            state.spare.push(resolved);
        }
    }
}
