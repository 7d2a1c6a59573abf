//! The verdict of one case on one device.

use anywarp::Device;
use anywarp::backend::Caps;

use crate::case::Case;
use crate::faults::expected;
use crate::verdict::{Verdict, judged};

/// Runs `case`, named `name` with its group, on a device with the names in `hardware`.
pub(crate) async fn tried(case: &Case, name: &str, device: &Device, hardware: &str) -> Verdict {
    let outcome = case.outcome(device).await;
    let fault = expected("conformance", name, device.caps().backend.name(), hardware);
    judged(outcome, fault.map(|fault| (fault.name, fault.what)))
}

/// The line about a device, which programs parse: `device cpu: NAME DRIVER; features: f16 i64`.
pub(crate) fn described(target: &str, caps: &Caps) -> String {
    format!("device {target}: {} {}; features: {}", caps.name, caps.driver, caps.feature_names().join(" "))
}
