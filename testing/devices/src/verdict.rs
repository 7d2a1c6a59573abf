//! The verdict on a case, which follows from its outcome and the list of known bugs.

use crate::outcome::{Stop, TestResult};

/// The verdict on a case.
pub enum Verdict {
    Passed,
    /// The case is ignored, with the reason.
    Ignored(String),
    /// The case has failed, with the message.
    Failed(String),
}

/// The verdict on a case that may be a known failure; `listed` has the name and the effect of the bug because of which
/// the case must fail, unless it is skipped; `None` if there is no such bug.
pub fn judged(outcome: TestResult, listed: Option<(&str, &str)>) -> Verdict {
    match (listed, outcome) {
        (None, outcome) => verdict(outcome),
        (Some((_, what)), Err(Stop::Fail(_))) => Verdict::Ignored(format!("fails, as is known: {what}")),
        (Some(_), Err(skip)) => verdict(Err(skip)),
        (Some((bug, what)), Ok(())) => Verdict::Failed(format!(
            "this case is listed as failing because of the bug '{bug}' ({what}), but passes: remove it from the list"
        )),
    }
}

/// The verdict on a case without a known bug.
pub fn verdict(outcome: TestResult) -> Verdict {
    match outcome {
        Ok(()) => Verdict::Passed,
        Err(Stop::Skip(reason)) => Verdict::Ignored(reason),
        Err(Stop::Fail(message)) => Verdict::Failed(message),
    }
}
