//! Known bugs of drivers and compilers: for each bug of `testing/devices/src/driver_bugs.rs` a small kernel, which
//! fails where the bug is listed and nowhere else.
//!
//! `cargo test --test driver_bugs -- --write` updates `docs/known-failures.md`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

mod document;
mod reproduction;
mod run;

use std::process::ExitCode;
use std::sync::Arc;

use anywarp_testing_devices::driver_bugs::{DRIVER_BUGS, DriverBug};
use anywarp_testing_devices::targets::{Target, devices, required};
use anywarp_testing_devices::trial::{failed, presence};
use libtest_mimic::{Arguments, Completion, Trial};
use reproduction::Reproduction;
use run::Ended;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--write"] => return document::write(),
        // A kernel that may end the process runs in its own process.
        [run::ALONE, name, selector] => return run::alone(name, selector),
        _ => {}
    }
    let mut trials: Vec<Trial> = required().into_iter().map(presence).collect();
    trials.push(Trial::test("list::is_complete", || Ok(document::complete()?)));
    // The program may run on a machine without the project's files.
    if document::path().exists() {
        trials.push(Trial::test("list::agrees_with_its_document", || Ok(document::check()?)));
    }
    for target in devices() {
        trials.extend(DRIVER_BUGS.iter().map(|bug| trial(&target, bug)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(target: &Arc<Target>, bug: &'static DriverBug) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{}", target.name, bug.name), move || {
        let device = target.device().map_err(failed)?;
        let listed = bug.is_on(device.caps().backend.name(), &target.hardware);
        let name = bug.name;
        match (run::run(&Reproduction::of(bug)?, device), listed) {
            (Ended::Right, false) => Ok(Completion::Completed),
            (Ended::Right, true) => {
                Err(format!("the kernel is right now: remove {name} from the list of driver bugs").into())
            }
            (Ended::AsListed(described), true) => {
                Ok(Completion::ignored_with(format!("fails, as is known: {described}")))
            }
            (Ended::AsListed(described), false) => {
                Err(format!("this device has the bug {name} as well: {described}").into())
            }
            (Ended::Otherwise(described), _) => {
                Err(format!("neither the right result nor the listed bug: {described}").into())
            }
            (Ended::Skipped(reason), _) => Ok(Completion::ignored_with(reason)),
        }
    })
}
