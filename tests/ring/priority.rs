//! Messages that wait on the host, and those that overtake them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anywarp::ring::{AskError, DeadReason, Overflow, Priority, Ring, RingError, SendError};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place, cases, on_threads};

pub(crate) const CASES: &[Case] = cases![
    high_first,
    order_of_each_priority = |place| on_threads(place, order_of_each_priority),
    no_starvation = |place| on_threads(place, no_starvation),
    high_without_backlog,
    backlog_of_each_overflow,
    oldest_of_normal_priority_dropped,
    blocked_at_the_end = |place| on_threads(place, blocked_at_the_end),
    settings_of_the_backlog,
];

const MINUTE: Duration = Duration::from_secs(60);

/// Returns how many messages the actor has handled before.
const POSITION: &str = "
// anywarp:actor
fn position(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    *state += 1u;
    return *state - 1u;
}";

type Asks = Vec<anywarp::ring::Ask<u32>>;

fn asks(ring: &Ring, count: u32, priority: Priority) -> TestResult<Asks> {
    (0..count).map(|x| Ok(ring.actor(0).ask_with::<u32, u32>(&x, priority)?)).collect()
}

async fn positions(asks: Asks) -> TestResult<Vec<u32>> {
    let mut positions = Vec::new();
    for ask in asks {
        positions.push(ask.timeout(MINUTE).wait_here().await?);
    }
    Ok(positions)
}

/// Two messages in the inbox keep their place; then one of normal priority goes after every eight of high priority.
async fn high_first(place: Place<'_>) -> TestResult {
    let ring = place.ring(POSITION)?.inbox(2).backlog(100).overflow(Overflow::Reject).start()?;
    ring.pause_here().await?;
    let normal = asks(&ring, 5, Priority::Normal)?;
    let high = asks(&ring, 20, Priority::High)?;
    equal(ring.telemetry().total().queued, 25, "messages that wait")?;
    ring.resume_here().await?;
    equal(positions(normal).await?, vec![0, 1, 10, 19, 24], "positions of normal priority")?;
    let others = (2..24).filter(|at| ![10, 19].contains(at)).collect::<Vec<_>>();
    equal(positions(high).await?, others, "positions of high priority")
}

/// Senders of both priorities from several threads: the messages of a thread with one priority keep their order.
fn order_of_each_priority(place: Place<'_>) -> TestResult {
    let ring = place.ring(POSITION)?.inbox(4).backlog(8).overflow(Overflow::Block(MINUTE)).start()?;
    let all = thread::scope(|scope| {
        let sender = |_| {
            scope.spawn(|| -> TestResult<Vec<u32>> {
                let (mut normal, mut high) = (Vec::new(), Vec::new());
                for _ in 0..40 {
                    normal.extend(asks(&ring, 1, Priority::Normal)?);
                    high.extend(asks(&ring, 1, Priority::High)?);
                }
                let (normal, high) =
                    pollster::block_on(async { TestResult::Ok((positions(normal).await?, positions(high).await?)) })?;
                ensure(normal.is_sorted() && high.is_sorted(), || format!("{normal:?} {high:?}"))?;
                Ok([normal, high].concat())
            })
        };
        let senders: Vec<_> = (0..3).map(sender).collect();
        senders.into_iter().map(|sender| sender.join().expect("no panic")).collect::<TestResult<Vec<_>>>()
    })?;
    let mut all = all.concat();
    all.sort_unstable();
    equal(all, (0..240).collect::<Vec<_>>(), "all positions")
}

/// A message of normal priority is handled while others of high priority keep coming.
fn no_starvation(place: Place<'_>) -> TestResult {
    let ring = place.ring(POSITION)?.inbox(2).backlog(16).overflow(Overflow::Block(MINUTE)).start()?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let load = scope.spawn(|| -> TestResult {
            while !over.load(Ordering::Acquire) {
                ring.actor(0).tell_with(&1u32, Priority::High)?;
            }
            Ok(())
        });
        let mut result = Ok(());
        for round in 0..10 {
            let ask = ring.actor(0).ask::<u32, u32>(&round);
            let reply = ask.map_err(AskError::from).and_then(|ask| ask.timeout(MINUTE).wait());
            result = result.and(reply.map(|_| ()));
        }
        over.store(true, Ordering::Release);
        load.join().expect("no panic").and(result.map_err(Into::into))
    })
}

async fn high_without_backlog(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    let without = |error: &SendError| matches!(error, SendError::NoBacklog { actor: 0 });
    refused(ring.actor(0).tell_with(&1u32, Priority::High), without, &["high priority", "RingBuilder::backlog"])?;
    equal(ring.telemetry().total().received, 0, "accepted messages")?;
    ring.actor(0).tell_with(&1u32, Priority::Normal)?;
    equal(ring.state_here::<u32>(0).await?, 1, "handled messages")
}

/// The reaction begins when inbox and backlog are full.
async fn backlog_of_each_overflow(place: Place<'_>) -> TestResult {
    let wait = Duration::from_millis(30);
    for overflow in [Overflow::Reject, Overflow::DropNewest, Overflow::Block(wait), Overflow::DropOldest] {
        let ring = place.ring(ECHO)?.inbox(2).backlog(3).overflow(overflow).start()?;
        ring.pause_here().await?;
        let kept: Vec<_> = (0..5u32).map(|x| ring.actor(0).ask::<u32, u32>(&x)).collect::<Result<_, _>>()?;
        let start = Instant::now();
        let sixth = ring.actor(0).ask_here::<u32, u32>(&5).await;
        let waited = start.elapsed();
        let letters: Vec<_> = ring.dead_letters().iter().map(|letter| (letter.reason, letter.bytes[0])).collect();
        let (mut dropped, mut replied) = (Vec::new(), (0..5).collect::<Vec<u32>>());
        match overflow {
            Overflow::DropOldest => {
                dropped.push(2u8);
                replied[2] = u32::MAX;
            }
            Overflow::DropNewest => dropped.push(5),
            _ => {}
        }
        equal(letters, dropped.into_iter().map(|x| (DeadReason::Overflow, x)).collect(), "dead letters")?;
        ensure(waited >= wait || overflow != Overflow::Block(wait), || format!("waited {waited:?}"))?;
        ring.resume_here().await?;
        match (overflow, sixth) {
            (Overflow::DropOldest, Ok(sixth)) => equal(sixth.wait_here().await?, 5, "the sixth reply")?,
            (Overflow::DropNewest, Err(SendError::Dropped { actor: 0 })) => {}
            (Overflow::Reject | Overflow::Block(_), Err(SendError::Full { actor: 0, waiting: 5 })) => {}
            (_, other) => ensure(false, || format!("{overflow:?}: {:?}", other.map(|_| ())))?,
        }
        let mut replies = Vec::new();
        for ask in kept {
            replies.push(ask.wait_here().await.unwrap_or(u32::MAX));
        }
        equal(replies, replied, &format!("replies with {overflow:?}"))?;
        let counts = ring.telemetry().total();
        equal(counts.dropped, 1, "dropped")?;
        // There is room again, also with a new message in the place of a refused one.
        ring.actor(0).tell(&9u32)?;
        ring.drain_here(MINUTE).await?;
        equal(ring.telemetry().total().handled, 6, "handled")?;
    }
    Ok(())
}

async fn oldest_of_normal_priority_dropped(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).backlog(2).overflow(Overflow::DropOldest).start()?;
    ring.pause_here().await?;
    (0..2u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    ring.actor(0).tell_with(&2u32, Priority::High)?;
    ring.actor(0).tell(&3u32)?;
    // In place of 3, though 2 has waited longer.
    ring.actor(0).tell_with(&4u32, Priority::High)?;
    // Does not displace messages of high priority.
    let dropped = |error: &SendError| matches!(error, SendError::Dropped { actor: 0 });
    refused(ring.actor(0).tell(&5u32), dropped, &["higher priority"])?;
    // In place of 2.
    ring.actor(0).tell_with(&6u32, Priority::High)?;
    let letters: Vec<_> = ring.dead_letters().iter().map(|letter| letter.bytes[0]).collect();
    equal(letters, vec![3, 5, 2], "dropped messages")?;
    ring.resume_here().await?;
    ring.drain_here(MINUTE).await?;
    equal(ring.state_here::<u32>(0).await?, 4, "handled messages")
}

/// A sender that waits for room learns of the end of the ring, long before its own time is over.
fn blocked_at_the_end(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::Block(MINUTE)).start()?;
    ring.pause()?;
    let actor = ring.actor(0);
    (0..2u32).try_for_each(|x| actor.tell(&x))?;
    let blocked = thread::spawn(move || actor.tell(&2u32));
    thread::sleep(Duration::from_millis(20));
    ensure(!blocked.is_finished(), || "the sender did not wait for room".to_owned())?;
    let start = Instant::now();
    drop(ring);
    let sent = blocked.join().expect("no panic");
    refused(sent, |error| matches!(error, SendError::Ended { failure: None }), &["shut down"])?;
    ensure(start.elapsed() < MINUTE / 2, || format!("the sender waited {:?}", start.elapsed()))
}

async fn settings_of_the_backlog(place: Place<'_>) -> TestResult {
    let setting = |error: &RingError| matches!(error, RingError::Setting { what: "backlog", .. });
    refused(place.ring(ECHO)?.backlog(u32::MAX).start().map(|_| ()), setting, &["backlog", "4294967295"])?;
    let oldest = place.ring(ECHO)?.backlog(0).overflow(Overflow::DropOldest).start();
    refused(oldest.map(|_| ()), setting, &["backlog", "got 0"])
}
