//! How the actors of a ring run.

use std::fmt;

/// How the actors of a ring run. A mode is a property of a running ring, never a wish: see
/// [`RingBuilder::demand`](super::RingBuilder::demand).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// The kernel is resident: it polls the inboxes while the host writes to them, and a message costs no submission.
    Persistent,
    /// A thread of the host, or a task of a browser's page, submits the kernel whenever there are messages; each submission
    /// handles all that have gathered. A message costs at least the time of one submission.
    Batched,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Persistent => "Persistent",
            Self::Batched => "Batched",
        })
    }
}
