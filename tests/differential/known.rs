//! What is known to go wrong elsewhere.

use super::faults::{Fault, expected};
use super::run::Failure;

/// The fault by which a kernel, as [`Options::label`](super::options::Options::label) calls it, is known to go wrong on
/// a device. It must still fail, so that the list stays true.
pub(crate) fn known(backend: &str, hardware: &str, kernel: &str) -> Option<&'static Fault> {
    expected("differential", kernel, backend, hardware)
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
