//! Submission: how commands reach a device, and how their completion is detected.
//!
//! | module | concept |
//! |---|---|
//! | `context` | the state shared by all handles of a device |
//! | `timeline`, `batch` | pending commands, and submissions that may still run |
//! | `queue` | the locked timeline, set to one stream |
//! | `destination` | the default stream, another one, or a recording |
//! | `encoder` | the only code that appends commands to a stream or a recording |
//! | `stream`, `recording`, `submission` | streams, recordings and submitted work, as users see them |
//! | `staging` | host-visible blocks that are reused |
//! | `traffic`, `events`, `scope` | counts of transfers, events, and named parts of a program's time |
//! | `moment` | threads and times of the host |
//! | `extensions` | state that higher modules keep for a device |
//!
//! This module does not depend on buffers: a command uses [`Resource`](encoder::Resource)s, which prepare their own
//! memory.

mod batch;
mod context;
mod destination;
mod encoder;
mod events;
mod extensions;
mod moment;
mod queue;
mod recording;
mod scope;
pub(crate) mod staging;
mod stream;
mod submission;
mod timeline;
mod traffic;

pub(crate) use batch::Batch;
pub(crate) use context::Context;
pub use destination::Destination;
pub(crate) use encoder::{Refusal, Resource, Usage, Usages};
pub(crate) use events::Reporter;
pub use events::{Event, Observed, Observer};
pub(crate) use moment::{Stopwatch, this_thread};
pub(crate) use queue::Queue;
pub use recording::Recording;
pub use scope::Scope;
pub use stream::Stream;
pub use submission::Submission;
pub use traffic::BufferStats;
pub(crate) use traffic::Traffic;
