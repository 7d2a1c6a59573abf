//! The ways in which calls wait: a thread blocks, a task is suspended. Both run the same code.

use std::future::{Future, poll_fn};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::clock::Instant;
use super::core::Core;

/// The pause of a task between two looks at what it waits for.
pub(super) const LOOK: Duration = Duration::from_millis(1);

/// How a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// The thread blocks, which a browser's page cannot.
    Blocks,
    /// The task is suspended.
    Yields,
}

impl Waits {
    /// How the ring's own loop waits for the device.
    pub(super) const DRIVER: Self = if cfg!(target_arch = "wasm32") { Self::Yields } else { Self::Blocks };

    /// Waits for about this time, or less.
    pub(super) async fn rest(self, core: &Core, time: Duration) {
        match self {
            Self::Blocks => std::thread::sleep(time),
            Self::Yields => core.sleeps(Instant::now() + time).await,
        }
    }
}

/// Runs a future on this thread, which blocks meanwhile; `None` in a browser, whose page cannot block.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn block_on<F: Future>(future: F) -> Option<F::Output> {
    use std::pin::pin;
    use std::sync::{Arc, Condvar};
    use std::task::{Context, Wake};

    /// Not the thread's own token, which the caller may use for other purposes.
    #[derive(Default)]
    struct Signal {
        woken: Mutex<bool>,
        ready: Condvar,
    }

    impl Wake for Signal {
        fn wake(self: Arc<Self>) {
            *self.woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.ready.notify_one();
        }
    }

    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    // Most calls find what they wait for, or block inside of the future.
    if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
        return Some(output);
    }
    let signal = Arc::new(Signal::default());
    let waker = Waker::from(Arc::clone(&signal));
    context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let mut woken = signal.woken.lock().unwrap_or_else(PoisonError::into_inner);
        while !std::mem::take(&mut *woken) {
            woken = signal.ready.wait(woken).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(target_arch = "wasm32")]
pub(super) fn block_on<F: Future>(_future: F) -> Option<F::Output> {
    None
}

/// Tasks that wait for a time, or for the end of a submission. The ring's loop wakes them.
#[derive(Default)]
pub(super) struct Sleepers(Mutex<Vec<(Instant, Waker)>>);

impl Sleepers {
    fn list(&self) -> MutexGuard<'_, Vec<(Instant, Waker)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// Waits until this time, or less: callers look whether what they wait for has come, and call this again.
    pub(super) async fn sleeps(&self, until: Instant) {
        let mut asleep = false;
        poll_fn(|context| {
            if std::mem::replace(&mut asleep, true) {
                return Poll::Ready(());
            }
            // Without the lock, because cloning a waker may run any code.
            let waker = context.waker().clone();
            self.sleepers.list().push((until, waker));
            self.wake_driver();
            self.watcher.wake();
            Poll::Pending
        })
        .await;
    }

    /// Has the ring's loop wake the tasks that sleep: all of them, or those whose time is over.
    pub(super) fn wake_sleepers(&self, all: bool) {
        if self.sleepers.list().is_empty() {
            return;
        }
        let now = Instant::now();
        let mut list = self.sleepers.list();
        let (over, others) = std::mem::take(&mut *list).into_iter().partition(|(until, _)| all || *until <= now);
        *list = others;
        drop(list);
        let over: Vec<(Instant, Waker)> = over;
        over.into_iter().for_each(|(_, waker)| self.wakes(Some(waker)));
    }

    /// The time until a task wants to be woken, at most `most`.
    pub(super) fn until_next(&self, most: Duration) -> Duration {
        let sleeper = self.sleepers.list().iter().map(|(until, _)| *until).min();
        let next = [sleeper, self.next_deadline()].into_iter().flatten().min();
        next.map_or(most, |next| next.saturating_duration_since(Instant::now()).min(most))
    }
}
