//! The memory of the inboxes, on the host or on the card.
//!
//! On the card, a poll costs no trip over the bus. The host only writes there, so it keeps a copy of its own for what it
//! reads again: messages that become dead letters.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use anywarp_backend::{BackendError, Region};

use super::core::View;
use super::slot::Words;
use crate::buffer::exchange::Exchange;
use crate::submit::Context;

/// Where the inboxes of a ring lie: see [`Ring::inbox_place`](super::Ring::inbox_place).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InboxPlace {
    /// In memory of the card, where the kernel polls them without a trip over the bus.
    Card,
    /// In memory of the host.
    Host {
        /// The reason why they do not lie on the card.
        reason: String,
    },
}

impl fmt::Display for InboxPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card => f.write_str("card"),
            Self::Host { reason } => write!(f, "host memory ({reason})"),
        }
    }
}

/// The words of all inboxes of a resident kernel.
pub(super) struct Inboxes {
    memory: Exchange,
    /// The host's copy of memory that it does not read.
    copy: Option<Box<[AtomicU32]>>,
    pub(super) place: InboxPlace,
}

impl Inboxes {
    /// Allocates `words` words. `on_card` is whether they must or must not lie on the card; otherwise they do where they
    /// can. The inner error is that of a card that was demanded.
    pub(super) fn new(
        context: &Arc<Context>,
        words: usize,
        on_card: Option<bool>,
    ) -> Result<Result<Self, String>, BackendError> {
        let reason = if on_card == Some(false) {
            "as `RingBuilder::inbox_on_card` demands".to_owned()
        } else {
            match Exchange::on_card(context, words) {
                Ok(memory) => {
                    let copy = Some((0..words).map(|_| AtomicU32::new(0)).collect());
                    return Ok(Ok(Self { memory, copy, place: InboxPlace::Card }));
                }
                Err(error @ (BackendError::Lost { .. } | BackendError::OutOfMemory { .. })) => return Err(error),
                Err(error) => error.to_string(),
            }
        };
        if on_card == Some(true) {
            return Ok(Err(reason));
        }
        log::debug!("the inboxes of a ring lie in host memory: {reason}");
        Ok(Ok(Self { memory: Exchange::new(context, words)?, copy: None, place: InboxPlace::Host { reason } }))
    }

    /// All words, as a region for commands.
    pub(super) fn whole(&self) -> Region {
        self.memory.whole()
    }

    pub(super) fn view(&self) -> InboxView<'_> {
        let own = self.memory.words();
        match &self.copy {
            Some(copy) => InboxView { words: View(copy), card: Some(View(own)) },
            None => InboxView { words: View(own), card: None },
        }
    }

    /// Sends off what was written. The processor gathers writes to a card, and may keep them for a while.
    pub(super) fn sends_off(&self) {
        if self.copy.is_some() {
            fence(Ordering::SeqCst);
        }
    }
}

/// The words of all inboxes, as the host accesses them.
#[derive(Clone, Copy)]
pub(super) struct InboxView<'a> {
    words: View<'a>,
    card: Option<View<'a>>,
}

impl<'a> InboxView<'a> {
    /// Words that the host may read.
    pub(super) fn of(words: &'a [AtomicU32]) -> Self {
        Self { words: View(words), card: None }
    }
}

impl Words for InboxView<'_> {
    fn load(&self, at: usize) -> u32 {
        self.words.load(at)
    }

    fn store(&self, at: usize, word: u32) {
        self.words.store(at, word);
        if let Some(card) = &self.card {
            card.store(at, word);
        }
    }

    fn store_all(&self, at: usize, words: &[u32]) {
        self.words.store_all(at, words);
        if let Some(card) = &self.card {
            card.store_all(at, words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_twice_and_read_from_the_copy() {
        let (copy, card) = ([AtomicU32::new(1)], [AtomicU32::new(2)]);
        let view = InboxView { words: View(&copy), card: Some(View(&card)) };
        assert_eq!(view.load(0), 1);
        view.store(0, 7);
        assert_eq!((view.load(0), card[0].load(Ordering::Relaxed)), (7, 7));
    }
}
