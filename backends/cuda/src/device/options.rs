//! Options of opening a device, and the environment variable among them.

/// The iterations of loops that one invocation may make: about a second.
const STEPS: u64 = 1 << 31;
/// The variable that sets another number.
const STEPS_VARIABLE: &str = "ANYWARP_CUDA_STEPS";

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
        let steps = self.steps.or_else(steps_of_environment).unwrap_or(STEPS);
        u32::try_from(steps).unwrap_or(u32::MAX).max(1)
    }
}

fn steps_of_environment() -> Option<u64> {
    let text = std::env::var(STEPS_VARIABLE).ok()?;
    text.trim().parse().inspect_err(|_| log::warn!("{STEPS_VARIABLE} is '{text}', which is no number")).ok()
}
