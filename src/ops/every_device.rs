//! The devices of tests that have to pass on all of them.

use crate::Device;

/// The end of the names of these tests, by which `.ci/run` runs them again where there is a Vulkan driver.
const END: &str = "_on_every_device";

/// Returns the CPU and every other device of this machine.
///
/// The name of the calling test ends with `_on_every_device`.
pub(crate) fn devices() -> Vec<Device> {
    let thread = std::thread::current();
    // The thread of a test has its path as a name; that of a program has none.
    let test = thread.name().filter(|name| name.contains("::")).unwrap_or(END);
    assert!(test.ends_with(END), "{test}: a test on all devices has a name that ends with '{END}'");
    Device::enumerate().into_iter().map(|candidate| candidate.open().unwrap()).collect()
}
