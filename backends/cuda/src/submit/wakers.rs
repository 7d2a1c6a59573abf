//! Wakers, and waits with a timeout. For each stream that is waited for in this way, one thread waits in the driver; it
//! is started at the first such wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use crate::streams::state::Point;
use crate::submit::queue::Queue;
use anywarp_host::panicked;

#[derive(Default)]
struct State {
    /// The submissions to wait for, by number, with the wakers to wake when they end.
    wanted: BTreeMap<u64, Vec<Waker>>,
    running: bool,
    /// Whether the device was closed: the thread ends when no wait is left.
    closed: bool,
}

/// The wakers and timed waits for one stream.
#[derive(Default)]
pub(crate) struct Waiters {
    state: Mutex<State>,
    /// Signals that a wait was added, or the device was closed.
    changed: Condvar,
    /// Signals that a submission has ended.
    ended: Condvar,
}

impl Waiters {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the thread end when no wait is left.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
        self.ended.notify_all();
    }
}

impl Queue {
    /// Wakes `waker` when the first of these submissions that still runs has ended, or immediately if all have ended.
    /// The woken task polls again.
    pub(crate) fn wake(self: &Arc<Self>, points: &[Point], waker: &Waker) {
        let Some(point) = points.iter().find(|point| !self.is_complete(**point)) else {
            return waker.wake_by_ref();
        };
        let mut state = self.waiters[point.stream].state();
        let wakers = state.wanted.entry(point.sequence).or_default();
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
        self.notify_waiter(point.stream, state);
    }

    /// Sleeps until a submission has ended, the device is lost, or the deadline has passed.
    pub(crate) fn sleep_until(self: &Arc<Self>, point: Point, deadline: Instant) {
        let waiters = &self.waiters[point.stream];
        let mut state = waiters.state();
        state.wanted.entry(point.sequence).or_default();
        self.notify_waiter(point.stream, state);
        let mut state = waiters.state();
        while !self.is_complete(point) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = waiters.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn is_complete(&self, point: Point) -> bool {
        self.is_over(point) || self.context.is_lost()
    }

    /// Notifies the thread of a new wait, and starts it if it does not run.
    fn notify_waiter(self: &Arc<Self>, stream: usize, mut state: MutexGuard<'_, State>) {
        if !state.running {
            let queue = Arc::clone(self);
            let thread = std::thread::Builder::new().name("anywarp-cuda-completion".to_owned());
            match thread.spawn(move || queue.run_waits(stream)) {
                Ok(_) => state.running = true,
                Err(error) => {
                    log::error!("the completion thread did not start, so the calling thread waits: {error}");
                    let last = state.wanted.last_key_value().map(|(sequence, _)| *sequence);
                    drop(state);
                    if let Some(last) = last {
                        let _ = self.wait_asleep(Point { stream, sequence: last });
                    }
                    return self.wake_waiting(stream, u64::MAX);
                }
            }
        }
        drop(state);
        self.waiters[stream].changed.notify_one();
    }

    /// The body of the thread: waits for submissions in the order of their numbers.
    fn run_waits(&self, stream: usize) {
        let waiters = &self.waiters[stream];
        loop {
            let mut state = waiters.state();
            let first = loop {
                if let Some((first, _)) = state.wanted.first_key_value() {
                    break *first;
                }
                if state.closed {
                    state.running = false;
                    return;
                }
                state = waiters.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            // After an error all wakers are woken, and the device returns the error to each of them.
            let upto = if self.wait_asleep(Point { stream, sequence: first }).is_ok() { first } else { u64::MAX };
            self.wake_waiting(stream, upto);
        }
    }

    /// Ends the waits for submissions up to `upto`, and for later ones that have ended too.
    fn wake_waiting(&self, stream: usize, upto: u64) {
        let waiters = &self.waiters[stream];
        let mut ended = Vec::new();
        let mut state = waiters.state();
        while let Some(entry) = state.wanted.first_entry()
            && (*entry.key() <= upto || self.is_over(Point { stream, sequence: *entry.key() }))
        {
            ended.append(&mut entry.remove());
        }
        drop(state);
        waiters.ended.notify_all();
        for waker in ended {
            // A waker is code of the program. It must not end this thread, which other waits need.
            if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake())) {
                log::error!("{}", panicked("waking a task", panic.as_ref()));
            }
        }
    }
}
