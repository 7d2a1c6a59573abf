//! Conversion of panics in a backend's own code into errors.

use std::any::Any;

use anywarp_backend::BackendError;

/// Runs a backend's own code and converts a panic into an error.
///
/// # Errors
/// The errors of `work`, or [`BackendError::Rejected`] with the panic's message.
pub fn guarded<T>(operation: &'static str, work: impl FnOnce() -> Result<T, BackendError>) -> Result<T, BackendError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(panicked(operation, panic.as_ref())))
}

/// Returns the error for a panic of a backend's own code.
pub fn panicked(operation: &'static str, panic: &(dyn Any + Send)) -> BackendError {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    BackendError::Rejected { operation, message: format!("an internal check failed: {said}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        let error = guarded::<()>("compiling", || panic!("seven is {}", 7)).unwrap_err();
        assert_eq!(error.to_string(), "compiling failed: an internal check failed: seven is 7");
    }
}
