//! Messages from actors to the host: a queue for each actor, and one for each subscription.
//!
//! [`emitted`](super::emitted) describes the words. A message is claimed by a count of the slots in use. The kernel
//! reduces this count by what the host has taken, but only when no slot is free, so that it seldom reads a word of the
//! host.
//!
//! `tests/ring_models.rs` checks the queue of an actor that emits on one lane, with relaxed accesses. Where several lanes
//! emit, one of them may write a slot again that another one wrote before. As for messages between actors, this relies on
//! a device whose invocations see the stores of each other to one word in one order.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;

use futures_core::Stream;

use super::core::{Core, Stage, value_of};
use super::outlet::Queue;
#[cfg(not(target_arch = "wasm32"))]
use super::pause::Pause;
use crate::element::Element;

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

impl Core {
    pub(super) fn subscribes<M: Element>(self: &Arc<Self>, capacity: usize) -> Subscription<M> {
        Subscription { core: Arc::clone(self), queue: self.adds_queue(capacity), message: PhantomData }
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
    /// its messages were received. Not in a browser, whose page cannot block: the subscription is a [`Stream`].
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn recv(&self, timeout: Duration) -> Option<Emission<M>> {
        self.waits(Some(timeout))
    }

    /// Returns an iterator that waits for each message, and that ends with the ring. Not in a browser, as
    /// [`recv`](Self::recv).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn messages(&self) -> impl Iterator<Item = Emission<M>> {
        std::iter::from_fn(|| self.waits(None))
    }

    /// The number of messages that this subscription has lost, because as many as its capacity waited to be received.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.queue.state().lost
    }

    #[cfg(not(target_arch = "wasm32"))]
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
