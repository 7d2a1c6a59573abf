//! The option for programs without checks, used only by tests of the translator, which run no kernel.

use anywarp_backend::{Checks, Unchecked};

/// Returns the option for a program without checks.
pub(in crate::translate) fn unchecked() -> Checks {
    // SAFETY: the tests run no kernel.
    Checks::Off(unsafe { Unchecked::promise() })
}
