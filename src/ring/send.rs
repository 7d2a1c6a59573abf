//! Messages of the host: their way into an inbox, and what happens if there is no room.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::backlog::Priority;
use super::cell::Cell;
use super::clock::Instant;
use super::core::Core;
use super::error::{AskError, SendError};
use super::overflow::{DeadLetter, DeadReason, Overflow};
use super::pause::Pause;
use super::post::{Entry, Letter, Post};
use super::slot::Header;
use super::waits::{LOOK, Waits};

/// The place of a message's reply, if it has one: called when the message is accepted, once, and on its way if it can be.
pub(super) type Place<'a> = &'a mut dyn FnMut() -> Option<Arc<Cell>>;

/// An inbox without room, for a message that may wait for it.
struct Full {
    timeout: Duration,
    /// The number of messages that wait.
    waiting: u32,
}

impl Core {
    /// Sends a message for the handler, with the ring's reaction to a full inbox.
    pub(super) fn send(
        &self,
        actor: u32,
        payload: &[u32],
        cell: Option<&Arc<Cell>>,
        priority: Priority,
    ) -> Result<(), SendError> {
        self.send_by(self.overflow, actor, payload, &mut || cell.cloned(), priority)
    }

    /// Sends a message for the handler, with this reaction.
    pub(super) fn send_by(
        &self,
        overflow: Overflow,
        actor: u32,
        payload: &[u32],
        cell: Place<'_>,
        priority: Priority,
    ) -> Result<(), SendError> {
        let mut pause = Pause::new();
        loop {
            let Some(Full { timeout, waiting }) = self.attempts(overflow, actor, payload, cell, priority)? else {
                return Ok(());
            };
            if cfg!(target_arch = "wasm32") {
                self.refuses_full(actor);
                return Err(SendError::CannotBlock { actor, waiting });
            }
            if pause.is_over(timeout) {
                self.refuses_full(actor);
                return Err(SendError::Full { actor, waiting });
            }
            pause.rest(thread::sleep);
        }
    }

    /// [`send`](Self::send) for a task, which is suspended while it waits for room.
    pub(super) async fn send_waits(
        &self,
        actor: u32,
        payload: &[u32],
        cell: Option<&Arc<Cell>>,
        priority: Priority,
    ) -> Result<(), SendError> {
        let started = Instant::now();
        loop {
            let attempt = self.attempts(self.overflow, actor, payload, &mut || cell.cloned(), priority);
            let Some(Full { timeout, waiting }) = attempt? else {
                return Ok(());
            };
            if started.elapsed() >= timeout {
                self.refuses_full(actor);
                return Err(SendError::Full { actor, waiting });
            }
            Waits::Yields.rest(self, LOOK).await;
        }
    }

    /// Sends a message for the handler if that needs no wait for room.
    fn attempts(
        &self,
        overflow: Overflow,
        actor: u32,
        payload: &[u32],
        cell: Place<'_>,
        priority: Priority,
    ) -> Result<Option<Full>, SendError> {
        let post = self.post(actor)?;
        if priority != Priority::Normal && self.backlog == 0 {
            return Err(SendError::NoBacklog { actor });
        }
        let mut entry = |sent| Entry { sent, cell: cell(), counts: true };
        let mut state = post.lock();
        // Under the lock: the end of a ring takes all locks afterwards, and sees this message.
        self.accepts()?;
        self.is_alive(actor, &state)?;
        if state.mailbox.is_full() || !state.backlog.is_empty() {
            self.reap(actor, post, &mut state);
        }
        let free = state.backlog.is_empty() && state.reserved == 0;
        if free && state.mailbox.send(&self.inbox(), Header::CALL, payload) {
            // The message travels while the host does its accounts.
            self.engine.sends_off();
            let now = Instant::now();
            state.sent(entry(now), 1);
            state.accepted();
            let recent = state.has_rung(now);
            drop(state);
            self.engine.announce(self, recent);
            return Ok(None);
        }
        let now = Instant::now();
        let waiting = state.queued() as u32;
        let room = state.backlog.len() < self.backlog;
        match overflow {
            overflow if room || overflow == Overflow::DropOldest => {
                let oldest = if room { None } else { state.backlog.gives_way(priority) };
                state.counts.displaced += u64::from(oldest.is_some());
                if !room && oldest.is_none() {
                    drop(state);
                    self.drops(actor, post, payload);
                    return Err(SendError::Dropped { actor });
                }
                state.backlog.push(priority, Letter { payload: payload.into(), entry: entry(now) });
                state.accepted();
                drop(state);
                if let Some(Letter { payload, entry }) = oldest {
                    self.drops(actor, post, &payload);
                    if let Some(cell) = entry.cell {
                        let _ = self.complete(&cell, Err(AskError::Dropped { actor }));
                        // The ring's loop may be busy with a submission.
                        self.wake_tasks();
                    }
                }
                // The ring's loop fills the inbox when there is room.
                self.wake_driver();
                Ok(None)
            }
            Overflow::DropOldest | Overflow::DropNewest => {
                drop(state);
                self.drops(actor, post, payload);
                Err(SendError::Dropped { actor })
            }
            Overflow::Block(timeout) => Ok(Some(Full { timeout, waiting })),
            Overflow::Reject => {
                drop(state);
                self.refuses_full(actor);
                Err(SendError::Full { actor, waiting })
            }
        }
    }

    fn refuses_full(&self, actor: u32) {
        if let Some(post) = self.posts.get(actor as usize) {
            post.dropped.add();
        }
    }

    fn drops(&self, actor: u32, post: &Post, payload: &[u32]) {
        post.dropped.add();
        self.letters.add(DeadLetter {
            actor,
            reason: DeadReason::Overflow,
            from_actor: false,
            bytes: self.message_bytes(actor, payload),
        });
    }
}
