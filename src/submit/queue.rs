//! The timeline, locked and turned to one stream.

use std::any::Any;
use std::sync::{Arc, MutexGuard};

use anywarp_backend::{BackendError, Recording, Region, Ticket};

use super::batch::Batch;
use super::context::Context;
use super::events::Event;
use super::staging::Block;
use super::timeline::Pending;

/// Commands are handed over at the latest when this many are recorded.
const MAX_PENDING: usize = 128;

/// The pending commands of a device, locked, all for one stream: the only way to the timeline. Buffers move
/// their bytes through it; every other command comes through an [`Encoder`](super::Encoder).
pub(crate) struct Queue<'a> {
    context: &'a Context,
    pending: MutexGuard<'a, Pending>,
}

impl<'a> Queue<'a> {
    /// The pending commands, for whichever stream they are.
    pub(super) fn lock(context: &'a Context) -> Self {
        Self { context, pending: context.timeline.lock() }
    }

    /// Has the commands that follow go to this stream: those for another one are handed over first.
    pub(super) fn turn_to(&mut self, stream: u32) -> Result<(), BackendError> {
        if self.pending.recording.stream != stream {
            // Other errors are reported by a wait for that work: it is not the caller's own.
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

    /// Appends a copy whose buffers are prepared: for the transfers that prepare others.
    pub(crate) fn copy(&mut self, source: Region, target: Region) {
        self.pending.recording.copy(source, target);
    }

    pub(super) fn recording(&mut self) -> &mut Recording {
        &mut self.pending.recording
    }

    pub(super) fn pending(&mut self) -> &mut Pending {
        &mut self.pending
    }

    /// Leaves a staging block to the commands until their batch is over.
    pub(crate) fn stage(&mut self, block: Block) {
        self.pending.staged.push(block);
    }

    /// Keeps `object` alive until the commands are handed over.
    pub(super) fn keep(&mut self, object: &Arc<dyn Any + Send + Sync>) {
        if !self.pending.kept.last().is_some_and(|last| Arc::ptr_eq(last, object)) {
            self.pending.kept.push(Arc::clone(object));
        }
    }

    /// Hands over the pending commands.
    ///
    /// When the backend is out of memory the commands stay pending, to be tried again; any other
    /// refusal is final for them, and is what a read of their results then returns.
    pub(crate) fn flush(&mut self) -> Result<(), BackendError> {
        let (context, pending) = (self.context, &mut *self.pending);
        if pending.recording.is_empty() {
            context.timeline.free_dropped();
            return Ok(());
        }
        pending.recording.timed |= context.events.is_observed();
        let outcome = context.backend.submit(&pending.recording).inspect_err(|error| context.note(error));
        if let Err(error @ BackendError::OutOfMemory { .. }) = outcome {
            return Err(error);
        }
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
            context.events.emit(|| Event::Submission { stream, commands });
            self.follow(batch);
        }
        context.timeline.free_dropped();
        result
    }

    /// Hands over commands that no wait of the device covers: what became of them is the caller's business alone.
    pub(crate) fn submit_apart(&mut self, commands: &Recording) -> Result<Ticket, BackendError> {
        self.context.backend.submit(commands)
    }

    /// Notes that `batch` was handed over.
    pub(super) fn follow(&mut self, batch: Arc<Batch>) {
        if self.pending.follow(batch) {
            self.retire();
        }
    }

    /// Removes the batches that have ended, and reports their commands to those who observe them.
    pub(super) fn retire(&mut self) {
        let events = &self.context.events;
        self.pending.retire(|batch| events.ended(batch));
    }

    /// Hands over the pending commands if there are many: the device should not idle meanwhile.
    pub(super) fn flush_when_full(&mut self) -> Result<(), BackendError> {
        if self.pending.recording.commands().len() < MAX_PENDING {
            return Ok(());
        }
        match self.flush() {
            // The commands stay recorded: were this an error, trying again would record them twice.
            Err(BackendError::OutOfMemory { .. }) => Ok(()),
            outcome => outcome,
        }
    }
}
