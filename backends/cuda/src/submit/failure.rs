//! Work that failed, and who has heard of it.
//!
//! A failure is told by every ticket of the submission it happened in, and once by each memory
//! whose contents it poison. It moves on to what later work makes of such a memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_backend::BackendError;

/// Nobody was told.
const UNREPORTED: u64 = u64::MAX;

/// Why some work did not end as it should.
#[derive(Debug)]
pub(crate) struct Failure {
    error: BackendError,
    /// The number of the last submission when somebody was first told.
    told: AtomicU64,
}

impl Failure {
    pub(crate) fn new(error: BackendError) -> Arc<Self> {
        Arc::new(Self { error, told: AtomicU64::new(UNREPORTED) })
    }

    /// The error, for somebody who acts on it; `submitted` is the number of the last submission.
    pub(crate) fn report(&self, submitted: u64) -> BackendError {
        self.told.fetch_min(submitted, Ordering::AcqRel);
        self.error.clone()
    }

    /// Whether the submission `sequence` was made by somebody who could know.
    pub(crate) fn was_reported_before(&self, sequence: u64) -> bool {
        self.told.load(Ordering::Acquire) < sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_handed_over_later_was_made_by_somebody_who_knew() {
        let failure = Failure::new(BackendError::CannotBlock);
        assert!(!failure.was_reported_before(3));
        assert_eq!(failure.report(3), BackendError::CannotBlock);
        failure.report(9);
        assert!(!failure.was_reported_before(3) && failure.was_reported_before(4));
    }
}
