//! Messages and replies of more words than one word of highest bits serves.

use std::time::Duration;

use anywarp::backend::{BackendKind, DeviceKind};
use anywarp::ring::{Restart, RingBuilder};

use crate::here::*;
use crate::outcome::{TestResult, equal, skip};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![
    long_messages,
    long_messages_of_a_warp,
    longest_messages,
    long_messages_between_actors,
    long_messages_with_restarts,
];

const MINUTE: Duration = Duration::from_secs(60);

/// Words of which about half have their highest bit set.
fn words<const N: usize>(seed: u32) -> [u32; N] {
    std::array::from_fn(|at| (seed + at as u32).wrapping_mul(0x9e37_79b9))
}

/// A reply of fewer words than the message, or of more.
async fn both_ways(ring: RingBuilder) -> TestResult {
    let ring = ring.inbox(2).start()?;
    for seed in 0..12u32 {
        let reply: [u32; 40] = ring.actor(0).ask(&words::<33>(seed))?.timeout(MINUTE).wait_here().await?;
        let message = words::<33>(seed);
        let wanted: [u32; 40] = std::array::from_fn(|at| if at < 33 { !message[at] } else { message[at - 33] });
        equal(reply, wanted, "the longer reply")?;
        let reply: [u32; 33] = ring.actor(1).ask(&words::<40>(seed))?.timeout(MINUTE).wait_here().await?;
        let message = words::<40>(seed);
        equal(reply, std::array::from_fn(|at| message[at] ^ message[at + 7]), "the shorter reply")?;
    }
    equal((ring.state_here::<[u32; 35]>(0).await?, ring.state_here::<u32>(1).await?), ([12; 35], 12), "the states")?;
    ring.set_state_here(0, &words::<35>(7)).await?;
    equal(ring.state_here(0).await?, words::<35>(7), "the state that was set")
}

const BOTH_WAYS: &str = "
// anywarp:actor
fn longer(state: ptr<function, array<u32, 35>>, m: array<u32, 33>, lane: u32) -> array<u32, 40> {
    for (var i = 0u; i < 35u; i++) { (*state)[i] += 1u; }
    var reply: array<u32, 40>;
    for (var i = 0u; i < 33u; i++) { reply[i] = ~m[i]; }
    for (var i = 0u; i < 7u; i++) { reply[33u + i] = m[i]; }
    return reply;
}
// anywarp:actor
fn shorter(state: ptr<function, u32>, m: array<u32, 40>, lane: u32) -> array<u32, 33> {
    *state += 1u;
    var reply: array<u32, 33>;
    for (var i = 0u; i < 33u; i++) { reply[i] = m[i] ^ m[i + 7u]; }
    return reply;
}";

async fn long_messages(place: Place<'_>) -> TestResult {
    place.arrays_end()?;
    both_ways(place.ring(BOTH_WAYS)?).await
}

async fn long_messages_of_a_warp(place: Place<'_>) -> TestResult {
    place.once()?;
    place.for_cpu("workgroups of GPUs are warps in the other cases")?;
    both_ways(place.ring(BOTH_WAYS)?.invocations(32)).await
}

async fn longest_messages(place: Place<'_>) -> TestResult {
    place.once()?;
    place.arrays_end()?;
    if place.device.caps().kind == DeviceKind::Software && place.device.caps().backend != BackendKind::Cpu {
        return skip("software drivers compile private arrays of this length for minutes");
    }
    if place.device.caps().backend == BackendKind::Vulkan && place.device.caps().name.contains("NVIDIA") {
        return skip(
            "NVIDIA's driver (580.159.04) answers to this pipeline with an unknown error, and the device is lost",
        );
    }
    let ring = place.ring(
        "// anywarp:actor
        fn turn(state: ptr<function, u32>, m: array<u32, 1024>, lane: u32) -> array<u32, 1024> {
            *state += 1u;
            var reply: array<u32, 1024>;
            for (var i = 0u; i < 1024u; i++) { reply[i] = m[1023u - i]; }
            return reply;
        }",
    )?;
    let ring = ring.inbox(4).start()?;
    for seed in 0..6u32 {
        let mut wanted = words::<1024>(seed);
        let reply: [u32; 1024] = ring.actor(0).ask(&wanted)?.timeout(MINUTE).wait_here().await?;
        wanted.reverse();
        equal(reply == wanted, true, "whether the reply is the message, turned round")?;
    }
    equal(ring.state_here::<u32>(0).await?, 6, "the state")
}

/// A long message goes from the host to one actor, from there to another one, and back to the host.
const PASSED: &str = "
struct Long { words: array<u32, 40> }
// anywarp:send second
fn give_on(to: u32, m: Long) -> bool { return false; }
// anywarp:emit
fn give(m: array<u32, 35>) -> bool { return false; }
// anywarp:actor
fn first(state: ptr<function, u32>, m: Long, lane: u32) -> u32 { return u32(give_on(0u, m)); }
// anywarp:actor
fn second(state: ptr<function, u32>, m: Long, lane: u32) {
    var out: array<u32, 35>;
    for (var i = 0u; i < 35u; i++) { out[i] = m.words[i + 5u]; }
    if give(out) { *state += 1u; }
}";

async fn passed(ring: RingBuilder) -> TestResult {
    let ring = ring.inbox(2).start()?;
    let given = ring.subscribe::<[u32; 35]>(4)?;
    for seed in 0..10u32 {
        equal(
            ring.actor(0).ask::<[u32; 40], u32>(&words(seed))?.timeout(MINUTE).wait_here().await?,
            1,
            "whether it was sent",
        )?;
        let given = given.recv_here(MINUTE).await.map(|given| (given.actor, given.message));
        equal(given, Some((1, words::<35>(seed + 5))), "the emitted message")?;
    }
    equal(ring.shutdown_here(MINUTE).await?.telemetry.total().from_actors, 10, "messages between actors")
}

async fn long_messages_between_actors(place: Place<'_>) -> TestResult {
    place.arrays_end()?;
    passed(place.ring(PASSED)?).await
}

async fn long_messages_with_restarts(place: Place<'_>) -> TestResult {
    place.once()?;
    place.for_cpu("only actors on the CPU restart")?;
    passed(place.ring(PASSED)?.restart(Restart::Continue)).await
}
