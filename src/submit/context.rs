//! The state shared by all handles of a device: its backend, timeline, memory and events.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use anywarp_backend::{Backend, BackendError, Caps, Findings, MemoryId, MemoryKind, Observations, Ticket};
use smallvec::SmallVec;

use super::batch::Batch;
use super::events::{Event, Events, Observer};
use super::extensions::Extensions;
use super::moment::Stopwatch;
use super::queue::Queue;
use super::staging::Staging;
use super::timeline::Timeline;
use super::traffic::Traffic;
use crate::error::BufferError;

/// One device, as seen by its buffers, kernels, streams and recordings.
pub(crate) struct Context {
    pub(crate) backend: Arc<dyn Backend>,
    pub(super) timeline: Timeline,
    pub(crate) staging: Staging,
    pub(crate) traffic: Traffic,
    pub(crate) events: Events,
    /// The selection string that opens the device again.
    pub(crate) selector: String,
    extensions: Extensions,
    live: AtomicU64,
    peak: AtomicU64,
    launches: AtomicU64,
    submissions: AtomicU64,
    /// The number of streams created so far.
    streams: AtomicU32,
}

/// One ticket for each stream.
pub(crate) type Tickets = SmallVec<[Ticket; 1]>;

/// Sizes and counts of a device since it was opened.
pub(crate) struct Counts {
    pub(crate) live: u64,
    pub(crate) peak: u64,
    pub(crate) launches: u64,
}

impl Context {
    pub(crate) fn new(backend: Arc<dyn Backend>, selector: String, staging_limit: u64) -> Arc<Self> {
        Arc::new(Self {
            timeline: Timeline::new(Arc::clone(&backend)),
            staging: Staging::new(Arc::clone(&backend), staging_limit),
            backend,
            traffic: Traffic::default(),
            events: Events::new(),
            selector,
            extensions: Extensions::default(),
            live: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            launches: AtomicU64::new(0),
            submissions: AtomicU64::new(0),
            streams: AtomicU32::new(0),
        })
    }

    pub(crate) fn caps(&self) -> &Caps {
        self.backend.caps()
    }

    /// The value of type `T` that a higher module keeps for this device; the first call creates it with `make`.
    pub(crate) fn extension<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.extensions.get_or_insert_with(make)
    }

    /// Allocates memory for a buffer. When the device is out of memory, idle staging memory is freed first.
    pub(crate) fn allocate(&self, bytes: u64, kind: MemoryKind) -> Result<MemoryId, BackendError> {
        let memory = self.backend.allocate(bytes, kind, "").or_else(|error| {
            if !matches!(error, BackendError::OutOfMemory { .. }) {
                return Err(error);
            }
            self.staging.trim();
            self.backend.allocate(bytes, kind, "")
        })?;
        self.adopted(bytes);
        Ok(memory)
    }

    /// Counts memory that became the memory of a buffer.
    pub(crate) fn adopted(&self, bytes: u64) {
        let live = self.live.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(live, Ordering::Relaxed);
        self.events.emit(|| Event::Allocation { bytes, live });
    }

    /// Frees the memory of a dropped buffer, once no pending command uses it.
    pub(crate) fn free(&self, memory: MemoryId, bytes: u64, last_use: Option<&Arc<Batch>>) {
        let live = self.live.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        self.events.emit(|| Event::Free { bytes, live });
        self.timeline.drop_memory(memory, last_use);
    }

    pub(crate) fn buffer_error(&self, operation: &'static str, bytes: u64, error: BackendError) -> BufferError {
        self.note(&error);
        let live = self.live.load(Ordering::Relaxed);
        BufferError::Device { operation, device: self.caps().name.clone(), bytes, live, error }
    }

    /// Remembers `error` if it is the loss of the device, for later calls that do not call the backend.
    pub(crate) fn note(&self, error: &BackendError) {
        if self.timeline.note(error) {
            self.events.emit(|| Event::Loss { error: error.clone() });
        }
    }

    /// Returns an error if the device is known to be lost.
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        self.timeline.alive()
    }

    // ---- commands

    /// Locks the pending commands, whichever stream they are for.
    pub(crate) fn queue(&self) -> Queue<'_> {
        Queue::lock(self)
    }

    /// Locks the pending commands and directs further ones to this stream; pending commands for another stream are
    /// submitted first.
    pub(crate) fn queue_on(&self, stream: u32) -> Result<Queue<'_>, BackendError> {
        let mut queue = self.queue();
        queue.switch_to(stream)?;
        Ok(queue)
    }

    /// The number for a new stream; the numbers of the device's streams are used in turn.
    pub(crate) fn next_stream(&self) -> u32 {
        let others = self.caps().streams.saturating_sub(1);
        if others == 0 { 0 } else { 1 + self.streams.fetch_add(1, Ordering::Relaxed) % others }
    }

    pub(super) fn launched(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn submitted(&self) {
        self.submissions.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of submissions so far; `None` while one of them may run.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn idle_after(&self) -> Option<u64> {
        let mut queue = self.queue();
        queue.retire();
        let is_idle = queue.pending().latest(None).is_empty();
        is_idle.then(|| self.submissions.load(Ordering::Relaxed))
    }

    /// Submits the pending commands.
    pub(crate) fn submit(&self) -> Result<(), BackendError> {
        let mut queue = self.queue();
        self.alive()?;
        queue.flush()
    }

    /// Submits the pending commands and returns a ticket for each stream, or only for `stream` if it is given. One
    /// ticket per stream is enough, as the work of a stream ends in submission order.
    fn tickets(&self, stream: Option<u32>) -> Result<Tickets, BackendError> {
        let mut queue = self.queue();
        self.alive()?;
        queue.flush()?;
        queue.pending().latest(stream).into_iter().map(|batch| batch.ticket()).collect()
    }

    /// Waits for one piece of work, and reports the wait to the observers unless the work had ended before.
    pub(crate) fn wait_for(&self, ticket: &Ticket) -> Result<(), BackendError> {
        if !self.events.is_observed() || ticket.ended().is_some() {
            return ticket.wait();
        }
        let watch = Stopwatch::start();
        let waited = ticket.wait();
        self.events.emit(|| Event::Wait { took: watch.elapsed() });
        waited
    }

    /// Submits the pending commands and waits for all work of the device, or of one stream. Returns the outcome of the
    /// wait, including failures of earlier batches, each reported once.
    pub(crate) fn synchronize(&self, stream: Option<u32>) -> Result<(), BackendError> {
        let tickets = self.tickets(stream)?;
        let watch = self.events.is_observed().then(Stopwatch::start);
        let mut waited = Ok(());
        for ticket in &tickets {
            // Waits for every stream, even after a failure.
            waited = waited.and(ticket.wait());
        }
        self.events.emit(|| Event::Wait { took: watch.map_or(Duration::ZERO, |watch| watch.elapsed()) });
        self.outcome(waited, stream)
    }

    /// [`synchronize`](Self::synchronize) without blocking.
    pub(crate) async fn synchronize_async(&self, stream: Option<u32>) -> Result<(), BackendError> {
        let mut waited = Ok(());
        for ticket in self.tickets(stream)? {
            waited = waited.and(ticket.await);
        }
        self.outcome(waited, stream)
    }

    /// The outcome of a wait, including failures of earlier batches.
    fn outcome(&self, waited: Result<(), BackendError>, stream: Option<u32>) -> Result<(), BackendError> {
        let failure = {
            let mut queue = self.queue();
            queue.retire();
            queue.pending().take_failure(stream)
        };
        failure.map_or(waited, Err).inspect_err(|error| self.note(error))
    }

    /// Waits for all work and returns the findings of a checked device. Errors of the work are reported by
    /// [`synchronize`](Self::synchronize).
    pub(crate) fn findings(&self) -> Findings {
        self.findings_by(|ticket| {
            let _ = ticket.wait();
        })
    }

    /// Waits for all work and returns the counts of an observed device. Errors of the work are reported by
    /// [`synchronize`](Self::synchronize).
    pub(crate) fn observations(&self) -> Observations {
        for ticket in self.tickets(None).unwrap_or_default() {
            let _ = ticket.wait();
        }
        let mut queue = self.queue();
        queue.retire();
        queue.pending().take_observations()
    }

    fn findings_by(&self, wait: impl FnMut(Ticket)) -> Findings {
        self.tickets(None).unwrap_or_default().into_iter().for_each(wait);
        let mut queue = self.queue();
        queue.retire();
        queue.pending().take_findings()
    }

    /// The events of the device from now on.
    pub(crate) fn observe(&self) -> Observer {
        self.events.observe()
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Counts { live: read(&self.live), peak: read(&self.peak), launches: read(&self.launches) }
    }
}

/// The time for which dropping the last handle of a device waits for work with uncollected findings. The wait is
/// limited, as the dropping thread may be one that the work needs.
const LAST_WAIT: Duration = Duration::from_secs(10);

impl Drop for Context {
    /// Prints the findings of a checked device that the program did not collect, so that they are not lost.
    fn drop(&mut self) {
        if !self.caps().checked {
            return;
        }
        let mut unfinished = false;
        let findings = self.findings_by(|ticket| unfinished |= matches!(ticket.wait_timeout(LAST_WAIT), Ok(false)));
        let count = findings.len();
        if count > 0 {
            let findings_are = if count == 1 { "finding was" } else { "findings were" };
            eprintln!("{findings}");
            eprintln!(
                "{}: {count} {findings_are} not collected by `Device::findings` before the device was closed",
                self.selector
            );
        }
        if unfinished {
            eprintln!(
                "{}: closed while kernels were running, so their findings are lost; call `synchronize` first",
                self.selector
            );
        }
    }
}
