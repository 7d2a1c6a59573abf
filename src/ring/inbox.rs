//! The memory of the inboxes, on the host or on the card.
//!
//! On the card, a poll costs no trip over the bus. The host only writes there, so it keeps a copy of its own for what it
//! reads again: messages that become dead letters.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use anywarp_backend::{BackendError, Region};

use super::core::View;
use super::engine::Sizes;
use super::error::{RingError, no_memory};
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
    /// Allocates the words of a ring with these sizes. `on_card` is whether they must or must not lie on the card; otherwise
    /// they do where they can.
    pub(super) fn new(context: &Arc<Context>, sizes: Sizes, on_card: Option<bool>) -> Result<Self, RingError> {
        let (words, bytes) = (sizes.inbox, sizes.bytes());
        let reason = if on_card == Some(false) {
            "as `RingBuilder::inbox_on_card` demands".to_owned()
        } else {
            match Exchange::on_card(context, words) {
                Ok(memory) => {
                    let copy = Some((0..words).map(|_| AtomicU32::new(0)).collect());
                    return Ok(Self { memory, copy, place: InboxPlace::Card });
                }
                Err(error @ (BackendError::Lost { .. } | BackendError::OutOfMemory { .. })) => {
                    return Err(no_memory(bytes)(error));
                }
                Err(error) => error.to_string(),
            }
        };
        if on_card == Some(true) {
            return Err(RingError::NoCardInbox { device: context.caps().name.clone(), reason });
        }
        log::debug!("the inboxes of a ring lie in host memory: {reason}");
        let memory = Exchange::new(context, words).map_err(no_memory(bytes))?;
        Ok(Self { memory, copy: None, place: InboxPlace::Host { reason } })
    }

    /// All words, as a region for commands.
    pub(super) fn whole(&self) -> Region {
        self.memory.whole()
    }

    pub(super) fn view(&self) -> InboxView<'_> {
        match &self.copy {
            Some(copy) => InboxView { words: View(copy), card: Some(View(self.memory.words())) },
            None => InboxView { words: View(self.memory.words()), card: None },
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
    #[inline]
    fn load(&self, at: usize) -> u32 {
        self.words.load(at)
    }

    #[inline]
    fn store(&self, at: usize, word: u32) {
        self.words.store(at, word);
        if let Some(card) = &self.card {
            card.store(at, word);
        }
    }

    #[inline]
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
        let memory = || [1, 2, 3, 4].map(AtomicU32::new);
        let (copy, card) = (memory(), memory());
        let view = InboxView { words: View(&copy), card: Some(View(&card)) };
        view.store(0, 7);
        view.store_all(2, &[8, 9]);
        assert_eq!([0, 1, 2, 3].map(|at| view.load(at)), [7, 2, 8, 9]);
        assert_eq!(card.map(AtomicU32::into_inner), [7, 2, 8, 9]);
    }
}
