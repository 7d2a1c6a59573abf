//! Bad input for CUDA: what is missing, too large, broken or endless is an error value, and nothing
//! is lost that need not be.
//!
//! Without a card only what is said about its absence is tested; `ANYWARP_REQUIRE=cuda` makes that a
//! failure.
#![cfg(all(feature = "cuda", not(target_arch = "wasm32")))]

mod absence;
mod cache;
#[path = "../support/counting.rs"]
mod counting;
#[path = "../support/hanging.rs"]
mod hanging;
mod limits;
mod loss;
mod stops;

use std::time::Duration;

use anywarp::Device;
use counting::counts;

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
