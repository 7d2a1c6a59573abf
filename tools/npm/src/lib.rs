//! anywarp for JavaScript: the Rust side of the npm package. `tools/browser/build.sh npm FOLDER` makes the package.
//!
//! A page has one thread, so nothing blocks: opening a device and reading a buffer are awaited. Numbers of JavaScript are
//! converted by the layouts of the WGSL (`numbers`); data is passed as bytes.

#[cfg(target_arch = "wasm32")]
mod device;
#[cfg(target_arch = "wasm32")]
mod launch;
#[cfg(any(test, target_arch = "wasm32"))]
mod numbers;

#[cfg(target_arch = "wasm32")]
pub use device::{Buffer, Device, Kernel};
#[cfg(target_arch = "wasm32")]
pub use launch::Launch;
