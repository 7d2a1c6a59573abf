//! The life of a ring: pauses, ends, and other work beside it.

use std::time::{Duration, Instant};

use anywarp::ring::{AskError, DeadReason, Mode, RingError, SendError};

use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place};

pub(crate) const CASES: &[Case] = &[
    ("paused", paused),
    ("drained", drained),
    ("shut_down", shut_down),
    ("shut_down_while_paused", shut_down_while_paused),
    ("dropped", dropped),
    ("counted", counted),
    ("idle", idle),
    ("other_work", other_work),
    ("two_rings", two_rings),
];

const MINUTE: Duration = Duration::from_secs(60);

/// States survive pauses, and messages wait.
fn paused(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(2).start()?;
    for round in 1..=5u32 {
        equal(ring.actor(1).ask::<u32, u32>(&round)?.wait()?, round, "the reply")?;
        ring.pause()?;
        ring.pause()?;
        let ask = ring.actor(1).ask::<u32, u32>(&(round + 100))?;
        std::thread::sleep(Duration::from_millis(3));
        ensure(!ask.is_done(), || "a paused ring has replied".to_owned())?;
        equal(ring.state::<u32>(1)?, round * 2 - 1, "the state while paused")?;
        ring.resume()?;
        ring.resume()?;
        equal(ask.wait()?, round + 100, "the reply after the pause")?;
        equal(ring.state::<u32>(1)?, round * 2, "the state after the pause")?;
    }
    if place.mode == Mode::Persistent {
        equal(ring.telemetry().submissions, 6, "submissions")?;
    }
    Ok(())
}

fn drained(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    (0..100u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    ring.drain(MINUTE)?;
    equal(ring.telemetry().total().handled, 100, "handled")?;
    ring.pause()?;
    ring.actor(0).tell(&1u32)?;
    let error = |error: &RingError| matches!(error, RingError::TimedOut { left: 1, .. });
    refused(ring.drain(Duration::from_millis(10)), error, &["drain", "1 messages"])
}

fn shut_down(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(3).start()?;
    let other = ring.actor(2);
    for x in 0..50u32 {
        ring.actor(x % 3).tell(&x)?;
    }
    let ask = ring.actor(0).ask::<u32, u32>(&77)?;
    let report = ring.shutdown(MINUTE)?;
    equal((report.handled, report.unanswered), (51, 0), "handled and unanswered")?;
    ensure(report.failure.is_none() && report.dead_letters.is_empty(), || format!("{report:?}"))?;
    equal(ask.wait()?, 77, "a reply that came before the end")?;
    refused(other.tell(&1u32), |error| matches!(error, SendError::Ended { failure: None }), &["shut down"])
}

fn shut_down_while_paused(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.actor(0).ask::<u32, u32>(&1)?.wait()?;
    ring.pause()?;
    let ask = ring.actor(0).ask::<u32, u32>(&2)?;
    ring.actor(0).tell(&3u32)?;
    let report = ring.shutdown(MINUTE)?;
    equal((report.handled, report.unanswered), (1, 2), "handled and unanswered")?;
    ensure(report.dead_letters.iter().all(|letter| letter.reason == DeadReason::Shutdown), || format!("{report:?}"))?;
    refused(ask.wait(), |error| matches!(error, AskError::Ended { actor: 0, failure: None }), &["shut down"])
}

/// Nothing waits forever for a ring that is gone.
fn dropped(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause()?;
    let (one, two) = (ring.actor(0).ask::<u32, u32>(&2)?, ring.actor(0).ask::<u32, u32>(&2)?);
    drop(ring);
    refused(one.wait(), |error| matches!(error, AskError::Ended { failure: None, .. }), &[])?;
    refused(pollster::block_on(two), |error| matches!(error, AskError::Ended { failure: None, .. }), &[])
}

fn counted(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(2).start()?;
    for x in 0..10u32 {
        ring.actor(1).ask::<u32, u32>(&x)?.wait()?;
    }
    let telemetry = ring.telemetry();
    equal(telemetry.mode, place.mode, "the mode")?;
    equal(telemetry.actors[0].received, 0, "messages of the other actor")?;
    let actor = &telemetry.actors[1];
    equal((actor.received, actor.handled, actor.queued, actor.dropped), (10, 10, 0, 0), "counts")?;
    equal(actor.latency.count(), 10, "times")?;
    let (half, longest) = (actor.latency.quantile(0.5), actor.latency.longest());
    ensure(half <= longest && longest <= telemetry.uptime && !half.is_zero(), || format!("{half:?} {longest:?}"))?;
    ensure(telemetry.throughput() > 0.0 && telemetry.submissions > 0, || format!("{telemetry:?}"))
}

/// A ring that was silent for a while replies.
fn idle(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    for (x, pause) in (0..).zip([0, 2, 30, 150]) {
        std::thread::sleep(Duration::from_millis(pause));
        let start = Instant::now();
        equal(ring.actor(0).ask::<u32, u32>(&x)?.wait()?, x, "the reply")?;
        ensure(start.elapsed() < MINUTE, || "the reply took a minute".to_owned())?;
    }
    Ok(())
}

/// Compilations, launches, transfers and waits go on beside a live ring.
fn other_work(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    for round in 1..=5u32 {
        let ask = ring.actor(0).ask::<u32, u32>(&round)?;
        let kernel = place.device.kernel(&*format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                if id.x < arrayLength(&x) {{ x[id.x] += {round}u; }}
            }}"
        ))?;
        let mut x = place.device.buffer_from(&vec![round; 10_000])?;
        kernel.launch().bind("x", &mut x).threads(10_000u32)?;
        place.device.synchronize()?;
        ensure(x.read()?.iter().all(|x| *x == 2 * round), || "a launch beside a ring has a wrong result".to_owned())?;
        equal(ask.wait()?, round, "the reply")?;
    }
    Ok(())
}

fn two_rings(place: Place<'_>) -> TestResult {
    let (one, two) = (place.start(ECHO)?, place.start(ECHO)?);
    for x in 0..20u32 {
        let (first, second) = (one.actor(0).ask::<u32, u32>(&x)?, two.actor(0).ask::<u32, u32>(&(x + 1))?);
        equal((second.wait()?, first.wait()?), (x + 1, x), "the replies")?;
    }
    drop(one);
    equal(two.actor(0).ask::<u32, u32>(&5)?.wait()?, 5, "the reply of the other ring")
}
