//! The loader: the delivered batches, their order, errors of readers, and the release of all resources. Every test runs
//! on the CPU backend, with and without copies, on null devices, and on Vulkan where it is available.

mod asynchronous;
mod data;
mod delivery;
mod endings;
mod failures;
#[cfg(feature = "images")]
mod images;
mod in_memory;
mod owned;
mod recordings;
mod recycling;
mod refusals;
mod statistics;
mod streams;
mod tuning;
mod wakers;

use std::time::Duration;

use anywarp::{Device, DeviceOptions};
use anywarp_null::{NullBackend, NullOptions};
use anywarp_testing::hanging;

/// The time after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `test` on every device, each time on a new thread, so that a hang is a failure.
fn on_each_device(test: fn(&Device)) {
    for (name, device) in devices() {
        hanging::within(PATIENCE, move || {
            println!("on {name}");
            test(&device);
        });
    }
}

fn devices() -> Vec<(&'static str, Device)> {
    let open = |selector: &str, staged, staging_limit| {
        let mut options = DeviceOptions::default().selector(selector).staged(staged);
        options.staging_limit = staging_limit;
        Device::open_with(&options)
    };
    let null = |options: &NullOptions| Device::from_backend(NullBackend::with(options));
    let mut devices = vec![
        ("cpu", open("cpu", false, None).expect("it needs nothing")),
        ("cpu-staged", open("cpu", true, None).expect("it needs nothing")),
        // The limit has room for two blocks of upload memory: a worker waits for the block of another worker, or allocates
        // a block beyond the limit, as the loader may.
        ("cpu-limited", open("cpu", true, Some(8 << 10)).expect("it needs nothing")),
        ("null", null(&NullOptions::unified())),
        ("null-staged", null(&NullOptions::staged())),
    ];
    for (name, staged) in [("vulkan", false), ("vulkan-staged", true)] {
        match open("vulkan", staged, None) {
            Ok(device) => devices.push((name, device)),
            Err(error) => {
                let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
                assert!(!required.contains("vulkan"), "ANYWARP_REQUIRE names vulkan: {error}");
                println!("{name}: skipped: no Vulkan device");
            }
        }
    }
    devices
}

/// A null device, which needs no driver and executes nothing.
fn null() -> Device {
    Device::from_backend(NullBackend::with(&NullOptions::staged()))
}
