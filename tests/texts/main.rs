//! Kernels as WGSL, as browsers get them: what is written says the same as what it was written from.
//!
//! | case | what it holds |
//! |---|---|
//! | `layouts` | every kernel of the suite `conformance`, of `shaders/` and `examples/shaders/`, and of the operations is read again, with the same layouts, workgroup size and memory; once as it was written, once behind the middle end |
//! | `results::NAME` | the processor, given each kernel as read again, passes the cases of `conformance` about kernels |

mod again;
#[path = "../cubins/capture.rs"]
mod capture;
#[path = "../cubins/conformance_suite.rs"]
mod conformance_suite;
mod layouts;
#[path = "../cubins/noted.rs"]
mod noted;
#[path = "../metal/operations.rs"]
mod operations;
mod results;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
// The suite's modules name each other from the root.
#[allow(unused_imports, reason = "which of them the suite names is its to say")]
use conformance_suite::*;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = results::trials();
    trials.push(Trial::test("layouts", layouts::layouts));
    libtest_mimic::run(&arguments, trials).exit_code()
}
