//! Errors of starting a ring, of sending, and of waiting for a reply.

use std::time::Duration;

use anywarp_backend::BackendError;

use super::mode::Mode;
use crate::error::{BufferError, Classified, Error, ErrorClass, KernelError, LaunchError};

anywarp_backend::debug_as_display!(RingError, SendError, SendAllError, AskError);

/// A ring could not be created or started, or a step of its life did not succeed.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// The text has no actor, or its function has another form.
    #[error("{file}:{line}: {message}")]
    Actor {
        /// The file as named by the author.
        file: String,
        /// The line.
        line: u32,
        /// The problem.
        message: String,
    },
    /// The text is not valid WGSL, or the device cannot run it.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A number that was given to the builder is out of its range.
    #[error("the ring's {what} must be in {least}..={most}, got {got}")]
    Setting {
        /// The setting, such as `inbox`.
        what: &'static str,
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// The value given.
        got: u64,
    },
    /// The text has no kind of actors with this name.
    #[error(
        "the ring shall have {actors} actors '{kind}', but the kinds of its text are {kinds}, the names of the functions \
         after '// anywarp:actor'"
    )]
    NoSuchKind {
        /// The name given.
        kind: String,
        /// The number of actors given.
        actors: u32,
        /// The names of all kinds, with `+` between them.
        kinds: String,
    },
    /// The number of lanes does not suit the actor.
    #[error("the actor '{actor}' cannot have {lanes} lanes: {reason}")]
    Lanes {
        /// The name of the function.
        actor: String,
        /// The number of lanes.
        lanes: u32,
        /// The reason and the remedy.
        reason: String,
    },
    /// On this device, a stopped handler ends the whole ring.
    #[error(
        "the ring demands that an actor whose handler is stopped fails alone, which {device} cannot do: leave out \
         `restart`, or choose the device cpu"
    )]
    NoRestart {
        /// The device.
        device: String,
    },
    /// New code for a running ring has other types than the code of before, or other ways of sending.
    #[error(
        "the code of the ring cannot be replaced: {part}: {before} before, and {after} in the new text; leave this as it \
         was, or start another ring"
    )]
    Replacement {
        /// The part that differs, such as `state of 'count', field 'mean'`.
        part: String,
        /// The part in the running ring.
        before: String,
        /// The part in the new text.
        after: String,
    },
    /// The device does not have the demanded mode.
    #[error(
        "the ring demands the mode {mode}, which {device} does not have: demand {}, or choose another device",
        Mode::Batched
    )]
    NoSuchMode {
        /// The mode that was demanded.
        mode: Mode,
        /// The device.
        device: String,
    },
    /// The inboxes cannot lie on the card.
    #[error(
        "the ring demands inboxes on the card {device}, which cannot be had: {reason}; leave out \
         `RingBuilder::inbox_on_card`"
    )]
    NoCardInbox {
        /// The device.
        device: String,
        /// The reason.
        reason: String,
    },
    /// There is no memory for the inboxes, outboxes or states.
    #[error("the ring needs {bytes} bytes of memory: {error}")]
    Memory {
        /// The bytes of the whole ring.
        bytes: u64,
        /// The error of the device.
        error: Box<Error>,
    },
    /// The kernel could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The operating system provides no thread.
    #[error("the thread of the ring could not be started: {message}")]
    Thread {
        /// The error of the operating system.
        message: String,
    },
    /// The call blocks its thread, which a browser's page cannot.
    #[error("`{call}` blocks, which a browser's page cannot: await `{instead}`")]
    CannotBlock {
        /// The call.
        call: &'static str,
        /// The call that can be awaited.
        instead: &'static str,
    },
    /// The actors did not come to an end in time.
    #[error("the ring did not {step} within {timeout:?}: {left} messages have no reply")]
    TimedOut {
        /// The step: `pause`, `resume`, `drain`, `stop`, or `stop for new code`.
        step: &'static str,
        /// The time given.
        timeout: Duration,
        /// The number of messages without a reply.
        left: u64,
    },
    /// The ring does not run: it has failed, or it was shut down.
    #[error("the ring does not run: {}", reason(failure.as_deref()))]
    Ended {
        /// The failure; `None` after a shutdown.
        failure: Option<Box<Error>>,
    },
}

impl Classified for RingError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Kernel(error) => Error::from(error.clone()).class(),
            Self::Launch(error) => Error::from(error.clone()).class(),
            Self::Memory { error, .. } => error.class(),
            Self::Ended { failure: Some(failure) } => failure.class(),
            Self::Setting { .. } | Self::Thread { .. } => ErrorClass::Resource,
            Self::TimedOut { .. } => ErrorClass::Retryable,
            _ => ErrorClass::Programmer,
        }
    }
}

impl From<RingError> for Error {
    fn from(error: RingError) -> Self {
        Self::part(error)
    }
}

/// A message was not sent; the actor does not receive it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The ring has no such actor.
    #[error("actor {actor} does not exist: the ring has {actors} actors, counted from 0")]
    NoSuchActor {
        /// The number of the actor.
        actor: u32,
        /// The number of actors.
        actors: u32,
    },
    /// The text has no kind of actors with this name.
    #[error(
        "the ring has no actors '{kind}': its kinds are {kinds}, the names of the functions after '// anywarp:actor'"
    )]
    NoSuchKind {
        /// The name given.
        kind: String,
        /// The names of all kinds, with `+` between them.
        kinds: String,
    },
    /// The Rust type of a message, a reply or a state is not the type in the WGSL.
    #[error("the {what} of actor '{function}' has another type in WGSL than in Rust\n{layouts}")]
    Layout {
        /// The function of the actor.
        function: String,
        /// `message`, `reply`, `state` or `emitted message`.
        what: &'static str,
        /// The two layouts.
        layouts: String,
    },
    /// The bytes of a message have another number than the type in the WGSL.
    #[error(
        "the message of actor '{function}' has {expected} bytes, got {got}: give them as they lie in memory in WGSL\n{layout}"
    )]
    Size {
        /// The function of the actor.
        function: String,
        /// The size of the message in bytes.
        expected: u32,
        /// The number of bytes given.
        got: usize,
        /// The layout of the message.
        layout: String,
    },
    /// The function of the actor has no result, so nothing can be asked.
    #[error("the actor '{function}' returns nothing, so it cannot be asked: use `tell`, or return a value")]
    NoReply {
        /// The function of the actor.
        function: String,
    },
    /// The text has no function by which the actor emits messages.
    #[error(
        "the actor '{function}' emits nothing, so there is nothing to subscribe to: add \
         `// anywarp:emit` and `fn emit(message: Message) -> bool {{ return false; }}`, and call it"
    )]
    NoEmission {
        /// The function of the actor.
        function: String,
    },
    /// The ring has no backlog, so no messages wait on the host that one of high priority could overtake.
    #[error(
        "a message to actor {actor} has a high priority, but no messages wait outside of the inbox, so it would overtake \
         none: set `RingBuilder::backlog`"
    )]
    NoBacklog {
        /// The actor.
        actor: u32,
    },
    /// The ring has no backlog, so no message waits on the host that could give way to a newer one of a topic.
    #[error(
        "actor {actor} cannot be subscribed with `Overflow::DropOldest`, as no messages wait outside of its inbox that \
         could be dropped: set `RingBuilder::backlog`, or subscribe it with `Overflow::DropNewest`"
    )]
    NothingToDrop {
        /// The actor.
        actor: u32,
    },
    /// Actors publish to the topic, and their messages have the type of another kind of actors.
    #[error(
        "actor {actor} cannot be subscribed to '{topic}': actors publish there, and their messages have the type of the \
         actors '{kind}'; subscribe one of these, or publish by another function to another topic"
    )]
    OtherKind {
        /// The actor.
        actor: u32,
        /// The name of the topic.
        topic: String,
        /// The name of the kind that receives the messages.
        kind: String,
    },
    /// The inbox is full, and the ring's [`Overflow`](super::Overflow) does not drop messages.
    #[error("the inbox of actor {actor} is full: {waiting} messages wait; send later, or use a larger inbox")]
    Full {
        /// The actor.
        actor: u32,
        /// The number of messages that wait.
        waiting: u32,
    },
    /// The inbox is full, and the ring's [`Overflow::Block`](super::Overflow::Block) demands to wait for room, which a
    /// browser's page cannot.
    #[error(
        "the inbox of actor {actor} is full: {waiting} messages wait, and a browser's page cannot block until there is \
         room: await `Actor::tell_async` or `Actor::ask_async`, or set another `RingBuilder::overflow`"
    )]
    CannotBlock {
        /// The actor.
        actor: u32,
        /// The number of messages that wait.
        waiting: u32,
    },
    /// The actor handles no messages any more, because its handler was stopped: see
    /// [`Restart::Never`](super::Restart::Never).
    #[error("actor {actor} handles no messages any more: {failure}")]
    Stopped {
        /// The actor.
        actor: u32,
        /// The error with the line of the handler.
        failure: Box<Error>,
    },
    /// The message was dropped, as the ring's [`Overflow`](super::Overflow) demands: the newest one, or one of normal
    /// priority where only those of high priority wait.
    #[error(
        "the inbox of actor {actor} is full, so the message was dropped, as `Overflow::DropNewest` or a higher priority \
         demands"
    )]
    Dropped {
        /// The actor.
        actor: u32,
    },
    /// The ring does not run: it has failed, or it was shut down.
    #[error("the ring does not run: {}", reason(failure.as_deref()))]
    Ended {
        /// The failure; `None` after a shutdown.
        failure: Option<Box<Error>>,
    },
}

impl Classified for SendError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Full { .. } | Self::CannotBlock { .. } | Self::Dropped { .. } => ErrorClass::Retryable,
            Self::Ended { failure: Some(failure) } | Self::Stopped { failure, .. } => failure.class(),
            _ => ErrorClass::Programmer,
        }
    }
}

impl From<SendError> for Error {
    fn from(error: SendError) -> Self {
        Self::part(error)
    }
}

/// Some messages of one call were not sent; the actor does not receive them.
#[derive(Clone, thiserror::Error)]
#[error("{sent} of {messages} messages were sent, and the next one was not: {error}")]
pub struct SendAllError {
    /// The number of messages that were sent: the first ones.
    pub sent: usize,
    /// The number of messages that the call was given.
    pub messages: usize,
    /// The error of the first message that was not sent.
    pub error: SendError,
}

impl Classified for SendAllError {
    fn class(&self) -> ErrorClass {
        self.error.class()
    }
}

impl From<SendAllError> for Error {
    fn from(error: SendAllError) -> Self {
        Self::part(error)
    }
}

/// A message was sent, but its reply does not come.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The reply did not come in time. The actor may still handle the message; its reply becomes a dead letter.
    #[error("actor {actor} did not reply within {timeout:?}")]
    TimedOut {
        /// The actor.
        actor: u32,
        /// The time given.
        timeout: Duration,
    },
    /// The message was dropped from a full inbox before the actor received it.
    #[error("the message to actor {actor} was dropped from a full inbox, as `Overflow::DropOldest` demands")]
    Dropped {
        /// The actor.
        actor: u32,
    },
    /// The handler was stopped in this message, or in an earlier one that has ended the actor: see
    /// [`Restart`](super::Restart).
    #[error("actor {actor} does not reply, because its handler was stopped: {failure}")]
    Stopped {
        /// The actor.
        actor: u32,
        /// The error with the line of the handler.
        failure: Box<Error>,
    },
    /// The kernel has given no sign of life for longer than [`RingBuilder::heartbeat`](super::RingBuilder::heartbeat)
    /// allows. The actor may still handle the message; its reply becomes a dead letter.
    #[error(
        "actor {actor} did not reply: the workgroup that runs it has given no sign of life for {silence:?}, and \
         `RingBuilder::heartbeat` allows {allowed:?}; shorten the handler, or allow more"
    )]
    Unresponsive {
        /// The actor.
        actor: u32,
        /// The time since the last sign of life.
        silence: Duration,
        /// The time that the ring allows.
        allowed: Duration,
    },
    /// The ring has failed, or was shut down, before the reply came.
    #[error("actor {actor} does not reply any more: {}", reason(failure.as_deref()))]
    Ended {
        /// The actor.
        actor: u32,
        /// The failure; `None` after a shutdown.
        failure: Option<Box<Error>>,
    },
    /// The call blocks its thread, which a browser's page cannot.
    #[error("`{call}` blocks, which a browser's page cannot: await `{instead}`")]
    CannotBlock {
        /// The call.
        call: &'static str,
        /// The call, or the value, that can be awaited.
        instead: &'static str,
    },
    /// The message was not sent.
    #[error(transparent)]
    Send(#[from] SendError),
}

impl Classified for AskError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::TimedOut { .. } | Self::Dropped { .. } | Self::Unresponsive { .. } => ErrorClass::Retryable,
            Self::Ended { failure: Some(failure), .. } | Self::Stopped { failure, .. } => failure.class(),
            Self::Ended { failure: None, .. } | Self::CannotBlock { .. } => ErrorClass::Programmer,
            Self::Send(error) => error.class(),
        }
    }
}

impl From<AskError> for Error {
    fn from(error: AskError) -> Self {
        Self::part(error)
    }
}

fn reason(failure: Option<&Error>) -> String {
    failure.map_or_else(|| "it was shut down".to_owned(), |failure| format!("it has failed: {failure}"))
}

/// The error for memory of a ring that could not be allocated.
pub(super) fn no_memory(bytes: u64) -> impl Fn(BackendError) -> RingError {
    move |error| RingError::Memory { bytes, error: Box::new(Error::Device(error)) }
}

/// The error for a buffer of a ring that could not be allocated.
pub(super) fn no_buffer(bytes: u64) -> impl Fn(BufferError) -> RingError {
    move |error| RingError::Memory { bytes, error: Box::new(Error::Buffer(error)) }
}
