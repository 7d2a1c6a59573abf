//! The state that all handles of a ring share: sending, waiting, and the end.

use std::any::TypeId;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::Duration;

use anywarp_backend::Layout;

use super::activity::Activity;
use super::cell::{Cell, Unwanted};
use super::clock::Instant;
use super::counts::Follower;
use super::engine::Engine;
use super::error::{AskError, SendError};
use super::generate::Format;
use super::group::Group;
use super::inbox::InboxView;
use super::lease::Lease;
use super::mail::Mail;
use super::outlet::Outlet;
use super::overflow::{DeadLetter, DeadReason, Letters, Overflow};
use super::pause::Pause;
use super::post::{Post, State};
use super::pulse::Pulse;
use super::restart::Restart;
use super::sink::Rooms;
use super::slot::{Payload, Words};
use super::source::{ActorText, KindText};
use super::topic::Topics;
use super::turns::{Turn, Turns};
use super::waits::Sleepers;
use super::worker::Sleeper;
use crate::element::{Element, is_raw, values_agree};
use crate::error::Error;
use crate::submit::Context;

/// The looks at a reply between two pauses of the processor, which take some ten nanoseconds each.
const LOADS: u32 = 16;

/// The stage of a ring's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Stage {
    Running,
    Paused,
    /// No message is accepted any more.
    Closing,
    Stopped,
    Failed,
}

/// The words of a memory, for the protocol.
#[derive(Clone, Copy)]
pub(super) struct View<'a>(pub(super) &'a [AtomicU32]);

impl Words for View<'_> {
    #[inline]
    fn load(&self, at: usize) -> u32 {
        self.0.get(at).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    #[inline]
    fn store(&self, at: usize, word: u32) {
        if let Some(own) = self.0.get(at) {
            own.store(word, Ordering::Relaxed);
        }
    }

    #[inline]
    fn store_all(&self, at: usize, words: &[u32]) {
        let own = self.0.get(at..).unwrap_or_default();
        own.iter().zip(words).for_each(|(own, word)| own.store(*word, Ordering::Relaxed));
    }

    #[inline]
    fn load_all<const COUNT: usize>(&self, at: usize) -> [u32; COUNT] {
        let own = self.0.get(at..).and_then(<[AtomicU32]>::first_chunk::<COUNT>);
        own.map_or([0; COUNT], |own| own.each_ref().map(|own| own.load(Ordering::Relaxed)))
    }
}

/// The state that all handles of a ring share.
pub(super) struct Core {
    pub(super) context: Arc<Context>,
    /// The name on timelines.
    pub(super) name: Arc<str>,
    pub(super) actor: ActorText,
    /// For each kind of actors the number behind that of the last one.
    pub(super) ends: Vec<u32>,
    /// The invocations of a workgroup, for code that replaces that of the actors.
    pub(super) group: Group,
    pub(super) format: Format,
    pub(super) overflow: Overflow,
    /// The further life of an actor whose handler was stopped; `None` if it ends the ring.
    pub(super) restart: Option<Restart>,
    /// The messages between actors that were lost with an actor.
    pub(super) mail_lost: AtomicU32,
    /// The messages that were handled when the kernel was last stopped.
    pub(super) handled_before: AtomicU64,
    /// The number of messages that wait outside of the inbox at most.
    pub(super) backlog: usize,
    pub(super) posts: Vec<Post>,
    pub(super) engine: Engine,
    pub(super) letters: Letters,
    pub(super) outlet: Outlet,
    pub(super) follower: Follower,
    pub(super) activity: Activity,
    pub(super) pulse: Pulse,
    pub(super) topics: Topics,
    /// The longest time without a sign of life of the kernel, after which asks are given up.
    pub(super) heartbeat: Option<Duration>,
    /// The lease of a resident kernel; `None` if it stays.
    pub(super) lease: Option<Lease>,
    pub(super) started: Instant,
    pub(super) stage: AtomicU8,
    /// Held while the kernel starts or ends, and while its states are read directly.
    pub(super) life: Turns<()>,
    pub(super) failure: OnceLock<Error>,
    /// Cells of futures, for which the ring's thread polls, with the times at which they give up.
    pub(super) watched: Mutex<Vec<Watched>>,
    /// Tasks that wait for room in an inbox.
    pub(super) rooms: Rooms,
    /// Tasks whose cells are complete, to be woken by the ring's thread.
    pub(super) wakers: Mutex<Vec<Waker>>,
    /// The ring's loop.
    pub(super) driver: Sleeper,
    /// The loop that looks after the kernel and after deadlines.
    pub(super) watcher: Sleeper,
    /// Tasks that wait for a time.
    pub(super) sleepers: Sleepers,
    /// The types that were compared with those of the WGSL, for each kind of actors.
    pub(super) types: Vec<Types>,
}

/// A future's cell.
pub(super) struct Watched {
    pub(super) actor: u32,
    pub(super) cell: Arc<Cell>,
    pub(super) timeout: Option<(Duration, Instant)>,
}

/// The first Rust type of each role, which need not be compared again.
#[derive(Default)]
pub(super) struct Types {
    message: OnceLock<TypeId>,
    reply: OnceLock<TypeId>,
}

impl Core {
    pub(super) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            0 => Stage::Running,
            1 => Stage::Paused,
            2 => Stage::Closing,
            3 => Stage::Stopped,
            _ => Stage::Failed,
        }
    }

    /// Moves from one stage to another; returns false from any other stage.
    pub(super) fn advance(&self, from: Stage, to: Stage) -> bool {
        self.stage.compare_exchange(from as u8, to as u8, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Whether a resident kernel is on the device.
    pub(super) fn is_resident(&self) -> bool {
        let runs = matches!(self.stage(), Stage::Running | Stage::Closing);
        runs && !self.is_away() && matches!(self.engine, Engine::Persistent(_))
    }

    pub(super) async fn life(&self) -> Turn<'_, ()> {
        self.life.lock().await
    }

    pub(super) fn failure(&self) -> Option<Box<Error>> {
        self.failure.get().cloned().map(Box::new)
    }

    pub(super) fn inbox(&self) -> InboxView<'_> {
        self.engine.inbox()
    }

    pub(super) fn outbox(&self) -> View<'_> {
        View(self.engine.outbox())
    }

    // ---- types

    /// The index of an actor's kind; that of the last kind for an actor that does not exist.
    pub(super) fn kind_of(&self, actor: u32) -> usize {
        self.ends.iter().position(|end| actor < *end).unwrap_or(self.ends.len() - 1)
    }

    /// The kind of an actor.
    pub(super) fn kind(&self, actor: u32) -> &KindText {
        &self.actor.kinds[self.kind_of(actor)]
    }

    /// Checks that there is the actor, and that a Rust type is that of its messages.
    pub(super) fn checks_message<M: Element>(&self, actor: u32) -> Result<(), SendError> {
        self.post(actor)?;
        self.checks_message_of::<M>(self.kind_of(actor))
    }

    /// Checks that a Rust type is that of the messages to a kind of actors.
    pub(super) fn checks_message_of<M: Element>(&self, kind: usize) -> Result<(), SendError> {
        let KindText { function, message, .. } = &self.actor.kinds[kind];
        checks::<M>(&self.types[kind].message, function, "message", message)
    }

    /// Checks that a Rust type is that of the replies of an actor, which exists.
    pub(super) fn checks_reply<R: Element>(&self, actor: u32) -> Result<(), SendError> {
        let kind = self.kind_of(actor);
        let KindText { function, reply, .. } = &self.actor.kinds[kind];
        let Some(reply) = reply else { return Err(SendError::NoReply { function: function.clone() }) };
        checks::<R>(&self.types[kind].reply, function, "reply", reply)
    }

    /// Checks that there is the actor, and that a Rust type is that of its state.
    pub(super) fn checks_state<S: Element>(&self, actor: u32) -> Result<(), SendError> {
        self.post(actor)?;
        let KindText { function, state, .. } = self.kind(actor);
        checks::<S>(&OnceLock::new(), function, "state", state)
    }

    /// Checks that a Rust type is that of the messages to the host.
    pub(super) fn checks_emission<M: Element>(&self) -> Result<(), SendError> {
        let Some(emit) = &self.actor.emit else {
            return Err(SendError::NoEmission { function: self.actor.names() });
        };
        checks::<M>(&OnceLock::new(), &self.actor.names(), "emitted message", &emit.message)
    }

    pub(super) fn post(&self, actor: u32) -> Result<&Post, SendError> {
        let actors = self.posts.len() as u32;
        self.posts.get(actor as usize).ok_or(SendError::NoSuchActor { actor, actors })
    }

    // ---- messages

    /// The bytes of a message to an actor, for a dead letter.
    pub(super) fn message_bytes(&self, actor: u32, payload: &[u32]) -> Vec<u8> {
        bytes(payload, self.kind(actor).message.size as usize)
    }

    /// Returns an error if the ring accepts no messages.
    pub(super) fn accepts(&self) -> Result<(), SendError> {
        match self.stage() {
            Stage::Running | Stage::Paused => Ok(()),
            _ => Err(SendError::Ended { failure: self.failure() }),
        }
    }

    // ---- replies

    /// Takes the replies of an actor that have arrived.
    pub(super) fn reap(&self, actor: u32, post: &Post, state: &mut State) {
        let late = |cell: Arc<Cell>, reply: Payload| {
            if let Err(Unwanted(unwanted)) = self.complete(&cell, Ok(reply))
                && let Ok(reply) = *unwanted
            {
                let size = self.kind(actor).reply.as_ref().map_or(0, |reply| reply.size as usize);
                let bytes = bytes(&reply, size);
                self.letters.add(DeadLetter { actor, reason: DeadReason::LateReply, from_actor: false, bytes });
            }
        };
        if post.reap(state, &self.inbox(), &self.outbox(), late) {
            self.engine.ring(self);
        }
    }

    /// Takes the replies of all actors that have arrived.
    pub(super) fn reap_all(&self) {
        for (actor, post) in self.posts.iter().enumerate() {
            let mut state = post.lock();
            if state.queued() > 0 {
                self.reap(actor as u32, post, &mut state);
            }
        }
    }

    /// The messages between actors that wait or are being handled: see [`Mail::waiting`].
    pub(super) fn mail_waiting(&self) -> u64 {
        Mail::waiting(self.engine.counts(), self.mail_lost.load(Ordering::Acquire))
    }

    /// The number of accepted messages that were given up: see [`ActorTelemetry::unanswered`].
    ///
    /// [`ActorTelemetry::unanswered`]: super::ActorTelemetry::unanswered
    pub(super) fn unanswered(&self) -> u64 {
        self.posts.iter().map(|post| post.lock().counts.unanswered).sum()
    }

    /// The number of messages without a reply.
    pub(super) fn left(&self) -> u64 {
        self.posts.iter().map(|post| post.lock().queued()).sum()
    }

    /// Whether messages wait outside of a full inbox.
    pub(super) fn has_backlog(&self) -> bool {
        self.backlog > 0 && self.posts.iter().any(|post| !post.lock().backlog.is_empty())
    }

    /// The number of those that were sent until `since`.
    pub(super) fn left_since(&self, since: Instant) -> u64 {
        self.posts.iter().map(|post| post.lock().queued_since(since)).sum()
    }

    /// Waits until the cell is complete, or until the deadline.
    pub(super) fn wait(&self, actor: u32, cell: &Arc<Cell>, deadline: Option<Instant>) {
        let Some(post) = self.posts.get(actor as usize) else { return };
        let (slots, outbox) = (self.engine.outbox_slots(actor), self.outbox());
        let mut pause = Pause::new();
        loop {
            if cell.is_done() {
                return;
            }
            let next = post.next();
            if (0..LOADS).any(|_| slots.begins(&outbox, next)) {
                self.reap(actor, post, &mut post.lock());
            }
            if pause.looks() && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return;
            }
            pause.rest(|time| cell.sleep(time));
        }
    }

    /// Has the ring's thread poll for a future.
    pub(super) fn watch(&self, watched: Watched) {
        let has_deadline = watched.timeout.is_some();
        self.watched().push(watched);
        self.wake_driver();
        if has_deadline {
            self.watcher.wake();
        }
    }

    fn watched(&self) -> MutexGuard<'_, Vec<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first time at which a future gives up.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.watched().iter().filter_map(|watched| watched.timeout.map(|(_, deadline)| deadline)).min()
    }

    pub(super) fn wake_driver(&self) {
        self.driver.wake();
    }

    /// Completes a cell; returns the result if no caller waits for it. The ring's thread wakes a task, because the caller
    /// may hold a lock, and a waker may run any code.
    pub(super) fn complete(&self, cell: &Cell, result: Result<Payload, AskError>) -> Result<(), Unwanted> {
        self.wakes(cell.complete(result)?);
        Ok(())
    }

    /// Has the ring's thread wake a task.
    pub(super) fn wakes(&self, waker: Option<Waker>) {
        if let Some(waker) = waker {
            self.wakers.lock().unwrap_or_else(PoisonError::into_inner).push(waker);
            self.wake_driver();
        }
    }

    /// Wakes the tasks whose cells are complete.
    pub(super) fn wake_tasks(&self) {
        let wakers = std::mem::take(&mut *self.wakers.lock().unwrap_or_else(PoisonError::into_inner));
        for waker in wakers {
            // A waker of the author's that panics must not end the ring's thread, nor keep other tasks asleep.
            if catch_unwind(AssertUnwindSafe(|| waker.wake())).is_err() {
                log::error!("the waker of a task that waits for a reply panicked");
            }
        }
    }

    /// The duties of the ring's thread towards futures: takes replies, ends what takes too long, wakes tasks. Returns
    /// whether futures wait.
    pub(super) fn serve_futures(&self) -> bool {
        if !self.watched().is_empty() {
            self.reap_all();
            let now = Instant::now();
            let mut late = Vec::new();
            self.watched().retain(|Watched { actor, cell, timeout }| {
                let over = timeout.filter(|(_, deadline)| now >= *deadline);
                if let Some((timeout, _)) = over {
                    late.push((Arc::clone(cell), AskError::TimedOut { actor: *actor, timeout }));
                }
                !cell.is_done() && over.is_none() && Arc::strong_count(cell) > 1
            });
            for (cell, error) in late {
                let _ = self.complete(&cell, Err(error));
            }
        }
        let sinks = self.serve_sinks();
        self.wake_tasks();
        sinks || !self.watched().is_empty()
    }
}

/// Checks that a Rust type is the type in the WGSL of a function.
fn checks<T: Element>(
    known: &OnceLock<TypeId>,
    function: &str,
    what: &'static str,
    wgsl: &Layout,
) -> Result<(), SendError> {
    if known.get() == Some(&TypeId::of::<T>()) {
        return Ok(());
    }
    let rust = T::layout();
    let agree = if is_raw(&rust) { rust.size == wgsl.size } else { values_agree(&rust, wgsl) };
    if !agree {
        let mut layouts = String::from("in WGSL:\n");
        wgsl.describe(&mut layouts, 2);
        layouts.push_str("in Rust:\n");
        rust.describe(&mut layouts, 2);
        return Err(SendError::Layout { function: function.to_owned(), what, layouts });
    }
    let _ = known.set(TypeId::of::<T>());
    Ok(())
}

/// The first `size` bytes of a payload, as they lie in memory on a device.
pub(super) fn bytes(payload: &[u32], size: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = payload.iter().flat_map(|word| word.to_le_bytes()).take(size).collect();
    bytes.resize(size, 0);
    bytes
}

/// The words of a value, in the order of its bytes: those in memory where they are words, else a copy.
#[inline]
pub(super) fn words_of<T: Element>(value: &T) -> Cow<'_, [u32]> {
    let bytes = bytemuck::bytes_of(value);
    match bytemuck::try_cast_slice(bytes) {
        Ok(words) if cfg!(target_endian = "little") => Cow::Borrowed(words),
        _ => Cow::Owned(bytes.chunks(4).map(word_of).collect()),
    }
}

/// The word of up to four bytes.
fn word_of(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(word)
}

/// The value of words.
pub(super) fn value_of<T: Element>(words: &[u32]) -> T {
    let mut value = T::zeroed();
    let bytes = bytemuck::bytes_of_mut(&mut value);
    for (four, word) in bytes.chunks_mut(4).zip(words) {
        four.copy_from_slice(&word.to_le_bytes()[..four.len()]);
    }
    value
}
