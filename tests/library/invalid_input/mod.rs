//! Invalid input for the CPU backend: it results in an error, and the device still works.

mod hosts;
mod kernels;
mod memory;
mod messages;
mod sizes;
mod stops;

use std::time::Duration;

use anywarp::Device;
use anywarp_cpu::Options;
use anywarp_testing::hanging;
use anywarp_testing_devices::counting::{COUNT, counts};

/// The time after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(100);

/// The CPU device with unified memory and with copies; both stop kernels after few iterations.
fn devices() -> [Device; 2] {
    [false, true].map(|staged| {
        let options = Options { staged, steps: Some(1 << 20), ..Options::default() };
        Device::from_backend(anywarp_cpu::open(options).expect("the processor"))
    })
}

fn device() -> Device {
    devices().into_iter().next().expect("there are two")
}

/// Runs `test` on its own thread, so that a hang is a failure.
fn without_hanging(test: impl FnOnce() + Send + 'static) {
    hanging::within(PATIENCE, test);
}
