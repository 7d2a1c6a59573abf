//! Failures of work, and whether they were reported.
//!
//! A failure is reported by every ticket of the submission it happened in, and once by each memory that it
//! poisons. It moves on to the memories that later work writes from such a one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_backend::BackendError;

/// No report was made.
const UNREPORTED: u64 = u64::MAX;

/// The reason why some work did not end as it should.
#[derive(Debug)]
pub(crate) struct Failure {
    error: BackendError,
    /// The number of the last submission at the first report.
    reported: AtomicU64,
}

impl Failure {
    pub(crate) fn new(error: BackendError) -> Arc<Self> {
        Arc::new(Self { error, reported: AtomicU64::new(UNREPORTED) })
    }

    /// Returns the error for the program; `submitted` is the number of the last submission.
    pub(crate) fn report(&self, submitted: u64) -> BackendError {
        self.reported.fetch_min(submitted, Ordering::AcqRel);
        self.error.clone()
    }

    /// Returns whether the program could know of the failure when it made the submission `sequence`.
    pub(crate) fn was_reported_before(&self, sequence: u64) -> bool {
        self.reported.load(Ordering::Acquire) < sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_submissions_are_made_knowingly() {
        let failure = Failure::new(BackendError::CannotBlock);
        assert!(!failure.was_reported_before(3));
        assert_eq!(failure.report(3), BackendError::CannotBlock);
        failure.report(9);
        assert!(!failure.was_reported_before(3) && failure.was_reported_before(4));
    }
}
