//! Kernels as the Metal Shading Language, as snapshots.
//!
//! Nothing here compiles or runs that language: its compiler is part of macOS, and there is none for other systems.
//! What is tested is that naga, with the options that wgpu gives it on a Mac, writes every kernel of the suite
//! `conformance`, of `shaders/` and `examples/shaders/`, and of the operations, unless it needs a feature that Metal lacks; and that what it
//! writes stays as it is. `cargo test` on a Mac runs the kernels themselves: see `docs/platforms.md`.
//!
//! | case | what it holds |
//! |---|---|
//! | `shown::NAME` | a kernel whose whole text is in `snapshots/` |
//! | `all` | a line for every kernel in `snapshots/all.snap`: the length of its text and a hash, or what it lacks |
//!
//! After a change that is meant, `INSTA_UPDATE=always cargo test --release --test metal` writes the snapshots anew.

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
// The suite's modules name each other from the root.
#[allow(unused_imports, reason = "which of them the suite names is its to say")]
use conformance_suite::*;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = shown::trials();
    trials.push(Trial::test("all", all::all));
    libtest_mimic::run(&arguments, trials).exit_code()
}
