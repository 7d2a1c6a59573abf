//! Kernels as WGSL for browsers: the written text has the same meaning as its source.
//!
//! | case | contents |
//! |---|---|
//! | `layouts` | every kernel of the suite `conformance`, of `shaders/` and `examples/shaders/`, and of the operations is read again with the same layouts, workgroup size and memory; once unchanged, once after the middle end |
//! | `results::NAME` | the CPU backend passes the kernel cases of `conformance` with each kernel as read again |

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
// The suite's modules refer to each other from the root.
#[allow(unused_imports, reason = "the suite decides which of them it uses")]
use conformance_suite::*;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = results::trials();
    trials.push(Trial::test("layouts", layouts::layouts));
    libtest_mimic::run(&arguments, trials).exit_code()
}
