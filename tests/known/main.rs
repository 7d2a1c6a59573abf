//! What drivers and compilers are known to do wrong: each fault of `support/faults.rs` is shown by a small kernel,
//! which fails where the fault is listed and nowhere else.
//!
//! `cargo test --test known -- --write` writes `docs/known-failures.md` anew.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | backends that must be there, such as `cpu,vulkan`: a missing one is a failure |

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
        // A kernel that may end its process has one of its own.
        [run::ALONE, name, selector] => return run::alone(name, selector),
        _ => {}
    }
    let mut trials: Vec<Trial> = targets::required().into_iter().map(presence).collect();
    trials.push(Trial::test("list::is_complete", || Ok(document::complete()?)));
    // The program may run where the project's files are not.
    if document::path().exists() {
        trials.push(Trial::test("list::agrees_with_its_document", || Ok(document::check()?)));
    }
    // How data gets to a device changes nothing in how it computes.
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
            (Ended::Right, true) => Err(format!("this is right now: take {name} off the list of faults").into()),
            (Ended::AsListed(told), true) => Ok(Completion::ignored_with(format!("fails, as is known: {told}"))),
            (Ended::AsListed(told), false) => Err(format!("this device has the fault {name}, too: {told}").into()),
            (Ended::Otherwise(told), _) => Err(format!("neither right nor the fault that is listed: {told}").into()),
            (Ended::Skipped(reason), _) => Ok(Completion::ignored_with(reason)),
        }
    })
}
