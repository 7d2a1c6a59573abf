//! The suite of every device: the documented behaviour of anywarp, checked against plain Rust.
//!
//! Devices are found at run time, and a test's name starts with its device: `vulkan::buffer::round_trip_f32`. A device
//! with unified memory runs every case a second time with separate copies, as `vulkan-staged`.
//!
//! In a browser's page the same cases run on its WebGPU device, and await where others block: see `here.rs`,
//! `browser.rs` and `tools/browser`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

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

/// All cases, by group.
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

/// All cases, each with the name of its group and its own.
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
