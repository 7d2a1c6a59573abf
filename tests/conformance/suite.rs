//! The cases of the suite. Other tests run the cases, too, to collect the kernels: this file is the module `suite` at
//! the root of those tests.

mod awaited;
mod buffer;
pub(crate) mod case;
mod concurrency;
mod data;
mod device;
pub(crate) mod kernel;
mod kernels;
mod operators;
pub(crate) mod portable_waits;
pub(crate) mod properties;
mod recording;
mod refusal;
mod streams;
mod submission;
mod tolerance;

use case::Case;

/// All cases, by group.
const GROUPS: &[(&str, &[&[Case]])] = &[
    ("device", &[device::CASES]),
    ("buffer", buffer::CASES),
    ("kernel", kernel::CASES),
    ("recording", &[recording::CASES]),
    ("submission", &[submission::CASES]),
    ("operators", operators::CASES),
    ("streams", &[streams::CASES]),
    ("concurrency", &[concurrency::CASES]),
    ("awaited", &[awaited::CASES]),
    ("refusal", refusal::CASES),
    ("property", &[properties::CASES]),
];

/// All cases, each with its full name, which begins with the name of its group.
pub(crate) fn cases() -> impl Iterator<Item = (String, &'static Case)> {
    let groups = GROUPS.iter();
    groups.flat_map(|(group, tables)| {
        tables.iter().copied().flatten().map(move |case| (format!("{group}::{}", case.name), case))
    })
}
