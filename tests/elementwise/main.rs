//! Elementwise operations and reductions, on every device of the machine, against plain Rust.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

mod broadcasts;
mod named;
mod number;
mod operations;
#[allow(dead_code)] // the conformance suite has more checks than are needed here
#[path = "../conformance/outcome.rs"]
mod outcome;
mod places;
mod reductions;
#[path = "../../src/ops/operation/reference.rs"]
mod reference;
mod refusals;
mod remedies;
#[allow(dead_code)] // there is no table of known failures here
#[path = "../conformance/targets.rs"]
mod targets;
#[path = "../support/trial.rs"]
mod trial;
#[path = "../support/verdict.rs"]
mod verdict;
mod views;

use std::process::ExitCode;
use std::sync::Arc;

use anywarp::Device;
use libtest_mimic::{Arguments, Trial};

use outcome::TestResult;
use targets::Target;
use trial::{failed, judged, presence};

/// A named case that must succeed on every device.
type Case = (String, fn(&Device) -> TestResult);

/// A case without the name of its group.
type Unnamed = (&'static str, fn(&Device) -> TestResult);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = targets::required().into_iter().map(presence).collect();
    for target in targets::targets() {
        let cases = [
            operations::cases(),
            broadcasts::cases(),
            places::cases(),
            reductions::cases(),
            named::cases(),
            views::cases(),
            refusals::of_operations(),
            refusals::of_reductions(),
            remedies::cases(),
        ];
        trials.extend(cases.into_iter().flatten().map(|case| on_device(&target, case)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn on_device(target: &Arc<Target>, (name, run): Case) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || {
        judged(run(target.device().map_err(failed)?), None)
    })
}
