//! Replays recorded WGSL execution cases on a device and compares the results.
//!
//! The parent process selects traces ([`options`], [`sample`]) from the case files ([`case_file`], [`mod@format`],
//! [`expect`]), passes them to child processes ([`batch`]) and counts the outcomes ([`report`], [`known`]). A child
//! ([`worker`]) replays one trace after another, checks the contents of the buffers ([`check`]) and reports each outcome
//! ([`outcome`]). The test itself, in `tests/cts`, has the device and the list of files.

pub mod batch;
pub mod case_file;
pub mod check;
pub mod expect;
pub mod format;
pub mod known;
pub mod options;
pub mod outcome;
pub mod report;
pub mod sample;
pub mod worker;
