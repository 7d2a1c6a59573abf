//! Work that failed, and who has heard of it.
//!
//! A failure is told by every ticket of the submission it happened in, and once by each memory
//! whose contents it spoiled. It moves on to what later work makes of such a memory.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_backend::BackendError;

/// Nobody was told.
const UNTOLD: u64 = u64::MAX;

/// Why some work did not end as it should.
#[derive(Debug)]
pub(crate) struct Failure {
    error: BackendError,
    /// The number of the last submission when somebody was first told.
    told: AtomicU64,
}

impl Failure {
    pub(crate) fn new(error: BackendError) -> Arc<Self> {
        Arc::new(Self { error, told: AtomicU64::new(UNTOLD) })
    }

    /// The error, for somebody who acts on it; `submitted` is the number of the last submission.
    pub(crate) fn tell(&self, submitted: u64) -> BackendError {
        self.told.fetch_min(submitted, Ordering::AcqRel);
        self.error.clone()
    }

    /// Whether the submission `sequence` was made by somebody who could know.
    pub(crate) fn was_told_before(&self, sequence: u64) -> bool {
        self.told.load(Ordering::Acquire) < sequence
    }
}

/// Runs `work`, a panic of which becomes an error.
pub(crate) fn guarded<T>(
    operation: &'static str,
    work: impl FnOnce() -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(panicked(operation, panic.as_ref())))
}

/// The error that a panic becomes.
pub(crate) fn panicked(operation: &'static str, panic: &(dyn Any + Send)) -> BackendError {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    BackendError::Rejected { operation, message: format!("an internal check failed: {said}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_handed_over_later_was_made_by_somebody_who_knew() {
        let failure = Failure::new(BackendError::CannotBlock);
        assert!(!failure.was_told_before(3));
        assert_eq!(failure.tell(3), BackendError::CannotBlock);
        failure.tell(9);
        assert!(!failure.was_told_before(3) && failure.was_told_before(4));
    }

    #[test]
    fn a_panic_becomes_an_error_that_says_what_it_said() {
        let error = guarded::<()>("compiling", || panic!("seven is {}", 7)).unwrap_err();
        assert_eq!(error.to_string(), "compiling was refused: an internal check failed: seven is 7");
    }
}
