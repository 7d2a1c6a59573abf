//! Options of opening a device, and the environment variable among them.

/// The iterations of loops that one invocation may make: about a second.
const STEPS: u64 = 1 << 31;

/// Options of opening a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Copy between host and device memory although the two are one.
    pub staged: bool,
    /// Iterations that all loops of one invocation may make together, where it cannot be seen that
    /// they end, before the kernel is stopped; at most 2^32 - 1. Without it `ANYWARP_CUDA_STEPS`,
    /// then 2^31.
    pub steps: Option<u64>,
}

impl Options {
    /// Returns the limit of loops, from here, the environment, or as usual.
    pub(super) fn loop_limit(&self) -> u32 {
        let steps = self.steps.or_else(crate::environment::steps).unwrap_or(STEPS);
        u32::try_from(steps).unwrap_or(u32::MAX).max(1)
    }
}
