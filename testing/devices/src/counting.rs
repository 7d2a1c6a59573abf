//! A simple kernel for checking that a device still works.

use anywarp::Device;

/// Computes `b[i] += 1`.
pub const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&b) { b[id.x] += 1u; }
}";

/// Checks that the device still runs the kernel correctly.
pub fn counts(device: &Device) {
    let mut b = device.buffer::<u32>(1000).expect("memory");
    let kernel = device.kernel(COUNT).expect("a kernel");
    kernel.launch().bind("b", &mut b).threads(1000).expect("a launch");
    kernel.launch().bind("b", &mut b).threads(1000).expect("a launch");
    assert_eq!(*b.read().expect("the results"), [2; 1000]);
}
