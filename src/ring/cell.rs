//! The place where a reply arrives for the caller that waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use super::error::AskError;
use super::slot::Payload;

/// The place of one reply. It is completed once: by a reply, or by an error.
#[derive(Default)]
pub(super) struct Cell {
    done: AtomicBool,
    state: Mutex<State>,
    ready: Condvar,
}

/// A result for which no caller waits.
pub(super) struct Unwanted(pub(super) Box<Result<Payload, AskError>>);

#[derive(Default)]
struct State {
    result: Option<Result<Payload, AskError>>,
    /// Whether no caller waits any more.
    given_up: bool,
    waker: Option<Waker>,
    sleeps: bool,
}

impl Cell {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the reply, or an error in its place, has arrived.
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Completes the cell and wakes a thread that waits. Returns the result if no caller waits for it, or else the waker
    /// of a task, for the caller to wake when it holds no lock.
    pub(super) fn complete(&self, result: Result<Payload, AskError>) -> Result<Option<Waker>, Unwanted> {
        let mut state = self.state();
        if state.given_up || self.is_done() {
            drop(state);
            return Err(Unwanted(Box::new(result)));
        }
        state.result = Some(result);
        self.done.store(true, Ordering::Release);
        let (waker, sleeps) = (state.waker.take(), state.sleeps);
        drop(state);
        if sleeps {
            self.ready.notify_all();
        }
        Ok(waker)
    }

    /// Takes the reply, or the error in its place.
    pub(super) fn take(&self) -> Option<Result<Payload, AskError>> {
        self.state().result.take()
    }

    /// Declares that no caller waits any more: a reply that comes later is a dead letter.
    pub(super) fn give_up(&self) {
        // A completed cell has given its waker away, and no later result comes.
        if self.is_done() {
            return;
        }
        let mut state = self.state();
        state.given_up = true;
        let waker = state.waker.take();
        drop(state);
        // Without the lock, because dropping a waker may run any code.
        drop(waker);
    }

    /// Wakes `waker` at completion, or at once if the cell is complete.
    pub(super) fn wake(&self, waker: &Waker) {
        let state = self.state();
        if self.is_done() {
            drop(state);
            return waker.wake_by_ref();
        }
        if state.waker.as_ref().is_some_and(|own| own.will_wake(waker)) {
            return;
        }
        drop(state);
        // Without the lock, because cloning and dropping a waker may run any code.
        let new = waker.clone();
        let mut state = self.state();
        if self.is_done() {
            drop(state);
            return new.wake();
        }
        let old = state.waker.replace(new);
        drop(state);
        drop(old);
    }

    /// Sleeps until completion, at most this long.
    pub(super) fn sleep(&self, time: Duration) {
        let mut state = self.state();
        if state.result.is_none() && !state.given_up {
            state.sleeps = true;
            state = self.ready.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0;
            state.sleeps = false;
        }
    }
}
