//! The suite of every device: the documented behaviour of anywarp, checked against plain Rust.
//!
//! Devices are found at run time, and a test's name starts with its device: `vulkan::buffer::round_trip_f32`. A device
//! with unified memory runs every case a second time with separate copies, as `vulkan-staged`.
//!
//! In a browser's page the same cases run on the browser's WebGPU device, and await where they otherwise block: see
//! `portable_waits.rs`, `browser.rs` and `tools/browser`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

#[cfg(target_arch = "wasm32")]
mod browser;
mod case_verdict;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[path = "suite.rs"]
mod suite;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    native::run()
}

#[cfg(target_arch = "wasm32")]
fn main() {
    browser::run();
}
