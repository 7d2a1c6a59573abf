//! The environment variables of the CUDA backend.

use anywarp_host::environment;

/// The variable that names the file or folder of NVRTC.
pub(crate) const NVRTC: &str = "ANYWARP_NVRTC";

/// The variable that names the file or folder of `nvdisasm` or `cuobjdump`.
pub(crate) const NVDISASM: &str = "ANYWARP_NVDISASM";

/// Returns the limit on the loop iterations of an invocation: see [`Options::steps`](crate::Options::steps).
pub(crate) fn steps() -> Option<u64> {
    environment::number("ANYWARP_CUDA_STEPS")
}
