//! The environment variable of the CPU backend.

use anywarp_host::environment;

/// The value of `ANYWARP_CPU_STEPS`, see [`Options::steps`](crate::Options::steps).
pub(crate) fn steps() -> Option<u64> {
    environment::number("ANYWARP_CPU_STEPS")
}
