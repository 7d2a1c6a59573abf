//! From a verdict to what the test harness is told.

use libtest_mimic::{Completion, Failed, Trial};

use crate::outcome::{Stop, TestResult};
use crate::targets::present;
use crate::verdict::{self, Verdict, verdict};

/// Whether a required backend is there.
pub(crate) fn presence(backend: String) -> Trial {
    Trial::ignorable_test(format!("{backend}::present"), move || completion(verdict(present(&backend))))
}

/// The end of a case that may be listed as failing: see [`verdict::judged`].
pub(crate) fn judged(outcome: TestResult, listed: Option<(&str, &str)>) -> Result<Completion, Failed> {
    completion(verdict::judged(outcome, listed))
}

/// A case that could not even begin.
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
