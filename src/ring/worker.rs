//! The loops of a ring: natively each has a thread of its own, in a browser each is a task of the page.

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod thread;

#[cfg(target_arch = "wasm32")]
pub(super) use page::{Alarm, Sleeper, Worker, completes, spawn};
#[cfg(not(target_arch = "wasm32"))]
pub(super) use thread::{Alarm, Sleeper, Worker, completes, spawn};
