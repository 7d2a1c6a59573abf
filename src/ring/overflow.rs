//! The fate of messages for which there is no room, and the list of those that were not delivered.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::telemetry::Count;

/// The reaction to a message for an actor whose inbox is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overflow {
    /// The sender waits until there is room, at most this long; then as [`Reject`](Self::Reject).
    Block(Duration),
    /// The sender receives [`SendError::Full`](super::SendError::Full).
    Reject,
    /// The new message is dropped, and listed among the [dead letters](super::Ring::dead_letters).
    DropNewest,
    /// The message that has waited longest is dropped, and listed among the dead letters; the new one is accepted. The
    /// ring keeps a [backlog](super::RingBuilder::backlog) for that, by default as long as the inbox, because messages
    /// in the inbox can no longer be dropped: up to twice as many messages wait. Messages of normal priority are dropped
    /// first, and do not displace those of high priority.
    DropOldest,
}

/// The reason why a message or a reply was not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeadReason {
    /// The inbox was full.
    Overflow,
    /// The reply came after the sender had stopped waiting.
    LateReply,
    /// The ring was shut down before the message was handled.
    Shutdown,
    /// The ring failed before the message was handled.
    Failure,
    /// The actor's handler was stopped in this message, or the actor was ended by one before: see
    /// [`Restart`](super::Restart).
    Stopped,
}

impl fmt::Display for DeadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "the inbox was full",
            Self::LateReply => "the sender no longer waited for the reply",
            Self::Shutdown => "the ring was shut down",
            Self::Failure => "the ring failed",
            Self::Stopped => "the actor's handler was stopped",
        })
    }
}

/// A message or a reply that was not delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The actor that the message was sent to, or that the reply came from.
    pub actor: u32,
    /// The reason.
    pub reason: DeadReason,
    /// Whether an actor sent the message, not the host.
    pub from_actor: bool,
    /// The bytes of the message or reply, in the layout of the WGSL type.
    pub bytes: Vec<u8>,
}

/// The most dead letters that are kept; later ones replace the oldest.
const KEPT: usize = 1024;

/// The dead letters that were not collected yet.
#[derive(Default)]
pub(super) struct Letters {
    kept: Mutex<VecDeque<DeadLetter>>,
    lost: Count,
}

impl Letters {
    pub(super) fn add(&self, letter: DeadLetter) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT {
            kept.pop_front();
            self.lost.add();
        }
        kept.push_back(letter);
    }

    pub(super) fn take(&self) -> Vec<DeadLetter> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }

    /// The number of letters that later ones have replaced.
    pub(super) fn lost(&self) -> u64 {
        self.lost.get()
    }
}
