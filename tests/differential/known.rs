//! Known bugs of drivers and of naga.

use crate::run::Failure;
use anywarp_testing_devices::driver_bugs::{DriverBug, expected};

/// The known bug, if there is one, that makes a kernel fail on a device;
/// [`Options::label`](crate::options::Options::label) names the kernel. The kernel must still fail there, so that the
/// list remains true.
pub(crate) fn known(backend: &str, hardware: &str, kernel: &str) -> Option<&'static DriverBug> {
    expected("differential", kernel, backend, hardware)
}

/// Whether the front end rightly refuses a constant out of range in code that no run executes. The reference does not
/// find such a constant, because it runs the kernel.
pub(crate) fn is_unreached_constant(failure: &Failure) -> bool {
    let Failure::Error(text) = failure else { return false };
    text.contains("is not valid WGSL")
        && ["Shift amount exceeds the bit width", " is out of [", "Division by zero"]
            .iter()
            .any(|part| text.contains(part))
}
