//! A ring whose kernel is resident: host and kernel exchange words while it runs.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anywarp_backend::{BackendError, DeviceKind, Ticket};

use super::clock::Instant;
use super::core::{Core, Stage};
use super::engine::{Own, Places, Sizes};
use super::error::{RingError, no_memory};
use super::generate::CONTROL;
use super::inbox::Inboxes;
use super::outlet::Demand;
use super::slot::Words;
use super::telemetry::Count;
use super::waits::{LOOK, Waits};
use crate::buffer::exchange::{Exchange, Private};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::submit::Context;

/// The messages that a workgroup handles for one actor in a repetition: their handlers share a limit on loops.
pub(super) const MOST: u32 = 64;
/// The same for the only workgroup of a GPU, which keeps no other one waiting: a launch takes as long as some messages.
const MOST_OF_ONE: u32 = 1024;
/// The polls without a message in a repetition, for the only workgroup of a GPU: each takes half a microsecond, or one over
/// the bus, and a launch after the last one some microseconds.
const POLLS_OF_ONE: u32 = 1 << 14;
/// The same for several workgroups that serve one actor each. A launch ends with its last workgroup, so those of idle
/// actors take about as long as [`MOST`] short messages: then neither waits long for the other.
const POLLS_OF_EACH: u32 = 1 << 8;
/// The same on the processor, where a poll takes some nanoseconds.
const POLLS_ON_HOST: u32 = 1 << 10;
/// The polls of an actor's inbox in one turn of a workgroup that serves several.
const POLLS_OF_MANY: u32 = 1;

/// The time between two rounds of the ring's thread with nothing to do.
const IDLE: Duration = Duration::from_millis(20);
/// The same while messages have no reply, or there are subscriptions.
const BUSY: Duration = Duration::from_millis(1);
/// The same while futures wait, or messages for room in their inbox.
const WATCHING: Duration = Duration::from_micros(20);

/// A resident kernel.
pub(super) struct Persistent {
    kernel: Mutex<Kernel>,
    pub(super) places: Places,
    polls: u32,
    most: u32,
    pub(super) inbox: Inboxes,
    pub(super) outbox: Exchange,
    kept: Private,
    control: Exchange,
    mail: Option<Private>,
    pub(super) counts: Option<Exchange>,
    pub(super) emitted: Option<Exchange>,
    ticket: Mutex<Option<Ticket>>,
    pub(super) submissions: Count,
}

impl Persistent {
    /// Allocates the memory beside the inboxes. `turns` is whether each workgroup serves several actors.
    pub(super) fn new(
        context: &Arc<Context>,
        kernel: Kernel,
        places: Places,
        sizes: Sizes,
        turns: bool,
        inbox: Inboxes,
    ) -> Result<Self, RingError> {
        let Sizes { outbox, kept, mail, counts, control, emitted, .. } = sizes;
        let bytes = sizes.bytes();
        let (polls, most) = match (turns, context.caps().kind) {
            (true, _) => (if places.sends { 2 * POLLS_OF_MANY } else { POLLS_OF_MANY }, MOST),
            (false, DeviceKind::Software) => (POLLS_ON_HOST, MOST),
            (false, _) if places.groups > 1 => (POLLS_OF_EACH, MOST),
            (false, _) => (POLLS_OF_ONE, MOST_OF_ONE),
        };
        let exchange = |words| Exchange::new(context, words).map_err(no_memory(bytes));
        let private = |words| Private::new(context, words).map_err(no_memory(bytes));
        Ok(Self {
            kernel: Mutex::new(kernel),
            places,
            polls,
            most,
            inbox,
            outbox: exchange(outbox)?,
            kept: private(kept)?,
            control: exchange(control)?,
            mail: (mail > 0).then(|| private(mail)).transpose()?,
            counts: (counts > 0).then(|| exchange(counts)).transpose()?,
            emitted: (emitted > 0).then(|| exchange(emitted)).transpose()?,
            ticket: Mutex::new(None),
            submissions: Count::default(),
        })
    }

    fn word(&self, index: usize) -> &AtomicU32 {
        &self.control.words()[index]
    }

    fn ticket(&self) -> MutexGuard<'_, Option<Ticket>> {
        self.ticket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kernel(&self) -> MutexGuard<'_, Kernel> {
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the kernel for the next start; returns the one of before.
    pub(super) fn exchanges(&self, kernel: Kernel) -> Kernel {
        std::mem::replace(&mut *self.kernel(), kernel)
    }

    /// Launches the kernel.
    pub(super) fn start(&self) -> Result<(), Error> {
        let mut ticket = self.ticket();
        // Two kernels would handle the same messages.
        if let Some(old) = ticket.as_ref()
            && !old.is_done()?
        {
            let message = "the resident kernel of before the pause still runs; wait for it with `Ring::pause`";
            return Err(BackendError::rejected("starting a ring", message).into());
        }
        self.set_stop(0);
        let Places { actors, slots, first, .. } = self.places;
        let kernel = self.kernel().clone();
        let launch = kernel.launch();
        let launch = launch.set("ring_shape.actors", actors).set("ring_shape.slots", slots);
        let launch = launch.set("ring_shape.polls", self.polls).set("ring_shape.most", self.most);
        let topics = self.places.topics() as u32;
        let launch = launch.set("ring_shape.first", first).set("ring_shape.topics", topics);
        let mut memory = vec![
            ("ring_inbox", self.inbox.whole()),
            ("ring_outbox", self.outbox.whole()),
            ("ring_kept", self.kept.whole()),
            ("ring_control", self.control.whole()),
        ];
        memory.extend(self.mail.as_ref().map(|mail| ("ring_mail", mail.whole())));
        memory.extend(self.counts.as_ref().map(|counts| ("ring_counts", counts.whole())));
        memory.extend(self.emitted.as_ref().map(|emitted| ("ring_emitted", emitted.whole())));
        *ticket = Some(launch.resident(self.places.groups, &memory, self.control.start(CONTROL))?);
        self.submissions.add();
        Ok(())
    }

    /// Writes the stop word, for the device, and where the kernel reads it.
    fn set_stop(&self, word: u32) {
        self.word(0).store(word, Ordering::Release);
        self.inbox.view().store(self.places.stop(), word);
        self.inbox.sends_off();
    }

    pub(super) fn stop(&self, timeout: Duration) -> Result<bool, Error> {
        self.set_stop(1);
        let mut own = self.ticket();
        let Some(ticket) = own.as_ref() else { return Ok(true) };
        let ended = ticket.wait_timeout(timeout);
        // A kernel that failed has ended, too.
        if !matches!(ended, Ok(false)) {
            *own = None;
        }
        Ok(ended?)
    }

    /// [`stop`](Self::stop) for a task, which is suspended meanwhile.
    pub(super) async fn stops(&self, core: &Core, timeout: Duration) -> Result<bool, Error> {
        let deadline = Instant::now() + timeout;
        loop {
            match self.stop(Duration::ZERO) {
                Ok(false) if Instant::now() < deadline => Waits::Yields.rest(core, LOOK).await,
                ended => return ended,
            }
        }
    }

    /// The repetitions of a workgroup, which wrap.
    pub(super) fn beat(&self, group: u32) -> u32 {
        self.word(self.places.beat(group)).load(Ordering::Relaxed)
    }

    /// Changes the bell's word. Two threads may lose one of two changes, but never both.
    pub(super) fn ring(&self) {
        let bell = self.word(1);
        bell.store(bell.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
    }

    pub(super) async fn round(&self, core: &Core) -> Result<Duration, Error> {
        if core.stage() != Stage::Paused {
            // A pause or a shutdown waits under the lock, and a start replaces ticket and word under it.
            let ended = match self.ticket.try_lock().as_deref() {
                Ok(Some(ticket)) => ticket.is_done()? && self.word(0).load(Ordering::Acquire) == 0,
                _ => false,
            };
            if ended {
                let message = "the resident kernel ended by itself";
                return Err(BackendError::rejected("running a ring", message).into());
            }
        }
        let time = Self::duties(core);
        Ok(core.keeps_lease().await?.map_or(time, |look| time.min(look)))
    }

    /// Serves futures, subscriptions and backlogs; returns the time until the next round.
    fn duties(core: &Core) -> Duration {
        let demand = core.collect();
        if core.serve_futures() || demand == Demand::Waits {
            return WATCHING;
        }
        if core.left() > 0 {
            core.reap_all();
            return if core.has_backlog() { WATCHING } else { BUSY };
        }
        if demand == Demand::None { IDLE } else { BUSY }
    }

    fn own(&self, own: Own) -> Option<&Private> {
        match own {
            Own::Kept => Some(&self.kept),
            Own::Mail => self.mail.as_ref(),
        }
    }

    pub(super) fn words(&self, own: Own, words: Range<usize>) -> Result<Vec<u32>, Error> {
        self.own(own).map_or(Ok(Vec::new()), |memory| Ok(memory.read(words)?))
    }

    pub(super) fn fill(&self, own: Own, words: Range<usize>, word: u32) -> Result<(), Error> {
        self.own(own).map_or(Ok(()), |memory| Ok(memory.fill(words, word)?))
    }

    pub(super) fn control(&self) -> Vec<u32> {
        self.control.words().iter().map(|word| word.load(Ordering::Acquire)).collect()
    }

    pub(super) fn set_control(&self, at: usize, word: u32) {
        if let Some(own) = self.control.words().get(at) {
            own.store(word, Ordering::Release);
        }
    }

    /// Takes the ticket of a kernel that has ended with an error.
    pub(super) fn forgets(&self) -> bool {
        let mut ticket = self.ticket();
        let failed = ticket.as_ref().is_some_and(|ticket| ticket.is_done().is_err());
        if failed {
            *ticket = None;
        }
        failed
    }

    pub(super) fn restart(&self) -> Result<(), Error> {
        if self.word(0).load(Ordering::Acquire) != 0 {
            return Ok(());
        }
        self.start()
    }
}

impl Drop for Persistent {
    /// The kernel has normally ended. If it has not, this does not wait for it: the backend keeps the memory until then.
    fn drop(&mut self) {
        if let Ok(false) = self.stop(Duration::ZERO) {
            log::error!("a ring was dropped before its kernel has ended, so its memory is freed later");
        }
    }
}
