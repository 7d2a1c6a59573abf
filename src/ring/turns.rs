//! A lock for tasks: a task that waits for it is suspended, and one that holds it may be, too.

use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A value that one task uses at a time.
pub(super) struct Turns<T>(Mutex<State<T>>);

struct State<T> {
    /// `None` while a task uses it.
    value: Option<Box<T>>,
    waiting: Vec<Waker>,
}

impl<T> Turns<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Mutex::new(State { value: Some(Box::new(value)), waiting: Vec::new() }))
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other task uses the value.
    pub(super) async fn lock(&self) -> Turn<'_, T> {
        poll_fn(|context| {
            if let Some(turn) = self.try_lock() {
                return Poll::Ready(turn);
            }
            // Without the lock, because cloning a waker may run any code.
            let waker = context.waker().clone();
            let mut state = self.state();
            match state.value.take() {
                // The value was returned meanwhile.
                Some(value) => {
                    drop(state);
                    Poll::Ready(Turn { turns: self, value: Some(value) })
                }
                None => {
                    state.waiting.push(waker);
                    Poll::Pending
                }
            }
        })
        .await
    }

    fn try_lock(&self) -> Option<Turn<'_, T>> {
        let value = self.state().value.take()?;
        Some(Turn { turns: self, value: Some(value) })
    }
}

/// The use of a value, until this is dropped.
pub(super) struct Turn<'a, T> {
    turns: &'a Turns<T>,
    /// `None` only while it is dropped.
    value: Option<Box<T>>,
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        let Some(value) = &self.value else { unreachable!("only the drop takes the value") };
        value
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        let Some(value) = &mut self.value else { unreachable!("only the drop takes the value") };
        value
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        state.value = self.value.take();
        // One of them has the next turn. A task that no longer waits would not pass the turn on, so all are woken.
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::Context;

    use super::super::waits::block_on;
    use super::*;

    #[test]
    fn a_dropped_wait_keeps_no_turn() {
        let turns = Turns::new(0u32);
        let mut context = Context::from_waker(Waker::noop());
        let first = block_on(turns.lock());
        {
            let mut given_up = pin!(turns.lock());
            assert!(given_up.as_mut().poll(&mut context).is_pending());
        }
        let mut waits = pin!(turns.lock());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        drop(first);
        let Poll::Ready(mut turn) = waits.as_mut().poll(&mut context) else { panic!("the value is free") };
        *turn += 7;
        drop(turn);
        assert_eq!(block_on(turns.lock()).map(|turn| *turn), Some(7));
    }

    #[test]
    fn threads_take_turns() {
        let turns = Turns::new(0u64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        block_on(async {
                            let mut turn = turns.lock().await;
                            let before = *turn;
                            std::thread::yield_now();
                            *turn = before + 1;
                        });
                    }
                });
            }
        });
        assert_eq!(block_on(turns.lock()).map(|turn| *turn), Some(4000));
    }
}
