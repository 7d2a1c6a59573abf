//! From a verdict to the result for the test harness.

use libtest_mimic::{Completion, Failed, Trial};

use crate::outcome::{Stop, TestResult};
use crate::targets::present;
use crate::verdict::{self, Verdict, verdict};

/// Checks that a required backend is present.
pub(crate) fn presence(backend: String) -> Trial {
    Trial::ignorable_test(format!("{backend}::present"), move || completion(verdict(present(&backend))))
}

/// The result of a case that may be a known failure: see [`verdict::judged`].
pub(crate) fn judged(outcome: TestResult, listed: Option<(&str, &str)>) -> Result<Completion, Failed> {
    completion(verdict::judged(outcome, listed))
}

/// The result of a case that could not start.
pub(crate) fn failed(stop: Stop) -> Failed {
    match stop {
        Stop::Fail(message) | Stop::Skip(message) => Failed::from(message),
    }
}

pub(crate) fn completion(verdict: Verdict) -> Result<Completion, Failed> {
    match verdict {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Ignored(reason) => Ok(Completion::ignored_with(reason)),
        Verdict::Failed(message) => Err(Failed::from(message)),
    }
}
