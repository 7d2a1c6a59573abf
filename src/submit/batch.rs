//! One submission, from its first recorded command to its completion.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Command, Dispatch, Findings, Grid, Observations, Recording, Ticket};

/// One submission to a stream, pending or submitted.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The outcome of the submission; empty until the commands are submitted or their submission fails.
    outcome: OnceLock<Result<Ticket, BackendError>>,
    stream: u32,
    /// The number of the submission among those of the process.
    number: u64,
    /// The number of workgroups of each launch and library call, for observers; empty until then.
    workgroups: OnceLock<Vec<Option<u64>>>,
}

/// The number of the next batch.
static NEXT: AtomicU64 = AtomicU64::new(1);

fn fresh() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Batch {
    /// A batch whose commands are not submitted yet.
    pub(super) fn pending(stream: u32) -> Arc<Self> {
        Arc::new(Self { outcome: OnceLock::new(), stream, number: fresh(), workgroups: OnceLock::new() })
    }

    /// A batch that was submitted.
    pub(crate) fn submitted(ticket: Ticket, stream: u32) -> Arc<Self> {
        let outcome = OnceLock::from(Ok(ticket));
        Arc::new(Self { outcome, stream, number: fresh(), workgroups: OnceLock::new() })
    }

    /// Records the outcome of the submission.
    pub(super) fn set_outcome(&self, outcome: Result<Ticket, BackendError>) {
        let _ = self.outcome.set(outcome);
    }

    /// Keeps the numbers of workgroups of the launches, for observers.
    pub(super) fn observe(&self, recording: &Recording) {
        let workgroups = recording.commands().iter().filter_map(|command| match command {
            Command::Dispatch(Dispatch { grid: Grid::Groups(groups), .. }) => {
                Some(Some(groups.iter().map(|count| u64::from(*count)).product()))
            }
            Command::Dispatch(_) | Command::Library(_) => Some(None),
            Command::Copy { .. } | Command::Fill { .. } => None,
        });
        let _ = self.workgroups.set(workgroups.collect());
    }

    /// The number of workgroups of each launch and library call; empty unless the batch was observed.
    pub(super) fn workgroups(&self) -> &[Option<u64>] {
        self.workgroups.get().map_or(&[], Vec::as_slice)
    }

    /// The number of the batch's stream.
    pub(crate) fn stream(&self) -> u32 {
        self.stream
    }

    /// The number of the submission among those of the process.
    pub(super) fn number(&self) -> u64 {
        self.number
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

    /// The counts of an observed device, once the batch has ended.
    pub(super) fn observations(&self) -> Observations {
        self.outcome.get().and_then(|outcome| outcome.as_ref().ok()).map(Ticket::observations).unwrap_or_default()
    }

    /// The findings of a checked device, once the batch has ended.
    pub(super) fn findings(&self) -> Findings {
        self.outcome.get().and_then(|outcome| outcome.as_ref().ok()).map(Ticket::findings).unwrap_or_default()
    }
}
