//! Messages, replies and states.

use std::time::Duration;

use anywarp::ring::SendError;

use crate::here::*;
use crate::outcome::{TestResult, equal, fail, refused, same};
use crate::{Case, Place, cases, on_threads};

pub(crate) const CASES: &[Case] = cases![
    echo,
    echo_of_112_bytes,
    order,
    order_in_a_warp,
    waiting_messages,
    several_senders = |place| on_threads(place, several_senders),
    many_actors,
    more_asks_than_slots,
    states_of_any_shape,
    large_states,
    replaced_states,
    lanes_with_barriers,
    lanes_without_barriers,
    numbers_that_wrap,
    awaited,
    names_of_the_kernel,
    no_reply,
    bytes,
];

pub(crate) const ECHO: &str = "
// anywarp:actor
fn echo(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    *state += 1u;
    return x;
}";

/// A message that must be the last one plus 1, for each of four senders; counts those that are not.
pub(crate) const IN_ORDER: &str = "
struct Message { sender: u32, number: u32 }
struct State { next: array<u32, 4>, wrong: u32, count: u32 }
// anywarp:actor
fn in_order(state: ptr<function, State>, m: Message, lane: u32) -> u32 {
    if (*state).next[m.sender] != m.number { (*state).wrong += 1u; }
    (*state).next[m.sender] = m.number + 1u;
    (*state).count += 1u;
    return (*state).count;
}";

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct Message {
    pub(crate) sender: u32,
    pub(crate) number: u32,
}
anywarp::element!(Message { sender, number });

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct State {
    pub(crate) next: [u32; 4],
    pub(crate) wrong: u32,
    pub(crate) count: u32,
}
anywarp::element!(State { next, wrong, count });

/// Every bit of a word arrives, in both directions.
async fn echo(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    let words = [0, 1, u32::MAX, 1 << 31, 0x7fff_ffff, 0x8000_0001, 0xdead_beef];
    for (at, word) in (0..).zip(words.into_iter().cycle().take(40)) {
        let reply: u32 = ring.actor(0).ask(&word)?.wait_here().await?;
        equal(reply, word, &format!("reply {at}"))?;
    }
    equal(ring.state_here::<u32>(0).await?, 40, "the count of the actor")
}

async fn echo_of_112_bytes(place: Place<'_>) -> TestResult {
    let ring = place.start(
        "struct Wide { a: array<u32, 20>, b: vec4<f32>, c: vec2<i32>, d: i32, e: f32 }
        // anywarp:actor
        fn wide(state: ptr<function, u32>, m: Wide, lane: u32) -> Wide {
            var reply = m;
            reply.d = -m.d;
            return reply;
        }",
    )?;
    for round in 0..10u32 {
        let mut sent = [0u32; 28];
        for (at, word) in (0..).zip(&mut sent) {
            *word = (at + round).wrapping_mul(0x9e37_79b9);
        }
        // Finite floats, as a device need not keep the bits of others.
        sent[20..24].copy_from_slice(&[1.5f32, -0.25, 1e30, -7.0].map(f32::to_bits));
        sent[27] = (round as f32 * -0.5).to_bits();
        let reply: [u8; 112] = ring.actor(0).ask(&bytemuck::cast::<_, [u8; 112]>(sent))?.wait_here().await?;
        sent[26] = sent[26].wrapping_neg();
        same(&bytemuck::cast::<_, [u32; 28]>(reply), &sent, "the reply")?;
    }
    Ok(())
}

async fn order(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.inbox(16).start()?;
    for number in 0..500 {
        ring.actor(0).tell_here(&Message { sender: 2, number }).await?;
    }
    ring.drain_here(Duration::from_secs(60)).await?;
    equal(ring.state_here(0).await?, State { next: [0, 0, 500, 0], wrong: 0, count: 500 }, "the state")
}

/// Rows of messages that a workgroup polls together, around the end of the slots, with replies that are checked.
async fn order_in_a_warp(place: Place<'_>) -> TestResult {
    // Near, each invocation reads a message; elsewhere, all of them read the words of each.
    for (slots, invocations, near) in
        [(2, 32, true), (16, 8, true), (64, 32, true), (256, 64, true), (2, 32, false), (256, 32, false)]
    {
        let ring = place.ring(IN_ORDER)?.inbox(slots).invocations(invocations);
        let ring = if near { ring.start()? } else { ring.inbox_on_card(false).start()? };
        let mut number = 0;
        for row in [1, 2, 3, 70, 1, 33, 200] {
            let mut asks = Vec::new();
            for number in number..number + row {
                asks.push(ring.actor(0).ask_here(&Message { sender: 3, number }).await?);
            }
            for (count, ask) in (number + 1..).zip(asks) {
                equal(ask.timeout(Duration::from_secs(60)).wait_here().await?, count, "the reply")?;
            }
            number += row;
        }
        ring.set_state_here(0, &State { next: [0, 0, 0, number], wrong: 1, count: 5 }).await?;
        ring.actor(0).tell(&Message { sender: 3, number })?;
        let wanted = State { next: [0, 0, 0, number + 1], wrong: 1, count: 6 };
        equal(ring.state_here(0).await?, wanted, &format!("the state with {slots} slots"))?;
    }
    Ok(())
}

/// Many messages that wait when the kernel starts: it does not rest between its repetitions.
async fn waiting_messages(place: Place<'_>) -> TestResult {
    let messages = 1 << 14;
    let ring = place.ring(ECHO)?.inbox(messages).start()?;
    ring.pause_here().await?;
    (0..messages).try_for_each(|x| ring.actor(0).tell(&x))?;
    ring.resume_here().await?;
    ring.drain_here(Duration::from_secs(60)).await?;
    equal(ring.state_here::<u32>(0).await?, messages, "the messages that were handled")
}

/// Four threads send to two actors at the same time, some of them asking.
fn several_senders(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.actors(2).inbox(8).start()?;
    let send = |sender: u32| -> TestResult {
        for number in 0..100 {
            for actor in 0..2 {
                let message = Message { sender, number };
                if number % 3 == sender % 3 {
                    let count: u32 = ring.actor(actor).ask(&message)?.timeout(Duration::from_secs(60)).wait()?;
                    if count <= number {
                        return fail(format!("{count} messages, but {sender} alone has sent {}", number + 1));
                    }
                } else {
                    ring.actor(actor).tell(&message)?;
                }
            }
        }
        Ok(())
    };
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|sender| scope.spawn(move || send(sender))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    results.into_iter().collect::<TestResult<Vec<()>>>()?;
    ring.drain(Duration::from_secs(60))?;
    for actor in 0..2 {
        equal(ring.state(actor)?, State { next: [100; 4], wrong: 0, count: 400 }, "the state")?;
    }
    Ok(())
}

async fn many_actors(place: Place<'_>) -> TestResult {
    let actors = 300;
    let ring = place.ring(ECHO)?.actors(actors).inbox(4).start()?;
    for round in 0..3 {
        let asks: Vec<_> = (0..actors).map(|actor| ring.actor(actor).ask::<u32, u32>(&(actor * 7 + round))).collect();
        for (actor, ask) in (0..).zip(asks) {
            equal(ask?.wait_here().await?, actor * 7 + round, &format!("the reply of actor {actor}"))?;
        }
    }
    for actor in [0, 1, 17, actors - 1] {
        equal(ring.state_here::<u32>(actor).await?, 3, &format!("the messages of actor {actor}"))?;
    }
    Ok(())
}

/// Replies that were not taken yet keep no slots.
async fn more_asks_than_slots(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(4).start()?;
    let mut asks = Vec::new();
    for x in 0..100u32 {
        asks.push(ring.actor(0).ask_here::<u32, u32>(&x).await?);
    }
    for (at, ask) in (0..100).zip(asks).rev() {
        equal(ask.wait_here().await?, at, "the reply")?;
    }
    Ok(())
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Shapes {
    turn: [[f32; 2]; 2],
    inner: [[f32; 4]; 6],
    pairs: [[i32; 2]; 3],
    one: f32,
    gap: u32,
}
anywarp::element!(Shapes { turn, inner, pairs, one, gap });

/// Matrices, nested structs and arrays in the state, with padding.
async fn states_of_any_shape(place: Place<'_>) -> TestResult {
    let ring = place.start(
        "struct Inner { v: vec3<f32>, w: f32 }
        struct Shapes { turn: mat2x2<f32>, inner: array<Inner, 6>, pairs: array<vec2<i32>, 3>, one: f32 }
        // anywarp:actor
        fn shapes(state: ptr<function, Shapes>, x: vec3<f32>, lane: u32) -> vec2<f32> {
            (*state).turn = mat2x2<f32>(1.0, 2.0, 3.0, x.x);
            for (var i = 0; i < 6; i++) {
                (*state).inner[i].v += x * f32(i);
                (*state).inner[i].w -= 1.0;
            }
            for (var i = 0; i < 3; i++) { (*state).pairs[i] = vec2<i32>(i, -i) + (*state).pairs[i]; }
            (*state).one = (*state).one * 2.0 + 1.0;
            return (*state).inner[5].v.yz;
        }",
    )?;
    let mut wanted: Shapes = bytemuck::Zeroable::zeroed();
    for round in 1..=4 {
        let x = [round as f32, -0.5, 3.0];
        let reply: [f32; 2] = ring.actor(0).ask(&x)?.wait_here().await?;
        wanted.turn = [[1.0, 2.0], [3.0, x[0]]];
        for (at, inner) in wanted.inner.iter_mut().enumerate() {
            (0..3).for_each(|axis| inner[axis] += x[axis] * at as f32);
            inner[3] -= 1.0;
        }
        for (at, pair) in (0..).zip(&mut wanted.pairs) {
            *pair = [pair[0] + at, pair[1] - at];
        }
        wanted.one = wanted.one * 2.0 + 1.0;
        equal(reply, [wanted.inner[5][1], wanted.inner[5][2]], "the reply")?;
        equal(ring.state_here(0).await?, wanted, "the state")?;
    }
    Ok(())
}

/// A state that needs more messages than the inbox was asked to hold.
async fn large_states(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "// anywarp:actor
        fn histogram(state: ptr<function, array<u32, 40>>, x: u32, lane: u32) {
            (*state)[x % 40u] += x;
        }",
    )?;
    let ring = ring.inbox(2).start()?;
    let mut wanted = [0u32; 40];
    for x in (0..200u32).map(|at| at * 997 + 3) {
        ring.actor(0).tell_here(&x).await?;
        wanted[x as usize % 40] += x;
    }
    same(&ring.state_here::<[u32; 40]>(0).await?, &wanted, "the state")
}

async fn replaced_states(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.actors(3).start()?;
    ring.actor(1).tell(&Message { sender: 0, number: 0 })?;
    ring.set_state_here(1, &State { next: [5, 6, 7, u32::MAX], wrong: 1 << 31, count: 9 }).await?;
    let count: u32 = ring.actor(1).ask(&Message { sender: 1, number: 6 })?.wait_here().await?;
    equal(count, 10, "the count")?;
    equal(ring.state_here(1).await?, State { next: [5, 7, 7, u32::MAX], wrong: 1 << 31, count: 10 }, "the state")?;
    equal(ring.state_here(2).await?, State { next: [0; 4], wrong: 0, count: 0 }, "another actor's state")
}

/// Lanes add up parts of a message in workgroup memory; the state of lane 0 counts.
async fn lanes_with_barriers(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "var<workgroup> sums: array<u32, 16>;
        // anywarp:actor
        fn sum(state: ptr<function, u32>, m: array<u32, 16>, lane: u32) -> u32 {
            let before = *state;
            sums[lane] = m[lane] * (before + 1u);
            workgroupBarrier();
            for (var step = 8u; step > 0u; step = step / 2u) {
                if lane < step { sums[lane] += sums[lane + step]; }
                workgroupBarrier();
            }
            *state = before + 1u + lane;
            return sums[0];
        }",
    )?;
    let ring = ring.lanes(16).actors(2).start()?;
    for round in 0..20u32 {
        let message: [u32; 16] = std::array::from_fn(|at| at as u32 * 3 + round);
        let sum: u32 = ring.actor(round % 2).ask(&message)?.wait_here().await?;
        equal(sum, message.iter().sum::<u32>() * (round / 2 + 1), "the sum")?;
    }
    equal(ring.state_here::<u32>(1).await?, 10, "the state of lane 0")
}

async fn lanes_without_barriers(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "struct State { count: u32, last: array<f32, 9> }
        // anywarp:actor
        fn first(state: ptr<function, State>, x: f32, lane: u32) -> f32 {
            (*state).count += 1u + lane * 100u;
            (*state).last[((*state).count + 8u) % 9u] = x * f32(lane + 1u);
            return x + f32(lane);
        }",
    )?;
    let ring = ring.lanes(5).start()?;
    let mut last = [0f32; 9];
    for round in 0..30usize {
        let x = round as f32 * 0.5;
        last[round % 9] = x;
        let reply: f32 = ring.actor(0).ask(&x)?.wait_here().await?;
        equal(reply, x, "the reply of lane 0")?;
    }
    let state: [u8; 40] = ring.state_here(0).await?;
    let words: [u32; 10] = bytemuck::cast(state);
    equal(words[0], 30, "the count of lane 0")?;
    same(&words[1..], &last.map(f32::to_bits), "the values of lane 0")
}

async fn numbers_that_wrap(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.inbox(4).first_message(u32::MAX - 10).start()?;
    for number in 0..60 {
        let count: u32 = ring.actor(0).ask(&Message { sender: 3, number })?.wait_here().await?;
        equal(count, number + 1, "the count")?;
        ring.actor(0).tell(&Message { sender: 0, number })?;
        ring.set_state_here(0, &State { next: [number + 1, 0, 0, number + 1], wrong: 0, count: number + 1 }).await?;
    }
    equal(ring.state_here(0).await?, State { next: [60, 0, 0, 60], wrong: 0, count: 60 }, "the state")
}

async fn awaited(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(2).start()?;
    for x in 0..20 {
        let (one, two) = (ring.actor(0).ask::<u32, u32>(&x)?, ring.actor(1).ask::<u32, u32>(&(x + 1))?);
        equal((two.await?, one.await?), (x + 1, x), "the replies")?;
    }
    Ok(())
}

/// Names that the generated kernel uses, too.
async fn names_of_the_kernel(place: Place<'_>) -> TestResult {
    let ring = place.start(
        "struct number { state: u32 }
        struct message { words: u32, kind: u32 }
        // anywarp:actor
        fn answer(slot: ptr<function, number>, part: message, phase: u32) -> message {
            (*slot).state += part.kind;
            return message((*slot).state, part.words);
        }",
    )?;
    let reply: [u32; 2] =
        bytemuck::cast(ring.actor(0).ask::<[u8; 8], [u8; 8]>(&bytemuck::cast([7u32, 5]))?.wait_here().await?);
    equal(reply, [5, 7], "the reply")
}

async fn no_reply(place: Place<'_>) -> TestResult {
    let ring = place.start(
        "// anywarp:actor
        fn add(state: ptr<function, i32>, x: i32, lane: u32) { *state -= x; }",
    )?;
    (0..10i32).try_for_each(|x| ring.actor(0).tell(&x))?;
    equal(ring.state_here::<i32>(0).await?, -45, "the state")
}

/// Messages whose type is known only when the program runs.
async fn bytes(place: Place<'_>) -> TestResult {
    let builder = place.ring(
        "struct M { a: u32, b: vec3<f32> }
        // anywarp:actor
        fn add(state: ptr<function, u32>, m: M, lane: u32) -> vec2<f32> {
            *state += m.a;
            return vec2<f32>(m.b.x + m.b.y + m.b.z, -0.5);
        }",
    )?;
    equal(builder.message_layout().size, 32, "the size of the message")?;
    equal(builder.reply_layout().map(|layout| layout.size), Some(8), "the size of the reply")?;
    let ring = builder.start()?;
    let words = [0xffff_fff0u32, 0, 0, 0, 1.5f32.to_bits(), 2.0f32.to_bits(), 0.25f32.to_bits(), 0];
    let message: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let reply: Vec<u8> = [3.75f32, -0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    equal(ring.actor(0).ask_bytes(&message)?.wait_here().await?, reply.clone(), "the reply")?;
    equal(ring.actor(0).ask_bytes(&message)?.await?, reply, "the reply to a task")?;
    ring.actor(0).tell_bytes(&message)?;
    equal(ring.state_here::<u32>(0).await?, 0xffff_fff0u32.wrapping_mul(3), "the state")?;
    let size = |error: &SendError| matches!(error, SendError::Size { expected: 32, got: 31, .. });
    refused(ring.actor(0).tell_bytes(&message[1..]), size, &["'add'", "32 bytes", "got 31", "vec3"])?;
    let silent = "// anywarp:actor\nfn f(a: ptr<function, u32>, b: u32, lane: u32) { *a += b; }";
    let ring = place.start(silent)?;
    equal(
        ring.actor(0).ask_bytes(&[5, 0, 0, 0])?.wait_here().await?,
        Vec::new(),
        "the reply of a function without a result",
    )?;
    equal(ring.state_here::<u32>(0).await?, 5, "the state")
}
