//! Bad input for the processor as a device: each is an error, and the device goes on.
#![cfg(all(feature = "cpu", not(target_arch = "wasm32")))]

#[path = "../support/hanging.rs"]
mod hanging;
mod hosts;
mod kernels;
mod memory;
mod sizes;
mod stops;

use std::time::Duration;

use anywarp::Device;
use anywarp_cpu::Options;

/// A test that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(100);

/// The processor, with one memory and with copies between two; kernels are stopped soon.
fn devices() -> [Device; 2] {
    [false, true].map(|staged| {
        let options = Options { staged, steps: Some(1 << 20), ..Options::default() };
        Device::from_backend(anywarp_cpu::open(options).expect("the processor"))
    })
}

fn device() -> Device {
    devices().into_iter().next().expect("there are two")
}

/// Runs `test` on a thread of its own, so that a hang is a failure.
fn without_hanging(test: impl FnOnce() + Send + 'static) {
    hanging::within(PATIENCE, test);
}

/// `b[i] += 1`
const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&b) { b[id.x] += 1u; }
}";

/// Whether the device still counts.
fn counts(device: &Device) {
    let mut b = device.buffer::<u32>(1000).expect("memory");
    let kernel = device.kernel(COUNT).expect("a kernel");
    kernel.launch().bind("b", &mut b).threads(1000).expect("a launch");
    kernel.launch().bind("b", &mut b).threads(1000).expect("a launch");
    assert_eq!(*b.read().expect("the results"), [2; 1000]);
}
