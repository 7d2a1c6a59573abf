//! The counts of messages from actor to actor: a line of words for each actor, which the kernel changes.

use std::sync::atomic::{AtomicU32, Ordering};

/// The words of an actor.
///
/// | word | content |
/// |---|---|
/// | 0 | the slots in use, with messages that wait or are being handled |
/// | 1 | the number of the next message, as a ticket of its sender |
/// | 2 | the messages that the actor has sent |
/// | 3 | those that it could not send |
/// | 4 | the messages from actors that it has handled |
pub(crate) const LINE: usize = 8;

/// The counts of one actor. They wrap after 2^32 messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mail {
    pub(super) waiting: u32,
    pub(super) sent: u32,
    pub(super) refused: u32,
    pub(super) handled: u32,
}

impl Mail {
    /// The counts of an actor in the words of all actors; zeros if actors do not send.
    pub(super) fn of(words: &[AtomicU32], actor: usize) -> Self {
        let word = |at: usize| words.get(actor * LINE + at).map_or(0, |word| word.load(Ordering::Relaxed));
        Self { waiting: word(0), sent: word(2), refused: word(3), handled: word(4) }
    }

    /// The messages from actors that wait or are being handled, in the whole ring.
    pub(super) fn waiting(words: &[AtomicU32]) -> u64 {
        words.iter().step_by(LINE).map(|word| u64::from(word.load(Ordering::Relaxed))).sum()
    }
}
