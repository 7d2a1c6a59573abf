//! Resident kernels that leave the device without messages, and return with the next one.

use std::time::Duration;

use anywarp::ring::{Mode, Ring};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![
    leaves_and_returns,
    leaves_between_any_messages,
    away_in_a_pause_and_at_the_end,
    stays_for_its_lease,
    leaves_after_messages_between_actors,
];

const MINUTE: Duration = Duration::from_secs(60);

/// Waits until no kernel is on the device.
async fn gone(ring: &Ring) -> TestResult {
    let start = Instant::now();
    while ring.telemetry().resident {
        ensure(start.elapsed() < MINUTE, || format!("the kernel stays: {:?}", ring.telemetry()))?;
        sleep_here(Duration::from_micros(200)).await;
    }
    Ok(())
}

async fn leaves_and_returns(place: Place<'_>) -> TestResult {
    let allowed = Duration::from_secs(30);
    let ring = place.ring(ECHO)?.actors(3).lease(Duration::from_millis(1)).heartbeat(allowed).start()?;
    let mut submissions = 0;
    for round in 1..=4u32 {
        equal(ring.actor(2).ask::<u32, u32>(&round)?.timeout(MINUTE).wait_here().await?, round, "the reply")?;
        let waits = ring.actor(1).ask::<u32, u32>(&7)?.timeout(MINUTE);
        equal(waits.await?, 7, "the reply that a task awaits")?;
        gone(&ring).await?;
        let telemetry = ring.telemetry();
        ensure(telemetry.submissions > submissions, || format!("{telemetry:?} in round {round}"))?;
        submissions = telemetry.submissions;
        let silent = telemetry.residents.iter().all(|resident| resident.silence < allowed);
        ensure(silent, || format!("{:?}", telemetry.residents))?;
        equal(ring.state_here::<u32>(2).await?, round, "the state, for which the kernel returns")?;
    }
    equal(ring.shutdown_here(MINUTE).await?.handled, 8, "handled")
}

/// Without any time to stay, the kernel leaves whenever the ring's thread finds no message.
async fn leaves_between_any_messages(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(2).inbox(8).lease(Duration::ZERO).start()?;
    for x in 0..100u32 {
        equal(ring.actor(x % 2).ask::<u32, u32>(&x)?.timeout(MINUTE).wait_here().await?, x, "the reply")?;
        if x % 10 == 0 {
            for y in 0..30u32 {
                ring.actor(y % 2).tell_here(&y).await?;
            }
            sleep_here(Duration::from_micros(u64::from(x) * 10)).await;
        }
    }
    let report = ring.shutdown_here(MINUTE).await?;
    equal((report.handled, report.unanswered), (400, 0), "handled and unanswered")
}

async fn away_in_a_pause_and_at_the_end(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.lease(Duration::ZERO).start()?;
    gone(&ring).await?;
    ring.pause_here().await?;
    ring.actor(0).tell(&1u32)?;
    equal(ring.state_here::<u32>(0).await?, 0, "the state while paused")?;
    ring.resume_here().await?;
    ring.drain_here(MINUTE).await?;
    equal(ring.state_here::<u32>(0).await?, 1, "the state after the pause")?;
    gone(&ring).await?;
    ring.actor(0).tell(&2u32)?;
    let report = ring.shutdown_here(MINUTE).await?;
    equal((report.handled, report.telemetry.resident), (2, false), "handled, resident")?;
    let ring = place.ring(ECHO)?.lease(Duration::ZERO).start()?;
    gone(&ring).await?;
    equal(ring.shutdown_here(Duration::ZERO).await?.handled, 0, "handled without a message")
}

async fn stays_for_its_lease(place: Place<'_>) -> TestResult {
    for ring in [place.ring(ECHO)?, place.ring(ECHO)?.lease(Duration::from_secs(3600))] {
        let ring = ring.start()?;
        equal(ring.actor(0).ask::<u32, u32>(&5)?.timeout(MINUTE).wait_here().await?, 5, "the reply")?;
        // More than one look of the ring's thread.
        sleep_here(Duration::from_millis(30)).await;
        let telemetry = ring.telemetry();
        let persistent = place.mode == Mode::Persistent;
        equal((telemetry.resident, telemetry.submissions), (persistent, 1), "resident, submissions")?;
    }
    Ok(())
}

/// A message that an actor has sent keeps the kernel, or brings it back.
async fn leaves_after_messages_between_actors(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "// anywarp:send
        fn hand_on(to: u32, hops: u32) -> bool { return false; }
        // anywarp:actor
        fn receive(state: ptr<function, u32>, hops: u32, lane: u32) {
            *state += 1u;
            if hops > 0u { hand_on(hops % 3u, hops - 1u); }
        }",
    )?;
    let ring = ring.actors(3).lease(Duration::ZERO).start()?;
    for round in 1..=10u64 {
        ring.actor(0).tell(&50u32)?;
        ring.drain_here(MINUTE).await?;
        let total = ring.telemetry().total();
        equal((total.handled, total.from_actors), (round, 50 * round), "messages of the host, and of actors")?;
        gone(&ring).await?;
    }
    Ok(())
}
