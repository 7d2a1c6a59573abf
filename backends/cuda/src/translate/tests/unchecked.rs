//! The only promise in the translator's tests that checks are needless: the tests run no kernel.

use anywarp_backend::{Checks, Unchecked};

/// Returns the option for a program without checks.
pub(in crate::translate) fn unchecked() -> Checks {
    // SAFETY: no kernel is run.
    Checks::Off(unsafe { Unchecked::promise() })
}
