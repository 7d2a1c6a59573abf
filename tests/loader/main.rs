//! The loader: what it delivers, in which order, what it says when reading fails, and that it leaves
//! nothing behind. Every test runs on the processor, with copies and without, on null devices, and on
//! Vulkan where it is.

mod asynchronous;
mod data;
mod delivery;
mod endings;
mod failures;
#[path = "../support/hanging.rs"]
mod hanging;
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

/// A test that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `test` on every device, each time on a thread of its own, so that a hang is a failure.
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
        // Two blocks of upload memory: workers wait for each other, or write elsewhere.
        ("cpu-limited", open("cpu", true, Some(8 << 10)).expect("it needs nothing")),
        ("null", null(&NullOptions::unified())),
        ("null-staged", null(&NullOptions::staged())),
    ];
    for (name, staged) in [("vulkan", false), ("vulkan-staged", true)] {
        match open("vulkan", staged, None) {
            Ok(device) => devices.push((name, device)),
            Err(error) => {
                let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
                assert!(!required.contains("vulkan"), "ANYWARP_REQUIRE demands it: {error}");
                println!("{name}: skipped: there is none");
            }
        }
    }
    devices
}

/// A device that needs no driver and no time.
fn null() -> Device {
    Device::from_backend(NullBackend::with(&NullOptions::staged()))
}
