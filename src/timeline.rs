//! The device's work: recorded, handed over together, and waited for.
//!
//! One recording at a time collects commands, all for one stream: before a command for another one it is
//! handed over. So the order of recording is the order of submission, whatever streams there are, and what
//! may run at the same time is left to the backend, which sees what each command touches.
//!
//! Lock order: the timeline, then one buffer's state at a time, then the staging pool.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use anywarp_backend::{Backend, BackendError, Findings, MemoryId, Recording, Ticket};
use smallvec::SmallVec;

use crate::buffer::staging::{Block, Staging};
use crate::kernel::Compiled;

/// Recorded launches and copies are handed over at the latest when there are this many.
const MOST_PENDING: usize = 128;

/// One submission, from the first command recorded for it on.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Set when the commands were handed over, or could not be.
    outcome: OnceLock<Result<Ticket, BackendError>>,
    /// The stream it is for.
    stream: u32,
}

impl Batch {
    fn on(stream: u32) -> Arc<Self> {
        Arc::new(Self { outcome: OnceLock::new(), stream })
    }

    pub(crate) fn done(ticket: Ticket, stream: u32) -> Arc<Self> {
        let batch = Self::on(stream);
        let _ = batch.outcome.set(Ok(ticket));
        batch
    }

    /// The number of the stream that it is for.
    pub(crate) fn stream(&self) -> u32 {
        self.stream
    }

    /// Whether its commands wait to be handed over.
    pub(crate) fn is_pending(&self) -> bool {
        self.outcome.get().is_none()
    }

    /// Whether nothing of it runs any more, or will.
    pub(crate) fn is_over(&self) -> bool {
        match self.outcome.get() {
            None => false,
            Some(Ok(ticket)) => ticket.ended().is_some(),
            Some(Err(_)) => true,
        }
    }

    /// Whether it has ended, and then whether well.
    fn ended(&self) -> Option<bool> {
        self.outcome.get().and_then(|outcome| outcome.as_ref().map_or(Some(false), Ticket::ended))
    }

    /// The ticket of a batch that was handed over.
    pub(crate) fn ticket(&self) -> Result<Ticket, BackendError> {
        self.outcome.get().cloned().unwrap_or_else(|| Ok(Ticket::ready()))
    }
}

/// Commands that wait for their submission, and what they need until then.
pub(crate) struct Pending {
    pub(crate) recording: Recording,
    pub(crate) batch: Arc<Batch>,
    /// Staging blocks that the commands read: free again when the batch is over.
    pub(crate) staged: Vec<Block>,
    /// Kernels of the recorded dispatches.
    kernels: Vec<Arc<Compiled>>,
    /// What was handed over and may not have ended, in order.
    running: VecDeque<Arc<Batch>>,
    /// The first batch of each stream that did not end well, until somebody synchronizes.
    failed: Vec<Arc<Batch>>,
    /// What a checked device has found in batches that have ended, until somebody takes it; `None`
    /// for other devices.
    findings: Option<Findings>,
}

/// Batches that are kept without asking whether they have ended.
const MOST_RUNNING: usize = 8;

impl Pending {
    /// Keeps `kernel` alive until the commands are handed over.
    pub(crate) fn keep(&mut self, kernel: &Arc<Compiled>) {
        if !self.kernels.last().is_some_and(|last| Arc::ptr_eq(last, kernel)) {
            self.kernels.push(Arc::clone(kernel));
        }
    }

    /// Notes that `batch` was handed over.
    pub(crate) fn follow(&mut self, batch: Arc<Batch>) {
        self.running.push_back(batch);
        if self.running.len() > MOST_RUNNING {
            self.forget_ended();
        }
    }

    /// What was handed over last to each stream, or to just this one, if it may still run.
    pub(crate) fn latest(&self, stream: Option<u32>) -> SmallVec<[&Arc<Batch>; 1]> {
        let mut latest: SmallVec<[&Arc<Batch>; 1]> = SmallVec::new();
        for batch in self.running.iter().rev() {
            let wanted = stream.is_none_or(|stream| batch.stream == stream);
            if wanted && !latest.iter().any(|other| other.stream == batch.stream) {
                latest.push(batch);
            }
        }
        latest
    }

    /// The first error of all batches, or of those of one stream, that have ended: told once.
    pub(crate) fn take_failure(&mut self, stream: Option<u32>) -> Option<BackendError> {
        self.forget_ended();
        let told: Vec<_> =
            self.failed.extract_if(.., |batch| stream.is_none_or(|stream| batch.stream == stream)).collect();
        told.first()?.ticket().and_then(|ticket| ticket.is_done()).err()
    }

    /// What was found in all batches that have ended: told once.
    pub(crate) fn take_findings(&mut self) -> Findings {
        self.forget_ended();
        self.findings.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn forget_ended(&mut self) {
        while let Some(well) = self.running.front().and_then(|batch| batch.ended()) {
            let ended = self.running.pop_front();
            if let (Some(findings), Some(Ok(ticket))) =
                (&mut self.findings, ended.as_ref().and_then(|batch| batch.outcome.get()))
            {
                findings.extend(ticket.findings());
            }
            if let (false, Some(ended)) = (well, ended)
                && !self.failed.iter().any(|failed| failed.stream == ended.stream)
            {
                self.failed.push(ended);
            }
        }
    }
}

/// The timeline of one device.
pub(crate) struct Timeline {
    backend: Arc<dyn Backend>,
    pending: Mutex<Pending>,
    /// Memory of dropped buffers that pending commands may still name.
    dropped: Mutex<Vec<MemoryId>>,
    /// Set for good by the first call that heard of the device's loss.
    lost: OnceLock<BackendError>,
}

impl Timeline {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        let pending = Pending {
            recording: Recording::new(),
            batch: Batch::on(0),
            staged: Vec::new(),
            kernels: Vec::new(),
            running: VecDeque::new(),
            failed: Vec::new(),
            findings: backend.caps().checked.then(Findings::default),
        };
        Self { backend, pending: Mutex::new(pending), dropped: Mutex::default(), lost: OnceLock::new() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pending commands, all for this stream: those for another one are handed over first.
    pub(crate) fn lock_on(&self, stream: u32, staging: &Staging) -> Result<MutexGuard<'_, Pending>, BackendError> {
        let mut pending = self.lock();
        self.turn_to(stream, &mut pending, staging)?;
        Ok(pending)
    }

    /// Has the commands that follow go to this stream.
    pub(crate) fn turn_to(&self, stream: u32, pending: &mut Pending, staging: &Staging) -> Result<(), BackendError> {
        if pending.recording.stream != stream {
            // Told by whoever asks for its results: it is not the caller's own work.
            if let Err(error @ BackendError::OutOfMemory { .. }) = self.flush(pending, staging) {
                return Err(error);
            }
            pending.recording.stream = stream;
            pending.batch = Batch::on(stream);
        }
        Ok(())
    }

    /// Remembers the loss of the device, so that calls which do not reach the backend tell it too.
    pub(crate) fn note(&self, error: &BackendError) {
        if error.is_lost() {
            let _ = self.lost.set(error.clone());
        }
    }

    /// An error if the device is known to be lost.
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Hands over what is pending.
    ///
    /// When the backend is out of memory the commands stay pending, to be tried again; any other
    /// refusal is final for them, and is what a read of their results then returns.
    pub(crate) fn flush(&self, pending: &mut Pending, staging: &Staging) -> Result<(), BackendError> {
        if !pending.recording.is_empty() {
            let outcome = self.backend.submit(&pending.recording).inspect_err(|error| self.note(error));
            if let Err(error @ BackendError::OutOfMemory { .. }) = outcome {
                return Err(error);
            }
            let result = outcome.as_ref().map(|_| ()).map_err(Clone::clone);
            let _ = pending.batch.outcome.set(outcome);
            for block in pending.staged.drain(..) {
                staging.release_after(block, &pending.batch);
            }
            pending.recording.clear();
            pending.kernels.clear();
            let batch = std::mem::replace(&mut pending.batch, Batch::on(pending.recording.stream));
            if result.is_ok() {
                pending.follow(batch);
            }
            self.free_dropped();
            return result;
        }
        self.free_dropped();
        Ok(())
    }

    /// Hands over what is pending if it has become much: the device should not idle meanwhile.
    pub(crate) fn flush_when_full(&self, pending: &mut Pending, staging: &Staging) -> Result<(), BackendError> {
        if pending.recording.commands().len() < MOST_PENDING {
            return Ok(());
        }
        match self.flush(pending, staging) {
            // The commands stay recorded: were this an error, trying again would record them twice.
            Err(BackendError::OutOfMemory { .. }) => Ok(()),
            outcome => outcome,
        }
    }

    /// Frees the memory of a dropped buffer, now or after the commands that name it were handed
    /// over. Never waits for the timeline: buffers are dropped anywhere.
    pub(crate) fn drop_memory(&self, memory: MemoryId, last_use: Option<&Arc<Batch>>) {
        if last_use.is_some_and(|batch| batch.is_pending()) {
            self.dropped.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        } else {
            self.backend.free(memory);
        }
    }

    fn free_dropped(&self) {
        // Called with nothing pending: no command names them any more.
        let dropped = std::mem::take(&mut *self.dropped.lock().unwrap_or_else(PoisonError::into_inner));
        for memory in dropped {
            self.backend.free(memory);
        }
    }
}

impl Drop for Timeline {
    /// What was never handed over has no buffer left to be seen in.
    fn drop(&mut self) {
        let pending = self.pending.get_mut().unwrap_or_else(PoisonError::into_inner);
        for block in pending.staged.drain(..) {
            self.backend.free(block.memory);
        }
        self.free_dropped();
    }
}
