//! Submission: how commands reach a device, and how their end is noticed.
//!
//! | module | concept |
//! |---|---|
//! | `context` | what all handles of a device share |
//! | `timeline`, `batch` | commands that wait for their submission, and submissions that may still run |
//! | `queue` | the timeline, locked and turned to one stream |
//! | `encoder` | the only way of a command into a stream or a recording |
//! | `stream`, `recording`, `submission` | streams, recordings and submitted work as users hold them |
//! | `staging` | host-visible blocks that are used again and again |
//! | `traffic`, `events` | what was moved, and what was done |
//! | `extensions` | what upper floors keep for a device |
//!
//! Nothing here knows buffers: a command uses [`Resource`](encoder::Resource)s, which make themselves ready.

mod batch;
mod context;
mod encoder;
mod events;
mod extensions;
mod queue;
mod recording;
pub(crate) mod staging;
mod stream;
mod submission;
mod timeline;
mod traffic;

pub(crate) use batch::Batch;
pub(crate) use context::Context;
pub use encoder::Destination;
pub(crate) use encoder::{Refusal, Resource, Usage, Usages};
pub(crate) use events::Stopwatch;
pub use events::{Event, Observed, Observer};
pub(crate) use queue::Queue;
pub use recording::Recording;
pub use stream::Stream;
pub use submission::Submission;
pub use traffic::BufferStats;
pub(crate) use traffic::Traffic;
