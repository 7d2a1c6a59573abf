//! The task that a future was polled by last, and whether the completion will wake it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Wake, Waker};

use super::sync::{Mutex, MutexGuard, PoisonError};

/// The waker that a completion receives in place of the waker of the task that polls.
#[derive(Default)]
pub(super) struct Task(Mutex<State>);

#[derive(Default)]
struct State {
    /// The waker of the task that polled last.
    waker: Option<Waker>,
    /// Whether the completion received this `Task` and has not woken it since.
    given: bool,
}

impl Task {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the waker of the task that polled last. Returns whether the completion must receive this `Task`
    /// (again).
    pub(super) fn set(&self, waker: &Waker) -> bool {
        // Cloning and dropping a waker may run foreign code, so neither happens under the lock.
        let known = self.state().waker.as_ref().is_some_and(|known| known.will_wake(waker));
        let waker = (!known).then(|| waker.clone());
        let mut state = self.state();
        let replaced = waker.and_then(|waker| state.waker.replace(waker));
        let given = std::mem::replace(&mut state.given, true);
        drop(state);
        drop(replaced);
        !given
    }

    /// Releases the waker.
    pub(super) fn clear(&self) {
        // The waker is dropped outside of the lock, because dropping it may run foreign code.
        let woken = self.state().waker.take();
        drop(woken);
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.state();
        state.given = false;
        let waker = state.waker.take();
        drop(state);
        // The waker is foreign code, and this thread has other work to do: a panic of the waker must not end the
        // thread. The panic's message was already printed.
        let _ = catch_unwind(AssertUnwindSafe(|| waker.map(Waker::wake)));
    }
}
