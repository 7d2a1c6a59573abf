//! Replays recorded WGSL execution cases on a device and compares the results.
//!
//! The parent process ([`suite`]) chooses traces ([`options`], [`sample`]) from the case files ([`case_file`],
//! [`format`], [`expect`]), hands them to child processes ([`batch`]) and counts how they end ([`report`], [`known`]).
//! A child ([`worker`]) replays one trace after the other ([`replay`]), checks what it finds in the buffers
//! ([`check`]) and says how each ended ([`outcome`]).

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
