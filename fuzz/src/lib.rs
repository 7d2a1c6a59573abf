//! Functions that read bytes of unknown origin, each called by a fuzzer: no function may panic or take long, whatever
//! the bytes are.
//!
//! ```text
//! cargo +nightly fuzz run compile fuzz/corpus/compile fuzz/seeds/wgsl --features libfuzzer -- -max_total_time=600
//! ```
//!
//! `.ci/run fuzzers` runs all programs for a minute each; `docs/results/2026-11-23-fuzzing.md` has figures.
//! `tests/replay.rs` calls the functions on a stable compiler, with the seeds and with random changes of them.

mod files;
mod texts;
// Files of the command-line tool, which is a program and has no library.
#[path = "../../cli/src/dtype.rs"]
#[allow(dead_code)]
mod dtype;
#[path = "../../cli/src/npy.rs"]
#[allow(dead_code, unused_imports)]
mod npy_format;

pub use files::{cache, csv, idx, npy};
pub use texts::{compile, compose, front_end};

/// A function that a fuzzer calls.
pub type Target = fn(&[u8]);

/// All functions, with their names and the folders of their seeds.
pub const TARGETS: &[(&str, &str, Target)] = &[
    ("front_end", "wgsl", front_end),
    ("compose", "wgsl", compose),
    ("compile", "wgsl", compile),
    ("npy", "npy", npy),
    ("idx", "idx", idx),
    ("csv", "csv", csv),
    ("cache", "cache", cache),
];
