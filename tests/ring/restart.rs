//! Actors that fail alone, where the device can do that. `src/ring/tests/restart.rs` has more, with handlers without end.

use std::time::Duration;

use anywarp::backend::BackendKind;
use anywarp::ring::{AskError, DeadReason, Restart, Ring, RingError, SendError};

use crate::counts::adds_up;
use crate::here::*;
use crate::outcome::{self, TestResult, equal, refused};
use crate::{Case, Place, cases};
use anywarp::Device;

pub(crate) const CASES: &[Case] = cases![refused_elsewhere, continues, begins_anew, ends,];

const MINUTE: Duration = Duration::from_secs(60);

/// Adds up over lanes; a message below 4 keeps some lanes from the barrier, so the handler is stopped.
const BARRIER: &str = "
var<workgroup> sums: array<u32, 4>;
// anywarp:actor
fn barrier(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    sums[lane] = x + lane;
    *state += x;
    if lane < x {
        workgroupBarrier();
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}";

fn can(place: Place<'_>) -> bool {
    place.device.caps().backend == BackendKind::Cpu
}

/// A handle of its own for a case, where the device can restart actors: in batches, other waits for the same handle may
/// report a stopped handler, too.
fn alone(place: Place<'_>) -> TestResult<Device> {
    if !can(place) {
        return outcome::skip("only actors on the CPU restart");
    }
    Ok(place.device.reopen()?)
}

async fn ask(ring: &Ring, actor: u32, x: u32) -> Result<u32, AskError> {
    ring.actor(actor).ask::<u32, u32>(&x)?.timeout(MINUTE).wait_here().await
}

fn stopped(reply: Result<u32, AskError>, actor: u32) -> TestResult {
    let words = [&*format!("actor {actor}"), "barrier", "main.rs", ":8:"];
    refused(reply, |error| matches!(error, AskError::Stopped { actor: own, .. } if *own == actor), &words)
}

async fn refused_elsewhere(place: Place<'_>) -> TestResult {
    let started = place.ring(BARRIER)?.lanes(4).restart(Restart::Never).start();
    if can(place) {
        return started.map(|_| ()).map_err(Into::into);
    }
    refused(started.map(|_| ()), |error| matches!(error, RingError::NoRestart { .. }), &["fails alone", "device cpu"])
}

async fn continues(place: Place<'_>) -> TestResult {
    let device = alone(place)?;
    let place = Place { device: &device, ..place };
    let ring = place.ring(BARRIER)?.lanes(4).actors(2).inbox(4).restart(Restart::Continue).start()?;
    for round in 1..=10u32 {
        equal(ask(&ring, 0, 100).await?, 406, "the reply")?;
        stopped(ask(&ring, 0, round % 3 + 1).await, 0)?;
        equal(ask(&ring, 1, 200).await?, 806, "the reply of another actor")?;
        equal(ring.state_here::<u32>(0).await?, round * 100, "the state")?;
    }
    equal(ring.telemetry().actors[0].stopped, 10, "stopped")?;
    let report = ring.shutdown_here(MINUTE).await?;
    adds_up(&report)?;
    equal((report.handled, report.unanswered, report.dead_letters.len()), (20, 10, 10), "handled, unanswered, letters")
}

async fn begins_anew(place: Place<'_>) -> TestResult {
    let device = alone(place)?;
    let place = Place { device: &device, ..place };
    let ring = place.ring(BARRIER)?.lanes(4).restart(Restart::Fresh).start()?;
    equal(ask(&ring, 0, 100).await?, 406, "the reply")?;
    stopped(ask(&ring, 0, 2).await, 0)?;
    equal(ring.state_here::<u32>(0).await?, 0, "the state after a stop")?;
    equal(ask(&ring, 0, 50).await?, 206, "the reply")?;
    equal(ring.state_here::<u32>(0).await?, 50, "the state")
}

async fn ends(place: Place<'_>) -> TestResult {
    let device = alone(place)?;
    let place = Place { device: &device, ..place };
    let ring = place.ring(BARRIER)?.lanes(4).actors(2).restart(Restart::Never).start()?;
    ring.pause_here().await?;
    let before = ring.actor(0).ask::<u32, u32>(&100)?;
    let stops = ring.actor(0).ask::<u32, u32>(&3)?;
    let behind = ring.actor(0).ask::<u32, u32>(&100)?;
    ring.resume_here().await?;
    equal(before.timeout(MINUTE).wait_here().await?, 406, "the reply before")?;
    stopped(stops.timeout(MINUTE).wait_here().await, 0)?;
    stopped(behind.timeout(MINUTE).wait_here().await, 0)?;
    let ended = |error: &SendError| matches!(error, SendError::Stopped { actor: 0, .. });
    refused(ring.actor(0).tell(&100u32), ended, &["actor 0 handles no messages"])?;
    equal(ask(&ring, 1, 200).await?, 806, "the reply of another actor")?;
    let letters: Vec<_> = ring.dead_letters().iter().map(|letter| (letter.reason, letter.bytes[0])).collect();
    equal(letters, vec![(DeadReason::Stopped, 3), (DeadReason::Stopped, 100)], "dead letters")?;
    ring.drain_here(MINUTE).await?;
    ring.pause_here().await?;
    equal(ring.state_here::<u32>(0).await?, 100, "the state after the last handled message")
}
