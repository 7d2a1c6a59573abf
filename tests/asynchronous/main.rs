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
mod kernels;
mod leaks;
mod owned;
mod races;
mod reads;
mod repetitions;
mod tasks;
mod writes;

use std::pin::Pin;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anywarp::Device;
use anywarp_testing::hanging;
use anywarp_testing_devices::outcome::{TestResult, fail};
use anywarp_testing_devices::targets::{Target, required, targets};
use anywarp_testing_devices::trial::{alone, on_device, presence};
use libtest_mimic::{Arguments, Trial};

use executor::Executor;

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
    let mut trials: Vec<Trial> = required().into_iter().map(presence).collect();
    for target in targets() {
        for (group, cases) in CASES {
            for (name, case) in *cases {
                trials.extend(Executor::ALL.map(|executor| {
                    let full = format!("{}::{group}::{name}", executor.name());
                    trial(&target, &full, move |device| executor.run(case(device.clone())))
                }));
            }
        }
        for (group, cases) in ALONE {
            trials.extend(cases.iter().map(|(name, case)| trial(&target, &format!("any::{group}::{name}"), *case)));
        }
    }
    trials.extend(
        gated::CASES.iter().map(|(name, case)| alone(format!("null::any::gated::{name}"), move || limited(*case))),
    );
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(target: &Arc<Target>, name: &str, run: impl Fn(&Device) -> TestResult + Clone + Send + 'static) -> Trial {
    on_device(target, name, move |device| {
        let (run, device) = (run.clone(), device.clone());
        limited(move || run(&device))
    })
}

/// Runs `case` on its own thread, so that a hang is a failure.
fn limited(case: impl FnOnce() -> TestResult + Send + 'static) -> TestResult {
    let outcome = Arc::new(Mutex::new(fail("the case has no outcome")));
    let written = Arc::clone(&outcome);
    hanging::within(PATIENCE, move || *written.lock().unwrap_or_else(PoisonError::into_inner) = case());
    std::mem::replace(&mut *outcome.lock().unwrap_or_else(PoisonError::into_inner), Ok(()))
}
