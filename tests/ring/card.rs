//! Inboxes in memory of the card, where that can be had, and in host memory.

use std::time::Duration;

use anywarp::backend::BackendKind;
use anywarp::ring::{DeadLetter, InboxPlace, Mode, RingError};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{self, TestResult, ensure, equal, refused};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![inboxes_on_the_card, inboxes_in_host_memory];

const MINUTE: Duration = Duration::from_secs(60);

const WIDE: &str = "
// anywarp:actor
fn wide(n: ptr<function, array<u32, 40>>, m: array<u32, 28>, lane: u32) -> array<u32, 28> {
    var reply = m;
    for (var i = 0u; i < 28u; i++) { reply[i] = ~m[i]; }
    (*n)[39] += 1u;
    return reply;
}";

async fn inboxes_on_the_card(place: Place<'_>) -> TestResult {
    let started = place.ring(WIDE)?.actors(3).inbox(16).inbox_on_card(true).start();
    if place.mode == Mode::Batched || place.device.caps().backend != BackendKind::Cuda {
        let demanded = |error: &RingError| matches!(error, RingError::NoCardInbox { .. });
        return refused(started.map(|_| ()), demanded, &["on the card", "inbox_on_card"]);
    }
    let ring = match started {
        Err(RingError::NoCardInbox { reason, .. }) => return outcome::skip(reason),
        started => started?,
    };
    equal(ring.inbox_place(), InboxPlace::Card, "the place")?;
    // The least inbox, which is shorter than what an allocation checks.
    let least = place.ring(ECHO)?.inbox(1).inbox_on_card(true).start()?;
    least.shutdown_here(MINUTE).await?;
    let message =
        |x: u32| std::array::from_fn::<u32, 28, _>(|i| (x + 1).wrapping_mul(0x9e37_79b9 ^ ((i as u32) << 27)));
    for first in (0..3000u32).step_by(12) {
        let asks = (first..first + 12).map(|x| ring.actor(x % 3).ask::<_, [u32; 28]>(&message(x)));
        let asks = asks.collect::<Result<Vec<_>, _>>()?;
        for (x, ask) in (first..).zip(asks) {
            equal(ask.timeout(MINUTE).wait_here().await?, message(x).map(|word| !word), "the reply")?;
        }
    }
    for actor in 0..3 {
        equal(ring.state_here::<[u32; 40]>(actor).await?[39], 1000, "the count")?;
    }
    // The host reads messages that were not handled from its copy.
    ring.pause_here().await?;
    (0..5).try_for_each(|x| ring.actor(1).tell(&message(x)))?;
    let report = ring.shutdown_here(Duration::ZERO).await?;
    let bytes: Vec<Vec<u8>> = report.dead_letters.into_iter().map(|DeadLetter { bytes, .. }| bytes).collect();
    let expected: Vec<Vec<u8>> =
        (0..5).map(|x| message(x).iter().flat_map(|word| word.to_le_bytes()).collect()).collect();
    equal(bytes, expected, "dead letters")
}

async fn inboxes_in_host_memory(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox_on_card(false).start()?;
    equal(ring.actor(0).ask::<u32, u32>(&7)?.timeout(MINUTE).wait_here().await?, 7, "the reply")?;
    let found = ring.inbox_place();
    ensure(matches!(found, InboxPlace::Host { .. }), || format!("{found:?}"))
}
