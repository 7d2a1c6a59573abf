//! The suite `conformance`: its modules, and the cases that launch kernels.

#![allow(dead_code, unused_imports, reason = "the suite's own test uses the rest")]

#[path = "../conformance/buffer/mod.rs"]
pub(crate) mod buffer;
#[path = "../conformance/case.rs"]
pub(crate) mod case;
#[path = "../conformance/concurrency.rs"]
pub(crate) mod concurrency;
#[path = "../conformance/data.rs"]
pub(crate) mod data;
#[path = "../conformance/device.rs"]
pub(crate) mod device;
#[path = "../conformance/here.rs"]
pub(crate) mod here;
#[path = "../conformance/kernel/mod.rs"]
pub(crate) mod kernel;
#[path = "../conformance/kernels.rs"]
pub(crate) mod kernels;
#[path = "../conformance/outcome.rs"]
pub(crate) mod outcome;
#[path = "../conformance/properties.rs"]
pub(crate) mod properties;
#[path = "../conformance/recording.rs"]
pub(crate) mod recording;
#[path = "../conformance/refusal/mod.rs"]
pub(crate) mod refusal;
#[path = "../conformance/streams.rs"]
pub(crate) mod streams;
#[path = "../conformance/submission.rs"]
pub(crate) mod submission;
#[path = "../conformance/targets.rs"]
pub(crate) mod targets;
#[path = "../conformance/tolerance.rs"]
pub(crate) mod tolerance;

use anywarp::Device;
use case::Case;

/// A named case of a suite. Its outcome is checked by that suite only.
pub(crate) type Run = (String, Box<dyn Fn(&Device) + Send + Sync>);

/// The cases of `conformance` that launch kernels.
pub(crate) fn conformance() -> Vec<Run> {
    let groups: [(&str, &[&[Case]]); 7] = [
        ("buffer", buffer::CASES),
        ("kernel", kernel::CASES),
        ("recording", &[recording::CASES]),
        ("submission", &[submission::CASES]),
        ("streams", &[streams::CASES]),
        ("concurrency", &[concurrency::CASES]),
        ("property", &[properties::CASES]),
    ];
    let mut runs: Vec<Run> = Vec::new();
    for (group, tables) in groups {
        for case in tables.iter().copied().flatten() {
            let run = move |device: &Device| drop(pollster::block_on(case.outcome(device)));
            runs.push((format!("conformance::{group}::{}", case.name), Box::new(run)));
        }
    }
    runs
}
