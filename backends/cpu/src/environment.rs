//! The environment variables of the CPU backend.

use anywarp_host::environment;

use crate::math::Functions;

/// The value of `ANYWARP_CPU_STEPS`, see [`Options::steps`](crate::Options::steps).
pub(crate) fn steps() -> Option<u64> {
    environment::number("ANYWARP_CPU_STEPS")
}

/// The value of `ANYWARP_CPU_FUNCTIONS`, see [`Options::functions`](crate::Options::functions).
pub(crate) fn functions() -> Functions {
    environment::word("ANYWARP_CPU_FUNCTIONS", &[("fast", Functions::Fast), ("precise", Functions::Precise)])
        .unwrap_or_default()
}
