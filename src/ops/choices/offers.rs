//! Calls that ran without a measured choice, for a tuner that repeats them later.
//!
//! A call that asks a [`Question`] without an answer, on a device whose calls are gathered, describes itself: its
//! settings, and the lengths of its arrays. From this, a tuner makes the same call on arrays of its own. The program's
//! arrays are neither kept nor read.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashSet;

use super::call::Workload;
use super::question::Question;
use super::table::Choices;
use crate::device::Device;
use crate::error::Error;
use crate::submit::Context;

/// The greatest number of calls that wait for a tuner, and of questions that are remembered.
const WAITING: usize = 64;
const KNOWN: usize = 4096;

thread_local! {
    /// The latest question without an answer, until the operator that asked it describes its call.
    static MISSED: Cell<Option<Question>> = const { Cell::new(None) };
}

/// Makes a call on a device, with arrays of its own.
pub(crate) type Make = Box<dyn FnOnce(&Device) -> Result<Box<dyn Workload>, Error> + Send>;

/// The gathered calls of a device.
#[derive(Default)]
pub(crate) struct Offers {
    gathers: AtomicBool,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    waiting: VecDeque<Make>,
    /// The questions of all calls so far: each is asked for one call only.
    known: FxHashSet<Question>,
}

impl Offers {
    /// Gathers calls from now on, or no more.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn gather(&self, gathers: bool) {
        self.gathers.store(gathers, Ordering::Relaxed);
        if !gathers {
            *self.calls.lock().unwrap_or_else(PoisonError::into_inner) = Calls::default();
        }
    }

    /// The call that waits for the longest time.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn take(&self) -> Option<Make> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).waiting.pop_front()
    }

    /// The number of calls that wait.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn waiting(&self) -> usize {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).waiting.len()
    }

    /// Notes that a question has no answer.
    pub(super) fn missed(&self, question: Question) {
        if self.gathers.load(Ordering::Relaxed) {
            MISSED.set(Some(question));
        }
    }

    fn add(&self, question: Question, make: impl FnOnce() -> Make) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.waiting.len() < WAITING && calls.known.len() < KNOWN && calls.known.insert(question) {
            calls.waiting.push_back(make());
        }
    }
}

/// Notes that the latest question of this thread needs no measurement.
pub(super) fn settled() {
    MISSED.set(None);
}

/// Offers the call of an operator to a tuner, if its question had no answer and calls are gathered. `describe` returns a
/// closure that makes the same call on another handle of the device.
pub(crate) fn offer<M, W>(context: &Context, describe: impl FnOnce() -> M)
where
    M: FnOnce(&Device) -> Result<W, Error> + Send + 'static,
    W: Workload + 'static,
{
    let Some(question) = MISSED.take() else { return };
    let choices = context.extension(|| Choices::of(context.caps()));
    choices.offers.add(question, || {
        let make = describe();
        Box::new(move |device| Ok(Box::new(make(device)?)))
    });
}

#[cfg(all(test, feature = "cpu"))]
mod tests;
