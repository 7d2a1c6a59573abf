//! The handle of a running ring: its life, its actors, its counts.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anywarp_backend::BackendError;

use super::activity::LOOKS;
use super::actor::Actor;
use super::core::{Core, Stage, value_of, words_of};
use super::emit::Subscription;
use super::error::{AskError, RingError, SendError};
use super::inbox::InboxPlace;
use super::mode::Mode;
use super::overflow::DeadLetter;
use super::pulse;
use super::report::Report;
use super::slot::Kind;
use super::telemetry::{ActorTelemetry, Telemetry};
use super::topic::Topic;
use crate::element::Element;
use crate::error::Error;
use crate::submit::Reporter;

/// The time after which a kernel that does not come to a message's end counts as hanging.
pub(super) const STOP: Duration = Duration::from_secs(10);

/// The time between two looks at the kernel's counts, in which none of them grows by 2^32.
const COUNTED: Duration = Duration::from_secs(1);

/// The pause between two looks at messages that are being handled.
const LOOK: Duration = Duration::from_micros(100);

/// The actors of one device: see [`Device::ring`](crate::Device::ring). Dropping a ring shuts it down without waiting
/// for messages that are not handled yet.
pub struct Ring {
    pub(super) core: Arc<Core>,
    driver: Option<JoinHandle<()>>,
    /// The thread that looks after the kernel.
    watch: Option<JoinHandle<()>>,
}

impl Ring {
    /// Starts the kernel and the ring's thread.
    pub(super) fn run(core: Core) -> Result<Self, RingError> {
        let core = Arc::new(core);
        let own = Arc::clone(&core);
        core.engine.start().map_err(not_started)?;
        let driver = thread::Builder::new().name("anywarp-ring".to_owned());
        let driver = driver.spawn(move || drive(&own)).map_err(|error| {
            let _ = core.engine.stop(STOP);
            RingError::Thread { message: error.to_string() }
        })?;
        let _ = core.driver.set(driver.thread().clone());
        let mut ring = Self { core, driver: Some(driver), watch: None };
        let core = &ring.core;
        if let Some(allowed) = core.heartbeat {
            let own = Arc::clone(core);
            let watch = thread::Builder::new().name("anywarp-ring-watch".to_owned());
            let watch = watch.spawn(move || own.watches(allowed));
            ring.watch = Some(watch.map_err(|error| RingError::Thread { message: error.to_string() })?);
        }
        let core = &ring.core;
        let weak = Arc::downgrade(core);
        core.context.events.add(weak);
        core.step(|| "started".to_owned());
        Ok(ring)
    }

    /// How the actors run.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.core.engine.mode()
    }

    /// Where the inboxes lie, and why.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ring::InboxPlace;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn add(state: ptr<function, u32>, x: u32, lane: u32) { *state += x; }",
    /// )?;
    /// let ring = ring.start()?;
    /// assert!(matches!(ring.inbox_place(), InboxPlace::Host { .. })); // the processor has no other memory
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn inbox_place(&self) -> InboxPlace {
        self.core.engine.inbox_place()
    }

    /// The number of actors.
    #[must_use]
    pub fn actors(&self) -> u32 {
        self.core.posts.len() as u32
    }

    /// The handle of an actor, counted from 0 over all kinds. A number that does not exist is an error of the first
    /// message.
    #[must_use]
    pub fn actor(&self, number: u32) -> Actor {
        Actor { core: Arc::clone(&self.core), number }
    }

    /// The handle of an actor of a kind, which is the name of the kind's function in the WGSL. Actors of each kind are
    /// counted from 0; [`Actor::number`] is the number in the ring.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:send judge
    ///     fn report(to: u32, m: f32) -> bool { return false; }
    ///     // anywarp:actor
    ///     fn watch(state: ptr<function, u32>, x: vec2<f32>, lane: u32) -> f32 {
    ///         if length(x) > 1.0 { *state += u32(report(0u, length(x))); }
    ///         return length(x);
    ///     }
    ///     // anywarp:actor
    ///     fn judge(state: ptr<function, f32>, m: f32, lane: u32) { *state = max(*state, m); }",
    /// )?;
    /// let ring = ring.actors_of("watch", 4).actors_of("judge", 1).start()?;
    /// assert_eq!(ring.actor_of("watch", 3)?.ask::<[f32; 2], f32>(&[3.0, 4.0])?.wait()?, 5.0);
    /// ring.drain(std::time::Duration::from_secs(10))?;
    /// let judge = ring.actor_of("judge", 0)?.number();
    /// assert_eq!((judge, ring.state::<f32>(judge)?), (4, 5.0));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`SendError::NoSuchKind`], and [`SendError::NoSuchActor`] if the kind has fewer actors.
    pub fn actor_of(&self, kind: &str, number: u32) -> Result<Actor, SendError> {
        let actors = self.actors_of(kind)?;
        if number >= actors.end - actors.start {
            return Err(SendError::NoSuchActor { actor: number, actors: actors.end - actors.start });
        }
        Ok(self.actor(actors.start + number))
    }

    /// The numbers in the ring of the actors of a kind, which is the name of the kind's function in the WGSL.
    ///
    /// # Errors
    /// [`SendError::NoSuchKind`].
    pub fn actors_of(&self, kind: &str) -> Result<Range<u32>, SendError> {
        let Core { actor, ends, .. } = &*self.core;
        let Some(number) = actor.kind(kind) else {
            return Err(SendError::NoSuchKind { kind: kind.to_owned(), kinds: actor.names() });
        };
        let first = number.checked_sub(1).map_or(0, |before| ends[before]);
        Ok(first..ends[number])
    }

    /// Receives what actors emit, by the function of the WGSL that is marked `// anywarp:emit`. Each subscription
    /// receives all messages; those that it cannot hold, because `capacity` messages wait to be received, are counted
    /// by [`Subscription::lost`].
    ///
    /// Without a subscription, messages stay in the queues of the actors, and the next subscription receives them; if
    /// there is none until the end of the ring, [`Report::untaken`] counts them. The queues hold as many messages as the
    /// inbox; when one is full, the function returns false, which [`ActorTelemetry::not_emitted`] counts.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use std::time::Duration;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:emit
    ///     fn alarm(x: f32) -> bool { return false; }
    ///     // anywarp:actor
    ///     fn watch(state: ptr<function, u32>, x: f32, lane: u32) {
    ///         if x > 100.0 && alarm(x) { *state += 1u; }
    ///     }",
    /// )?;
    /// let ring = ring.actors(3).start()?;
    /// let alarms = ring.subscribe::<f32>(1000)?;
    /// ring.actor(0).tell(&50.0f32)?;
    /// ring.actor(2).tell(&150.0f32)?;
    /// let alarm = alarms.recv(Duration::from_secs(10));
    /// assert_eq!(alarm.map(|alarm| (alarm.actor, alarm.message)), Some((2, 150.0)));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`SendError::NoEmission`] if the text has no such function, [`SendError::Layout`] if `M` is not the type of its
    /// messages.
    pub fn subscribe<M: Element>(&self, capacity: usize) -> Result<Subscription<M>, SendError> {
        self.core.checks_emission::<M>()?;
        Ok(self.core.subscribes(capacity.max(1)))
    }

    /// Returns the topic of this name, to which actors can be subscribed. It exists from the first call on.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ring::Overflow;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn add(state: ptr<function, u32>, x: u32, lane: u32) { *state += x; }",
    /// )?;
    /// let ring = ring.actors(3).start()?;
    /// let prices = ring.topic("prices");
    /// prices.subscribe(0, Overflow::DropNewest)?;
    /// prices.subscribe(2, Overflow::Reject)?;
    /// assert_eq!(prices.publish(&7u32)?.delivered, 2);
    /// assert_eq!((ring.state::<u32>(0)?, ring.state::<u32>(1)?, ring.state::<u32>(2)?), (7, 0, 7));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn topic(&self, name: &str) -> Topic {
        Topic { core: Arc::clone(&self.core), own: self.core.topics.named(name) }
    }

    /// Returns an actor's state, as it is between two messages: after all messages that this thread has sent before,
    /// except those that wait outside of a full inbox ([`RingBuilder::backlog`](super::RingBuilder::backlog)). While
    /// the ring is paused, and after its end, the state after the last handled message.
    ///
    /// # Errors
    /// [`SendError::Layout`] if `S` is not the type of the state; [`SendError::NoSuchActor`]; [`SendError::Stopped`] if
    /// a stopped handler has ended the actor (its state can be read while the ring is paused); [`AskError::Stopped`]
    /// and [`AskError::Ended`] if that happens, or the ring ends, before the reply; [`AskError::TimedOut`] if the actor
    /// does not come to it within 10 seconds.
    pub fn state<S: Element>(&self, actor: u32) -> Result<S, AskError> {
        let core = &self.core;
        core.checks_state::<S>(actor)?;
        let halted = || matches!(core.stage(), Stage::Paused | Stage::Stopped | Stage::Failed);
        if halted() {
            let _life = core.life();
            // Another thread may have resumed the ring before this one had the lock.
            if halted() {
                // After a pause that timed out, the kernel still runs. A kernel that failed has ended.
                if let Ok(false) = core.halts(STOP) {
                    return Err(AskError::TimedOut { actor, timeout: STOP });
                }
                let ended = |error: Error| AskError::Ended { actor, failure: Some(Box::new(error)) };
                return core.engine.state(actor).map(|words| value_of(&words)).map_err(ended);
            }
        }
        let _scope = core.context.scope_of(|| format!("{}: state of actor {actor} read", core.name));
        let format = core.format;
        let parts = vec![[].as_slice(); format.state.div_ceil(format.reply)];
        let parts = core.own(actor, Kind::ReadState, &parts)?;
        let words: Vec<u32> = parts.iter().flat_map(|part| &part[..format.reply]).copied().collect();
        Ok(value_of(&words))
    }

    /// Replaces an actor's state, after all messages that this thread has sent before, except those that wait outside
    /// of a full inbox ([`RingBuilder::backlog`](super::RingBuilder::backlog)).
    ///
    /// # Errors
    /// As [`state`](Self::state); a paused ring does not come to it.
    pub fn set_state<S: Element>(&self, actor: u32, state: &S) -> Result<(), AskError> {
        let core = &self.core;
        core.checks_state::<S>(actor)?;
        let _scope = core.context.scope_of(|| format!("{}: state of actor {actor} replaced", core.name));
        let words: Vec<u32> = words_of(state).collect();
        let parts: Vec<&[u32]> = words.chunks(core.format.message).collect();
        core.own(actor, Kind::WriteState, &parts).map(|_| ())
    }

    /// Stops the actors between two messages. Messages are accepted meanwhile, and wait. A persistent kernel ends, so
    /// that the device is free for other work.
    ///
    /// # Errors
    /// [`RingError::Ended`] if the ring does not run; [`RingError::TimedOut`] if an actor does not come to the end of a
    /// message within 10 seconds. The ring is paused also then: call this method again to wait for the actor, or
    /// [`resume`](Self::resume).
    pub fn pause(&self) -> Result<(), RingError> {
        self.pause_within(STOP)
    }

    /// [`pause`](Self::pause) with another time.
    pub(super) fn pause_within(&self, timeout: Duration) -> Result<(), RingError> {
        self.changes(|| {
            if !self.core.advance(Stage::Running, Stage::Paused) && self.core.stage() != Stage::Paused {
                return Err(self.ended());
            }
            self.halts("pause", timeout)?;
            self.core.reap_all();
            self.core.paused(true);
            Ok(())
        })
    }

    /// Changes the stage while no other thread does; afterwards wakes the tasks that have ended with it.
    pub(super) fn changes(&self, change: impl FnOnce() -> Result<(), RingError>) -> Result<(), RingError> {
        let life = self.core.life();
        let result = change();
        // A waker may run any code, also such that changes the stage.
        drop(life);
        self.core.wake_tasks();
        result
    }

    /// Waits until the kernel has ended.
    pub(super) fn halts(&self, step: &'static str, timeout: Duration) -> Result<(), RingError> {
        match self.core.halts(timeout) {
            Ok(true) => Ok(()),
            Ok(false) => Err(RingError::TimedOut { step, timeout, left: self.core.left() }),
            Err(error) => Err(self.fails(error)),
        }
    }

    /// Continues after a [`pause`](Self::pause), with the same states.
    ///
    /// # Errors
    /// [`RingError::Ended`] if the ring has ended, or cannot be started again; [`RingError::TimedOut`] after a pause
    /// that timed out, if the actor does not come to the end of its message within 10 seconds more. The ring is paused
    /// then.
    pub fn resume(&self) -> Result<(), RingError> {
        self.changes(|| {
            match self.core.stage() {
                Stage::Running => return Ok(()),
                Stage::Paused => {}
                _ => return Err(self.ended()),
            }
            // After a pause that timed out, the kernel of before may still run.
            self.halts("resume", STOP)?;
            // Before the first reply, which ends a busy time.
            self.core.paused(false);
            if let Err(error) = self.core.engine.start() {
                return Err(self.fails(error));
            }
            if !self.core.advance(Stage::Paused, Stage::Running) {
                return Err(self.ended());
            }
            self.core.stays();
            self.core.engine.ring(&self.core);
            self.core.wake_driver();
            Ok(())
        })
    }

    /// Waits until all messages that were sent before are handled, at most this long. Messages that are sent meanwhile
    /// do not count, except those that actors send to each other: the ring drains when none of them waits.
    ///
    /// # Errors
    /// [`RingError::TimedOut`] with the number of messages that are left; [`RingError::Ended`] if the ring fails.
    pub fn drain(&self, timeout: Duration) -> Result<(), RingError> {
        let started = Instant::now();
        let mut empty = false;
        loop {
            self.core.reap_all();
            let left = self.core.left_since(started);
            if self.core.stage() == Stage::Failed {
                return Err(self.ended());
            }
            let left = left + self.core.mail_waiting();
            // Counts of the device may arrive late, so two looks must agree.
            let found = std::mem::replace(&mut empty, left == 0);
            if left == 0 && (found || self.core.engine.counts().is_empty()) {
                return Ok(());
            }
            if started.elapsed() >= timeout {
                return Err(RingError::TimedOut { step: "drain", timeout, left });
            }
            thread::sleep(LOOK);
        }
    }

    /// Accepts no further messages, waits until those that were accepted are handled, at most this long, and ends the
    /// ring. Each caller that still waits for a reply receives [`AskError::Ended`].
    ///
    /// # Errors
    /// [`RingError::TimedOut`] if an actor does not come to the end of a message within 10 seconds. A ring
    /// that has failed before is no error: the report has the failure.
    pub fn shutdown(mut self, timeout: Duration) -> Result<Report, RingError> {
        let unanswered = self.end(timeout)?;
        let undelivered = self.core.undelivered_at_end(STOP);
        // Subscriptions that outlive the ring receive what is left.
        self.core.collect();
        let untaken = self.core.untaken();
        let telemetry = self.telemetry();
        Ok(Report {
            handled: telemetry.total().handled,
            unanswered,
            undelivered,
            untaken,
            uptime: telemetry.uptime,
            telemetry,
            failure: self.core.failure.get().cloned(),
            dead_letters: self.core.letters.take(),
            letters_lost: self.core.letters.lost(),
        })
    }

    /// Ends the ring; returns the number of messages that were not handled.
    fn end(&mut self, timeout: Duration) -> Result<u64, RingError> {
        let core = Arc::clone(&self.core);
        let life = core.life();
        let paused = core.advance(Stage::Paused, Stage::Closing);
        let ends = paused || core.advance(Stage::Running, Stage::Closing) || core.stage() == Stage::Closing;
        // The ring's thread may have to start the kernel again during the drain. No other call changes this stage.
        drop(life);
        if !ends {
            // The thread of a failed ring ends by itself.
            self.join();
            return Ok(core.unanswered());
        }
        if !paused && !timeout.is_zero() {
            let _ = self.drain(timeout);
        }
        let life = core.life();
        let ended = core.halts(STOP);
        if let Err(error) = &ended {
            let _ = core.failure.set(error.clone());
        }
        // The ring may have failed during the drain.
        let failed = ended.is_err() || core.stage() == Stage::Failed;
        core.stage.store(if failed { Stage::Failed } else { Stage::Stopped } as u8, Ordering::Release);
        // Wakers run any code, and the ring's thread ends after those that it runs.
        drop(life);
        core.abandon(core.end_reason());
        core.report();
        core.step(|| "ended".to_owned());
        core.wake_tasks();
        self.join();
        let unanswered = core.unanswered();
        match ended {
            Ok(false) => Err(RingError::TimedOut { step: "stop", timeout: STOP, left: unanswered }),
            _ => Ok(unanswered),
        }
    }

    fn join(&mut self) {
        self.core.wake_driver();
        // A waker that one of the threads runs may drop the ring; that thread ends after it.
        for thread in [self.driver.take(), self.watch.take()].into_iter().flatten() {
            thread.thread().unpark();
            if thread.thread().id() != thread::current().id() {
                let _ = thread.join();
            }
        }
    }

    /// The dead letters since the last call: messages and replies that were not delivered, at most the last 1024.
    #[must_use]
    pub fn dead_letters(&self) -> Vec<DeadLetter> {
        self.core.letters.take()
    }

    /// The counts of each actor so far. Nothing is stopped for it.
    #[must_use]
    pub fn telemetry(&self) -> Telemetry {
        // Before the kernel's counts, so that no more messages were taken than emitted.
        let taken = self.core.outlet.taken();
        let kernel = self.core.kernel_counts();
        let now = Instant::now();
        let actors = self.core.posts.iter().zip(taken).zip(kernel).map(|((post, taken), kernel)| {
            let state = post.lock();
            ActorTelemetry {
                received: state.counts.received,
                handled: state.counts.handled,
                unanswered: state.counts.unanswered,
                stopped: state.counts.stopped,
                dropped: post.dropped.get(),
                displaced: state.counts.displaced,
                queued: state.queued_calls(),
                high_water: state.counts.high_water,
                busy: state.times.busy(now),
                latency: state.counts.latency.clone(),
                sent: kernel.sent,
                refused: kernel.refused,
                from_actors: kernel.from_actors,
                lost_from_actors: state.counts.lost_from_actors,
                emitted: kernel.emitted,
                taken,
                not_emitted: kernel.not_emitted,
            }
        });
        Telemetry {
            mode: self.mode(),
            uptime: self.core.started.elapsed(),
            submissions: self.core.engine.submissions(),
            resident: self.core.is_resident(),
            letters_lost: self.core.letters.lost(),
            residents: self.core.residents(),
            topics: self.core.topics.telemetry(),
            actors: actors.collect(),
        }
    }

    pub(super) fn ended(&self) -> RingError {
        RingError::Ended { failure: self.core.failure() }
    }

    pub(super) fn fails(&self, error: Error) -> RingError {
        self.core.fail(error);
        self.core.wake_driver();
        self.ended()
    }
}

/// The error of a kernel that did not start.
pub(super) fn not_started(error: Error) -> RingError {
    match error {
        Error::Launch(error) => RingError::Launch(error),
        error => RingError::Ended { failure: Some(Box::new(error)) },
    }
}

/// The life of the ring's thread: until the ring has ended.
fn drive(core: &Core) {
    let (mut counted, mut looked) = (Instant::now(), Instant::now());
    loop {
        if counted.elapsed() >= COUNTED {
            counted = Instant::now();
            core.kernel_counts();
        }
        if looked.elapsed() >= pulse::LOOK {
            looked = Instant::now();
            core.residents();
        }
        match core.stage() {
            Stage::Stopped | Stage::Failed => {
                // Waiting tasks were completed with errors.
                core.serve_futures();
                return;
            }
            Stage::Running | Stage::Paused | Stage::Closing => {}
        }
        match catch_unwind(AssertUnwindSafe(|| core.engine.round(core))) {
            Ok(Ok(time)) => {
                let observed = core.context.events.is_observed();
                if observed {
                    core.looks();
                }
                if !time.is_zero() {
                    thread::park_timeout(if observed { time.min(LOOKS) } else { time });
                }
            }
            Ok(Err(error)) => core.recovers(error),
            // Without its thread, futures of a ring would wait for ever.
            Err(_) => core.fail(BackendError::rejected("running a ring", "the thread of the ring panicked").into()),
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.driver.is_some()
            && let Err(error) = self.end(Duration::ZERO)
        {
            log::error!("a ring was dropped: {error}");
        }
    }
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Ring");
        shown.field("actor", &self.core.actor.names()).field("actors", &self.actors());
        shown.field("mode", &self.mode()).field("stage", &self.core.stage()).finish()
    }
}
