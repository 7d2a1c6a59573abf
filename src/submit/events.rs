//! Events of a device, for its observers.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use anywarp_backend::{BackendError, Clock, Transfer};

use super::batch::Batch;
use super::moment::{Stopwatch, this_thread};

/// The greatest number of events that an [`Observer`] keeps until they are taken.
const MAX_KEPT: usize = 1 << 16;

/// One event of a device, such as an allocation or a submission.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Memory of a buffer was allocated.
    Allocation {
        /// The size of the memory in bytes.
        bytes: u64,
        /// The size in bytes of all buffers that exist after this event.
        live: u64,
    },
    /// The memory of a buffer was freed.
    Free {
        /// The size of the memory in bytes.
        bytes: u64,
        /// The size in bytes of all buffers that exist after this event.
        live: u64,
    },
    /// A copy from host to device was recorded.
    Upload {
        /// The size of the copy in bytes.
        bytes: u64,
    },
    /// A copy from device to host was recorded.
    Download {
        /// The size of the copy in bytes.
        bytes: u64,
    },
    /// A kernel was requested and found in the cache of compiled kernels.
    CompileHit {
        /// The name of the kernel.
        kernel: Arc<str>,
    },
    /// A kernel was compiled.
    CompileMiss {
        /// The name of the kernel.
        kernel: Arc<str>,
        /// The time for parsing, optimising and compiling; zero in a browser, which has no such clock.
        took: Duration,
    },
    /// Commands were recorded into a stream or a [`Recording`](crate::Recording).
    Record {
        /// The number of the stream.
        stream: u32,
        /// Whether the destination is a [`Recording`](crate::Recording).
        kept: bool,
    },
    /// Recorded commands were submitted to the device. [`Observed::at`] is the time before the call of the driver; the
    /// device may run them during the call already.
    Submission {
        /// The number of the stream.
        stream: u32,
        /// The number of the submission, which the events of its commands repeat.
        number: u64,
        /// The number of submitted commands.
        commands: usize,
        /// The duration of the call; zero in a browser, which has no such clock.
        took: Duration,
    },
    /// A submission has ended. [`Observed::at`] is the time at which this was noticed: at a wait, or at a later
    /// submission.
    Ended {
        /// The number of the submission.
        number: u64,
    },
    /// A copy or a fill has run on the device, one between host and device or one within the device's memory; only from
    /// devices that time these.
    Transfer {
        /// The number of the stream.
        stream: u32,
        /// The number of the submission.
        submission: u64,
        /// Whether it is a fill, and not a copy.
        is_fill: bool,
        /// The number of bytes that were written.
        bytes: u64,
        /// The start, on the clock of [`Command`](Self::Command).
        start: Duration,
        /// The end, on the same clock.
        end: Duration,
    },
    /// A launch or a library call has run.
    Command {
        /// The number of the stream.
        stream: u32,
        /// The number of the submission.
        submission: u64,
        /// The kernel's name.
        label: Arc<str>,
        /// The number of workgroups; `None` for a grid that was read from a buffer, and for a library call.
        workgroups: Option<u64>,
        /// The start of the command, on a clock that all commands of the device share; this clock differs from that of
        /// [`Observed::at`].
        start: Duration,
        /// The end of the command, on the same clock.
        end: Duration,
        /// The clock that measured both times.
        clock: Clock,
    },
    /// A thread waited for the device: in a call that waits for work, or in a read whose data had not arrived.
    Wait {
        /// The duration of the wait; zero in a browser, which has no such clock.
        took: Duration,
    },
    /// The host copied data between the program's memory and that of a buffer or of its transfers.
    HostCopy {
        /// The size of the copy in bytes.
        bytes: u64,
        /// Whether the data goes to the buffer, and not out of it.
        to_buffer: bool,
        /// The duration of the copy; zero in a browser, which has no such clock.
        took: Duration,
    },
    /// A named part of the program's time has ended: [`insight::scope`](crate::insight::scope).
    Scope {
        /// The name.
        name: Arc<str>,
        /// Its duration; zero in a browser, which has no such clock.
        took: Duration,
    },
    /// A part of the program whose work has no commands of its own, such as a resident kernel, was active.
    /// [`Observed::at`] is the end of that time. [`Device::ring`](crate::Device::ring) reports the times in which it had
    /// messages, in parts of about a tenth of a second at most.
    Activity {
        /// The name, such as `ring:smoothed`.
        name: Arc<str>,
        /// The duration of the time; zero in a browser, which has no such clock.
        took: Duration,
        /// The number of messages that were handled.
        messages: u64,
        /// The times in which the parts had messages, summed over the parts, such as actors. A reply that no thread waits
        /// for is noticed up to a millisecond late.
        busy: Duration,
        /// The number of these parts. `busy / (took * parts)` is the share of the time in which a part had messages.
        parts: u32,
        /// Whether a resident kernel was active, which no [`Command`](Self::Command) describes.
        resident: bool,
    },
    /// A step in the life of such a part, such as its start.
    Step {
        /// The name, as in [`Activity`](Self::Activity).
        name: Arc<str>,
        /// The step, such as `started`, `paused` or `actor 3 was restarted`.
        step: Arc<str>,
    },
    /// The device was lost.
    Loss {
        /// The error that reported the loss.
        error: BackendError,
    },
}

/// An [`Event`] and the time at which it was noticed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Observed {
    /// The time since the device was opened; zero in a browser, which has no such clock.
    pub at: Duration,
    /// The number of the thread that noticed the event: threads are numbered from 0, in the order of their first events
    /// in the process.
    pub thread: u32,
    /// The event.
    pub event: Event,
}

/// The events of a device, from the call of [`Device::observe`](crate::Device::observe) until the observer is dropped.
///
/// An observer keeps up to 65 536 events until they are taken; when it is full, the oldest ones are dropped and
/// counted. While an observer exists, launches and library calls are timed, which has a small cost on some devices.
/// Without an observer, an event costs one relaxed load.
///
/// ```
/// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::Event;
///
/// let device = anywarp::Device::open("cpu")?;
/// let observer = device.observe();
/// let x = device.buffer_from(&[1.0f32; 256])?;
/// let events = observer.take();
/// assert!(events.iter().any(|observed| matches!(observed.event, Event::Allocation { bytes: 1024, .. })));
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
/// # fn main() {}
/// ```
pub struct Observer {
    sink: Arc<Sink>,
}

impl Observer {
    /// The events since the last call, oldest first.
    #[must_use]
    pub fn take(&self) -> Vec<Observed> {
        self.sink.kept().drain(..).collect()
    }

    /// The number of events that were dropped because the observer was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.sink.dropped.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").field("kept", &self.sink.kept().len()).field("dropped", &self.dropped()).finish()
    }
}

#[derive(Default)]
struct Sink {
    kept: Mutex<VecDeque<Observed>>,
    dropped: AtomicU64,
}

impl Sink {
    fn kept(&self) -> MutexGuard<'_, VecDeque<Observed>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, observed: Observed) {
        let mut kept = self.kept();
        if kept.len() >= MAX_KEPT {
            kept.pop_front();
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        kept.push_back(observed);
    }
}

/// A part of the program that collects what it reports.
pub(crate) trait Reporter: Send + Sync {
    /// Emits the events of all that happened since the last call.
    fn report(&self);
}

/// The observers of one device, to which events are passed. An observer only stores events, so no user code runs under
/// a lock.
pub(crate) struct Events {
    observed: AtomicBool,
    sinks: Mutex<Vec<Weak<Sink>>>,
    reporters: Mutex<Vec<Weak<dyn Reporter>>>,
    opened: Stopwatch,
}

impl Events {
    pub(super) fn new() -> Self {
        let observed = AtomicBool::new(false);
        Self { observed, sinks: Mutex::default(), reporters: Mutex::default(), opened: Stopwatch::start() }
    }

    /// Adds a part of the program that collects what it reports, until it is dropped.
    pub(crate) fn add(&self, reporter: Weak<dyn Reporter>) {
        self.reporters.lock().unwrap_or_else(PoisonError::into_inner).push(reporter);
    }

    /// Has all reporters emit what they have collected.
    pub(crate) fn collect(&self) {
        let mut reporters = self.reporters.lock().unwrap_or_else(PoisonError::into_inner);
        reporters.retain(|reporter| reporter.strong_count() > 0);
        let alive: Vec<Arc<dyn Reporter>> = reporters.iter().filter_map(Weak::upgrade).collect();
        // Without the lock, because dropping the last handle of a reporter may run any code.
        drop(reporters);
        alive.iter().for_each(|reporter| reporter.report());
    }

    /// Events from now on; what reporters have collected before belongs to earlier observers.
    pub(super) fn observe(&self) -> Observer {
        self.collect();
        let sink = Arc::new(Sink::default());
        let mut sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner);
        sinks.push(Arc::downgrade(&sink));
        self.observed.store(true, Ordering::Relaxed);
        Observer { sink }
    }

    /// Whether there are observers; if so, launches are timed, too.
    pub(crate) fn is_observed(&self) -> bool {
        self.observed.load(Ordering::Relaxed)
    }

    /// The time since the device was opened; zero in a browser, which has no such clock.
    pub(crate) fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    /// The time since `began`, for an event; zero without observers.
    pub(super) fn since(&self, began: Duration) -> Duration {
        if self.is_observed() { self.now().saturating_sub(began) } else { Duration::ZERO }
    }

    /// Stores the event for the observers; `event` is called only if there are any.
    pub(crate) fn emit(&self, event: impl FnOnce() -> Event) {
        if self.is_observed() {
            self.keep(self.now(), this_thread(), event());
        }
    }

    /// Stores an event of the thread with this number.
    pub(super) fn emit_of(&self, thread: u32, event: impl FnOnce() -> Event) {
        if self.is_observed() {
            self.keep(self.now(), thread, event());
        }
    }

    /// Stores an event of the time `at`.
    pub(crate) fn emit_at(&self, at: Duration, event: impl FnOnce() -> Event) {
        if self.is_observed() {
            self.keep(at, this_thread(), event());
        }
    }

    #[cold]
    fn keep(&self, at: Duration, thread: u32, event: Event) {
        let observed = Observed { at, thread, event };
        let mut sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner);
        sinks.retain(|sink| sink.upgrade().inspect(|sink| sink.push(observed.clone())).is_some());
        self.observed.store(!sinks.is_empty(), Ordering::Relaxed);
    }

    /// Reports a batch that has ended, and its commands.
    pub(super) fn ended(&self, batch: &Batch) {
        if !self.is_observed() {
            return;
        }
        let (stream, submission, thread) = (batch.stream(), batch.number(), this_thread());
        self.keep(self.now(), thread, Event::Ended { number: submission });
        let Some(timings) = batch.ticket().ok().and_then(|ticket| ticket.timings()) else { return };
        let clock = timings.clock;
        for Transfer { is_fill, bytes, start, duration } in timings.transfers {
            let end = start + duration;
            self.keep(self.now(), thread, Event::Transfer { stream, submission, is_fill, bytes, start, end });
        }
        // An entry by the host's clock is the whole submission, which may consist of transfers only.
        if clock == Clock::Host && batch.workgroups().is_empty() {
            return;
        }
        let mut workgroups = batch.workgroups().iter().filter(|_| clock == Clock::Device);
        for timing in timings.entries {
            let (start, end) = (timing.start, timing.start + timing.duration);
            let (label, workgroups) = (timing.label, workgroups.next().copied().flatten());
            let command = Event::Command { stream, submission, label, workgroups, start, end, clock };
            self.keep(self.now(), thread, command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_observers_no_event_is_made() {
        let events = Events::new();
        events.emit(|| unreachable!("there is no observer"));
        let observer = events.observe();
        events.emit(|| Event::Upload { bytes: 4 });
        assert_eq!(observer.take().len(), 1);
        assert!(observer.take().is_empty());
        drop(observer);
        events.emit(|| Event::Upload { bytes: 4 }); // finds that there is no observer any more
        events.emit(|| unreachable!("there is no observer"));
    }

    #[test]
    fn a_full_observer_drops_the_oldest_events_and_counts_them() {
        let events = Events::new();
        let observer = events.observe();
        for bytes in 0..MAX_KEPT as u64 + 3 {
            events.emit(|| Event::Upload { bytes });
        }
        assert_eq!(observer.dropped(), 3);
        let kept = observer.take();
        assert_eq!(kept.len(), MAX_KEPT);
        assert!(matches!(kept[0].event, Event::Upload { bytes: 3 }));
    }
}
