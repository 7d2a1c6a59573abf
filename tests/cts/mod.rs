//! Replays recorded WGSL execution cases on a device and compares the results.
//!
//! The parent process ([`suite`]) selects traces ([`options`], [`sample`]) from the case files ([`case_file`],
//! [`format`], [`expect`]), passes them to child processes ([`batch`]) and counts the outcomes ([`report`], [`known`]).
//! A child ([`worker`]) replays one trace after another ([`replay`]), checks the contents of the buffers ([`check`])
//! and reports each outcome ([`outcome`]).

pub(crate) mod batch;
pub(crate) mod case_file;
pub(crate) mod check;
pub(crate) mod expect;
pub(crate) mod format;
#[path = "../support/harness.rs"]
mod harness;
pub(crate) mod known;
pub(crate) mod options;
pub(crate) mod outcome;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod sample;
pub(crate) mod suite;
pub(crate) mod worker;
