//! The end of a ring: all that waits receives an error, and what was not handled is listed and counted.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::clock::Instant;
use super::core::{Core, Stage, View};
use super::engine::Own;
use super::error::AskError;
use super::mail::LINE;
use super::overflow::{DeadLetter, DeadReason};
use super::post::{Entry, Letter};
use super::slot::Payload;
use super::waits::Waits;
use crate::error::Error;
use crate::submit::Reporter;

impl Core {
    /// Ends the ring because of a failure: each caller that waits receives it. Wake the tasks afterwards, as after
    /// [`abandon`](Self::abandon).
    pub(super) fn fail(&self, error: Error) {
        let _ = self.failure.set(error);
        self.stage.store(Stage::Failed as u8, Ordering::Release);
        self.abandon(DeadReason::Failure);
        self.report();
        self.step(|| "failed".to_owned());
    }

    /// Completes all that wait with an error, and lists and counts what was not handled. Wake the tasks afterwards,
    /// without a lock: the ring's thread may have ended.
    pub(super) fn abandon(&self, reason: DeadReason) {
        for (actor, post) in self.posts.iter().enumerate() {
            let actor = actor as u32;
            let mut state = post.lock();
            // Messages that were handled before the end have their replies.
            self.reap(actor, post, &mut state);
            let mut ended = Vec::new();
            for (place, entry) in state.waiting.take().into_iter().enumerate() {
                ended.push((entry, state.mailbox.message(&self.inbox(), place as u32)));
            }
            ended.extend(state.backlog.take().map(|Letter { payload, entry }| (entry, Some(payload))));
            ended.iter().for_each(|(entry, _)| state.counts.gives_up(entry));
            state.rests(Instant::now());
            drop(state);
            for (Entry { cell, counts, .. }, payload) in ended {
                if counts {
                    let bytes = payload.map_or_else(Vec::new, |payload| self.message_bytes(actor, &payload));
                    self.letters.add(DeadLetter { actor, reason, from_actor: false, bytes });
                }
                if let Some(cell) = cell {
                    let _ = self.complete(&cell, Err(AskError::Ended { actor, failure: self.failure() }));
                }
            }
        }
        self.ends_subscriptions();
        self.serve_sinks();
    }

    /// The reason why a ring that has ended leaves messages.
    pub(super) fn end_reason(&self) -> DeadReason {
        if self.stage() == Stage::Failed { DeadReason::Failure } else { DeadReason::Shutdown }
    }

    /// The number of messages between actors that were not handled by a ring that has ended, after its last counts were
    /// read.
    pub(super) async fn undelivered_at_end(&self, waits: Waits, timeout: Duration) -> u64 {
        if self.stage() == Stage::Failed
            && let Err(error) = self.engine.refresh(waits).await
        {
            log::warn!("the last counts of a ring cannot be read from its device: {error}");
        }
        match self.engine.stop(self, waits, timeout).await {
            Ok(false) => self.mail_waiting(),
            // A kernel that failed has ended.
            _ => self.undelivered(waits, self.end_reason()).await,
        }
    }

    /// The number of messages between actors that were not handled, which become dead letters. No kernel runs any more.
    async fn undelivered(&self, waits: Waits, reason: DeadReason) -> u64 {
        let Ok(payloads) = self.waiting_mail(waits).await else {
            // The memory of a device that failed cannot be read.
            return self.mail_waiting();
        };
        for (actor, payload) in &payloads {
            let bytes = self.message_bytes(*actor, payload);
            self.letters.add(DeadLetter { actor: *actor, reason, from_actor: true, bytes });
        }
        payloads.len() as u64
    }

    /// The messages between actors that wait, with their receivers. No kernel runs.
    async fn waiting_mail(&self, waits: Waits) -> Result<Vec<(u32, Payload)>, Error> {
        let places = self.engine.places();
        if !places.sends {
            return Ok(Vec::new());
        }
        let lines = self.engine.words(waits, Own::Mail, 0..self.posts.len() * LINE).await?;
        let mut waiting = Vec::new();
        for (actor, line) in (0..).zip(lines.chunks(LINE)) {
            // No slot is in use, or the actor was ended with its messages.
            if line[0] != 0 && line[0] < 1 << 31 {
                waiting.extend(self.mail_of(waits, actor, line[1]).await?.into_iter().map(|payload| (actor, payload)));
            }
        }
        Ok(waiting)
    }

    /// The messages from actors that wait for one, below the number `next`.
    pub(super) async fn mail_of(&self, waits: Waits, actor: u32, next: u32) -> Result<Vec<Payload>, Error> {
        let slots = self.engine.places().mail(actor);
        let kept = actor as usize * self.format.kept;
        let numbers = self.engine.words(waits, Own::Kept, kept..kept + 2).await?;
        let words = self.engine.words(waits, Own::Mail, slots.first..slots.first + slots.words()).await?;
        let words: Vec<AtomicU32> = words.into_iter().map(AtomicU32::new).collect();
        let own = super::slot::Slots { first: 0, ..slots };
        let count = next.wrapping_sub(numbers[1]).min(slots.count);
        let read = |place| own.read(&View(&words), numbers[1].wrapping_add(place));
        Ok((0..count).filter_map(read).collect())
    }
}
