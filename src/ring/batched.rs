//! A ring whose kernel is submitted whenever there are messages; each submission handles all that have gathered.
//!
//! The same code runs on a thread, which blocks until a submission has ended, and as a task of a browser's page, which is
//! suspended meanwhile.

mod copies;
mod launches;
mod packed;
mod unanswered;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use self::copies::{ranges, read, read_again, receive, send, write};
use self::launches::Launches;
use self::packed::{Mirror, Mover};
use self::unanswered::{Unanswered, packed};
use super::clock::Instant;
use super::core::{Core, View};
use super::emitted;
use super::engine::{Own, Places, Sizes};
use super::error::{RingError, no_buffer};
use super::pulse::UnderWay;
use super::slot::Words;
use super::telemetry::Count;
use super::turns::Turns;
use super::waits::Waits;
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::error::{BufferError, Error};
use crate::kernel::Kernel;

/// The time between two rounds of the ring's loop with nothing to do. A page's timers cost energy.
const IDLE: Duration = Duration::from_millis(if cfg!(target_arch = "wasm32") { 1000 } else { 50 });

/// More ranges of emitted messages than this are read in one piece, as each transfer has a cost of its own.
const RANGES: usize = 16;

/// The most ranges of messages that are copied one by one.
const FEW: usize = 4;

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
    kernel: Mutex<Kernel>,
    device: Device,
    mover: OnceLock<Mover>,
    /// Used by a submission until its replies are there.
    buffers: Turns<Buffers>,
    /// The words of `ring_control` to be replaced before the next submission.
    control: Mutex<Vec<(usize, u32)>>,
    paused: AtomicBool,
    /// Whether messages may have been written since the last submission.
    news: AtomicBool,
    pub(super) submissions: Count,
    pub(super) under_way: UnderWay,
}

/// The buffers of a submission.
struct Buffers {
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
    launches: Launches,
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
            kernel: Mutex::new(kernel),
            control: Mutex::default(),
            buffers: Turns::new(Buffers {
                inbox: buffer(inbox)?,
                outbox: buffer(outbox)?,
                kept: buffer(kept)?,
                control: buffer(control)?,
                mail: (mail > 0).then(|| buffer(mail)).transpose()?,
                counts: (counts > 0).then(|| buffer(counts)).transpose()?,
                emitted: (emitted > 0).then(|| buffer(emitted)).transpose()?,
                taken: Vec::new(),
                copied: vec![places.first; places.actors as usize],
                launches: Launches::new(device.caps()),
            }),
            device: device.clone(),
            mover: OnceLock::new(),
            paused: AtomicBool::new(false),
            news: AtomicBool::new(false),
            submissions: Count::default(),
            under_way: UnderWay::default(),
        })
    }

    fn kernel(&self) -> MutexGuard<'_, Kernel> {
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the kernel for the next submission; returns the one of before.
    pub(super) fn exchanges(&self, kernel: Kernel) -> Kernel {
        std::mem::replace(&mut self.kernel(), kernel)
    }

    pub(super) fn ring(&self, core: &Core) {
        if !self.news.swap(true, Ordering::AcqRel) {
            core.wake_driver();
        }
    }

    /// Stops submissions, after the one that runs.
    pub(super) async fn pause(&self) {
        self.paused.store(true, Ordering::Release);
        drop(self.buffers.lock().await);
    }

    /// Allows submissions again.
    pub(super) fn resume(&self) {
        self.paused.store(false, Ordering::Release);
        self.news.store(true, Ordering::Release);
    }

    pub(super) async fn round(&self, core: &Core) -> Result<Duration, Error> {
        if self.news.swap(false, Ordering::AcqRel) {
            self.under_way.begins(core);
            let pumped = self.pump(core).await;
            self.under_way.ends();
            pumped?;
            core.wake_sleepers(true);
        }
        core.serve_futures();
        Ok(if self.news.load(Ordering::Acquire) && !self.paused.load(Ordering::Acquire) {
            Duration::ZERO
        } else {
            IDLE
        })
    }

    /// One submission: new messages in, the kernel, replies out.
    async fn pump(&self, core: &Core) -> Result<(), Error> {
        const WAITS: Waits = Waits::DRIVER;
        let mut buffers = self.buffers.lock().await;
        let Buffers { inbox, outbox, kept, control, mail, counts, emitted, taken: known, copied, launches } =
            &mut *buffers;
        if self.paused.load(Ordering::Acquire) {
            return Ok(());
        }
        let messages = Unanswered::all(core, copied);
        let longest = messages.iter().map(Unanswered::count).max().unwrap_or_default();
        if longest == 0 && core.mail_waiting() == 0 {
            return Ok(());
        }
        let started = Instant::now();
        let _scope = inbox.core.device.scope("ring: messages");
        // In memory that host and device share, a copy has little cost of its own.
        let slots = if inbox.core.unified { None } else { packed(&messages, self.places, FEW) };
        let mut lists = Vec::new();
        if let Some(slots) = &slots {
            let mirror = Mirror { words: &self.inbox, stride: self.places.inbox(0).stride() };
            lists = self.mover()?.send(WAITS, slots, mirror, inbox).await?;
        } else {
            for words in messages.iter().flat_map(|own| own.news(self.places)) {
                send(WAITS, inbox, &self.inbox, words).await?;
            }
        }
        messages.iter().for_each(|own| copied[own.actor as usize] = own.sent);
        if let Some(emitted) = &mut *emitted {
            self.copy_taken(WAITS, emitted, known).await?;
        }
        self.copy_control(control)?;
        let kernel = self.kernel().clone();
        let Places { actors, slots: count, sends, first, groups, .. } = self.places;
        // One for each queue of an actor.
        let polls = 1 + u32::from(sends);
        let rounds = longest.div_ceil(launches.most()).max(if mail.is_some() { ROUNDS } else { 0 });
        for _ in 0..rounds {
            let launch = kernel.launch();
            let launch = launch.set("ring_shape.actors", actors).set("ring_shape.slots", count);
            let launch = launch
                .set("ring_shape.polls", polls)
                .set("ring_shape.most", launches.most())
                .set("ring_shape.first", first);
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
        // Before the replies, which a thread may wait for that looks at the counts next.
        if let Some(counts) = counts {
            receive(WAITS, counts, &self.counts, 0..self.counts.len()).await?;
        }
        if let Some(emitted) = emitted {
            self.receive_emitted(WAITS, emitted).await?;
        }
        if slots.is_some() {
            let mirror = Mirror { words: &self.outbox, stride: self.places.outbox(0).stride() };
            self.mover()?.receive(WAITS, lists, mirror, outbox).await?;
        } else {
            for words in messages.iter().flat_map(|own| own.replies(self.places)) {
                receive(WAITS, outbox, &self.outbox, words).await?;
            }
        }
        launches.took(rounds, started.elapsed());
        drop(buffers);
        core.collect();
        core.reap_all();
        if core.left() > 0 || core.mail_waiting() > 0 {
            self.news.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// The kernels that move slots, made when the first submission needs them.
    fn mover(&self) -> Result<&Mover, Error> {
        if let Some(mover) = self.mover.get() {
            return Ok(mover);
        }
        let made = Mover::new(&self.device)?;
        Ok(self.mover.get_or_init(|| made))
    }

    /// Copies the counts of the messages that the host has taken to the device.
    async fn copy_taken(
        &self,
        waits: Waits,
        emitted: &mut UnifiedBuffer<u32>,
        known: &mut Vec<u32>,
    ) -> Result<(), BufferError> {
        let actors = self.places.actors as usize;
        let taken: Vec<u32> = (0..actors).map(|actor| View(&self.emitted).load(actor)).collect();
        if taken != *known {
            write(waits, emitted, 0..actors).await?.copy_from_slice(&taken);
            *known = taken;
        }
        Ok(())
    }

    /// Reads what actors have emitted, behind what the host has taken.
    async fn receive_emitted(&self, waits: Waits, emitted: &UnifiedBuffer<u32>) -> Result<(), BufferError> {
        let (places, words) = (self.places, View(&self.emitted));
        let actors = places.actors as usize;
        receive(waits, emitted, &self.emitted, actors..emitted::head(places.actors)).await?;
        let new = (0..places.actors).flat_map(|actor| {
            let next = words.load(actors + actor as usize * emitted::LINE);
            ranges(places.emission(actor), words.load(actor as usize), next)
        });
        let mut new: Vec<Range> = new.collect();
        if new.len() > RANGES {
            new.clear();
            new.push(emitted::head(places.actors)..self.emitted.len());
        }
        for range in new {
            receive(waits, emitted, &self.emitted, range).await?;
        }
        Ok(())
    }

    pub(super) async fn words(&self, waits: Waits, own: Own, words: Range) -> Result<Vec<u32>, Error> {
        let buffers = self.buffers.lock().await;
        let buffer = match own {
            Own::Kept => Some(&buffers.kept),
            Own::Mail => buffers.mail.as_ref(),
        };
        match buffer {
            Some(buffer) => Ok(read_again(waits, buffer, words).await?),
            None => Ok(Vec::new()),
        }
    }

    pub(super) async fn fill(&self, own: Own, words: Range, word: u32) -> Result<(), Error> {
        let mut buffers = self.buffers.lock().await;
        let buffer = match own {
            Own::Kept => Some(&mut buffers.kept),
            Own::Mail => buffers.mail.as_mut(),
        };
        buffer.map_or(Ok(()), |buffer| Ok(buffer.slice_mut(words).fill(word)?))
    }

    /// Receives what a stopped kernel has written. Afterwards no buffer reports the stop any more.
    pub(super) async fn refresh(&self, waits: Waits) -> Result<(), Error> {
        let buffers = self.buffers.lock().await;
        let Buffers { inbox, outbox, kept, control, mail, counts, emitted, .. } = &*buffers;
        for buffer in [Some(inbox), Some(kept), Some(control), mail.as_ref()].into_iter().flatten() {
            read_again(waits, buffer, 0..1).await?;
        }
        let mirrors = [(Some(outbox), &self.outbox), (counts.as_ref(), &self.counts)];
        for (buffer, mirror) in mirrors {
            let Some(buffer) = buffer else { continue };
            for (own, word) in mirror.iter().zip(read_again(waits, buffer, 0..mirror.len()).await?) {
                own.store(word, Ordering::Relaxed);
            }
        }
        if let Some(emitted) = emitted {
            read_again(waits, emitted, 0..1).await?;
            self.receive_emitted(waits, emitted).await?;
        }
        Ok(())
    }

    pub(super) async fn control(&self, waits: Waits) -> Result<Vec<u32>, Error> {
        let mut buffers = self.buffers.lock().await;
        let control = &mut buffers.control;
        self.copy_control(control)?;
        Ok(read(waits, control, 0..control.len()).await?.to_vec())
    }

    pub(super) fn set_control(&self, at: usize, word: u32) {
        self.control.lock().unwrap_or_else(PoisonError::into_inner).push((at, word));
    }

    /// Replaces the words that the host has set since the last submission.
    fn copy_control(&self, control: &mut UnifiedBuffer<u32>) -> Result<(), BufferError> {
        let words = std::mem::take(&mut *self.control.lock().unwrap_or_else(PoisonError::into_inner));
        words.into_iter().try_for_each(|(at, word)| control.slice_mut(at..at + 1).fill(word))
    }

    /// Copies a reply that the host has written to the device.
    pub(super) async fn answered(&self, waits: Waits, actor: u32, number: u32) -> Result<(), Error> {
        let mut buffers = self.buffers.lock().await;
        for words in ranges(self.places.outbox(actor), number, number.wrapping_add(1)) {
            send(waits, &mut buffers.outbox, &self.outbox, words).await?;
        }
        Ok(())
    }

    /// Marks messages as new, so that the next round submits the kernel.
    pub(super) fn restart(&self) {
        self.news.store(true, Ordering::Release);
    }
}
