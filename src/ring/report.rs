//! The summary of a ring's life.

use std::time::Duration;

use super::overflow::DeadLetter;
use super::telemetry::Telemetry;
use crate::error::Error;

/// The summary of a ring's life: see [`Ring::shutdown`](super::Ring::shutdown).
///
/// The counts add up, unless the device was lost with its own counts. In words of `telemetry.total()`:
///
/// - messages of the host: `received` = `handled` + `unanswered` + `displaced`. Those that were not accepted, because
///   their inbox was full, are the rest of `dropped`;
/// - messages between actors: `sent` = `from_actors` + `lost_from_actors` + [`undelivered`](Self::undelivered);
/// - messages to the host: `emitted` = `taken` + [`untaken`](Self::untaken).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Messages of the host that were handled.
    pub handled: u64,
    /// Accepted messages that were not handled. They are among the [dead letters](Self::dead_letters).
    pub unanswered: u64,
    /// Messages from actor to actor that waited when the ring ended. They are among the dead letters too, unless the
    /// device has failed so that its memory cannot be read. Those that were lost with a stopped actor before
    /// ([`Restart`](super::Restart)) are counted by [`lost_from_actors`](super::ActorTelemetry::lost_from_actors).
    pub undelivered: u64,
    /// Emitted messages that no subscription took before the end.
    pub untaken: u64,
    /// The last counts of each actor.
    pub telemetry: Telemetry,
    /// The time from the start to the end.
    pub uptime: Duration,
    /// The failure that ended the ring before the call; `None` for a healthy one.
    pub failure: Option<Error>,
    /// The dead letters that were not collected before, at most the last 1024.
    pub dead_letters: Vec<DeadLetter>,
    /// The number of dead letters that were replaced by later ones.
    pub letters_lost: u64,
}
