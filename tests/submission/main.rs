//! Submitted work: waits, ways of recording, events and errors.
#![cfg(all(feature = "cpu", not(target_arch = "wasm32")))]

mod errors;
mod events;
mod handles;
mod operators;
#[path = "../support/mod.rs"]
mod support;
mod ways;
