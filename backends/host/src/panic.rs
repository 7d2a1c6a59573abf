//! Panics of a backend's own code, as errors.

use std::any::Any;

use anywarp_backend::BackendError;

/// Runs a backend's own code, a panic of which becomes an error.
///
/// # Errors
/// Those of `work`, or [`BackendError::Rejected`] with what the panic said.
pub fn guarded<T>(operation: &'static str, work: impl FnOnce() -> Result<T, BackendError>) -> Result<T, BackendError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(panicked(operation, panic.as_ref())))
}

/// The error that a panic of a backend's own code becomes.
pub fn panicked(operation: &'static str, panic: &(dyn Any + Send)) -> BackendError {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    BackendError::Rejected { operation, message: format!("an internal check failed: {said}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_says_what_it_said() {
        let error = guarded::<()>("compiling", || panic!("seven is {}", 7)).unwrap_err();
        assert_eq!(error.to_string(), "compiling failed: an internal check failed: seven is 7");
    }
}
