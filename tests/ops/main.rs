//! The operations of anywarp, on every device, checked against plain Rust in `f64`.
//!
//! A case's name starts with its device: `vulkan::matmul::f32::primes`. Cases of `null` check the commands for a device
//! whose vendor has a library; cases of `shaders` parse the files in `shaders/` and `examples/shaders/`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

mod bits;
mod element;
mod histograms;
mod library;
#[allow(dead_code)] // the conformance suite has more checks than are needed here
#[path = "../conformance/outcome.rs"]
mod outcome;
mod patterns;
mod places;
mod products;
mod random;
mod refusals;
mod shaders;
#[allow(dead_code)] // there is no table of known failures here
#[path = "../conformance/targets.rs"]
mod targets;
#[path = "../support/trial.rs"]
mod trial;
#[path = "../support/verdict.rs"]
mod verdict;

use std::process::ExitCode;
use std::sync::Arc;

use anywarp::Device;
use libtest_mimic::{Arguments, Trial};

use outcome::TestResult;
use targets::Target;
use trial::{failed, judged, presence};

/// A named case that must succeed on every device.
type Case = (String, fn(&Device) -> TestResult);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = targets::required().into_iter().map(presence).collect();
    for target in targets::targets() {
        let products = [products::cases(), places::cases(), bits::cases(), refusals::cases()].into_iter().flatten();
        let products = products.map(|(name, run)| (format!("matmul::{name}"), run));
        trials.extend(
            products
                .chain(patterns::cases())
                .chain(random::cases())
                .chain(histograms::cases())
                .map(|case| on_device(&target, case)),
        );
    }
    let others =
        [library::cases(), shaders::cases(), vec![patterns::checked(), random::checked(), histograms::checked()]];
    trials.extend(others.into_iter().flatten().map(alone));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn on_device(target: &Arc<Target>, (name, run): Case) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{name}", target.name), move || {
        judged(run(target.device().map_err(failed)?), None)
    })
}

fn alone((name, run): (String, Box<dyn Fn() -> TestResult + Send>)) -> Trial {
    Trial::ignorable_test(name, move || judged(run(), None))
}
