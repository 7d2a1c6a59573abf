//! Messages from actors to the host: a queue for each actor, and one for each subscription.
//!
//! `ring_emitted` begins with a word for each actor, the number of its messages that the host has taken, which only the
//! host writes. [`LINE`] words for each actor follow, then the slots, as many for each actor as its inbox has. A message
//! is claimed by a count of the slots in use. The kernel reduces this count by what the host has taken, but only when
//! no slot is free, so that it seldom reads a word of the host.
//!
//! `tests/ring_models.rs` checks the queue of an actor that emits on one lane, with relaxed accesses. Where several lanes
//! emit, one of them may write a slot again that another one wrote before. As for messages between actors, this relies on
//! a device whose invocations see the stores of each other to one word in one order.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_core::Stream;

use super::core::{Core, Pause, Stage, View, value_of};
use super::slot::{Payload, Words};
use crate::element::Element;

/// The words of an actor behind the counts of the host.
///
/// | word | content |
/// |---|---|
/// | 0 | the number of the next message |
/// | 1 | the messages for which there was no room |
/// | 2 | the slots in use |
/// | 3 | the messages that the host had taken when the kernel looked last |
pub(crate) const LINE: usize = 4;

/// The words before the slots of all actors.
pub(crate) fn head(actors: u32) -> usize {
    (actors as usize * (1 + LINE)).next_multiple_of(8)
}

/// The counts of one actor: messages that it has emitted, and those for which there was no room.
pub(super) fn counts(words: &[AtomicU32], actors: usize, actor: usize) -> (u32, u32) {
    let word = |at: usize| words.get(actors + actor * LINE + at).map_or(0, |word| word.load(Ordering::Relaxed));
    (word(0), word(1))
}

/// A message that an actor has emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission<M> {
    /// The number of the actor.
    pub actor: u32,
    /// The message.
    pub message: M,
}

/// The messages that actors emit, in the order of each actor: see [`Ring::subscribe`](super::Ring::subscribe).
///
/// It is a [`Stream`], which ends with the ring. Dropping it ends the subscription.
pub struct Subscription<M> {
    core: Arc<Core>,
    queue: Arc<Queue>,
    message: PhantomData<fn() -> M>,
}

/// The messages of one subscription that were not received yet.
struct Queue {
    state: Mutex<State>,
    ready: Condvar,
    capacity: usize,
}

#[derive(Default)]
struct State {
    messages: VecDeque<(u32, Payload)>,
    lost: u64,
    waker: Option<Waker>,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The subscriptions of a ring.
pub(super) struct Outlet(Mutex<Taken>);

struct Taken {
    /// For each actor the number of the next message.
    numbers: Vec<u32>,
    queues: Vec<Weak<Queue>>,
}

impl Outlet {
    pub(super) fn new(actors: u32) -> Self {
        Self(Mutex::new(Taken { numbers: vec![0; actors as usize], queues: Vec::new() }))
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub(super) fn subscribes<M: Element>(self: &Arc<Self>, capacity: usize) -> Subscription<M> {
        let queue = Arc::new(Queue { state: Mutex::default(), ready: Condvar::new(), capacity });
        self.outlet.taken().queues.push(Arc::downgrade(&queue));
        self.wake_driver();
        Subscription { core: Arc::clone(self), queue, message: PhantomData }
    }

    /// Takes the messages that have arrived, for all subscriptions. Without any, messages stay where they are.
    pub(super) fn collect(&self) -> Demand {
        let words = self.engine.emitted();
        if words.is_empty() {
            return Demand::None;
        }
        let mut taken = self.outlet.taken();
        let Taken { numbers, queues } = &mut *taken;
        let alive: Vec<Arc<Queue>> = queues.iter().filter_map(Weak::upgrade).collect();
        queues.retain(|queue| queue.strong_count() > 0);
        if alive.is_empty() {
            return Demand::None;
        }
        let (words, places) = (View(words), self.engine.places());
        for (actor, number) in (0..).zip(numbers) {
            let slots = places.emission(actor);
            let before = *number;
            for _ in 0..slots.count {
                let Some(payload) = slots.read(&words, *number) else { break };
                *number = number.wrapping_add(1);
                for queue in &alive {
                    let mut state = queue.state();
                    if state.messages.len() < queue.capacity {
                        state.messages.push_back((actor, payload));
                    } else {
                        state.lost += 1;
                    }
                }
            }
            if *number != before {
                words.store(actor as usize, *number);
            }
        }
        drop(taken);
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

    /// Wakes all that wait for messages, so that they check the stage of the ring.
    pub(super) fn ends_subscriptions(&self) {
        let queues: Vec<Arc<Queue>> = self.outlet.taken().queues.iter().filter_map(Weak::upgrade).collect();
        for queue in queues {
            let waker = queue.state().waker.take();
            queue.ready.notify_all();
            self.wakes(waker);
        }
    }
}

impl<M: Element> Subscription<M> {
    /// Returns the next message if one has arrived.
    #[must_use]
    pub fn try_recv(&self) -> Option<Emission<M>> {
        self.core.collect();
        self.pop()
    }

    /// Waits for the next message, at most this long. `None` after that time, and when the ring has ended and all of
    /// its messages were received.
    #[must_use]
    pub fn recv(&self, timeout: Duration) -> Option<Emission<M>> {
        self.waits(Some(timeout))
    }

    /// Returns an iterator that waits for each message, and that ends with the ring.
    pub fn messages(&self) -> impl Iterator<Item = Emission<M>> {
        std::iter::from_fn(|| self.waits(None))
    }

    /// The number of messages that this subscription has lost, because as many as its capacity waited to be received.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.queue.state().lost
    }

    fn waits(&self, timeout: Option<Duration>) -> Option<Emission<M>> {
        let mut pause = Pause::new();
        loop {
            // Before the look at the queue, so that messages from before the end are received.
            let ended = self.has_ended();
            if let Some(next) = self.try_recv() {
                return Some(next);
            }
            if ended || timeout.is_some_and(|timeout| pause.is_over(timeout)) {
                return None;
            }
            pause.rest(|time| {
                let state = self.queue.state();
                if state.messages.is_empty() && !self.has_ended() {
                    drop(self.queue.ready.wait_timeout(state, time));
                }
            });
        }
    }

    fn has_ended(&self) -> bool {
        matches!(self.core.stage(), Stage::Stopped | Stage::Failed)
    }

    fn pop(&self) -> Option<Emission<M>> {
        let (actor, payload) = self.queue.state().messages.pop_front()?;
        Some(Emission { actor, message: value_of(&payload) })
    }
}

impl<M: Element> Stream for Subscription<M> {
    type Item = Emission<M>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(next) = self.try_recv() {
            return Poll::Ready(Some(next));
        }
        let waker = context.waker().clone();
        let old = self.queue.state().waker.replace(waker);
        // Without the lock, because dropping a waker may run any code.
        drop(old);
        // A message, or the end, may have come before the waker.
        let ended = self.has_ended();
        match self.try_recv() {
            Some(next) => Poll::Ready(Some(next)),
            None if ended => Poll::Ready(None),
            None => {
                self.core.wake_driver();
                Poll::Pending
            }
        }
    }
}
