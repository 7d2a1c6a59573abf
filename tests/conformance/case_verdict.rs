//! The verdict of one case on one device.

use anywarp::Device;
use anywarp::backend::Caps;

use crate::suite::case::Case;
use anywarp_testing_devices::driver_bugs::expected;
use anywarp_testing_devices::verdict::{Verdict, judged};

/// Runs `case` on a device whose hardware is named `hardware`; `name` is the case's name with its group.
pub(crate) async fn case_verdict(case: &Case, name: &str, device: &Device, hardware: &str) -> Verdict {
    let outcome = case.outcome(device).await;
    let bug = expected("conformance", name, device.caps().backend.name(), hardware);
    judged(outcome, bug.map(|bug| (bug.name, bug.what)))
}

/// The line about a device, which programs parse: `device cpu: NAME DRIVER; features: f16 i64`.
pub(crate) fn device_line(target: &str, caps: &Caps) -> String {
    format!("device {target}: {} {}; features: {}", caps.name, caps.driver, caps.feature_names().join(" "))
}
