//! Failed work, and when its failure was first reported to a caller.
//!
//! Every ticket of the failed submission reports the failure. Each memory whose contents the failure has
//! [poisoned](crate::Poison) reports it once. Later work that uses such a memory passes the failure on to the memory
//! that the work writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_backend::BackendError;

/// The value of `Failure::reported` until the failure is reported to a caller.
const UNREPORTED: u64 = u64::MAX;

/// The error of submitted work, and whether a caller has received it.
#[derive(Debug)]
pub struct Failure {
    error: BackendError,
    /// The number of the submission that was the last one when the failure was first reported.
    reported: AtomicU64,
}

impl Failure {
    /// Returns a failure that was not reported yet.
    #[must_use]
    pub fn new(error: BackendError) -> Arc<Self> {
        Arc::new(Self { error, reported: AtomicU64::new(UNREPORTED) })
    }

    /// Returns the error to report to a caller; `submitted` is the number of the last submission.
    pub fn report(&self, submitted: u64) -> BackendError {
        self.reported.fetch_min(submitted, Ordering::AcqRel);
        self.error.clone()
    }

    /// Whether the submission with this number was made after the failure was reported.
    #[must_use]
    pub fn was_reported_before(&self, submission: u64) -> bool {
        self.reported.load(Ordering::Acquire) < submission
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_submitted_later_was_made_with_the_failure_known() {
        let failure = Failure::new(BackendError::CannotBlock);
        assert!(!failure.was_reported_before(3) && !failure.was_reported_before(u64::MAX));
        assert_eq!(failure.report(3), BackendError::CannotBlock);
        assert_eq!(failure.report(9), BackendError::CannotBlock);
        assert!(!failure.was_reported_before(3) && failure.was_reported_before(4));
    }
}
