//! Invalid input for CUDA: missing, too large, corrupt or endless input results in an error, and affects nothing else.
//!
//! Without a GPU only the errors about the missing GPU are tested; with `ANYWARP_REQUIRE=cuda` this is a failure.

mod absence;
mod cache;
mod limits;
mod loss;
mod stops;

use std::time::Duration;

use anywarp::Device;
use anywarp_testing::hanging;
use anywarp_testing_devices::counting::counts;

/// The time after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(100);

/// Opens the first GPU; returns `None`, with a message, on a machine without one.
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

/// Runs `test` on its own thread, so that a hang is a failure.
fn without_hanging(test: impl FnOnce() + Send + 'static) {
    hanging::within(PATIENCE, test);
}
