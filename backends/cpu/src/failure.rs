//! Work that failed, and who has heard of it.
//!
//! A failure is told by every ticket of the submission it happened in, and once by each memory
//! whose contents it spoiled. Work that would read such a memory does not run: the failure moves on
//! to what that work would have written.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anywarp_backend::BackendError;

/// Why some work did not end as it should.
#[derive(Debug)]
pub(crate) struct Failure {
    error: BackendError,
    told: AtomicBool,
}

impl Failure {
    pub(crate) fn new(error: BackendError) -> Arc<Self> {
        Arc::new(Self { error, told: AtomicBool::new(false) })
    }

    /// The error, for somebody who acts on it.
    pub(crate) fn tell(&self) -> BackendError {
        self.told.store(true, Ordering::Release);
        self.error.clone()
    }

    /// Whether anybody was told.
    pub(crate) fn is_told(&self) -> bool {
        self.told.load(Ordering::Acquire)
    }
}

/// The error that a panic of this crate's own code becomes.
pub(crate) fn panicked(operation: &'static str, panic: &(dyn Any + Send)) -> BackendError {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    BackendError::Rejected { operation, message: format!("an internal check failed: {said}") }
}

/// Runs `work`, a panic of which becomes an error.
pub(crate) fn guarded<T>(
    operation: &'static str,
    work: impl FnOnce() -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(panicked(operation, panic.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_says_what_it_said() {
        let error = guarded::<()>("compiling", || panic!("seven is {}", 7)).unwrap_err();
        assert_eq!(error.to_string(), "compiling was refused: an internal check failed: seven is 7");
    }
}
