//! New code for actors that live on: states and messages stay, and what does not fit is refused.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use anywarp::ring::RingError;

use crate::here::*;
use crate::outcome::{TestResult, ensure, equal, fail, refused};
use crate::{Case, Place, cases, on_threads};

pub(crate) const CASES: &[Case] = cases![
    new_code_with_messages_in_flight = |place| on_threads(place, new_code_with_messages_in_flight),
    new_code_in_a_pause_and_after_a_lease,
    new_code_of_one_kind_with_messages_between_actors = new_code_of_one_kind,
    new_code_that_does_not_fit,
];

const MINUTE: Duration = Duration::from_secs(60);

/// Counts messages, and answers with the number of the code above the message's own lowest bits.
fn numbered(number: u32) -> String {
    format!(
        "// anywarp:actor
        fn count(n: ptr<function, u32>, x: u32, lane: u32) -> u32 {{
            *n += 1u;
            return x | {number}u << 24u;
        }}"
    )
}

fn new_code_with_messages_in_flight(place: Place<'_>) -> TestResult {
    const ACTORS: u32 = 3;
    let ring = place.ring(&numbered(1))?.actors(ACTORS).inbox(8).start()?;
    let (over, sent) = (AtomicBool::new(false), AtomicU32::new(0));
    let told = thread::scope(|scope| -> TestResult<u32> {
        let send = |actor: u32| {
            let (ring, over, sent) = (&ring, &over, &sent);
            move || -> TestResult<u32> {
                let (mut x, mut newest) = (0, 1);
                while !over.load(Ordering::Relaxed) {
                    // Several under way at a time, so that some wait when the kernel stops.
                    let asks = (x..x + 5).map(|x| ring.actor(actor).ask::<u32, u32>(&x));
                    let asks = asks.collect::<Result<Vec<_>, _>>()?;
                    for (x, ask) in (x..).zip(asks) {
                        let reply = ask.timeout(MINUTE).wait()?;
                        let (number, echoed) = (reply >> 24, reply & 0xff_ffff);
                        ensure(echoed == x && number >= newest, || {
                            format!("{echoed} by code {number} for {x}, after code {newest}")
                        })?;
                        newest = number;
                    }
                    x += 5;
                    sent.fetch_add(5, Ordering::Relaxed);
                }
                Ok(x)
            }
        };
        let senders: Vec<_> = (0..ACTORS).map(|actor| scope.spawn(send(actor))).collect();
        let replaced = (2..=3).try_for_each(|number| -> TestResult {
            let before = sent.load(Ordering::Relaxed);
            ring.replace(&*numbered(number))?;
            // Sent after the replacement, so the new code answers.
            equal(ring.actor(1).ask::<u32, u32>(&7)?.timeout(MINUTE).wait()?, 7 | number << 24, "the new reply")?;
            while sent.load(Ordering::Relaxed) < before + 60 && senders.iter().all(|sender| !sender.is_finished()) {
                thread::yield_now();
            }
            Ok(())
        });
        over.store(true, Ordering::Relaxed);
        let mut told = 0;
        for (actor, sender) in (0..).zip(senders) {
            let own = sender.join().unwrap_or_else(|_| fail("a sender panicked"))?;
            let extra = if actor == 1 { 2 } else { 0 };
            equal(ring.state::<u32>(actor)?, own + extra, "messages, each handled once")?;
            told += own + extra;
        }
        replaced.map(|()| told)
    })?;
    let report = ring.shutdown(MINUTE)?;
    equal((report.handled, report.unanswered), (u64::from(told), 0), "handled, unanswered")
}

async fn new_code_in_a_pause_and_after_a_lease(place: Place<'_>) -> TestResult {
    let ring = place.ring(&numbered(1))?.lease(Duration::ZERO).start()?;
    equal(ring.actor(0).ask::<u32, u32>(&5)?.timeout(MINUTE).wait_here().await?, 5 | 1 << 24, "the first code")?;
    // Whether the kernel is away by now or not.
    ring.replace_here(&numbered(2)).await?;
    equal(ring.actor(0).ask::<u32, u32>(&6)?.timeout(MINUTE).wait_here().await?, 6 | 2 << 24, "the second code")?;
    ring.pause_here().await?;
    let waits = ring.actor(0).ask::<u32, u32>(&7)?.timeout(MINUTE);
    ring.replace_here(&numbered(1)).await?;
    ring.resume_here().await?;
    equal(waits.wait_here().await?, 7 | 1 << 24, "a message that waited in the pause")?;
    equal(ring.state_here::<u32>(0).await?, 3, "the state")
}

/// The messages from actor to actor that wait stay, too.
async fn new_code_of_one_kind(place: Place<'_>) -> TestResult {
    let text = |factor: u32| {
        format!(
            "// anywarp:send judge
            fn report(to: u32, m: u32) -> bool {{ return false; }}
            // anywarp:actor
            fn watch(lost: ptr<function, u32>, x: u32, lane: u32) -> u32 {{
                if !report(0u, x) {{ *lost += 1u; }}
                return x;
            }}
            // anywarp:actor
            fn judge(sum: ptr<function, u32>, x: u32, lane: u32) {{ *sum += x * {factor}u; }}"
        )
    };
    let ring = place.ring(&text(1))?.actors_of("watch", 2).actors_of("judge", 1).inbox(64).start()?;
    for x in 1..=20u32 {
        ring.actor(x % 2).tell(&x)?;
    }
    ring.drain_here(MINUTE).await?;
    for x in 1..=20u32 {
        ring.actor(x % 2).tell(&(x << 8))?;
    }
    // Messages are under way to either kind.
    ring.replace_here(&text(1 << 16)).await?;
    ring.drain_here(MINUTE).await?;
    let judge = ring.actor_of("judge", 0)?.number();
    let sum = ring.state_here::<u32>(judge).await?;
    // Each of the later messages counts once, by one code or the other.
    let (old, new) = (sum & 0xffff, sum >> 24);
    equal((old & 0xff, (old >> 8) + new), (210, 210), "the sum of all messages")?;
    ring.actor(0).tell(&1u32)?;
    ring.drain_here(MINUTE).await?;
    equal(ring.state_here::<u32>(judge).await?, sum + (1 << 16), "the sum by the new code")
}

async fn new_code_that_does_not_fit(place: Place<'_>) -> TestResult {
    let ring = place.start(&numbered(1))?;
    equal(ring.actor(0).ask::<u32, u32>(&1)?.timeout(MINUTE).wait_here().await?, 1 | 1 << 24, "the first reply")?;
    let differs = |error: &RingError| matches!(error, RingError::Replacement { .. });
    let other = |ty: &str| numbered(2).replace("ptr<function, u32>", ty);
    let state = other("ptr<function, vec2<u32>>").replace("*n +=", "(*n).x +=");
    refused(ring.replace_here(&state).await, differs, &["state of 'count'", "u32 (4 bytes)", "vec2<u32> (8 bytes)"])?;
    let kind = numbered(2).replace("fn count", "fn sum");
    refused(ring.replace_here(&kind).await, differs, &["kinds of actors", "count", "sum"])?;
    let broken = numbered(2).replace("+= 1u", "+= 1.5");
    refused(ring.replace_here(&broken).await, |error| matches!(error, RingError::Kernel(_)), &["replace.rs"])?;
    let none = ring.replace_here("fn f() {}").await;
    refused(none, |error| matches!(error, RingError::Actor { .. }), &["// anywarp:actor"])?;
    let submissions = ring.telemetry().submissions;
    equal(ring.actor(0).ask::<u32, u32>(&2)?.timeout(MINUTE).wait_here().await?, 2 | 1 << 24, "the code of before")?;
    equal(ring.state_here::<u32>(0).await?, 2, "the state")?;
    ensure(submissions > 0, || "no kernel ran".to_owned())?;
    ring.shutdown_here(MINUTE).await?;
    Ok(())
}
