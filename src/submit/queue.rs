//! The locked timeline, set to one stream.

use std::any::Any;
use std::sync::{Arc, MutexGuard};

use anywarp_backend::{BackendError, Recording, Region, Ticket};

use super::batch::Batch;
use super::context::Context;
use super::events::Event;
use super::staging::Block;
use super::timeline::Pending;

/// The number of pending commands that causes their submission.
const MAX_PENDING: usize = 128;

/// The locked pending commands of a device, all for one stream. This is the only access to the timeline. Transfers of
/// buffers are recorded here directly; every other command is recorded through an [`Encoder`](super::Encoder).
pub(crate) struct Queue<'a> {
    context: &'a Context,
    pending: MutexGuard<'a, Pending>,
}

impl<'a> Queue<'a> {
    /// Locks the pending commands, whichever stream they are for.
    pub(super) fn lock(context: &'a Context) -> Self {
        Self { context, pending: context.timeline.lock() }
    }

    /// Directs the following commands to this stream; pending commands for another stream are submitted first.
    pub(super) fn switch_to(&mut self, stream: u32) -> Result<(), BackendError> {
        if self.pending.recording.stream != stream {
            // Other errors concern the earlier commands, not the caller, and are reported by a wait for these commands.
            if let Err(error @ BackendError::OutOfMemory { .. }) = self.flush() {
                return Err(error);
            }
            self.pending.recording.stream = stream;
            self.pending.batch = Batch::pending(stream);
        }
        Ok(())
    }

    pub(crate) fn batch(&self) -> &Arc<Batch> {
        &self.pending.batch
    }

    /// Appends a copy between memory that is already prepared. Transfers that prepare buffers use this method instead
    /// of an encoder.
    pub(crate) fn copy(&mut self, source: Region, target: Region) {
        self.pending.recording.copy(source, target);
    }

    pub(super) fn recording(&mut self) -> &mut Recording {
        &mut self.pending.recording
    }

    pub(super) fn pending(&mut self) -> &mut Pending {
        &mut self.pending
    }

    /// Keeps a staging block for the commands until their batch has ended.
    pub(crate) fn stage(&mut self, block: Block) {
        self.pending.staged.push(block);
    }

    /// Keeps `object` alive until the commands are submitted.
    pub(super) fn keep(&mut self, object: &Arc<dyn Any + Send + Sync>) {
        if !self.pending.kept.last().is_some_and(|last| Arc::ptr_eq(last, object)) {
            self.pending.kept.push(Arc::clone(object));
        }
    }

    /// Submits the pending commands.
    ///
    /// When the backend is out of memory, the commands stay pending, and a later call tries again. Any other error is
    /// final for these commands, and a read of their results returns it.
    pub(crate) fn flush(&mut self) -> Result<(), BackendError> {
        let (context, pending) = (self.context, &mut *self.pending);
        if pending.recording.is_empty() {
            context.timeline.free_dropped();
            return Ok(());
        }
        pending.recording.timed |= context.events.is_observed();
        let began = context.events.now();
        let outcome = context.backend.submit(&pending.recording).inspect_err(|error| context.note(error));
        let took = context.events.since(began);
        if let Err(error @ BackendError::OutOfMemory { .. }) = outcome {
            return Err(error);
        }
        // Commands that stay pending are followed by others, so this comes after the submission.
        if context.events.is_observed() {
            pending.batch.observe(&pending.recording);
        }
        context.submitted();
        let result = outcome.as_ref().map(|_| ()).map_err(Clone::clone);
        let (stream, commands) = (pending.recording.stream, pending.recording.commands().len());
        pending.batch.set_outcome(outcome);
        for block in pending.staged.drain(..) {
            context.staging.release_after(block, &pending.batch);
        }
        pending.recording.clear();
        pending.kept.clear();
        let batch = std::mem::replace(&mut pending.batch, Batch::pending(stream));
        if result.is_ok() {
            let number = batch.number();
            context.events.emit_at(began, || Event::Submission { stream, number, commands, took });
            self.track(batch);
        }
        context.timeline.free_dropped();
        result
    }

    /// Submits commands that no wait of the device covers: only the caller receives their outcome.
    pub(crate) fn submit_apart(&mut self, commands: &Recording) -> Result<Ticket, BackendError> {
        self.context.backend.submit(commands)
    }

    /// Adds a submitted batch to those that may still run.
    pub(super) fn track(&mut self, batch: Arc<Batch>) {
        // The sooner the end of a submission is noticed, the better the clocks of host and device can be compared.
        if self.pending.track(batch) || self.context.events.is_observed() {
            self.retire();
        }
    }

    /// Removes the batches that have ended, and reports their commands to the observers.
    pub(super) fn retire(&mut self) {
        let events = &self.context.events;
        self.pending.retire(|batch| events.ended(batch));
    }

    /// Submits the pending commands if there are many, so that the device does not idle.
    pub(super) fn flush_when_full(&mut self) -> Result<(), BackendError> {
        if self.pending.recording.commands().len() < MAX_PENDING {
            return Ok(());
        }
        match self.flush() {
            // The commands stay recorded, so an error would make the caller record them again.
            Err(BackendError::OutOfMemory { .. }) => Ok(()),
            outcome => outcome,
        }
    }
}
