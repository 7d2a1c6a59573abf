//! Full inboxes, and letters that are not delivered.

use std::thread;
use std::time::{Duration, Instant};

use anywarp::ring::{AskError, DeadReason, Overflow, SendError};

use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, fail, refused};
use crate::{Case, Place};

pub(crate) const CASES: &[Case] = &[
    ("rejected", rejected),
    ("blocked", blocked),
    ("newest_dropped", newest_dropped),
    ("oldest_dropped", oldest_dropped),
    ("oldest_awaited_dropped", oldest_awaited_dropped),
    ("late_replies", late_replies),
    ("timed_out_futures", timed_out_futures),
    ("lost_letters", lost_letters),
];

fn rejected(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(4).overflow(Overflow::Reject).start()?;
    ring.pause()?;
    (0..4u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    let full = |error: &SendError| matches!(error, SendError::Full { actor: 0, waiting: 4 });
    refused(ring.actor(0).tell(&9u32), full, &["inbox of actor 0 is full", "4 messages"])?;
    ring.resume()?;
    ring.drain(Duration::from_secs(60))?;
    ring.actor(0).tell(&9u32)?;
    equal(ring.state::<u32>(0)?, 5, "the messages that were handled")?;
    let counts = ring.telemetry().total();
    equal((counts.received, counts.dropped, counts.high_water), (5, 1, 4), "received, dropped, high water")
}

fn blocked(place: Place<'_>) -> TestResult {
    let wait = Duration::from_millis(50);
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::Block(wait)).start()?;
    ring.pause()?;
    (0..2u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    let start = Instant::now();
    refused(ring.actor(0).tell(&9u32), |error| matches!(error, SendError::Full { .. }), &[])?;
    ensure(start.elapsed() >= wait, || format!("waited {:?} instead of {wait:?}", start.elapsed()))?;
    drop(ring);
    // Longer than a submission takes on a busy machine.
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::Block(Duration::from_secs(60))).start()?;
    (0..50u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    equal(ring.state::<u32>(0)?, 50, "the messages that were handled")
}

fn newest_dropped(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropNewest).start()?;
    ring.pause()?;
    let asks: Vec<_> = (10..12u32).map(|x| ring.actor(0).ask::<u32, u32>(&x)).collect();
    refused(ring.actor(0).tell(&12u32), |error| matches!(error, SendError::Dropped { actor: 0 }), &["DropNewest"])?;
    let letters = ring.dead_letters();
    equal(letters.len(), 1, "dead letters")?;
    equal((letters[0].actor, letters[0].reason), (0, DeadReason::Overflow), "actor and reason")?;
    equal(letters[0].bytes[..4].to_vec(), 12u32.to_le_bytes().to_vec(), "the message")?;
    ring.resume()?;
    for (ask, x) in asks.into_iter().zip(10..) {
        equal(ask?.wait()?, x, "the reply")?;
    }
    Ok(())
}

/// Two messages in the inbox, two in the ring's own queue; then the oldest of the latter gives way.
fn oldest_dropped(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropOldest).start()?;
    ring.pause()?;
    let asks: Vec<_> = (0..6u32).map(|x| ring.actor(0).ask::<u32, u32>(&x)).collect();
    equal(ring.dead_letters().len(), 2, "dead letters")?;
    ring.resume()?;
    for (x, ask) in (0..).zip(asks) {
        match (x, ask?.wait()) {
            (2 | 3, Err(AskError::Dropped { actor: 0 })) => {}
            (0 | 1 | 4 | 5, Ok(reply)) => equal(reply, x, "the reply")?,
            (_, other) => return fail(format!("message {x}: {other:?}")),
        }
    }
    ring.drain(Duration::from_secs(60))?;
    equal(ring.telemetry().total().handled, 4, "handled")
}

/// The task of a dropped message is woken, also while the ring is paused.
fn oldest_awaited_dropped(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropOldest).start()?;
    ring.pause()?;
    (0..2u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    let oldest = ring.actor(0).ask::<u32, u32>(&2)?;
    thread::scope(|scope| {
        let oldest = scope.spawn(|| pollster::block_on(oldest));
        (3..5u32).try_for_each(|x| ring.actor(0).tell(&x))?;
        let dropped = oldest.join().expect("no panic");
        refused(dropped, |error| matches!(error, AskError::Dropped { actor: 0 }), &[])
    })
}

fn late_replies(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause()?;
    let late = ring.actor(0).ask::<u32, u32>(&7)?.timeout(Duration::from_millis(20)).wait();
    refused(late, |error| matches!(error, AskError::TimedOut { actor: 0, .. }), &["20ms"])?;
    drop(ring.actor(0).ask::<u32, u32>(&8)?);
    ring.resume()?;
    ring.drain(Duration::from_secs(60))?;
    let letters = ring.dead_letters();
    let values = letters.iter().map(|letter| (letter.reason, letter.bytes[0])).collect::<Vec<_>>();
    equal(values, vec![(DeadReason::LateReply, 7), (DeadReason::LateReply, 8)], "dead letters")?;
    equal(ring.actor(0).ask::<u32, u32>(&9)?.wait()?, 9, "the reply after the late ones")
}

fn timed_out_futures(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause()?;
    let late = ring.actor(0).ask::<u32, u32>(&7)?.timeout(Duration::from_millis(20));
    let late = pollster::block_on(late);
    refused(late, |error| matches!(error, AskError::TimedOut { actor: 0, .. }), &["20ms"])?;
    ring.resume()?;
    equal(pollster::block_on(ring.actor(0).ask::<u32, u32>(&9)?)?, 9, "the reply after the late one")
}

/// The list of dead letters is bounded, and what it loses is counted.
fn lost_letters(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.inbox(2).overflow(Overflow::DropNewest).start()?;
    ring.pause()?;
    for x in 0..1030u32 {
        let sent = ring.actor(0).tell(&x);
        ensure(sent.is_ok() == (x < 2), || format!("message {x}: {sent:?}"))?;
    }
    equal(ring.telemetry().letters_lost, 4, "lost letters")?;
    let report = ring.shutdown(Duration::ZERO)?;
    crate::counts::adds_up(&report)?;
    // The two messages in the inbox replace two more.
    equal((report.letters_lost, report.dead_letters.len()), (6, 1024), "lost and kept letters")?;
    equal(report.dead_letters[0].bytes.clone(), 8u32.to_le_bytes().to_vec(), "the oldest that was kept")
}
