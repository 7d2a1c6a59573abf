//! One suite for every device: what anywarp promises, checked against plain Rust.
//!
//! Devices are found at run time, and a test's name starts with its device:
//! `vulkan::buffer::round_trip_f32`. A device whose memory is the host's runs everything a second
//! time with copies between the two, as `vulkan-staged`.
//!
//! In a browser's page the same cases run on its WebGPU device, awaiting what others block for: see
//! `here.rs`, `browser.rs` and `tools/browser`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | backends that must be there, such as `cpu,vulkan`: a missing one is a failure |

mod awaited;
#[cfg(target_arch = "wasm32")]
mod browser;
mod buffer;
mod case;
mod concurrency;
mod data;
mod device;
#[allow(dead_code)] // other tests need more of it
#[path = "../support/faults.rs"]
mod faults;
mod here;
mod kernel;
mod kernels;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod outcome;
mod properties;
mod recording;
mod refusal;
mod streams;
mod submission;
#[cfg(not(target_arch = "wasm32"))]
mod targets;
mod tolerance;
#[allow(dead_code)] // faults are looked up in `tried`
#[cfg(not(target_arch = "wasm32"))]
#[path = "../support/trial.rs"]
mod trial;
mod tried;
#[path = "../support/verdict.rs"]
mod verdict;

use case::Case;

/// Every case there is.
const GROUPS: &[(&str, &[&[Case]])] = &[
    ("device", &[device::CASES]),
    ("buffer", buffer::CASES),
    ("kernel", kernel::CASES),
    ("recording", &[recording::CASES]),
    ("submission", &[submission::CASES]),
    ("streams", &[streams::CASES]),
    ("concurrency", &[concurrency::CASES]),
    ("awaited", &[awaited::CASES]),
    ("refusal", refusal::CASES),
    ("property", &[properties::CASES]),
];

/// Every case with its group's name and its own.
fn cases() -> impl Iterator<Item = (String, &'static Case)> {
    let groups = GROUPS.iter();
    groups.flat_map(|(group, tables)| {
        tables.iter().copied().flatten().map(move |case| (format!("{group}::{}", case.name), case))
    })
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    native::run()
}

#[cfg(target_arch = "wasm32")]
fn main() {
    browser::run();
}
