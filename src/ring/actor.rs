//! The handle of one actor, and replies that are waited for.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use super::backlog::Priority;
use super::cell::Cell;
use super::clock::Instant;
use super::core::{Core, Watched, value_of, words_of};
use super::error::{AskError, SendError};
use super::slot::Payload;
use crate::element::Element;

/// The handle of one actor of a [`Ring`](super::Ring). Cloning it copies only a handle; any thread may use it.
///
/// Messages of one thread to one actor, of one priority, are handled in the order in which they were sent, each at most
/// once, and one after the other.
#[derive(Clone)]
pub struct Actor {
    pub(super) core: Arc<Core>,
    pub(super) number: u32,
}

impl Actor {
    /// The number of the actor, counted from 0.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Sends a message without waiting for its reply.
    ///
    /// # Errors
    /// [`SendError`]; the actor does not receive the message.
    pub fn tell<M: Element>(&self, message: &M) -> Result<(), SendError> {
        self.tell_with(message, Priority::Normal)
    }

    /// [`tell`](Self::tell) with a priority.
    ///
    /// # Errors
    /// [`SendError`], [`SendError::NoBacklog`] among them; the actor does not receive the message.
    pub fn tell_with<M: Element>(&self, message: &M, priority: Priority) -> Result<(), SendError> {
        self.core.checks_message::<M>(self.number)?;
        self.core.send(self.number, &words_of(message), None, priority)
    }

    /// Sends a message whose reply can be waited for, by [`Ask::wait`] or by `.await`. The type of the reply is that of
    /// the variable that receives it:
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let ring = device.ring("")?.start()?;
    /// let doubled: f32 = ring.actor(0).ask(&2.0f32)?.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SendError`]; the actor does not receive the message.
    pub fn ask<M: Element, R: Element>(&self, message: &M) -> Result<Ask<R>, SendError> {
        self.ask_with(message, Priority::Normal)
    }

    /// [`ask`](Self::ask) with a priority.
    ///
    /// ```no_run
    /// use anywarp::ring::Priority;
    ///
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// // Up to 8 messages in the inbox, and up to 1000 that wait on the host.
    /// let ring = device.ring("")?.inbox(8).backlog(1000).start()?;
    /// let urgent: f32 = ring.actor(0).ask_with(&2.0f32, Priority::High)?.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SendError`], [`SendError::NoBacklog`] among them; the actor does not receive the message.
    pub fn ask_with<M: Element, R: Element>(&self, message: &M, priority: Priority) -> Result<Ask<R>, SendError> {
        self.core.checks_message::<M>(self.number)?;
        self.core.checks_reply::<R>(self.number)?;
        self.sends(&words_of(message), priority)
    }

    /// [`tell`](Self::tell) for a task: with [`Overflow::Block`](super::Overflow::Block), the task is suspended while it
    /// waits for room in the inbox. Messages of other tasks may come first meanwhile.
    ///
    /// # Errors
    /// As [`tell`](Self::tell).
    pub async fn tell_async<M: Element>(&self, message: &M) -> Result<(), SendError> {
        self.core.checks_message::<M>(self.number)?;
        self.core.send_waits(self.number, &words_of(message), None, Priority::Normal).await
    }

    /// [`ask`](Self::ask) for a task: with [`Overflow::Block`](super::Overflow::Block), the task is suspended while it
    /// waits for room in the inbox. The result is the place of the reply, which is awaited, too.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// # pollster::block_on(async {
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn square(state: ptr<function, u32>, x: f32, lane: u32) -> f32 { return x * x; }",
    /// )?;
    /// let ring = ring.start()?;
    /// let square: f32 = ring.actor(0).ask_async(&3.0f32).await?.await?;
    /// assert_eq!(square, 9.0);
    /// # Ok(())
    /// # })
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn ask_async<M: Element, R: Element>(&self, message: &M) -> Result<Ask<R>, SendError> {
        self.core.checks_message::<M>(self.number)?;
        self.core.checks_reply::<R>(self.number)?;
        let ask = self.place();
        self.core.send_waits(self.number, &words_of(message), Some(&ask.cell), Priority::Normal).await?;
        Ok(ask)
    }

    /// Sends a message whose types were checked.
    pub(super) fn sends<R: Element>(&self, payload: &[u32], priority: Priority) -> Result<Ask<R>, SendError> {
        let mut cell = None;
        // Made while the message travels, and always if it is accepted.
        let mut place = || Some(Arc::clone(cell.insert(Arc::default())));
        self.core.send_by(self.core.overflow, self.number, payload, &mut place, priority)?;
        Ok(self.ask_at(cell.unwrap_or_default()))
    }

    /// The place for the reply to a message that is not sent yet.
    pub(super) fn place<R>(&self) -> Ask<R> {
        self.ask_at(Arc::default())
    }

    fn ask_at<R>(&self, cell: Arc<Cell>) -> Ask<R> {
        Ask {
            core: Arc::clone(&self.core),
            actor: self.number,
            cell,
            timeout: None,
            watched: false,
            reply: PhantomData,
        }
    }
}

/// A message whose reply has not been received: wait for it, await it, or drop it. The reply to a dropped one becomes a
/// [dead letter](super::Ring::dead_letters).
#[must_use = "a reply that is not waited for becomes a dead letter; use `tell`"]
pub struct Ask<R> {
    core: Arc<Core>,
    actor: u32,
    cell: Arc<Cell>,
    timeout: Option<(Duration, Instant)>,
    /// Whether the ring's thread polls for this future.
    watched: bool,
    reply: PhantomData<fn() -> R>,
}

impl<R: Element> Ask<R> {
    /// Limits the time until the reply, from now on.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Instant::now().checked_add(timeout).map(|deadline| (timeout, deadline));
        self
    }

    /// Whether the reply, or an error in its place, has arrived.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.cell.is_done()
    }

    /// Waits for the reply.
    ///
    /// # Errors
    /// [`AskError::TimedOut`] after the [`timeout`](Self::timeout); [`AskError::Ended`] if the ring fails or is shut
    /// down before; [`AskError::Dropped`] if a newer message has displaced this one
    /// ([`Overflow::DropOldest`](super::Overflow::DropOldest)); [`AskError::Stopped`] if the handler was stopped
    /// ([`Restart`](super::Restart)).
    pub fn wait(self) -> Result<R, AskError> {
        self.wait_for_words().map(|words| value_of(&words))
    }
}

impl<R> Ask<R> {
    pub(super) fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }

    /// Waits for the words of the reply.
    pub(super) fn wait_for_words(self) -> Result<Payload, AskError> {
        if cfg!(target_arch = "wasm32") && !self.cell.is_done() {
            return Err(AskError::CannotBlock { call: "Ask::wait", instead: "the `Ask`, which is a future" });
        }
        self.core.wait(self.actor, &self.cell, self.timeout.map(|(_, deadline)| deadline));
        self.cell.take().unwrap_or_else(|| {
            let timeout = self.timeout.map_or(Duration::ZERO, |(timeout, _)| timeout);
            Err(AskError::TimedOut { actor: self.actor, timeout })
        })
    }

    /// The words of the reply, for a task.
    pub(super) fn poll_words(&mut self, context: &Context<'_>) -> Poll<Result<Payload, AskError>> {
        if !self.cell.is_done() {
            self.cell.wake(context.waker());
            if !self.watched {
                self.watched = true;
                let cell = Arc::clone(&self.cell);
                self.core.watch(Watched { actor: self.actor, cell, timeout: self.timeout });
            }
        }
        self.cell.take().map_or(Poll::Pending, Poll::Ready)
    }
}

impl<R: Element> Future for Ask<R> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_words(context).map(|reply| reply.map(|words| value_of(&words)))
    }
}

impl<R> Drop for Ask<R> {
    fn drop(&mut self) {
        self.cell.give_up();
    }
}
