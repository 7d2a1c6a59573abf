//! Kernels as the Metal Shading Language, as snapshots.
//!
//! These tests neither compile nor run MSL: its compiler is part of macOS, and no other system has one. They check that
//! naga, with the options that wgpu sets on a Mac, writes every kernel of the suite `conformance`, of `shaders/` and
//! `examples/shaders/`, and of the operations, unless the kernel needs a feature that Metal lacks; and that the text
//! does not change. `cargo test` on a Mac runs the kernels themselves: see `docs/platforms.md`.
//!
//! | case | contents |
//! |---|---|
//! | `shown::NAME` | the whole text of a kernel, in `snapshots/` |
//! | `all` | a line for every kernel in `snapshots/all.snap`: the length of its text and a hash, or the missing feature |
//!
//! After an intended change, `INSTA_UPDATE=always cargo test --release --test metal` updates the snapshots.

mod all;
#[path = "../cubins/capture.rs"]
mod capture;
#[path = "../cubins/conformance_suite.rs"]
mod conformance_suite;
mod gather;
#[path = "../cubins/noted.rs"]
mod noted;
mod operations;
mod shown;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
// The suite's modules refer to each other from the root.
#[allow(unused_imports, reason = "the suite decides which of them it uses")]
use conformance_suite::*;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = shown::trials();
    trials.push(Trial::test("all", all::all));
    libtest_mimic::run(&arguments, trials).exit_code()
}
