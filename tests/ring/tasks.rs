//! Tasks beside each other, futures that are dropped half-way, and calls that a browser's page cannot make.

use std::future::Future;
use std::time::Duration;

use anywarp::ring::{AskError, Overflow, RingError, SendError};
use futures::future::join_all;
use futures::{pin_mut, poll};

use crate::messages::{ECHO, IN_ORDER, Message, State};
use crate::outcome::{TestResult, ensure, equal, refused, skip};
use crate::{Case, Place, cases};

pub(crate) const CASES: &[Case] = cases![
    many_tasks,
    futures_that_move_between_threads,
    dropped_pauses,
    dropped_reads_of_states,
    dropped_replacements,
    dropped_shutdowns,
    blocking_calls,
];

const MINUTE: Duration = Duration::from_secs(60);

/// A state that needs most of an inbox of 8 slots.
const LARGE: &str = "
// anywarp:actor
fn count(state: ptr<function, array<u32, 28>>, x: u32, lane: u32) -> u32 {
    (*state)[27] += 1u;
    return x;
}";

fn sends<F: Future + Send>(future: F) -> F {
    future
}

/// Polls a future once and drops it; returns whether it had ended.
async fn begins<F: Future>(future: F) -> bool {
    pin_mut!(future);
    poll!(future).is_ready()
}

/// Tasks whose messages fill the inbox again and again: each one's messages stay in order.
async fn many_tasks(place: Place<'_>) -> TestResult {
    let ring = place.ring(IN_ORDER)?.actors(2).inbox(4).start()?;
    let ring = &ring;
    let task = async |sender: u32| -> TestResult {
        for number in 0..30 {
            let message = Message { sender, number };
            if number % 3 == 0 {
                ring.actor(sender % 2).tell_async(&message).await?;
            } else {
                let count: u32 = ring.actor(sender % 2).ask_async(&message).await?.timeout(MINUTE).await?;
                ensure(count > number, || format!("{count} messages after {}", number + 1))?;
            }
        }
        Ok(())
    };
    join_all((0..4).map(task)).await.into_iter().collect::<TestResult<Vec<()>>>()?;
    ring.drain_async(MINUTE).await?;
    equal(ring.state_async(0).await?, State { next: [30, 0, 30, 0], wrong: 0, count: 60 }, "the state")?;
    equal(ring.state_async(1).await?, State { next: [0, 30, 0, 30], wrong: 0, count: 60 }, "the other state")
}

async fn futures_that_move_between_threads(place: Place<'_>) -> TestResult {
    let ring = place.ring(LARGE)?.inbox(8).start()?;
    let actor = ring.actor(0);
    sends(actor.tell_async(&1u32)).await?;
    equal(sends(sends(actor.ask_async::<u32, u32>(&2)).await?).await?, 2, "the reply")?;
    sends(actor.tell_all_async(&[3u32; 20])).await?;
    let mut asks = Vec::new();
    sends(actor.ask_all_async::<u32, u32>(&[4; 20], &mut asks)).await?;
    equal(asks.len(), 20, "asks")?;
    sends(ring.drain_async(MINUTE)).await?;
    sends(ring.pause_async()).await?;
    let mut state: [u32; 28] = sends(ring.state_async(0)).await?;
    sends(ring.resume_async()).await?;
    equal(state[27], 42, "handled messages")?;
    state[27] = 0;
    sends(ring.set_state_async(0, &state)).await?;
    sends(ring.replace_async(LARGE)).await?;
    equal(sends(ring.state_async::<[u32; 28]>(0)).await?, state, "the state that was set")?;
    equal(sends(ring.shutdown_async(MINUTE)).await?.handled, 42, "handled")
}

/// The ring is paused, or still runs, and resumes in both cases.
async fn dropped_pauses(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    for x in 0..10u32 {
        let ask = ring.actor(0).ask::<u32, u32>(&x)?;
        begins(ring.pause_async()).await;
        if x % 2 == 0 {
            begins(ring.resume_async()).await;
        }
        ring.resume_async().await?;
        equal(ask.timeout(MINUTE).await?, x, "the reply")?;
    }
    equal(ring.state_async::<u32>(0).await?, 10, "handled messages")
}

/// A call that waits for several free slots reserves them, and gives them back when it is dropped.
async fn dropped_reads_of_states(place: Place<'_>) -> TestResult {
    let ring = place.ring(LARGE)?.inbox(8).overflow(Overflow::Reject).start()?;
    let mut sent = 0;
    for _ in 0..5 {
        // Until the inbox is full, which a resident kernel may prevent.
        for _ in 0..8 {
            sent += u32::from(ring.actor(0).tell(&1u32).is_ok());
        }
        begins(ring.state_async::<[u32; 28]>(0)).await;
        ring.drain_async(MINUTE).await?;
        for _ in 0..8 {
            ring.actor(0).tell(&1u32)?;
            sent += 1;
        }
        ring.drain_async(MINUTE).await?;
    }
    let state: [u32; 28] = ring.state_async(0).await?;
    equal(state[27], sent, "handled messages")
}

async fn dropped_replacements(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    let text = ECHO.replace("return x;", "return x + 100u;");
    for x in 0..4u32 {
        let ask = ring.actor(0).ask::<u32, u32>(&x)?;
        begins(ring.replace_async(&*text)).await;
        ring.resume_async().await?;
        let reply = ask.timeout(MINUTE).await?;
        ensure(reply == x || reply == x + 100, || format!("{reply} for {x}"))?;
    }
    ring.replace_async(&*text).await?;
    equal(ring.actor(0).ask::<u32, u32>(&7)?.timeout(MINUTE).await?, 107, "the new code")?;
    equal(ring.state_async::<u32>(0).await?, 5, "handled messages")
}

async fn dropped_shutdowns(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause_async().await?;
    let (actor, ask) = (ring.actor(0), ring.actor(0).ask::<u32, u32>(&1)?);
    begins(ring.shutdown_async(MINUTE)).await;
    refused(actor.tell(&2u32), |error| matches!(error, SendError::Ended { failure: None }), &["shut down"])?;
    refused(ask.await, |error| matches!(error, AskError::Ended { failure: None, .. }), &["shut down"])
}

/// In a browser they say so at once, and name what can be awaited.
async fn blocking_calls(place: Place<'_>) -> TestResult {
    if cfg!(not(target_arch = "wasm32")) {
        return skip("threads can block");
    }
    let ring = place.ring(ECHO)?.inbox(2).start()?;
    let step = |error: &RingError| matches!(error, RingError::CannotBlock { .. });
    refused(ring.pause(), step, &["Ring::pause", "Ring::pause_async"])?;
    refused(ring.resume(), step, &["Ring::resume_async"])?;
    refused(ring.drain(MINUTE), step, &["Ring::drain_async"])?;
    refused(ring.replace(ECHO), step, &["Ring::replace_async"])?;
    let call = |error: &AskError| matches!(error, AskError::CannotBlock { .. });
    refused(ring.state::<u32>(0), call, &["Ring::state_async"])?;
    refused(ring.set_state(0, &1u32), call, &["Ring::set_state_async"])?;
    refused(ring.actor(0).ask::<u32, u32>(&1)?.wait(), call, &["Ask::wait", "future"])?;
    ring.actor(0).tell(&2u32)?;
    let full = |error: &SendError| matches!(error, SendError::CannotBlock { actor: 0, waiting: 2 });
    refused(ring.actor(0).tell(&3u32), full, &["inbox of actor 0 is full", "tell_async"])?;
    ring.actor(0).tell_async(&3u32).await?;
    equal(ring.state_async::<u32>(0).await?, 3, "handled messages")?;
    let actor = ring.actor(0);
    refused(ring.shutdown(MINUTE), step, &["Ring::shutdown_async"])?;
    refused(actor.tell(&1u32), |error| matches!(error, SendError::Ended { failure: None }), &[])
}
