//! The streams of a device, and which of their submissions wait for which.
//!
//! | file | what is in it |
//! |---|---|
//! | `state` | the streams of the driver, and the progress of each |
//! | `uses` | the submissions that use a memory, by ranges; pure |
//! | `dependencies` | waits between streams, derived from uses |

mod dependencies;
pub(crate) mod state;
pub(crate) mod uses;
