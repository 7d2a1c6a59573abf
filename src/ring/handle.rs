//! The handle of a running ring: its life, its actors, its counts.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::actor::Actor;
use super::clock::Instant;
use super::core::Core;
use super::drive::drive;
use super::emit::Subscription;
use super::error::{RingError, SendError};
use super::inbox::InboxPlace;
use super::mode::Mode;
use super::overflow::DeadLetter;
use super::telemetry::{ActorTelemetry, Telemetry};
use super::topic::Topic;
use super::waits::{Waits, block_on};
use super::worker::{Worker, spawn};
use crate::element::Element;
use crate::error::Error;

/// The time after which a kernel that does not come to a message's end counts as hanging.
pub(super) const STOP: Duration = Duration::from_secs(10);

/// The actors of one device: see [`Device::ring`](crate::Device::ring). Dropping a ring shuts it down without waiting
/// for messages that are not handled yet.
pub struct Ring {
    pub(super) core: Arc<Core>,
    pub(super) driver: Option<Worker>,
    /// The loop that looks after the kernel and after deadlines. Natively, the ring's loop looks after deadlines, too.
    pub(super) watch: Option<Worker>,
}

impl Ring {
    /// Starts the kernel and the ring's loops.
    pub(super) fn run(core: Core) -> Result<Self, RingError> {
        let core = Arc::new(core);
        core.engine.start().map_err(not_started)?;
        let driver = spawn("anywarp-ring", &core, |core| &core.driver, drive).inspect_err(|_| {
            let _ = block_on(core.engine.stop(&core, Waits::Blocks, STOP));
        })?;
        let mut ring = Self { core, driver: Some(driver), watch: None };
        let core = &ring.core;
        let allowed = core.heartbeat;
        // In a browser the ring's loop is suspended until a submission has ended, but deadlines go on.
        if allowed.is_some() || cfg!(target_arch = "wasm32") {
            let watch = move |core: Arc<Core>| async move { core.watches(allowed).await };
            ring.watch = Some(spawn("anywarp-ring-watch", core, |core| &core.watcher, watch)?);
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
    /// there is none until the end of the ring, [`Report::untaken`](crate::ring::Report::untaken) counts them. The queues
    /// hold as many messages as the inbox; when one is full, the function returns false, which
    /// [`ActorTelemetry::not_emitted`] counts.
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
}

/// The error of a kernel that did not start.
pub(super) fn not_started(error: Error) -> RingError {
    match error {
        Error::Launch(error) => RingError::Launch(error),
        error => RingError::Ended { failure: Some(Box::new(error)) },
    }
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Ring");
        shown.field("actor", &self.core.actor.names()).field("actors", &self.actors());
        shown.field("mode", &self.mode()).field("stage", &self.core.stage()).finish()
    }
}
