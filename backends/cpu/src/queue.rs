//! Plans in the order in which they were submitted: small ones at once on the caller's thread, the
//! others on a thread of the device.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::execute::{Conditions, abandon, execute};
use crate::flight::Flight;
use crate::plan::Plan;
use anywarp_host::{guarded, panicked};

/// Nanoseconds of work that `submit` does itself: handing it over would take about as long.
const INLINE: f64 = 30_000.0;
/// Plans that are kept to be made anew.
const SPARE: usize = 4;

#[derive(Default)]
struct State {
    backlog: VecDeque<(Box<Plan>, Arc<Flight>)>,
    /// A thread is at work on the oldest plan.
    busy: bool,
    started: bool,
    /// The device is gone: the thread ends when there is nothing left to do.
    closed: bool,
    #[allow(clippy::vec_box)] // they move between here and the backlog
    spare: Vec<Box<Plan>>,
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

    /// An empty plan.
    pub(crate) fn plan(&self) -> Box<Plan> {
        self.shared.state().spare.pop().unwrap_or_default()
    }

    /// Takes a plan back that is not submitted.
    pub(crate) fn give_back(&self, plan: Box<Plan>) {
        self.shared.give_back(plan);
    }

    /// Has `plan` carried out, after all that came before; `flight` ends with it.
    pub(crate) fn submit(&self, plan: Box<Plan>, flight: &Arc<Flight>) {
        let small = plan.estimate() < INLINE;
        let mut state = self.shared.state();
        if small && !state.busy && state.backlog.is_empty() {
            state.busy = true;
            drop(state);
            return self.shared.run(plan, flight);
        }
        state.backlog.push_back((plan, Arc::clone(flight)));
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

    /// Carries out a plan. The caller has set `busy`.
    fn run(&self, plan: Box<Plan>, flight: &Flight) {
        let outcome = guarded("running a kernel", || Ok(execute(&plan, &self.conditions)))
            .unwrap_or_else(|error| abandon(&plan, &self.conditions, error));
        // Before the flight ends: whoever waits for it may free what the plan holds.
        self.give_back(plan);
        let mut state = self.state();
        state.busy = false;
        let more = !state.backlog.is_empty();
        drop(state);
        flight.finish(outcome);
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
            let Some((plan, flight)) = state.backlog.pop_front() else { continue };
            state.busy = true;
            drop(state);
            self.run(plan, &flight);
        }
    }

    fn give_back(&self, mut plan: Box<Plan>) {
        // Memory and machine code that nobody else holds goes here; that of a kernel may be foreign code.
        if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| plan.clear())) {
            log::error!("{}", panicked("letting go of a kernel", panic.as_ref()));
            return;
        }
        let mut state = self.state();
        if state.spare.len() < SPARE {
            state.spare.push(plan);
        }
    }
}
