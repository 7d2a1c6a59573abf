//! What is known to go wrong elsewhere.

use super::run::Failure;

/// A kernel that a device cannot run rightly, and why. It must still fail, so that the list stays true.
pub(crate) struct Known {
    /// A part of the device's name or its driver's.
    device: &'static str,
    seed: u64,
    size: usize,
    pub(crate) reason: &'static str,
    /// It would end the process, and is not run.
    pub(crate) crashes: bool,
}

const HALVES: &str = "llvmpipe: the second half of pack2x16float comes out as zero";
const LOST: &str = "llvmpipe: the device is lost with VK_ERROR_UNKNOWN";

const NEGATION: &str = "NVRTC 13.0: its assembler loses a negation in the smaller of three numbers; 13.5 is right";
const NVRTC_CRASH: &str = "NVRTC 13.0: the process ends with SIGSEGV while the kernel is compiled; not with 13.5";

const CRASH: &str = "llvmpipe: the process ends with SIGSEGV while the kernel is compiled";

const fn llvmpipe(seed: u64, reason: &'static str, crashes: bool) -> Known {
    Known { device: "llvmpipe", seed, size: 4, reason, crashes }
}

/// On a CUDA device whose NVRTC is of this version; its driver line names it.
const fn nvrtc(seed: u64, reason: &'static str, crashes: bool) -> Known {
    Known { device: "NVRTC 13.0", seed, size: 4, reason, crashes }
}

const KNOWN: &[Known] = &[
    llvmpipe(105, LOST, false),
    llvmpipe(150, HALVES, false),
    llvmpipe(641, CRASH, true),
    llvmpipe(786, LOST, false),
    llvmpipe(853, CRASH, true),
    llvmpipe(881, HALVES, false),
    llvmpipe(1071, CRASH, true),
    llvmpipe(1309, LOST, false),
    llvmpipe(1514, CRASH, true),
    llvmpipe(1640, LOST, false),
    llvmpipe(1841, CRASH, true),
    nvrtc(23, NVRTC_CRASH, true),
    nvrtc(1545, NEGATION, false),
];

/// Whether this kernel is known to fail on this device.
pub(crate) fn known(device: &str, seed: u64, size: usize) -> Option<&'static Known> {
    KNOWN.iter().find(|known| device.contains(known.device) && known.seed == seed && known.size == size)
}

/// What the front end rightly refuses: constants out of range in code that no run reaches, which
/// the generator, whose reference runs the kernel, does not see.
pub(crate) fn is_unreached_constant(failure: &Failure) -> bool {
    let Failure::Error(text) = failure else { return false };
    text.contains("is not valid WGSL")
        && ["Shift amount exceeds the bit width", " is out of [", "Division by zero"]
            .iter()
            .any(|part| text.contains(part))
}
