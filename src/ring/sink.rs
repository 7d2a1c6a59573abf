//! Messages from a task: a sink that waits for room without blocking its thread.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_sink::Sink;

use super::actor::Actor;
use super::core::{Core, Stage, words_of};
use super::error::SendError;
use super::slot::Payload;
use crate::element::Element;

impl Actor {
    /// Returns a [`Sink`] of messages to this actor, for tasks: where [`tell`](Self::tell) blocks, rejects or drops, it
    /// waits until the inbox has room. Together with [`Subscription`](super::Subscription), which is a stream, an actor
    /// can be a part of a chain of streams.
    ///
    /// A message that is given to the sink is sent by the next `poll_ready`, `poll_flush` or `poll_close`; `SinkExt::send`
    /// flushes. One that is not sent when the sink is dropped is lost, so flush before that.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use futures::{SinkExt, StreamExt, stream};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn add(state: ptr<function, u32>, x: u32, lane: u32) { *state += x; }",
    /// )?;
    /// let ring = ring.inbox(4).start()?;
    /// let sent = stream::iter(1..=100u32).map(Ok).forward(ring.actor(0).sink());
    /// futures::executor::block_on(sent)?;
    /// assert_eq!(ring.state::<u32>(0)?, 5050);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn sink<M: Element>(&self) -> ActorSink<M> {
        ActorSink { actor: self.clone(), waits: None, message: PhantomData }
    }
}

/// Messages of a task to one actor: see [`Actor::sink`].
///
/// Its errors are [`SendError`]s, except [`SendError::Full`] and [`SendError::Dropped`].
pub struct ActorSink<M> {
    actor: Actor,
    /// The message that has found no room yet.
    waits: Option<Payload>,
    message: PhantomData<fn(M)>,
}

impl<M> ActorSink<M> {
    /// Sends the message that waits, if there is room for it.
    fn sends(&mut self, context: &Context<'_>) -> Poll<Result<(), SendError>> {
        let Self { actor: Actor { core, number }, waits, .. } = self;
        let Some(words) = waits.as_ref() else { return Poll::Ready(Ok(())) };
        let send = || core.send_row(*number, 0..1, &mut |_| (Cow::Borrowed(words), None));
        let mut sent = send();
        if matches!(sent, Ok(0)) {
            core.rooms.add(*number, context.waker());
            // The room, or the end of the ring, may have come before the waker.
            sent = send();
            core.wake_driver();
        }
        match sent {
            Ok(0) => Poll::Pending,
            ended => {
                *waits = None;
                Poll::Ready(ended.map(|_| ()))
            }
        }
    }
}

impl<M: Element> Sink<M> for ActorSink<M> {
    type Error = SendError;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.get_mut().sends(context)
    }

    fn start_send(self: Pin<&mut Self>, message: M) -> Result<(), SendError> {
        let sink = self.get_mut();
        sink.actor.core.checks_message::<M>(sink.actor.number)?;
        sink.waits = Some(words_of(&message).as_ref().into());
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.get_mut().sends(context)
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.get_mut().sends(context)
    }
}

impl<M> std::fmt::Debug for ActorSink<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("ActorSink");
        shown.field("actor", &self.actor.number).field("waits", &self.waits.is_some()).finish()
    }
}

/// The tasks that wait for room in an inbox.
#[derive(Default)]
pub(super) struct Rooms(Mutex<Vec<(u32, Waker)>>);

impl Rooms {
    fn list(&self) -> std::sync::MutexGuard<'_, Vec<(u32, Waker)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, actor: u32, waker: &Waker) {
        let has = |list: &[(u32, Waker)]| list.iter().any(|(own, known)| *own == actor && known.will_wake(waker));
        if has(&self.list()) {
            return;
        }
        // Without the lock, because cloning a waker may run any code.
        let waker = waker.clone();
        self.list().push((actor, waker));
    }

    /// Takes the wakers of the actors that have room by now.
    fn take(&self, has_room: impl Fn(u32) -> bool) -> Vec<Waker> {
        let (ready, waits) = std::mem::take(&mut *self.list()).into_iter().partition(|(actor, _)| has_room(*actor));
        // Others may have come meanwhile.
        self.list().extend::<Vec<_>>(waits);
        let ready: Vec<(u32, Waker)> = ready;
        ready.into_iter().map(|(_, waker)| waker).collect()
    }
}

impl Core {
    /// Has the tasks woken that wait for room which is there by now, or for a ring that has ended. Returns whether others
    /// wait.
    pub(super) fn serve_sinks(&self) -> bool {
        if self.rooms.list().is_empty() {
            return false;
        }
        let ended = !matches!(self.stage(), Stage::Running | Stage::Paused);
        self.reap_all();
        let has_room = |actor: u32| {
            let post = self.posts.get(actor as usize);
            ended || post.is_none_or(|post| post.lock().mailbox.room() > 0)
        };
        for waker in self.rooms.take(has_room) {
            self.wakes(Some(waker));
        }
        !self.rooms.list().is_empty()
    }
}
