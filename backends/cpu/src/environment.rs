//! The environment variables of the CPU backend.

use anywarp_host::environment;

use crate::codegen::Isa;
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

/// The value of `ANYWARP_CPU_ISA`: the instructions of kernels; `None` for the best ones of the processor.
pub(crate) fn isa() -> Option<Isa> {
    environment::word("ANYWARP_CPU_ISA", &[("baseline", Isa::Baseline), ("avx2", Isa::Avx2), ("avx512", Isa::Avx512)])
}
