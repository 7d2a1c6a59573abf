//! Submitted work: waits, ways of recording, events and errors.

mod awaited;
mod errors;
mod events;
mod handles;
mod operators;
mod ready_made;
mod ways;
