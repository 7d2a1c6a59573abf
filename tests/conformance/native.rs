//! The suite as a test program: every case on every device of this machine, with the command line of libtest.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::case_verdict::{case_verdict, device_line};
use crate::suite::case::Case;
use crate::suite::cases;
use anywarp_testing_devices::targets::{Target, required, targets};
use anywarp_testing_devices::trial::{completion, failed, presence};

/// Runs the cases that the arguments select.
pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::from_args();
    let targets = targets();
    let required = required();
    if targets.is_empty() && required.is_empty() && !arguments.list {
        println!("no device found, so no case runs; set ANYWARP_REQUIRE=vulkan to make a missing device a failure");
    }
    if !arguments.list {
        targets.iter().for_each(|target| println!("{}", device_line(&target.name, &target.caps)));
    }
    let mut trials: Vec<Trial> = required.into_iter().map(presence).collect();
    for target in &targets {
        trials.extend(cases().map(|(name, case)| trial(target, name, case)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(target: &Arc<Target>, name: String, case: &'static Case) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || match target.device() {
        Ok(device) => completion(pollster::block_on(case_verdict(case, &name, device, &target.hardware))),
        Err(stop) => Err(failed(stop)),
    })
}
