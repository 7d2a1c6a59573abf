//! Messages from actor to actor.

use std::time::Duration;

use anywarp::ring::{DeadReason, Ring, RingError};

use crate::counts::adds_up;
use crate::here::*;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![
    passed_on,
    passed_on_by_lanes,
    passed_on_by_a_warp,
    order_of_each_pair,
    full_queue_of_an_actor,
    no_such_receiver,
    sent_to_itself,
    other_forms_of_sending,
    undelivered_at_the_end,
    nothing_undelivered,
];

const MINUTE: Duration = Duration::from_secs(60);

/// A token that goes round: each actor counts it and passes it on, until it has made its hops.
const TOKEN: &str = "
struct Token { hops: u32, id: u32, actors: u32 }
struct Seen { count: u32, ids: u32, refused: u32 }
// anywarp:send
fn hand_on(to: u32, token: Token) -> bool { return false; /* { */ }
// anywarp:actor
fn receive(state: ptr<function, Seen>, m: Token, lane: u32) -> u32 {
    (*state).count += 1u;
    (*state).ids ^= m.id;
    if m.hops > 0u && lane == 0u {
        let next = (m.id + m.hops) % m.actors;
        if !hand_on(next, Token(m.hops - 1u, m.id, m.actors)) { (*state).refused += 1u; }
    }
    return m.hops;
}";

type Seen = [u32; 3];

async fn go_round(ring: &Ring, actors: u32) -> TestResult {
    let (tokens, hops) = (20u32, 30u32);
    for id in 0..tokens {
        let reply: u32 =
            ring.actor(id % actors).ask(&[hops, id | 0x8000_0000, actors])?.timeout(MINUTE).wait_here().await?;
        equal(reply, hops, "the reply to the host's message")?;
    }
    ring.drain_here(MINUTE).await?;
    let states = states_here::<Seen>(ring, actors).await?;
    equal(states.iter().map(|seen| seen[0]).sum::<u32>(), tokens * (hops + 1), "messages handled")?;
    equal(states.iter().map(|seen| seen[2]).sum::<u32>(), 0, "messages refused")?;
    // Each actor's own history, computed on the host.
    let mut wanted = vec![(0u32, 0u32); actors as usize];
    for id in (0..tokens).map(|id| id | 0x8000_0000) {
        let mut at = (id & 0x7fff_ffff) % actors;
        for hops in (0..=hops).rev() {
            let (count, ids) = &mut wanted[at as usize];
            *count += 1;
            *ids ^= id;
            at = id.wrapping_add(hops) % actors;
        }
    }
    let found: Vec<_> = states.iter().map(|seen| (seen[0], seen[1])).collect();
    equal(found, wanted, "what each actor has seen")?;
    let total = ring.telemetry().total();
    let sent = u64::from(tokens * hops);
    equal((total.sent, total.from_actors, total.refused), (sent, sent, 0), "sent, received, refused")?;
    equal((total.received, total.handled), (u64::from(tokens), u64::from(tokens)), "messages of the host")
}

async fn passed_on(place: Place<'_>) -> TestResult {
    for actors in [1, 5, 300] {
        go_round(&place.ring(TOKEN)?.actors(actors).inbox(32).start()?, actors).await?;
    }
    Ok(())
}

async fn passed_on_by_lanes(place: Place<'_>) -> TestResult {
    go_round(&place.ring(TOKEN)?.actors(3).lanes(4).inbox(32).start()?, 3).await
}

/// A workgroup of which one invocation handles messages, as on a GPU.
async fn passed_on_by_a_warp(place: Place<'_>) -> TestResult {
    go_round(&place.ring(TOKEN)?.actors(3).inbox(32).invocations(32).start()?, 3).await
}

/// Actors 1 to 3 send numbered messages to actor 0, which finds them in order for each sender; those that were refused
/// are missing, and counted.
const NUMBERED: &str = "
struct M { from_actor: u32, number: u32, burst: u32 }
struct State { next: array<u32, 4>, wrong: u32, count: u32, refused: u32 }
// anywarp:send
fn tell(to: u32, m: M) -> bool { return false; }
// anywarp:actor
fn numbered(state: ptr<function, State>, m: M, lane: u32) {
    if m.burst == 0u {
        if m.number < (*state).next[m.from_actor] { (*state).wrong += 1u; }
        (*state).next[m.from_actor] = m.number + 1u;
        (*state).count += 1u;
        return;
    }
    for (var i = 0u; i < m.burst; i++) {
        let n = (*state).next[m.from_actor];
        (*state).next[m.from_actor] = n + 1u;
        if !tell(0u, M(m.from_actor, n, 0u)) { (*state).refused += 1u; }
    }
}";

type Numbered = [u32; 7];

async fn order_of_each_pair(place: Place<'_>) -> TestResult {
    let ring = place.ring(NUMBERED)?.actors(4).inbox(64).start()?;
    for _ in 0..40 {
        for sender in 1..4u32 {
            ring.actor(sender).tell(&[sender, 0, 5])?;
        }
    }
    ring.drain_here(MINUTE).await?;
    let states = states_here::<Numbered>(&ring, 4).await?;
    equal(states[0][4], 0, "messages out of order")?;
    let refused: u32 = states.iter().map(|state| state[6]).sum();
    equal(states[0][5] + refused, 600, "messages handled and refused")?;
    equal(u64::from(refused), ring.telemetry().total().refused, "refused, as the telemetry counts")
}

/// An actor that sends to itself more than its queue holds: the rest is refused at once.
async fn full_queue_of_an_actor(place: Place<'_>) -> TestResult {
    let ring = place.ring(NUMBERED)?.inbox(8).start()?;
    ring.actor(0).tell(&[3u32, 0, 20])?;
    ring.drain_here(MINUTE).await?;
    let state: Numbered = ring.state_here(0).await?;
    // The numbers of the messages begin below the count that the sender has reached itself.
    equal((state[5], state[6]), (8, 12), "handled and refused")?;
    let actor = ring.telemetry().actors[0].clone();
    equal((actor.sent, actor.refused, actor.from_actors), (8, 12, 8), "sent, refused, received")?;
    // There is room again.
    ring.actor(0).tell(&[2u32, 0, 1])?;
    ring.drain_here(MINUTE).await?;
    equal(ring.state_here::<Numbered>(0).await?[5], 9, "handled")
}

async fn no_such_receiver(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "// anywarp:send
        fn send(to: u32, m: u32) -> bool { return false; }
        // anywarp:actor
        fn relay(state: ptr<function, u32>, to: u32, lane: u32) -> u32 { return u32(send(to, 0xffffffffu)); }",
    )?;
    let ring = ring.actors(2).start()?;
    for (to, sent) in [(2u32, 0u32), (u32::MAX, 0), (1 << 31, 0)] {
        equal(
            ring.actor(0).ask::<u32, u32>(&to)?.wait_here().await?,
            sent,
            &format!("whether a message to {to} was sent"),
        )?;
    }
    // The kernel's counts are complete when it has ended.
    ring.pause_here().await?;
    equal(ring.telemetry().actors[0].refused, 3, "refused")?;
    ring.resume_here().await?;
    equal(ring.actor(0).ask::<u32, u32>(&1)?.wait_here().await?, 1, "whether a message to 1 was sent")?;
    ring.drain_here(MINUTE).await?;
    equal(ring.telemetry().actors[1].from_actors, 1, "received")
}

/// Messages of 112 bytes, which end only after many rounds, more than the numbers of two laps.
async fn sent_to_itself(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "struct M { left: u32, words: array<u32, 27> }
        // anywarp:send
        fn again(to: u32, m: M) -> bool { return false; }
        // anywarp:actor
        fn count(state: ptr<function, array<u32, 2>>, m: M, lane: u32) {
            (*state)[0] += 1u;
            for (var i = 0u; i < 27u; i++) {
                if m.words[i] != (i + 1u) * (m.left | 0x80000001u) { (*state)[1] += 1u; }
            }
            if m.left == 0u { return; }
            var next: M;
            next.left = m.left - 1u;
            for (var i = 0u; i < 27u; i++) { next.words[i] = (i + 1u) * (next.left | 0x80000001u); }
            if !again(0u, next) { (*state)[1] += 1000u; }
        }",
    )?;
    let ring = ring.inbox(4).start()?;
    let mut message = [0u32; 28];
    message[0] = 200;
    for (word, factor) in message[1..].iter_mut().zip(1u32..) {
        *word = factor.wrapping_mul(200 | 0x8000_0001);
    }
    ring.actor(0).tell(&message)?;
    ring.drain_here(MINUTE).await?;
    equal(ring.state_here::<[u32; 2]>(0).await?, [201, 0], "messages, and wrong words")
}

async fn other_forms_of_sending(place: Place<'_>) -> TestResult {
    let actor = "// anywarp:actor\nfn a(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { return x; }\n";
    let forms = [
        ("// anywarp:send\nfn s(to: u32, m: f32) -> bool { return false; }", 4),
        ("// anywarp:send\nfn s(to: i32, m: u32) -> bool { return false; }", 4),
        ("// anywarp:send\nfn s(to: u32, m: u32) {}", 4),
        ("// anywarp:send\nfn s(m: u32) -> bool { return false; }", 4),
        ("// anywarp:send\n@fragment fn s() {}", 3),
        (
            "// anywarp:send\nfn s(to: u32, m: u32) -> bool { return false; }
            // anywarp:send\nfn t(to: u32, m: u32) -> bool { return false; }",
            6,
        ),
    ];
    for (form, line) in forms {
        let error = place.device.ring(&*format!("{actor}{form}"));
        let wrong = |error: &RingError| matches!(error, RingError::Actor { line: at, .. } if *at == line);
        refused(error.map(|_| ()), wrong, &[])?;
    }
    ensure(place.ring(actor)?.start()?.telemetry().total().sent == 0, || "an actor has sent".to_owned())
}

/// Tokens that go round without end: each is in one queue when the kernel has ended.
async fn undelivered_at_the_end(place: Place<'_>) -> TestResult {
    let ring = place.ring(TOKEN)?.actors(3).inbox(16).start()?;
    for id in [7, 8, 0x8000_0009u32] {
        ring.actor(0).tell(&[u32::MAX, id, 3])?;
    }
    let start = Instant::now();
    while ring.telemetry().total().from_actors < 30 {
        ensure(start.elapsed() < MINUTE, || format!("the tokens do not go round: {:?}", ring.telemetry()))?;
        sleep_here(Duration::from_millis(1)).await;
    }
    ring.pause_here().await?;
    let report = ring.shutdown_here(Duration::ZERO).await?;
    adds_up(&report)?;
    equal((report.undelivered, report.unanswered, report.handled), (3, 0, 3), "undelivered, unanswered, handled")?;
    let mut ids = Vec::new();
    for letter in &report.dead_letters {
        equal((letter.reason, letter.from_actor), (DeadReason::Shutdown, true), "reason and sender")?;
        let words: Vec<u32> =
            letter.bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("4"))).collect();
        // The token was sent with one hop more.
        equal(letter.actor, words[1].wrapping_add(words[0] + 1) % 3, "the receiver")?;
        ids.push(words[1]);
    }
    ids.sort_unstable();
    equal(ids, vec![7, 8, 0x8000_0009], "the tokens")
}

async fn nothing_undelivered(place: Place<'_>) -> TestResult {
    let ring = place.ring(TOKEN)?.actors(3).inbox(16).start()?;
    ring.actor(0).tell(&[50u32, 1, 3])?;
    let report = ring.shutdown_here(MINUTE).await?;
    equal((report.undelivered, report.letters_lost, report.dead_letters.len()), (0, 0, 0), "undelivered, lost, letters")
}
