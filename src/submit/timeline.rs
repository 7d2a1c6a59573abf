//! The pending commands of a device, and the submissions that may still run.
//!
//! One recording at a time collects commands, all for one stream. It is submitted before a command for another stream
//! is recorded. So the order of recording is the order of submission for any number of streams. The backend decides
//! which commands run at the same time, as it sees the regions that each command accesses.
//!
//! Lock order: the timeline, then one buffer's state at a time, then the staging pool.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use anywarp_backend::{Backend, BackendError, Findings, MemoryId, Observations, Recording};
use smallvec::SmallVec;

use super::batch::Batch;
use super::staging::Block;

/// The number of submitted batches up to which a submission does not check which of them have ended.
const MAX_RUNNING: usize = 8;

/// Pending commands, with the objects that they need.
pub(super) struct Pending {
    pub(super) recording: Recording,
    pub(super) batch: Arc<Batch>,
    /// Staging blocks that the commands read; reusable when the batch has ended.
    pub(super) staged: Vec<Block>,
    /// Kernels of the recorded dispatches, and other objects that must live until the submission.
    pub(super) kept: Vec<Arc<dyn Any + Send + Sync>>,
    /// Submitted batches that may not have ended, in order.
    running: VecDeque<Arc<Batch>>,
    /// The first batch of each stream that failed, until a wait reports it.
    failed: Vec<Arc<Batch>>,
    /// The findings of batches that have ended, until they are taken; `None` for devices without checks.
    findings: Option<Findings>,
    /// The counts of batches that have ended, until they are taken; `None` for devices that do not count.
    observations: Option<Observations>,
}

impl Pending {
    /// Appends a submitted batch. Returns whether [`retire`](Self::retire) is due, as many batches are listed.
    pub(super) fn track(&mut self, batch: Arc<Batch>) -> bool {
        self.running.push_back(batch);
        self.running.len() > MAX_RUNNING
    }

    /// The last batch of each stream that may still run; only that of `stream` if it is given.
    pub(super) fn latest(&self, stream: Option<u32>) -> SmallVec<[&Arc<Batch>; 1]> {
        let mut latest: SmallVec<[&Arc<Batch>; 1]> = SmallVec::new();
        for batch in self.running.iter().rev() {
            let wanted = stream.is_none_or(|stream| batch.stream() == stream);
            if wanted && !latest.iter().any(|other| other.stream() == batch.stream()) {
                latest.push(batch);
            }
        }
        latest
    }

    /// The first error of the batches that have ended, of all streams or of one, returned once.
    pub(super) fn take_failure(&mut self, stream: Option<u32>) -> Option<BackendError> {
        let taken: Vec<_> =
            self.failed.extract_if(.., |batch| stream.is_none_or(|stream| batch.stream() == stream)).collect();
        taken.first()?.ticket().and_then(|ticket| ticket.is_done()).err()
    }

    /// The findings of all batches that have ended, returned once.
    pub(super) fn take_findings(&mut self) -> Findings {
        self.findings.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The counts of all batches that have ended, returned once.
    pub(super) fn take_observations(&mut self) -> Observations {
        self.observations.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Removes the batches that have ended, keeps their failures and findings, and calls `ended` with each of them.
    pub(super) fn retire(&mut self, mut ended: impl FnMut(&Batch)) {
        while let Some(succeeded) = self.running.front().and_then(|batch| batch.succeeded()) {
            let Some(batch) = self.running.pop_front() else { return };
            ended(&batch);
            if let Some(findings) = &mut self.findings {
                findings.extend(batch.findings());
            }
            if let Some(observations) = &mut self.observations {
                observations.extend(batch.observations());
            }
            if !succeeded && !self.failed.iter().any(|failed| failed.stream() == batch.stream()) {
                self.failed.push(batch);
            }
        }
    }
}

/// The timeline of one device; it is used through [`Queue`](super::queue::Queue).
pub(super) struct Timeline {
    backend: Arc<dyn Backend>,
    pending: Mutex<Pending>,
    /// Memory of dropped buffers that pending commands may still use.
    dropped: Mutex<Vec<MemoryId>>,
    /// Set by the first call that found the device lost, and never reset.
    lost: OnceLock<BackendError>,
}

impl Timeline {
    pub(super) fn new(backend: Arc<dyn Backend>) -> Self {
        let pending = Pending {
            recording: Recording::new(),
            batch: Batch::pending(0),
            staged: Vec::new(),
            kept: Vec::new(),
            running: VecDeque::new(),
            failed: Vec::new(),
            findings: backend.caps().checked.then(Findings::default),
            observations: backend.caps().observed.then(Observations::default),
        };
        Self { backend, pending: Mutex::new(pending), dropped: Mutex::default(), lost: OnceLock::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers `error` if it is the loss of the device, for later calls that do not call the backend. Returns whether
    /// the loss was unknown before.
    pub(super) fn note(&self, error: &BackendError) -> bool {
        error.is_lost() && self.lost.set(error.clone()).is_ok()
    }

    /// Returns an error if the device is known to be lost.
    pub(super) fn alive(&self) -> Result<(), BackendError> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Frees the memory of a dropped buffer, now or after the submission of the commands that use it. Does not lock the
    /// timeline, as a buffer may be dropped at any point.
    pub(super) fn drop_memory(&self, memory: MemoryId, last_use: Option<&Arc<Batch>>) {
        if last_use.is_some_and(|batch| batch.is_pending()) {
            self.dropped.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        } else {
            self.backend.free(memory);
        }
    }

    /// Frees the memory of dropped buffers. The caller ensures that no pending command uses it.
    pub(super) fn free_dropped(&self) {
        let dropped = std::mem::take(&mut *self.dropped.lock().unwrap_or_else(PoisonError::into_inner));
        for memory in dropped {
            self.backend.free(memory);
        }
    }
}

impl Drop for Timeline {
    /// Pending commands are discarded: no buffer is left in which their results could be seen.
    fn drop(&mut self) {
        let pending = self.pending.get_mut().unwrap_or_else(PoisonError::into_inner);
        for block in pending.staged.drain(..) {
            self.backend.free(block.memory);
        }
        self.free_dropped();
    }
}
