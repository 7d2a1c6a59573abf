//! The environment variable of the processor.

use anywarp_host::environment;

/// The limit on the loop iterations of a workgroup: see [`Options::steps`](crate::Options::steps).
pub(crate) fn steps() -> Option<u64> {
    environment::number("ANYWARP_CPU_STEPS")
}
