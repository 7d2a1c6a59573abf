//! Who waits for work without a thread of their own in the driver: wakers, and waits with a
//! time-out. One thread for each lane waits for them, started when it is first needed.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use crate::lane::Point;
use crate::queue::Queue;
use anywarp_host::panicked;

#[derive(Default)]
struct State {
    /// Submissions that somebody waits for; wakers are to be woken when they end.
    wanted: BTreeMap<u64, Vec<Waker>>,
    running: bool,
    /// The device is gone: the thread ends when there is nothing left to do.
    closed: bool,
}

/// Who waits for a lane.
#[derive(Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
    /// Something new is wanted, or the device is gone.
    changed: Condvar,
    /// Something has ended.
    ended: Condvar,
}

impl Watch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the thread end when there is nothing left to do.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
        self.ended.notify_all();
    }
}

impl Queue {
    /// Has `waker` woken when one of these submissions ends that has not yet, or at once if all have:
    /// whoever is woken asks again.
    pub(crate) fn wake(self: &Arc<Self>, points: &[Point], waker: &Waker) {
        let Some(point) = points.iter().find(|point| !self.is_settled(**point)) else {
            return waker.wake_by_ref();
        };
        let mut state = self.watch[point.lane].state();
        let wakers = state.wanted.entry(point.sequence).or_default();
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
        self.have_watched(point.lane, state);
    }

    /// Sleeps until a submission has ended, the device is lost, or the time is over.
    pub(crate) fn sleep_until(self: &Arc<Self>, point: Point, deadline: Instant) {
        let watch = &self.watch[point.lane];
        let mut state = watch.state();
        state.wanted.entry(point.sequence).or_default();
        self.have_watched(point.lane, state);
        let mut state = watch.state();
        while !self.is_settled(point) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = watch.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn is_settled(&self, point: Point) -> bool {
        self.is_over(point) || self.context.is_lost()
    }

    /// Tells the thread, or starts it.
    fn have_watched(self: &Arc<Self>, lane: usize, mut state: MutexGuard<'_, State>) {
        if !state.running {
            let queue = Arc::clone(self);
            let thread = std::thread::Builder::new().name("anywarp-cuda-completion".to_owned());
            match thread.spawn(move || queue.watch(lane)) {
                Ok(_) => state.running = true,
                Err(error) => {
                    log::error!("the completion thread did not start, so this thread waits: {error}");
                    let last = state.wanted.last_key_value().map(|(sequence, _)| *sequence);
                    drop(state);
                    if let Some(last) = last {
                        let _ = self.wait_asleep(Point { lane, sequence: last });
                    }
                    return self.tell_waiting(lane, u64::MAX);
                }
            }
        }
        drop(state);
        self.watch[lane].changed.notify_one();
    }

    /// What the thread does.
    fn watch(&self, lane: usize) {
        let watch = &self.watch[lane];
        loop {
            let mut state = watch.state();
            let first = loop {
                if let Some((first, _)) = state.wanted.first_key_value() {
                    break *first;
                }
                if state.closed {
                    state.running = false;
                    return;
                }
                state = watch.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            // After an error everybody is woken, and hears of it from the device.
            let upto = if self.wait_asleep(Point { lane, sequence: first }).is_ok() { first } else { u64::MAX };
            self.tell_waiting(lane, upto);
        }
    }

    /// Wakes those who wait for submissions up to `upto`, and for others that have ended.
    fn tell_waiting(&self, lane: usize, upto: u64) {
        let watch = &self.watch[lane];
        let mut ended = Vec::new();
        let mut state = watch.state();
        while let Some(entry) = state.wanted.first_entry()
            && (*entry.key() <= upto || self.is_over(Point { lane, sequence: *entry.key() }))
        {
            ended.append(&mut entry.remove());
        }
        drop(state);
        watch.ended.notify_all();
        for waker in ended {
            // Foreign code, on a thread that others need.
            if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake())) {
                log::error!("{}", panicked("waking a task", panic.as_ref()));
            }
        }
    }
}
