//! Many messages in one call: one lock, one look at the clock and one announcement for a row of them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::actor::{Actor, Ask};
use super::backlog::Priority;
use super::cell::Cell;
use super::clock::Instant;
use super::core::{Core, words_of};
use super::error::{SendAllError, SendError};
use super::post::Entry;
use super::slot::Header;
use crate::element::Element;

/// The most messages that are written under one lock, so that other senders and the reader of replies have their turn.
const ROW: usize = 256;

impl Actor {
    /// Sends messages without waiting for their replies: as [`tell`](Self::tell) for each of them, in their order, at a
    /// fraction of the cost. Messages of other threads may come in between.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn add(state: ptr<function, u32>, x: u32, lane: u32) { *state += x; }",
    /// )?;
    /// let ring = ring.start()?;
    /// ring.actor(0).tell_all(&(0..1000).collect::<Vec<u32>>())?;
    /// assert_eq!(ring.state::<u32>(0)?, 499_500);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`SendAllError`] at the first message that is not sent, with the number of those before it.
    pub fn tell_all<M: Element>(&self, messages: &[M]) -> Result<(), SendAllError> {
        let send = || {
            self.core.checks_message::<M>(self.number)?;
            let message = |at: usize| (words_of(&messages[at]), None);
            Ok(self.core.send_all(self.number, messages.len(), message))
        };
        send().unwrap_or_else(|error| Err((0, error))).map_err(all(messages.len()))
    }

    /// Sends messages whose replies can be waited for: as [`ask`](Self::ask) for each of them, in their order, at less
    /// cost. For each message that is sent, `asks` receives the place of its reply, also if a later one is not sent.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ring::Ask;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn square(state: ptr<function, u32>, x: f32, lane: u32) -> f32 { return x * x; }",
    /// )?;
    /// let ring = ring.start()?;
    /// let mut asks: Vec<Ask<f32>> = Vec::new();
    /// ring.actor(0).ask_all(&[1.0f32, 2.0, 3.0], &mut asks)?;
    /// let squares: Result<Vec<f32>, _> = asks.into_iter().map(Ask::wait).collect();
    /// assert_eq!(squares?, [1.0, 4.0, 9.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`SendAllError`] at the first message that is not sent, with the number of those before it.
    pub fn ask_all<M: Element, R: Element>(&self, messages: &[M], asks: &mut Vec<Ask<R>>) -> Result<(), SendAllError> {
        let own = asks.len();
        let mut send = || {
            self.core.checks_message::<M>(self.number)?;
            self.core.checks_reply::<R>(self.number)?;
            asks.extend(messages.iter().map(|_| self.place()));
            let message = |at: usize| (words_of(&messages[at]), Some(asks[own + at].cell()));
            Ok(self.core.send_all(self.number, messages.len(), message))
        };
        let sent = send().unwrap_or_else(|error| Err((0, error)));
        if let Err((sent, _)) = &sent {
            asks.truncate(own + sent);
        }
        sent.map_err(all(messages.len()))
    }
}

impl Actor {
    /// [`tell_all`](Self::tell_all) for a task: with [`Overflow::Block`](super::Overflow::Block), the task is suspended
    /// while it waits for room in the inbox. A future that is dropped before its end has sent some of the messages.
    ///
    /// # Errors
    /// As [`tell_all`](Self::tell_all).
    pub async fn tell_all_async<M: Element>(&self, messages: &[M]) -> Result<(), SendAllError> {
        let error = |error| SendAllError { sent: 0, messages: messages.len(), error };
        self.core.checks_message::<M>(self.number).map_err(error)?;
        let message = |at: usize| (words_of(&messages[at]), None);
        self.core.send_all_waits(self.number, messages.len(), message).await.map_err(all(messages.len()))
    }

    /// [`ask_all`](Self::ask_all) for a task: with [`Overflow::Block`](super::Overflow::Block), the task is suspended while
    /// it waits for room in the inbox. A future that is dropped before its end has sent some of the messages.
    ///
    /// # Errors
    /// As [`ask_all`](Self::ask_all).
    pub async fn ask_all_async<M: Element, R: Element>(
        &self,
        messages: &[M],
        asks: &mut Vec<Ask<R>>,
    ) -> Result<(), SendAllError> {
        let error = |error| SendAllError { sent: 0, messages: messages.len(), error };
        self.core.checks_message::<M>(self.number).map_err(error)?;
        self.core.checks_reply::<R>(self.number).map_err(error)?;
        // Until the end they are not among the caller's, which would wait for ever for those that were not sent.
        let mut own: Vec<Ask<R>> = messages.iter().map(|_| self.place()).collect();
        let message = |at: usize| (words_of(&messages[at]), Some(own[at].cell()));
        let sent = self.core.send_all_waits(self.number, messages.len(), message).await;
        if let Err((sent, _)) = &sent {
            own.truncate(*sent);
        }
        asks.append(&mut own);
        sent.map_err(all(messages.len()))
    }
}

/// The words of a message, and the place of its reply.
type Message<'a> = (Cow<'a, [u32]>, Option<&'a Arc<Cell>>);

/// The error of a call that was given so many messages.
fn all(messages: usize) -> impl FnOnce((usize, SendError)) -> SendAllError {
    move |(sent, error)| SendAllError { sent, messages, error }
}

impl Core {
    /// Sends messages for the handler, with the ring's reaction to a full inbox. `message` is the message with a
    /// number. An error comes with the number of messages that were sent.
    fn send_all<'a>(
        &self,
        actor: u32,
        count: usize,
        mut message: impl FnMut(usize) -> Message<'a>,
    ) -> Result<(), (usize, SendError)> {
        let mut sent = 0;
        while let Some((payload, cell)) = self.send_rows(actor, &mut sent, count, &mut message)? {
            self.send(actor, &payload, cell, Priority::Normal).map_err(|error| (sent, error))?;
            sent += 1;
        }
        Ok(())
    }

    /// [`send_all`](Self::send_all) for a task.
    async fn send_all_waits<'a>(
        &self,
        actor: u32,
        count: usize,
        mut message: impl FnMut(usize) -> Message<'a>,
    ) -> Result<(), (usize, SendError)> {
        let mut sent = 0;
        while let Some((payload, cell)) = self.send_rows(actor, &mut sent, count, &mut message)? {
            let waits = self.send_waits(actor, &payload, cell, Priority::Normal);
            waits.await.map_err(|error| (sent, error))?;
            sent += 1;
        }
        Ok(())
    }

    /// Sends messages from the number `sent` on, which it moves, until all are sent or the inbox is full; then returns the
    /// next message and the place of its reply.
    fn send_rows<'a>(
        &self,
        actor: u32,
        sent: &mut usize,
        count: usize,
        message: &mut impl FnMut(usize) -> Message<'a>,
    ) -> Result<Option<Message<'a>>, (usize, SendError)> {
        while *sent < count {
            let row = self.send_row(actor, *sent..count, message).map_err(|error| (*sent, error))?;
            if row == 0 {
                return Ok(Some(message(*sent)));
            }
            *sent += row;
        }
        Ok(None)
    }

    /// Sends as many messages as there is room for, up to a limit; returns their number.
    pub(super) fn send_row<'a>(
        &self,
        actor: u32,
        numbers: Range<usize>,
        message: &mut impl FnMut(usize) -> Message<'a>,
    ) -> Result<usize, SendError> {
        let post = self.post(actor)?;
        let mut state = post.lock();
        // Under the lock: the end of a ring takes all locks afterwards, and sees these messages.
        self.accepts()?;
        self.is_alive(actor, &state)?;
        let wanted = numbers.len().min(ROW);
        if (state.mailbox.room() as usize) < wanted || !state.backlog.is_empty() {
            self.reap(actor, post, &mut state);
        }
        let room = state.mailbox.room() as usize;
        if room == 0 || !state.backlog.is_empty() || state.reserved > 0 {
            return Ok(0);
        }
        let (now, inbox, count) = (Instant::now(), self.inbox(), room.min(wanted));
        // Messages without a cell whose entries are still to come, as one row.
        let mut plain = 0;
        for number in numbers.take(count) {
            let (payload, cell) = message(number);
            state.mailbox.send(&inbox, Header::CALL, &payload);
            let Some(cell) = cell else {
                plain += 1;
                continue;
            };
            state.sent(Entry { sent: now, cell: None, counts: true }, std::mem::take(&mut plain));
            state.sent(Entry { sent: now, cell: Some(Arc::clone(cell)), counts: true }, 1);
        }
        self.engine.sends_off();
        state.sent(Entry { sent: now, cell: None, counts: true }, plain);
        state.accepted_many(count as u64);
        let recent = state.has_rung(now);
        drop(state);
        self.engine.announce(self, recent);
        Ok(count)
    }
}
