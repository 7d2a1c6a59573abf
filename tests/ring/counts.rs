//! Counts that add up: every message is in one of them.

use std::time::Duration;

use anywarp::ring::{Overflow, Report, Ring, Telemetry};

use crate::here::*;
use crate::outcome::{TestResult, ensure, equal};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![counts_add_up,];

const MINUTE: Duration = Duration::from_secs(60);

/// A token that goes round; each actor numbers its messages for the host.
const ROUND: &str = "
struct M { hops: u32, actors: u32 }
// anywarp:send
fn hand_on(to: u32, m: M) -> bool { return false; }
// anywarp:emit
fn tell(x: u32) -> bool { return false; }
// anywarp:actor
fn round(state: ptr<function, u32>, m: M, lane: u32) -> u32 {
    *state += 1u;
    tell(*state);
    return *state + u32(m.hops > 0u && hand_on(m.hops % m.actors, M(m.hops - 1u, m.actors)));
}";

/// Each message of the host is in one of the counts, of each actor.
fn accepted_add_up(telemetry: &Telemetry) -> TestResult {
    for (number, actor) in telemetry.actors.iter().enumerate() {
        let sum = actor.handled + actor.unanswered + actor.displaced + actor.queued;
        equal(sum, actor.received, &format!("accepted messages of actor {number}"))?;
    }
    Ok(())
}

/// The counts of a ring that has ended.
pub(crate) fn adds_up(report: &Report) -> TestResult {
    accepted_add_up(&report.telemetry)?;
    let total = report.telemetry.total();
    equal((total.queued, total.unanswered), (0, report.unanswered), "messages that wait, and that were given up")?;
    equal(total.handled, report.handled, "handled messages")?;
    equal(total.from_actors + total.lost_from_actors + report.undelivered, total.sent, "messages between actors")?;
    equal(total.taken + report.untaken, total.emitted, "messages to the host")
}

async fn until(ring: &Ring, what: impl Fn(&Telemetry) -> bool) -> TestResult {
    let start = Instant::now();
    while !what(&ring.telemetry()) {
        ensure(start.elapsed() < MINUTE, || format!("{:?}", ring.telemetry()))?;
        sleep_here(Duration::from_millis(1)).await;
    }
    Ok(())
}

async fn counts_add_up(place: Place<'_>) -> TestResult {
    let ring = place.ring(ROUND)?.actors(3).inbox(4).overflow(Overflow::DropOldest).backlog(2).start()?;
    ring.pause_here().await?;
    (0..12).try_for_each(|_| ring.actor(0).tell(&[0u32, 3]))?;
    accepted_add_up(&ring.telemetry())?;
    ring.resume_here().await?;
    ring.drain_here(MINUTE).await?;
    // Four messages to the host fill the queue.
    until(&ring, |telemetry| telemetry.total().not_emitted == 2).await?;
    let told = ring.subscribe::<u32>(1)?;
    ensure(told.recv_here(MINUTE).await.is_some(), || "no message".to_owned())?;
    ring.actor(1).tell(&[u32::MAX, 3])?;
    until(&ring, |telemetry| {
        let _ = told.try_recv();
        telemetry.total().taken > 20
    })
    .await?;
    ensure(told.lost() > 0, || "a subscription for one message at a time has lost none".to_owned())?;
    drop(told);
    // The queues to the host become full again, while the token goes round.
    let before = ring.telemetry().total().not_emitted;
    until(&ring, |telemetry| telemetry.total().not_emitted > before + 50).await?;
    ring.pause_here().await?;
    (0..2).try_for_each(|_| ring.actor(2).tell(&[5u32, 3]))?;
    let report = ring.shutdown_here(Duration::ZERO).await?;
    adds_up(&report)?;
    let total = report.telemetry.total();
    equal((total.received, total.displaced, total.dropped), (15, 6, 6), "received, displaced, dropped")?;
    equal((report.handled, report.unanswered, report.undelivered), (7, 2, 1), "handled, given up, undelivered")?;
    ensure(report.untaken > 0, || format!("{report:?}"))
}
