//! From how a case ended to what is told of it.

use anywarp::Device;

use crate::case::Case;
use crate::faults::expected;
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
    let fault = expected("conformance", name, device.caps().backend, hardware);
    judged(outcome, fault.map(|fault| (fault.name, fault.what)))
}

/// The verdict on a case that may be listed as failing by somebody else's fault: its name, and what goes wrong. Such a
/// case must fail.
fn judged(outcome: TestResult, listed: Option<(&str, &str)>) -> Verdict {
    match (listed, outcome) {
        (None, outcome) => verdict(outcome),
        (Some((_, what)), Err(Stop::Fail(_))) => Verdict::Ignored(format!("fails, as is known: {what}")),
        (Some(_), Err(skip)) => verdict(Err(skip)),
        (Some((fault, what)), Ok(())) => Verdict::Failed(format!(
            "this case is listed as failing by the fault '{fault}' ({what}) but passes: take it off the list"
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
