//! The devices of tests that have to pass on all of them.

use crate::device::Candidate;
use crate::{Device, environment};

/// The end of the names of these tests, by which `.ci/run` runs them again where there is a Vulkan driver.
const END: &str = "_on_every_device";

/// Returns the CPU and every other device of this machine; those of the backends that `ANYWARP_REQUIRE` names, if it is
/// set.
///
/// The name of the calling test ends with `_on_every_device`.
pub(crate) fn devices() -> Vec<Device> {
    let thread = std::thread::current();
    // The thread of a test has its path as a name; that of a program has none.
    let test = thread.name().filter(|name| name.contains("::")).unwrap_or(END);
    assert!(test.ends_with(END), "{test}: a test on all devices has a name that ends with '{END}'");
    let is_wanted = |candidate: &Candidate| environment::requires(candidate.caps.backend.name());
    Device::enumerate().into_iter().filter(is_wanted).map(|candidate| candidate.open().unwrap()).collect()
}
