//! Many messages in one call, and handlers that run side by side because they only read their state.

use std::pin::pin;
use std::time::Duration;

use futures::{SinkExt, StreamExt, join, poll, stream};

use anywarp::ring::{Ask, Overflow, SendAllError, SendError};

use crate::here::*;
use crate::messages::{ECHO, IN_ORDER, Message, State};
use crate::outcome::{TestResult, ensure, equal, refused, same};
use crate::{Case, Place, cases, on_threads};

pub(crate) const CASES: &[Case] = cases![
    told_together,
    asked_together,
    sent_in_part,
    dropped_in_part,
    senders_of_many = |place| on_threads(place, senders_of_many),
    rows_to_many_actors,
    senders_to_many_actors = |place| on_threads(place, senders_to_many_actors),
    handled_side_by_side,
    stopped_side_by_side,
    sent_by_a_task,
    a_task_at_the_end,
];

/// A state that is only read: the coefficients of a polynomial.
const POLYNOMIAL: &str = "
// anywarp:actor
fn polynomial(state: ptr<function, vec4<u32>>, x: u32, lane: u32) -> vec3<u32> {
    let c = *state;
    return vec3<u32>(((c.w * x + c.z) * x + c.y) * x + c.x, x, lane);
}";

fn polynomial(c: [u32; 4], x: u32) -> [u32; 3] {
    let value = c.iter().rev().fold(0u32, |sum, c| sum.wrapping_mul(x).wrapping_add(*c));
    [value, x, 0]
}

fn messages(sender: u32, numbers: std::ops::Range<u32>) -> Vec<Message> {
    numbers.map(|number| Message { sender, number }).collect()
}

async fn told_together(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.inbox(16).start()?;
    let mut next = 0;
    for count in [0, 1, 3, 16, 17, 300, 2, 1000] {
        ring.actor(0).tell_all_here(&messages(1, next..next + count)).await?;
        next += count;
        ring.actor(0).tell(&Message { sender: 1, number: next })?;
        next += 1;
    }
    equal(ring.state_here(0).await?, State { next: [0, next, 0, 0], wrong: 0, count: next }, "the state")?;
    ring.drain_here(Duration::from_secs(60)).await?;
    let counts = ring.telemetry().total();
    equal((counts.received, counts.handled), (u64::from(next), u64::from(next)), "received and handled")
}

/// More asks than slots, of which some are given up.
async fn asked_together(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.inbox(8).start()?;
    let mut asks: Vec<Ask<u32>> = Vec::new();
    ring.actor(0).ask_all_here(&messages(2, 0..30), &mut asks).await?;
    ring.actor(0).tell_all_here(&messages(2, 30..40)).await?;
    ring.actor(0).ask_all_here(&messages(2, 40..45), &mut asks).await?;
    equal(asks.len(), 35, "asks")?;
    for (at, ask) in (0u32..).zip(asks) {
        let count = if at < 30 { at + 1 } else { at + 11 };
        match at % 4 {
            0 => drop(ask),
            _ => equal(ask.timeout(Duration::from_secs(60)).wait_here().await?, count, &format!("reply {at}"))?,
        }
    }
    equal(ring.state_here(0).await?, State { next: [0, 0, 45, 0], wrong: 0, count: 45 }, "the state")
}

/// Messages that have no room: the call says how many were sent, and these have their replies.
async fn sent_in_part(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(4).overflow(Overflow::Reject).start()?;
    ring.pause_here().await?;
    let mut asks: Vec<Ask<u32>> = Vec::new();
    ring.actor(0).ask_all_here(&[7u32], &mut asks).await?;
    let full = |error: &SendAllError| {
        matches!(error, SendAllError { sent: 3, messages: 5, error: SendError::Full { actor: 0, waiting: 4 } })
    };
    let sent = ring.actor(0).ask_all_here(&[8u32, 9, 10, 11, 12], &mut asks).await;
    refused(sent, full, &["3 of 5 messages were sent", "inbox of actor 0 is full"])?;
    equal(asks.len(), 4, "asks")?;
    let none = |error: &SendAllError| error.sent == 0 && error.messages == 2;
    refused(ring.actor(0).tell_all_here(&[1u32, 2]).await, none, &["0 of 2 messages"])?;
    ring.resume_here().await?;
    for (wanted, ask) in (7..).zip(asks) {
        equal(ask.timeout(Duration::from_secs(60)).wait_here().await?, wanted, "the reply")?;
    }
    equal(ring.state_here::<u32>(0).await?, 4, "the messages that were handled")?;
    let wrong = |error: &SendAllError| matches!(error.error, SendError::Layout { .. }) && error.sent == 0;
    refused(ring.actor(0).tell_all_here(&[[1.0f32, 2.0]]).await, wrong, &["message of actor 'echo'"])?;
    refused(
        ring.actor(1).tell_all_here(&[1u32]).await,
        |error| matches!(error.error, SendError::NoSuchActor { .. }),
        &[],
    )
}

async fn dropped_in_part(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropNewest).start()?;
    ring.pause_here().await?;
    let dropped = |error: &SendAllError| matches!(error.error, SendError::Dropped { actor: 0 }) && error.sent == 2;
    refused(ring.actor(0).tell_all_here(&[1u32, 2, 3, 4]).await, dropped, &["2 of 4", "DropNewest"])?;
    // Only the message at which the call has ended: the last one was not tried.
    let letters = ring.dead_letters();
    equal(letters.iter().map(|letter| letter.bytes[0]).collect::<Vec<_>>(), vec![3], "dead letters")?;
    ring.resume_here().await?;
    equal(ring.state_here::<u32>(0).await?, 2, "the messages that were handled")
}

/// Calls `send` with the numbers of four senders, each on a thread of its own.
fn by_four(send: impl Fn(u32) -> TestResult + Sync) -> TestResult {
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|sender| {
                let send = &send;
                scope.spawn(move || send(sender))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    results.into_iter().collect()
}

/// Threads that send rows at the same time: each one's messages stay in their order.
fn senders_of_many(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.inbox(32).start()?;
    let send = |sender: u32| -> TestResult {
        for row in 0..10 {
            ring.actor(0).tell_all(&messages(sender, row * 50..(row + 1) * 50))?;
        }
        Ok(())
    };
    by_four(send)?;
    equal(ring.state(0)?, State { next: [500; 4], wrong: 0, count: 2000 }, "the state")
}

/// Rows of different lengths that wait for many actors at once, around the end of their slots and of the numbers.
async fn rows_to_many_actors(place: Place<'_>) -> TestResult {
    const ACTORS: u32 = 24;
    let ring = place.ring(IN_ORDER)?.actors(ACTORS).inbox(8).first_message(0u32.wrapping_sub(32)).start()?;
    let mut sent = [0; ACTORS as usize];
    for round in 0..9 {
        ring.pause_here().await?;
        let mut asked = Vec::new();
        for (actor, sent) in (0..).zip(&mut sent) {
            let count = (actor * 5 + round * 3) % 9;
            let mut asks: Vec<Ask<u32>> = Vec::new();
            let row = messages(0, *sent..*sent + count);
            if actor % 2 == 0 {
                ring.actor(actor).tell_all_here(&row).await?;
            } else {
                ring.actor(actor).ask_all_here(&row, &mut asks).await?;
            }
            asked.push((*sent, asks));
            *sent += count;
        }
        ring.resume_here().await?;
        for (actor, (before, asks)) in asked.into_iter().enumerate() {
            for (count, ask) in (before + 1..).zip(asks) {
                let reply = ask.timeout(Duration::from_secs(60)).wait_here().await?;
                equal(reply, count, &format!("a reply of actor {actor}"))?;
            }
        }
        // Not all rows have replies that were waited for.
        ring.drain_here(Duration::from_secs(60)).await?;
    }
    for (actor, count) in (0..).zip(sent) {
        let wanted = State { next: [count, 0, 0, 0], wrong: 0, count };
        equal(ring.state_here(actor).await?, wanted, &format!("the state of actor {actor}"))?;
    }
    Ok(())
}

/// Threads that send rows to many actors while others' messages are copied and handled.
fn senders_to_many_actors(place: Place<'_>) -> TestResult {
    const ACTORS: u32 = 12;
    let ring = place.ring(IN_ORDER)?.actors(ACTORS).inbox(16).start()?;
    let send = |sender: u32| -> TestResult {
        for row in 0..12 {
            for actor in (0..ACTORS).map(|actor| (actor + 5 * sender) % ACTORS) {
                ring.actor(actor).tell_all(&messages(sender, row * 10..(row + 1) * 10))?;
            }
        }
        Ok(())
    };
    by_four(send)?;
    for actor in 0..ACTORS {
        equal(ring.state(actor)?, State { next: [120; 4], wrong: 0, count: 480 }, "the state")?;
    }
    Ok(())
}

/// Each message sees the state that was set before it, however many are handled at the same time.
async fn handled_side_by_side(place: Place<'_>) -> TestResult {
    for (slots, invocations, near) in [(4, 32, true), (256, 32, true), (64, 8, true), (4, 32, false), (256, 32, false)]
    {
        let ring = place.ring(POLYNOMIAL)?.inbox(slots).invocations(invocations).actors(2);
        let ring = if near { ring.start()? } else { ring.inbox_on_card(false).start()? };
        let mut wanted = Vec::new();
        let mut asks: Vec<Ask<[u32; 3]>> = Vec::new();
        for round in 0..4u32 {
            let state = [round, 3, 5 * round, 0x8000_0001];
            ring.set_state_here(1, &state).await?;
            let xs: Vec<u32> = (0..90).map(|at| at * 0x9e37 + round).collect();
            ring.actor(1).ask_all_here(&xs, &mut asks).await?;
            wanted.extend(xs.iter().map(|x| polynomial(state, *x)));
            same(&ring.state_here::<[u32; 4]>(1).await?, &state, "the state")?;
        }
        for (at, (ask, wanted)) in asks.into_iter().zip(wanted).enumerate() {
            let reply = ask.timeout(Duration::from_secs(60)).wait_here().await?;
            equal(reply, wanted, &format!("reply {at} with {slots} slots and {invocations} invocations"))?;
        }
        same(&ring.state_here::<[u32; 4]>(0).await?, &[0; 4], "the other actor's state")?;
    }
    Ok(())
}

/// Messages that wait at a pause are handled once, after it.
async fn stopped_side_by_side(place: Place<'_>) -> TestResult {
    let ring = place.ring(POLYNOMIAL)?.inbox(512).invocations(32).start()?;
    ring.set_state_here(0, &[1u32, 2, 3, 4]).await?;
    let mut asks: Vec<Ask<[u32; 3]>> = Vec::new();
    for round in 0..3u32 {
        let xs: Vec<u32> = (0..100).map(|at| at + 100 * round).collect();
        ring.actor(0).ask_all_here(&xs, &mut asks).await?;
        ring.pause_here().await?;
        ring.resume_here().await?;
    }
    for (x, ask) in (0..).zip(asks) {
        equal(ask.timeout(Duration::from_secs(60)).wait_here().await?, polynomial([1, 2, 3, 4], x), "the reply")?;
    }
    let total = ring.telemetry().total();
    ensure(total.handled == 300, || format!("{} messages were handled, not 300", total.handled))
}

/// A task waits for room, also through a pause, and its messages stay in order beside those of another thread.
async fn sent_by_a_task(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.inbox(2).overflow(Overflow::Reject).start()?;
    ring.pause_here().await?;
    let mut task = pin!(stream::iter(messages(3, 0..60)).map(Ok).forward(ring.actor(0).sink::<Message>()));
    ensure(poll!(&mut task).is_pending(), || "60 messages found room for 2".to_owned())?;
    let (sent, resumed) = join!(task, async {
        sleep_here(Duration::from_millis(20)).await;
        ring.resume_here().await
    });
    sent?;
    resumed?;
    equal(ring.state_here(0).await?, State { next: [0, 0, 0, 60], wrong: 0, count: 60 }, "the state")?;
    equal(ring.telemetry().total().dropped, 0, "refused messages")
}

/// A task that waits for room receives the end of the ring; a wrong type is an error at once.
async fn a_task_at_the_end(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).start()?;
    ring.pause_here().await?;
    let mut other = ring.actor(0).sink::<[f32; 2]>();
    let wrong = other.send([1.0, 2.0]).await;
    refused(wrong, |error| matches!(error, SendError::Layout { .. }), &["message of actor 'echo'"])?;
    let mut task = pin!(stream::iter(0..9u32).map(Ok).forward(ring.actor(0).sink()));
    ensure(poll!(&mut task).is_pending(), || "9 messages found room for 2".to_owned())?;
    let (sent, report) = join!(task, ring.shutdown_here(Duration::ZERO));
    equal(report?.unanswered, 2, "messages that the ring has left")?;
    refused(sent, |error| matches!(error, SendError::Ended { .. }), &["does not run"])
}
