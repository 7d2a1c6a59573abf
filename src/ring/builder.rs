//! The settings of a ring, and its start.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use anywarp_backend::{BackendKind, DeviceKind, Layout};

use super::activity::Activity;
use super::batched::Batched;
use super::clock::Instant;
use super::core::{Core, Stage, Types};
use super::counts::Follower;
use super::engine::{Engine, Places};
use super::error::RingError;
use super::generate::{ENTRY, Format, generate};
use super::group::Group;
use super::handle::Ring;
use super::inbox::{InboxPlace, Inboxes};
use super::lease::Lease;
use super::mode::Mode;
use super::outlet::Outlet;
use super::overflow::{Letters, Overflow};
use super::persistent::Persistent;
use super::post::Post;
use super::pulse::Pulse;
use super::restart::Restart;
use super::sink::Rooms;
use super::slot::{Mailbox, stride};
use super::source::ActorText;
use super::topic::Topics;
use super::turns::Turns;
use super::waits::Sleepers;
use super::worker::Sleeper;
use crate::device::Device;
use crate::kernel::Wgsl;

/// The most actors, and the most messages in an inbox.
const MOST: u32 = 1 << 20;

/// The settings of a ring: see [`Device::ring`].
#[must_use = "a ring does nothing until `start` is called"]
pub struct RingBuilder {
    device: Device,
    actor: ActorText,
    actors: u32,
    /// Kinds with numbers of actors of their own.
    of_kinds: Vec<(String, u32)>,
    group: Group,
    inbox: u32,
    overflow: Overflow,
    backlog: Option<u32>,
    restart: Option<Restart>,
    heartbeat: Option<Duration>,
    lease: Option<Duration>,
    demand: Option<Mode>,
    on_card: Option<bool>,
    first: u32,
}

impl RingBuilder {
    pub(super) fn new(device: &Device, wgsl: &Wgsl<'_>) -> Result<Self, RingError> {
        Ok(Self {
            device: device.clone(),
            actor: super::source::read(wgsl)?,
            actors: 1,
            of_kinds: Vec::new(),
            group: Group { lanes: 1, least: 1, near: true, resident: false },
            inbox: 256,
            overflow: Overflow::Block(Duration::from_secs(10)),
            backlog: None,
            restart: None,
            heartbeat: None,
            lease: None,
            demand: None,
            on_card: None,
            first: 0,
        })
    }

    /// The names of the kinds of actors, in the order of their numbers: those of the functions that are marked
    /// `// anywarp:actor`, in the order of the text.
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = &str> {
        self.actor.kinds.iter().map(|kind| kind.function.as_str())
    }

    /// The type of the messages to the first kind of actors, for programs that know it only when they run:
    /// [`Actor::ask_bytes`].
    ///
    /// [`Actor::ask_bytes`]: super::Actor::ask_bytes
    #[must_use]
    pub fn message_layout(&self) -> &Layout {
        &self.actor.kinds[0].message
    }

    /// The type of the replies of the first kind; `None` if the function returns nothing.
    #[must_use]
    pub fn reply_layout(&self) -> Option<&Layout> {
        self.actor.kinds[0].reply.as_ref()
    }

    /// Sets the number of actors of each kind, each of which has a state of its own; by default 1.
    pub fn actors(mut self, actors: u32) -> Self {
        self.actors = actors;
        self
    }

    /// Sets the number of actors of one kind, which is the name of the kind's function in the WGSL; by default that of
    /// [`actors`](Self::actors). [`Ring::actor_of`] has an example.
    ///
    /// [`start`](Self::start) returns [`RingError::NoSuchKind`] if there is no such function.
    pub fn actors_of(mut self, kind: &str, actors: u32) -> Self {
        self.of_kinds.retain(|(name, _)| name != kind);
        self.of_kinds.push((kind.to_owned(), actors));
        self
    }

    /// Sets the number of invocations that run the function for each message, with the parameter `lane` from 0 on; by
    /// default 1. All of them begin with the same state and message. The state and the reply of lane 0 count, and those
    /// of the other lanes are dropped: lanes combine their results through workgroup memory.
    pub fn lanes(mut self, lanes: u32) -> Self {
        self.group.lanes = lanes;
        self
    }

    /// Sets the number of messages that an actor's inbox holds, rounded up to a power of two; by default 256. A large
    /// state needs more, because it is read through the inbox.
    pub fn inbox(mut self, messages: u32) -> Self {
        self.inbox = messages;
        self
    }

    /// Sets the reaction to a full inbox; by default [`Overflow::Block`] for 10 seconds.
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    /// Sets the number of messages for an actor that wait on the host while its inbox is full, before the
    /// [`overflow`](Self::overflow) begins; those of high [`Priority`](super::Priority) leave it first. By default 0,
    /// or the number that was given to [`inbox`](Self::inbox) with [`Overflow::DropOldest`]. A message in the inbox
    /// cannot be overtaken any more, so priorities matter most with a small inbox.
    pub fn backlog(mut self, messages: u32) -> Self {
        self.backlog = Some(messages);
        self
    }

    /// Limits the failure of a stopped handler to its actor, instead of the whole ring, and sets the actor's further
    /// life. This works on the CPU only: elsewhere a stopped handler ends with wrong results, or with the loss of the
    /// device.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ring::Restart;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn half(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    ///         *state += 1u;
    ///         while x % 2u == 1u { } // an odd number is never handled
    ///         return x / 2u;
    ///     }",
    /// )?;
    /// let ring = ring.actors(2).restart(Restart::Continue).start()?;
    /// assert_eq!(ring.actor(1).ask::<u32, u32>(&8)?.wait()?, 4);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// [`start`](Self::start) returns [`RingError::NoRestart`] for another device. Each message costs a little more.
    /// In batches, other waits for the same handle of the device may report the stopped handler, too; a ring with a
    /// handle of its own ([`Device::reopen`]) avoids that.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.restart = Some(restart);
        self
    }

    /// Limits the time without a sign of life of the kernel ([`ResidentTelemetry::silence`]): after it, all asks to the
    /// actors of the silent workgroup receive [`AskError::Unresponsive`] instead of waiting on. Their messages stay, and
    /// may be handled later. By default there is no limit.
    ///
    /// An actor gives a sign of life after each message, so choose more than the longest handler takes; in batches, more
    /// than a submission takes. A thread of its own looks after the kernel.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use std::time::Duration;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn half(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { return x / 2u; }",
    /// )?;
    /// let ring = ring.heartbeat(Duration::from_secs(30)).start()?;
    /// assert_eq!(ring.actor(0).ask::<u32, u32>(&8)?.wait()?, 4); // or an error, but no wait without end
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// [`ResidentTelemetry::silence`]: super::ResidentTelemetry::silence
    /// [`AskError::Unresponsive`]: super::AskError::Unresponsive
    pub fn heartbeat(mut self, allowed: Duration) -> Self {
        self.heartbeat = Some(allowed);
        self
    }

    /// Limits the time for which a resident kernel stays on the device without messages. After it, the kernel ends
    /// between two messages, and the next message starts it again, with the same states: it costs the time of a start,
    /// a fraction of a millisecond. Meanwhile the ring costs neither threads of the processor nor a multiprocessor of a
    /// GPU, and [`Telemetry::resident`] is false. By default, the kernel stays. In batches no kernel stays on the
    /// device, so a lease changes nothing.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use std::time::Duration;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn count(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { *state += x; return *state; }",
    /// )?;
    /// let ring = ring.lease(Duration::from_millis(1)).start()?;
    /// assert_eq!(ring.actor(0).ask::<u32, u32>(&8)?.wait()?, 8);
    /// while ring.telemetry().resident {} // the kernel leaves
    /// assert_eq!(ring.actor(0).ask::<u32, u32>(&1)?.wait()?, 9); // and returns
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// [`Telemetry::resident`]: super::Telemetry::resident
    pub fn lease(mut self, idle: Duration) -> Self {
        self.lease = Some(idle);
        self
    }

    /// Demands a mode: [`start`](Self::start) fails where it cannot be had. Without this call, a ring is persistent
    /// where the device can, and batched elsewhere; [`Ring::mode`] returns which.
    pub fn demand(mut self, mode: Mode) -> Self {
        self.demand = Some(mode);
        self
    }

    /// Demands or forbids inboxes in memory of the card, which the kernel polls without a trip over the bus. Without this
    /// call they lie there where a persistent ring can have it: with CUDA on Linux, if Vulkan knows the card, lets the
    /// host map memory of it, and what the host writes there arrives. [`Ring::inbox_place`] tells where they lie, and why.
    ///
    /// [`start`](Self::start) returns [`RingError::NoCardInbox`] where they are demanded and cannot be had.
    pub fn inbox_on_card(mut self, demanded: bool) -> Self {
        self.on_card = Some(demanded);
        self
    }

    /// Sets the number of the first message, for tests of numbers that wrap.
    #[doc(hidden)]
    pub fn first_message(mut self, number: u32) -> Self {
        self.first = number;
        self
    }

    /// Sets the least number of invocations of a workgroup, for tests of the kernel of GPUs on other devices.
    #[doc(hidden)]
    pub fn invocations(mut self, invocations: u32) -> Self {
        self.group.least = invocations;
        self
    }

    /// Compiles the kernel, allocates the memory and starts the actors, each with a state of zeros.
    ///
    /// # Errors
    /// [`RingError`]; then nothing runs.
    pub fn start(self) -> Result<Ring, RingError> {
        let ends = self.ends()?;
        let actors = ends.last().copied().unwrap_or_default();
        within("inbox", self.inbox, 1, MOST)?;
        let caps = self.device.caps();
        let most = caps.limits.workgroup_invocations.min(caps.limits.workgroup_size[0]);
        let backlog = self.backlog.unwrap_or(if self.overflow == Overflow::DropOldest { self.inbox } else { 0 });
        within("backlog", backlog, u32::from(self.overflow == Overflow::DropOldest), MOST)?;
        within("lanes", self.group.lanes, 1, most)?;
        let format = Format::of(&self.actor);
        // A state is read by consecutive messages, so the inbox must hold all of them.
        let parts = format.state.div_ceil(format.reply.min(format.message)) as u32;
        let slots = self.inbox.max(parts).max(2).next_power_of_two();
        // A multiple of two laps: zeroed memory has the phase of the lap before.
        let first = self.first & !(2 * slots - 1);
        let (sends, marks) = (self.actor.speaks(), self.restart.is_some());
        let published = self.actor.publishes.len();
        let mode = self.mode()?;
        let groups = match mode {
            Mode::Persistent => caps.persistent.map_or(1, |persistent| persistent.max_residents),
            Mode::Batched => caps.limits.workgroups_per_dimension,
        };
        let groups = actors.min(groups).max(1);
        let places = Places { actors, slots, format, sends, published, marks, groups, first };
        let words = places.words().ok_or(RingError::Setting {
            what: "number of words (actors x inbox x message)",
            least: 1,
            most: 1 << 30,
            got: u64::from(actors) * u64::from(slots) * stride(format.message.max(format.reply)) as u64,
        })?;
        if marks && caps.backend != BackendKind::Cpu {
            return Err(RingError::NoRestart { device: caps.name.clone() });
        }
        let mut before = 0;
        let counts: Vec<u32> = ends.iter().map(|end| end - std::mem::replace(&mut before, *end)).collect();
        let inboxes = match mode {
            Mode::Persistent => Some(Inboxes::new(&self.device.context, words, self.on_card)?),
            Mode::Batched => None,
        };
        // Batched, the device has copies of the inboxes. The processor's are near, too, but tests may forbid it.
        let near = |inboxes: &Inboxes| {
            inboxes.place == InboxPlace::Card || (caps.kind == DeviceKind::Software && self.on_card != Some(false))
        };
        let (near, resident) = (inboxes.as_ref().is_none_or(near), inboxes.is_some());
        let group = Group { near, resident, ..self.group };
        let source = generate(&self.actor, &counts, group.shape(&self.actor, caps, marks)?);
        let kernel = self.device.kernel(Wgsl::prepared(source).entry(ENTRY))?;
        let engine = match inboxes {
            Some(inboxes) => {
                // Threads of the processor take turns themselves.
                let turns = groups < actors || (caps.kind == DeviceKind::Software && actors > 1);
                let persistent = Persistent::new(&self.device.context, kernel, places, words, turns, inboxes)?;
                Engine::Persistent(Box::new(persistent))
            }
            None if self.on_card == Some(true) => {
                let reason = "the ring runs in batches, which copy new messages".to_owned();
                return Err(RingError::NoCardInbox { device: caps.name.clone(), reason });
            }
            None => Engine::Batched(Box::new(Batched::new(&self.device, kernel, places, words)?)),
        };
        let post = |actor| Post::new(Mailbox::new(places.inbox(actor), places.outbox(actor), first));
        Ring::run(Core {
            context: Arc::clone(&self.device.context),
            name: format!("ring:{}", self.actor.names()).into(),
            format,
            overflow: self.overflow,
            restart: self.restart,
            mail_lost: AtomicU32::new(0),
            handled_before: AtomicU64::new(u64::MAX),
            backlog: backlog as usize,
            posts: (0..actors).map(post).collect(),
            engine,
            types: self.actor.kinds.iter().map(|_| Types::default()).collect(),
            actor: self.actor,
            ends,
            group,
            letters: Letters::default(),
            outlet: Outlet::new(actors),
            follower: Follower::new(actors),
            activity: Activity::default(),
            pulse: Pulse::default(),
            topics: Topics::default(),
            heartbeat: self.heartbeat,
            lease: self.lease.map(Lease::new),
            started: Instant::now(),
            stage: AtomicU8::new(Stage::Running as u8),
            life: Turns::new(()),
            failure: OnceLock::new(),
            watched: Mutex::default(),
            rooms: Rooms::default(),
            wakers: Mutex::default(),
            driver: Sleeper::default(),
            watcher: Sleeper::default(),
            sleepers: Sleepers::default(),
        })
    }

    /// For each kind the number behind that of its last actor.
    fn ends(&self) -> Result<Vec<u32>, RingError> {
        if let Some((kind, actors)) = self.of_kinds.iter().find(|(kind, _)| self.actor.kind(kind).is_none()) {
            return Err(RingError::NoSuchKind { kind: kind.clone(), actors: *actors, kinds: self.actor.names() });
        }
        let mut ends = Vec::new();
        let mut end = 0;
        for kind in &self.actor.kinds {
            let own = self.of_kinds.iter().find(|(name, _)| *name == kind.function);
            let actors = own.map_or(self.actors, |(_, actors)| *actors);
            within("actors", actors, 1, MOST)?;
            end += actors;
            within("actors of all kinds together", end, 1, MOST)?;
            ends.push(end);
        }
        Ok(ends)
    }

    /// The mode that was demanded, or the best one.
    fn mode(&self) -> Result<Mode, RingError> {
        let persistent = self.device.caps().persistent.is_some();
        match self.demand {
            Some(mode @ Mode::Persistent) if !persistent => {
                Err(RingError::NoSuchMode { mode, device: self.device.caps().name.clone() })
            }
            Some(mode) => Ok(mode),
            None => Ok(if persistent { Mode::Persistent } else { Mode::Batched }),
        }
    }
}

fn within(what: &'static str, got: u32, least: u32, most: u32) -> Result<(), RingError> {
    if (least..=most).contains(&got) {
        return Ok(());
    }
    Err(RingError::Setting { what, least: least.into(), most: most.into(), got: got.into() })
}
