//! Full inboxes, and letters that are not delivered.

use std::time::Duration;

use anywarp::ring::{AskError, DeadReason, Overflow, SendError};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, fail, refused};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![
    rejected,
    blocked,
    newest_dropped,
    oldest_dropped,
    oldest_awaited_dropped,
    late_replies,
    timed_out_futures,
    lost_letters,
];

async fn rejected(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(4).overflow(Overflow::Reject).start()?;
    ring.pause_here().await?;
    (0..4u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    let full = |error: &SendError| matches!(error, SendError::Full { actor: 0, waiting: 4 });
    refused(ring.actor(0).tell(&9u32), full, &["inbox of actor 0 is full", "4 messages"])?;
    ring.resume_here().await?;
    ring.drain_here(Duration::from_secs(60)).await?;
    ring.actor(0).tell(&9u32)?;
    equal(ring.state_here::<u32>(0).await?, 5, "the messages that were handled")?;
    let counts = ring.telemetry().total();
    equal((counts.received, counts.dropped, counts.high_water), (5, 1, 4), "received, dropped, high water")
}

async fn blocked(place: Place<'_>) -> TestResult {
    let wait = Duration::from_millis(50);
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::Block(wait)).start()?;
    ring.pause_here().await?;
    (0..2u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    let start = Instant::now();
    refused(ring.actor(0).tell_here(&9u32).await, |error| matches!(error, SendError::Full { .. }), &[])?;
    ensure(start.elapsed() >= wait, || format!("waited {:?} instead of {wait:?}", start.elapsed()))?;
    drop(ring);
    // Longer than a submission takes on a busy machine.
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::Block(Duration::from_secs(60))).start()?;
    for x in 0..50u32 {
        ring.actor(0).tell_here(&x).await?;
    }
    equal(ring.state_here::<u32>(0).await?, 50, "the messages that were handled")
}

async fn newest_dropped(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropNewest).start()?;
    ring.pause_here().await?;
    let asks: Vec<_> = (10..12u32).map(|x| ring.actor(0).ask::<u32, u32>(&x)).collect();
    refused(ring.actor(0).tell(&12u32), |error| matches!(error, SendError::Dropped { actor: 0 }), &["DropNewest"])?;
    let letters = ring.dead_letters();
    equal(letters.len(), 1, "dead letters")?;
    equal((letters[0].actor, letters[0].reason), (0, DeadReason::Overflow), "actor and reason")?;
    equal(letters[0].bytes[..4].to_vec(), 12u32.to_le_bytes().to_vec(), "the message")?;
    ring.resume_here().await?;
    for (ask, x) in asks.into_iter().zip(10..) {
        equal(ask?.wait_here().await?, x, "the reply")?;
    }
    Ok(())
}

/// Two messages in the inbox, two in the ring's own queue; then the oldest of the latter gives way.
async fn oldest_dropped(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropOldest).start()?;
    ring.pause_here().await?;
    let asks: Vec<_> = (0..6u32).map(|x| ring.actor(0).ask::<u32, u32>(&x)).collect();
    equal(ring.dead_letters().len(), 2, "dead letters")?;
    ring.resume_here().await?;
    for (x, ask) in (0..).zip(asks) {
        match (x, ask?.wait_here().await) {
            (2 | 3, Err(AskError::Dropped { actor: 0 })) => {}
            (0 | 1 | 4 | 5, Ok(reply)) => equal(reply, x, "the reply")?,
            (_, other) => return fail(format!("message {x}: {other:?}")),
        }
    }
    ring.drain_here(Duration::from_secs(60)).await?;
    equal(ring.telemetry().total().handled, 4, "handled")
}

/// The task of a dropped message is woken, also while the ring is paused.
async fn oldest_awaited_dropped(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropOldest).start()?;
    ring.pause_here().await?;
    (0..2u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    let oldest = ring.actor(0).ask::<u32, u32>(&2)?;
    let others = async { (3..5u32).try_for_each(|x| ring.actor(0).tell(&x)) };
    let (dropped, others) = futures::join!(oldest, others);
    others?;
    refused(dropped, |error| matches!(error, AskError::Dropped { actor: 0 }), &[])
}

async fn late_replies(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause_here().await?;
    let late = ring.actor(0).ask::<u32, u32>(&7)?.timeout(Duration::from_millis(20)).wait_here().await;
    refused(late, |error| matches!(error, AskError::TimedOut { actor: 0, .. }), &["20ms"])?;
    drop(ring.actor(0).ask::<u32, u32>(&8)?);
    ring.resume_here().await?;
    ring.drain_here(Duration::from_secs(60)).await?;
    let letters = ring.dead_letters();
    let values = letters.iter().map(|letter| (letter.reason, letter.bytes[0])).collect::<Vec<_>>();
    equal(values, vec![(DeadReason::LateReply, 7), (DeadReason::LateReply, 8)], "dead letters")?;
    equal(ring.actor(0).ask::<u32, u32>(&9)?.wait_here().await?, 9, "the reply after the late ones")
}

async fn timed_out_futures(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause_here().await?;
    let late = ring.actor(0).ask::<u32, u32>(&7)?.timeout(Duration::from_millis(20));
    let late = late.await;
    refused(late, |error| matches!(error, AskError::TimedOut { actor: 0, .. }), &["20ms"])?;
    ring.resume_here().await?;
    equal(ring.actor(0).ask::<u32, u32>(&9)?.await?, 9, "the reply after the late one")
}

/// The list of dead letters is bounded, and what it loses is counted.
async fn lost_letters(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropNewest).start()?;
    ring.pause_here().await?;
    for x in 0..1030u32 {
        let sent = ring.actor(0).tell(&x);
        ensure(sent.is_ok() == (x < 2), || format!("message {x}: {sent:?}"))?;
    }
    equal(ring.telemetry().letters_lost, 4, "lost letters")?;
    let report = ring.shutdown_here(Duration::ZERO).await?;
    crate::counts::adds_up(&report)?;
    // The two messages in the inbox replace two more.
    equal((report.letters_lost, report.dead_letters.len()), (6, 1024), "lost and kept letters")?;
    equal(report.dead_letters[0].bytes.clone(), 8u32.to_le_bytes().to_vec(), "the oldest that was kept")
}
