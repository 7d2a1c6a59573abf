//! The pauses of a program, in which it leaves a device idle.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::device::Device;

/// The time between two looks at the device.
const LOOK: Duration = Duration::from_millis(5);

/// The time between two looks for calls.
const REST: Duration = Duration::from_millis(50);

/// The pauses of the program on a device, until [`end`](Self::end).
pub(in crate::tune) struct Pauses {
    device: Device,
    /// How long the device must be idle.
    least: Duration,
    state: Mutex<State>,
    ended: Condvar,
}

struct State {
    /// The submissions of the program when the device was last seen idle, and since when there were no others.
    idle_after: Option<u64>,
    since: Instant,
    waited: Duration,
    are_over: bool,
}

impl Pauses {
    pub(super) fn new(device: &Device, least: Duration) -> Self {
        let state = State { idle_after: None, since: Instant::now(), waited: Duration::ZERO, are_over: false };
        Self { device: device.clone(), least, state: Mutex::new(state), ended: Condvar::new() }
    }

    /// Waits for a pause, and returns the number of the program's submissions before it; `None` after the end.
    pub(in crate::tune) fn wait(&self) -> Option<u64> {
        let started = Instant::now();
        let mut state = self.locked();
        while !state.are_over {
            let now = self.device.context.idle_after();
            if now.is_none() || now != state.idle_after {
                (state.idle_after, state.since) = (now, Instant::now());
            }
            if now.is_some() && state.since.elapsed() >= self.least {
                state.waited += started.elapsed();
                return now;
            }
            state = self.slept(state, LOOK);
        }
        None
    }

    /// Whether the device was idle since a number of submissions.
    pub(in crate::tune) fn is_since(&self, submissions: u64) -> bool {
        self.device.context.idle_after() == Some(submissions)
    }

    /// The time of all waits so far.
    pub(in crate::tune) fn waited(&self) -> Duration {
        self.locked().waited
    }

    pub(in crate::tune) fn are_over(&self) -> bool {
        self.locked().are_over
    }

    /// Lets some time pass before the next look for calls.
    pub(super) fn rest(&self) {
        drop(self.slept(self.locked(), REST));
    }

    pub(super) fn end(&self) {
        self.locked().are_over = true;
        self.ended.notify_all();
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slept<'s>(&'s self, state: MutexGuard<'s, State>, time: Duration) -> MutexGuard<'s, State> {
        if state.are_over {
            return state;
        }
        self.ended.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }
}
