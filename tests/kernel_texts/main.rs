//! The texts of kernels for other compilers: MSL for Metal, and WGSL for browsers. The tests need no GPU.
//!
//! | case | contents |
//! |---|---|
//! | `msl::..` | every kernel can be written as MSL, as in snapshots: see `msl` |
//! | `wgsl::..` | the written WGSL has the same meaning as its source: see `wgsl` |

mod collect;
mod msl;
#[path = "../conformance/suite.rs"]
#[allow(dead_code, reason = "the suite's own test uses the rest")]
mod suite;
mod wgsl;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = msl::trials().into_iter().chain(wgsl::trials()).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
