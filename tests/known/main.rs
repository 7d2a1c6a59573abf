//! Known faults of drivers and compilers: for each fault of `support/faults.rs` a small kernel, which fails where the
//! fault is listed and nowhere else.
//!
//! `cargo test --test known -- --write` updates `docs/known-failures.md`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |

mod document;
#[allow(dead_code)] // other tests need more of it
#[path = "../support/faults.rs"]
mod faults;
#[allow(dead_code)] // the conformance suite has more checks than are needed here
#[path = "../conformance/outcome.rs"]
mod outcome;
mod reproduction;
mod run;
#[allow(dead_code)] // nothing is said of devices here
#[path = "../conformance/targets.rs"]
mod targets;
#[allow(dead_code)] // nothing here is judged by a case's outcome
#[path = "../support/trial.rs"]
mod trial;
#[path = "../support/verdict.rs"]
mod verdict;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Trial};

use faults::{FAULTS, Fault};
use reproduction::Reproduction;
use run::Ended;
use targets::Target;
use trial::{failed, presence};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--write"] => return document::write(),
        // A kernel that may end the process runs in its own process.
        [run::ALONE, name, selector] => return run::alone(name, selector),
        _ => {}
    }
    let mut trials: Vec<Trial> = targets::required().into_iter().map(presence).collect();
    trials.push(Trial::test("list::is_complete", || Ok(document::complete()?)));
    // The program may run on a machine without the project's files.
    if document::path().exists() {
        trials.push(Trial::test("list::agrees_with_its_document", || Ok(document::check()?)));
    }
    // Transfers to a device do not affect its arithmetic.
    for target in targets::targets().into_iter().filter(|target| !target.name.ends_with("-staged")) {
        trials.extend(FAULTS.iter().map(|fault| trial(&target, fault)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(target: &Arc<Target>, fault: &'static Fault) -> Trial {
    let target = Arc::clone(target);
    Trial::ignorable_test(format!("{}::{}", target.name, fault.name), move || {
        let device = target.device().map_err(failed)?;
        let listed = fault.is_on(device.caps().backend.name(), &target.hardware);
        let name = fault.name;
        match (run::run(&Reproduction::of(fault)?, device), listed) {
            (Ended::Right, false) => Ok(Completion::Completed),
            (Ended::Right, true) => {
                Err(format!("the kernel is right now: remove {name} from the list of faults").into())
            }
            (Ended::AsListed(described), true) => {
                Ok(Completion::ignored_with(format!("fails, as is known: {described}")))
            }
            (Ended::AsListed(described), false) => {
                Err(format!("this device has the fault {name} as well: {described}").into())
            }
            (Ended::Otherwise(described), _) => {
                Err(format!("neither the right result nor the listed fault: {described}").into())
            }
            (Ended::Skipped(reason), _) => Ok(Completion::ignored_with(reason)),
        }
    })
}
