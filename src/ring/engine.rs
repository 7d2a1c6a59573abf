//! The two ways of running actors, behind one interface.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use super::batched::Batched;
use super::core::Core;
use super::emitted;
use super::generate::{Format, INBOX_TAIL, KEPT_HEAD, MARK_STRIDE, MARKS};
use super::inbox::{InboxPlace, InboxView};
use super::mail::LINE;
use super::mode::Mode;
use super::persistent::Persistent;
use super::slot::Slots;
use super::waits::Waits;
use crate::buffer::exchange::Exchange;
use crate::error::Error;
use crate::kernel::Kernel;

/// The numbers that place every actor's slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) actors: u32,
    pub(super) slots: u32,
    pub(super) format: Format,
    /// Whether actors send messages to others.
    pub(super) sends: bool,
    /// The number of topics to which actors publish.
    pub(super) published: usize,
    /// Whether the kernel marks the actors that it serves.
    pub(super) marks: bool,
    /// The number of workgroups.
    pub(super) groups: u32,
    /// The number of every actor's first message.
    pub(super) first: u32,
}

impl Places {
    pub(super) fn inbox(self, actor: u32) -> Slots {
        self.of(actor, self.format.message)
    }

    pub(super) fn outbox(self, actor: u32) -> Slots {
        self.of(actor, self.format.reply)
    }

    /// The slots of messages from other actors, in the words of [`Own::Mail`].
    pub(super) fn mail(self, actor: u32) -> Slots {
        let slots = self.inbox(actor);
        Slots { first: self.actors as usize * LINE + slots.first, ..slots }
    }

    /// The slots of messages from an actor to the host, in the words of `ring_emitted`.
    pub(super) fn emission(self, actor: u32) -> Slots {
        let slots = self.of(actor, self.format.emission);
        Slots { first: emitted::head(self.actors) + slots.first, ..slots }
    }

    fn of(self, actor: u32, payload: usize) -> Slots {
        let slots = Slots { first: 0, count: self.slots, payload };
        Slots { first: actor as usize * self.slots as usize * slots.stride(), ..slots }
    }

    /// The words of each memory; `None` beyond the address space of kernels.
    pub(super) fn words(self) -> Option<Sizes> {
        let all = |width: usize| {
            let words = u64::from(self.actors) * u64::from(self.slots) * width as u64;
            usize::try_from(words).ok().filter(|_| words < 1 << 30)
        };
        let kept = u64::from(self.actors) * self.format.kept as u64;
        let kept = usize::try_from(kept).ok().filter(|_| kept < 1 << 30)?;
        let slots = all(self.inbox(0).stride())?;
        let counts = if self.sends { self.actors as usize * LINE } else { 0 };
        let mail = if self.sends { counts + slots } else { 0 };
        let inbox = slots + INBOX_TAIL;
        let control = self.topics() + self.published * self.topic_words();
        let emitted = match self.format.emission {
            0 => 0,
            _ => emitted::head(self.actors) + all(self.emission(0).stride())?,
        };
        Some(Sizes { inbox, outbox: all(self.outbox(0).stride())?, kept, mail, counts, control, emitted })
    }

    /// The index in `ring_inbox` of the stop word, behind all slots.
    pub(super) fn stop(self) -> usize {
        self.inbox(self.actors).first
    }

    /// The index in `ring_control` of the repetitions of a workgroup.
    pub(super) fn beat(self, group: u32) -> usize {
        let marks = if self.marks { self.actors as usize } else { 0 };
        MARKS + (marks + group as usize) * MARK_STRIDE
    }

    /// The index in `ring_control` of the bits of the first topic.
    pub(super) fn topics(self) -> usize {
        self.beat(self.groups)
    }

    /// The words of a topic's bits.
    fn topic_words(self) -> usize {
        self.actors.div_ceil(32) as usize
    }

    /// The index in `ring_control` of the bits of a topic, of which one is that of the actor with this number within its
    /// kind, and that bit.
    pub(super) fn topic_bit(self, topic: usize, number: u32) -> (usize, u32) {
        (self.topics() + topic * self.topic_words() + number as usize / 32, 1 << (number % 32))
    }

    /// The index in `ring_control` of an actor's mark.
    pub(super) fn mark(self, actor: u32) -> usize {
        MARKS + actor as usize * MARK_STRIDE
    }
}

/// The words of the memories of a ring: see [`generate`](super::generate).
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) inbox: usize,
    pub(super) outbox: usize,
    pub(super) kept: usize,
    /// 0 if actors do not send, like `counts`.
    pub(super) mail: usize,
    pub(super) counts: usize,
    pub(super) control: usize,
    /// 0 if actors do not emit.
    pub(super) emitted: usize,
}

impl Sizes {
    /// The bytes of all memories together.
    pub(super) fn bytes(self) -> u64 {
        let device = self.kept + self.mail + self.control;
        (self.inbox + self.outbox + device + self.counts + self.emitted) as u64 * 4
    }
}

/// A memory of the ring that only the device accesses while the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// `ring_kept`: numbers and states.
    Kept,
    /// `ring_mail`: the messages between actors.
    Mail,
}

/// A running kernel, or one that is submitted again and again.
pub(super) enum Engine {
    Persistent(Box<Persistent>),
    Batched(Box<Batched>),
}

impl Engine {
    pub(super) fn mode(&self) -> Mode {
        match self {
            Self::Persistent(_) => Mode::Persistent,
            Self::Batched(_) => Mode::Batched,
        }
    }

    pub(super) fn places(&self) -> Places {
        match self {
            Self::Persistent(engine) => engine.places,
            Self::Batched(engine) => engine.places,
        }
    }

    /// The words of all inboxes, on the host.
    pub(super) fn inbox(&self) -> InboxView<'_> {
        match self {
            Self::Persistent(engine) => engine.inbox.view(),
            Self::Batched(engine) => InboxView::of(&engine.inbox),
        }
    }

    /// Where the inboxes lie.
    pub(super) fn inbox_place(&self) -> InboxPlace {
        match self {
            Self::Persistent(engine) => engine.inbox.place.clone(),
            Self::Batched(_) => InboxPlace::Host { reason: "each submission copies new messages".to_owned() },
        }
    }

    /// The words of all outboxes, on the host.
    pub(super) fn outbox(&self) -> &[AtomicU32] {
        match self {
            Self::Persistent(engine) => engine.outbox.words(),
            Self::Batched(engine) => &engine.outbox,
        }
    }

    pub(super) fn outbox_slots(&self, actor: u32) -> Slots {
        self.places().outbox(actor)
    }

    /// The counts of messages between actors: see [`mail`](super::mail).
    pub(super) fn counts(&self) -> &[AtomicU32] {
        match self {
            Self::Persistent(engine) => engine.counts.as_ref().map_or(&[], Exchange::words),
            Self::Batched(engine) => &engine.counts,
        }
    }

    /// The words of messages to the host: see [`emitted`](super::emitted).
    pub(super) fn emitted(&self) -> &[AtomicU32] {
        match self {
            Self::Persistent(engine) => engine.emitted.as_ref().map_or(&[], Exchange::words),
            Self::Batched(engine) => &engine.emitted,
        }
    }

    /// Announces that messages were written.
    pub(super) fn ring(&self, core: &Core) {
        match self {
            Self::Persistent(engine) => {
                engine.inbox.sends_off();
                engine.ring();
                core.recalls();
            }
            Self::Batched(engine) => engine.ring(core),
        }
    }

    /// Sends off messages that were written, at once, so that they travel while the host does its accounts.
    pub(super) fn sends_off(&self) {
        if let Self::Persistent(engine) = self {
            engine.inbox.sends_off();
        }
    }

    /// Announces that messages were written and sent off. `recent` is whether the bell has rung a moment ago.
    pub(super) fn announce(&self, core: &Core, recent: bool) {
        match self {
            Self::Persistent(engine) => {
                if !recent {
                    engine.ring();
                }
                core.recalls();
            }
            Self::Batched(engine) => engine.ring(core),
        }
    }

    /// One round of the ring's loop. Returns how long the loop may sleep until the next one.
    pub(super) async fn round(&self, core: &Core) -> Result<Duration, Error> {
        match self {
            Self::Persistent(engine) => engine.round(core).await,
            Self::Batched(engine) => engine.round(core).await,
        }
    }

    /// Starts the kernel, or continues it after a stop.
    pub(super) fn start(&self) -> Result<(), Error> {
        match self {
            Self::Persistent(engine) => engine.start(),
            Self::Batched(engine) => {
                engine.resume();
                Ok(())
            }
        }
    }

    /// Replaces the kernel, which does not run, for the next start; returns the one of before.
    pub(super) fn exchanges(&self, kernel: Kernel) -> Kernel {
        match self {
            Self::Persistent(engine) => engine.exchanges(kernel),
            Self::Batched(engine) => engine.exchanges(kernel),
        }
    }

    /// Stops the kernel between two messages; returns whether it ended within the time.
    pub(super) async fn stop(&self, core: &Core, waits: Waits, timeout: Duration) -> Result<bool, Error> {
        match self {
            Self::Persistent(engine) => match waits {
                Waits::Blocks => engine.stop(timeout),
                Waits::Yields => engine.stops(core, timeout).await,
            },
            Self::Batched(engine) => {
                engine.pause().await;
                Ok(true)
            }
        }
    }

    /// The words of an actor's state, while the kernel does not run.
    pub(super) async fn state(&self, waits: Waits, actor: u32) -> Result<Vec<u32>, Error> {
        let Format { kept, state, .. } = self.places().format;
        let first = actor as usize * kept + KEPT_HEAD;
        self.words(waits, Own::Kept, first..first + state).await
    }

    /// Words of a memory of the device's own, while the kernel does not run.
    pub(super) async fn words(&self, waits: Waits, own: Own, words: Range<usize>) -> Result<Vec<u32>, Error> {
        match self {
            Self::Persistent(engine) => engine.words(own, words),
            Self::Batched(engine) => engine.words(waits, own, words).await,
        }
    }

    /// Fills words of a memory of the device's own, while the kernel does not run.
    pub(super) async fn fill(&self, own: Own, words: Range<usize>, word: u32) -> Result<(), Error> {
        match self {
            Self::Persistent(engine) => engine.fill(own, words, word),
            Self::Batched(engine) => engine.fill(own, words, word).await,
        }
    }

    /// Receives what a kernel that was stopped has written.
    pub(super) async fn refresh(&self, waits: Waits) -> Result<(), Error> {
        match self {
            Self::Persistent(_) => Ok(()),
            Self::Batched(engine) => engine.refresh(waits).await,
        }
    }

    /// The marks of all actors: see [`restart`](super::restart).
    pub(super) async fn marks(&self, waits: Waits) -> Result<Vec<u32>, Error> {
        let places = self.places();
        let words = match self {
            Self::Persistent(engine) => engine.control(),
            Self::Batched(engine) => engine.control(waits).await?,
        };
        Ok((0..places.actors).map(|actor| words.get(places.mark(actor)).copied().unwrap_or_default()).collect())
    }

    /// Replaces a word of `ring_control` that the kernel only reads.
    pub(super) fn set_control(&self, at: usize, word: u32) {
        match self {
            Self::Persistent(engine) => engine.set_control(at, word),
            Self::Batched(engine) => engine.set_control(at, word),
        }
    }

    /// Removes the mark of an actor, so that the kernel serves it again.
    pub(super) fn unmark(&self, actor: u32) {
        self.set_control(self.places().mark(actor), 0);
    }

    /// Copies a reply that the host wrote in the kernel's place to a device with memory of its own.
    pub(super) async fn answered(&self, waits: Waits, actor: u32, number: u32) -> Result<(), Error> {
        match self {
            Self::Persistent(_) => Ok(()),
            Self::Batched(engine) => engine.answered(waits, actor, number).await,
        }
    }

    /// Forgets a kernel that has ended with an error; returns false if that was done before.
    pub(super) fn forgets(&self) -> bool {
        match self {
            Self::Persistent(engine) => engine.forgets(),
            Self::Batched(_) => true,
        }
    }

    /// Starts the kernel again after an error, unless it was to stop.
    pub(super) fn restart(&self) -> Result<(), Error> {
        match self {
            Self::Persistent(engine) => engine.restart(),
            Self::Batched(engine) => {
                engine.restart();
                Ok(())
            }
        }
    }

    /// The submissions of the kernel so far.
    pub(super) fn submissions(&self) -> u64 {
        match self {
            Self::Persistent(engine) => engine.submissions.get(),
            Self::Batched(engine) => engine.submissions.get(),
        }
    }
}
