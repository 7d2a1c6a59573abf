//! Messages that actors emit to the host.

#[cfg(not(target_arch = "wasm32"))]
use std::thread;
use std::time::Duration;

use anywarp::ring::{Emission, Ring, RingError, SendError, Subscription};
use futures::{FutureExt, StreamExt};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place, cases, on_threads};

pub(crate) const CASES: &[Case] = cases![
    emitted,
    emitted_by_lanes,
    emitted_by_a_warp,
    emitted_over_many_laps,
    full_queue_to_the_host,
    lost_by_a_subscription,
    two_subscriptions,
    iterator_until_the_end = |place| on_threads(place, iterator_until_the_end),
    streamed,
    sent_and_emitted,
    nothing_to_subscribe_to,
    other_forms_of_emitting,
];

const MINUTE: Duration = Duration::from_secs(60);

/// Emits as many numbered messages as the host demands; the state counts those that were emitted and those that were not.
const COUNTED: &str = "
struct Alarm { number: u32, high: u32, lane: u32 }
// anywarp:emit
fn alarm(m: Alarm) -> bool { return false; /* } */ }
// anywarp:actor
fn counted(state: ptr<function, vec2<u32>>, count: u32, lane: u32) -> u32 {
    for (var i = 0u; i < count; i++) {
        let n = (*state).x;
        if alarm(Alarm(n, n | 0x80000000u, lane)) { (*state).x += 1u; } else { (*state).y += 1u; }
    }
    return (*state).x;
}";

type Alarm = [u32; 3];

/// The next message, checked, of an actor whose message has this number.
async fn expect(alarms: &Subscription<Alarm>, numbers: &mut [u32]) -> TestResult {
    let Some(Emission { actor, message }) = alarms.recv_here(MINUTE).await else {
        return ensure(false, || format!("no message after {numbers:?}"));
    };
    let number = &mut numbers[actor as usize];
    equal(message, [*number, *number | 1 << 31, 0], &format!("the message of actor {actor}"))?;
    *number += 1;
    Ok(())
}

async fn told(ring: &Ring, actor: u32, count: u32) -> TestResult<u32> {
    Ok(ring.actor(actor).ask::<u32, u32>(&count)?.timeout(MINUTE).wait_here().await?)
}

async fn each_in_order(ring: &Ring, actors: u32) -> TestResult {
    let alarms = ring.subscribe::<Alarm>(1000)?;
    let mut numbers = vec![0; actors as usize];
    for round in 1..=6u32 {
        for actor in 0..actors {
            equal(told(ring, actor, 2).await?, 2 * round, "emitted messages")?;
        }
        for _ in 0..2 * actors {
            expect(&alarms, &mut numbers).await?;
        }
        equal(numbers.clone(), vec![2 * round; actors as usize], "messages of each actor")?;
    }
    equal(alarms.try_recv(), None, "a message too many")?;
    equal(alarms.recv_here(Duration::from_millis(5)).await, None, "a message too many")?;
    let total = ring.telemetry().total();
    equal((total.emitted, total.not_emitted, alarms.lost()), (u64::from(12 * actors), 0, 0), "emitted, not, lost")
}

async fn emitted(place: Place<'_>) -> TestResult {
    for actors in [1, 3, 40] {
        each_in_order(&place.ring(COUNTED)?.actors(actors).inbox(8).start()?, actors).await?;
    }
    Ok(())
}

/// Each lane that calls the function emits a message.
async fn emitted_by_lanes(place: Place<'_>) -> TestResult {
    let ring = place.ring(COUNTED)?.lanes(4).inbox(16).start()?;
    let alarms = ring.subscribe::<Alarm>(1000)?;
    for round in 0..10u32 {
        equal(told(&ring, 0, 1).await?, round + 1, "the reply of lane 0")?;
        let mut lanes = Vec::new();
        for _ in 0..4 {
            let message = alarms.recv_here(MINUTE).await.map(|emission| emission.message);
            ensure(message.is_some_and(|message| message[0] == round), || format!("{message:?} in round {round}"))?;
            lanes.extend(message.map(|message| message[2]));
        }
        lanes.sort_unstable();
        equal(lanes, vec![0, 1, 2, 3], "the lanes")?;
    }
    Ok(())
}

/// A workgroup of which one invocation handles messages, as on a GPU.
async fn emitted_by_a_warp(place: Place<'_>) -> TestResult {
    each_in_order(&place.ring(COUNTED)?.actors(3).inbox(8).invocations(32).start()?, 3).await
}

/// Messages of 112 bytes in few slots, which are free again when the host has taken them.
async fn emitted_over_many_laps(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "// anywarp:emit
        fn give(m: array<u32, 28>) -> bool { return false; }
        // anywarp:actor
        fn wide(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
            var m: array<u32, 28>;
            for (var i = 0u; i < 28u; i++) { m[i] = (x + i) * 0x9e3779b9u; }
            return u32(give(m));
        }",
    )?;
    let ring = ring.inbox(2).start()?;
    let given = ring.subscribe::<[u32; 28]>(4)?;
    for x in 0..50u32 {
        equal(told(&ring, 0, x).await?, 1, "whether the message was emitted")?;
        let wanted: [u32; 28] = std::array::from_fn(|at| (x + at as u32).wrapping_mul(0x9e37_79b9));
        equal(given.recv_here(MINUTE).await.map(|emission| emission.message), Some(wanted), "the message")?;
    }
    Ok(())
}

/// Without a subscription, messages stay in the queue until it is full.
async fn full_queue_to_the_host(place: Place<'_>) -> TestResult {
    let ring = place.ring(COUNTED)?.inbox(4).start()?;
    equal(told(&ring, 0, 10).await?, 4, "emitted messages")?;
    equal(ring.state_here::<[u32; 2]>(0).await?, [4, 6], "emitted and not emitted, as the actor counts")?;
    ring.pause_here().await?;
    let actor = ring.telemetry().actors[0].clone();
    equal((actor.emitted, actor.not_emitted), (4, 6), "emitted and not emitted")?;
    ring.resume_here().await?;
    let alarms = ring.subscribe::<Alarm>(100)?;
    let mut numbers = [0];
    for round in 1..=5u32 {
        for _ in 0..4 {
            expect(&alarms, &mut numbers).await?;
        }
        equal(told(&ring, 0, 4).await?, 4 + 4 * round, "emitted messages")?;
    }
    equal(ring.state_here::<[u32; 2]>(0).await?, [24, 6], "emitted and not emitted, as the actor counts")
}

async fn lost_by_a_subscription(place: Place<'_>) -> TestResult {
    let ring = place.ring(COUNTED)?.inbox(16).start()?;
    let alarms = ring.subscribe::<Alarm>(3)?;
    equal(told(&ring, 0, 10).await?, 10, "emitted messages")?;
    let mut numbers = [0];
    expect(&alarms, &mut numbers).await?;
    let start = Instant::now();
    // Words of a message may arrive later than the reply.
    while alarms.lost() < 6 {
        ensure(start.elapsed() < MINUTE, || format!("{} messages lost", alarms.lost()))?;
        sleep_here(Duration::from_millis(1)).await;
    }
    let kept = std::iter::from_fn(|| alarms.try_recv()).count() as u64;
    equal(1 + kept + alarms.lost(), 10, "received and lost messages")?;
    ensure((2..=3).contains(&kept), || format!("{kept} messages were kept"))
}

async fn two_subscriptions(place: Place<'_>) -> TestResult {
    let ring = place.ring(COUNTED)?.actors(2).start()?;
    let (one, two) = (ring.subscribe::<Alarm>(100)?, ring.subscribe::<Alarm>(100)?);
    told(&ring, 1, 5).await?;
    for alarms in [&one, &two] {
        let mut numbers = [0; 2];
        for _ in 0..5 {
            expect(alarms, &mut numbers).await?;
        }
    }
    drop(one);
    told(&ring, 1, 5).await?;
    let mut numbers = [0, 5];
    for _ in 0..5 {
        expect(&two, &mut numbers).await?;
    }
    Ok(())
}

#[cfg(target_arch = "wasm32")]
fn iterator_until_the_end(_: Place<'_>) -> TestResult {
    crate::outcome::skip("a browser's page cannot block in an iterator")
}

#[cfg(not(target_arch = "wasm32"))]
fn iterator_until_the_end(place: Place<'_>) -> TestResult {
    let ring = place.ring(COUNTED)?.actors(2).inbox(64).start()?;
    let alarms = ring.subscribe::<Alarm>(1000)?;
    let received = thread::spawn(move || {
        let received = alarms.messages().map(|alarm| (alarm.actor, alarm.message[0]));
        received.collect::<Vec<_>>()
    });
    for round in 0..20 {
        ring.actor(round % 2).tell(&1u32)?;
    }
    let report = ring.shutdown(MINUTE)?;
    crate::counts::adds_up(&report)?;
    equal((report.telemetry.total().taken, report.untaken), (20, 0), "messages taken, and left")?;
    let received = received.join().expect("no panic");
    for actor in 0..2 {
        let own = received.iter().filter(|(from, _)| *from == actor).map(|(_, number)| *number);
        equal(own.collect::<Vec<_>>(), (0..10).collect(), &format!("the messages of actor {actor}"))?;
    }
    Ok(())
}

async fn streamed(place: Place<'_>) -> TestResult {
    let ring = place.ring(COUNTED)?.start()?;
    let mut alarms = ring.subscribe::<Alarm>(1000)?;
    ensure(StreamExt::next(&mut alarms).now_or_never().is_none(), || "a message before any was emitted".to_owned())?;
    let waits = async {
        let first = StreamExt::next(&mut alarms).await;
        (first, StreamExt::collect::<Vec<_>>(alarms).await)
    };
    // The stream waits when the message is emitted.
    let (actors, (first, others)) = futures::join!(
        async {
            sleep_here(Duration::from_millis(10)).await;
            told(&ring, 0, 1).await?;
            told(&ring, 0, 3).await?;
            TestResult::Ok(ring.shutdown_here(MINUTE).await?)
        },
        waits
    );
    actors?;
    equal(first.map(|alarm| alarm.message[0]), Some(0), "the first message")?;
    equal(others.iter().map(|alarm| alarm.message[0]).collect::<Vec<_>>(), vec![1, 2, 3], "the other messages")
}

/// Both functions in one text, with different types.
async fn sent_and_emitted(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "struct Token { hops: u32, actors: u32 }
        // anywarp:emit
        fn report(m: vec2<f32>) -> bool { return false; }
        // anywarp:send
        fn hand_on(to: u32, token: Token) -> bool { return false; }
        // anywarp:actor
        fn receive(state: ptr<function, u32>, m: Token, lane: u32) {
            *state += 1u;
            if m.hops == 0u {
                report(vec2<f32>(0.5, f32(*state)));
            } else {
                hand_on(m.hops % m.actors, Token(m.hops - 1u, m.actors));
            }
        }",
    )?;
    let ring = ring.actors(3).start()?;
    let reports = ring.subscribe::<[f32; 2]>(10)?;
    ring.actor(0).tell(&[8u32, 3])?;
    let Some(report) = reports.recv_here(MINUTE).await else { return ensure(false, || "no report".to_owned()) };
    // 8 goes to actor 2, 7 to 1, and so on; the hop 1 ends at actor 1.
    equal((report.actor, report.message), (1, [0.5, 3.0]), "the report")
}

async fn nothing_to_subscribe_to(place: Place<'_>) -> TestResult {
    let none = |error: &SendError| matches!(error, SendError::NoEmission { .. });
    refused(place.start(ECHO)?.subscribe::<u32>(1).map(|_| ()), none, &["'echo'", "// anywarp:emit"])?;
    let layout = |error: &SendError| matches!(error, SendError::Layout { what: "emitted message", .. });
    refused(place.start(COUNTED)?.subscribe::<u32>(1).map(|_| ()), layout, &["'counted'", "u32"])
}

async fn other_forms_of_emitting(place: Place<'_>) -> TestResult {
    let actor = "// anywarp:actor\nfn a(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { return x; }\n";
    let forms = [
        ("// anywarp:emit\nfn e(m: f32) {}", 4),
        ("// anywarp:emit\nfn e() -> bool { return false; }", 4),
        ("// anywarp:emit\nfn e(to: u32, m: u32) -> bool { return false; }", 4),
        ("// anywarp:emit\nfn e(m: bool) -> bool { return false; }", 4),
        ("// anywarp:emit\nfn e(m: array<u32, 1025>) -> bool { return false; }", 4),
        ("// anywarp:emit\nconst a = 1;", 3),
        (
            "// anywarp:emit\nfn e(m: u32) -> bool { return false; }
            // anywarp:emit\nfn f(m: u32) -> bool { return false; }",
            6,
        ),
    ];
    for (form, line) in forms {
        let error = place.device.ring(&*format!("{actor}{form}"));
        let wrong = |error: &RingError| matches!(error, RingError::Actor { line: at, .. } if *at == line);
        refused(error.map(|_| ()), wrong, &[])?;
    }
    Ok(())
}
