//! Messages to all actors that are subscribed to a name.

use std::time::Duration;

use anywarp::ring::{Overflow, RingError, SendError};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![
    published,
    published_to_full_inboxes,
    published_by_actors,
    published_by_actors_to_a_kind,
    other_forms_of_publishing,
];

const MINUTE: Duration = Duration::from_secs(60);

/// Keeps the last message and the number of messages.
const LAST: &str = "
// anywarp:actor
fn last(state: ptr<function, vec2<u32>>, x: u32, lane: u32) { *state = vec2<u32>(x, (*state).y + 1u); }";

async fn published(place: Place<'_>) -> TestResult {
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
    let states = states_here::<[u32; 2]>(&ring, 4).await?;
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
    ring.shutdown_here(MINUTE).await?;
    refused(all.publish(&1u32).map(|_| ()), |error| matches!(error, SendError::Ended { failure: None }), &[])
}

/// Each actor's inbox overflows in its own way, and keeps no message from the others.
async fn published_to_full_inboxes(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(3).inbox(2).backlog(1).start()?;
    let topic = ring.topic("news");
    topic.subscribe(0, Overflow::Reject)?;
    topic.subscribe(1, Overflow::DropNewest)?;
    topic.subscribe(2, Overflow::DropOldest)?;
    ring.pause_here().await?;
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
    ring.resume_here().await?;
    let report = ring.shutdown_here(MINUTE).await?;
    crate::counts::adds_up(&report)?;
    equal((report.handled, report.unanswered), (9, 0), "handled and unanswered")
}

/// Actors of one kind, which publish to each other, over more than one word of bits.
async fn published_by_actors(place: Place<'_>) -> TestResult {
    let ring = place.ring(
        "// anywarp:publish
        fn news(x: vec2<u32>) -> u32 { return 0u; }
        // anywarp:actor
        fn member(state: ptr<function, vec2<u32>>, x: vec2<u32>, lane: u32) -> u32 {
            if x.y == 1u { return news(vec2<u32>(x.x, 0u)); }
            *state += vec2<u32>(1u, x.x);
            return 0u;
        }",
    )?;
    let ring = ring.actors(70).inbox(8).start()?;
    let topic = ring.topic("news");
    let publish = async |x: u32| TestResult::<u32>::Ok(ring.actor(3).ask(&[x, 1])?.timeout(MINUTE).wait_here().await?);
    equal(publish(1).await?, 0, "receivers without a member")?;
    for actor in [3, 31, 32, 69, 40] {
        topic.subscribe(actor, Overflow::Reject)?;
    }
    ensure(topic.unsubscribe(40), || "the actor was no member".to_owned())?;
    equal((publish(10).await?, publish(100).await?), (4, 4), "receivers")?;
    equal(topic.publish(&[1000u32, 0])?.delivered, 4, "receivers of the host's message")?;
    ring.drain_here(MINUTE).await?;
    for actor in 0..70 {
        let wanted = if topic.actors().contains(&actor) { [3, 1110] } else { [0, 0] };
        equal(ring.state_here::<[u32; 2]>(actor).await?, wanted, &format!("the state of actor {actor}"))?;
    }
    let total = ring.telemetry().total();
    equal((total.sent, total.refused, total.from_actors), (8, 0, 8), "messages between actors")
}

const TWO_KINDS: &str = "
// anywarp:publish prices
fn publish(x: f32) -> u32 { return 0u; }
// anywarp:actor
fn source(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { return publish(f32(x) + 0.5); }
// anywarp:actor
fn reader(state: ptr<function, vec2<f32>>, x: f32, lane: u32) { *state += vec2<f32>(1.0, x); }";

async fn published_by_actors_to_a_kind(place: Place<'_>) -> TestResult {
    let ring = place.ring(TWO_KINDS)?.actors_of("source", 3).actors_of("reader", 2).start()?;
    let prices = ring.topic("prices");
    let kind = |error: &SendError| matches!(error, SendError::OtherKind { actor: 2, .. });
    refused(prices.subscribe(2, Overflow::Reject), kind, &["actor 2", "'prices'", "'reader'"])?;
    equal(prices.actors(), vec![], "members after a refusal")?;
    // Another topic is that of the host alone.
    ring.topic("others").subscribe(2, Overflow::Reject)?;
    prices.subscribe(4, Overflow::Reject)?;
    for (source, x) in [(0, 1u32), (2, 2), (1, 3)] {
        equal(ring.actor(source).ask::<u32, u32>(&x)?.timeout(MINUTE).wait_here().await?, 1, "receivers")?;
    }
    ring.drain_here(MINUTE).await?;
    equal(
        (ring.state_here::<[f32; 2]>(3).await?, ring.state_here::<[f32; 2]>(4).await?),
        ([0.0; 2], [3.0, 7.5]),
        "the states of the readers",
    )
}

async fn other_forms_of_publishing(place: Place<'_>) -> TestResult {
    let actor = "// anywarp:actor\nfn a(s: ptr<function, u32>, x: u32, lane: u32) {}\n";
    let forms: [(String, u32, &[&str]); 4] = [
        (format!("{actor}// anywarp:publish t\nfn p(x: u32) {{}}"), 4, &["'p'", "-> u32"]),
        (
            format!("{actor}// anywarp:publish t\nfn p(x: f32) -> u32 {{ return 0u; }}"),
            4,
            &["'p'", "no actor receives"],
        ),
        (
            format!(
                "{actor}// anywarp:publish t\nfn p(x: u32) -> u32 {{ return 0u; }}
                // anywarp:publish t\nfn q(x: u32) -> u32 {{ return 0u; }}"
            ),
            6,
            &["'q'", "second", "'t'"],
        ),
        (
            format!(
                "{actor}{}// anywarp:publish t\nfn p(x: u32) -> u32 {{ return 0u; }}",
                actor.replace("fn a", "fn b")
            ),
            6,
            &["'p'", "both 'a' and 'b'"],
        ),
    ];
    for (form, line, words) in forms {
        let error = place.device.ring(&*form).map(|_| ());
        let wrong = |error: &RingError| matches!(error, RingError::Actor { line: at, .. } if *at == line);
        refused(error, wrong, words)?;
    }
    Ok(())
}
