//! One case on one device, and what is told of it.

use anywarp::Device;
use anywarp::backend::Caps;

use crate::case::Case;
use crate::faults::expected;
use crate::verdict::{Verdict, judged};

/// Runs `case`, whose name with its group's is `name`, on a device that calls itself `hardware`.
pub(crate) async fn tried(case: &Case, name: &str, device: &Device, hardware: &str) -> Verdict {
    let outcome = case.outcome(device).await;
    let fault = expected("conformance", name, device.caps().backend.name(), hardware);
    judged(outcome, fault.map(|fault| (fault.name, fault.what)))
}

/// A device that results are of, in one line that programs read, too: `device cpu: NAME DRIVER; features: f16 i64`.
pub(crate) fn described(target: &str, caps: &Caps) -> String {
    format!("device {target}: {} {}; features: {}", caps.name, caps.driver, caps.feature_names().join(" "))
}
