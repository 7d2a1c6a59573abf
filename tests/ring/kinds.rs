//! Rings with several kinds of actors.

use std::time::Duration;

use anywarp::ring::{Overflow, Ring, RingError, SendError};

use crate::here::*;
use crate::outcome::{Context, TestResult, ensure, equal, refused};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![
    kinds,
    kinds_on_lanes,
    kinds_of_a_warp,
    sent_from_kind_to_kind,
    sent_to_kinds_of_one_type,
    bytes_and_topics_of_kinds,
    refused_kinds,
];

const MINUTE: Duration = Duration::from_secs(60);

/// Three kinds whose states, messages and replies have different sizes; one has no reply.
const THREE: &str = "
struct Wide { a: f32, b: array<f32, 6> }
struct Sums { count: f32, sums: array<f32, 9> }
// anywarp:actor
fn add(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { *state += x; return *state; }
// anywarp:actor
fn sum(state: ptr<function, Sums>, m: Wide, lane: u32) -> Wide {
    var reply = m;
    (*state).count += m.a;
    for (var i = 0u; i < 6u; i++) {
        (*state).sums[i] += m.b[i];
        reply.b[i] = (*state).sums[i];
    }
    (*state).sums[8] -= 1.0;
    return reply;
}
// anywarp:actor
fn last(state: ptr<function, vec2<f32>>, x: vec2<f32>, lane: u32) { *state = x; }";

type Wide = [f32; 7];
type Sums = [f32; 10];

/// The message `Wide`.
fn wide(a: f32, b: f32) -> Wide {
    std::array::from_fn(|at| if at == 0 { a } else { b * at as f32 })
}

async fn each_has_its_types(ring: &Ring) -> TestResult {
    let numbers = ["add", "sum", "last"].map(|kind| ring.actors_of(kind).map(|actors| (actors.start, actors.end)));
    for (numbers, wanted) in numbers.into_iter().zip([(0, 3), (3, 5), (5, 9)]) {
        equal(numbers?, wanted, "the numbers of a kind")?;
    }
    equal((ring.actors(), ring.actor_of("last", 3)?.number()), (9, 8), "all actors, and the last one")?;
    for round in 1..=5u32 {
        for actor in 0..3 {
            let sum: u32 = ring.actor(actor).ask(&(actor + 1))?.timeout(MINUTE).wait_here().await?;
            equal(sum, round * (actor + 1), "the reply of `add`")?;
        }
        for actor in 0..2 {
            let reply: Wide = ring.actor_of("sum", actor)?.ask(&wide(7.0, -1.5))?.timeout(MINUTE).wait_here().await?;
            equal(reply, wide(7.0, -1.5 * round as f32), "the reply of `sum`")?;
        }
        for actor in 0..4 {
            ring.actor_of("last", actor)?.tell(&[round as f32, -(actor as f32)])?;
        }
    }
    ring.drain_here(MINUTE).await?;
    equal(ring.state_here::<u32>(2).await?, 15, "the state of `add`")?;
    let mut sums: Sums = [0.0; 10];
    sums[0] = 35.0;
    (1..=6u8).for_each(|at| sums[usize::from(at)] = -7.5 * f32::from(at));
    sums[9] = -5.0;
    equal(ring.state_here::<Sums>(4).await?, sums, "the state of `sum`")?;
    sums[1] = 0.0;
    ring.set_state_here(4, &sums).await?;
    let reply: Wide = ring.actor(4).ask(&wide(1.0, 2.0))?.timeout(MINUTE).wait_here().await?;
    equal(reply[1], 2.0, "the reply after the state was set")?;
    equal(ring.state_here::<[f32; 2]>(7).await?, [5.0, -2.0], "the state of `last`")?;
    equal(ring.telemetry().total().handled, 46, "handled")
}

async fn kinds(place: Place<'_>) -> TestResult {
    each_has_its_types(&place.ring(THREE)?.actors(3).actors_of("sum", 2).actors_of("last", 4).inbox(8).start()?).await
}

async fn kinds_on_lanes(place: Place<'_>) -> TestResult {
    place.once()?;
    let ring = place.ring(THREE)?.actors(3).actors_of("sum", 2).actors_of("last", 4);
    each_has_its_types(&ring.inbox(8).lanes(4).start()?).await
}

async fn kinds_of_a_warp(place: Place<'_>) -> TestResult {
    place.once()?;
    place.for_cpu("workgroups of GPUs are warps in the other cases")?;
    let ring = place.ring(THREE)?.actors(3).actors_of("sum", 2).actors_of("last", 4);
    each_has_its_types(&ring.inbox(8).invocations(32).start()?).await
}

/// Two kinds that send messages of different types to each other; receivers are counted within their kind.
async fn sent_from_kind_to_kind(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "struct Ball { hops: u32, x: vec2<f32> }
        // anywarp:send
        fn to_ping(to: u32, hops: u32) -> bool { return false; }
        // anywarp:send pong
        fn to_pong(to: u32, m: Ball) -> bool { return false; }
        // anywarp:actor
        fn ping(state: ptr<function, vec2<u32>>, hops: u32, lane: u32) -> u32 {
            (*state).x += 1u;
            if hops > 0u && !to_pong(hops % 3u, Ball(hops - 1u, vec2<f32>(f32(hops), 0.5))) { (*state).y += 1u; }
            return hops;
        }
        // anywarp:actor
        fn pong(state: ptr<function, array<f32, 3>>, m: Ball, lane: u32) {
            (*state)[0] += 1.0;
            (*state)[1] += m.x.x + m.x.y;
            if m.hops > 0u && !to_ping(m.hops % 2u, m.hops - 1u) { (*state)[2] += 1.0; }
        }",
    )?;
    let ring = ring.actors_of("ping", 2).actors_of("pong", 3).start()?;
    equal(ring.actor_of("ping", 1)?.ask::<u32, u32>(&20)?.timeout(MINUTE).wait_here().await?, 20, "the reply")?;
    ring.drain_here(MINUTE).await?;
    // 20, 18, .. 2 go to `pong`, and 19, 17, .. 1 back to `ping` 1.
    equal(
        (ring.state_here::<[u32; 2]>(0).await?, ring.state_here::<[u32; 2]>(1).await?),
        ([0, 0], [11, 0]),
        "the states of `ping`",
    )?;
    for pong in 0..3u32 {
        let hops = (1..=10).map(|half| 2 * half).filter(|hops| hops % 3 == pong);
        let sum = hops.clone().map(|hops| hops as f32 + 0.5).sum::<f32>();
        equal(
            ring.state_here(2 + pong).await?,
            [hops.count() as f32, sum, 0.0],
            &format!("the state of `pong` {pong}"),
        )?;
    }
    let telemetry = ring.telemetry();
    equal(
        telemetry.actors.iter().map(|actor| actor.from_actors).collect::<Vec<_>>(),
        vec![0, 10, 3, 3, 4],
        "received",
    )?;
    equal((telemetry.total().sent, telemetry.total().refused), (20, 0), "sent and refused")
}

/// Where several kinds have messages of one type, the mark names the receivers, and a number beyond them is refused.
async fn sent_to_kinds_of_one_type(place: Place<'_>) -> TestResult {
    let text = |mark: &str| {
        format!(
            "// anywarp:send {mark}
            fn give_on(to: u32, x: u32) -> bool {{ return false; }}
            // anywarp:actor
            fn a(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {{ return u32(give_on(x, x + 100u)); }}
            // anywarp:actor
            fn b(state: ptr<function, u32>, x: u32, lane: u32) {{ *state += x; }}
            // anywarp:actor
            fn c(state: ptr<function, u32>, x: u32, lane: u32) {{ *state += x; }}"
        )
    };
    for (kind, first) in [("b", 1), ("c", 3)] {
        let ring = place.ring(&text(kind))?.actors_of("a", 1).actors_of("b", 2).actors_of("c", 2).start()?;
        let mut replies = Vec::new();
        for to in 0..4 {
            replies.push(ring.actor(0).ask::<u32, u32>(&to)?.timeout(MINUTE).wait_here().await?);
        }
        equal(replies, vec![1, 1, 0, 0], "whether it was sent")?;
        ring.drain_here(MINUTE).await?;
        let states = states_here::<u32>(&ring, 5).await?;
        let mut wanted = vec![0; 5];
        (wanted[first], wanted[first + 1]) = (100, 101);
        equal(states, wanted, "the states")?;
        equal(ring.telemetry().total().refused, 2, "refused")?;
    }
    let error = place.device.ring(&*text("to all")).map(|_| ());
    refused(
        error,
        |error| matches!(error, RingError::Actor { line: 2, .. }),
        &["'give_on'", "'a' and 'b'", "anywarp:send a"],
    )
}

/// Messages as bytes have the size of the kind, also as dead letters; each kind refuses what another one receives.
async fn bytes_and_topics_of_kinds(place: Place<'_>) -> TestResult {
    let ring = place.ring(THREE)?.actors_of("add", 2).start()?;
    equal(
        ring.actor(1).ask_bytes(&[9, 0, 0, 0])?.timeout(MINUTE).wait_here().await?,
        vec![9, 0, 0, 0],
        "a reply in bytes",
    )?;
    equal(ring.actor(2).ask_bytes(&[0; 28])?.timeout(MINUTE).wait_here().await?.len(), 28, "the bytes of a reply")?;
    equal(ring.actor(3).ask_bytes(&[1; 8])?.timeout(MINUTE).wait_here().await?, vec![], "no reply")?;
    let size = |error: &SendError| matches!(error, SendError::Size { expected: 28, got: 4, .. });
    refused(ring.actor(2).tell_bytes(&[0; 4]), size, &["'sum'", "28 bytes"])?;

    let topic = ring.topic("numbers");
    topic.subscribe(0, Overflow::Reject)?;
    topic.subscribe(1, Overflow::Reject)?;
    equal(topic.publish(&3u32)?.delivered, 2, "delivered")?;
    topic.subscribe(ring.actor_of("last", 0)?.number(), Overflow::Reject)?;
    let layout = |error: &SendError| matches!(error, SendError::Layout { what: "message", .. });
    refused(topic.publish(&3u32).map(|_| ()), layout, &["'last'", "vec2<f32>", "u32"])?;
    equal(
        (ring.state_here::<u32>(0).await?, ring.state_here::<u32>(1).await?),
        (3, 12),
        "the states: nothing of the refused message",
    )?;

    refused(ring.actor(3).tell(&1u32), layout, &["'last'", "vec2<f32>"])?;
    refused(ring.actor(0).ask::<[f32; 2], u32>(&[0.0; 2]).map(|_| ()), layout, &["'add'"])?;
    let reply = |error: &SendError| matches!(error, SendError::NoReply { .. });
    refused(ring.actor(3).ask::<[f32; 2], u32>(&[0.0; 2]).map(|_| ()), reply, &["'last'"])?;
    let actor = |error: &SendError| matches!(error, SendError::NoSuchActor { actor: 2, actors: 2 });
    refused(ring.actor_of("add", 2).map(|_| ()), actor, &["actor 2"])?;
    let kind = |error: &SendError| matches!(error, SendError::NoSuchKind { .. });
    refused(ring.actor_of("mean", 0).map(|_| ()), kind, &["'mean'", "add+sum+last"])?;

    ring.pause_here().await?;
    ring.actor(3).tell(&[1.0f32, 2.0])?;
    ring.actor(0).tell(&5u32)?;
    ring.actor(2).tell(&wide(1.0, 1.0))?;
    let letters = ring.shutdown_here(Duration::ZERO).await?.dead_letters;
    let sizes: Vec<_> = letters.iter().map(|letter| (letter.actor, letter.bytes.len())).collect();
    equal(sizes, vec![(0, 4), (2, 28), (3, 8)], "the sizes of dead letters")
}

async fn refused_kinds(place: Place<'_>) -> TestResult {
    let start = place.ring(THREE)?.actors_of("mean", 7).start().map(|_| ());
    refused(start, |error| matches!(error, RingError::NoSuchKind { .. }), &["7 actors 'mean'", "add+sum+last"])?;
    let none = place.ring(THREE)?.actors_of("sum", 0).start().map(|_| ());
    refused(none, |error| matches!(error, RingError::Setting { .. }), &["actors", "got 0"])?;
    let forms: [(&str, usize, &[&str]); 4] = [
        ("// anywarp:send\nfn s(to: u32, m: f32) -> bool { return false; }", 2, &["'s'", "u32 or Wide or vec2<f32>"]),
        ("// anywarp:send last\nfn s(to: u32, m: u32) -> bool { return false; }", 2, &["'s'", "message: vec2<f32>)"]),
        (
            "// anywarp:send\nfn s(to: u32, m: u32) -> bool { return false; }
            // anywarp:send add\nfn t(to: u32, m: u32) -> bool { return false; }",
            4,
            &["'t'", "second", "'add'"],
        ),
        (
            "// anywarp:actor\n// anywarp:actor\nfn a(s: ptr<function, u32>, m: u32, lane: u32) { }",
            3,
            &["'a'", "twice"],
        ),
    ];
    for (form, line, words) in forms {
        let error = place.device.ring(&*format!("{form}{THREE}")).map(|_| ());
        let wrong = |error: &RingError| matches!(error, RingError::Actor { line: at, .. } if *at as usize == line);
        refused(error, wrong, words).context(|| form.to_owned())?;
    }
    let names: Vec<String> = place.ring(THREE)?.kinds().map(str::to_owned).collect();
    ensure(names == ["add", "sum", "last"], || format!("{names:?}"))
}
