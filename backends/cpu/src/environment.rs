//! The environment variable of the processor.

use anywarp_host::environment;

/// Iterations that the loops of a workgroup may make together: see [`Options::steps`](crate::Options::steps).
pub(crate) fn steps() -> Option<u64> {
    environment::number("ANYWARP_CPU_STEPS")
}
