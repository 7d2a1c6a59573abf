//! The messages of an actor that a submission copies to the device, and those whose replies it copies back.

use std::ops::Range;

use super::super::core::Core;
use super::super::engine::Places;
use super::copies::ranges;

/// The numbers of an actor's messages without a reply.
#[derive(Clone, Copy)]
pub(super) struct Unanswered {
    pub(super) actor: u32,
    /// The number of the first message that the device does not have.
    copied: u32,
    /// The number of the first message without a reply.
    taken: u32,
    /// The number behind that of the last message.
    pub(super) sent: u32,
}

impl Unanswered {
    /// All actors with messages that have no reply, or that were not copied. `copied` are the numbers of the messages to
    /// copy next.
    pub(super) fn all(core: &Core, copied: &[u32]) -> Vec<Self> {
        let all = (0..).zip(&core.posts).zip(copied).map(|((actor, post), copied)| {
            let state = post.lock();
            Self { actor, copied: *copied, taken: state.mailbox.taken(), sent: state.mailbox.sent() }
        });
        all.filter(|own| own.copied != own.sent || own.count() > 0).collect()
    }

    /// The number of messages without a reply.
    pub(super) fn count(&self) -> u32 {
        self.sent.wrapping_sub(self.taken)
    }

    /// The words of the messages to copy to the device.
    pub(super) fn news(self, places: Places) -> impl Iterator<Item = Range<usize>> {
        ranges(places.inbox(self.actor), self.copied, self.sent)
    }

    /// The words of the replies.
    pub(super) fn replies(self, places: Places) -> impl Iterator<Item = Range<usize>> {
        ranges(places.outbox(self.actor), self.taken, self.sent)
    }

    /// The slots of all these messages, by their numbers among the slots of all actors. A message that got its reply from
    /// the host is among them: without it the device would take the one of two laps before for a new one.
    pub(super) fn slots(self, places: Places) -> impl Iterator<Item = u32> {
        let Self { actor, copied, sent, .. } = self;
        let count = sent.wrapping_sub(copied).max(self.count()).min(places.slots);
        let slot = move |back: u32| actor * places.slots + (sent.wrapping_sub(back) & (places.slots - 1));
        (1..=count).rev().map(slot)
    }
}

/// The slots of all messages, if to move them together is cheaper than those of each actor by themselves.
pub(super) fn packed(all: &[Unanswered], places: Places, few: usize) -> Option<Vec<u32>> {
    let ranges = |own: &Unanswered| own.news(places).count().max(own.replies(places).count());
    let many = all.iter().map(ranges).sum::<usize>() > few;
    many.then(|| all.iter().flat_map(|own| own.slots(places)).collect())
}
