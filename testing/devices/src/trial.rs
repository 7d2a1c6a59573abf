//! Tables of cases as trials of the test harness.

use std::sync::Arc;

use anywarp::Device;
use libtest_mimic::{Completion, Failed, Trial};

use crate::outcome::{Stop, TestResult};
use crate::targets::{Target, present};
use crate::verdict::{self, Verdict, verdict};

/// Checks that a required backend is present.
pub fn presence(backend: String) -> Trial {
    Trial::ignorable_test(format!("{backend}::present"), move || completion(verdict(present(&backend))))
}

/// A case that runs on a device.
pub fn on_device(target: &Arc<Target>, name: &str, run: impl Fn(&Device) -> TestResult + Send + 'static) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || {
        judged(run(target.device().map_err(failed)?), None)
    })
}

/// A case that opens the devices it needs itself.
pub fn alone(name: impl Into<String>, run: impl Fn() -> TestResult + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || judged(run(), None))
}

/// The result of a case that may be a known failure: see [`verdict::judged`].
pub fn judged(outcome: TestResult, listed: Option<(&str, &str)>) -> Result<Completion, Failed> {
    completion(verdict::judged(outcome, listed))
}

/// The result of a case that could not start.
pub fn failed(stop: Stop) -> Failed {
    match stop {
        Stop::Fail(message) | Stop::Skip(message) => Failed::from(message),
    }
}

/// The result for the test harness of a case with this verdict.
pub fn completion(verdict: Verdict) -> Result<Completion, Failed> {
    match verdict {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Ignored(reason) => Ok(Completion::ignored_with(reason)),
        Verdict::Failed(message) => Err(Failed::from(message)),
    }
}
