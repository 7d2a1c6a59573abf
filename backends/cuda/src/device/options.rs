//! Options for opening a device, and the environment variable that sets one of them.

/// The default limit on the loop iterations of one invocation, which take about a second.
const STEPS: u64 = 1 << 31;

/// Options for opening a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether to copy between host and device memory even if both are the same memory.
    pub staged: bool,
    /// The limit on the loop iterations of one invocation, all loops together. Loops that are proven to end are not
    /// counted. A kernel that exceeds the limit is stopped. At most 2^32 - 1. `None` means `ANYWARP_CUDA_STEPS`, or
    /// else 2^31.
    pub steps: Option<u64>,
}

impl Options {
    /// Returns the limit of loop iterations: from these options, the environment, or the default.
    pub(super) fn loop_limit(&self) -> u32 {
        let steps = self.steps.or_else(crate::environment::steps).unwrap_or(STEPS);
        u32::try_from(steps).unwrap_or(u32::MAX).max(1)
    }
}
