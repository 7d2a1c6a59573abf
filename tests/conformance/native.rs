//! The suite as a test program: every case on every device of this machine, by libtest's rules.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::case::Case;
use crate::cases;
use crate::targets::{Target, present, required, targets};
use crate::trial::{Verdict, tried, verdict};

/// Runs what the arguments ask for.
pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::from_args();
    let targets = targets();
    let required = required();
    if targets.is_empty() && required.is_empty() && !arguments.list {
        println!("there is no device on this machine: nothing is tested (ANYWARP_REQUIRE=vulkan makes that a failure)");
    }
    let mut trials: Vec<Trial> = required.into_iter().map(presence).collect();
    for target in &targets {
        trials.extend(cases().map(|(name, case)| trial(target, name, case)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Whether a required backend is there.
fn presence(backend: String) -> Trial {
    Trial::ignorable_test(format!("{backend}::present"), move || completion(verdict(present(&backend))))
}

fn trial(target: &Arc<Target>, name: String, case: &'static Case) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || match target.device() {
        Ok(device) => completion(pollster::block_on(tried(case, &name, device, &target.hardware))),
        Err(stop) => completion(verdict(Err(stop))),
    })
}

fn completion(verdict: Verdict) -> Result<Completion, Failed> {
    match verdict {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Ignored(reason) => Ok(Completion::ignored_with(reason)),
        Verdict::Failed(message) => Err(Failed::from(message)),
    }
}
