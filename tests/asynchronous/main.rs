//! Asynchronous operations on every device, under several executors, each with a time limit.
//!
//! A case's name starts with its device and its executor: `vulkan::tokio::reads::joined`. Cases of `any` create their
//! own threads or executors. No case depends on the executor.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

mod buffered;
mod executor;
mod gated;
#[path = "../support/hanging.rs"]
mod hanging;
mod kernels;
mod leaks;
#[allow(dead_code)] // the conformance suite has more checks than are needed here
#[path = "../conformance/outcome.rs"]
mod outcome;
mod owned;
mod races;
mod reads;
#[allow(dead_code)] // there is no table of known failures here
#[path = "../conformance/targets.rs"]
mod targets;
mod tasks;
#[path = "../support/trial.rs"]
mod trial;
mod turns;
#[path = "../support/verdict.rs"]
mod verdict;
mod writes;

use std::pin::Pin;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anywarp::Device;
use libtest_mimic::{Arguments, Trial};

use executor::Executor;
use outcome::{TestResult, fail};
use targets::Target;
use trial::{failed, judged, presence};

/// The time after which a case is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// The future that an executor runs.
type Work = Pin<Box<dyn Future<Output = TestResult> + Send>>;
/// A named case that must succeed on every device under every executor.
type Case = (&'static str, fn(Device) -> Work);
/// A named case that must succeed on every device.
type Alone = (&'static str, fn(&Device) -> TestResult);

const CASES: &[(&str, &[Case])] =
    &[("reads", reads::CASES), ("owned", owned::CASES), ("buffered", buffered::CASES), ("writes", writes::CASES)];
const ALONE: &[(&str, &[Alone])] =
    &[("races", races::CASES), ("tasks", tasks::CASES), ("leaks", leaks::CASES), ("owned", owned::ALONE)];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = targets::required().into_iter().map(presence).collect();
    for target in targets::targets() {
        for (group, cases) in CASES {
            for (name, case) in *cases {
                trials.extend(Executor::ALL.map(|executor| {
                    let full = format!("{}::{}::{group}::{name}", target.name, executor.name());
                    trial(full, &target, move |device| executor.run(case(device.clone())))
                }));
            }
        }
        for (group, cases) in ALONE {
            let trials_of =
                |(name, case): &Alone| trial(format!("{}::any::{group}::{name}", target.name), &target, *case);
            trials.extend(cases.iter().map(trials_of));
        }
    }
    trials.extend(gated::CASES.iter().map(|(name, case)| {
        Trial::ignorable_test(format!("null::any::gated::{name}"), move || judged(limited(*case), None))
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: String, target: &Arc<Target>, run: impl Fn(&Device) -> TestResult + Send + 'static) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(name, move || {
        let device = target.device().map_err(failed)?.clone();
        judged(limited(move || run(&device)), None)
    })
}

/// Runs `case` on its own thread, so that a hang is a failure.
fn limited(case: impl FnOnce() -> TestResult + Send + 'static) -> TestResult {
    let outcome = Arc::new(Mutex::new(fail("the case has no outcome")));
    let written = Arc::clone(&outcome);
    hanging::within(PATIENCE, move || *written.lock().unwrap_or_else(PoisonError::into_inner) = case());
    std::mem::replace(&mut *outcome.lock().unwrap_or_else(PoisonError::into_inner), Ok(()))
}
