//! The lock that lets helpers join shared work until the owner of the work closes it.

use super::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A door that threads enter while it is open. Closing it waits for the threads inside.
///
/// Threads that call `enter` after `close` are refused, so the owner never waits for a thread that has not started.
pub(super) struct Door {
    state: Mutex<State>,
    left: Condvar,
}

struct State {
    closed: bool,
    inside: usize,
}

impl Door {
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(State { closed: false, inside: 0 }), left: Condvar::new() }
    }

    /// Enters; returns whether the door was open. A thread that has entered must call `leave`.
    pub(super) fn enter(&self) -> bool {
        let mut state = self.state();
        state.inside += usize::from(!state.closed);
        !state.closed
    }

    pub(super) fn leave(&self) {
        let mut state = self.state();
        state.inside -= 1;
        if state.closed && state.inside == 0 {
            self.left.notify_all();
        }
    }

    /// Closes the door and waits until no thread is inside. The writes of the threads that were inside happen before
    /// `close` returns.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        while state.inside > 0 {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
