//! Actors that fail alone: the further life of an actor whose handler was stopped, while the others go on.
//!
//! The kernel marks an actor while it handles a message. When a workgroup was stopped, the kernel has ended, and marks
//! tell which handlers did not come to their end: see [`Mark`]. The host answers the message in the kernel's place, so
//! each message still has one reply slot, and the kernel starts again.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anywarp_backend::BackendError;

use super::core::{Core, Stage};
use super::engine::Own;
use super::error::{AskError, SendError};
use super::mail::{LINE, Mail};
use super::overflow::{DeadLetter, DeadReason};
use super::post::{Entry, Letter, Post, State};
use super::slot::Payload;
use super::waits::Waits;
use crate::error::{BufferError, Error, LaunchError};

/// The further life of an actor whose handler was stopped, because its loops do not end or a barrier is not reached by
/// all lanes: see [`RingBuilder::restart`](super::RingBuilder::restart).
///
/// With each of these, only the actor is concerned. The message that was being handled is not handled again: an ask
/// receives [`AskError::Stopped`](super::AskError::Stopped) with the line, and the message becomes a dead letter.
/// Messages that the handler had sent before are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Restart {
    /// The actor handles no further message. Its waiting messages become dead letters, and later ones are refused:
    /// [`SendError::Stopped`](super::SendError::Stopped) for the host, `false` for other actors.
    Never,
    /// The actor goes on with its next message and a state of zeros.
    Fresh,
    /// The actor goes on with its next message and the state after the last handled one. If the kernel was stopped
    /// while it stored the state, which is then unknown, the actor fails as with [`Never`](Self::Never).
    Continue,
}

/// The mark of an actor in `ring_control`: 0 between two messages.
#[derive(Clone, Copy)]
struct Mark {
    /// Whether the message came from another actor.
    from_actor: bool,
    /// Whether the handler had come to its end, and its results were being stored.
    stores: bool,
}

impl Mark {
    fn of(word: u32) -> Option<Self> {
        let bits = word.checked_sub(1)?;
        Some(Self { from_actor: bits & 1 == 1, stores: bits & 2 != 0 })
    }
}

/// The error of a stopped handler, without the operation that has met it.
fn stop_of(error: &Error) -> Option<Error> {
    let (Error::Device(error)
    | Error::Buffer(BufferError::Device { error, .. })
    | Error::Launch(LaunchError::Device { error, .. })) = error
    else {
        return None;
    };
    matches!(error, BackendError::Stopped { .. }).then(|| Error::Device(error.clone()))
}

impl Core {
    /// Returns an error if the actor has failed for good.
    pub(super) fn is_alive(&self, actor: u32, state: &State) -> Result<(), SendError> {
        let stopped = |error: &Error| SendError::Stopped { actor, failure: Box::new(error.clone()) };
        state.stopped.as_ref().map_or(Ok(()), |error| Err(stopped(error)))
    }

    /// Stops the kernel between two messages; returns whether it ended within the time. The caller holds the lock of
    /// the ring's life.
    pub(super) async fn halts(&self, waits: Waits, timeout: Duration) -> Result<bool, Error> {
        match self.engine.stop(self, waits, timeout).await {
            Err(error) => match self.recoverable(&error) {
                Some(stop) => self.settle(waits, &stop).await.map(|()| true),
                None => Err(error),
            },
            ended => ended,
        }
    }

    /// The error of a stopped handler, if only its actor fails, and the ring goes on.
    fn recoverable(&self, error: &Error) -> Option<Error> {
        self.restart?;
        stop_of(error).filter(|_| !matches!(self.stage(), Stage::Failed | Stage::Stopped))
    }

    /// The reaction of the ring's thread to an error of the kernel.
    pub(super) async fn recovers(&self, error: Error) {
        let Some(stop) = self.recoverable(&error) else { return self.fail(error) };
        let life = self.life().await;
        // A pause may have come first, and has settled what the kernel left.
        if !self.engine.forgets() {
            return;
        }
        let result = self.settle(Waits::DRIVER, &stop).await.and_then(|()| match self.stage() {
            Stage::Running | Stage::Closing => self.engine.restart(),
            _ => Ok(()),
        });
        drop(life);
        if let Err(error) = result {
            self.fail(error);
        }
    }

    /// Ends or restarts the actors that were being served when the kernel was stopped. No kernel runs.
    async fn settle(&self, waits: Waits, error: &Error) -> Result<(), Error> {
        self.engine.refresh(waits).await?;
        let mut found = false;
        for (actor, mark) in (0..).zip(self.engine.marks(waits).await?) {
            let (Some(mark), Some(post)) = (Mark::of(mark), self.posts.get(actor as usize)) else { continue };
            if post.lock().stopped.is_some() {
                continue;
            }
            found = true;
            self.stops(waits, actor, mark, error).await?;
        }
        // The handlers of a launch share a limit, so it may end between two messages. Then the next launch goes on,
        // unless this one has done nothing.
        let handled = self.handled();
        if found || self.handled_before.swap(handled, Ordering::AcqRel) != handled {
            return Ok(());
        }
        Err(error.clone())
    }

    /// The number of messages that actors have handled.
    fn handled(&self) -> u64 {
        let counts = self.engine.counts();
        let of_actors: u64 = (0..self.posts.len()).map(|actor| u64::from(Mail::of(counts, actor).handled)).sum();
        of_actors + self.posts.iter().map(|post| post.lock().counts.handled).sum::<u64>()
    }

    /// Takes the message out of a stopped actor, and restarts the actor or ends it.
    async fn stops(&self, waits: Waits, actor: u32, mark: Mark, error: &Error) -> Result<(), Error> {
        let kept = actor as usize * self.format.kept;
        let numbers = self.engine.words(waits, Own::Kept, kept..kept + 2).await?;
        if mark.from_actor {
            self.skips_mail(waits, actor, kept, numbers[1]).await?;
        } else {
            self.skips(waits, actor, kept, numbers[0], error).await?;
        }
        let continues = matches!(self.restart, Some(Restart::Continue)) && !mark.stores;
        let restarts = continues || self.restart == Some(Restart::Fresh);
        self.step(|| format!("actor {actor} was {}", if restarts { "restarted" } else { "ended" }));
        match self.restart {
            Some(Restart::Fresh) => {
                let state = kept + super::generate::KEPT_HEAD;
                self.engine.fill(Own::Kept, state..state + self.format.state, 0).await?;
                self.engine.unmark(actor);
            }
            Some(Restart::Continue) if continues => self.engine.unmark(actor),
            // The mark stays, so the kernel does not serve the actor.
            _ => self.ends_actor(waits, actor, error).await?,
        }
        Ok(())
    }

    /// Answers a message of the host in the kernel's place.
    async fn skips(&self, waits: Waits, actor: u32, kept: usize, handled: u32, error: &Error) -> Result<(), Error> {
        let Some(post) = self.posts.get(actor as usize) else { return Ok(()) };
        let (ended, next) = self.answers(actor, post, handled);
        if let Some((number, entry, payload)) = ended {
            // Before an error of the device: the message has left the queue, so nothing else would complete it.
            self.refuses(actor, entry, payload, error);
            self.engine.answered(waits, actor, number).await?;
        }
        self.engine.fill(Own::Kept, kept..kept + 1, next).await
    }

    /// Answers the message that an actor was handling; returns it with its number, and the number of the next one.
    fn answers(&self, actor: u32, post: &Post, handled: u32) -> (Option<(u32, Entry, Option<Payload>)>, u32) {
        let first = self.engine.places().first;
        let mut state = post.lock();
        state.counts.stopped += 1;
        // Replies to the messages before.
        self.reap(actor, post, &mut state);
        let mut ended = None;
        // Otherwise the kernel was stopped behind the reply.
        if state.mailbox.taken() == handled.wrapping_add(first) {
            let payload = state.mailbox.message(&self.inbox(), 0);
            if let Some((number, entry)) = post.answer(&mut state, &self.outbox()) {
                state.counts.gives_up(&entry);
                ended = Some((number, entry, payload));
            }
        }
        (ended, state.mailbox.taken().wrapping_sub(first))
    }

    /// Frees the slot of a message from an actor.
    async fn skips_mail(&self, waits: Waits, actor: u32, kept: usize, number: u32) -> Result<(), Error> {
        if let Some(post) = self.posts.get(actor as usize) {
            post.lock().counts.stopped += 1;
        }
        let line = actor as usize * LINE;
        let used = self.engine.words(waits, Own::Mail, line..line + 1).await?[0];
        let payloads = self.mail_of(waits, actor, number.wrapping_add(1)).await?;
        self.engine.fill(Own::Kept, kept + 1..kept + 2, number.wrapping_add(1)).await?;
        self.engine.fill(Own::Mail, line..line + 1, used.wrapping_sub(1)).await?;
        self.loses(actor, &payloads);
        Ok(())
    }

    /// Lists messages from actors that are not handled.
    fn loses(&self, actor: u32, payloads: &[Payload]) {
        if let Some(post) = self.posts.get(actor as usize) {
            post.lock().counts.lost_from_actors += payloads.len() as u64;
        }
        for payload in payloads {
            self.mail_lost.fetch_add(1, Ordering::AcqRel);
            let bytes = self.message_bytes(actor, payload);
            self.letters.add(DeadLetter { actor, reason: DeadReason::Stopped, from_actor: true, bytes });
        }
    }

    /// Ends an actor for good: nothing waits for it any more.
    async fn ends_actor(&self, waits: Waits, actor: u32, error: &Error) -> Result<(), Error> {
        let Some(post) = self.posts.get(actor as usize) else { return Ok(()) };
        for (entry, payload) in self.takes_all(post, error) {
            self.refuses(actor, entry, payload, error);
        }
        if !self.engine.places().sends {
            return Ok(());
        }
        let line = actor as usize * LINE;
        let words = self.engine.words(waits, Own::Mail, line..line + 2).await?;
        let payloads = self.mail_of(waits, actor, words[1]).await?;
        // As many slots in use as no inbox has: senders find the queue full.
        self.engine.fill(Own::Mail, line..line + 1, 1 << 31).await?;
        self.loses(actor, &payloads);
        Ok(())
    }

    /// Takes all messages of the host out of an actor that ends.
    fn takes_all(&self, post: &Post, error: &Error) -> Vec<(Entry, Option<Payload>)> {
        let mut state = post.lock();
        state.stopped = Some(error.clone());
        let mut ended = Vec::new();
        for (place, entry) in state.waiting.take().into_iter().enumerate() {
            ended.push((entry, state.mailbox.message(&self.inbox(), place as u32)));
        }
        ended.extend(state.backlog.take().map(|Letter { payload, entry }| (entry, Some(payload))));
        ended.iter().for_each(|(entry, _)| state.counts.gives_up(entry));
        post.abandon(&mut state);
        ended
    }

    /// Completes a message that the actor does not handle.
    fn refuses(&self, actor: u32, Entry { cell, counts, .. }: Entry, payload: Option<Payload>, error: &Error) {
        if counts {
            let bytes = payload.map_or_else(Vec::new, |payload| self.message_bytes(actor, &payload));
            self.letters.add(DeadLetter { actor, reason: DeadReason::Stopped, from_actor: false, bytes });
        }
        if let Some(cell) = cell {
            let _ = self.complete(&cell, Err(AskError::Stopped { actor, failure: Box::new(error.clone()) }));
        }
    }
}
