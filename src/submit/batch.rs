//! One submission, from the first command recorded for it to its end.

use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Findings, Ticket};

/// One submission to a stream, pending or handed over.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Set when the commands were handed over, or could not be.
    outcome: OnceLock<Result<Ticket, BackendError>>,
    stream: u32,
}

impl Batch {
    /// A batch whose commands are yet to be handed over.
    pub(super) fn pending(stream: u32) -> Arc<Self> {
        Arc::new(Self { outcome: OnceLock::new(), stream })
    }

    /// A batch that was handed over.
    pub(crate) fn submitted(ticket: Ticket, stream: u32) -> Arc<Self> {
        Arc::new(Self { outcome: OnceLock::from(Ok(ticket)), stream })
    }

    /// Records what became of the hand-over.
    pub(super) fn set_outcome(&self, outcome: Result<Ticket, BackendError>) {
        let _ = self.outcome.set(outcome);
    }

    /// The number of its stream.
    pub(crate) fn stream(&self) -> u32 {
        self.stream
    }

    /// Whether its commands wait to be handed over.
    pub(crate) fn is_pending(&self) -> bool {
        self.outcome.get().is_none()
    }

    /// Whether nothing of it runs any more, or will.
    pub(crate) fn is_over(&self) -> bool {
        self.succeeded().is_some()
    }

    /// Whether it has ended, and then whether without an error.
    pub(super) fn succeeded(&self) -> Option<bool> {
        self.outcome.get().and_then(|outcome| outcome.as_ref().map_or(Some(false), Ticket::ended))
    }

    /// The ticket of a batch that was handed over; a finished one before that.
    pub(crate) fn ticket(&self) -> Result<Ticket, BackendError> {
        self.outcome.get().cloned().unwrap_or_else(|| Ok(Ticket::ready()))
    }

    /// The findings of a checked device, once the batch has ended.
    pub(super) fn findings(&self) -> Findings {
        self.outcome.get().and_then(|outcome| outcome.as_ref().ok()).map(Ticket::findings).unwrap_or_default()
    }
}
