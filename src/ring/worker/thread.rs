//! A loop as a thread.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use super::super::core::Core;
use super::super::error::RingError;
use super::super::waits::block_on;

/// The longest pause of a loop that waits for a lock.
const LONGEST: Duration = Duration::from_secs(1);

/// The thread of a loop, to be woken.
#[derive(Default)]
pub(in super::super) struct Sleeper(OnceLock<Thread>);

impl Sleeper {
    pub(in super::super) fn wake(&self) {
        if let Some(thread) = self.0.get() {
            thread.unpark();
        }
    }
}

/// The pauses of a loop.
pub(in super::super) struct Alarm;

impl Alarm {
    pub(in super::super) fn new() -> Self {
        Self
    }

    /// Sleeps for this time, or until the loop is woken. It blocks the thread, which has nothing else to do.
    pub(in super::super) async fn sleep(&mut self, _sleeper: &Sleeper, time: Duration) {
        thread::park_timeout(time);
    }
}

/// A running loop.
pub(in super::super) struct Worker(JoinHandle<()>);

impl Worker {
    /// Waits for the end of the loop, except in its own thread, as a waker that the loop runs may drop the ring.
    pub(in super::super) fn join(self) {
        self.0.thread().unpark();
        if self.0.thread().id() != thread::current().id() {
            let _ = self.0.join();
        }
    }
}

/// Wakes the thread of a loop.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a loop on this thread. While it waits for a lock, it wakes sleeping tasks: one of them may hold the lock.
fn runs(core: &Core, run: impl Future<Output = ()>) {
    let mut run = pin!(run);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    while run.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
        thread::park_timeout(core.until_next(LONGEST));
        core.wake_sleepers(false);
        core.wake_tasks();
    }
}

/// Starts a loop.
pub(in super::super) fn spawn<F: Future<Output = ()>>(
    name: &str,
    core: &Arc<Core>,
    sleeper: impl FnOnce(&Core) -> &Sleeper,
    run: impl FnOnce(Arc<Core>) -> F + Send + 'static,
) -> Result<Worker, RingError> {
    let own = Arc::clone(core);
    let thread = thread::Builder::new().name(name.to_owned());
    let thread = thread.spawn(move || runs(&own, run(Arc::clone(&own))));
    let thread = thread.map_err(|error| RingError::Thread { message: error.to_string() })?;
    let _ = sleeper(core).0.set(thread.thread().clone());
    Ok(Worker(thread))
}

/// Runs a future to its end, before this returns.
pub(in super::super) fn completes(future: impl Future<Output = ()> + 'static) {
    block_on(future);
}
