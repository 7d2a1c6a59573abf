//! The host's side of one actor: the messages that wait for a reply, in the order of the replies.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::activity::Times;
use super::backlog::Backlog;
use super::cell::Cell;
use super::clock::Instant;
use super::slot::{Header, Mailbox, Payload, Words};
use super::telemetry::{Count, Counts};
pub(super) use super::waiting::Entry;
use super::waiting::Waiting;
use crate::error::Error;

/// The time for which the bell need not ring again: a resident kernel that has noticed it polls at full
/// speed for longer.
const NOTICED: Duration = Duration::from_micros(20);

/// A message that waits in the host's own queue, because its inbox is full.
pub(super) struct Letter {
    pub(super) payload: Payload,
    pub(super) entry: Entry,
}

/// One actor.
pub(super) struct Post {
    state: Mutex<State>,
    /// The number of the next reply, for threads that wait without the lock.
    next: AtomicU32,
    pub(super) dropped: Count,
}

/// The state of a post, under its lock.
pub(super) struct State {
    pub(super) mailbox: Mailbox,
    /// The messages in the inbox, in the order of their replies.
    pub(super) waiting: Waiting,
    /// Messages for which there was no room.
    pub(super) backlog: Backlog<Letter>,
    /// The error that has ended the actor for good.
    pub(super) stopped: Option<Error>,
    /// The number of calls that wait for several free slots: while there are any, the inbox accepts nothing else.
    pub(super) reserved: u32,
    /// The time at which a message of this actor has last rung the bell.
    rung: Option<Instant>,
    pub(super) counts: Counts,
    pub(super) times: Times,
}

impl Post {
    pub(super) fn new(mailbox: Mailbox) -> Self {
        let next = AtomicU32::new(mailbox.taken());
        let (waiting, backlog) = (Waiting::default(), Backlog::default());
        let (counts, times) = (Counts::default(), Times::default());
        let state = State { mailbox, waiting, backlog, stopped: None, reserved: 0, rung: None, counts, times };
        Self { state: Mutex::new(state), next, dropped: Count::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the message whose reply comes next.
    pub(super) fn next(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }

    /// Takes the replies that have arrived, and gives each to `deliver`; fills the inbox from the backlog. Returns
    /// whether messages were written.
    pub(super) fn reap(
        &self,
        state: &mut State,
        inbox: &impl Words,
        outbox: &impl Words,
        mut deliver: impl FnMut(Arc<Cell>, Payload),
    ) -> bool {
        let mut now = None;
        while let Some((entry, row)) = state.waiting.first() {
            let (sent, counts) = (entry.sent, entry.counts);
            let handled = if entry.cell.is_some() {
                let Some(reply) = state.mailbox.take(outbox) else { break };
                // Before the delivery, after which the caller goes on, perhaps before this thread does.
                now.get_or_insert_with(Instant::now);
                if let Some(Entry { cell: Some(cell), .. }) = state.waiting.pop() {
                    deliver(cell, reply);
                }
                1
            } else {
                let passed = state.mailbox.pass(outbox, row);
                if passed == 0 {
                    break;
                }
                state.waiting.shorten(passed);
                passed
            };
            let now = *now.get_or_insert_with(Instant::now);
            if counts {
                state.counts.handled(u64::from(handled), now.saturating_duration_since(sent));
            }
        }
        self.next.store(state.mailbox.taken(), Ordering::Relaxed);
        let mut wrote = false;
        while state.reserved == 0
            && !state.mailbox.is_full()
            && let Some(Letter { payload, entry }) = state.backlog.pop()
        {
            state.put(inbox, Header::CALL, &payload, entry);
            wrote = true;
        }
        if let Some(now) = now {
            state.rests(now);
        }
        wrote
    }
}

impl Post {
    /// Answers the next message in the kernel's place; returns its number and what waits for it.
    pub(super) fn answer(&self, state: &mut State, outbox: &impl Words) -> Option<(u32, Entry)> {
        let entry = state.waiting.pop()?;
        let number = state.mailbox.answer(outbox)?;
        state.rests(Instant::now());
        self.next.store(state.mailbox.taken(), Ordering::Relaxed);
        Some((number, entry))
    }

    /// Gives up all messages of an actor that is not served any more.
    pub(super) fn abandon(&self, state: &mut State) {
        state.mailbox.abandon();
        state.rests(Instant::now());
        self.next.store(state.mailbox.taken(), Ordering::Relaxed);
    }
}

impl State {
    /// Writes a message into the inbox; returns false if there is no room.
    pub(super) fn put(&mut self, inbox: &impl Words, header: Header, payload: &[u32], entry: Entry) -> bool {
        let sent = self.mailbox.send(inbox, header, payload);
        if sent {
            self.sent(entry, 1);
        }
        sent
    }

    /// Notes messages that were written into the inbox, and that nothing tells apart.
    pub(super) fn sent(&mut self, entry: Entry, count: u32) {
        if count > 0 {
            self.times.begin(entry.sent);
            self.waiting.push(entry, count);
        }
    }

    /// Whether the bell has rung for this actor a moment ago; otherwise it rings now. A store to the bell takes its cache
    /// line from the kernel, which reads the stop word there for each message.
    pub(super) fn has_rung(&mut self, now: Instant) -> bool {
        let recent = self.rung.is_some_and(|rung| now.saturating_duration_since(rung) < NOTICED);
        if !recent {
            self.rung = Some(now);
        }
        recent
    }

    /// Ends the busy time if no message is under way.
    pub(super) fn rests(&mut self, now: Instant) {
        if self.waiting.is_empty() {
            self.times.end(now);
        }
    }

    /// The number of messages that wait or are being handled.
    pub(super) fn queued(&self) -> u64 {
        u64::from(self.mailbox.under_way()) + self.backlog.len() as u64
    }

    /// The number of those that were sent until `since`.
    pub(super) fn queued_since(&self, since: Instant) -> u64 {
        let entries = self.waiting.iter().chain(self.backlog.iter().map(|letter| &letter.entry));
        entries.filter(|entry| entry.sent <= since).count() as u64
    }

    /// The number of messages for the handler that wait or are being handled.
    pub(super) fn queued_calls(&self) -> u64 {
        self.waiting.iter().filter(|entry| entry.counts).count() as u64 + self.backlog.len() as u64
    }

    /// Counts an accepted message.
    pub(super) fn accepted(&mut self) {
        self.accepted_many(1);
    }

    /// Counts accepted messages.
    pub(super) fn accepted_many(&mut self, count: u64) {
        self.counts.received += count;
        self.counts.high_water = self.counts.high_water.max(self.queued());
    }
}
