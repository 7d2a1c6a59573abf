//! The one promise of the translator's tests that checks are needless: they run nothing.

use anywarp_backend::{Checks, Unchecked};

/// Returns the choice of a program without checks.
pub(in crate::translate) fn unchecked() -> Checks {
    // SAFETY: nothing is run.
    Checks::Off(unsafe { Unchecked::promise() })
}
