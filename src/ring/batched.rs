//! A ring whose kernel is submitted whenever there are messages; each submission handles all that have gathered.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::core::{Core, View};
use super::emitted;
use super::engine::{Own, Places, Sizes};
use super::error::{RingError, no_buffer};
use super::persistent::MOST;
use super::pulse::UnderWay;
use super::slot::{Slots, Words};
use super::telemetry::Count;
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::error::{BufferError, Error};
use crate::kernel::Kernel;

/// The time between two rounds of the ring's thread with nothing to do.
const IDLE: Duration = Duration::from_millis(50);

/// More ranges than this are read in one piece, as each transfer has a cost of its own.
const RANGES: usize = 16;

/// The least number of launches in a submission if actors send messages: those of one launch arrive in the next one.
const ROUNDS: u32 = 4;

/// A kernel that is submitted again and again.
pub(super) struct Batched {
    pub(super) places: Places,
    /// The words as the host writes them; `pump` copies those that are new.
    pub(super) inbox: Box<[AtomicU32]>,
    /// The words as the host reads them.
    pub(super) outbox: Box<[AtomicU32]>,
    /// The counts of messages between actors, as of the last submission.
    pub(super) counts: Box<[AtomicU32]>,
    /// The messages to the host, as of the last submission; the host counts there what it has taken.
    pub(super) emitted: Box<[AtomicU32]>,
    buffers: Mutex<Buffers>,
    paused: AtomicBool,
    /// Whether messages may have been written since the last submission.
    news: AtomicBool,
    pub(super) submissions: Count,
    pub(super) under_way: UnderWay,
}

/// The kernel and its buffers, which a submission uses.
struct Buffers {
    kernel: Kernel,
    inbox: UnifiedBuffer<u32>,
    outbox: UnifiedBuffer<u32>,
    kept: UnifiedBuffer<u32>,
    control: UnifiedBuffer<u32>,
    mail: Option<UnifiedBuffer<u32>>,
    counts: Option<UnifiedBuffer<u32>>,
    emitted: Option<UnifiedBuffer<u32>>,
    /// The counts of taken messages that were last copied to the device.
    taken: Vec<u32>,
    /// For each actor the number of the next message to copy.
    copied: Vec<u32>,
}

/// Consecutive words of a buffer.
type Range = std::ops::Range<usize>;

impl Batched {
    pub(super) fn new(device: &Device, kernel: Kernel, places: Places, sizes: Sizes) -> Result<Self, RingError> {
        let Sizes { inbox, outbox, kept, mail, counts, control, emitted } = sizes;
        let bytes = sizes.bytes();
        let buffer = |words| device.buffer::<u32>(words).map_err(no_buffer(bytes));
        let mirror = |words| (0..words).map(|_| AtomicU32::new(0)).collect();
        Ok(Self {
            places,
            inbox: mirror(inbox),
            outbox: mirror(outbox),
            counts: mirror(counts),
            emitted: mirror(emitted),
            buffers: Mutex::new(Buffers {
                kernel,
                inbox: buffer(inbox)?,
                outbox: buffer(outbox)?,
                kept: buffer(kept)?,
                control: buffer(control)?,
                mail: (mail > 0).then(|| buffer(mail)).transpose()?,
                counts: (counts > 0).then(|| buffer(counts)).transpose()?,
                emitted: (emitted > 0).then(|| buffer(emitted)).transpose()?,
                taken: Vec::new(),
                copied: vec![places.first; places.actors as usize],
            }),
            paused: AtomicBool::new(false),
            news: AtomicBool::new(false),
            submissions: Count::default(),
            under_way: UnderWay::default(),
        })
    }

    fn buffers(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the kernel for the next submission; returns the one of before.
    pub(super) fn exchanges(&self, kernel: Kernel) -> Kernel {
        std::mem::replace(&mut self.buffers().kernel, kernel)
    }

    pub(super) fn ring(&self, core: &Core) {
        if !self.news.swap(true, Ordering::AcqRel) {
            core.wake_driver();
        }
    }

    /// Stops submissions, after the one that runs; or allows them again.
    pub(super) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Release);
        // A submission holds the lock until its replies are there.
        drop(self.buffers());
        self.news.store(true, Ordering::Release);
    }

    pub(super) fn round(&self, core: &Core) -> Result<Duration, Error> {
        if self.news.swap(false, Ordering::AcqRel) {
            self.under_way.begins(core);
            let pumped = self.pump(core);
            self.under_way.ends();
            pumped?;
        }
        core.serve_futures();
        Ok(if self.news.load(Ordering::Acquire) && !self.paused.load(Ordering::Acquire) {
            Duration::ZERO
        } else {
            IDLE
        })
    }

    /// One submission: new messages in, the kernel, replies out.
    fn pump(&self, core: &Core) -> Result<(), Error> {
        let mut buffers = self.buffers();
        let Buffers { kernel, inbox, outbox, kept, control, mail, counts, copied, emitted, taken: known } =
            &mut *buffers;
        if self.paused.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut replies = Vec::new();
        let mut longest = 0;
        for ((actor, post), copied) in (0..).zip(&core.posts).zip(copied) {
            let (taken, sent) = {
                let state = post.lock();
                (state.mailbox.taken(), state.mailbox.sent())
            };
            for words in ranges(self.places.inbox(actor), *copied, sent) {
                let mut target = inbox.slice_mut(words.clone()).write()?;
                for (target, at) in target.iter_mut().zip(words) {
                    *target = View(&self.inbox).load(at);
                }
            }
            *copied = sent;
            longest = longest.max(sent.wrapping_sub(taken));
            replies.extend(ranges(self.places.outbox(actor), taken, sent));
        }
        if replies.is_empty() && core.mail_waiting() == 0 {
            return Ok(());
        }
        let _scope = inbox.core.device.scope("ring: messages");
        if let Some(emitted) = &mut *emitted {
            self.copy_taken(emitted, known)?;
        }
        let Places { actors, slots, sends, first, groups, .. } = self.places;
        // One for each queue of an actor.
        let polls = 1 + u32::from(sends);
        // The handlers of a launch share a limit on loops, so many messages take several launches.
        let rounds = if mail.is_some() { ROUNDS } else { 0 };
        for _ in 0..longest.div_ceil(MOST).max(rounds) {
            let launch = kernel.launch();
            let launch = launch.set("ring_shape.actors", actors).set("ring_shape.slots", slots);
            let launch =
                launch.set("ring_shape.polls", polls).set("ring_shape.most", MOST).set("ring_shape.first", first);
            let launch = launch.set("ring_shape.topics", self.places.topics() as u32);
            let launch = launch.bind("ring_inbox", &mut *inbox).bind("ring_outbox", &mut *outbox);
            let launch = launch.bind("ring_kept", &mut *kept).bind("ring_control", &mut *control);
            let launch = match (&mut *mail, &mut *counts) {
                (Some(mail), Some(counts)) => launch.bind("ring_mail", mail).bind("ring_counts", counts),
                _ => launch,
            };
            match &mut *emitted {
                Some(emitted) => launch.bind("ring_emitted", emitted).groups(groups)?,
                None => launch.groups(groups)?,
            };
        }
        self.submissions.add();
        if replies.len() > RANGES {
            replies.clear();
            replies.push(0..self.outbox.len());
        }
        // Before the replies, which a thread may wait for that looks at the counts next.
        if let Some(counts) = counts {
            for (own, word) in self.counts.iter().zip(counts.read()?.iter()) {
                own.store(*word, Ordering::Relaxed);
            }
        }
        if let Some(emitted) = emitted {
            self.receive_emitted(emitted)?;
        }
        for words in replies {
            receive(outbox, &self.outbox, words)?;
        }
        drop(buffers);
        core.collect();
        core.reap_all();
        if core.left() > 0 || core.mail_waiting() > 0 {
            self.news.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Copies the counts of the messages that the host has taken to the device.
    fn copy_taken(&self, emitted: &mut UnifiedBuffer<u32>, known: &mut Vec<u32>) -> Result<(), BufferError> {
        let actors = self.places.actors as usize;
        let taken: Vec<u32> = (0..actors).map(|actor| View(&self.emitted).load(actor)).collect();
        if taken != *known {
            emitted.slice_mut(0..actors).write()?.copy_from_slice(&taken);
            *known = taken;
        }
        Ok(())
    }

    /// Reads what actors have emitted, behind what the host has taken.
    fn receive_emitted(&self, emitted: &UnifiedBuffer<u32>) -> Result<(), BufferError> {
        let (places, words) = (self.places, View(&self.emitted));
        let actors = places.actors as usize;
        receive(emitted, &self.emitted, actors..emitted::head(places.actors))?;
        let new = (0..places.actors).flat_map(|actor| {
            let next = words.load(actors + actor as usize * emitted::LINE);
            ranges(places.emission(actor), words.load(actor as usize), next)
        });
        let mut new: Vec<Range> = new.collect();
        if new.len() > RANGES {
            new.clear();
            new.push(emitted::head(places.actors)..self.emitted.len());
        }
        new.into_iter().try_for_each(|range| receive(emitted, &self.emitted, range))
    }

    pub(super) fn words(&self, own: Own, words: Range) -> Result<Vec<u32>, Error> {
        let buffers = self.buffers();
        let buffer = match own {
            Own::Kept => Some(&buffers.kept),
            Own::Mail => buffers.mail.as_ref(),
        };
        buffer.map_or(Ok(Vec::new()), |buffer| Ok(read_again(buffer, words)?))
    }

    pub(super) fn fill(&self, own: Own, words: Range, word: u32) -> Result<(), Error> {
        let mut buffers = self.buffers();
        let buffer = match own {
            Own::Kept => Some(&mut buffers.kept),
            Own::Mail => buffers.mail.as_mut(),
        };
        buffer.map_or(Ok(()), |buffer| Ok(buffer.slice_mut(words).fill(word)?))
    }

    /// Receives what a stopped kernel has written. Afterwards no buffer reports the stop any more.
    pub(super) fn refresh(&self) -> Result<(), Error> {
        let buffers = self.buffers();
        let Buffers { inbox, outbox, kept, control, mail, counts, emitted, .. } = &*buffers;
        for buffer in [Some(inbox), Some(kept), Some(control), mail.as_ref()].into_iter().flatten() {
            read_again(buffer, 0..1)?;
        }
        let mirrors = [(Some(outbox), &self.outbox), (counts.as_ref(), &self.counts)];
        for (buffer, mirror) in mirrors {
            let Some(buffer) = buffer else { continue };
            for (own, word) in mirror.iter().zip(read_again(buffer, 0..mirror.len())?) {
                own.store(word, Ordering::Relaxed);
            }
        }
        if let Some(emitted) = emitted {
            read_again(emitted, 0..1)?;
            self.receive_emitted(emitted)?;
        }
        Ok(())
    }

    pub(super) fn control(&self) -> Result<Vec<u32>, Error> {
        Ok(self.buffers().control.read()?.to_vec())
    }

    pub(super) fn set_control(&self, at: usize, word: u32) -> Result<(), Error> {
        Ok(self.buffers().control.slice_mut(at..at + 1).fill(word)?)
    }

    /// Copies a reply that the host has written to the device.
    pub(super) fn answered(&self, actor: u32, number: u32) -> Result<(), Error> {
        let mut buffers = self.buffers();
        for words in ranges(self.places.outbox(actor), number, number.wrapping_add(1)) {
            let mut target = buffers.outbox.slice_mut(words.clone()).write()?;
            for (target, at) in target.iter_mut().zip(words) {
                *target = View(&self.outbox).load(at);
            }
        }
        Ok(())
    }

    /// Marks messages as new, so that the next round submits the kernel.
    pub(super) fn restart(&self) {
        self.news.store(true, Ordering::Release);
    }
}

/// Reads words of a buffer back. A word whose actor was idle is as before.
fn receive(buffer: &UnifiedBuffer<u32>, mirror: &[AtomicU32], words: Range) -> Result<(), BufferError> {
    let read = buffer.slice(words.clone()).read()?;
    for (word, at) in read.iter().zip(words) {
        View(mirror).store(at, *word);
    }
    Ok(())
}

/// Reads words, and once more if that fails: the first read after a stopped handler reports the stop.
fn read_again(buffer: &UnifiedBuffer<u32>, words: Range) -> Result<Vec<u32>, BufferError> {
    let read = || buffer.slice(words.clone()).read().map(|words| words.to_vec());
    read().or_else(|_| read())
}

/// The words of the slots with these numbers: one range, or two around the end of the slots.
fn ranges(slots: Slots, from: u32, to: u32) -> impl Iterator<Item = Range> {
    let count = to.wrapping_sub(from).min(slots.count);
    let first = from & (slots.count - 1);
    let before = count.min(slots.count - first);
    let words = move |first: u32, count: u32| {
        let start = slots.first + first as usize * slots.stride();
        (count > 0).then(|| start..start + count as usize * slots.stride())
    };
    words(first, before).into_iter().chain(words(0, count - before))
}
