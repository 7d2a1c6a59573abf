//! The subscriptions of a ring: each receives a copy of every message that actors emit.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;

use super::core::{Core, View};
use super::emitted::Taken;
use super::slot::Payload;

/// The messages of one subscription that were not received yet.
pub(super) struct Queue {
    state: Mutex<State>,
    pub(super) ready: Condvar,
    capacity: usize,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) messages: VecDeque<(u32, Payload)>,
    pub(super) lost: u64,
    pub(super) waker: Option<Waker>,
}

impl Queue {
    fn new(capacity: usize) -> Self {
        Self { state: Mutex::default(), ready: Condvar::new(), capacity }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The messages that the host has taken, and the subscriptions for which it does so.
pub(super) struct Outlet(Mutex<Inner>);

struct Inner {
    taken: Taken,
    queues: Vec<Weak<Queue>>,
}

impl Outlet {
    pub(super) fn new(actors: u32) -> Self {
        Self(Mutex::new(Inner { taken: Taken::new(actors), queues: Vec::new() }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of messages that were taken, for each actor.
    pub(super) fn taken(&self) -> Vec<u64> {
        self.inner().taken.actors().to_vec()
    }
}

/// The need of subscriptions for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Demand {
    /// There is no subscription.
    None,
    /// There are some.
    Some,
    /// A task waits.
    Waits,
}

impl Core {
    /// Adds the queue of a subscription.
    pub(super) fn adds_queue(&self, capacity: usize) -> Arc<Queue> {
        let queue = Arc::new(Queue::new(capacity));
        self.outlet.inner().queues.push(Arc::downgrade(&queue));
        self.wake_driver();
        queue
    }

    /// Takes the messages that have arrived, for all subscriptions. Without any, messages stay where they are.
    pub(super) fn collect(&self) -> Demand {
        let words = self.engine.emitted();
        if words.is_empty() {
            return Demand::None;
        }
        let mut inner = self.outlet.inner();
        let Inner { taken, queues } = &mut *inner;
        let alive: Vec<Arc<Queue>> = queues.iter().filter_map(Weak::upgrade).collect();
        queues.retain(|queue| queue.strong_count() > 0);
        if alive.is_empty() {
            return Demand::None;
        }
        let places = self.engine.places();
        taken.take(
            &View(words),
            |actor| places.emission(actor),
            |actor, payload| {
                for queue in &alive {
                    let mut state = queue.state();
                    if state.messages.len() < queue.capacity {
                        state.messages.push_back((actor, payload.clone()));
                    } else {
                        state.lost += 1;
                    }
                }
            },
        );
        drop(inner);
        let mut demand = Demand::Some;
        for queue in &alive {
            let mut state = queue.state();
            let waker = if state.messages.is_empty() { None } else { state.waker.take() };
            if state.waker.is_some() {
                demand = Demand::Waits;
            }
            let news = !state.messages.is_empty();
            drop(state);
            if news {
                queue.ready.notify_all();
            }
            self.wakes(waker);
        }
        demand
    }

    /// The number of emitted messages that nothing took. No kernel runs.
    pub(super) fn untaken(&self) -> u64 {
        let words = self.engine.emitted();
        if words.is_empty() {
            return 0;
        }
        let places = self.engine.places();
        self.outlet.inner().taken.left(&View(words), |actor| places.emission(actor))
    }

    /// Wakes all that wait for messages, so that they check the stage of the ring.
    pub(super) fn ends_subscriptions(&self) {
        let queues: Vec<Arc<Queue>> = self.outlet.inner().queues.iter().filter_map(Weak::upgrade).collect();
        for queue in queues {
            let waker = queue.state().waker.take();
            queue.ready.notify_all();
            self.wakes(waker);
        }
    }
}
