//! Rings: actors on a device, to which a program sends messages while they run.
//!
//! An actor is one WGSL function with a state of its own. It is started once; then a message costs no launch, no
//! transfer and no wait for the device, where the device can do that.
//!
//! ```
//! # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
//! # fn main() -> anywarp::Result<()> {
//! use anywarp::Device;
//! use std::time::Duration;
//!
//! const WGSL: &str = "
//!     struct Statistics { count: u32, sum: f32 }
//!
//!     // anywarp:actor
//!     fn add(state: ptr<function, Statistics>, x: f32, lane: u32) -> f32 {
//!         (*state).count += 1u;
//!         (*state).sum += x;
//!         return (*state).sum / f32((*state).count);
//!     }";
//!
//! #[repr(C)]
//! #[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
//! struct Statistics {
//!     count: u32,
//!     sum: f32,
//! }
//! anywarp::element!(Statistics { count, sum });
//!
//! let device = Device::open("cpu")?;
//! let ring = device.ring(WGSL)?.actors(4).start()?;
//! ring.actor(2).tell(&1.0f32)?;
//! let mean: f32 = ring.actor(2).ask(&4.0f32)?.wait()?;
//! assert_eq!(mean, 2.5);
//! let state: Statistics = ring.state(2)?;
//! assert_eq!((state.count, state.sum), (2, 5.0));
//! let report = ring.shutdown(Duration::from_secs(1))?;
//! assert_eq!((report.handled, report.unanswered), (2, 0));
//! # Ok(())
//! # }
//! # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
//! # fn main() {}
//! ```
//!
//! - **The function** is marked by the comment `// anywarp:actor` and has three parameters: a pointer to the state, the
//!   message, and the number of the lane ([`RingBuilder::lanes`]). It returns the reply, or nothing. State, message and
//!   reply consist of `i32`, `u32` and `f32`, in vectors, matrices, arrays and structs; message and reply have at most
//!   4 KiB. The text has no bindings and no entry point; names that begin with `ring_` are the kernel's.
//! - **Several kinds of actors**: each function that is marked `// anywarp:actor` is a kind, with a state, messages and
//!   replies of its own. [`RingBuilder::actors_of`] sets the number of actors of a kind, and [`Ring::actor_of`] returns one
//!   of them. Numbers in the ring run over all kinds, in the order of the text.
//! - **The guarantees**: the messages of one thread to one actor, of one priority, are handled in their order, each at
//!   most once, one after the other. A reply belongs to its message. Every message to an actor has an end: it is
//!   handled, or its sender receives an error, or it is among the [dead letters](Ring::dead_letters).
//! - **From actor to actor**: a function marked by `// anywarp:send`, such as
//!   `fn hand_on(to: u32, m: Message) -> bool { return false; }`, receives its body from the ring. It sends a message of
//!   the receiver's type to the actor `to`, and returns false if that one's queue is full or does not exist. It never
//!   waits. With several kinds, there is such a function for each kind to which actors send, and `to` counts from 0 within
//!   that kind: the one that the mark names, as in `// anywarp:send judge`, or else the only one with messages of the type.
//!   Messages of one actor to another are handled in their order, each at most once; they have no reply, so the
//!   receiver's result is dropped. Each lane that calls the function sends a message. The queue has as many slots as the
//!   inbox. [`ActorTelemetry`] counts these messages, and [`Ring::drain`] waits until none is left.
//! - **From an actor to the host**: a function marked by `// anywarp:emit`, such as
//!   `fn alarm(m: Alarm) -> bool { return false; }` with a type of its own, emits a message that belongs to no ask:
//!   [`Ring::subscribe`] receives it. It never waits, and returns false if the host has not taken the messages before.
//! - **To many actors**: [`Ring::topic`] gives a name to which actors are subscribed; each of them receives what is
//!   published there, by the host and by actors. A function marked by `// anywarp:publish prices`, such as
//!   `fn publish(m: Message) -> u32 { return 0u; }`, sends a message to each actor of the topic `prices`, and returns the
//!   number of those that had room. The messages are messages from actor to actor. Without a name in the mark, the topic
//!   has that of the function.
//! - **The mode** ([`Mode`]) is that of the device, or the one that was demanded, or an error: persistent on the CPU
//!   and with CUDA, batched elsewhere.
//! - **Tasks**: replies are futures, a [`Subscription`] is a stream, and [`Actor::sink`] is a sink that waits for room. Each
//!   call that waits has a form to be awaited.
//! - **Rates**: [`Actor::tell_all`] and [`Actor::ask_all`] send many messages at a fraction of the cost. On a GPU, a function
//!   that only reads its state, and sends and emits nothing, handles the messages that have gathered side by side; one
//!   that changes its state handles them one after the other.
//! - **A full inbox** is the sender's choice: [`Overflow`]. With a [`backlog`](RingBuilder::backlog), messages wait on
//!   the host before that, and those of high [`Priority`] go first.
//! - **A stopped handler**, such as one whose loop does not end, ends the ring: each caller that waits receives the error
//!   with the line, and states stay readable. On the CPU, [`RingBuilder::restart`] lets only the actor fail.
//! - **The end** of a ring loses no message silently: [`Report`] counts those that were not handled, also those between
//!   actors, and lists them as dead letters with their reasons and contents. Its counts add up.
//! - **An idle ring** keeps its kernel on the device, unless [`RingBuilder::lease`] lets it leave until the next message.
//! - **A kernel that gives no sign of life** for longer than [`RingBuilder::heartbeat`] allows ends the waits for
//!   replies with an error; [`Telemetry::residents`] has the signs.
//! - **On timelines**, [`insight::profile`](crate::insight::profile) has the times in which a ring had messages, the steps
//!   of its life, and reads of states; `anywarp ring top` shows counts and latencies of actors from the command line.
//! - **New code for a running ring**: [`Ring::replace`]. States, waiting messages and handles stay.
//! - [`Ring::pause`], [`Ring::resume`], [`Ring::drain`] and [`Ring::shutdown`] control the life of a ring,
//!   [`Ring::telemetry`] counts and measures, [`Ring::state`] reads a state between two messages.
//!
//! **In a browser** rings run in batches, as a task of the page. Nothing blocks there: replies are awaited, and so are the
//! forms of other calls whose names end with `_async`, such as [`Ring::drain_async`], [`Ring::shutdown_async`] and
//! [`Actor::tell_async`]; native programs have them, too. A call that would block is an error, such as
//! [`RingError::CannotBlock`], [`AskError::CannotBlock`] and [`SendError::CannotBlock`], with the name of the other form;
//! [`Subscription`]s are streams. Deadlines and [`RingBuilder::heartbeat`] rely on the page's timers, which a browser slows
//! down to about one a second in a page that is not visible. Events of the device have no times there.

mod activity;
mod actor;
mod backlog;
mod batched;
mod builder;
mod bytes;
mod cell;
mod clock;
mod core;
mod counts;
mod drive;
mod emit;
mod emitted;
mod end;
mod engine;
mod error;
mod generate;
mod group;
mod handle;
mod inbox;
mod lease;
mod life;
mod mail;
mod many;
mod mode;
mod outlet;
mod overflow;
mod own;
mod pause;
mod persistent;
mod post;
mod pulse;
mod reading;
mod replace;
mod report;
mod restart;
mod send;
mod sink;
mod slot;
mod source;
mod state;
mod telemetry;
#[cfg(test)]
mod tests;
mod topic;
mod turns;
mod waiting;
mod waits;
mod worker;

use std::panic::Location;

pub use actor::{Actor, Ask};
pub use backlog::Priority;
pub use builder::RingBuilder;
pub use bytes::AskBytes;
pub use emit::{Emission, Subscription};
pub use error::{AskError, RingError, SendAllError, SendError};
pub use handle::Ring;
pub use inbox::InboxPlace;
pub use mode::Mode;
pub use overflow::{DeadLetter, DeadReason, Overflow};
pub use pulse::ResidentTelemetry;
pub use report::Report;
pub use restart::Restart;
pub use sink::ActorSink;
pub use telemetry::{ActorTelemetry, Histogram, Telemetry};
pub use topic::{Published, Topic, TopicTelemetry};

use crate::device::Device;
use crate::kernel::Wgsl;

impl Device {
    /// Reads the WGSL of an actor; [`RingBuilder::start`] then starts actors that run it. See [`ring`](crate::ring).
    ///
    /// # Errors
    /// [`RingError::Actor`] if the text has no function that is marked by `// anywarp:actor`, or if it has another
    /// form; [`RingError::Kernel`] if the text is not valid WGSL.
    #[track_caller]
    pub fn ring<'a>(&self, wgsl: impl Into<Wgsl<'a>>) -> Result<RingBuilder, RingError> {
        let wgsl = wgsl.into().handed_in_at(Location::caller());
        RingBuilder::new(self, &wgsl.with_location().unwrap_or(wgsl))
    }
}
