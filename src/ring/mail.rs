//! Messages from actor to actor, which travel in memory of the device: their counts, for the host.
//!
//! `ring_mail` begins with a line of [`LINE`] words for each actor. Word 0 is the number of slots in use, with messages
//! that wait or are being handled. Word 1 is the number of the next message; a sender takes it as a ticket, so that the
//! messages of several senders have an order. The slots follow, as many for each actor as its inbox has.
//!
//! A sender never waits: if no slot is free, it gives its claim back and returns false.

use std::sync::atomic::{AtomicU32, Ordering};

/// The words of an actor in `ring_counts`, and at the start of `ring_mail`.
///
/// | word of `ring_counts` | content |
/// |---|---|
/// | 0 | the messages that the actor has sent |
/// | 1 | those that it could not send |
/// | 2 | the messages from actors that it has handled |
pub(crate) const LINE: usize = 8;

/// The counts of one actor. They wrap after 2^32 messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mail {
    pub(super) sent: u32,
    pub(super) refused: u32,
    pub(super) handled: u32,
}

impl Mail {
    /// The counts of an actor in the words of all actors; zeros if actors do not send.
    pub(super) fn of(counts: &[AtomicU32], actor: usize) -> Self {
        let word = |at: usize| counts.get(actor * LINE + at).map_or(0, |word| word.load(Ordering::Relaxed));
        Self { sent: word(0), refused: word(1), handled: word(2) }
    }

    /// The messages between actors that wait or are being handled, in the whole ring, without those that were `lost`
    /// with an actor. As the counts change meanwhile, a single zero is no proof that there are none.
    pub(super) fn waiting(counts: &[AtomicU32], lost: u32) -> u64 {
        let sum = |at: usize| {
            let words = counts.iter().skip(at).step_by(LINE);
            words.fold(0u32, |sum, word| sum.wrapping_add(word.load(Ordering::Acquire)))
        };
        // A message counts as sent before it can count as handled.
        let handled = sum(2);
        sum(0).wrapping_sub(handled).wrapping_sub(lost).into()
    }
}
