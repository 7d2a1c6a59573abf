//! The streams of a device, and the dependencies between their submissions.
//!
//! | file | content |
//! |---|---|
//! | `state` | the streams of the driver, and the progress of each stream |
//! | `uses` | the submissions that use a memory, by ranges |
//! | `dependencies` | waits between streams, derived from uses |

mod dependencies;
pub(crate) mod state;
pub(crate) mod uses;
