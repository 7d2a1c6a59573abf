//! From how a case ended to what the test harness is told.

use libtest_mimic::{Completion, Failed, Trial};

use crate::outcome::{Stop, TestResult};
use crate::targets;

/// Whether a required backend is there.
pub(crate) fn presence(backend: String) -> Trial {
    Trial::ignorable_test(format!("{backend}::present"), move || verdict(targets::present(&backend)))
}

/// The verdict on a case that may be listed as failing by somebody else's fault: its name, and what goes wrong. Such a
/// case must fail.
pub(crate) fn judged(outcome: TestResult, listed: Option<(&str, &str)>) -> Result<Completion, Failed> {
    match (listed, outcome) {
        (None, outcome) => verdict(outcome),
        (Some((_, what)), Err(Stop::Fail(_))) => Ok(Completion::ignored_with(format!("fails, as is known: {what}"))),
        (Some(_), Err(skip)) => verdict(Err(skip)),
        (Some((fault, what)), Ok(())) => Err(Failed::from(format!(
            "this case is listed as failing by the fault '{fault}' ({what}) but passes: take it off the list"
        ))),
    }
}

fn verdict(outcome: TestResult) -> Result<Completion, Failed> {
    match outcome {
        Ok(()) => Ok(Completion::Completed),
        Err(Stop::Skip(reason)) => Ok(Completion::ignored_with(reason)),
        Err(stop) => Err(failed(stop)),
    }
}

/// A case that could not even begin.
pub(crate) fn failed(stop: Stop) -> Failed {
    match stop {
        Stop::Fail(message) | Stop::Skip(message) => Failed::from(message),
    }
}
