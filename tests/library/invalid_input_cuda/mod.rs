//! Bad input for CUDA: missing, too large, corrupt or endless input is an error, and nothing else is lost.
//!
//! Without a GPU only the errors about its absence are tested; `ANYWARP_REQUIRE=cuda` makes that a failure.

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

/// The first GPU, or `None` with a message.
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
