//! Signs of life of the kernel.

use std::time::Duration;

use anywarp::backend::BackendKind;
use anywarp::ring::{Ask, AskError, DeadReason, Mode, Ring};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![beats, unresponsive,];

const MINUTE: Duration = Duration::from_secs(60);

/// The time that the ring allows.
const ALLOWED: Duration = Duration::from_millis(30);

/// A handler with as many iterations as the message says, whose reply depends on each of them.
const SLOW: &str = "
// anywarp:actor
fn slow(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    *state += 1u;
    var y = x;
    for (var i = 0u; i < x; i++) {
        y = (y ^ (y >> 7u)) * 1664525u + i;
    }
    return y;
}";

/// A resident kernel gives signs of life without messages; in batches, the submissions are these signs.
async fn beats(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(3).start()?;
    let before = ring.telemetry().residents;
    ensure(!before.is_empty() && before.len() <= 3, || format!("{before:?}"))?;
    if place.mode == Mode::Batched {
        equal(ring.actor(2).ask::<u32, u32>(&5)?.wait_here().await?, 5, "the reply")?;
        let telemetry = ring.telemetry();
        equal(telemetry.residents[0].beats, telemetry.submissions, "beats")?;
        return ensure(telemetry.submissions > before[0].beats, || format!("{telemetry:?}"));
    }
    let start = Instant::now();
    while ring.telemetry().residents.iter().zip(&before).any(|(now, before)| now.beats <= before.beats) {
        ensure(start.elapsed() < MINUTE, || format!("no beats: {:?}", ring.telemetry().residents))?;
        sleep_here(Duration::from_millis(1)).await;
    }
    ring.pause_here().await?;
    let paused = ring.telemetry().residents;
    ensure(paused.iter().all(|resident| resident.silence.is_zero()), || format!("{paused:?}"))
}

/// Asks the actor so that the kernel gives no sign of life for long, the longer the larger `x` is.
async fn ask(place: Place<'_>, ring: &Ring, x: u32) -> TestResult<Ask<u32>> {
    if place.mode == Mode::Persistent || place.device.caps().backend == BackendKind::Cpu {
        return Ok(ring.actor(1).ask(&x)?.timeout(MINUTE));
    }
    // Software drivers of Vulkan end loops after 65535 iterations. There, a submission takes long because of many
    // messages.
    ring.pause_here().await?;
    (0..x >> 12).try_for_each(|_| ring.actor(1).tell(&900u32))?;
    let ask = ring.actor(1).ask(&900u32)?.timeout(MINUTE);
    ring.resume_here().await?;
    Ok(ask)
}

/// Asks with ever longer handlers, until one takes too long; returns the number of its iterations.
async fn too_long(place: Place<'_>, ring: &Ring) -> TestResult<u32> {
    for power in 16..=28 {
        let x = 1 << power;
        match ask(place, ring, x).await?.wait_here().await {
            Ok(_) => {}
            reply => {
                let silent = |error: &AskError| match error {
                    AskError::Unresponsive { actor, silence, allowed } => {
                        (*actor, *allowed) == (1, ALLOWED) && *silence > ALLOWED
                    }
                    _ => false,
                };
                let words = ["actor 1", "no sign of life", "30ms", "RingBuilder::heartbeat"];
                refused(reply, silent, &words)?;
                return Ok(x);
            }
        }
    }
    ensure(false, || "no handler takes too long".to_owned())?;
    Ok(0)
}

/// Asks to an actor whose handler takes longer than the ring allows receive an error, and the actor goes on.
async fn unresponsive(place: Place<'_>) -> TestResult {
    let ring = place.ring(SLOW)?.actors(2).inbox(1 << 17).heartbeat(ALLOWED).start()?;
    // A driver may compile the kernel at its first launch.
    ring.actor(1).tell(&4u32)?;
    ring.drain_here(MINUTE).await?;
    let mut x = too_long(place, &ring).await?;
    // A future, while the ring's own thread may wait for the submission. The first error may be due to a busy machine.
    let mut task = ask(place, &ring, x).await?.await;
    for _ in 0..8 {
        if task.is_ok() {
            x = (2 * x).min(1 << 28);
            task = ask(place, &ring, x).await?.await;
        }
    }
    ensure(matches!(task, Err(AskError::Unresponsive { .. })), || format!("{task:?}"))?;
    ring.drain_here(MINUTE).await?;
    let late: Vec<_> = ring.dead_letters().iter().map(|letter| (letter.actor, letter.reason)).collect();
    equal(late, vec![(1, DeadReason::LateReply); 2], "dead letters")?;
    // A busy machine may again make the kernel wait for longer than the ring allows.
    let mut reply = ring.actor(1).ask::<u32, u32>(&0)?.timeout(MINUTE).wait_here().await;
    let start = Instant::now();
    while matches!(reply, Err(AskError::Unresponsive { .. })) && start.elapsed() < MINUTE {
        reply = ring.actor(1).ask::<u32, u32>(&0)?.timeout(MINUTE).wait_here().await;
    }
    equal(reply?, 0, "the reply of an actor that goes on")?;
    let report = ring.shutdown_here(MINUTE).await?;
    crate::counts::adds_up(&report)?;
    equal((report.unanswered, report.failure.is_none()), (0, true), "unanswered messages, and a healthy end")
}
