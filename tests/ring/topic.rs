//! Messages to all actors that are subscribed to a name.

use std::time::Duration;

use anywarp::ring::{Overflow, SendError};

use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place};

pub(crate) const CASES: &[Case] = &[("published", published), ("published_to_full_inboxes", published_to_full_inboxes)];

const MINUTE: Duration = Duration::from_secs(60);

/// Keeps the last message and the number of messages.
const LAST: &str = "
// anywarp:actor
fn last(state: ptr<function, vec2<u32>>, x: u32, lane: u32) { *state = vec2<u32>(x, (*state).y + 1u); }";

fn published(place: Place<'_>) -> TestResult {
    let ring = place.ring(LAST)?.actors(4).start()?;
    let (odd, all) = (ring.topic("odd"), ring.topic("all"));
    for actor in 0..4 {
        all.subscribe(actor, Overflow::Block(MINUTE))?;
    }
    for actor in [3, 1] {
        odd.subscribe(actor, Overflow::Reject)?;
        ring.topic("odd").subscribe(actor, Overflow::DropNewest)?;
    }
    equal(odd.actors(), vec![1, 3], "the actors of a topic")?;
    for x in 0..10u32 {
        let published = all.publish(&x)?;
        equal((published.delivered, published.failed.len()), (4, 0), "delivered and failed")?;
        equal(odd.publish(&(100 + x))?.delivered, 2, "delivered")?;
    }
    equal((odd.unsubscribe(3), odd.unsubscribe(3)), (true, false), "whether an actor was subscribed")?;
    equal(odd.publish(&77u32)?.delivered, 1, "delivered")?;
    let states = (0..4).map(|actor| Ok(ring.state::<[u32; 2]>(actor)?)).collect::<TestResult<Vec<_>>>()?;
    equal(states, vec![[9, 10], [77, 21], [9, 10], [109, 20]], "the last message and the number of messages")?;
    let topics = ring.telemetry().topics;
    let counts: Vec<_> = topics
        .iter()
        .map(|topic| (&*topic.name, topic.actors, topic.published, topic.delivered, topic.dropped))
        .collect();
    equal(counts, vec![("all", 4, 10, 40, 0), ("odd", 1, 11, 21, 0)], "counts of topics")?;
    let missing = |error: &SendError| matches!(error, SendError::NoSuchActor { actor: 4, actors: 4 });
    refused(all.subscribe(4, Overflow::Reject), missing, &["actor 4"])?;
    refused(
        all.subscribe(0, Overflow::DropOldest),
        |error| matches!(error, SendError::NothingToDrop { actor: 0 }),
        &["RingBuilder::backlog"],
    )?;
    let layout = |error: &SendError| matches!(error, SendError::Layout { what: "message", .. });
    refused(all.publish(&1.0f32).map(|_| ()), layout, &["'last'"])?;
    ring.shutdown(MINUTE)?;
    refused(all.publish(&1u32).map(|_| ()), |error| matches!(error, SendError::Ended { failure: None }), &[])
}

/// Each actor's inbox overflows in its own way, and keeps no message from the others.
fn published_to_full_inboxes(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(3).inbox(2).backlog(1).start()?;
    let topic = ring.topic("news");
    topic.subscribe(0, Overflow::Reject)?;
    topic.subscribe(1, Overflow::DropNewest)?;
    topic.subscribe(2, Overflow::DropOldest)?;
    ring.pause()?;
    for x in 0..5u32 {
        let published = topic.publish(&x)?;
        if x < 3 {
            equal((published.delivered, published.failed.len()), (3, 0), "delivered and failed")?;
            continue;
        }
        let [(0, SendError::Full { .. }), (1, SendError::Dropped { .. })] = &published.failed[..] else {
            return ensure(false, || format!("{published:?}"));
        };
        equal(published.delivered, 1, "delivered")?;
    }
    let counts = &ring.telemetry().topics[0];
    equal((counts.published, counts.delivered, counts.dropped, counts.refused), (5, 11, 4, 0), "counts")?;
    equal(counts.delivered + counts.dropped + counts.refused, counts.published * 3, "the sum of the counts")?;
    let letters: Vec<_> = ring.dead_letters().iter().map(|letter| (letter.actor, letter.bytes[0])).collect();
    // Actor 2 has dropped the oldest message of its backlog.
    equal(letters, vec![(1, 3), (2, 2), (1, 4), (2, 3)], "dead letters")?;
    ring.resume()?;
    let report = ring.shutdown(MINUTE)?;
    crate::counts::adds_up(&report)?;
    equal((report.handled, report.unanswered), (9, 0), "handled and unanswered")
}
