//! The life of a ring: pauses, ends, and other work beside it.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use anywarp::insight::{SpanKind, profile};
use anywarp::ring::{AskError, DeadReason, Mode, Overflow, Ring, RingError, SendError};

use crate::here::*;
use crate::messages::ECHO;
use crate::outcome::{TestResult, ensure, equal, refused};
use crate::{Case, Place, cases, on_threads};

pub(crate) const CASES: &[Case] = cases![
    paused,
    drained,
    shut_down,
    shut_down_while_paused,
    dropped,
    counted,
    idle,
    other_work,
    two_rings,
    paused_by_many_threads = |place| on_threads(place, paused_by_many_threads),
    drained_under_load = |place| on_threads(place, drained_under_load),
    idle_beside_busy = |place| on_threads(place, idle_beside_busy),
    states_under_load = |place| on_threads(place, states_under_load),
    wakers_that_panic = |place| on_threads(place, wakers_that_panic),
    wakers_that_drop_the_ring = |place| on_threads(place, wakers_that_drop_the_ring),
    on_timelines = |place| on_threads(place, on_timelines),
];

const MINUTE: Duration = Duration::from_secs(60);

/// States survive pauses, and messages wait.
async fn paused(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(2).start()?;
    for round in 1..=5u32 {
        equal(ring.actor(1).ask::<u32, u32>(&round)?.wait_here().await?, round, "the reply")?;
        ring.pause_here().await?;
        ring.pause_here().await?;
        let ask = ring.actor(1).ask::<u32, u32>(&(round + 100))?;
        sleep_here(Duration::from_millis(3)).await;
        ensure(!ask.is_done(), || "a paused ring has replied".to_owned())?;
        equal(ring.state_here::<u32>(1).await?, round * 2 - 1, "the state while paused")?;
        ring.resume_here().await?;
        ring.resume_here().await?;
        equal(ask.wait_here().await?, round + 100, "the reply after the pause")?;
        equal(ring.state_here::<u32>(1).await?, round * 2, "the state after the pause")?;
    }
    if place.mode == Mode::Persistent {
        equal(ring.telemetry().submissions, 6, "submissions")?;
    }
    Ok(())
}

/// A timeline has the times in which a ring had messages, and no others count as busy.
fn on_timelines(place: Place<'_>) -> TestResult {
    const IDLE: Duration = Duration::from_millis(40);
    // Other cases have rings of the same name on the same device.
    let device = place.device.reopen()?;
    let place = Place { device: &device, ..place };
    let ring = place.ring(ECHO)?.actors(2).start()?;
    equal(ring.actor(0).ask::<u32, u32>(&7)?.wait()?, 7, "the reply before the timeline")?;
    let (result, profile) = profile(place.device, || -> TestResult {
        let ask = |x: u32| equal(ring.actor(x % 2).ask::<u32, u32>(&x)?.wait()?, x, "the reply");
        (0..4).try_for_each(ask)?;
        ring.pause()?;
        ring.actor(1).tell(&5u32)?;
        thread::sleep(IDLE);
        ring.resume()?;
        ask(4)?;
        equal(ring.state::<u32>(1)?, 3, "the state")
    })?;
    result?;
    let row = profile.rings().into_iter().find(|row| &*row.label == "ring:echo");
    let Some(row) = row else { return ensure(false, || format!("no row: {:?}", profile.events)) };
    let steps: Vec<&str> = row.steps.iter().map(|(_, step)| &**step).collect();
    equal(steps, vec!["paused", "resumed"], "steps")?;
    equal(row.messages, 6, "messages")?;
    ensure(row.count >= 2 && row.busy > 0.0 && row.total + IDLE <= profile.duration(), || format!("{row:?}"))?;
    let has = |label: &str| profile.of_kind(SpanKind::Scope).any(|span| &*span.label == label);
    ensure(has("ring:echo: state of actor 1 read"), || "no scope for the read of a state".to_owned())?;
    ensure(has("ring: messages") == (place.mode == Mode::Batched), || "scopes of submissions".to_owned())?;
    let spans = profile.of_kind(SpanKind::Ring).count();
    equal(spans, if place.mode == Mode::Persistent { row.count } else { 0 }, "spans of resident kernels")?;
    let idle = profile.idle();
    ensure(!idle.busy.is_zero() && idle.busy + IDLE <= profile.duration(), || format!("{idle:?}"))?;
    drop(ring);
    Ok(())
}

async fn drained(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    (0..100u32).try_for_each(|x| ring.actor(0).tell(&x))?;
    ring.drain_here(MINUTE).await?;
    equal(ring.telemetry().total().handled, 100, "handled")?;
    ring.pause_here().await?;
    ring.actor(0).tell(&1u32)?;
    let error = |error: &RingError| matches!(error, RingError::TimedOut { left: 1, .. });
    refused(ring.drain_here(Duration::from_millis(10)).await, error, &["drain", "1 messages"])
}

async fn shut_down(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(3).start()?;
    let other = ring.actor(2);
    for x in 0..50u32 {
        ring.actor(x % 3).tell(&x)?;
    }
    let ask = ring.actor(0).ask::<u32, u32>(&77)?;
    let report = ring.shutdown_here(MINUTE).await?;
    equal((report.handled, report.unanswered), (51, 0), "handled and unanswered")?;
    ensure(report.failure.is_none() && report.dead_letters.is_empty(), || format!("{report:?}"))?;
    equal(ask.wait_here().await?, 77, "a reply that came before the end")?;
    refused(other.tell(&1u32), |error| matches!(error, SendError::Ended { failure: None }), &["shut down"])
}

async fn shut_down_while_paused(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.actor(0).ask::<u32, u32>(&1)?.wait_here().await?;
    ring.pause_here().await?;
    let ask = ring.actor(0).ask::<u32, u32>(&2)?;
    ring.actor(0).tell(&3u32)?;
    let report = ring.shutdown_here(MINUTE).await?;
    equal((report.handled, report.unanswered), (1, 2), "handled and unanswered")?;
    let letters = report.dead_letters.iter().map(|letter| (letter.reason, letter.from_actor, letter.bytes[0]));
    let expected = vec![(DeadReason::Shutdown, false, 2), (DeadReason::Shutdown, false, 3)];
    equal(letters.collect::<Vec<_>>(), expected, "reason, sender, message")?;
    refused(ask.wait_here().await, |error| matches!(error, AskError::Ended { actor: 0, failure: None }), &["shut down"])
}

/// Nothing waits forever for a ring that is gone.
async fn dropped(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause_here().await?;
    let (one, two) = (ring.actor(0).ask::<u32, u32>(&2)?, ring.actor(0).ask::<u32, u32>(&2)?);
    drop(ring);
    refused(one.wait_here().await, |error| matches!(error, AskError::Ended { failure: None, .. }), &[])?;
    refused(two.await, |error| matches!(error, AskError::Ended { failure: None, .. }), &[])
}

async fn counted(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(2).start()?;
    for x in 0..10u32 {
        ring.actor(1).ask::<u32, u32>(&x)?.wait_here().await?;
    }
    let telemetry = ring.telemetry();
    equal(telemetry.mode, place.mode, "the mode")?;
    equal(telemetry.actors[0].received, 0, "messages of the other actor")?;
    let actor = &telemetry.actors[1];
    equal((actor.received, actor.handled, actor.queued, actor.dropped), (10, 10, 0, 0), "counts")?;
    equal(actor.latency.count(), 10, "times")?;
    let (half, longest) = (actor.latency.quantile(0.5), actor.latency.longest());
    ensure(half <= longest && longest <= telemetry.uptime && !half.is_zero(), || format!("{half:?} {longest:?}"))?;
    ensure(telemetry.throughput() > 0.0 && telemetry.submissions > 0, || format!("{telemetry:?}"))
}

/// A ring that was silent for a while replies.
async fn idle(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    for (x, pause) in (0..).zip([0, 2, 30, 150]) {
        sleep_here(Duration::from_millis(pause)).await;
        let start = Instant::now();
        equal(ring.actor(0).ask::<u32, u32>(&x)?.wait_here().await?, x, "the reply")?;
        ensure(start.elapsed() < MINUTE, || "the reply took a minute".to_owned())?;
    }
    Ok(())
}

/// Compilations, launches, transfers and waits go on beside a live ring.
async fn other_work(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    for round in 1..=5u32 {
        let ask = ring.actor(0).ask::<u32, u32>(&round)?;
        let kernel = place.device.kernel(&*format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                if id.x < arrayLength(&x) {{ x[id.x] += {round}u; }}
            }}"
        ))?;
        let mut x = place.device.buffer_from(&vec![round; 10_000])?;
        kernel.launch().bind("x", &mut x).threads(10_000u32)?;
        if blocks() {
            place.device.synchronize()?;
        } else {
            place.device.synchronize_async().await?;
        }
        let x = if blocks() { x.read()? } else { x.read_async().await? };
        ensure(x.iter().all(|x| *x == 2 * round), || "a launch beside a ring has a wrong result".to_owned())?;
        equal(ask.wait_here().await?, round, "the reply")?;
    }
    Ok(())
}

async fn two_rings(place: Place<'_>) -> TestResult {
    let (one, two) = (place.start(ECHO)?, place.start(ECHO)?);
    for x in 0..20u32 {
        let (first, second) = (one.actor(0).ask::<u32, u32>(&x)?, two.actor(0).ask::<u32, u32>(&(x + 1))?);
        equal((second.wait_here().await?, first.wait_here().await?), (x + 1, x), "the replies")?;
    }
    drop(one);
    equal(two.actor(0).ask::<u32, u32>(&5)?.wait_here().await?, 5, "the reply of the other ring")
}

/// Threads that pause, resume and read states in any order lose no message.
fn paused_by_many_threads(place: Place<'_>) -> TestResult {
    const ASKS: u32 = 100;
    let ring = place.ring(ECHO)?.actors(2).inbox(8).start()?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let control = |thread: u32| {
            let (ring, over) = (&ring, &over);
            scope.spawn(move || -> TestResult {
                let (mut random, mut last) = (thread + 1, 0);
                while !over.load(Ordering::Acquire) {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // The first thread reads no states, which may wait for a resume.
                    match random >> 16 & 3 {
                        0 => ring.pause()?,
                        1 | 2 => ring.resume()?,
                        _ if thread == 0 => thread::sleep(Duration::from_micros(200)),
                        _ => {
                            let state = ring.state::<u32>(thread & 1)?;
                            ensure((last..=2 * ASKS).contains(&state), || format!("the state {state} after {last}"))?;
                            last = state;
                        }
                    }
                }
                Ok(ring.resume()?)
            })
        };
        let controls: Vec<_> = (0..4).map(control).collect();
        let asks = |thread: u32| {
            let ring = &ring;
            scope.spawn(move || -> TestResult {
                for x in 0..ASKS {
                    let reply = ring.actor(thread & 1).ask::<u32, u32>(&(x + 1000 * thread))?.timeout(MINUTE).wait()?;
                    equal(reply, x + 1000 * thread, "the reply")?;
                }
                Ok(())
            })
        };
        let asks: Vec<_> = (0..4).map(asks).collect();
        let asked: Vec<_> = asks.into_iter().map(|thread| thread.join().expect("no panic")).collect();
        over.store(true, Ordering::Release);
        let controlled = controls.into_iter().map(|thread| thread.join().expect("no panic"));
        controlled.chain(asked).collect::<TestResult<Vec<()>>>()
    })?;
    for actor in 0..2 {
        equal(ring.state::<u32>(actor)?, 2 * ASKS, "the state")?;
    }
    Ok(())
}

/// Sends messages to actor 0 from another thread until `work` has ended.
fn under_load(ring: &Ring, work: impl FnOnce() -> TestResult) -> TestResult {
    let (over, sent) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        let load = scope.spawn(|| -> TestResult {
            while !over.load(Ordering::Acquire) {
                ring.actor(0).tell(&1u32)?;
                sent.fetch_add(1, Ordering::Release);
            }
            Ok(())
        });
        while sent.load(Ordering::Acquire) < 10 && !load.is_finished() {
            thread::yield_now();
        }
        let result = work();
        over.store(true, Ordering::Release);
        load.join().expect("no panic").and(result)
    })
}

/// Messages that are sent later do not prolong a drain.
fn drained_under_load(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    under_load(&ring, || (0..5).try_for_each(|_| Ok(ring.drain(MINUTE)?)))
}

/// An actor replies soon while another one is busy.
fn idle_beside_busy(place: Place<'_>) -> TestResult {
    let ring = place.ring(ECHO)?.actors(2).start()?;
    under_load(&ring, || {
        for x in 0..50u32 {
            let reply = ring.actor(1).ask::<u32, u32>(&x)?.timeout(Duration::from_secs(10)).wait()?;
            equal(reply, x, "the reply")?;
            thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    })
}

/// A state that needs most of the inbox is read and replaced while messages fill it.
fn states_under_load(place: Place<'_>) -> TestResult {
    const LARGE: &str = "
// anywarp:actor
fn count(state: ptr<function, array<u32, 28>>, x: u32, lane: u32) -> u32 {
    (*state)[27] += x;
    return x;
}";
    for overflow in [Overflow::Block(MINUTE), Overflow::DropOldest] {
        let ring = place.ring(LARGE)?.inbox(8).overflow(overflow).start()?;
        under_load(&ring, || {
            for _ in 0..5 {
                let state: [u32; 28] = ring.state(0)?;
                ring.set_state(0, &state)?;
            }
            Ok(())
        })?;
        ring.drain(MINUTE)?;
    }
    Ok(())
}

/// A waker that drops a ring, or panics.
#[derive(Default)]
struct Strange {
    ring: Mutex<Option<Ring>>,
    woken: AtomicBool,
    panics: bool,
}

impl Wake for Strange {
    fn wake(self: Arc<Self>) {
        let ring = self.ring.lock().expect("no panic").take();
        drop(ring);
        self.woken.store(true, Ordering::Release);
        assert!(!self.panics, "a waker panics, as the test wants");
    }
}

impl Strange {
    fn is_woken(&self) -> TestResult {
        let start = Instant::now();
        while !self.woken.load(Ordering::Acquire) {
            ensure(start.elapsed() < MINUTE, || "the task was not woken".to_owned())?;
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

fn wakers_that_panic(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    let strange = Arc::new(Strange { panics: true, ..Strange::default() });
    ring.pause()?;
    let mut ask = pin!(ring.actor(0).ask::<u32, u32>(&1)?);
    let waker = Waker::from(Arc::clone(&strange));
    ensure(ask.as_mut().poll(&mut Context::from_waker(&waker)).is_pending(), || "a reply while paused".to_owned())?;
    ring.resume()?;
    strange.is_woken()?;
    equal(pollster::block_on(ring.actor(0).ask::<u32, u32>(&2)?)?, 2, "the reply to another task")
}

fn wakers_that_drop_the_ring(place: Place<'_>) -> TestResult {
    let ring = place.start(ECHO)?;
    ring.pause()?;
    let actor = ring.actor(0);
    let mut ask = pin!(actor.ask::<u32, u32>(&1)?);
    let strange = Arc::new(Strange::default());
    let waker = Waker::from(Arc::clone(&strange));
    ensure(ask.as_mut().poll(&mut Context::from_waker(&waker)).is_pending(), || "a reply while paused".to_owned())?;
    // The lock keeps the waker from finding no ring.
    let mut own = strange.ring.lock().expect("no panic");
    ring.resume()?;
    *own = Some(ring);
    drop(own);
    strange.is_woken()?;
    equal(pollster::block_on(ask)?, 1, "the reply that came before")?;
    refused(actor.tell(&1u32), |error| matches!(error, SendError::Ended { failure: None }), &[])
}
