//! Every operator and built-in function of WGSL compute on every device, checked against plain Rust.
//!
//! Arguments come from buffers, so that no compiler can fold them. Devices are found at run time, and a case's name
//! starts with its device: `vulkan::builtins::f32::atan2`. A `cpu` device has to meet IEEE 754, others the WGSL
//! specification.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

mod accuracy;
mod atomics;
mod builtins;
mod control;
mod conversions;
mod edges;
#[allow(dead_code)] // other tests need more of it
#[path = "../support/faults.rs"]
mod faults;
mod operators;
#[allow(dead_code)] // the conformance suite has more checks than are needed here
#[path = "../conformance/outcome.rs"]
mod outcome;
mod program;
mod scalar;
mod subgroups;
mod sweep;
mod table;
#[allow(dead_code)] // nothing is said of devices here
#[path = "../conformance/targets.rs"]
mod targets;
#[path = "../support/trial.rs"]
mod trial;
mod unparsed;
#[path = "../support/verdict.rs"]
mod verdict;
mod want;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use faults::expected;
use table::Case;
use targets::Target;
use trial::{failed, judged, presence};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let targets = targets::targets();
    let required = targets::required();
    if targets.is_empty() && required.is_empty() && !arguments.list {
        println!("no device found, so no case runs; set ANYWARP_REQUIRE=vulkan to make a missing device a failure");
    }
    let mut trials: Vec<Trial> = required.into_iter().map(presence).collect();
    // Transfers to a device do not affect its arithmetic.
    for target in targets.iter().filter(|target| !target.name.ends_with("-staged")) {
        trials.extend(cases().into_iter().map(|case| trial(target, case)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// All cases.
fn cases() -> Vec<Case> {
    [
        operators::cases(),
        conversions::cases(),
        builtins::cases(),
        atomics::cases(),
        subgroups::cases(),
        control::cases(),
        unparsed::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn trial(target: &Arc<Target>, Case { name, run }: Case) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || {
        let device = target.device().map_err(failed)?;
        let fault = expected("operators", &name, device.caps().backend.name(), &target.hardware);
        judged(run(device), fault.map(|fault| (fault.name, fault.what)))
    })
}
