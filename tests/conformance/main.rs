//! One suite for every device: what anywarp promises, checked against plain Rust.
//!
//! Devices are found at run time, and a test's name starts with its device:
//! `vulkan::buffer::round_trip_f32`. A device whose memory is the host's runs everything a second
//! time with copies between the two, as `vulkan-staged`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | backends that must be there, such as `cpu,vulkan`: a missing one is a failure |

mod buffer;
mod case;
mod concurrency;
mod data;
mod device;
#[allow(dead_code)] // other tests need more of it
#[path = "../support/faults.rs"]
mod faults;
mod here;
mod kernel;
mod kernels;
mod outcome;
mod properties;
mod recording;
mod refusal;
mod streams;
mod submission;
mod targets;
mod tolerance;
mod trial;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use case::Case;
use faults::expected;
use targets::Target;
use trial::{failed, judged, presence};

/// Every case there is.
const GROUPS: &[(&str, &[&[Case]])] = &[
    ("device", &[device::CASES]),
    ("buffer", buffer::CASES),
    ("kernel", kernel::CASES),
    ("recording", &[recording::CASES]),
    ("submission", &[submission::CASES]),
    ("streams", &[streams::CASES]),
    ("concurrency", &[concurrency::CASES]),
    ("refusal", refusal::CASES),
    ("property", &[properties::CASES]),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let targets = targets::targets();
    let required = targets::required();
    if targets.is_empty() && required.is_empty() && !arguments.list {
        println!("there is no device on this machine: nothing is tested (ANYWARP_REQUIRE=vulkan makes that a failure)");
    }
    let mut trials: Vec<Trial> = required.into_iter().map(presence).collect();
    for target in &targets {
        for (group, tables) in GROUPS {
            let cases = tables.iter().copied().flatten();
            trials.extend(cases.map(|case| trial(target, group, case)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(target: &Arc<Target>, group: &str, case: &'static Case) -> Trial {
    let name = format!("{group}::{}", case.name);
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || {
        let device = target.device().map_err(failed)?;
        let outcome = pollster::block_on(case.outcome(device));
        let fault = expected("conformance", &name, device.caps().backend, &target.hardware);
        judged(outcome, fault.map(|fault| (fault.name, fault.what)))
    })
}
