//! The suites whose kernels are noted: their modules, and how to run them all.

#![allow(dead_code, unused_imports, reason = "the suites' own tests use the rest")]

#[path = "../operators/accuracy.rs"]
pub(crate) mod accuracy;
#[path = "../operators/atomics/mod.rs"]
pub(crate) mod atomics;
#[path = "../conformance/buffer/mod.rs"]
pub(crate) mod buffer;
#[path = "../operators/builtins/mod.rs"]
pub(crate) mod builtins;
#[path = "../operators/case.rs"]
pub(crate) mod case;
#[path = "../conformance/concurrency.rs"]
pub(crate) mod concurrency;
#[path = "../operators/control/mod.rs"]
pub(crate) mod control;
#[path = "../operators/conversions.rs"]
pub(crate) mod conversions;
#[path = "../conformance/data.rs"]
pub(crate) mod data;
#[path = "../conformance/device.rs"]
pub(crate) mod device;
#[path = "../operators/edges.rs"]
pub(crate) mod edges;
#[allow(clippy::duplicate_mod, reason = "`cts` keeps its own to itself")]
#[path = "../support/harness.rs"]
pub(crate) mod harness;
#[path = "../conformance/kernel/mod.rs"]
pub(crate) mod kernel;
#[path = "../conformance/kernels.rs"]
pub(crate) mod kernels;
#[path = "../operators/operators.rs"]
pub(crate) mod operators;
#[path = "../conformance/outcome.rs"]
pub(crate) mod outcome;
#[path = "../operators/program.rs"]
pub(crate) mod program;
#[path = "../conformance/properties.rs"]
pub(crate) mod properties;
#[path = "../conformance/recording.rs"]
pub(crate) mod recording;
#[path = "../conformance/refusal/mod.rs"]
pub(crate) mod refusal;
#[path = "../operators/scalar.rs"]
pub(crate) mod scalar;
#[path = "../operators/subgroups/mod.rs"]
pub(crate) mod subgroups;
#[path = "../conformance/submission.rs"]
pub(crate) mod submission;
#[path = "../operators/sweep.rs"]
pub(crate) mod sweep;
#[path = "../conformance/targets.rs"]
pub(crate) mod targets;
#[path = "../conformance/tolerance.rs"]
pub(crate) mod tolerance;
#[path = "../operators/unparsed.rs"]
pub(crate) mod unparsed;
#[path = "../operators/want.rs"]
pub(crate) mod want;

use anywarp::Device;
use outcome::TestResult;

/// A case of the suite `conformance`.
pub(crate) type Case = (&'static str, fn(&Device) -> TestResult);

/// A case of either suite: its name, and what runs it. Its outcome is that suite's own business.
pub(crate) type Run = (String, Box<dyn Fn(&Device) + Send + Sync>);

/// The cases of `conformance` that launch kernels.
pub(crate) fn conformance() -> Vec<Run> {
    let groups: [(&str, &[&[Case]]); 6] = [
        ("buffer", buffer::CASES),
        ("kernel", kernel::CASES),
        ("recording", &[recording::CASES]),
        ("submission", &[submission::CASES]),
        ("concurrency", &[concurrency::CASES]),
        ("property", &[properties::CASES]),
    ];
    let mut runs: Vec<Run> = Vec::new();
    for (group, tables) in groups {
        for &(name, run) in tables.iter().copied().flatten() {
            runs.push((format!("conformance::{group}::{name}"), Box::new(move |device| drop(run(device)))));
        }
    }
    runs
}

/// All cases of `operators`.
pub(crate) fn operators() -> Vec<Run> {
    let cases = [
        operators::cases(),
        conversions::cases(),
        builtins::cases(),
        atomics::cases(),
        subgroups::cases(),
        control::cases(),
        unparsed::cases(),
    ];
    let run =
        |case::Case { name, run }| -> Run { (format!("operators::{name}"), Box::new(move |device| drop(run(device)))) };
    cases.into_iter().flatten().map(run).collect()
}
