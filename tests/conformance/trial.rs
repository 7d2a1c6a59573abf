//! From how a case ended to what is told of it.

use anywarp::Device;

use crate::case::Case;
use crate::known::known_failure;
use crate::outcome::{Stop, TestResult};

/// What is told of a case.
pub(crate) enum Verdict {
    Passed,
    /// With the reason.
    Ignored(String),
    /// With what went wrong.
    Failed(String),
}

/// Runs `case`, whose name with its group's is `name`, on a device that calls itself `hardware`.
pub(crate) async fn tried(case: &Case, name: &str, device: &Device, hardware: &str) -> Verdict {
    let outcome = case.outcome(device).await;
    judged(outcome, known_failure(hardware, name).map(|known| (known.device, known.reason)))
}

/// The verdict on a case that may be listed as failing: the device and the reason that the list
/// gives. Such a case must fail.
fn judged(outcome: TestResult, listed: Option<(&str, &str)>) -> Verdict {
    match (listed, outcome) {
        (None, outcome) => verdict(outcome),
        (Some((_, reason)), Err(Stop::Fail(_))) => Verdict::Ignored(format!("fails, as is known: {reason}")),
        (Some(_), Err(skip)) => verdict(Err(skip)),
        (Some((device, reason)), Ok(())) => Verdict::Failed(format!(
            "this case is listed as a known failure of '{device}' ({reason}) but passes: take it off the list"
        )),
    }
}

/// The verdict on what is listed nowhere.
pub(crate) fn verdict(outcome: TestResult) -> Verdict {
    match outcome {
        Ok(()) => Verdict::Passed,
        Err(Stop::Skip(reason)) => Verdict::Ignored(reason),
        Err(Stop::Fail(message)) => Verdict::Failed(message),
    }
}
