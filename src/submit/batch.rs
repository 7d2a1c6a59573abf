//! One submission, from its first recorded command to its completion.

use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Findings, Ticket};

/// One submission to a stream, pending or submitted.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The outcome of the submission; empty until the commands are submitted or their submission fails.
    outcome: OnceLock<Result<Ticket, BackendError>>,
    stream: u32,
}

impl Batch {
    /// A batch whose commands are not submitted yet.
    pub(super) fn pending(stream: u32) -> Arc<Self> {
        Arc::new(Self { outcome: OnceLock::new(), stream })
    }

    /// A batch that was submitted.
    pub(crate) fn submitted(ticket: Ticket, stream: u32) -> Arc<Self> {
        Arc::new(Self { outcome: OnceLock::from(Ok(ticket)), stream })
    }

    /// Records the outcome of the submission.
    pub(super) fn set_outcome(&self, outcome: Result<Ticket, BackendError>) {
        let _ = self.outcome.set(outcome);
    }

    /// The number of the batch's stream.
    pub(crate) fn stream(&self) -> u32 {
        self.stream
    }

    /// Whether the commands of the batch are not submitted yet.
    pub(crate) fn is_pending(&self) -> bool {
        self.outcome.get().is_none()
    }

    /// Whether no command of the batch runs or will run.
    pub(crate) fn is_over(&self) -> bool {
        self.succeeded().is_some()
    }

    /// Whether the batch succeeded; `None` before its end.
    pub(super) fn succeeded(&self) -> Option<bool> {
        self.outcome.get().and_then(|outcome| outcome.as_ref().map_or(Some(false), Ticket::ended))
    }

    /// The ticket of a submitted batch; a completed ticket before the submission.
    pub(crate) fn ticket(&self) -> Result<Ticket, BackendError> {
        self.outcome.get().cloned().unwrap_or_else(|| Ok(Ticket::ready()))
    }

    /// The findings of a checked device, once the batch has ended.
    pub(super) fn findings(&self) -> Findings {
        self.outcome.get().and_then(|outcome| outcome.as_ref().ok()).map(Ticket::findings).unwrap_or_default()
    }
}
