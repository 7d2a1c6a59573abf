//! Options for opening a device, and the environment variable among them.

/// The default limit on the loop iterations of one invocation: about a second.
const STEPS: u64 = 1 << 31;

/// Options for opening a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether to copy between host and device memory even if they are one.
    pub staged: bool,
    /// The limit on the iterations of all loops of one invocation together, without those of loops that are proven to
    /// end; the kernel is stopped beyond it. At most 2^32 - 1. `None` means `ANYWARP_CUDA_STEPS`, or else 2^31.
    pub steps: Option<u64>,
}

impl Options {
    /// Returns the limit of loop iterations: from these options, the environment, or the default.
    pub(super) fn loop_limit(&self) -> u32 {
        let steps = self.steps.or_else(crate::environment::steps).unwrap_or(STEPS);
        u32::try_from(steps).unwrap_or(u32::MAX).max(1)
    }
}
