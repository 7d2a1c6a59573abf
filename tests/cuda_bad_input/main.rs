//! Bad input for CUDA: what is missing, too large, broken or endless is an error value, and nothing
//! is lost that need not be.
//!
//! Without a card only what is said about its absence is tested; `ANYWARP_REQUIRE=cuda` makes that a
//! failure.
#![cfg(all(feature = "cuda", not(target_arch = "wasm32")))]

mod absence;
mod cache;
#[path = "../support/hanging.rs"]
mod hanging;
mod limits;
mod loss;
mod stops;

use std::time::Duration;

use anywarp::Device;

/// A test that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(100);

/// The first card, or `None` with a word about it.
fn device() -> Option<Device> {
    match Device::open("cuda") {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|backend| backend.trim() == "cuda"), "{error}");
            println!("skipped: {error}");
            None
        }
    }
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
